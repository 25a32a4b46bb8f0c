package compute

import (
	"fmt"
	"strconv"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// crcTaken is a bus word with what its bytes add to the register.
type crcTaken struct {
	Word
	Mode   hdl.Var
	Plain  hdl.Var // the check value is not inverted
	Starts hdl.Var // a transfer begins
	Ones   hdl.Var // its register begins with ones, not zeros
	Part   hdl.Var
}

// crcWord is a bus word with the register after it.
type crcWord struct {
	Word
	Mode  hdl.Var
	Plain hdl.Var
	State hdl.Var
}

// take computes what each bus word adds to the register, with zeros for the bytes that the
// last one lacks.
func (p crcParams) take(m *hdl.Module, io Unit) hdl.Stream[crcTaken] {
	c, in, off := lib.CRC32C(), io.In.Data, p.padBits()
	starts := m.Reg("starts_q", hdl.Bool(), hdl.Init(1), hdl.Doc("The next word is the first of a transfer."))
	m.If(io.In.Fire(), func() { starts.Set(in.Last) })
	beyond := m.Let("beyond", lib.FromLane(in.Bytes.Bits(off-1, 0), 8).AndNot(hdl.Repeat(in.Bytes.Bit(off), p.DataWidth)),
		hdl.Doc("Bits that do not count."))
	part := lib.CRCPart(m, "counted", c, in.Data.AndNot(beyond))
	return registered(m, "taken", hdl.Stream[crcTaken]{Valid: io.In.Valid, Ready: io.In.Ready,
		Data: crcTaken{in, io.Options.Mode, hdl.V(io.Options.M.Bit(1)), starts, hdl.V(io.Options.M.Bit(0).Not()), hdl.V(part)}})
}

// check computes the register after each bus word: with zeros for the bytes that the last
// one lacks, and then without them, by two bits of their number a stage.
func (p crcParams) check(m *hdl.Module, in hdl.Stream[crcTaken]) hdl.Stream[crcWord] {
	c, w := lib.CRC32C(), in.Data
	next := hdl.Wires(m, "summed", hdl.StreamOf(crcWord{WordType(p.DataWidth), hdl.U(2), hdl.Bool(), hdl.U(c.Width)}))
	words := registered(m, "state", next)
	before := lib.CRCZeros(m, "last_state", c, hdl.Mux(w.Starts, hdl.Repeat(w.Ones, c.Width), words.Data.State), p.DataWidth)
	hdl.Connect(next, hdl.Stream[crcWord]{Valid: in.Valid, Ready: in.Ready,
		Data: crcWord{w.Word, w.Mode, w.Plain, hdl.V(before.Xor(w.Part))}})
	const perStage = 2
	for bit := 0; bit < p.padBits(); bit += perStage {
		top := min(bit+perStage, p.padBits()) - 1
		pad := m.Let("pad"+strconv.Itoa(bit), words.Data.Bytes.Bits(top, 0).Neg().Bits(top, bit),
			hdl.Doc(fmt.Sprintf("Bytes that the word lacks, bits %d to %d.", bit, top)))
		for i := bit; i <= top; i++ {
			n := strconv.Itoa(1 << i)
			unpadded := lib.CRCZeros(m, "padded"+n, c, words.Data.State.Signal, -8<<i)
			words.Data.State = hdl.V(m.Let("unpadded"+n, hdl.Mux(pad.Bit(i-bit), unpadded, words.Data.State)))
		}
		words = registered(m, "exact"+strconv.Itoa(bit), words)
	}
	return words
}

// crcResidue is the register after any bytes and their inverted check value.
const crcResidue = 0xb798b438

// verdict is the cause of a word, also that of a check value that is wrong.
func (w crcWord) verdict() hdl.Signal {
	right := hdl.Const(32, crcResidue).AndNot(hdl.Repeat(w.Plain, 32))
	wrong := w.Mode.Bit(1).And(w.Last).And(w.Cause.None()).And(w.State.Ne(right))
	return hdl.Mux(wrong, hdl.K(CauseWrong), w.Cause)
}
