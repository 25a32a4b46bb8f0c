package midend_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/verilator"
)

// model is the running Go model of a design.
func model(t testing.TB, d *ir.Design, seed uint64) sim.Engine {
	t.Helper()
	m, err := sim.New(d, sim.Options{Seed: seed})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// both is the Go model and the RTL in lockstep.
func both(t testing.TB, d *ir.Design, seed uint64) sim.Engine {
	t.Helper()
	e, err := verilator.Couple(t.Context(), d, seed, verilator.Options{Quick: true}, verilator.LockstepOptions{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// pins are the ports of an engine by name.
type pins struct {
	t testing.TB
	sim.Engine
}

func (p pins) set(name string, v uint64) {
	port, err := p.Layout().Port(name)
	require.NoError(p.t, err)
	require.True(p.t, port.Type.Width == 64 || v>>port.Type.Width == 0, "%s does not hold %#x", name, v)
	p.In()[port.Offset] = v
}

// get is an output as it was before the last edge, or an input.
func (p pins) get(name string) uint64 {
	port, err := p.Layout().Port(name)
	require.NoError(p.t, err)
	if port.Input {
		return p.In()[port.Offset]
	}
	return p.Out()[port.Offset]
}

func (p pins) on(name string) bool { return p.get(name) == 1 }

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// request is one by the names of its ports.
type request map[string]uint64

// linear is a linear transfer as the stage below sees it.
type linear struct{ src, dst, length, id, last uint64 }

// answer is a response.
type answer struct{ last, err, cause, kind uint64 }

// bench has the stage above and the stage below a mid-end with one link on each side.
type bench struct {
	pins
	rng     *rand.Rand
	stall   int // percent, of everything
	todo    []request
	pieces  []linear // in order
	open    []answer // pieces that wait for their answer
	answers []answer // in order
	fails   func(piece int) (answer, bool)
	cycle   int
	at      []int // cycles in which pieces were taken
	offered []int // cycles in which requests were first offered
}

func newBench(t testing.TB, e sim.Engine, seed uint64, stall int) *bench {
	t.Helper()
	t.Logf("seed %d", seed)
	require.NoError(t, e.Reset(2))
	return &bench{pins: pins{t, e}, rng: rand.New(rand.NewPCG(seed, 3)), stall: stall, fails: func(int) (answer, bool) { return answer{}, false }}
}

func (b *bench) now() bool { return b.rng.IntN(100) >= b.stall }

func (b *bench) step() {
	t := b.t
	if len(b.todo) > 0 && !b.on("up_req_valid") && b.now() {
		for name, v := range b.todo[0] {
			b.set("up_req_"+name, v)
		}
		b.set("up_req_valid", 1)
		b.offered = append(b.offered, b.cycle)
	}
	b.set("up_rsp_ready", bit(b.now()))
	b.set("down_req_ready", bit(b.now()))
	answers := len(b.open) > 0 && (b.on("down_rsp_valid") || b.now())
	b.set("down_rsp_valid", bit(answers))
	if answers {
		a := b.open[0]
		for name, v := range map[string]uint64{"last": a.last, "error": a.err, "cause": a.cause, "err_type": a.kind} {
			b.set("down_rsp_"+name, v)
		}
	}
	require.NoError(t, b.Step())
	require.NoError(t, sim.Violations(b.Engine))
	if answers && b.on("down_rsp_ready") {
		b.open = b.open[1:]
		b.set("down_rsp_valid", 0)
	}
	if b.on("down_req_valid") && b.on("down_req_ready") {
		get := func(n string) uint64 { return b.get("down_req_" + n) }
		p := linear{get("src_addr"), get("dst_addr"), get("length"), get("id"), get("last")}
		a, failed := b.fails(len(b.pieces))
		if a.last = p.last; failed {
			a.err = 1
		}
		b.pieces, b.open, b.at = append(b.pieces, p), append(b.open, a), append(b.at, b.cycle)
	}
	if b.on("up_req_valid") && b.on("up_req_ready") {
		b.todo = b.todo[1:]
		b.set("up_req_valid", 0)
	}
	if b.on("up_rsp_valid") && b.on("up_rsp_ready") {
		get := func(n string) uint64 { return b.get("up_rsp_" + n) }
		b.answers = append(b.answers, answer{get("last"), get("error"), get("cause"), get("err_type")})
	}
	b.cycle++
}

// run goes on until so many requests are answered, and then that nothing more comes.
func (b *bench) run(requests int) {
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

// dim is a loop.
type dim struct{ reps, src, dst uint64 }

// tensor is the specification, §3.2: the linear transfers of one with dimensions, whose
// strides are jumps from the transfer just issued; none if all repetitions are zero.
func tensor(src, dst, length, id uint64, dims []dim, addrWidth int) (all []linear) {
	some := false
	for _, d := range dims {
		some = some || d.reps != 0
	}
	if !some {
		return nil
	}
	if length == 0 { // refused once
		return []linear{{src, dst, 0, id, 1}}
	}
	mask := ^uint64(0) >> (64 - addrWidth)
	turn := make([]uint64, len(dims))
	for {
		all = append(all, linear{src, dst, length, id, 0})
		i := 0
		for i < len(dims) && turn[i]+1 >= dims[i].reps {
			turn[i] = 0
			i++
		}
		if i == len(dims) {
			all[len(all)-1].last = 1
			return all
		}
		turn[i]++
		src, dst = (src+dims[i].src)&mask, (dst+dims[i].dst)&mask
	}
}

func tensorRequest(src, dst, length, id, last uint64, dims []dim) request {
	q := request{"src_addr": src, "dst_addr": dst, "length": length, "id": id, "last": last, "src_burst": 1, "dst_burst": 1}
	for i, d := range dims {
		n := fmt.Sprintf("dim_%d_", i)
		q[n+"reps"], q[n+"src_stride"], q[n+"dst_stride"] = d.reps, d.src, d.dst
	}
	return q
}

// refusal is the answer to a request of which nothing is to be repeated: without the
// mark of the request.
func refusal() answer { return answer{err: 1, kind: backend.ErrMidend} }
