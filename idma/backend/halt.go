package backend

import "github.com/millrace-hdl/millrace/hdl"

// halt is how the error handler stops a write manager. Whatever is offered to a bus
// stays offered, unchanged, until it is taken.
type halt struct {
	Stop hdl.Var   // offer nothing new, but addresses whose data have begun
	Drop hdl.Var   // with Stop: end bursts that have begun with strobes off, give up all others
	Ends []hdl.Var `hdl:"opt"` // for streams, with Drop: the packet that has begun is not taken up again
}

func haltType(p Protocol) halt {
	return halt{Stop: hdl.Bool(), Drop: hdl.Bool(), Ends: optional(p == AXIStream, hdl.Bool())}
}

// nextWord is the bus word that a write manager sends next.
type nextWord struct {
	Wanted hdl.Var // there is one
	Index  hdl.Var // its number in the transfer
}

func nextWordType(c Config) nextWord { return nextWord{hdl.Bool(), hdl.U(c.indexBits())} }

// halted is what a write manager does while it is halted. Without error handling it
// is zero and changes nothing.
type halted struct {
	on    bool
	halt  halt
	waits hdl.Signal // the data offered were not taken in the last cycle
	begun hdl.Signal // the bus has seen some of the legalizer's burst, so all of it must go
	blank hdl.Signal // data are sent without strobes
	moved hdl.Signal // data are those of the sending register
}

// haltBursts is for a bus whose addresses and data go apart. Begun is whether some of
// the burst at the legalizer has gone, moved whether data are sent for the sending
// register instead.
func haltBursts(m *hdl.Module, c Config, io writeSide, aw, w handshake, begun, moved hdl.Signal) halted {
	if !c.ErrorHandling {
		return halted{}
	}
	h := haltWords(m, c, io, w)
	awWaits := m.RegNext("address_waits_q", aw.valid.AndNot(aw.ready.Signal))
	h.begun = m.Let("partly_shown", begun.Or(awWaits).Or(h.waits.AndNot(moved)), hdl.Doc("The bus has seen some of the legalizer's burst."))
	wasBlank := m.Reg("blank_q", hdl.Bool())
	h.blank = m.Let("blank", hdl.Mux(h.waits, wasBlank, h.halt.Drop), hdl.Doc("Data are sent without strobes."))
	wasBlank.Set(h.blank)
	h.moved = moved
	return h
}

// haltWords is for a bus whose words take their address with them: nothing of a burst
// has gone before all of it has.
func haltWords(m *hdl.Module, c Config, io writeSide, out handshake) halted {
	if !c.ErrorHandling {
		return halted{}
	}
	waits := m.RegNext("data_waits_q", out.valid.AndNot(out.ready.Signal))
	no := hdl.Const(1, 0)
	return halted{on: true, halt: io.Halt[0], waits: waits, begun: waits, blank: no, moved: no}
}

// data is whether the active burst has data to send, from a complete row or blank.
func (h halted) data(active, row hdl.Signal) hdl.Signal {
	if !h.on {
		return active.And(row)
	}
	return active.And(hdl.Mux(h.blank, h.moved.Or(h.begun), row.And(h.waits.Or(h.halt.Stop.Not()))))
}

// take is whether data that went were those of a row.
func (h halted) take(taken hdl.Signal) hdl.Signal {
	if !h.on {
		return taken
	}
	return taken.AndNot(h.blank)
}

// address is whether an address is offered that is due, and released if it is.
func (h halted) address(due, released hdl.Signal) hdl.Signal {
	if !h.on {
		return due.And(released)
	}
	return due.And(h.begun.Or(released.AndNot(h.halt.Stop.Signal)))
}

// word is the data and the strobes as they are sent.
func (h halted) word(data, strb hdl.Var) (hdl.Var, hdl.Var) {
	if !h.on {
		return data, strb
	}
	return hdl.V(data.AndNot(hdl.Repeat(h.blank, data.Width()))), hdl.V(strb.AndNot(hdl.Repeat(h.blank, strb.Width())))
}

// giveUp takes back the burst that the legalizer offers, and the one that would come
// after it.
func (h halted) giveUp(drop []hdl.Var, leaves hdl.Signal) {
	if h.on {
		drop[0].Set(h.halt.Drop.And(h.begun.Not().Or(leaves)))
	}
}

// noted is whether a finished or skipped burst is noted. What can be given up may not
// be offered before there is room.
func (h halted) noted(io writeSide, active, skip, finished hdl.Signal) hdl.Signal {
	if h.on {
		skip = skip.And(io.Done.Ready)
	}
	return active.And(skip.Or(finished))
}

// next shows which bus word is sent next. Taken is that one goes, final that it is the
// last of its transfer.
func (h halted) next(m *hdl.Module, io writeSide, wanted, taken, final hdl.Signal) {
	if !h.on {
		return
	}
	index := m.Reg("index_q", io.Next[0].Index, hdl.Doc("Bus words sent of the transfer."))
	m.If(h.halt.Drop, func() { index.Set(hdl.K(0)) }).
		ElseIf(taken, func() { index.Set(hdl.Mux(final, hdl.K(0), index.Add(hdl.K(1)))) })
	hdl.Assign(io.Next[0], nextWord{Wanted: hdl.V(wanted), Index: index})
}
