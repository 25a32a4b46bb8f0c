package sim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// The design that the benchmarks run: copies of a block with what a DMA engine
// has, fed by a shift register of its own. Each has a FIFO, an assembler of bus
// words, a byte rotator, a row with byte enables, timers, a state machine and
// dynamic shifts.

type blockParams struct{ Width int } // of the bus, in bits

type blockIO struct {
	En   hdl.Var `hdl:"in"`
	Seed hdl.Var `hdl:"in"`
	Sum  hdl.Var
	Busy hdl.Var
}

func block(m *hdl.Module, p blockParams) blockIO {
	io := hdl.Ports(m, "", hdl.Source, blockIO{En: hdl.Bool(), Seed: hdl.U(16), Sum: hdl.U(64), Busy: hdl.Bool()})
	lanes := p.Width / 8
	off := ir.AddrBits(lanes)

	noise := m.Reg("noise", hdl.U(64), hdl.Init(1))
	tap := noise.Bit(63).Xor(noise.Bit(62)).Xor(noise.Bit(60)).Xor(noise.Bit(59))
	noise.Set(hdl.Cat(noise.Bits(62, 0), tap).Xor(io.Seed.Ext(64)))

	fifo := m.Mem("fifo", hdl.U(64), 8)
	wr, rd := m.Reg("wr", hdl.U(4), hdl.Init(0)), m.Reg("rd", hdl.U(4), hdl.Init(0))
	full := m.Let("full", wr.Sub(rd).Eq(hdl.K(8)))
	push := m.Let("push", io.En.And(noise.Bit(0)).And(full.Not()))
	pop := m.Let("pop", noise.Bit(1).And(wr.Ne(rd)))
	m.If(push, func() {
		fifo.Write(wr.Trunc(3), noise)
		wr.Set(wr.Add(hdl.K(1)))
	})
	word := m.Let("word", fifo.Read(rd.Trunc(3)))

	beat := m.Reg("beat", hdl.U(p.Width), hdl.NoReset())
	part := m.Reg("part", hdl.U(4), hdl.Init(0))
	m.If(pop, func() {
		rd.Set(rd.Add(hdl.K(1)))
		beat.Set(hdl.Cat(word, beat.Signal).Bits(p.Width+63, 64))
		part.Set(part.Add(hdl.K(1)))
	})
	complete := m.Let("complete", pop.And(part.Bits(2, 0).All()))

	turned := beat.Signal
	shift := m.Let("shift", noise.Bits(8+off-1, 8))
	for i := range off {
		by := 8 << i
		turned = hdl.Mux(shift.Bit(i), hdl.Cat(turned.Bits(p.Width-by-1, 0), turned.Bits(p.Width-1, p.Width-by)), turned)
	}
	strobes := m.Let("strobes", hdl.Ones(lanes).Shl(shift))
	row := m.Reg("row", hdl.U(p.Width), hdl.NoReset())
	m.If(complete, func() {
		for i := range lanes {
			m.If(strobes.Bit(i), func() { row.Part(8*i, 8).Set(turned.Bits(8*i+7, 8*i)) })
		}
	})

	idle, run, wait := hdl.K(0), hdl.K(1), hdl.K(2)
	state := m.Reg("state", hdl.U(2), hdl.Init(0))
	left := m.Reg("left", hdl.U(48), hdl.Init(0))
	m.Switch(state).
		Case(idle, func() {
			m.If(push, func() {
				state.Set(run)
				left.Set(noise.Bits(15, 10).Ext(48))
			})
		}).
		Case(run, func() {
			left.Set(left.Sub(hdl.K(1)))
			m.If(left.None(), func() { state.Set(wait) })
		}).
		Case(wait, func() { m.If(complete, func() { state.Set(idle) }) }).
		Default(func() { state.Set(idle) })

	expired := make([]hdl.Value, 4)
	for i := range 4 {
		timer := m.Reg(fmt.Sprintf("timer%d", i), hdl.U(48), hdl.Init(0))
		fires := m.Let(fmt.Sprintf("fires%d", i), timer.Gt(noise.Bits(20+i, 10).Ext(48)))
		m.If(fires, func() { timer.Set(hdl.K(0)) }).ElseIf(noise.Bit(30+i), func() { timer.Set(timer.Add(hdl.K(1))) })
		expired[i] = fires
	}

	sum := m.Reg("check", hdl.U(64), hdl.Init(0))
	pick := row.Bits(63, 0).Shr(noise.Bits(45, 40)).Xor(word.Shl(noise.Bits(51, 46)))
	sum.Set(sum.Add(pick).Xor(hdl.Cat(hdl.Const(60, 0), hdl.Cat(expired...))))
	io.Sum.Set(sum)
	io.Busy.Set(state.Any())
	return io
}

