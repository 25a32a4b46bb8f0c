package check

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Limits of sizes: beyond them a description is a mistake rather than hardware.
const (
	MaxWidth = 1 << 20 // bits of a signal or value
	MaxDepth = 1 << 32 // elements of a memory
)

// valid checks the data structure; it is the only place that expects nil.
func (c *checker) valid() {
	if c.d == nil || c.d.Top == nil {
		c.report(diag.Misuse, ir.Pos{}, "the design has no top module", "")
		return
	}
	placed := map[*ir.Module]bool{}
	c.hierarchy = true
	wrong := func(pos ir.Pos, format string, args ...any) {
		c.hierarchy = false
		c.report(diag.Misuse, pos, fmt.Sprintf(format, args...), "list each module once, children before parents, the top module last")
	}
	for i, m := range c.d.Modules {
		if m == nil {
			wrong(ir.Pos{}, "entry %d of the module list is nil", i)
			continue
		}
		c.m = m
		if placed[m] {
			wrong(m.Pos, "module %s is listed twice", m.Name)
			continue
		}
		for j, inst := range m.Instances {
			if inst == nil || inst.Of == nil {
				wrong(m.Pos, "instance %d of module %s is of no module", j, m.Name)
			} else if !placed[inst.Of] {
				wrong(inst.Pos, "module %s of instance %s is not listed before its parent %s", inst.Of.Name, inst.Name, m.Name)
			}
		}
		placed[m] = true
	}
	if n := len(c.d.Modules); c.hierarchy && (n == 0 || c.d.Modules[n-1] != c.d.Top) {
		wrong(c.d.Top.Pos, "the top module %s is not the last of the module list", c.d.Top.Name)
	}
	if !c.hierarchy {
		return
	}
	for _, m := range c.d.Modules {
		c.m = m
		v := validator{checker: c, types: map[ir.Expr]exprType{}, owns: map[*ir.Signal]bool{}, mems: map[*ir.Mem]bool{},
			sync: map[*ir.Signal]bool{}, conns: map[*ir.Signal]bool{}}
		c.types[m] = v.types
		v.module()
	}
}

// validator checks one module.
type validator struct {
	*checker
	types    map[ir.Expr]exprType // of every expression of the module
	owns     map[*ir.Signal]bool
	mems     map[*ir.Mem]bool
	sync     map[*ir.Signal]bool // data signals of read ports
	conns    map[*ir.Signal]bool // signals of instance ports
	clocksOf map[*ir.Domain]bool // clock domains of the module, the implicit one among them
}

func (v *validator) misuse(pos ir.Pos, format string, args ...any) {
	v.report(diag.Misuse, pos, fmt.Sprintf(format, args...), "")
}

func (v *validator) module() {
	m := v.m
	for i, s := range m.Signals {
		switch {
		case s == nil:
			v.misuse(m.Pos, "signal %d of module %s is nil", i, m.Name)
			return
		case v.owns[s]:
			v.misuse(s.Pos, "%s is listed twice", what(s))
		case s.Module != m:
			v.report(diag.Owner, s.Pos, fmt.Sprintf("%s is listed in module %s and belongs to %s", what(s), m.Name, moduleName(s.Module)), "")
		}
		v.owns[s] = true
	}
	v.domains()
	for i, x := range m.Mems {
		if x == nil {
			v.misuse(m.Pos, "memory %d of module %s is nil", i, m.Name)
			return
		}
		if v.mems[x] {
			v.misuse(x.Pos, "memory %s is listed twice", x.Name)
		}
		v.mems[x] = true
	}
	for _, s := range m.Signals {
		v.signal(s)
	}
	for _, x := range m.Mems {
		v.mem(x)
	}
	for _, i := range m.Instances {
		v.instance(i)
	}
	for _, s := range m.Signals {
		if s.Kind == ir.SyncRead && !v.sync[s] {
			v.misuse(s.Pos, "read data %s belongs to no synchronous read port", s.Name)
		}
		if (s.Kind == ir.InstIn || s.Kind == ir.InstOut) && !v.conns[s] {
			v.misuse(s.Pos, "%s is no connection of an instance of this module", what(s))
		}
	}
	v.stmts(m.Body)
	v.properties()
	v.blackBox()
}

