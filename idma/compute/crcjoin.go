package compute

import (
	"strconv"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// crcHead is the bus word that goes next.
type crcHead struct {
	Word
	Mode  hdl.Var
	Check hdl.Var // check value of the transfer, what is left of it lowest
	Left  hdl.Var // how many bytes of it follow those of the word
}

// crcTail is what is known of the end of a transfer that is stripped.
type crcTail struct {
	Known  hdl.Signal // whether the words that are there tell
	Ends   hdl.Signal // the last byte that stays is before the end of the word
	Excess hdl.Signal // then: how many bytes of the word do not stay, 0 to 4, or more than it has
	Cause  hdl.Signal
}

// join adds check values to words, and takes those that came away. It offers words from
// registers.
func (p crcParams) join(m *hdl.Module, in hdl.Stream[crcWord], out hdl.Stream[Word]) {
	behind := []hdl.Stream[crcWord]{in} // the words that follow the head, the first one first
	for len(behind) < p.ahead() {
		behind = append([]hdl.Stream[crcWord]{registered(m, "behind"+strconv.Itoa(len(behind)), behind[0])}, behind...)
	}
	for i := range behind {
		behind[i].Data.Cause = hdl.V(m.Let("verdict"+strconv.Itoa(i), behind[i].Data.verdict()))
	}
	near := behind[0]
	full := m.Reg("head_valid_q", hdl.Bool())
	head := hdl.Regs(m, "head_q", crcHead{WordType(p.DataWidth), hdl.U(2), hdl.U(32), hdl.U(3)}, hdl.NoReset())

	strips := m.Let("strips", head.Mode.Eq(hdl.K(CRCModeStrip)))
	tail := p.tail(m, head, behind)
	known := m.Let("known", strips.Not().Or(tail.Known))
	ends := m.Let("ends", hdl.Mux(strips, tail.Ends, head.Last))
	bytes := head.Bytes.Ext(head.Bytes.Width() + 2)
	sum := m.Let("sum", hdl.Mux(strips, bytes.Sub(tail.Excess.Ext(bytes.Width())), bytes.Add(head.Left.Ext(bytes.Width()))),
		hdl.Doc("Bytes of the word and of the check value that are still to go; not positive if it has none that stay."))
	none := m.Let("none", sum.None().Or(sum.Bit(sum.Width()-1)))
	over := m.Let("over", sum.Gt(hdl.K(p.lanes())).AndNot(none), hdl.Doc("More than a bus word."))

	made := hdl.Wires(m, "made", hdl.StreamOf(WordType(p.DataWidth)))
	made.Valid.Set(full.And(known).AndNot(none))
	turned, data := p.appended(m, head)
	hdl.Assign(made.Data, Word{Data: hdl.V(data), Bytes: hdl.V(hdl.Mux(over, hdl.K(p.lanes()), sum.Trunc(head.Bytes.Width()))),
		Last: hdl.V(ends.AndNot(over)), Cause: hdl.V(hdl.Mux(strips, tail.Cause, head.Cause))})
	hdl.Connect(out, lib.CutStream(m, "u_cut", lib.CutBoth, made))

	m.Note("Words of which nothing goes but the check value of the last one need no place.")
	only := m.Let("only", near.Data.Mode.Eq(hdl.K(CRCModeOnly)))
	vanishes := m.Let("vanishes", only.AndNot(near.Data.Last))
	leaves := m.Let("leaves", full.And(known).And(none.Or(made.Ready.AndNot(over))))
	free := m.Let("free", full.Not().Or(leaves))
	near.Ready.Set(free.Or(vanishes))
	comes := m.Let("comes", near.Valid.And(free).AndNot(vanishes))
	full.Set(comes.Or(full.AndNot(leaves)))
	c, w := lib.CRC32C(), near.Data
	m.If(comes, func() {
		word := w.Word
		word.Bytes = hdl.V(hdl.Mux(only, hdl.K(0), w.Bytes))
		hdl.Assign(head, crcHead{word, w.Mode, hdl.V(hdl.Mux(w.Plain, w.State, lib.CRCEnd(c, w.State.Signal))),
			hdl.V(hdl.Mux(w.Last.AndNot(w.Mode.Bit(1)), hdl.Const(3, crcBytes), hdl.K(0)))})
	}).ElseIf(made.Fire(), func() {
		head.Bytes.Set(hdl.K(0))
		head.Left.Set(sum.Trunc(3).Sub(hdl.Const(3, uint64(p.lanes())%8)))
		head.Check.Set(turned)
	})
}

// appended is the bytes of a word with those of the check value behind them, and the check
// value as the next word needs it.
func (p crcParams) appended(m *hdl.Module, head crcHead) (turned, data hdl.Signal) {
	off := p.padBits()
	turned = lib.RotateBytes(m, "turned", head.Check.Signal, head.Bytes.Bits(1, 0))
	above := m.Let("above", lib.FromLane(head.Bytes.Bits(off-1, 0), 8).AndNot(hdl.Repeat(head.Bytes.Bit(off), p.DataWidth)))
	if p.lanes() < crcBytes {
		low, high := turned.Bits(p.DataWidth-1, 0), turned.Bits(8*crcBytes-1, p.DataWidth)
		return hdl.Cat(low, high), head.Data.AndNot(above).Or(low.And(above))
	}
	return turned, head.Data.AndNot(above).Or(hdl.Repeat(turned, p.lanes()/crcBytes).And(above))
}

// tail looks for the end of the transfer in the four bytes that follow the head.
func (p crcParams) tail(m *hdl.Module, head crcHead, behind []hdl.Stream[crcWord]) crcTail {
	t := crcTail{hdl.Const(1, 1), hdl.Const(1, 0), hdl.Const(3, 0), head.Cause.Signal}
	for i := len(behind) - 1; i >= 0; i-- {
		w, reach := behind[i].Data, crcBytes-i*p.lanes()
		ends := w.Last.Signal
		if reach < p.lanes() {
			ends = ends.And(w.Bytes.Le(hdl.K(reach)))
		}
		t = crcTail{
			Known:  behind[i].Valid.And(w.Last.Or(t.Known)),
			Ends:   ends.Or(t.Ends),
			Excess: hdl.Mux(ends, hdl.Const(3, uint64(reach)).Sub(w.Bytes.Resize(3)), t.Excess),
			Cause:  hdl.Mux(ends, w.Cause, t.Cause),
		}
	}
	return crcTail{
		Known:  m.Let("tail_known", head.Last.Or(t.Known)),
		Ends:   m.Let("tail_ends", head.Last.Or(t.Ends)),
		Excess: m.Let("tail_excess", hdl.Mux(head.Last, hdl.K(crcBytes), t.Excess)),
		Cause:  m.Let("tail_cause", hdl.Mux(head.Last, head.Cause, t.Cause)),
	}
}
