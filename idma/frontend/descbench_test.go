package frontend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/regbus"
)

func editDesc(edits ...func(*frontend.DescConfig)) frontend.DescConfig {
	c := frontend.DefaultDesc()
	for _, e := range edits {
		e(&c)
	}
	return c
}

func fetching(b frontend.FetchBus, width int) func(*frontend.DescConfig) {
	return func(c *frontend.DescConfig) { c.Fetch, c.FetchWidth = b, width }
}

// handled has error handling, and tells of errors in marks.
func handled(c *frontend.DescConfig) { c.Backend.ErrorHandling, c.ErrorMarks = true, true }

// descSpread is configurations from all over the parameter space.
func descSpread() []frontend.DescConfig {
	return []frontend.DescConfig{
		editDesc(),
		editDesc(fetching(frontend.FetchAXI4, 32), func(c *frontend.DescConfig) { c.RegWidth, c.Speculation, c.Bus = 32, 0, frontend.OBI }),
		editDesc(fetching(frontend.FetchAXI4, 256), func(c *frontend.DescConfig) { c.Pending, c.Heads, c.InFlight = 1, 1, 1 }),
		editDesc(fetching(frontend.FetchAXI4, 512), func(c *frontend.DescConfig) { c.Backend.AddrWidth, c.Speculation = 40, 1 }),
		editDesc(fetching(frontend.FetchAXI4, 1024), func(c *frontend.DescConfig) { c.Speculation, c.Pending = 16, 40 }),
		editDesc(fetching(frontend.FetchAXILite, 32), func(c *frontend.DescConfig) { c.Bus = frontend.AXILite }),
		editDesc(fetching(frontend.FetchAXILite, 64), func(c *frontend.DescConfig) {
			c.RegWidth, c.Backend.AddrWidth, c.Backend.IDWidth, c.Backend.Coupler = 32, 32, 3, false
		}),
		editDesc(fetching(frontend.FetchOBI, 32), func(c *frontend.DescConfig) { c.Backend.LengthWidth = 40 }),
		editDesc(fetching(frontend.FetchOBI, 64), func(c *frontend.DescConfig) { c.FetchIDWidth = 4 }),
		editDesc(handled),
		editDesc(fetching(frontend.FetchAXI4, 256), handled, func(c *frontend.DescConfig) {
			c.RegWidth, c.Backend.AddrWidth, c.Pending, c.Heads, c.InFlight = 32, 44, 1, 1, 1
		}),
		editDesc(fetching(frontend.FetchOBI, 32), handled),
		editDesc(fetching(frontend.FetchAXI4, 32), func(c *frontend.DescConfig) { c.ErrorMarks = true }),
	}
}

// descBench is a descriptor front-end with software, memory and an engine of Go.
type descBench struct {
	*bench
	cfg  frontend.DescConfig
	mem  *descMemory
	irqs int
	want []map[string]uint64 // requests to come
	at   []uint64            // their descriptors
	flag int                 // how many of them have the flag
	code map[uint64]uint32   // what marks of transfers that failed have over the length
}

func (b *descBench) drive() {}

func (b *descBench) edge() {
	if b.on("irq") {
		b.irqs++
	}
}

func newDescBench(t testing.TB, e sim.Engine, c frontend.DescConfig, seed uint64, stall, wait int) *descBench {
	t.Helper()
	p := pins{t, e}
	b := &descBench{cfg: c, mem: newDescMemory(t, p, c, seed, stall, wait), code: map[uint64]uint32{}}
	b.bench = newBench(t, e, frontend.Config{Options: frontend.Options{Bus: c.Bus, Ports: 1, Streams: 1}, Backend: c.Backend}, seed, 0)
	b.others = []agent{b.mem, b}
	return b
}

func descModel(t testing.TB, c frontend.DescConfig, seed uint64) sim.Engine {
	t.Helper()
	d, err := frontend.ElaborateDesc(c)
	require.NoError(t, err)
	return model(t, d, seed)
}

