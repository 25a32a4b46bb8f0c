package idma_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma"
	"github.com/millrace-hdl/millrace/idma/midend"
	"github.com/millrace-hdl/millrace/regs"
	"github.com/millrace-hdl/millrace/tb/axibus"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/regbus"
)

// sensor is a transfer of three dimensions as software has it: loops whose strides count
// from their base. Each of its rows is one burst.
type sensor struct {
	src, dst, length uint64
	loops            [2]midend.Loop
	period           int
}

// row is one of its linear transfers.
type row struct{ src, dst uint64 }

func (s sensor) rows() (all []row) {
	for k := range int64(s.loops[1].Reps) {
		for i := range int64(s.loops[0].Reps) {
			all = append(all, row{
				s.src + uint64(i*s.loops[0].SrcStride+k*s.loops[1].SrcStride), s.dst + uint64(i*s.loops[0].DstStride+k*s.loops[1].DstStride),
			})
		}
	}
	return all
}

// timed is an event at work, as its bursts are seen on the bus.
type timed struct {
	sensor
	all      []row
	launches []int // cycles in which the first burst was offered
	asked    int   // rows of the launch under way
	ended    int   // launches
	rewinds  int
	differs  map[uint64]int // what the bytes of some destinations are instead, or −1 for as before
}

// byteWant is what a destination byte has to be, and how often it was written.
type byteWant struct {
	value byte
	times int
}

// eventBench is software and a memory around an engine with reg_32_rt_3d. Sources are a memory
// of their own, whose contents change from launch to launch.
type eventBench struct {
	sim.Engine
	t              testing.TB
	c              idma.Config
	rng            *rand.Rand
	port           *regbus.Port
	table          map[string]regs.Register
	data           *axibus.Memory
	from, to       *mem.Store
	seed           uint64
	cycle          int
	waits          bool // a read was offered in the cycle before, and not taken
	events         []*timed
	missed, failed []int
	onFail         func(event int)
	want           map[uint64]byteWant
	twice          map[uint64]bool // bytes that one launch may write twice
	ordinary       uint64          // number of the last transfer launched by hand
}

func newEventBench(t testing.TB, e sim.Engine, c idma.Config, seed uint64, sensors []sensor) *eventBench {
	t.Helper()
	t.Logf("seed %d", seed)
	b := &eventBench{Engine: e, t: t, c: c, rng: rand.New(rand.NewPCG(seed, 17)), from: mem.NewStore(seed), to: mem.NewStore(seed), seed: seed,
		table: map[string]regs.Register{}, missed: make([]int, len(sensors)), failed: make([]int, len(sensors)), want: map[uint64]byteWant{}, twice: map[uint64]bool{}}
	front, _, _ := c.Frontends()
	for _, r := range front.Map().Registers {
		b.table[r.Name] = r
	}
	var err error
	b.port, err = regbus.New(e, "apb", "s_apb_", regbus.Options{Seed: seed})
	require.NoError(t, err)
	b.data, err = axibus.New(e, "m_axi_", mem.Config{ReadLatency: 7, WriteLatency: 9, Seed: seed}, b.from, b.to)
	require.NoError(t, err)
	b.data.Trace = b.look
	require.NoError(t, e.Reset(2))
	for _, s := range sensors {
		b.events = append(b.events, &timed{sensor: s, all: s.rows(), differs: map[uint64]int{}})
		b.to.Paint(seed, s.dst-64, 0x1000)
	}
	return b
}

// look finds launches in what the engine asks for.
func (b *eventBench) look(x *axi4.Sample) {
	if x.AR.Valid && !b.waits {
		for n, e := range b.events {
			if x.AR.Addr < e.src&^4095 || x.AR.Addr >= e.src&^4095+4096 {
				continue
			}
			k := slices.IndexFunc(e.all, func(r row) bool { return r.src&^uint64(b.lanes()-1) == x.AR.Addr })
			switch {
			case k != e.asked: // after an error rows that were read ahead are read again
				require.Equal(b.t, len(e.launches)-1, e.ended, "event %d, cycle %d: %#x, row %d", n, b.cycle, x.AR.Addr, k)
				e.rewinds++
			case k == 0:
				e.launches = append(e.launches, b.cycle)
			}
			e.asked = (k + 1) % len(e.all)
		}
	}
	b.waits = x.AR.Valid && !x.AR.Ready
}

func (b *eventBench) lanes() int { return b.c.Backend.DataWidth / 8 }

func (b *eventBench) get(name string) uint64 {
	p, err := b.Layout().Port(name)
	require.NoError(b.t, err)
	return b.Out()[p.Offset]
}

func (b *eventBench) step() {
	b.data.Drive()
	b.port.Drive()
	require.NoError(b.t, b.Step())
	require.NoError(b.t, b.port.Edge())
	b.data.Edge()
	for i := range b.events {
		b.missed[i] += int(b.get(fmt.Sprintf("event_missed%d", i)))
		if b.get(fmt.Sprintf("event_failed%d", i)) == 1 {
			b.failed[i]++
			if b.onFail != nil {
				b.onFail(i)
			}
		}
	}
	b.cycle++
}

func (b *eventBench) until(cycle int) {
	b.t.Helper()
	require.LessOrEqual(b.t, b.cycle, cycle, "too late")
	for b.cycle < cycle {
		b.step()
	}
}

