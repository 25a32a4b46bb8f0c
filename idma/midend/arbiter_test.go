package midend_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/midend"
)

func arbiterOf(t testing.TB, edits ...func(*midend.ArbiterConfig)) (midend.ArbiterConfig, *ir.Design) {
	t.Helper()
	c := midend.DefaultArbiter()
	for _, e := range edits {
		e(&c)
	}
	d, err := midend.ElaborateArbiter(c)
	require.NoError(t, err)
	return c, d
}

// arbitration is a bench with a stage above each input. Requests carry their input and
// number in the source address, and the responses that number in the cause and type.
type arbitration struct {
	pins
	rng      *rand.Rand
	c        midend.ArbiterConfig
	stall    int
	left     []int // requests to be made, for each input
	made     []int
	answered []int
	passed   []int    // inputs in the order in which their requests went down
	open     []uint64 // requests that wait for their response
	asking   int      // actions that the oldest one waits for, with error handling
	asks     bool     // the response on offer is a question
	awaits   int      // input that is to act, or -1
}

func newArbitration(t testing.TB, e sim.Engine, c midend.ArbiterConfig, seed uint64, stall, each int) *arbitration {
	t.Helper()
	t.Logf("seed %d", seed)
	require.NoError(t, e.Reset(2))
	b := &arbitration{pins: pins{t, e}, rng: rand.New(rand.NewPCG(seed, 5)), c: c, stall: stall, made: make([]int, c.Inputs), answered: make([]int, c.Inputs), awaits: -1}
	for range c.Inputs {
		b.left = append(b.left, each)
	}
	return b
}

func (b *arbitration) now() bool { return b.rng.IntN(100) >= b.stall }

func tag(input, number int) uint64 { return uint64(input)<<16 | uint64(number) }

func (b *arbitration) step() {
	t, handled := b.t, b.c.Backend.ErrorHandling
	up := func(i int, name string) string { return fmt.Sprintf("up%d_%s", i, name) }
	for i := range b.c.Inputs {
		if !b.on(up(i, "req_valid")) && b.left[i] > 0 && b.now() {
			b.set(up(i, "req_valid"), 1)
			b.set(up(i, "req_src_addr"), tag(i, b.made[i]))
		}
		b.set(up(i, "rsp_ready"), bit(b.now()))
		if handled { // only the one that was asked acts
			b.set(up(i, "action_valid"), bit(b.awaits == i && (b.on(up(i, "action_valid")) || b.now())))
			b.set(up(i, "action_kind"), uint64(i%3))
		}
	}
	b.set("down_req_ready", bit(b.now()))
	if handled {
		b.set("down_action_ready", bit(b.now()))
	}
	offers := len(b.open) > 0 && b.awaits < 0 && (b.on("down_rsp_valid") || b.now())
	if offers && !b.on("down_rsp_valid") {
		b.asks = handled && b.asking < 2 && b.rng.IntN(3) == 0
		b.set("down_rsp_cause", b.open[0]&3)
		b.set("down_rsp_err_type", b.open[0]>>2&3)
		b.set("down_rsp_error", bit(b.asks))
		if handled {
			b.set("down_rsp_asks", bit(b.asks))
		}
	}
	b.set("down_rsp_valid", bit(offers))
	require.NoError(t, b.Step())
	require.NoError(t, sim.Violations(b.Engine))

	owner := -1
	if len(b.open) > 0 {
		owner = int(b.open[0] >> 16)
	}
	for i := range b.c.Inputs {
		if b.on(up(i, "req_valid")) && b.on(up(i, "req_ready")) {
			b.set(up(i, "req_valid"), 0)
			b.left[i]--
			b.made[i]++
		}
		if b.on(up(i, "rsp_valid")) && b.on(up(i, "rsp_ready")) {
			require.Equal(t, owner, i, "the response belongs to another")
			require.Equal(t, tag(i, b.answered[i])&15, b.get(up(i, "rsp_cause"))|b.get(up(i, "rsp_err_type"))<<2)
			require.True(t, b.on("down_rsp_ready"))
		}
		if handled && b.on(up(i, "action_valid")) && b.on(up(i, "action_ready")) {
			require.Equal(t, b.awaits, i)
			require.True(t, b.on("down_action_valid") && b.on("down_action_ready"))
			require.Equal(t, uint64(i%3), b.get("down_action_kind"))
			b.awaits = -1
		}
	}
	if offers && b.on("down_rsp_ready") {
		require.True(t, b.on(up(owner, "rsp_valid")))
		b.set("down_rsp_valid", 0)
		if b.asks {
			b.asking++
			b.awaits = owner
		} else {
			b.answered[owner]++
			b.asking, b.open = 0, b.open[1:]
		}
	}
	if b.on("down_req_valid") && b.on("down_req_ready") {
		at := b.get("down_req_src_addr")
		b.open, b.passed = append(b.open, at), append(b.passed, int(at>>16))
	}
}

func (b *arbitration) run(each int) {
	b.t.Helper()
	for i := 0; len(b.passed) < each*b.c.Inputs || len(b.open) > 0; i++ {
		require.Less(b.t, i, 100000)
		b.step()
	}
	for _, n := range b.answered {
		require.Equal(b.t, each, n)
	}
	b.step()
	require.False(b.t, b.on("busy"))
}

func handling(c *midend.ArbiterConfig) { c.Backend.ErrorHandling = true }

func TestArbiterAnswersWhoAsked(t *testing.T) {
	for _, inputs := range []int{2, 3, 10} {
		for i, edit := range []func(*midend.ArbiterConfig){func(*midend.ArbiterConfig) {}, handling, func(c *midend.ArbiterConfig) { c.Policy, c.Dims, c.InFlight = lib.Fixed, 1, 2 }} {
			c, d := arbiterOf(t, func(c *midend.ArbiterConfig) { c.Inputs = inputs }, edit)
			for seed := uint64(1); seed <= 3; seed++ {
				newArbitration(t, model(t, d, seed), c, seed+uint64(i), []int{0, 30, 70}[seed-1], 60).run(60)
			}
		}
	}
}

func TestArbiterInLockstep(t *testing.T) {
	c, d := arbiterOf(t, handling, func(c *midend.ArbiterConfig) { c.Inputs = 3 })
	newArbitration(t, both(t, d, 2), c, 2, 30, 60).run(60)
}

// By turns all get the same, one a cycle and without latency; by priority the lowest goes
// first.
func TestArbiterOrder(t *testing.T) {
	c, d := arbiterOf(t, func(c *midend.ArbiterConfig) { c.Inputs, c.InFlight = 4, 64 })
	b := newArbitration(t, model(t, d, 1), c, 1, 0, 8)
	for range 32 {
		b.step()
	}
	require.Len(t, b.passed, 32, "one a cycle from the first on")
	for k := 0; k < 32; k += 4 {
		require.ElementsMatch(t, []int{0, 1, 2, 3}, b.passed[k:k+4])
	}
	c, d = arbiterOf(t, func(c *midend.ArbiterConfig) { c.Inputs, c.InFlight, c.Policy = 3, 64, lib.Fixed })
	b = newArbitration(t, model(t, d, 1), c, 1, 0, 4)
	for range 12 {
		b.step()
	}
	require.Equal(t, []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, b.passed[:12])
}
