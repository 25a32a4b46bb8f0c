package frontend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/mem"
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
	b := &descBench{cfg: c, mem: newDescMemory(t, p, c, seed, stall, wait)}
	b.bench = newBench(t, e, frontend.Config{Bus: c.Bus, Ports: 1, Streams: 1, Backend: c.Backend}, seed, 0)
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
		require.Equal(b.t, ^uint64(0), b.mem.store.ReadWord(a))
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

func TestDescRandomChains(t *testing.T) {
	for i, c := range descSpread() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			for seed := uint64(1); seed <= 4; seed++ {
				randomChains(t, descModel(t, c, seed), c, seed*10+uint64(i), 40)
			}
		})
	}
}

func TestDescInLockstep(t *testing.T) {
	for i, c := range []frontend.DescConfig{editDesc(), editDesc(fetching(frontend.FetchOBI, 32))} {
		d, err := frontend.ElaborateDesc(c)
		require.NoError(t, err)
		randomChains(t, both(t, d, 3), c, uint64(i+3), 25)
	}
}

// wholeDescIO is a descriptor front-end with a back-end behind it.
type wholeDescIO struct {
	S        bus.APB        `hdl:"in,name=s_apb"`
	DescRead bus.AXI4Reads  `hdl:"name=m_axi_desc"`
	DescMark bus.AXI4Writes `hdl:"name=m_axi_desc"`
	Read     bus.AXI4Reads  `hdl:"name=m_axi"`
	Write    bus.AXI4Writes `hdl:"name=m_axi"`
	IRQ      hdl.Var        `hdl:"name=irq"`
}

// The whole path: chains of descriptors in memory move memory.
func TestDescriptorsMoveMemory(t *testing.T) {
	c := editDesc()
	d, err := hdl.Elaborate(func(m *hdl.Module, c frontend.DescConfig) wholeDescIO {
		front, back := hdl.Inst(m, "u_front", frontend.Desc, c), hdl.Inst(m, "u_back", backend.Backend, c.Backend)
		w := c.Map().Widths()
		desc := bus.NewAXI4(bus.AXI4Params{DataWidth: c.FetchWidth, AddrWidth: c.Backend.AddrWidth, IDWidth: c.FetchIDWidth, UserWidth: 1})
		data := bus.NewAXI4(bus.AXI4Params{DataWidth: c.Backend.DataWidth, AddrWidth: c.Backend.AddrWidth, IDWidth: c.Backend.IDWidth, UserWidth: c.Backend.UserWidth})
		io := hdl.Ports(m, "", hdl.Source, wholeDescIO{
			bus.NewAPB(bus.APBParams{DataWidth: w.DataWidth, AddrWidth: w.AddrWidth}), desc.AXI4Reads, desc.AXI4Writes, data.AXI4Reads, data.AXI4Writes, hdl.Bool(),
		}, hdl.MayBeUnused())
		hdl.Connect(front.APB[0], io.S)
		hdl.Connect(io.DescRead, front.AXIReads[0])
		hdl.Connect(io.DescMark, front.AXIWrites[0])
		hdl.Connect(io.Read, back.AXIReads[0])
		hdl.Connect(io.Write, back.AXIWrites[0])
		hdl.Connect(back.Req, front.Req)
		hdl.Connect(front.Rsp, back.Rsp)
		io.IRQ.Set(front.IRQ)
		return io
	}, c, hdl.Named("whole_desc"), hdl.Prefix("idma_"))
	require.NoError(t, err)
	for seed := uint64(1); seed <= 3; seed++ {
		p := pins{t, model(t, d, seed)}
		b := &descBench{cfg: c, mem: newDescMemory(t, p, c, seed, 10, 9)}
		b.bench = newBench(t, p.Engine, frontend.Config{Bus: c.Bus, Ports: 1, Backend: c.Backend}, seed, 0)
		store := mem.NewStore(seed)
		data := newAXIMemory(p, "m_axi_", c.Backend.DataWidth/8, store, seed, mem.Config{ReadLatency: 5, WriteLatency: 9, Stalls: mem.AllStalls(10)})
		b.others = []agent{b.mem, b, data}
		want := map[uint64]byte{}
		at := uint64(0x8000)
		for i := range uint64(40) {
			next := at + 32*(1+b.rng.Uint64N(3))
			src, dst, length := 0x100000+b.rng.Uint64N(0x10000), 0x200000+0x800*i+b.rng.Uint64N(64), 1+b.rng.Uint64N(700)
			if i%8 == 7 {
				b.put(at, endOfChain, uint32(length), 0x0b|uint32(b.rng.IntN(8))<<5, src, dst)
			} else {
				b.put(at, next, uint32(length), 0x0a|uint32(b.rng.IntN(8))<<5, src, dst)
			}
			for k := range length {
				want[dst+k] = store.Byte(src + k)
			}
			at = next
		}
		for i := range b.at {
			if i%8 == 0 {
				b.start(b.at[i])
			}
		}
		b.until("all marks", 50000, func() bool { return len(b.mem.marks) == len(b.at) })
		require.Equal(t, b.at, b.mem.marks)
		require.Equal(t, 5, b.irqs)
		require.Zero(t, b.status())
		data.finish()
		b.mem.axi.finish()
		store.Pages(func(base uint64, page *mem.Page) bool {
			for i := range page.Data {
				v, moved := want[base+uint64(i)]
				require.Equal(t, moved, page.Writes[i] > 0, "byte %#x", base+uint64(i))
				if moved {
					require.Equal(t, v, page.Data[i], "byte %#x", base+uint64(i))
				}
			}
			return true
		})
	}
}

