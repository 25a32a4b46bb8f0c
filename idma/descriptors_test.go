package idma_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/axibus"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/regbus"
	"github.com/millrace-hdl/millrace/verilator"
)

// chained is an engine with desc_64, its registers over APB, and two memories: that of
// descriptors and that of data.
type chained struct {
	sim.Engine
	t           testing.TB
	c           idma.Config
	port        *regbus.Port
	descs, data *axibus.Memory
	store       *mem.Store // of descriptors
	from, to    *mem.Store
	cycle, irqs int
	first, last int // cycles of the first and the last beat of data
}

const endOfChain = ^uint64(0)

func newChained(t testing.TB, e sim.Engine, c idma.Config, seed uint64, latency, stall int) *chained {
	t.Helper()
	t.Logf("seed %d", seed)
	b := &chained{Engine: e, t: t, c: c, store: mem.NewStore(seed), from: mem.NewStore(seed), to: mem.NewStore(seed), first: -1}
	timing := mem.Config{ReadLatency: latency, WriteLatency: latency, Stalls: mem.AllStalls(stall), Seed: seed}
	var err error
	b.port, err = regbus.New(e, "apb", "s_apb_", regbus.Options{Seed: seed})
	require.NoError(t, err)
	b.descs, err = axibus.New(e, "m_axi_desc_", timing, b.store, b.store)
	require.NoError(t, err)
	b.data, err = axibus.New(e, "m_axi_", timing, b.from, b.to)
	require.NoError(t, err)
	b.data.Trace = func(x *axi4.Sample) {
		if x.W.Valid && x.W.Ready {
			if b.first < 0 {
				b.first = b.cycle
			}
			b.last = b.cycle
		}
	}
	require.NoError(t, e.Reset(2))
	return b
}

func (b *chained) step() {
	b.descs.Drive()
	b.data.Drive()
	b.port.Drive()
	require.NoError(b.t, b.Step())
	require.NoError(b.t, b.port.Edge())
	b.descs.Edge()
	b.data.Edge()
	p, err := b.Layout().Port("irq")
	require.NoError(b.t, err)
	b.irqs += int(b.Out()[p.Offset])
	b.cycle++
}

func (b *chained) access(a regbus.Access) uint64 {
	b.t.Helper()
	var got *regbus.Result
	b.port.Do(a, func(r regbus.Result) { got = &r })
	for i := 0; got == nil; i++ {
		require.Less(b.t, i, 20000, "%+v hangs", a)
		b.step()
	}
	require.False(b.t, got.Err, "%+v", a)
	return got.Read
}

func (b *chained) write(at, v uint64) {
	b.t.Helper()
	b.access(regbus.Access{Write: true, Addr: at, Data: v, Strb: 255})
}

func (b *chained) read(at uint64) uint64 {
	b.t.Helper()
	return b.access(regbus.Access{Addr: at, Strb: 255})
}

// put writes a descriptor of a plain copy.
func (b *chained) put(at, next, length, flags, src, dst uint64) {
	for i, v := range []uint64{length | (0x0a|flags)<<32, next, src, dst} {
		b.store.WriteWord(at+8*uint64(i), v, 255)
	}
}

// ended waits until nothing is busy.
func (b *chained) ended() {
	b.t.Helper()
	for i := 0; b.read(8)&1 == 1; i++ {
		require.Less(b.t, i, 20000, "busy for ever")
	}
	require.NoError(b.t, b.descs.Finish())
	require.NoError(b.t, b.data.Finish())
	require.NoError(b.t, sim.Violations(b.Engine))
}

