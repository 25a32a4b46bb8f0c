package midend_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/midend"
)

func rtOf(t testing.TB, edits ...func(*midend.RTConfig)) (midend.RTConfig, *ir.Design) {
	t.Helper()
	c := midend.DefaultRT()
	for _, e := range edits {
		e(&c)
	}
	d, err := midend.ElaborateRT(c)
	require.NoError(t, err)
	return c, d
}

// timed is a bench with software that sets events, a stage above, and one below. Requests
// carry in the source address who made them: the number of the event, or bypass.
type timed struct {
	pins
	c        midend.RTConfig
	rng      *rand.Rand
	stall    int
	cycle    int
	in       map[string]*uint64
	out      map[string]*uint64
	events   []event
	open     []uint64 // who waits for a response
	withheld bool     // no responses
	bypass   int      // requests from above that are still to be made
	asked    bool     // the oldest has been asked about
	acts     bool     // an action is awaited
	launches []moment
	answered int // of those from above
	failed   []int
	actions  []uint64
}

// bypass is the source address of requests from above.
const bypass = 0x80

type moment struct {
	who   uint64
	cycle int
}

// event is the specification, §3.5: a launch comes due when enabled and every so many
// enabled cycles after that.
type event struct {
	on                 bool
	period             int
	enabledFor         int // cycles so far
	due, taken, missed int
}

func newTimed(t testing.TB, e sim.Engine, c midend.RTConfig, seed uint64, stall int) *timed {
	t.Helper()
	t.Logf("seed %d", seed)
	require.NoError(t, e.Reset(2))
	b := &timed{pins: pins{t, e}, c: c, rng: rand.New(rand.NewPCG(seed, 9)), stall: stall, in: map[string]*uint64{}, out: map[string]*uint64{}, events: make([]event, c.Events), failed: make([]int, c.Events)}
	for _, p := range e.Layout().Inputs {
		b.in[p.Name] = &e.In()[p.Offset]
	}
	for _, p := range e.Layout().Outputs {
		b.out[p.Name] = &e.Out()[p.Offset]
	}
	for i := range c.Events {
		*b.in[fmt.Sprintf("event%d_src_addr", i)] = uint64(i)
		*b.in[fmt.Sprintf("event%d_src_burst", i)] = 1
		*b.in[fmt.Sprintf("event%d_user", i)] = uint64(i & 1)
		for k := range c.Dims - 1 {
			*b.in[fmt.Sprintf("event%d_dim_%d_reps", i, k)] = uint64(10*i + k + 1)
		}
	}
	*b.in["up_req_src_addr"] = bypass
	return b
}

func (b *timed) enable(i, period int, on bool) {
	b.events[i].on, b.events[i].period = on, period
	*b.in[fmt.Sprintf("event%d_enable", i)] = bit(on)
	*b.in[fmt.Sprintf("event%d_period", i)] = uint64(period)
}

func (b *timed) now() bool { return b.stall == 0 || b.rng.IntN(100) >= b.stall }

func (b *timed) step() {
	t, handled := b.t, b.c.Backend.ErrorHandling
	*b.in["down_req_ready"] = bit(b.now())
	*b.in["up_rsp_ready"] = bit(b.now())
	if *b.in["up_req_valid"] == 0 && b.bypass > 0 && b.now() {
		*b.in["up_req_valid"] = 1
	}
	offers := len(b.open) > 0 && !b.withheld && !b.acts && (*b.in["down_rsp_valid"] == 1 || b.now())
	if offers && *b.in["down_rsp_valid"] == 0 {
		failed := b.rng.IntN(5) == 0 && !b.asked && b.open[0] != bypass
		*b.in["down_rsp_error"] = bit(failed)
		if handled {
			*b.in["down_rsp_asks"] = bit(failed)
		}
	}
	*b.in["down_rsp_valid"] = bit(offers)
	if handled {
		*b.in["down_action_ready"] = bit(b.acts && b.now())
	}
	require.NoError(t, b.Step())
	for i := range b.events {
		e := &b.events[i]
		if e.on {
			if e.enabledFor%max(e.period, 1) == 0 {
				e.due++
				e.missed += int(*b.out[fmt.Sprintf("missed%d", i)])
			}
			e.enabledFor++
		}
		if *b.out[fmt.Sprintf("failed%d", i)] == 1 {
			b.failed[i]++
		}
	}
	if handled && *b.out["down_action_valid"] == 1 && *b.in["down_action_ready"] == 1 {
		require.True(t, b.acts)
		b.acts = false
		b.actions = append(b.actions, *b.out["down_action_kind"])
	}
	if offers && *b.out["down_rsp_ready"] == 1 {
		*b.in["down_rsp_valid"] = 0
		wrong := *b.in["down_rsp_error"] == 1
		if wrong {
			i := b.open[0]
			require.Equal(t, uint64(1), *b.out[fmt.Sprintf("failed%d", i)])
		}
		if handled && wrong {
			b.acts, b.asked = true, true
		} else {
			b.open, b.asked = b.open[1:], false
		}
	}
	if *b.out["up_rsp_valid"] == 1 && *b.in["up_rsp_ready"] == 1 {
		b.answered++
	}
	if *b.in["up_req_valid"] == 1 && *b.out["up_req_ready"] == 1 {
		*b.in["up_req_valid"] = 0
		b.bypass--
	}
	if *b.out["down_req_valid"] == 1 && *b.in["down_req_ready"] == 1 {
		who := *b.out["down_req_src_addr"]
		b.open = append(b.open, who)
		if who != bypass {
			b.events[who].taken++
			require.Equal(t, who&1, *b.out["down_req_user"])
			require.Equal(t, uint64(1), *b.out["down_req_src_burst"])
			for k := range b.c.Dims - 1 {
				require.Equal(t, 10*who+uint64(k)+1, *b.out[fmt.Sprintf("down_req_dim_%d_reps", k)])
			}
		}
		b.launches = append(b.launches, moment{who, b.cycle})
	}
	b.cycle++
}

