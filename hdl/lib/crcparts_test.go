package lib_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// crcParts shows what is to be the same: the state after data, and the sum of its parts;
// the state after zeros, in two ways; and the state itself after zeros that are taken back.
type crcParts struct {
	State    hdl.Var `hdl:"in"`
	Data     hdl.Var `hdl:"in"`
	Whole    hdl.Var
	Parts    hdl.Var
	ByZeros  hdl.Var
	ByData   hdl.Var
	Returned hdl.Var
}

type crcPartsParams struct {
	lib.CRC
	Data, Zeros int
}

func (crcPartsParams) Suffix() string { return "" }

func partsOfCRC(m *hdl.Module, p crcPartsParams) crcParts {
	w := hdl.U(p.Width)
	io := hdl.Ports(m, "", hdl.Source, crcParts{w, hdl.U(p.Data), w, w, w, w, w})
	state, data := io.State.Signal, io.Data.Signal
	io.Whole.Set(lib.CRCNext(m, "whole_of", p.CRC, state, data))
	io.Parts.Set(lib.CRCZeros(m, "shifted", p.CRC, state, p.Data).Xor(lib.CRCPart(m, "part_of", p.CRC, data)))
	after := m.Let("after", lib.CRCZeros(m, "zeros_to", p.CRC, state, p.Zeros))
	io.ByZeros.Set(after)
	io.ByData.Set(lib.CRCNext(m, "data_to", p.CRC, state, hdl.Const(p.Zeros, 0)))
	io.Returned.Set(lib.CRCZeros(m, "back_from", p.CRC, after, -p.Zeros))
	return io
}

func TestCRCInParts(t *testing.T) {
	const seed = 11
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 40 {
		width := 1 + r.IntN(64)
		all := ^uint64(0) >> (64 - width)
		c := lib.CRC{Width: width, Poly: r.Uint64()&all | 1, RefIn: r.IntN(2) == 0}
		p := crcPartsParams{c, 1 + r.IntN(64), 1 + r.IntN(200)}
		d, err := hdl.Elaborate(partsOfCRC, p)
		require.NoError(t, err)
		e := pinsOf(t, model(t, d, 1))
		for range 20 {
			state := r.Uint64() & all
			e.set("state", state)
			e.set("data", r.Uint64()>>(64-p.Data))
			require.NoError(t, e.Eval())
			require.Equal(t, e.get("whole"), e.get("parts"), "%+v, state %#x", p, state)
			require.Equal(t, e.get("by_data"), e.get("by_zeros"), "%+v, state %#x", p, state)
			require.Equal(t, state, e.get("returned"), "%+v", p)
		}
	}
	wrong := func(m *hdl.Module, _ struct{}) ports {
		x := m.In("x", hdl.U(4))
		y := m.Out("y", hdl.U(8))
		y.Set(lib.CRCZeros(m, "zeros", lib.CRC8SMBus(), x.Signal, 3))
		return ports{x, y}
	}
	_, err := hdl.Elaborate(wrong, struct{}{})
	require.ErrorContains(t, err, "CRCZeros zeros: the state has 4 bits, the CRC has 8")
}
