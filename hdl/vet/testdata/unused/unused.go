package unused

import "github.com/millrace-hdl/millrace/hdl"

type pair struct{ A, B hdl.Var }

func build(m *hdl.Module, x hdl.Var) hdl.Var {
	m.Reg("dropped_q", hdl.U(8))                                      // want `what Reg declares is dropped; keep it in a variable and use it, remove it, or declare it with hdl.MayBeUnused\(\)`
	m.In("forgotten", hdl.U(8))                                       // want `what In declares is dropped; keep it, and return it in the module's interface`
	hdl.Ports(m, "p", hdl.Source, pair{x, x})                         // want `what Ports declares is dropped; keep it, and return it`
	_ = m.Wire("blank", hdl.U(8))                                     // want `what Wire declares is dropped`
	_ = m.Let("sum", x.Add(x))                                        // want `what Let declares is dropped`
	m.Mem("table", hdl.U(8), 4).SyncRead("read_q", x, x, hdl.OldData) // want `what SyncRead declares is dropped`

	written := m.Reg("written_q", hdl.U(8)) // want `written is declared by Reg and never read; read it, remove it, or declare it with hdl.MayBeUnused\(\)`
	written.Set(x)
	parts := m.Wire("parts", hdl.U(8)) // want `parts is declared by Wire and never read`
	m.If(x.Any(), func() { parts.Part(0, 4).Set(x.Bits(3, 0)) })
	named := m.Let("named", x.Not()) // want `named is declared by Let and never read`
	_ = named
	both := hdl.Regs(m, "both", pair{x, x}) // want `both is declared by Regs and never read`
	both.A.Set(x)
	(both.B).Set(x)
	list := hdl.Wires(m, "list", [2]pair{}) // want `list is declared by Wires and never read`
	list[0].A.Set(x)

	lanes := hdl.RegArray(m, "lanes_q", 4, hdl.U(8)) // want `lanes is declared by RegArray and never read`
	lanes.At(x.Trunc(2)).Set(x)
	lanes.Elem(0).Set(x)
	table := hdl.RegArray(m, "table_q", 4, hdl.U(8))
	table.Elem(0).Set(table.At(x.Trunc(2)))
	m.Let("seen_in_waves", x.Not(), hdl.MayBeUnused())
	watched := m.Reg("watched_q", hdl.U(8), hdl.MayBeUnused())
	watched.Set(x)
	out := m.Out("out", hdl.U(8))
	out.Set(x)
	count := m.Reg("count_q", hdl.U(8))
	count.Set(count.Add(hdl.K(1)))
	some := hdl.Regs(m, "some", pair{x, x})
	some.A.Set(some.B)
	index := [2]hdl.Var{}
	index[0] = m.Wire("kept", hdl.U(8))
	passed := m.Wire("passed", hdl.U(8))
	helper(passed)
	hdl.Inst(m, "child", child, struct{}{})
	m.Mem("idle", hdl.U(8), 4)
	return index[0]
}

func helper(v hdl.Var) { v.Set(hdl.K(0)) }

func child(m *hdl.Module, _ struct{}) pair { return pair{} }
