package lib_test

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

type ports = []hdl.Var

// tools is a module of every combinational tool, for 2^logLanes lanes of a byte.
func tools(m *hdl.Module, logLanes int) ports {
	n := 8 << logLanes
	x, by := m.In("x", hdl.U(n)), m.In("by", hdl.U(logLanes))
	ps := ports{x, by}
	out := func(name string, v hdl.Signal) {
		o := m.Out(name, hdl.U(v.Width()))
		o.Set(v)
		ps = append(ps, o)
	}
	out("rotated", lib.RotateBytes(m, "turn", x.Signal, by.Signal))
	out("from", lib.FromLane(by.Signal, 1))
	out("up_to", lib.UpToLane(by.Signal, 1))
	out("from_bytes", lib.FromLane(by.Signal, 8))
	out("up_to_bytes", lib.UpToLane(by.Signal, 8))
	var items []hdl.Signal
	for i := range x.Width() / 8 {
		items = append(items, x.Bits(8*i+7, 8*i))
	}
	sel := m.In("sel", hdl.U(len(items)))
	out("chosen", lib.OneHotMux(sel.Signal, items...))
	return append(ps, sel)
}

func TestByteTools(t *testing.T) {
	for logLanes := 1; logLanes <= 3; logLanes++ {
		d, err := hdl.Elaborate(tools, logLanes)
		require.NoError(t, err)
		e := model(t, d, 0)
		in := func(name string) *uint64 {
			p, err := e.Layout().Port(name)
			require.NoError(t, err)
			return &e.In()[p.Offset]
		}
		out := func(name string) uint64 {
			p, err := e.Layout().Port(name)
			require.NoError(t, err)
			return e.Out()[p.Offset]
		}
		lanes := 1 << logLanes
		all := ^uint64(0) >> (64 - 8*lanes)
		r := rand.New(rand.NewPCG(uint64(logLanes), 2))
		for range 200 {
			x, by, sel := r.Uint64()&all, r.IntN(lanes), r.Uint64N(1<<lanes)
			*in("x"), *in("by"), *in("sel") = x, uint64(by), sel
			require.NoError(t, e.Eval())
			require.Equal(t, (x<<(8*by)|x>>(8*(lanes-by)))&all, out("rotated"), "%#x by %d", x, by)
			require.Equal(t, all>>(7*lanes)>>by<<by, out("from"), "from %d", by)
			require.Equal(t, uint64(2)<<by-1, out("up_to"))
			require.Equal(t, all>>(8*by)<<(8*by), out("from_bytes"))
			require.Equal(t, all>>(8*(lanes-1-by)), out("up_to_bytes"))
			var want uint64
			for s := sel; s != 0; s &= s - 1 {
				want |= x >> (8 * bits.TrailingZeros64(s)) & 255
			}
			require.Equal(t, want, out("chosen"), "the OR of the items with select %b", sel)
		}
	}
}

func TestByteToolsInRTL(t *testing.T) {
	d, err := hdl.Elaborate(tools, 2)
	require.NoError(t, err)
	l := couple(t, d)
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		for i := range l.In() {
			l.In()[i] = r.Uint64()
		}
		l.In()[0] &= 1<<32 - 1
		l.In()[1] &= 3
		l.In()[2] &= 15
		require.NoError(t, l.Step())
	}
}
