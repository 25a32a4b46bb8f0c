package backend

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/idma/compute"
)

// The seat of the operations (specification §2.7) lies in front of the row buffer. What reads
// bring is first put together to bus words that begin with the first byte of their
// transfer; these go to the unit of the transfer's operation, or past all units; and the
// row buffer aligns to the destination what the units give, in the order of the transfers.
// Units work on different transfers at a time. A transfer does not wait for those before it
// to be done unless what it gives overtook theirs.

// use is what becomes of the bytes of a request.
type use struct {
	Unit      hdl.Var // number of the unit that they pass, 0 for none
	OutLength hdl.Var // bytes written
	Reads     hdl.Var // it is not refused and reads bytes
	Empty     hdl.Var // it is not refused and writes none
}

// comes is a transfer whose bytes are to come.
type comes struct {
	Length hdl.Var
	Unit   hdl.Var
	Opt    compute.Options
}

// gives is a transfer of which a unit will give bytes.
type gives struct {
	Unit   hdl.Var
	Offset []hdl.Var `hdl:"opt"` // with one rotation: byte lane of the first byte at the destination
}

// seat is the operations under construction.
type seat struct {
	c       Config
	comesIn hdl.Stream[comes]
	comes   hdl.Stream[comes]
	givesIn hdl.Stream[gives]
	gives   hdl.Stream[gives]
	align   rowsIO
	waits   hdl.Signal // a transfer has given not all of its bytes
}

func (c Config) unitBits() int { return ir.AddrBits(len(c.Compute.Ops()) + 1) }

// grouped is how many transfers may be inside units while none is written: those of a
// group, and of the one behind it.
func (c Config) grouped() int {
	most := 0
	for _, o := range c.Compute.Ops() {
		if g, ok := o.(compute.Grouped); ok {
			most = max(most, 2*g.Most(c.DataWidth))
		}
	}
	return most
}

// alignRows is the buffer in front of the units. Where reads reserve room it is here.
func (c Config) alignRows() rowsParams {
	depth := 3
	if c.ReserveBuffer && c.StoreDepth == 0 {
		depth = c.rows().Depth
	}
	return rowsParams{DataWidth: c.DataWidth, Depth: depth}
}

func newSeat(e *engine) *seat {
	m, c := e.m, e.c
	s := &seat{c: c}
	unit := hdl.U(c.unitBits())
	s.comesIn = hdl.Wires(m, "comes", hdl.StreamOf(comes{hdl.U(c.LengthWidth), unit, compute.OptionsType()}))
	s.givesIn = hdl.Wires(m, "gives", hdl.StreamOf(gives{unit, optional(c.CombinedShifter, hdl.U(c.offsetBits()))}))
	s.comes, _ = lib.Queue(m, "u_comes", lib.FIFOParams{Depth: c.Outstanding + 4, Block: true}, s.comesIn)
	s.gives, s.waits = lib.Queue(m, "u_gives", lib.FIFOParams{Depth: c.Outstanding + 4 + c.grouped(), Block: true}, s.givesIn)
	s.align = hdl.Inst(m, "u_align", rowBuffer, c.alignRows())
	return s
}

// notes is what the seat has to know of a request that is taken.
type notes struct {
	s             *seat
	reads, writes hdl.Signal
}

// note prepares what the seat has to know of a request.
func (s *seat) note(e *engine, j judged) *notes {
	u := j.Use[0]
	hdl.Assign(s.comesIn.Data, comes{j.Request.Length, u.Unit, j.Request.Compute[0]})
	g := gives{Unit: u.Unit}
	if s.c.CombinedShifter {
		g.Offset = []hdl.Var{hdl.V(e.dstOffset(j.Request, j.To.Signal))}
	}
	hdl.Assign(s.givesIn.Data, g)
	return &notes{s, u.Reads.Signal, j.Refused.Not().AndNot(u.Empty.Signal)}
}

// room is ready where the notes can be taken too.
func (n *notes) room(ready hdl.Signal) hdl.Signal {
	if n == nil {
		return ready
	}
	return ready.And(n.s.comesIn.Ready).And(n.s.givesIn.Ready)
}

// take keeps the notes of a request that goes if there is room for them.
func (n *notes) take(goes hdl.Signal) {
	if n == nil {
		return
	}
	n.s.comesIn.Valid.Set(goes.And(n.reads).And(n.s.givesIn.Ready))
	n.s.givesIn.Valid.Set(goes.And(n.writes).And(n.s.comesIn.Ready))
}

