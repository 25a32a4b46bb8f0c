package gen

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// checker is the module that holds the properties of another one: its inputs are the
// signals that they read, with the clocks and resets.
type checker struct {
	of     *unit
	unit   *unit
	taps   []tap
	claims []claim
}

// tap is what an input is connected to, in the module that has the properties.
type tap struct {
	port   *ir.Signal
	signal *ir.Signal
	mem    *ir.Mem // all elements, the first one lowest
}

// claim is a property with the wire of its condition.
type claim struct {
	*ir.Property
	cond *ir.Signal
}

// widestTap is the largest memory, in bits, that properties may read.
const widestTap = 1 << 14

// checkerOf makes the checker of a module, or nil if it has no properties. What the
// RTL has folded away is computed once more.
func checkerOf(u *unit) (*checker, error) {
	if len(u.m.Properties) == 0 {
		return nil, nil
	}
	c := &checkerMaker{
		checker: &checker{of: u}, m: &ir.Module{Name: u.m.Name + "_props", Pos: u.m.Pos},
		own: map[*ir.Signal]*ir.Signal{}, mems: map[*ir.Mem]*ir.Signal{}, memo: map[ir.Expr]ir.Expr{}, names: newNames(),
	}
	c.m.Doc = "The properties of " + u.m.Name + "."
	for _, p := range u.m.Properties {
		c.names.take(p.Name) // the label of what checks it
	}
	c.collect()
	if err := c.build(); err != nil {
		return nil, fmt.Errorf("module %s: %w", u.m.Name, err)
	}
	ports := c.ports()
	unit, err := newUnitWith(c.m, u.o, newPaths(), ports)
	if err != nil {
		return nil, fmt.Errorf("properties of module %s: %w", u.m.Name, err)
	}
	for _, p := range c.claims {
		if err := unit.claim(p.Name, "property"); err != nil {
			return nil, fmt.Errorf("module %s: %w", u.m.Name, err)
		}
		unit.watched = append(unit.watched, ref(p.cond))
	}
	for i := range unit.clocks {
		unit.clocks[i].used = true
	}
	unit.prettify()
	unit.legalise()
	c.unit = unit
	return c.checker, nil
}

type checkerMaker struct {
	*checker
	m     *ir.Module
	own   map[*ir.Signal]*ir.Signal // computed in the checker
	mems  map[*ir.Mem]*ir.Signal
	memo  map[ir.Expr]ir.Expr
	names *names
	err   error
}

// visible reports whether a signal is in the RTL under its name.
func (c *checkerMaker) visible(s *ir.Signal) bool {
	return !s.Ghost && !c.of.gone[s] && c.of.direct[s] == nil
}

// collect finds the signals that the checker computes: ghosts, and what they read
// that is not in the RTL.
func (c *checkerMaker) collect() {
	want := map[*ir.Signal]bool{}
	for _, s := range c.of.m.Signals {
		want[s] = s.Ghost
	}
	for more := true; more; {
		more = false
		need := func(e ir.Expr) {
			for _, s := range readBy(e) {
				if !want[s] && !c.visible(s) && s.Kind != ir.InstOut {
					want[s], more = true, true
				}
			}
		}
		for _, s := range c.of.m.Signals {
			if want[s] && s.Default != nil {
				need(s.Default)
			}
		}
		eachAssign(c.of.m.Body, nil, func(a *ir.Assign, conds []ir.Expr) {
			if want[a.Target] {
				for _, e := range append(ir.Exprs(a), conds...) {
					need(e)
				}
			}
		})
	}
	for _, s := range c.of.m.Signals {
		if want[s] {
			n := &ir.Signal{Kind: ir.Wire, Type: s.Type, Init: s.Init, Domain: s.Domain, Note: s.Note, Pos: s.Pos, Module: c.m}
			if s.Kind == ir.Reg {
				n.Kind = ir.Reg
			}
			c.own[s] = n
		}
	}
}

// readBy lists the signals that e reads.
func readBy(e ir.Expr) []*ir.Signal {
	var list []*ir.Signal
	seen := map[ir.Expr]bool{}
	ir.WalkExpr(e, func(e ir.Expr) bool {
		if seen[e] {
			return false
		}
		seen[e] = true
		if r, ok := e.(*ir.Ref); ok {
			list = append(list, r.Signal)
		}
		return true
	})
	return list
}

// build makes the contents of the checker.
func (c *checkerMaker) build() error {
	conds := map[*ir.Signal]string{}
	for _, p := range c.of.m.Properties {
		suffix := "_holds"
		if p.Kind == ir.Cover {
			suffix = "_seen"
		}
		conds[p.Cond] = p.Name + suffix
	}
	var later []func() // names of the RTL come first
	for _, s := range c.of.m.Signals {
		n := c.own[s]
		if n == nil {
			continue
		}
		later = append(later, func() {
			name := s.Name
			if as, ok := conds[s]; ok {
				name = as
			}
			n.Name = c.names.derive(name)
		})
		if s.Default != nil && s.Kind.Comb() {
			n.Default = c.expr(s.Default)
		}
	}
	c.m.Body = c.stmts(c.of.m.Body)
	for _, f := range later {
		f()
	}
	for _, s := range c.of.m.Signals {
		if n := c.own[s]; n != nil {
			c.m.Signals = append(c.m.Signals, n)
		}
	}
	for _, p := range c.of.m.Properties {
		c.claims = append(c.claims, claim{p, c.own[p.Cond]})
	}
	return c.err
}

