package midend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/midend"
)

func distOf(t testing.TB, outputs int, edits ...func(*midend.DistConfig)) (midend.DistConfig, *ir.Design) {
	t.Helper()
	c := midend.DefaultDist()
	c.Outputs = outputs
	for _, e := range edits {
		e(&c)
	}
	d, err := midend.ElaborateDist(c)
	require.NoError(t, err)
	return c, d
}

// distribution is a bench with a stage below each output.
type distribution struct {
	bench
	c      midend.DistConfig
	got    [][]linear // pieces of each output
	open   [][]answer // of each, that wait for their answer
	fails  map[linear]answer
	asked  []bool // with error handling: the piece at the head has been asked about
	awaits int    // output that waits for an action, or -1
	acted  int
}

func newDistribution(t testing.TB, e sim.Engine, c midend.DistConfig, seed uint64, stall int) *distribution {
	t.Helper()
	return &distribution{bench: *newBench(t, e, seed, stall), c: c, got: make([][]linear, c.Outputs), open: make([][]answer, c.Outputs),
		fails: map[linear]answer{}, asked: make([]bool, c.Outputs), awaits: -1}
}

func (b *distribution) step() {
	t, handled := b.t, b.c.Backend.ErrorHandling
	name := func(i int, n string) string { return fmt.Sprintf("down%d_%s", i, n) }
	if len(b.todo) > 0 && !b.on("up_req_valid") && b.now() {
		for n, v := range b.todo[0] {
			b.set("up_req_"+n, v)
		}
		b.set("up_req_valid", 1)
	}
	b.set("up_rsp_ready", bit(b.now()))
	if handled {
		b.set("up_action_valid", bit(b.awaits >= 0 && (b.on("up_action_valid") || b.now())))
		b.set("up_action_kind", uint64(b.acted%3))
	}
	for i := range b.c.Outputs {
		b.set(name(i, "req_ready"), bit(b.now()))
		offers := len(b.open[i]) > 0 && b.awaits != i && (b.on(name(i, "rsp_valid")) || b.now())
		b.set(name(i, "rsp_valid"), bit(offers))
		if handled {
			b.set(name(i, "action_ready"), bit(b.awaits == i && b.now()))
		}
		if !offers {
			continue
		}
		a := b.open[i][0]
		asks := handled && a.err == 1 && !b.asked[i]
		if handled {
			b.set(name(i, "rsp_asks"), bit(asks))
		}
		for n, v := range map[string]uint64{"last": a.last, "error": a.err & bit(asks || !handled), "cause": a.cause, "err_type": a.kind} {
			b.set(name(i, "rsp_"+n), v)
		}
	}
	require.NoError(t, b.Step())
	require.NoError(t, sim.Violations(b.Engine))
	for i := range b.c.Outputs {
		if b.on(name(i, "rsp_valid")) && b.on(name(i, "rsp_ready")) {
			b.set(name(i, "rsp_valid"), 0)
			if handled && b.open[i][0].err == 1 && !b.asked[i] {
				b.asked[i], b.awaits = true, i
				a := b.open[i][0]
				require.True(t, b.on("up_rsp_valid") && b.on("up_rsp_asks"), "a question is lost")
				require.Equal(t, answer{0, 1, a.cause, a.kind}, answer{b.get("up_rsp_last"), b.get("up_rsp_error"), b.get("up_rsp_cause"), b.get("up_rsp_err_type")})
			} else {
				b.open[i], b.asked[i] = b.open[i][1:], false
			}
		}
		if b.on(name(i, "req_valid")) && b.on(name(i, "req_ready")) {
			get := func(n string) uint64 { return b.get(name(i, "req_"+n)) }
			p := linear{get("src_addr"), get("dst_addr"), get("length"), get("id"), get("last")}
			a := b.fails[p]
			a.last = p.last
			b.got[i], b.open[i], b.at = append(b.got[i], p), append(b.open[i], a), append(b.at, b.cycle)
		}
		if handled && b.on(name(i, "action_valid")) && b.on(name(i, "action_ready")) {
			require.Equal(t, b.awaits, i)
			require.True(t, b.on("up_action_valid") && b.on("up_action_ready"))
			require.Equal(t, uint64(b.acted%3), b.get(name(i, "action_kind")))
			b.awaits = -1
			b.acted++
		}
	}
	if b.on("up_req_valid") && b.on("up_req_ready") {
		b.todo = b.todo[1:]
		b.set("up_req_valid", 0)
	}
	if b.on("up_rsp_valid") && b.on("up_rsp_ready") && !(handled && b.on("up_rsp_asks")) {
		get := func(n string) uint64 { return b.get("up_rsp_" + n) }
		b.answers = append(b.answers, answer{get("last"), get("error"), get("cause"), get("err_type")})
	}
	b.cycle++
}

func (b *distribution) run(requests int) {
	b.t.Helper()
	for i := 0; len(b.answers) < requests; i++ {
		require.Less(b.t, i, 200000, "%d of %d are answered", len(b.answers), requests)
		b.step()
	}
	for range 20 {
		b.step()
	}
	require.Len(b.t, b.answers, requests)
	require.False(b.t, b.on("busy"))
}