func moduleName(m *ir.Module) string {
	if m == nil {
		return "no module"
	}
	return m.Name
}

// size checks a declared type and reports whether it can be worked with.
func (v *validator) size(t ir.Type, pos ir.Pos, of string) bool {
	if t.Width < 1 || t.Width > MaxWidth {
		v.report(diag.Range, pos, fmt.Sprintf("%s is %s wide", of, bitsWord(t.Width)), fmt.Sprintf("widths are 1 to %d", MaxWidth))
		return false
	}
	if t.Enum != nil {
		v.enum(t, pos, of)
	}
	return true
}

func (v *validator) enum(t ir.Type, pos ir.Pos, of string) {
	byValue, byName := map[uint64]string{}, map[string]bool{}
	for _, e := range t.Enum.Values {
		if t.Width < 64 && e.Value>>t.Width != 0 {
			v.report(diag.Literal, pos, fmt.Sprintf("%s is %s, and value %d of %s needs more", of, bitsWord(t.Width), e.Value, e.Name), "widen the signal")
		}
		if v.enums[t.Enum] {
			continue
		}
		if o, ok := byValue[e.Value]; ok {
			v.report(diag.Misuse, pos, fmt.Sprintf("enumeration %s gives value %d to both %s and %s", t.Enum.Name, e.Value, o, e.Name), "")
		}
		if byName[e.Name] {
			v.report(diag.Name, pos, fmt.Sprintf("enumeration %s has two values named %s", t.Enum.Name, e.Name), "")
		}
		byValue[e.Value], byName[e.Name] = e.Name, true
	}
	v.enums[t.Enum] = true
}

func (v *validator) signal(s *ir.Signal) {
	if s.Kind > ir.SyncRead {
		v.misuse(s.Pos, "signal %s has kind %d, which does not exist", s.Name, int(s.Kind))
		return
	}
	if !v.size(s.Type, s.Pos, what(s)) {
		return
	}
	v.domain(s.Domain, s.Pos, what(s))
	v.signalFlags(s)
	if s.Init != nil {
		if s.Kind != ir.Reg {
			v.misuse(s.Pos, "%s has a reset value; only registers have one", what(s))
		}
		if t, ok := v.typeOf(s.Init); ok && !t.Same(s.Type) {
			v.report(diag.Width, s.Pos, fmt.Sprintf("%s is %s, its reset value is %s", what(s), typeWord(s.Type), typeWord(t)), "give the reset value the type of the register")
		}
	}
	if s.Default != nil {
		if !s.Kind.Comb() {
			v.misuse(s.Pos, "%s has a default; only wires, outputs and inputs of instances have one", what(s))
		}
		if t, ok := v.typeOf(s.Default); ok {
			v.same(s.Default.Position(), what(s), s.Type, "its default "+brief(s.Default), t)
		}
	}
}