// Hazard 36: gaps between the beats of a descriptor doubled interrupts.
func TestHazard36OneInterruptForEachFlag(t *testing.T) {
	for _, stall := range []int{0, 40, 80} {
		c := editDesc()
		b := newDescBench(t, descModel(t, c, 1), c, 1, stall, 3)
		for i := range uint64(30) {
			next := 0x1000 + 32*(i+1)
			if i == 29 {
				next = endOfChain
			}
			b.put(0x1000+32*i, next, 8, 0x0a|uint32(i%3&1), 0, 0)
		}
		b.start(0x1000)
		b.finish()
		require.Equal(t, 10, b.irqs)
	}
}

// A chain that is launched may lie where a speculative fetch was before software wrote
// it: what was fetched then must not be used.
func TestDescriptorsWrittenAfterASpeculativeFetch(t *testing.T) {
	for delay := range 40 {
		c := editDesc()
		b := newDescBench(t, descModel(t, c, 1), c, 1, 0, 20)
		b.put(0x1000, endOfChain, 8, 0x0a, 1, 2)
		b.start(0x1000)
		for range delay {
			b.step()
		}
		b.put(0x1020, endOfChain, 16, 0x0a, 3, 4)
		b.start(0x1020)
		b.finish()
	}
}

// Descriptors in a row come as fast as their beats: fetching ahead hides the latency of
// the memory. A link elsewhere costs no more than without.
func TestSpeculationHidesLatency(t *testing.T) {
	run := func(speculation int, stride uint64) int {
		c := editDesc(func(c *frontend.DescConfig) { c.Speculation, c.Pending = speculation, 16 })
		b := newDescBench(t, descModel(t, c, 1), c, 1, 0, 20)
		const n = 20
		for i := range uint64(n) {
			next := 0x1000 + stride*(i+1)
			if i == n-1 {
				next = endOfChain
			}
			b.put(0x1000+stride*i, next, 8, 0x0a, 0, 0)
		}
		b.start(0x1000)
		b.until("requests", 5000, func() bool { return len(b.streams[0].got) == n })
		got := b.streams[0].got
		cycles := got[n-1].cycle - got[0].cycle
		b.finish()
		return cycles
	}
	// Without, a round trip a descriptor: 20 cycles of latency, 3 more beats, and 2 cycles
	// from the last beat over the link to the next request on the bus.
	require.Equal(t, 19*25, run(0, 32))
	require.Equal(t, 19*25, run(0, 64))
	require.LessOrEqual(t, run(4, 32), 19*25/4)
	require.Equal(t, 19*25, run(4, 64), "what was fetched in vain costs nothing")
	require.Equal(t, 19*4, run(12, 32), "as fast as the beats")
}