func randomDistribution(t *testing.T, e sim.Engine, c midend.DistConfig, seed uint64, n, stall int) {
	t.Helper()
	b := newDistribution(t, e, c, seed, stall)
	want := make([][]linear, c.Outputs)
	var answers []answer
	for k := range n {
		q := randomCut(&b.bench, c.Region, c.Backend.AddrWidth)
		q["src_addr"] = uint64(k) * 0x10000 // tells pieces apart
		if c.Region.Start < c.Region.End && k%2 == 0 {
			q["src_addr"] = c.Region.Start + b.rng.Uint64N(c.Region.End-c.Region.Start)
		}
		a := answer{last: q["last"]}
		for _, p := range cut(q["src_addr"], q["dst_addr"], q["length"], q["id"], c.Region, c.Backend.AddrWidth) {
			ref := p.dst
			if q["src_addr"] >= c.Region.Start && q["src_addr"] < c.Region.End {
				ref = p.src
			}
			to := ref / c.Region.Size % uint64(c.Outputs)
			want[to] = append(want[to], p)
			if x, again := b.fails[p]; again || b.rng.IntN(10) == 0 {
				if !again {
					x = answer{err: 1, cause: b.rng.Uint64N(4), kind: b.rng.Uint64N(3)}
				}
				b.fails[p] = x
				if a.err == 0 && !c.Backend.ErrorHandling {
					x.last = a.last
					a = x
				}
			}
		}
		answers = append(answers, a)
		b.todo = append(b.todo, q)
	}
	b.run(n)
	require.Equal(t, want, b.got)
	if !c.Backend.ErrorHandling {
		require.Equal(t, answers, b.answers)
		return
	}
	failed := 0
	for _, pieces := range want {
		for _, p := range pieces {
			failed += int(b.fails[p].err)
		}
	}
	require.Positive(t, failed)
	require.Equal(t, failed, b.acted, "each failure is asked about once")
	for i, a := range b.answers {
		require.Equal(t, []uint64{answers[i].last, 0}, []uint64{a.last, a.err}, "what was asked about is settled")
	}
}

// Starts in every part, lengths that wrap several times, and requests under way together.
func TestHazard30DistGivesEveryByteToItsOutput(t *testing.T) {
	for _, outputs := range []int{2, 4, 8, 16} {
		for k, edit := range []func(*midend.DistConfig){
			func(c *midend.DistConfig) { c.Region.Size = 32 },
			func(c *midend.DistConfig) {
				c.Region, c.InFlight = midend.Region{Size: 16, Start: 0x40_0000, End: 0x50_0000}, 2
			},
			func(c *midend.DistConfig) { c.Region.Size, c.Backend.ErrorHandling = 64, true },
		} {
			c, d := distOf(t, outputs, edit)
			for seed := uint64(1); seed <= 3; seed++ {
				randomDistribution(t, model(t, d, seed), c, seed+uint64(100*k), 50, []int{0, 20, 70}[seed%3])
			}
		}
	}
}

func TestDistInLockstep(t *testing.T) {
	for i, edit := range []func(*midend.DistConfig){
		func(c *midend.DistConfig) { c.Region.Size = 32 },
		func(c *midend.DistConfig) {
			c.Region, c.Backend.ErrorHandling = midend.Region{Size: 32, Start: 0x40_0000, End: 0x50_0000}, true
		},
	} {
		c, d := distOf(t, 4, edit)
		randomDistribution(t, both(t, d, 9), c, uint64(9+i), 60, 30)
	}
}

// Pieces go one a cycle, the first in the cycle of the request, and over all outputs
// while none of them has answered.
func TestDistLatency(t *testing.T) {
	c, d := distOf(t, 4, func(c *midend.DistConfig) { c.Region.Size = 16 })
	b := newDistribution(t, model(t, d, 1), c, 1, 0)
	for range 4 {
		b.todo = append(b.todo, request{"length": 128, "src_addr": 0, "dst_addr": 0x50})
	}
	b.run(4)
	require.Len(t, b.at, 32)
	require.Equal(t, 0, b.at[0])
	require.Equal(t, 31, b.at[31])
	for i, got := range b.got {
		require.Len(t, got, 8)
		require.Equal(t, uint64(i), got[0].dst>>4%4)
	}
}

func TestRegionsThatAreNone(t *testing.T) {
	c := midend.DefaultDist()
	c.Outputs, c.Region = 3, midend.Region{Size: 48, Start: 9, End: 8}
	require.EqualError(t, c.Validate(), "Outputs is 3; allowed: 2, 4, 8, 16 or 32\n"+
		"Region.Size is 48; allowed: a power of two from a bus word, 4, to half of what 32 bits of address hold\nRegion.End is 0x8; allowed: Region.Start, 0x9, or more")
	c = midend.DefaultDist()
	c.Outputs, c.Backend.AddrWidth, c.Backend.LengthWidth, c.Region.Size = 32, 12, 12, 256
	require.ErrorContains(t, c.Validate(), "Region.Size is 256; allowed: so little that a part for each of 32 outputs fits into 12 bits of address")
}
