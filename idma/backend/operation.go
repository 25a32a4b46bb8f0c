package backend

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/compute"
)

// operation is what a request asks of the units.
type operation struct {
	unit      hdl.Signal // number of the unit, 0 for none
	dstLength hdl.Signal // bytes that an operation writes which needs to be told, else 0
	outLength hdl.Signal // bytes written
	violated  hdl.Signal // there is no such operation, or it breaks a rule
	follow    func(e *engine, taken hdl.Signal)
}

// operation finds the unit of a request and asks its operation about the request.
func (e *engine) operation(req Request) operation {
	m, c := e.m, e.c
	t := compute.Transfer{Length: req.Length.Signal, Options: req.Compute[0], DstLength: hdl.Const(c.LengthWidth, 0)}
	if len(req.DstLength) > 0 {
		t.DstLength = req.DstLength[0].Signal
	}
	used := m.Let("computes", t.Options.Enable.And(t.Options.Op.Any()))
	o := operation{unit: hdl.Const(c.unitBits(), 0), outLength: t.Length, violated: hdl.Const(1, 0)}
	group := e.newGroup(t)
	known, told := hdl.Const(1, 0), hdl.Const(1, 0)
	for i, op := range c.Compute.Ops() {
		is := m.Let("is_"+op.Name(), used.And(t.Options.Op.Eq(hdl.K(op.Code()))))
		known = known.Or(is)
		if op.NeedsDstLength() {
			told = told.Or(is)
		}
		o.unit = hdl.Mux(is, hdl.K(i+1), o.unit)
		o.outLength = hdl.Mux(is, op.OutLength(t), o.outLength)
		o.violated = o.violated.Or(is.And(m.Let("breaks_"+op.Name(), op.Violated(t, c.DataWidth))))
		group.judge(is, op)
	}
	o.dstLength = t.DstLength.And(hdl.Repeat(told, c.LengthWidth))
	o.violated = m.Let("violated", o.violated.Or(used.AndNot(known)).Or(group.violated))
	o.outLength = m.Let("out_length", o.outLength)
	o.follow = group.follow
	return o
}

// group keeps the transfers of a [compute.Grouped] together: while one has begun, all
// requests that do not belong to it are refused.
type group struct {
	before   hdl.Var         // transfers of the group that were taken; without operations of that kind nothing
	options  compute.Options // of the group
	t        compute.Transfer
	violated hdl.Signal
	belongs  hdl.Signal // the request is one of a group
	last     hdl.Signal // and its last
}

func (e *engine) newGroup(t compute.Transfer) *group {
	g := &group{t: t, violated: hdl.Const(1, 0), belongs: hdl.Const(1, 0), last: hdl.Const(1, 0)}
	if e.c.grouped() == 0 {
		return g
	}
	m := e.m
	g.before = m.Reg("group_q", hdl.U(ir.AddrBits(e.c.grouped()/2)), hdl.Doc("Transfers taken of the group that has begun, else 0."))
	g.options = hdl.Regs(m, "group_opt_q", compute.OptionsType(), hdl.NoReset())
	same := hdl.Const(1, 1)
	for _, p := range [][2]hdl.Var{{t.Options.Enable, g.options.Enable}, {t.Options.Op, g.options.Op}, {t.Options.Mode, g.options.Mode}, {t.Options.M, g.options.M}, {t.Options.N, g.options.N}} {
		same = same.And(p[0].Eq(p[1]))
	}
	g.violated = m.Let("not_of_group", g.before.Any().AndNot(same))
	return g
}

// judge asks the operation, if it is one of groups, about the request.
func (g *group) judge(is hdl.Signal, op compute.Op) {
	o, ok := op.(compute.Grouped)
	if !ok {
		return
	}
	violated, last := o.Place(g.t, g.before.Signal)
	g.violated = g.violated.Or(is.And(violated))
	g.belongs = g.belongs.Or(is)
	g.last = g.last.Or(is.And(last))
}

// follow counts the transfers of groups that are taken.
func (g *group) follow(e *engine, taken hdl.Signal) {
	if e.c.grouped() == 0 {
		return
	}
	e.m.If(taken.And(g.belongs), func() {
		g.before.Set(hdl.Mux(g.last, hdl.K(0), g.before.Add(hdl.K(1))))
		hdl.Assign(g.options, g.t.Options)
	})
}
