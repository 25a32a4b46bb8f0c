package check

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// clocks makes random designs of two levels in which everything belongs to some
// domain, mostly to the same one.
type clocks struct {
	exprs
	b     strings.Builder
	mixed int // of 10 choices, how many are free
	async bool
}

// on chooses one of the domains; the implicit one is nil.
func (x *clocks) on(domains ...string) string {
	if x.r.IntN(10) >= x.mixed {
		return ""
	}
	return "(on " + domains[x.r.IntN(len(domains))] + ")"
}

// port chooses the domain of a port.
func (x *clocks) port(domains ...string) string {
	if x.async && x.r.IntN(5) == 0 {
		return "async"
	}
	return x.on(domains...)
}

func (x *clocks) add(format string, args ...any) { fmt.Fprintf(&x.b, format+"\n", args...) }

func (x *clocks) design() string {
	x.sigs = map[string]int{}
	x.add("(design m)(module c (domain o \"o_clk\" \"\")")
	x.add("(input %s %s unused)(input %s %s unused)", x.signal("p", 3), x.port("o"), x.signal("q", 2), x.port("o"))
	x.add("(reg %s %s unused)(reg %s %s unused)", x.signal("s", 2), x.on("o"), x.signal("s2", 2), x.on("o"))
	x.sigs["y"], x.sigs["z"] = 3, 2
	x.add("(output y u3 %s)(output z u2 %s)", x.port("o"), x.port("o"))
	x.add("(output used u1 (on o)) (body (set used 0:u1) %s%s%s%s))", x.assignments("s"), x.assignments("s2"), x.assignments("y"), x.assignments("z"))

	x.sigs, x.list = map[string]int{}, nil
	x.add("(module m (domain a \"a_clk\" \"\") (domain b \"b_clk\" \"\") (output at u1 (on a)) (output bt u1 (on b))")
	for _, in := range []string{"i", "j", "k"} {
		x.add("(input %s %s unused)", x.signal(in, 4), x.port("a", "b"))
	}
	for _, r := range []string{"r0", "r1", "r2"} {
		x.add("(reg %s %s unused)", x.signal(r, 1+x.r.IntN(4)), x.on("a", "b"))
	}
	x.add("(reg taken u2 (crossing \"Said.\") %s unused)", x.on("a", "b"))
	x.add("(mem ram u2 4) (wire %s unused)", x.signal("rd", 2))
	x.list = slices.DeleteFunc(x.list, func(s string) bool { return s == "rd" })
	body := []string{"(set at 0:u1) (set bt 0:u1)", fmt.Sprintf("(write ram %s %s %s)", x.expr(2, 2), x.expr(2, 2), x.on("a", "b")),
		fmt.Sprintf("(set rd (read ram %s))", x.expr(2, 1)), "(set taken (cat r0[0] r1[0]))"}
	x.list = append(x.list, "rd")
	var insts []string
	for i, u := range []string{"u", "v"} {
		w := fmt.Sprintf("w%d", i)
		x.sigs[w] = 3
		x.add("(wire %s u3 unused)", w)
		body = append(body, x.assignments(w))
		x.list = append(x.list, w)
		x.sigs[u+"_p"], x.sigs[u+"_q"] = 3, 2
		x.add("(inst_in %[1]s_p u3)(inst_in %[1]s_q u2)(inst_out %[1]s_used u1 unused)", u)
		body = append(body, x.assignments(u+"_p"), x.assignments(u+"_q"))
		x.add("(inst_out %s unused)(inst_out %s unused)", x.signal(u+"_y", 3), x.signal(u+"_z", 2))
		clock := ""
		if x.r.IntN(2) == 0 {
			clock = "(clock o " + []string{"a", "b"}[x.r.IntN(2)] + ")"
		}
		insts = append(insts, fmt.Sprintf("(instance %[1]s c (port p %[1]s_p)(port q %[1]s_q)(port y %[1]s_y)(port z %[1]s_z)(port used %[1]s_used) %[2]s %[3]s)", u, x.on("a", "b"), clock))
	}
	for _, o := range []string{"e", "f"} {
		x.sigs[o] = 3
		x.add("(output %s u3 %s)", o, x.port("a", "b"))
		body = append(body, x.assignments(o))
	}
	for _, r := range []string{"r0", "r1", "r2"} {
		body = append(body, x.assignments(r))
	}
	x.add("%s (body %s))", strings.Join(insts, "\n"), strings.Join(body, "\n"))
	return x.b.String()
}

// ends says of every bit, by hierarchical name, at which paths end, and of the
// elements of memories, which domains of the root they belong to.
type ends map[string][]origin

// collect adds what is in a place. With contracts, paths end at ports of instances
// that are in a domain.
func (e ends) collect(m *ir.Module, path string, outer func(*ir.Domain) *ir.Domain, root, contracts bool) {
	end := func(s *ir.Signal, o origin) {
		for i := range s.Type.Width {
			e[fmt.Sprintf("%s%s[%d]", path, s.Name, i)] = []origin{o}
		}
	}
	for _, s := range m.Signals {
		switch {
		case s.Kind == ir.Reg, s.Kind == ir.Input && (root || contracts && !s.Async):
			end(s, origin{outer(s.Domain), s.Async})
		case s.Kind == ir.InstOut && contracts && !s.Port.Async:
			end(s, origin{domain: outer(s.Inst.Outer(s.Port.Domain))})
		}
	}
	for _, x := range m.Mems {
		for _, w := range x.Writes() {
			e[path+x.Name] = append(e[path+x.Name], origin{domain: outer(w.Domain)})
		}
	}
	for _, i := range m.Instances {
		e.collect(i.Of, path+i.Name+".", func(d *ir.Domain) *ir.Domain { return outer(i.Outer(d)) }, false, contracts)
	}
}