type benchParams struct{ Width, Blocks int }

type benchIO struct {
	In  [25]hdl.Var `hdl:"in"`
	Out [25]hdl.Var
}

// benchTop has 25 inputs and 25 outputs of 16 bits around the blocks.
func benchTop(m *hdl.Module, p benchParams) benchIO {
	io := benchIO{}
	for i := range io.In {
		io.In[i], io.Out[i] = hdl.U(16), hdl.U(16)
	}
	io = hdl.Ports(m, "", hdl.Source, io)
	sums := make([]hdl.Signal, len(io.Out))
	for i := range sums {
		sums[i] = io.In[i].Signal
	}
	for i := range p.Blocks {
		b := hdl.Inst(m, fmt.Sprintf("u%d", i), block, blockParams{p.Width})
		b.En.Set(io.In[i%25].Bit(0))
		b.Seed.Set(io.In[(i+1)%25])
		sums[i%25] = sums[i%25].Xor(b.Sum.Bits(15, 0)).Xor(b.Sum.Bits(63, 48)).Xor(b.Busy.Ext(16))
	}
	for i, s := range sums {
		io.Out[i].Set(s)
	}
	return io
}

func benchDesign(b testing.TB, width, blocks int) *ir.Design {
	d, err := hdl.Elaborate(benchTop, benchParams{width, blocks})
	require.NoError(b, err)
	return d
}

// BenchmarkStep reports the time of a cycle, with all inputs written and all
// outputs read in each.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct{ width, blocks int }{{64, 1}, {128, 1}, {512, 1}, {512, 16}, {512, 64}} {
		b.Run(fmt.Sprintf("%dbit/%dblocks", c.width, c.blocks), func(b *testing.B) {
			m, err := sim.New(benchDesign(b, c.width, c.blocks), sim.Options{})
			require.NoError(b, err)
			require.NoError(b, m.Reset(1))
			sum := uint64(0)
			for i := 0; b.Loop(); i++ {
				for j := range m.In() {
					m.In()[j] = uint64(i+j) & 0xffff
				}
				if err := m.Step(); err != nil {
					b.Fatal(err)
				}
				for _, w := range m.Out() {
					sum += w
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/cycle")
		})
	}
}

// BenchmarkPorts is the overhead of a cycle: 50 port accesses and a step of a
// design that does nothing.
func BenchmarkPorts(b *testing.B) {
	m, err := sim.New(benchDesign(b, 64, 0), sim.Options{})
	require.NoError(b, err)
	sum := uint64(0)
	for i := 0; b.Loop(); i++ {
		for j := range m.In() {
			m.In()[j] = uint64(i+j) & 0xffff
		}
		if err := m.Step(); err != nil {
			b.Fatal(err)
		}
		for _, w := range m.Out() {
			sum += w
		}
	}
}

// BenchmarkNew is the time from the design to a model that can run.
func BenchmarkNew(b *testing.B) {
	for _, blocks := range []int{1, 16} {
		d := benchDesign(b, 512, blocks)
		b.Run(fmt.Sprintf("%dblocks", blocks), func(b *testing.B) {
			for b.Loop() {
				if _, err := sim.New(d, sim.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
