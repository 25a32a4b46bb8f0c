package backend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// rowsParams select a [rowBuffer].
type rowsParams struct {
	DataWidth, Depth int
	Realign          bool // rows are transfer-aligned, and rotated again on the way out
	IndexBits        int  // with error handling: width of the number of a bus word in its transfer; else 0
	Counted          bool // shows how many rows are complete
}

func (p rowsParams) Suffix() string {
	s := fmt.Sprintf("%dx%d", p.Depth, p.DataWidth)
	if p.Realign {
		s += "_realign"
	}
	if p.IndexBits > 0 {
		s += fmt.Sprintf("_index%d", p.IndexBits)
	}
	if p.Counted {
		s += "_counted"
	}
	return s
}

// countBits is the width of a number of rows.
func (p rowsParams) countBits() int { return ir.AddrBits(p.Depth + 1) }

// readBeat is one bus word on its way into the buffer.
type readBeat struct {
	Data   hdl.Var
	Rotate hdl.Var // lanes to rotate up; what goes over the top enters the next row
	Skip   hdl.Var // the bytes that stay below the top hold nothing of the transfer
	Wraps  hdl.Var // bytes of the transfer go over the top
	Last   hdl.Var // last of its transfer
	// AXI response code of a bus error, or 0: in the transfer so far; with error
	// handling, of this beat alone
	Cause hdl.Var
	Burst []hdl.Var `hdl:"opt"` // with error handling: with which bus word of the transfer the beat's burst begins
}

// takenRow is what the write side sees of the buffer, and how it takes a bus word.
type takenRow struct {
	Ready hdl.Var // a bus word is complete
	Data  hdl.Var
	Cause []hdl.Var `hdl:"opt"` // as of the row's last byte; with error handling, of the first beat with an error that begins in the bus word
	Burst []hdl.Var `hdl:"opt"` // and where that beat's burst begins
	Take  hdl.Var   `hdl:"in"`

	Complete []hdl.Var `hdl:"opt"` // if counted: rows that are complete
}

// realign tells, with two rotations, which lanes the next bus word has.
type realign struct {
	Rotate hdl.Var `hdl:"in"` // lanes to rotate up: the destination's offset
	First  hdl.Var `hdl:"in"` // first bus word of its transfer
	Last   hdl.Var `hdl:"in"` // last bus word of its transfer
	Short  hdl.Var `hdl:"in"` // the last bus word ends below Rotate
}

func realignType(off int) realign {
	return realign{Rotate: hdl.U(off), First: hdl.Bool(), Last: hdl.Bool(), Short: hdl.Bool()}
}

type rowsIO struct {
	In      hdl.Stream[readBeat] `hdl:"in"`
	Out     takenRow
	Realign []realign `hdl:"opt"` // with two rotations
	Used    hdl.Var   // rows that hold or await data
	Clear   []hdl.Var `hdl:"in,opt"` // with error handling: forget everything
}

func readBeatType(c rowsParams) readBeat {
	off := (Config{DataWidth: c.DataWidth}).offsetBits()
	return readBeat{Data: hdl.U(c.DataWidth), Rotate: hdl.U(off), Skip: hdl.Bool(), Wraps: hdl.Bool(), Last: hdl.Bool(), Cause: hdl.U(2),
		Burst: optional(c.IndexBits > 0, hdl.U(c.IndexBits))}
}