func (v *validator) mem(x *ir.Mem) {
	of := "memory " + x.Name
	if x.Module != v.m {
		v.report(diag.Owner, x.Pos, fmt.Sprintf("%s is listed in module %s and belongs to %s", of, v.m.Name, moduleName(x.Module)), "")
	}
	v.size(x.Elem, x.Pos, of)
	if x.Depth < 1 || x.Depth > MaxDepth {
		v.report(diag.Range, x.Pos, fmt.Sprintf("%s has %d elements", of, x.Depth), fmt.Sprintf("depths are 1 to %d", MaxDepth))
		return
	}
	switch x.Style {
	case "", "block", "distributed", "registers":
	default:
		v.misuse(x.Pos, "%s has style %q, which is none of block, distributed, registers", of, x.Style)
	}
	if len(x.Init) > x.Depth {
		v.report(diag.Range, x.Pos, fmt.Sprintf("%s has %s and initial contents for %d", of, count(x.Depth, "element"), len(x.Init)), "leave the rest out")
	}
	for i, c := range x.Init {
		if c == nil {
			v.misuse(x.Pos, "element %d of %s has no initial value", i, of)
		} else if t, ok := v.typeOf(c); ok {
			v.same(x.Pos, of, x.Elem, fmt.Sprintf("its initial element %d", i), t)
		}
	}
	writes := x.Writes()
	for i, r := range x.Reads {
		if r == nil {
			v.misuse(x.Pos, "read port %d of %s is nil", i, of)
			continue
		}
		v.readPort(x, r, writes)
	}
}

func (v *validator) readPort(x *ir.Mem, r *ir.SyncPort, writes []*ir.MemWrite) {
	of := "memory " + x.Name
	v.address(x, r.Addr, x.Pos)
	v.condition(r.En, x.Pos, "the read enable of "+of)
	if len(r.During) != len(writes) {
		v.misuse(x.Pos, "a read port of %s says what it gives during a write for %s, of which there are %d", of, count(len(r.During), "write port"), len(writes))
	} else if r.Data != nil {
		for i, d := range r.During {
			if d > ir.Undefined {
				v.misuse(x.Pos, "%s has an unknown read-during-write behaviour", of)
			} else if d != ir.Undefined && writes[i].Domain != r.Data.Domain {
				v.report(diag.Crossing, x.Pos, fmt.Sprintf("%s promises %s data to read port %s for a write port of another clock domain", of, d, r.Data.Name),
					"across domains only undefined can be promised", diag.Related{Pos: writes[i].Pos, Message: "the write port"})
			}
		}
	}
	switch s := r.Data; {
	case s == nil:
		v.misuse(x.Pos, "the read port of %s has no data signal", of)
	case v.sync[s]:
		v.misuse(x.Pos, "read data %s belongs to two ports", s.Name)
	case !v.owns[s] || s.Kind != ir.SyncRead || s.Mem != x:
		v.misuse(x.Pos, "data signal %s of %s is not its read data in this module", s.Name, of)
	default:
		v.sync[s] = true
		v.same(x.Pos, what(s), s.Type, of, x.Elem)
	}
}

func (v *validator) instance(i *ir.Instance) {
	v.clocks(i)
	ports := i.Of.Ports()
	for _, s := range i.Conns {
		v.conns[s] = v.conns[s] || len(i.Conns) != len(ports)
	}
	if len(i.Conns) != len(ports) {
		v.misuse(i.Pos, "instance %s connects %s, module %s has %d", i.Name, count(len(i.Conns), "port"), i.Of.Name, len(ports))
		return
	}
	for k, s := range i.Conns {
		p := ports[k]
		kind := ir.InstOut
		if p.Kind == ir.Input {
			kind = ir.InstIn
		}
		switch {
		case s == nil:
			v.misuse(i.Pos, "port %s of instance %s has no signal", p.Name, i.Name)
		case !v.owns[s]:
			v.report(diag.Owner, i.Pos, fmt.Sprintf("signal %s at port %s of instance %s is not of module %s", s.Name, p.Name, i.Name, v.m.Name), "")
		case s.Kind != kind || s.Inst != i || s.Port != p:
			v.misuse(i.Pos, "signal %s does not stand for port %s of instance %s", s.Name, p.Name, i.Name)
		case v.conns[s]:
			v.report(diag.Multiple, i.Pos, fmt.Sprintf("signal %s stands for two ports", s.Name), "")
		default:
			v.same(i.Pos, what(s), s.Type, fmt.Sprintf("port %s of module %s", p.Name, i.Of.Name), p.Type)
		}
		if s != nil {
			v.conns[s] = true
		}
	}
}