// used is the rows that reads have to reckon with.
func (s *seat) used(rows hdl.Var) hdl.Signal {
	if s == nil {
		return rows.Signal
	}
	return s.align.Used.Signal
}

// holds is whether the buffer, or a unit, holds data.
func (s *seat) holds(rows hdl.Signal) hdl.Signal {
	if s == nil {
		return rows
	}
	return rows.Or(s.align.Used.Any()).Or(s.waits)
}

// pass brings what was read through the units.
func (s *seat) pass(e *engine, beats hdl.Stream[readBeat]) hdl.Stream[readBeat] {
	if s == nil {
		return beats
	}
	m := e.m
	hdl.Connect(s.align.In, beats)
	words := s.words(m)
	t := s.comes.Data
	outs := []hdl.Stream[compute.Word]{{Valid: hdl.V(words.Valid.And(t.Unit.None())), Ready: m.Wire("past_ready", hdl.Bool()), Data: words.Data}}
	ready := []hdl.Signal{outs[0].Ready.Signal}
	for i, o := range s.c.Compute.Ops() {
		u := hdl.Inst(m, "u_"+o.Name(), compute.Compute, compute.Params{Op: o, DataWidth: s.c.DataWidth})
		u.In.Valid.Set(words.Valid.And(t.Unit.Eq(hdl.K(i + 1))))
		hdl.Assign(u.In.Data, words.Data)
		hdl.Assign(u.Options, t.Opt)
		ready, outs = append(ready, u.In.Ready.Signal), append(outs, u.Out)
	}
	words.Ready.Set(hdl.Select(t.Unit, ready...))
	return s.inOrder(m, outs)
}

// words is the bus words of transfers as they come.
func (s *seat) words(m *hdl.Module) hdl.Stream[compute.Word] {
	c, t, row := s.c, s.comes, s.align.Out
	words := hdl.Wires(m, "word", hdl.StreamOf(compute.WordType(c.DataWidth)))
	begun := m.Reg("begun_q", hdl.Bool(), hdl.Doc("Words of the transfer have gone to the units."))
	rest := m.Reg("rest_q", hdl.U(c.LengthWidth), hdl.NoReset(), hdl.Doc("Bytes of it that are still to go."))
	left := m.Let("bytes_left", hdl.Mux(begun, rest, t.Data.Length))
	last := m.Let("ends_transfer", left.Le(hdl.K(c.lanes())))
	words.Valid.Set(row.Ready.And(t.Valid))
	bits := words.Data.Bytes.Width()
	hdl.Assign(words.Data, compute.Word{
		Data: row.Data, Bytes: hdl.V(hdl.Mux(last, left.Trunc(bits), hdl.K(c.lanes()))), Last: hdl.V(last), Cause: row.Cause[0],
	})
	goes := m.Let("to_unit", words.Fire())
	row.Take.Set(goes)
	t.Ready.Set(goes.And(last))
	m.If(goes, func() {
		begun.Set(last.Not())
		rest.Set(left.Sub(hdl.K(c.lanes())))
	})
	return words
}

// inOrder is what units give, and what went past them, in the order of the transfers,
// for the row buffer.
func (s *seat) inOrder(m *hdl.Module, outs []hdl.Stream[compute.Word]) hdl.Stream[readBeat] {
	c, turn := s.c, s.gives
	beats := hdl.Wires(m, "made", hdl.StreamOf(readBeatType(c.rows())))
	var valid []hdl.Signal
	var data []compute.Word
	for i, o := range outs {
		o.Ready.Set(beats.Ready.And(turn.Valid).And(turn.Data.Unit.Eq(hdl.K(i))))
		valid, data = append(valid, o.Valid.Signal), append(data, o.Data)
	}
	w := hdl.SelectOf(turn.Data.Unit, data...)
	beats.Valid.Set(turn.Valid.And(hdl.Select(turn.Data.Unit, valid...)))
	turn.Ready.Set(beats.Fire().And(w.Last))
	b := readBeat{Data: w.Data, Rotate: hdl.V(hdl.Const(c.offsetBits(), 0)), Skip: always(false), Wraps: always(false), Last: w.Last, Cause: w.Cause}
	if c.CombinedShifter {
		b.Rotate = turn.Data.Offset[0]
		bits := w.Bytes.Width() + 1
		b.Wraps = hdl.V(w.Bytes.Ext(bits).Add(b.Rotate.Ext(bits)).Gt(hdl.K(c.lanes())))
	}
	hdl.Assign(beats.Data, b)
	return beats
}