// rowBuffer is the dataflow element (specification §2.4): a ring of bus words,
// "rows". A read beat is rotated; the part that stays below the top completes the
// newest row, the part that goes over the top opens the next one. A row leaves as
// soon as its transfer has nothing more to add to it, at the earliest in the cycle
// after its last byte came. Transfers never share a row, so bytes outside the
// transfer may be written anywhere in its rows: only the write strobes count.
func rowBuffer(m *hdl.Module, p rowsParams) rowsIO {
	m.Doc("Byte-aligning buffer between the read and the write manager.")
	off := (Config{DataWidth: p.DataWidth}).offsetBits()
	count := p.countBits()
	t := rowsIO{
		In: hdl.StreamOf(readBeatType(p)),
		Out: takenRow{Ready: hdl.Bool(), Data: hdl.U(p.DataWidth), Cause: []hdl.Var{hdl.U(2)},
			Burst: optional(p.IndexBits > 0, hdl.U(p.IndexBits)), Complete: optional(p.Counted, hdl.U(count)), Take: hdl.Bool()},
		Used: hdl.U(count), Realign: optional(p.Realign, realignType(off)), Clear: optional(p.IndexBits > 0, hdl.Bool()),
	}
	io := hdl.Ports(m, "", hdl.Source, t)
	in := io.In.Data

	head := m.Reg("head_q", hdl.U(p.Depth), hdl.Init(1), hdl.Doc("Next free row, one-hot."))
	used := m.Reg("used_q", hdl.U(count), hdl.Doc("Rows that hold or await data."))
	done := m.Reg("complete_q", hdl.U(count), hdl.Doc("Rows that are complete."))
	open := m.Reg("open_q", hdl.Bool(), hdl.Doc("The newest row awaits more bytes."))
	io.Used.Set(used)
	if p.Counted {
		io.Out.Complete[0].Set(done)
	}

	m.Note("A beat opens one row, or two if it starts a transfer and goes over the top.")
	turned := m.Let("turned", in.Rotate.Any())
	two := m.Let("two_rows", turned.AndNot(open.Signal).AndNot(in.Skip.Signal))
	io.In.Ready.Set(hdl.Mux(two, used.Le(hdl.K(p.Depth-2)), used.Ne(hdl.K(p.Depth))))
	push := m.Let("push", io.In.Fire())

	low := m.Let("low_row", hdl.Mux(open, rotateDown(head.Signal), head), hdl.Doc("Row of the bytes that stay below the top."))
	high := m.Let("high_row", hdl.Mux(open.Or(in.Skip), head, rotateUp(head.Signal, 1)), hdl.Doc("Row of the bytes that go over it."))
	writeLow := m.Let("write_low", push.AndNot(in.Skip.Signal))
	writeHigh := m.Let("write_high", push.And(in.Wraps))
	opened := m.Let("opened", hdl.Cat(writeLow.AndNot(open.Signal).And(writeHigh), writeLow.AndNot(open.Signal).Xor(writeHigh)),
		hdl.Doc("How many rows this beat opens."))
	finished := m.Let("finished", hdl.Cat(writeLow.And(writeHigh).And(in.Last), writeLow.Xor(writeHigh.And(in.Last))),
		hdl.Doc("How many rows this beat completes."))
	m.If(push, func() {
		open.Set(in.Wraps.AndNot(in.Last.Signal))
		head.Set(hdl.Select(opened, head.Signal, rotateUp(head.Signal, 1), rotateUp(head.Signal, 2)))
	})

	taken := outlet(m, p, io, done.Signal)
	used.Set(used.Add(opened.Resize(count)).Sub(taken.count.Resize(count)))
	done.Set(done.Add(finished.Resize(count)).Sub(taken.count.Resize(count)))

	data := lib.RotateBytes(m, "data", in.Data.Signal, in.Rotate.Signal)
	below := m.Let("below", lib.FromLane(in.Rotate.Signal, 8), hdl.Doc("Lanes whose bytes stay below the top."))
	rows, marks := make([]hdl.Signal, p.Depth), make([]mark, p.Depth)
	for i := range p.Depth {
		row := m.Reg(fmt.Sprintf("row%d_q", i), hdl.U(p.DataWidth), hdl.NoReset())
		cause := m.Reg(fmt.Sprintf("cause%d_q", i), hdl.U(2), hdl.NoReset())
		isLow, isHigh := writeLow.And(low.Bit(i)), writeHigh.And(high.Bit(i))
		lanes := m.Let(fmt.Sprintf("row%d_lanes", i), hdl.Repeat(isLow, p.DataWidth).And(below).
			Or(hdl.Repeat(isHigh, p.DataWidth).AndNot(below)))
		row.Set(row.AndNot(lanes).Or(data.And(lanes)))
		rows[i], marks[i] = row.Signal, p.mark(m, i, in, cause, isLow, isHigh, open.Signal)
	}
	taken.connect(rows, marks)
	if len(io.Clear) > 0 {
		m.If(io.Clear[0], func() {
			head.Set(hdl.K(1))
			used.Set(hdl.K(0))
			done.Set(hdl.K(0))
			open.Set(hdl.K(0))
			taken.tail.Set(hdl.K(1))
		})
	}
	return io
}

// mark is what a row knows of a bus error.
type mark struct{ cause, burst hdl.Signal }

// mark keeps the error of a row: the newest without error handling, which only
// counts for the transfer as a whole. With it, a beat marks the row in which its
// first byte lies, and a mark stays until the row leaves.
func (p rowsParams) mark(m *hdl.Module, i int, in readBeat, cause hdl.Var, isLow, isHigh, open hdl.Signal) mark {
	if p.IndexBits == 0 {
		m.If(isLow.Or(isHigh), func() { cause.Set(in.Cause) })
		return mark{cause: cause.Signal}
	}
	burst := m.Reg(fmt.Sprintf("burst%d_q", i), hdl.U(p.IndexBits), hdl.NoReset())
	m.If(isHigh, func() {
		cause.Set(in.Cause.And(hdl.Repeat(in.Skip.Signal, 2)))
		burst.Set(in.Burst[0])
	}).ElseIf(isLow.AndNot(open.And(cause.Any())), func() {
		cause.Set(in.Cause)
		burst.Set(in.Burst[0])
	})
	return mark{cause.Signal, burst.Signal}
}

