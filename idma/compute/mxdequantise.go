package compute

import (
	"strconv"

	"github.com/millrace-hdl/millrace/hdl"
)

// mxNumbers are the numbers of a step.
type mxNumbers struct {
	Data  hdl.Var
	Half  []hdl.Var `hdl:"opt"` // there are half as many
	Last  hdl.Var
	Cause hdl.Var
}

// mxDequantise is the unit that makes numbers of MX blocks: it takes bus words apart into
// steps, one a cycle, and offers the numbers of a step from a register.
func mxDequantise(m *hdl.Module, p mxParams) Unit {
	m.Doc("Dequantises MX blocks of 33 bytes to " + p.Float.String() + " numbers.")
	io := UnitPorts(m, p.DataWidth)
	unpack := hdl.Inst(m, "u_unpack", mxUnpack, p)
	hdl.Connect(unpack.In, io.In)
	unpack.Mode.Set(io.Options.Mode.Bit(0))
	step := unpack.Out.Data

	bases, nans := make([]hdl.Signal, p.blocks()), make([]hdl.Signal, p.blocks())
	for i, s := range step.Scale {
		bases[i], nans[i] = p.baseOf(m, "base"+strconv.Itoa(i), s.Signal, step.E4M3.Signal)
	}
	numbers := make([]hdl.Value, p.numbers())
	for i, code := range step.Codes {
		u := hdl.Inst(m, "u_decode"+strconv.Itoa(i), mxDecode, decodeParams{p.Float})
		u.Code.Set(code)
		u.E4M3.Set(step.E4M3)
		u.Base.Set(bases[i*len(bases)/p.numbers()])
		u.IsNaN.Set(nans[i*len(bases)/p.numbers()])
		numbers[len(numbers)-1-i] = u.Number
	}
	t := mxNumbers{Data: hdl.U(p.DataWidth * p.words()), Half: step.Half, Last: hdl.Bool(), Cause: hdl.U(2)}
	made := hdl.Wires(m, "made", hdl.StreamOf(t))
	made.Valid.Set(unpack.Out.Valid)
	unpack.Out.Ready.Set(made.Ready)
	hdl.Assign(made.Data, mxNumbers{Data: hdl.V(hdl.Cat(numbers...)), Half: step.Half, Last: step.Last, Cause: step.Cause})
	p.offer(m, io.Out, registered(m, "number", made))
	return io
}

// baseOf is what [mxDecodeIO] wants to know of a scale.
func (p mxParams) baseOf(m *hdl.Module, name string, scale, e4m3Mode hdl.Signal) (base, nan hdl.Signal) {
	biased, nan := scale.Ext(baseBits).AsSigned(), scale.All()
	if p.SignedScale {
		biased, nan = scale.AsSigned().Ext(baseBits).Add(hdl.K(127)), hdl.Const(1, 0)
	}
	return m.Let(name, biased.Sub(byMode(e4m3Mode, baseBits, e5m2.bias, e4m3.bias).AsSigned())), nan
}

// offer gives the numbers of steps out as bus words.
func (p mxParams) offer(m *hdl.Module, out hdl.Stream[Word], in hdl.Stream[mxNumbers]) {
	bytes := hdl.Const(out.Data.Bytes.Width(), uint64(p.lanes()))
	if len(in.Data.Half) > 0 {
		bytes = hdl.Mux(in.Data.Half[0], hdl.K(p.lanes()/2), bytes)
	}
	word := Word{Data: in.Data.Data, Bytes: hdl.V(bytes), Last: in.Data.Last, Cause: in.Data.Cause}
	out.Valid.Set(in.Valid)
	if p.words() == 1 {
		in.Ready.Set(out.Ready)
		hdl.Assign(out.Data, word)
		return
	}
	second := m.Reg("second_q", hdl.Bool(), hdl.Doc("The second half of a number goes."))
	m.If(out.Fire(), func() { second.Set(second.Not()) })
	in.Ready.Set(out.Ready.And(second))
	w := p.DataWidth
	word.Data = hdl.V(hdl.Mux(second, in.Data.Data.Bits(2*w-1, w), in.Data.Data.Bits(w-1, 0)))
	word.Last = hdl.V(in.Data.Last.And(second))
	hdl.Assign(out.Data, word)
}
