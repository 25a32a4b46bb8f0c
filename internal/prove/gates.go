package prove

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// reached ends the name of the property that claims that what another one is about
// never happens.
const reached = "_is_never_about_anything"

// addConditions adds, for each assertion "where a holds, so does b", the one that a
// never holds.
func addConditions(d *ir.Design) {
	for _, m := range d.Modules {
		value := map[*ir.Signal]ir.Expr{}
		for _, s := range m.Body {
			if a, ok := s.(*ir.Assign); ok && a.Target.Ghost && a.Whole() {
				value[a.Target] = a.Value
			}
		}
		for _, p := range m.Properties {
			if p.Kind == ir.Cover {
				continue
			}
			or, ok := value[p.Cond].(*ir.Binary)
			if !ok || or.Op != ir.Or {
				continue
			}
			never, ok := or.X.(*ir.Unary)
			if !ok || never.Op != ir.Not {
				continue
			}
			cond := &ir.Signal{Name: p.Name + reached, Kind: ir.Wire, Type: ir.Type{Width: 1}, Ghost: true, Module: m, Pos: p.Pos}
			m.Signals = append(m.Signals, cond)
			m.Body = append(m.Body, &ir.Assign{Target: cond, Width: 1, Value: never, Pos: p.Pos})
			m.Properties = append(m.Properties, &ir.Property{Kind: ir.Assert, Name: p.Name + reached, Cond: cond, Domain: p.Domain, Pos: p.Pos})
		}
	}
}

// gates is the script that makes the properties outputs of a netlist of gates.
// Writing RTLIL sorts the cells, so that its order is that of the outputs.
func gates(top string, sources []string, inside map[string]string) string {
	script := []string{
		"read_verilog -sv -formal " + strings.Join(sources, " "), "prep -top " + top + " -nordff",
		"chformal -assume2assert */t:$assume " + top + "_props/* %d",
		"flatten", "memory_map",
	}
	for _, input := range slices.Sorted(maps.Keys(inside)) {
		script = append(script, fmt.Sprintf("delete -input w:%s", input), fmt.Sprintf("connect -nomap -nounset -set %s %s", input, inside[input]))
	}
	return strings.Join(append(script,
		"async2sync", "chformal -cover -remove", "setundef -undriven -anyseq",
		"design -save words", "dffunmap", "opt", "write_rtlil words.il", "design -load words",
		"delete -output", "formalff -clk2ff -ff2anyinit", "techmap", "opt -fast", "dffunmap", "simplemap",
		"abc -g AND -fast", "opt_clean", "write_rtlil gates.il",
		"write_aiger -I -B -zinit -no-startoffset gates.aig",
	), "; ")
}

var cell = regexp.MustCompile(`(?m)^  cell \$assert (?:\$flatten((?:\\\w+\.)*))?\\?(?:u_props|\w*props)?\.?\S*?\$ass\w+\$(\S+):(\d+)\$`)

// claim is one output of the netlist.
type claim struct {
	name string // of the property; empty for what says that a run begins in reset
	cell string // of Yosys
}

// claims are those of the netlist, in the order of its outputs.
func claims(dir string) ([]claim, error) {
	netlist, err := os.ReadFile(filepath.Join(dir, "gates.il"))
	if err != nil {
		return nil, err
	}
	var cs []claim
	for line := range strings.Lines(string(netlist)) {
		if !strings.HasPrefix(line, "  cell $assert ") {
			continue
		}
		m := cell.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("the assertion %q has no place in a source", strings.TrimSpace(line))
		}
		name, err := label(filepath.Join(dir, m[2]), m[3])
		if err != nil {
			return nil, err
		}
		if name != "" {
			path := strings.Split(strings.ReplaceAll(m[1], `\`, ""), ".")
			name = strings.Join(append(path[:max(0, len(path)-2)], name), ".")
		}
		cs = append(cs, claim{name, strings.TrimSpace(strings.TrimPrefix(line, "  cell $assert "))})
	}
	return cs, nil
}

// label is the label of the block that begins in a line.
func label(file, line string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	n, err := strconv.Atoi(line)
	lines := strings.Split(string(text), "\n")
	if err != nil || n < 1 || n > len(lines) {
		return "", fmt.Errorf("%s has no line %s", file, line)
	}
	_, name, _ := strings.Cut(lines[n-1], "begin : ")
	return strings.TrimSpace(name), nil
}

// netlist is a file of AIGER 1.9: numbers, latches, what must not become one, what is
// always one, and gates.
type netlist struct {
	m, i, a     int
	latches     []string
	bad, always []int
	gates       []byte
}

func readNetlist(file string) (netlist, error) {
	rest, err := os.ReadFile(file)
	if err != nil {
		return netlist{}, err
	}
	next := func() string {
		for k, b := range rest {
			if b == '\n' {
				line := string(rest[:k])
				rest = rest[k+1:]
				return line
			}
		}
		return ""
	}
	var n netlist
	var l, o, b, c int
	if _, err := fmt.Sscanf(next(), "aig %d %d %d %d %d %d %d", &n.m, &n.i, &l, &o, &n.a, &b, &c); err != nil || o != 0 {
		return n, fmt.Errorf("%s is not as write_aiger -B makes it", file)
	}
	for range l {
		n.latches = append(n.latches, next())
	}
	for k := range b + c {
		v, err := strconv.Atoi(next())
		if err != nil {
			return n, fmt.Errorf("%s: %w", file, err)
		}
		if k < b {
			n.bad = append(n.bad, v)
		} else {
			n.always = append(n.always, v)
		}
	}
	n.gates = rest
	return n, nil
}

// write writes a netlist with some of its outputs, and takes for granted that others are
// never one.
func (n netlist) write(file string, outputs, never []int) error {
	var s strings.Builder
	fmt.Fprintf(&s, "aig %d %d %d 0 %d %d %d\n", n.m, n.i, len(n.latches), n.a, len(outputs), len(n.always)+len(never))
	for _, l := range n.latches {
		s.WriteString(l + "\n")
	}
	for _, k := range outputs {
		fmt.Fprintln(&s, n.bad[k])
	}
	for _, v := range n.always {
		fmt.Fprintln(&s, v)
	}
	for _, k := range never {
		fmt.Fprintln(&s, n.bad[k]^1)
	}
	s.Write(n.gates)
	return os.WriteFile(file, []byte(s.String()), 0o644)
}