// Cycles from the write of desc_addr to the first fetch, and from the last beat of a
// descriptor to its request.
func TestLatencyOfDescriptors(t *testing.T) {
	c := editDesc()
	b := newDescBench(t, descModel(t, c, 1), c, 1, 0, 1)
	b.put(0x1000, endOfChain, 8, 0x0a, 0, 0)
	accepted := 0
	b.ports[0].Do(regbus.Access{Write: true, Addr: 0, Data: 0x1000, Strb: 255}, func(r regbus.Result) { accepted = r.Accepted })
	fetched, came := 0, 0
	b.until("request", 50, func() bool {
		if fetched == 0 && len(b.mem.reads) > 0 {
			fetched = b.cycle - 1
		}
		if came == 0 && b.on("m_axi_desc_rvalid") && b.on("m_axi_desc_rlast") {
			came = b.cycle - 1
		}
		return len(b.streams[0].got) > 0
	})
	require.Equal(t, 2, fetched-accepted)
	require.Equal(t, 1, b.streams[0].got[0].cycle-came)
	b.finish()
}

// Errors are told with the address of the descriptor, and end nothing but their chain.
func TestDescErrors(t *testing.T) {
	for _, c := range []frontend.DescConfig{editDesc(), editDesc(fetching(frontend.FetchAXILite, 32)), editDesc(fetching(frontend.FetchOBI, 64), func(c *frontend.DescConfig) { c.RegWidth = 32 })} {
		b := newDescBench(t, descModel(t, c, 1), c, 1, 10, 4)
		where := func() uint64 {
			v := b.access(0, regbus.Access{Addr: 0x10, Strb: 255}).Read
			if c.RegWidth == 32 {
				v |= b.read(0, 0x14) << 32
			}
			return v
		}
		clear := func() {
			require.False(t, b.access(0, regbus.Access{Write: true, Addr: 8, Data: 12, Strb: 1}).Err)
			require.Zero(t, b.status()&12)
		}
		idle := func() {
			for b.status()&1 == 1 {
			}
		}
		b.put(0x1000, 0x1020, 8, 0x0a, 0, 0)
		b.put(0x1020, 0x1040, 0, 0x0b, 0, 0)
		b.put(0x1040, endOfChain, 8, 0x0a, 0, 0)
		b.streams[0].errors = []reply{{}, {kind: backend.ErrRefused}}
		b.start(0x1000)
		b.finish()
		require.EqualValues(t, 4, b.status())
		require.EqualValues(t, 0x1020, where())
		clear()

		// The second descriptor of a chain cannot be fetched; the next chain is not touched.
		if b.mem.axi != nil {
			b.mem.axi.memory.AddFault(mem.Fault{Lo: 0x2030, Hi: 0x2030, Resp: axi4.SlvErr})
		}
		b.mem.fail = func(a uint64) bool { return a == 0x2020 }
		n := len(b.want)
		b.put(0x2000, 0x2020, 8, 0x0a, 0, 0)
		b.start(0x2000)
		b.put(0x3000, endOfChain, 8, 0x0a, 0, 0)
		b.start(0x3000)
		b.until("both", 3000, func() bool { return len(b.mem.marks) == n+2 })
		idle()
		require.EqualValues(t, 8, b.status())
		require.EqualValues(t, 0x2020, where())
		b.flag++ // an interrupt tells of it
		clear()

		// A descriptor cannot be marked.
		if b.mem.axi != nil {
			b.mem.axi.memory.AddFault(mem.Fault{Write: true, Lo: 0x4000, Hi: 0x4000, Resp: axi4.SlvErr})
		}
		b.mem.fail = func(a uint64) bool { return a == 0x4000 && len(b.streams[0].got) > n+2 }
		b.put(0x4000, endOfChain, 8, 0x0a, 0, 0)
		b.start(0x4000)
		b.until("the answer", 3000, func() bool { return len(b.mem.marks) == n+3 })
		idle()
		require.EqualValues(t, 8, b.status())
		require.EqualValues(t, 0x4000, where())
		require.Equal(t, b.flag, b.irqs)
	}
}