// markAt is the mark of the row that the one-hot index names.
func (p rowsParams) markAt(index hdl.Signal, marks []mark) mark {
	var causes, bursts []hdl.Signal
	for _, k := range marks {
		causes, bursts = append(causes, k.cause), append(bursts, k.burst)
	}
	if p.IndexBits == 0 {
		return mark{cause: lib.OneHotMux(index, causes...)}
	}
	return mark{lib.OneHotMux(index, causes...), lib.OneHotMux(index, bursts...)}
}

// taking is the outlet's side of the buffer.
type taking struct {
	tail    hdl.Var    // oldest row, one-hot
	count   hdl.Signal // rows that leave in this cycle
	connect func(rows []hdl.Signal, marks []mark)
}

// outlet offers the oldest rows to the write side.
func outlet(m *hdl.Module, p rowsParams, io rowsIO, done hdl.Signal) taking {
	tail := m.Reg("tail_q", hdl.U(p.Depth), hdl.Init(1), hdl.Doc("Oldest row, one-hot."))
	if !p.Realign {
		io.Out.Ready.Set(done.Any())
		m.If(io.Out.Take, func() { tail.Set(rotateUp(tail.Signal, 1)) })
		return taking{tail, io.Out.Take.Signal, func(rows []hdl.Signal, marks []mark) {
			io.Out.Data.Set(lib.OneHotMux(tail.Signal, rows...))
			io.Out.tell(p.markAt(tail.Signal, marks))
		}}
	}
	out := io.Realign[0]
	m.Note("A bus word takes its low lanes from the top of the oldest row and the others from the next row.")
	turned := m.Let("out_turned", out.Rotate.Any())
	both := m.Let("out_both", turned.AndNot(out.First.Signal).AndNot(out.Last.And(out.Short)),
		hdl.Doc("The bus word needs two rows."))
	io.Out.Ready.Set(hdl.Mux(both, done.Ge(hdl.K(2)), done.Any()))
	keeps := m.Let("out_keeps", turned.AndNot(out.Last.Signal), hdl.Doc("The newest row of the two has more for the next bus word."))
	m.Note("Rows that leave: those needed, but for one that is kept.")
	left := m.Let("out_rows", hdl.Cat(both.AndNot(keeps), both.Xor(keeps.Not())).And(hdl.Repeat(io.Out.Take.Signal, 2)))
	m.If(io.Out.Take, func() {
		tail.Set(hdl.Select(left, tail.Signal, rotateUp(tail.Signal, 1), rotateUp(tail.Signal, 2)))
	})
	second := m.Let("second_row", hdl.Mux(both, rotateUp(tail.Signal, 1), tail))
	return taking{tail, left, func(rows []hdl.Signal, marks []mark) {
		old := m.Let("out_top", lib.OneHotMux(tail.Signal, rows...))
		next := m.Let("out_next", lib.OneHotMux(second, rows...))
		turnedOld := lib.RotateBytes(m, "out_top", old, out.Rotate.Signal)
		turnedNext := lib.RotateBytes(m, "out_next", next, out.Rotate.Signal)
		above := m.Let("out_above", lib.FromLane(out.Rotate.Signal, 8))
		io.Out.Data.Set(turnedOld.AndNot(above).Or(turnedNext.And(above)))
		io.Out.tell(p.markOfTwo(m, both, turned.AndNot(out.First.Signal), p.markAt(second, marks), p.markAt(tail.Signal, marks)))
	}}
}

// markOfTwo is the mark of a bus word of two rows, or of the oldest alone. With error
// handling an old row that was already part of the bus word before has told its mark
// with that one.
func (p rowsParams) markOfTwo(m *hdl.Module, both, seen hdl.Signal, second, oldest mark) mark {
	if p.IndexBits == 0 {
		return mark{cause: hdl.Mux(both, second.cause, oldest.cause)}
	}
	return mark{
		cause: hdl.Mux(both, second.cause, oldest.cause.And(hdl.Repeat(seen.Not(), 2))),
		burst: hdl.Mux(both, second.burst, oldest.burst),
	}
}

// tell shows the mark of the bus word.
func (r takenRow) tell(k mark) {
	r.Cause[0].Set(k.cause)
	if len(r.Burst) > 0 {
		r.Burst[0].Set(k.burst)
	}
}

func rotateUp(oneHot hdl.Signal, n int) hdl.Signal {
	w := oneHot.Width()
	if n %= w; n == 0 {
		return oneHot
	}
	return hdl.Cat(oneHot.Bits(w-n-1, 0), oneHot.Bits(w-1, w-n))
}

func rotateDown(oneHot hdl.Signal) hdl.Signal { return rotateUp(oneHot, oneHot.Width()-1) }