// reached are the domains that any of the bits depends on.
func (e ends) reached(v *naive, from deps) map[origin]bool {
	out := map[origin]bool{}
	seen := deps{}
	for todo := slices.Sorted(maps.Keys(from)); len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		if os, ok := e[at]; ok {
			for _, o := range os {
				out[o] = true
			}
			continue
		}
		todo = slices.AppendSeq(todo, maps.Keys(v.direct[at]))
	}
	return out
}

// wrongs are what in a module takes values of other domains, by the definition.
func wrongs(m *ir.Module) map[string]bool {
	v := &naive{d: &ir.Design{Top: m}, direct: map[string]map[string]bool{}}
	v.module(m, "")
	e := ends{}
	e.collect(m, "", func(d *ir.Domain) *ir.Domain { return d }, true, true)
	out := map[string]bool{}
	takes := func(what string, d *ir.Domain, from deps) {
		for o := range e.reached(v, from) {
			if o.async || o.domain != d {
				out[what] = true
			}
		}
	}
	bits := func(s *ir.Signal) deps { // what the signal is computed from
		from := deps{}
		for i := range s.Type.Width {
			from.add(v.direct[fmt.Sprintf("%s[%d]", s.Name, i)])
		}
		return from
	}
	for _, s := range m.Signals {
		switch {
		case s.Kind == ir.Reg && s.Crossing == "", s.Kind == ir.Output && !s.Async:
			takes(what(s), s.Domain, bits(s))
		case s.Kind == ir.InstIn && !s.Port.Async:
			takes(what(s), s.Inst.Outer(s.Port.Domain), bits(s))
		}
	}
	for _, x := range m.Mems {
		for _, w := range x.Writes() {
			from := deps{}
			for _, ex := range ir.Exprs(w) {
				for i := range ex.Type().Width {
					from.add(v.expr("", ex, i))
				}
			}
			takes("a write port of memory "+x.Name, w.Domain, from)
		}
	}
	return out
}

// crossesAnywhere reports whether, ports of instances apart, a register or an output
// of the flat design depends on another domain.
func crossesAnywhere(d *ir.Design) bool {
	v := &naive{d: d, direct: map[string]map[string]bool{}}
	v.module(d.Top, "")
	e := ends{}
	e.collect(d.Top, "", func(d *ir.Domain) *ir.Domain { return d }, true, false)
	var visit func(m *ir.Module, path string, outer func(*ir.Domain) *ir.Domain) bool
	visit = func(m *ir.Module, path string, outer func(*ir.Domain) *ir.Domain) bool {
		for _, s := range m.Signals {
			if s.Kind != ir.Reg && !(s.Kind == ir.Output && path == "") || s.Crossing != "" || s.Async {
				continue
			}
			for i := range s.Type.Width {
				for o := range e.reached(v, v.direct[fmt.Sprintf("%s%s[%d]", path, s.Name, i)]) {
					if o.async || o.domain != outer(s.Domain) {
						return true
					}
				}
			}
		}
		for _, i := range m.Instances {
			if visit(i.Of, path+i.Name+".", func(d *ir.Domain) *ir.Domain { return outer(i.Outer(d)) }) {
				return true
			}
		}
		return false
	}
	return visit(d.Top, "", func(d *ir.Domain) *ir.Domain { return d })
}

// What takes values of other domains is exactly what does so by the definitions,
// module by module; and where nothing does, nothing does in the design as a whole.
func TestRandomCrossingsAgainstDefinitions(t *testing.T) {
	wrong, right, whole := 0, 0, 0
	randomly(t, 300, func(t *testing.T, s uint64, r *rand.Rand) {
		x := &clocks{exprs: exprs{r: r}, mixed: int(s % 4), async: s%3 == 0}
		d, err := ir.Parse("crossings", x.design())
		require.NoError(t, err)
		got := map[string]map[string]bool{}
		for _, m := range d.Modules {
			got[m.Name] = map[string]bool{}
		}
		for _, g := range Design(d) {
			require.Equal(t, diag.Crossing, g.Code, g.String())
			what, _, _ := strings.Cut(g.Message, " of clock")
			got[g.Module][what] = true
		}
		clean := true
		for _, m := range d.Modules {
			want := wrongs(m)
			require.Equal(t, want, got[m.Name], "module %s of\n%s", m.Name, d)
			wrong, clean = wrong+len(want), clean && len(want) == 0
		}
		if !clean {
			return
		}
		right++
		if len(mixedDomains(d)) > 1 {
			whole++
		}
		require.False(t, crossesAnywhere(d), "%s", d)
	})
	require.Positive(t, wrong)
	require.Positive(t, right)
	require.Positive(t, whole)
}

// mixedDomains are the domains of the registers of the top module.
func mixedDomains(d *ir.Design) map[*ir.Domain]bool {
	ds := map[*ir.Domain]bool{}
	for _, s := range d.Top.Signals {
		if s.Kind == ir.Reg {
			ds[s.Domain] = true
		}
	}
	return ds
}