// brokenChain runs a chain of which the source of one transfer and the destination of another
// answer with errors, with that policy; software answers where it is asked. The faults are gone after
// so many errors. It returns the marks of the two, and how many times the engine stopped.
func brokenChain(t *testing.T, e sim.Engine, c idma.Config, seed, policy, answer uint64, lasts int) (marks [2]uint64, stops int) {
	t.Helper()
	const head, n, read, write, length = 0x1000, 12, 3, 8, 300
	b := newChained(t, e, c, seed, 6, int(seed%2)*20)
	src, dst := func(i int) uint64 { return 0x10_0003 + uint64(i)*0x400 }, func(i int) uint64 { return 0x20_0005 + uint64(i)*0x400 }
	b.to.Paint(seed, dst(0)-64, n*0x400)
	for i := range n {
		next, flags := uint64(head+32*(i+1)), uint64(0)
		if i == n-1 {
			next, flags = endOfChain, 1
		}
		b.put(uint64(head+32*i), next, length, flags, src(i), dst(i))
	}
	faults := []mem.Fault{{Lo: src(read) + 200, Hi: src(read) + 200, Resp: axi4.SlvErr}, {Write: true, Lo: dst(write), Hi: dst(write), Resp: axi4.DecErr}}
	errors := [2]int{}
	trace := b.data.Trace
	b.data.Trace = func(x *axi4.Sample) {
		trace(x)
		for i, met := range []bool{x.R.Valid && x.R.Ready && x.R.Resp != axi4.Okay, x.B.Valid && x.B.Ready && x.B.Resp != axi4.Okay} {
			if met {
				if errors[i]++; errors[i] == lasts {
					b.data.RemoveFault(faults[i])
				}
			}
		}
	}
	for _, f := range faults {
		b.data.AddFault(f)
	}
	b.write(0x18, policy)
	b.write(0, head)
	for {
		status := b.read(8)
		if status&1 == 0 {
			break
		}
		if status&16 == 0 {
			continue
		}
		stops++
		require.Less(t, stops, 100)
		failed := []int{read, write}[b.read(0x28)>>2]
		require.EqualValues(t, head+32*failed, b.read(0x10), "the descriptor")
		burst := b.read(0x30)
		require.Equal(t, []uint64{src(read) + 200, dst(write)}[b.read(0x28)>>2]&^7&^1023, burst&^1023)
		require.NotEqual(t, ^uint64(0), b.store.ReadWord(uint64(head+32*failed)), "not marked yet")
		b.write(0x20, answer)
	}
	b.ended()
	require.EqualValues(t, 4, b.read(8)&0x3d)
	require.Equal(t, 1+stops, b.irqs)
	for i := range n {
		mark := b.store.ReadWord(uint64(head + 32*i))
		if i == read {
			marks[0] = mark
		} else if i == write {
			marks[1] = mark
		} else {
			require.Equal(t, ^uint64(0), mark, "descriptor %d", i)
		}
		missing, wrong := 0, 0
		for k := range uint64(length) {
			if b.to.Writes(dst(i)+k) == 0 {
				missing++
			} else if b.to.Byte(dst(i)+k) != b.from.Byte(src(i)+k) {
				wrong++
			}
		}
		fine := i != read && i != write || marks[i/write] == ^uint64(0)
		switch {
		case fine:
			require.Zero(t, missing+wrong, "transfer %d", i)
		case i == read && (policy == frontend.PolicyGoOn || answer == backend.ActionContinue && policy == frontend.PolicyStop):
			require.Equal(t, []int{0, 8}, []int{missing, wrong}, "the word that came with the error")
		default:
			require.Positive(t, missing, "transfer %d", i)
			require.Zero(t, wrong)
		}
	}
	canaries := mem.NewStore(seed)
	canaries.Paint(seed, dst(0)-64, n*0x400)
	b.to.Pages(func(base uint64, p *mem.Page) bool {
		for i := range p.Data {
			if p.Writes[i] == 0 {
				require.Equal(t, canaries.Byte(base+uint64(i)), p.Data[i])
			} else {
				k := base + uint64(i) - dst(0)
				require.Less(t, k%0x400, uint64(length), "a byte beside the destinations")
				require.Less(t, k/0x400, uint64(n))
			}
		}
		return true
	})
	return marks, stops
}

// Bus errors of chains, with every policy and every answer of software, in whole engines: the chain
// goes to its end, and marks tell what failed.
func TestErrorsOfDescriptorsInWholeEngines(t *testing.T) {
	c := edit(idma.Desc64, func(c *idma.Config) { c.Backend.ErrorHandling, c.Descriptors.ErrorMarks = true, true })
	d, err := idma.Elaborate(c)
	require.NoError(t, err)
	const fine, slaveError, decodeError = ^uint64(0), 0xffffffff_00000002, 0xffffffff_00000007
	failed, replayed := [2]uint64{slaveError, decodeError}, [2]uint64{fine, fine}
	both, err := verilator.Couple(t.Context(), d, 9, verilator.Options{Quick: true}, verilator.LockstepOptions{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, both.Close()) })
	for _, x := range []struct {
		name           string
		policy, answer uint64
		lasts          int // errors until the fault is gone
		marks          [2]uint64
		stops          int
	}{
		{"stop, go on", frontend.PolicyStop, backend.ActionContinue, 1, failed, 2},
		{"stop, abort", frontend.PolicyStop, backend.ActionAbort, 1, failed, 2},
		{"stop, replay", frontend.PolicyStop, backend.ActionReplay, 3, replayed, 6},
		{"go on", frontend.PolicyGoOn, 0, 1, failed, 0},
		{"abort", frontend.PolicyAbort, 0, 1, failed, 0},
		{"replay", frontend.PolicyReplay | 3<<8, 0, 3, replayed, 0},
		{"replay too often", frontend.PolicyReplay | 3<<8, 0, 100, failed, 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			for seed, e := range []sim.Engine{goEngine(t, c, 1), both} {
				marks, stops := brokenChain(t, e, c, uint64(seed), x.policy, x.answer, x.lasts)
				require.Equal(t, fmt.Sprintf("%x", x.marks), fmt.Sprintf("%x", marks))
				require.Equal(t, x.stops, stops)
			}
		})
	}
}