// settle disables the events after what they owe has gone, and requires that no launch was
// lost or made twice.
func (b *timed) settle() {
	b.t.Helper()
	for i := range b.events {
		b.events[i].on = false // the period never ends again
		*b.in[fmt.Sprintf("event%d_period", i)] = 1 << 31
	}
	for range 3000 {
		b.step()
	}
	for i, e := range b.events {
		if e.enabledFor == 0 {
			require.Zero(b.t, e.taken)
			continue
		}
		more := e.taken - (e.due - e.missed)
		require.True(b.t, more == 0 || more == 1, "event %d came due %d times, missed %d and was launched %d times", i, e.due, e.missed, e.taken)
	}
	require.NoError(b.t, sim.Violations(b.Engine))
}

// An event alone is launched two cycles after it is due, always.
func TestEventLatency(t *testing.T) {
	c, d := rtOf(t, func(c *midend.RTConfig) { c.Events = 1 })
	for _, period := range []int{0, 1, 2, 17} {
		b := newTimed(t, model(t, d, 1), c, 1, 0)
		b.enable(0, period, true)
		for range 200 {
			b.step()
		}
		for k, l := range b.launches {
			require.Equal(t, k*max(period, 1)+2, l.cycle)
		}
		require.Len(t, b.launches, (200-2+max(period, 1)-1)/max(period, 1))
	}
}

// Random stalls, events that come and go, and requests from above.
func TestEventsAreLaunchedOnce(t *testing.T) {
	for i, edit := range []func(*midend.RTConfig){
		func(*midend.RTConfig) {}, func(c *midend.RTConfig) { c.Owed, c.Events = 1, 3 },
		func(c *midend.RTConfig) { c.Backend.ErrorHandling, c.Action = true, backend.ActionReplay }, func(c *midend.RTConfig) { c.Dims, c.InFlight = 1, 1 },
	} {
		c, d := rtOf(t, edit)
		for seed := uint64(1); seed <= 3; seed++ {
			b := newTimed(t, model(t, d, seed), c, seed+uint64(10*i), []int{0, 30, 70}[seed-1])
			asked := 0
			for range 3000 {
				if b.rng.IntN(200) == 0 {
					e := b.rng.IntN(c.Events)
					if b.events[e].enabledFor == 0 {
						b.enable(e, 20+b.rng.IntN(300), true)
					}
				}
				if b.bypass == 0 && b.rng.IntN(50) == 0 {
					b.bypass = 1 + b.rng.IntN(4)
					asked += b.bypass
				}
				b.step()
			}
			b.settle()
			require.Equal(t, asked, b.answered, "each request from above is answered, and nothing else")
			for _, a := range b.actions {
				require.Equal(t, uint64(c.Action), a)
			}
			if c.Backend.ErrorHandling {
				require.NotEmpty(t, b.actions)
			}
		}
	}
}

func TestEventsInLockstep(t *testing.T) {
	c, d := rtOf(t)
	b := newTimed(t, both(t, d, 4), c, 4, 20)
	for i := range c.Events {
		b.enable(i, 40+7*i, true)
	}
	b.bypass = 100
	for range 3000 {
		b.step()
	}
	b.settle()
	require.Equal(t, 100, b.answered)
}

// Shapes of both loops, INCR bursts and user bits are those of the event: the bench
// compares them in every launch.
func TestHazard31EventsKeepTheirShapes(t *testing.T) {
	c, d := rtOf(t, func(c *midend.RTConfig) { c.Dims = 3 })
	b := newTimed(t, model(t, d, 1), c, 1, 0)
	for i := range c.Events {
		b.enable(i, 30, true)
	}
	for range 300 {
		b.step()
	}
	require.GreaterOrEqual(t, len(b.launches), 72)
	require.Equal(t, uint64(72), *b.in["event7_dim_1_reps"])
}

// While responses are withheld no more launches go than may be in flight, though the stage
// below is ready; afterwards each goes once.
func TestHazard32NoLaunchGoesTwice(t *testing.T) {
	c, d := rtOf(t, func(c *midend.RTConfig) { c.InFlight, c.Events, c.Owed = 2, 2, 255 })
	b := newTimed(t, model(t, d, 1), c, 1, 0)
	b.withheld = true
	b.enable(0, 10, true)
	b.enable(1, 10, true)
	for range 200 {
		b.step()
	}
	require.LessOrEqual(t, len(b.launches), 3, "two in flight, and one in the register of the queue")
	b.withheld = false
	b.settle()
	for _, e := range b.events {
		require.Zero(t, e.missed)
		require.GreaterOrEqual(t, e.taken, 20)
	}
}