// put writes a descriptor into memory and notes the request that it stands for.
func (b *descBench) put(at, next uint64, length, flags uint32, src, dst uint64) {
	for i, v := range []uint64{uint64(length) | uint64(flags)<<32, next, src, dst} {
		b.mem.store.WriteWord(at+8*uint64(i), v, 255)
	}
	width := b.cfg.Backend.AddrWidth
	mask := ^uint64(0) >> (64 - width)
	f := func(lo, n int) uint64 { return uint64(flags) >> lo & (1<<n - 1) }
	want := map[string]uint64{
		"length": uint64(length), "src_addr": src & mask, "dst_addr": dst & mask, "user": 0, "last": 0, "decouple_rw": f(5, 1),
		"id": f(16, 8) & (1<<b.cfg.Backend.IDWidth - 1), "src_burst": f(1, 2), "dst_burst": f(3, 2), "src_cache": f(8, 4), "dst_cache": f(12, 4),
		"src_lock": 0, "src_prot": 0, "src_qos": 0, "src_region": 0, "dst_lock": 0, "dst_prot": 0, "dst_qos": 0, "dst_region": 0,
		"src_reduce_len": f(7, 1), "dst_reduce_len": f(7, 1), "src_max_llen": 0, "dst_max_llen": 0,
	}
	if b.cfg.Backend.Coupler {
		want["decouple_aw"] = f(6, 1)
	}
	b.want, b.at = append(b.want, want), append(b.at, at)
	b.flag += int(flags & 1)
}

// start writes the address of a chain.
func (b *descBench) start(at uint64) {
	if b.cfg.RegWidth == 64 {
		b.ports[0].Do(regbus.Access{Write: true, Addr: 0, Data: at, Strb: 255}, nil)
		return
	}
	b.ports[0].Do(regbus.Access{Write: true, Addr: 0, Data: at & (1<<32 - 1), Strb: 15}, nil)
	b.ports[0].Do(regbus.Access{Write: true, Addr: 4, Data: at >> 32, Strb: 15}, nil)
}

func (b *descBench) status() uint64 {
	b.t.Helper()
	return b.access(0, regbus.Access{Addr: 8, Strb: 255}).Read
}

// finish waits until nothing is busy, and requires that all that was put was requested
// and marked, in order, and that there were as many interrupts as flags.
func (b *descBench) finish() {
	b.t.Helper()
	b.until("the chains", 100000, func() bool { return b.ports[0].Open() == 0 && len(b.mem.marks) >= len(b.at) })
	for i := 0; b.status()&1 == 1; i++ {
		require.Less(b.t, i, 1000, "busy for ever")
	}
	require.Len(b.t, b.streams[0].got, len(b.want))
	for i, got := range b.streams[0].got {
		require.Equal(b.t, b.want[i], without(got.fields), "request %d", i)
	}
	require.Equal(b.t, b.at, b.mem.marks, "marks, in order")
	for _, a := range b.at {
		mark := ^uint64(0)
		if code, failed := b.code[a]; failed {
			mark = mark<<32 | uint64(code)
		}
		require.Equal(b.t, mark, b.mem.store.ReadWord(a), "the mark at %#x", a)
		require.Equal(b.t, 2, b.mem.store.Writes(a), "marked once")
		require.Equal(b.t, 1, b.mem.store.Writes(a+8), "nothing else is written")
	}
	require.Equal(b.t, b.flag, b.irqs, "an interrupt for each flag")
	if b.mem.axi != nil {
		b.mem.axi.finish()
	}
	require.NoError(b.t, sim.Violations(b.Engine))
}

const endOfChain = ^uint64(0)

// randomChains launches chains of all shapes: descriptors that follow each other,
// that skip, and that go back, in memory.
func randomChains(t *testing.T, e sim.Engine, c frontend.DescConfig, seed uint64, chains int) {
	t.Helper()
	b := newDescBench(t, e, c, seed, int(seed*13%60), 1+int(seed*5%30))
	b.streams[0].percent = 10 + b.rng.IntN(91)
	used := map[uint64]bool{}
	free := func(at uint64) bool { return !used[at] && at < 1<<20 }
	fresh := func() uint64 {
		for {
			if a := b.rng.Uint64N(1<<20) &^ 31; free(a) {
				return a
			}
		}
	}
	at := fresh()
	for range chains {
		if next := at + 32; b.rng.IntN(3) > 0 && free(next) { // the next chain behind the last one
			at = next
		} else {
			at = fresh()
		}
		head := at
		for n := 1 + b.rng.IntN(6); ; n-- {
			used[at] = true
			next := endOfChain
			if n > 1 {
				switch b.rng.IntN(4) {
				case 0:
					next = fresh()
				case 1:
					if next = at + 32*uint64(2+b.rng.IntN(4)); !free(next) { // skips forward, hazard 35
						next = fresh()
					}
				default:
					if next = at + 32; !free(next) {
						next = fresh()
					}
				}
			}
			b.put(at, next, b.rng.Uint32(), b.rng.Uint32(), b.rng.Uint64(), b.rng.Uint64())
			if next == endOfChain {
				break
			}
			at = next
		}
		b.start(head)
		for range b.rng.IntN(40) {
			b.step()
		}
	}
	b.finish()
}
