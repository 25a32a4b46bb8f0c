package backend_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/compute"
)

// repeated is an operation of somebody else. It gives each bus word so many times, one in every
// cycle, and before the first waits for so many cycles and, in the word's lowest three bits, some more.
type repeated struct{ times, waits int }

func (repeated) Name() string                  { return "repeated" }
func (repeated) Code() int                     { return compute.CodeUser }
func (repeated) Validate(int) error            { return nil }
func (repeated) NeedsDstLength() bool          { return false }
func (o repeated) bits(t compute.Transfer) int { return t.Length.Width() + 4 }

func (o repeated) OutLength(t compute.Transfer) hdl.Signal {
	return t.Length.Ext(o.bits(t)).Mul(hdl.K(o.times)).Resize(t.Length.Width())
}

func (o repeated) Violated(t compute.Transfer, dataWidth int) hdl.Signal {
	whole := t.Length.Bits(hdl.AddrBits(dataWidth/8)-1, 0).None()
	w := o.bits(t)
	return whole.Not().Or(t.Length.Ext(w).Mul(hdl.K(o.times)).Shr(hdl.K(t.Length.Width())).Any())
}

func (o repeated) Describe(m *hdl.Module, dataWidth int) compute.Unit {
	io := compute.UnitPorts(m, dataWidth)
	done := m.Reg("done_q", hdl.U(4), hdl.Doc("Copies of the word that have gone."))
	waited := m.Reg("waited_q", hdl.U(12), hdl.Doc("Cycles for which the word has waited."))
	out := hdl.Wires(m, "copies", hdl.StreamOf(compute.WordType(dataWidth)))
	waits := m.Let("to_wait", hdl.Const(12, uint64(o.waits)).Add(io.In.Data.Data.Bits(2, 0).Ext(12)))
	begins := m.Let("begins", done.None().And(waited.Lt(waits)))
	last := m.Let("last_copy", done.Eq(hdl.K(o.times-1)))
	out.Valid.Set(io.In.Valid.AndNot(begins))
	w := io.In.Data
	w.Last = hdl.V(w.Last.And(last))
	hdl.Assign(out.Data, w)
	io.In.Ready.Set(out.Fire().And(last))
	m.If(out.Fire(), func() {
		done.Set(hdl.Mux(last, hdl.K(0), done.Add(hdl.K(1))))
		waited.Set(hdl.K(0))
	}).ElseIf(io.In.Valid.And(begins), func() { waited.Set(waited.Add(hdl.K(1))) })
	hdl.Connect(io.Out, lib.CutStream(m, "u_cut", lib.CutBoth, out))
	return io
}

// of is the oracle.
func (o repeated) of(in []byte, lanes int) (out []byte) {
	for word := range slices.Chunk(in, lanes) {
		for range o.times {
			out = append(out, word...)
		}
	}
	return out
}

// extreme is a configuration with operations of which many fields are at an end of their range.
func extreme(t testing.TB, r *rand.Rand, read, write string) backend.Config {
	c := portConfig(t, r, read, write)
	c.DataWidth = []int{16, 16, 32, 64, 256, 1024}[r.IntN(6)]
	c.TLMaxSize = tlMaxSize(c.DataWidth, r.IntN(5))
	pick := func(p *int, most int) {
		if r.IntN(2) == 0 {
			*p = 1 + r.IntN(2)*r.IntN(most)
		}
	}
	pick(&c.Outstanding, 256)
	pick(&c.WriteOutstanding, 256)
	pick(&c.BufferDepth, 64)
	if r.IntN(2) == 0 {
		c.StoreDepth, c.StoreTransfers = 2+r.IntN(2)*r.IntN(9), r.IntN(2) == 0
	}
	c.AddrWidth = []int{32, 40, 64}[r.IntN(3)]
	c.LengthWidth = []int{13, c.AddrWidth, 20}[r.IntN(3)]
	c.CounterWidth = []int{0, 8, 64}[r.IntN(3)]
	if r.IntN(2) == 0 {
		c.Watchdog = 1 << 14
	}
	c.Compute = allOperations()
	if r.IntN(2) == 0 {
		c.Compute[compute.CodeTranspose] = compute.Transpose{OneBank: true}
	}
	c.Compute[compute.CodeUser] = repeated{1 + r.IntN(10), r.IntN(3) * r.IntN(60)}
	for code := range c.Compute {
		if code != compute.CodeUser && r.IntN(5) == 0 {
			c.Compute[code] = nil
		}
	}
	return c
}

// mixed are transfers that suit the configuration.
func (b *portBench) mixed(n int) (moves []move) {
	user := b.cfg.Compute[compute.CodeUser].(repeated)
	unknown := map[uint64]bool{}
	for code, o := range b.cfg.Compute {
		unknown[uint64(code)] = o == nil
	}
	for len(moves) < n {
		some := b.computing(1 + b.rng.IntN(10))
		if some[0].op != nil && unknown[some[0].op.code] {
			some = nil
		}
		for _, v := range some {
			if o := v.op; o != nil && unknown[o.code] && !o.bad {
				if o.code == compute.CodeTranspose {
					continue
				}
				o.bad = true
			}
			moves = append(moves, v)
		}
		for range b.rng.IntN(4) {
			v := b.random(1)[0]
			words := 1 + b.rng.Uint64N(3)
			v.length, v.refused = words*uint64(b.lanes()), false
			v.op = &computing{code: compute.CodeUser, out: func(in []byte) []byte { return user.of(in, b.lanes()) }, outLength: uint64(user.times) * words * uint64(b.lanes())}
			if b.rng.IntN(8) == 0 {
				v.length, v.op.bad = v.length+1, true
			}
			b.at = v.dst + v.op.outLength + v.length
			moves = append(moves, v)
		}
	}
	return moves
}

// TestOperationsOfExtremeEngines runs operations on engines of which many parameters are at
// the end of their range, with operations of somebody else between: some with ten times
// the bytes, some with gaps that the data decide.
func TestOperationsOfExtremeEngines(t *testing.T) {
	everyPair(t, 1, 30, 37, func(t *testing.T, r *rand.Rand, seed uint64, p [2]string) {
		for _, letter := range p[0] + p[1] { // another configuration for each pair
			r.IntN(int(letter))
		}
		c := extreme(t, r, p[0], p[1])
		b := newPortBench(t, goModel, c, seed)
		b.stall, b.wait, b.faults = r.IntN(3)*r.IntN(48), 1+r.IntN(2)*r.IntN(100), r.IntN(2) == 0
		t.Logf("%+v, stall %d, wait %d", c, b.stall, b.wait)
		b.move(b.mixed(50))
	})
}