// access is one over the bus, and the cycle in which that took it.
func (b *eventBench) access(a regbus.Access) (read uint64, taken int) {
	b.t.Helper()
	var got *regbus.Result
	b.port.Do(a, func(r regbus.Result) { got = &r })
	for i := 0; got == nil; i++ {
		require.Less(b.t, i, 20000, "%+v hangs", a)
		b.step()
	}
	require.False(b.t, got.Err, "%+v", a)
	return got.Read, got.Accepted
}

// write sets an element of a register, and returns when.
func (b *eventBench) write(name string, element int, v uint64) int {
	b.t.Helper()
	r, ok := b.table[name]
	require.True(b.t, ok, name)
	_, at := b.access(regbus.Access{Write: true, Addr: r.Offset + 4*uint64(element), Data: v & 0xffffffff, Strb: 15})
	return at
}

func (b *eventBench) read(name string) uint64 {
	b.t.Helper()
	v, _ := b.access(regbus.Access{Addr: b.table[name].Offset, Strb: 15})
	return v
}

// describe writes a transfer of three dimensions, of an event or to be launched by hand.
func (b *eventBench) describe(prefix string, element int, s sensor) {
	b.t.Helper()
	w := func(name string, v uint64) { b.write(prefix+name, element, v) }
	w("conf", 2<<10|3) // three dimensions, both decoupled
	w("src_addr", s.src)
	w("dst_addr", s.dst)
	w("length", s.length)
	for i, l := range midend.Jumps(s.loops[:]) {
		w(fmt.Sprintf("dim%d_src_stride", i), uint64(l.SrcStride))
		w(fmt.Sprintf("dim%d_dst_stride", i), uint64(l.DstStride))
		w(fmt.Sprintf("dim%d_reps", i), l.Reps)
	}
}

// program describes the events.
func (b *eventBench) program() {
	b.t.Helper()
	for i, e := range b.events {
		b.describe("event_", i, e.sensor)
		b.write("event_period", i, uint64(e.period))
	}
}

// enabled is the cycle from which an event that was enabled in that one would be seen on an
// idle bus: the register holds the one in the next cycle, the launch is offered two cycles
// after it is due, and the back-end offers the burst in the cycle after.
func enabled(taken int) int { return taken + 1 + 2 + 1 }

func (b *eventBench) enable(i int, on uint64) int { return b.write("event_enable", i, on) }

// launch launches what was described, by hand.
func (b *eventBench) launch(s sensor) {
	b.t.Helper()
	b.ordinary = b.read("next_id")
	for _, r := range s.rows() {
		for i := range s.length {
			b.want[r.dst+i] = byteWant{b.from.Byte(r.src + i), b.want[r.dst+i].times + 1}
		}
	}
}

func (b *eventBench) idle() bool { return int32(b.read("done_id")-b.ordinary) >= 0 }

// settled takes over the launches that have ended since it was called last, with what their
// rows brought, and gives the sensors new values. Meanwhile nothing is under way.
func (b *eventBench) settled() {
	b.t.Helper()
	r, w := b.data.Pending()
	require.Zero(b.t, r+w)
	for n, e := range b.events {
		require.Zero(b.t, e.asked, "event %d is under way", n)
		more := len(e.launches) - e.ended
		e.ended = len(e.launches)
		if more == 0 {
			continue
		}
		for _, r := range e.all {
			for i := range e.length {
				v := b.from.Byte(r.src + i)
				was, differs := e.differs[r.dst+i]
				switch {
				case differs && was < 0: // nothing was written in one of the launches
					x := b.want[r.dst+i]
					b.want[r.dst+i] = byteWant{x.value, x.times + more - 1}
				case differs:
					b.want[r.dst+i] = byteWant{byte(was), b.want[r.dst+i].times + more}
				default:
					b.want[r.dst+i] = byteWant{v, b.want[r.dst+i].times + more}
				}
				b.from.SetByte(r.src+i, byte(b.rng.Uint32()))
			}
		}
		clear(e.differs)
		b.compare(e.sensor)
	}
}

// compare holds the destination of a transfer against what is wanted.
func (b *eventBench) compare(s sensor) {
	b.t.Helper()
	for k, r := range s.rows() {
		for i := range s.length {
			w := b.want[r.dst+i]
			if w.times == 0 { // its only launch wrote nothing
				continue
			}
			require.Equal(b.t, w.value, b.to.Byte(r.dst+i), "row %d, byte %d at %#x, cycle %d", k, i, r.dst+i, b.cycle)
		}
	}
}

// finish compares all that was ever written, and that all else was not.
func (b *eventBench) finish() {
	b.t.Helper()
	b.settled()
	require.Zero(b.t, b.read("status"))
	require.NoError(b.t, b.data.Finish())
	require.NoError(b.t, b.port.Finish())
	require.NoError(b.t, sim.Violations(b.Engine))
	canaries := 0
	b.to.Pages(func(base uint64, p *mem.Page) bool {
		for i := range uint64(mem.PageBytes) {
			a := base + i
			w := b.want[a]
			if !b.twice[a] || int(p.Writes[i]) != w.times+1 {
				require.Equal(b.t, min(w.times, 255), int(p.Writes[i]), "how often %#x was written", a)
			}
			if w.times > 0 {
				require.Equal(b.t, w.value, p.Data[i], "%#x", a)
			} else {
				canaries++
			}
		}
		return true
	})
	require.Greater(b.t, canaries, 1000)
}