// ports are the clocks and resets that the properties and their registers need.
func (c *checkerMaker) ports() []domainPort {
	used := map[*ir.Domain]bool{}
	for _, p := range c.claims {
		used[p.Domain] = true
	}
	for _, s := range c.m.Signals {
		if s.Kind == ir.Reg {
			used[s.Domain] = true
		}
	}
	var list []domainPort
	for _, d := range append([]*ir.Domain{nil}, c.of.m.Domains...) {
		if used[d] {
			list = append(list, domainPort{d, false})
			if d == nil || d.Reset != "" {
				list = append(list, domainPort{d, true})
			}
		}
	}
	return list
}

// input is the port that brings in a signal of the RTL.
func (c *checkerMaker) input(s *ir.Signal) *ir.Signal {
	if s.Kind == ir.InstOut && c.of.gone[s] { // connected to an output of the module
		for _, in := range c.of.insts {
			for _, n := range in.conns {
				if r, ok := n.value.(*ir.Ref); ok && in.of == s.Inst && n.port == s.Port {
					s = r.Signal
				}
			}
		}
	}
	for _, t := range c.taps {
		if t.signal == s {
			return t.port
		}
	}
	p := c.tap(s.Name, s.Type, s.Pos)
	c.taps = append(c.taps, tap{port: p, signal: s})
	return p
}

func (c *checkerMaker) tap(name string, t ir.Type, pos ir.Pos) *ir.Signal {
	p := &ir.Signal{Name: c.names.derive(name), Kind: ir.Input, Type: t, Pos: pos, Module: c.m}
	c.m.Signals = append(c.m.Signals, p)
	return p
}

// contents is the port that brings in a memory.
func (c *checkerMaker) contents(m *ir.Mem, pos ir.Pos) *ir.Signal {
	if p := c.mems[m]; p != nil {
		return p
	}
	width := m.Elem.Width * m.Depth
	if width > widestTap && c.err == nil {
		c.err = fmt.Errorf("%s: a property reads memory %s, which has %d bits; at most %d can be read, so read the element into a wire of the design",
			pos, m.Name, width, widestTap)
	}
	p := c.tap(m.Name, ir.Type{Width: min(width, widestTap)}, m.Pos)
	c.mems[m] = p
	c.taps = append(c.taps, tap{port: p, mem: m})
	return p
}

func (c *checkerMaker) expr(e ir.Expr) ir.Expr {
	if r, ok := c.memo[e]; ok {
		return r
	}
	var r ir.Expr
	switch x := e.(type) {
	case *ir.Ref:
		s := c.own[x.Signal]
		if s == nil {
			s = c.input(x.Signal)
		}
		r = &ir.Ref{Signal: s, Pos: x.Pos}
	case *ir.MemRead:
		sel := &ir.Select{X: ref(c.contents(x.Mem, x.Pos)), Index: c.expr(x.Addr), Stride: x.Mem.Elem.Width, Width: x.Mem.Elem.Width, Pos: x.Pos}
		r = cast(sel, x.Mem.Elem.Signed, x.Pos)
	default:
		r = ir.MapOperands(e, c.expr)
	}
	c.memo[e] = r
	return r
}

// stmts copies what assigns signals of the checker.
func (c *checkerMaker) stmts(list []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Note:
			out = append(out, s)
			continue
		case *ir.Assign:
			if t := c.own[s.Target]; t != nil {
				a := *s
				a.Target, a.Value = t, c.expr(s.Value)
				if s.Index != nil {
					a.Index = c.expr(s.Index)
				}
				out = append(out, &a)
				continue
			}
		case *ir.If:
			if r := c.branch(s); r != nil {
				out = append(out, r)
				continue
			}
		case *ir.Switch:
			if r := c.choice(s); r != nil {
				out = append(out, r)
				continue
			}
		}
		out = dropNote(out)
	}
	return dropNote(out)
}

func (c *checkerMaker) branch(s *ir.If) ir.Stmt {
	r := &ir.If{Else: c.stmts(s.Else), Pos: s.Pos}
	for _, a := range s.Arms {
		r.Arms = append(r.Arms, ir.Arm{Body: c.stmts(a.Body), Pos: a.Pos})
	}
	if !holdsStmts(r) {
		return nil
	}
	for i, a := range s.Arms {
		r.Arms[i].Cond = c.expr(a.Cond)
	}
	return r
}

func (c *checkerMaker) choice(s *ir.Switch) ir.Stmt {
	r := &ir.Switch{Default: c.stmts(s.Default), HasDefault: s.HasDefault, Pos: s.Pos}
	for _, k := range s.Cases {
		r.Cases = append(r.Cases, ir.Case{Values: k.Values, Body: c.stmts(k.Body), Pos: k.Pos})
	}
	if !holdsStmts(r) {
		return nil
	}
	r.Subject = c.expr(s.Subject)
	return r
}