// While too many chains wait, the write waits, and status says so before.
func TestDescWritesWaitForAPlace(t *testing.T) {
	c := editDesc(func(c *frontend.DescConfig) { c.Heads, c.Pending, c.Speculation, c.InFlight = 2, 1, 0, 1 })
	b := newDescBench(t, descModel(t, c, 1), c, 1, 0, 2)
	b.streams[0].percent = 0
	for i := range uint64(5) {
		b.put(0x1000*(i+1), endOfChain, uint32(i), 0x0a, 0, 0)
	}
	for i := range uint64(3) {
		b.start(0x1000 * (i + 1))
		for range 20 {
			b.step()
		}
	}
	require.EqualValues(t, 3, b.status(), "one is fetched, two wait")
	b.start(0x4000)
	b.start(0x5000)
	for range 50 {
		b.step()
	}
	require.Equal(t, 2, b.ports[0].Open())
	b.streams[0].percent = 100
	b.finish()
}

func TestDescValidateNamesTheField(t *testing.T) {
	for _, c := range descSpread() {
		require.NoError(t, c.Validate())
	}
	for _, c := range []struct {
		edit func(c *frontend.DescConfig)
		want string
	}{
		{func(c *frontend.DescConfig) { c.Bus = 3 }, "Bus is Bus(3); allowed: apb, axi_lite, obi"},
		{func(c *frontend.DescConfig) { c.RegWidth = 16 }, "RegWidth is 16; allowed: 32 or 64"},
		{func(c *frontend.DescConfig) { c.PortIDWidth = 0 }, "PortIDWidth is 0; allowed: 1 to 32"},
		{func(c *frontend.DescConfig) { c.Fetch = 3 }, "Fetch is FetchBus(3); allowed: axi4, axi_lite, obi"},
		{func(c *frontend.DescConfig) { c.FetchWidth = 16 }, "FetchWidth is 16; allowed: a power of two, 32 to 1024"},
		{fetching(frontend.FetchOBI, 128), "FetchWidth is 128; allowed: a power of two, 32 to 64"},
		{func(c *frontend.DescConfig) { c.FetchIDWidth = 33 }, "FetchIDWidth is 33; allowed: 1 to 32"},
		{func(c *frontend.DescConfig) { c.Heads = 0 }, "Heads is 0; allowed: 1 to 64"},
		{func(c *frontend.DescConfig) { c.Pending = 65 }, "Pending is 65; allowed: 1 to 64"},
		{func(c *frontend.DescConfig) { c.Speculation = 17 }, "Speculation is 17; allowed: 0 to 16"},
		{func(c *frontend.DescConfig) { c.InFlight = -1 }, "InFlight is -1; allowed: 0 to 1024"},
		{func(c *frontend.DescConfig) { c.Backend.ErrorHandling = true }, "Backend.ErrorHandling is true; allowed: false"},
		{func(c *frontend.DescConfig) { c.Backend.LengthWidth = 31 }, "Backend.LengthWidth is 31; allowed: 32 or more"},
		{func(c *frontend.DescConfig) { c.Backend.Outstanding = 0 }, "in Backend: Outstanding is 0"},
	} {
		require.ErrorContains(t, editDesc(c.edit).Validate(), c.want)
	}
	var b frontend.FetchBus
	require.NoError(t, b.UnmarshalText([]byte("obi")))
	require.EqualError(t, b.UnmarshalText([]byte("apb")), `"apb" is no bus of descriptors; choose from axi4, axi_lite, obi`)
}

func TestToolsAcceptTheDescriptorFrontEnd(t *testing.T) {
	for i, c := range descSpread() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			d, err := frontend.ElaborateDesc(c)
			require.NoError(t, err)
			files, err := gen.Emit(d, gen.Options{})
			require.NoError(t, err)
			dir := t.TempDir()
			require.NoError(t, gen.WriteDir(dir, files))
			for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, lint.All()) {
				require.NoError(t, r.Err, "%s: %s", r.Tool, r.Output)
				require.Empty(t, r.Output, r.Tool)
			}
			// Hazard 35: a loop through prefetch. Elaboration refuses loops; a valid that depends
			// on a ready would close one outside.
			paths, err := check.CombPaths(d)
			require.NoError(t, err)
			for _, p := range paths {
				if name := p.Output.Name; name == "req_valid" || name == "m_axi_desc_arvalid" || name == "m_axi_desc_awvalid" || name == "m_axi_desc_wvalid" {
					t.Errorf("%s depends on %s", name, p.Input.Name)
				}
			}
		})
	}
}
