package regs

import (
	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
)

// AXILiteIO is the interface of [FromAXILite].
type AXILiteIO struct {
	S    bus.AXILite `hdl:"in"`
	Regs Bus
}

// FromAXILite is an AXI4-Lite subordinate in front of a register file. The access
// happens in the cycle in which its address, and for writes its data, are first
// offered; the next cycle accepts them, and the one after answers. So each channel
// accepts at most every second cycle, and no output depends on an input within a
// cycle (IHI 0022, A3.2.1). Reads and writes at once take turns, and a read that is
// held up does not hold up a write. An address without a register is answered with
// SLVERR.
func FromAXILite(m *hdl.Module, p BusParams) AXILiteIO {
	m.Doc("AXI4-Lite subordinate in front of a register file.")
	io := hdl.Ports(m, "", hdl.Source, AXILiteIO{
		S: bus.NewAXILite(bus.AXILiteParams{DataWidth: p.DataWidth, AddrWidth: p.AddrWidth}), Regs: NewBus(p),
	}, hdl.MayBeUnused())
	s := io.S

	readDone := m.Reg("read_done_q", hdl.Bool(), hdl.Doc("The read was carried out in the cycle before."))
	writeDone := m.Reg("write_done_q", hdl.Bool(), hdl.Doc("The write was carried out in the cycle before."))
	rValid, bValid := m.Reg("rvalid_q", hdl.Bool()), m.Reg("bvalid_q", hdl.Bool())
	rData := m.Reg("rdata_q", hdl.U(p.DataWidth), hdl.NoReset())
	rErr, bErr := m.Reg("rerr_q", hdl.Bool(), hdl.NoReset()), m.Reg("berr_q", hdl.Bool(), hdl.NoReset())

	m.Note("An access needs the place of its answer, which it has until that was taken.")
	reads := m.Let("reads", s.AR.Valid.AndNot(readDone).And(rValid.Not().Or(s.R.Ready)))
	writes := m.Let("writes", s.AW.Valid.And(s.W.Valid).AndNot(writeDone).And(bValid.Not().Or(s.B.Ready)))
	turn := m.Reg("write_turn_q", hdl.Bool(), hdl.Doc("Whose turn it is where both are offered."))
	m.If(reads.And(writes), func() { turn.Set(turn.Not()) })
	isWrite := m.Let("is_write", writes.And(turn.Or(reads.Not())))

	io.Regs.Valid.Set(reads.Or(writes))
	io.Regs.Write.Set(isWrite)
	io.Regs.Addr.Set(hdl.Mux(isWrite, s.AW.Data.Addr, s.AR.Data.Addr))
	io.Regs.WData.Set(s.W.Data.Data)
	io.Regs.Strb.Set(s.W.Data.Strb)
	done := m.Let("done", io.Regs.Ready.And(reads.Or(writes)))
	readDone.Set(done.AndNot(isWrite))
	writeDone.Set(done.And(isWrite))

	m.If(s.R.Ready, func() { rValid.Set(hdl.K(0)) })
	m.If(readDone, func() { rValid.Set(hdl.K(1)) })
	m.If(s.B.Ready, func() { bValid.Set(hdl.K(0)) })
	m.If(writeDone, func() { bValid.Set(hdl.K(1)) })
	m.If(done, func() {
		m.If(isWrite, func() { bErr.Set(io.Regs.Err) }).Else(func() {
			rData.Set(io.Regs.RData)
			rErr.Set(io.Regs.Err)
		})
	})

	resp := func(err hdl.Var) hdl.Signal { return hdl.Cat(err, hdl.Const(1, 0)) } // SLVERR is 2
	s.AR.Ready.Set(readDone)
	s.AW.Ready.Set(writeDone)
	s.W.Ready.Set(writeDone)
	s.R.Valid.Set(rValid)
	s.R.Data.Data.Set(rData)
	s.R.Data.Resp.Set(resp(rErr))
	s.B.Valid.Set(bValid)
	s.B.Data.Resp.Set(resp(bErr))
	hdl.Obey(m, "s_ar", hdl.Sink, s.AR)
	hdl.Obey(m, "s_aw", hdl.Sink, s.AW)
	hdl.Obey(m, "s_w", hdl.Sink, s.W)
	hdl.Obey(m, "s_r", hdl.Source, s.R)
	hdl.Obey(m, "s_b", hdl.Source, s.B)
	m.Cover("both_offered", reads.And(writes))
	return io
}
