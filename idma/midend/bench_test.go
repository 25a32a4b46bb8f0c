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

// bench has the stage above a mid-end with one link there, and those below its outputs. With
// error handling what fails is asked about first, and the action is the next in turn.
type bench struct {
	pins
	rng     *rand.Rand
	stall   int // percent, of everything
	outputs int
	handled bool
	todo    []request
	fails   []map[int]answer // pieces of each output that fail, by their number there
	got     [][]linear       // pieces of each output, in order
	open    [][]answer       // of each, that wait for their answer
	answers []answer         // in order
	asked   []bool           // with error handling: the oldest piece has been asked about
	awaits  int              // output that waits for an action, or -1
	acted   int
	cycle   int
	at      []int // cycles in which pieces were taken
	offered []int // cycles in which requests were first offered
	wants   wants
}

// wants is what the specification says about the requests so far.
type wants struct {
	pieces  [][]linear // of each output
	answers []answer
	failing int // pieces
}

func newBench(t testing.TB, e sim.Engine, seed uint64, stall int) *bench {
	t.Helper()
	t.Logf("seed %d", seed)
	require.NoError(t, e.Reset(2))
	b := &bench{pins: pins{t, e}, rng: rand.New(rand.NewPCG(seed, 3)), stall: stall, outputs: 1, awaits: -1}
	has := func(name string) bool { _, err := e.Layout().Port(name); return err == nil }
	for has(fmt.Sprintf("down%d_req_valid", b.outputs-1)) && has(fmt.Sprintf("down%d_req_valid", b.outputs)) {
		b.outputs++
	}
	b.handled = has("up_action_valid")
	b.got, b.open, b.asked = make([][]linear, b.outputs), make([][]answer, b.outputs), make([]bool, b.outputs)
	b.wants.pieces = make([][]linear, b.outputs)
	for range b.outputs {
		b.fails = append(b.fails, map[int]answer{})
	}
	return b
}

func (b *bench) now() bool { return b.rng.IntN(100) >= b.stall }

// down is a port below an output.
func (b *bench) down(i int, name string) string {
	if b.outputs == 1 {
		return "down_" + name
	}
	return fmt.Sprintf("down%d_%s", i, name)
}

// ask adds a request and what it should come to: pieces, to be given to outputs, of which
// one in so many fails, or none at all.
func (b *bench) ask(q request, pieces []linear, oneIn int, to func(p linear) int) {
	b.todo = append(b.todo, q)
	a := answer{last: q["last"]}
	if pieces == nil {
		a = refusal()
	}
	for _, p := range pieces {
		i := to(p)
		if b.rng.IntN(oneIn) == 0 {
			x := answer{err: 1, cause: b.rng.Uint64N(4), kind: b.rng.Uint64N(3)}
			b.fails[i][len(b.wants.pieces[i])] = x
			b.wants.failing++
			if a.err == 0 && !b.handled { // else it is settled before
				x.last = a.last
				a = x
			}
		}
		b.wants.pieces[i] = append(b.wants.pieces[i], p)
	}
	b.wants.answers = append(b.wants.answers, a)
}

// only is the output of a mid-end that has one.
func only(linear) int { return 0 }

// check runs all requests and holds what came of them against what is wanted.
func (b *bench) check() {
	b.t.Helper()
	b.run(len(b.wants.answers))
	require.Equal(b.t, b.wants.pieces, b.got)
	require.Equal(b.t, b.wants.answers, b.answers)
	if b.handled {
		require.Equal(b.t, b.wants.failing, b.acted, "each failure is asked about once")
	}
}

func (b *bench) step() {
	if len(b.todo) > 0 && !b.on("up_req_valid") && b.now() {
		for name, v := range b.todo[0] {
			b.set("up_req_"+name, v)
		}
		b.set("up_req_valid", 1)
		b.offered = append(b.offered, b.cycle)
	}
	b.set("up_rsp_ready", bit(b.now()))
	if b.handled {
		b.set("up_action_valid", bit(b.awaits >= 0 && (b.on("up_action_valid") || b.now())))
		b.set("up_action_kind", uint64(b.acted%3))
	}
	for i := range b.outputs {
		b.offer(i)
	}
	require.NoError(b.t, b.Step())
	require.NoError(b.t, sim.Violations(b.Engine))
	for i := range b.outputs {
		b.take(i)
	}
	if b.on("up_req_valid") && b.on("up_req_ready") {
		b.todo = b.todo[1:]
		b.set("up_req_valid", 0)
	}
	if b.on("up_rsp_valid") && b.on("up_rsp_ready") && !(b.handled && b.on("up_rsp_asks")) {
		b.answers = append(b.answers, b.told())
	}
	b.cycle++
}

// told is the response on offer above.
func (b *bench) told() answer {
	get := func(n string) uint64 { return b.get("up_rsp_" + n) }
	return answer{get("last"), get("error"), get("cause"), get("err_type")}
}

// offer drives what is below an output.
func (b *bench) offer(i int) {
	set := func(n string, v uint64) { b.set(b.down(i, n), v) }
	set("req_ready", bit(b.now()))
	offers := len(b.open[i]) > 0 && b.awaits != i && (b.on(b.down(i, "rsp_valid")) || b.now())
	set("rsp_valid", bit(offers))
	if b.handled {
		set("action_ready", bit(b.awaits == i && b.now()))
	}
	if !offers {
		return
	}
	a := b.open[i][0]
	if b.asked[i] { // and settled
		a = answer{last: a.last}
	}
	if b.handled {
		set("rsp_asks", a.err)
	}
	for n, v := range map[string]uint64{"last": a.last, "error": a.err, "cause": a.cause, "err_type": a.kind} {
		set("rsp_"+n, v)
	}
}

// take sees what happened below an output.
func (b *bench) take(i int) {
	t := b.t
	on := func(n string) bool { return b.on(b.down(i, n)) }
	if on("rsp_valid") && on("rsp_ready") {
		b.set(b.down(i, "rsp_valid"), 0)
		if a := b.open[i][0]; b.handled && a.err == 1 && !b.asked[i] {
			b.asked[i], b.awaits = true, i
			require.True(t, b.on("up_rsp_valid") && b.on("up_rsp_asks"), "a question is lost")
			require.Equal(t, answer{0, 1, a.cause, a.kind}, b.told())
		} else {
			b.open[i], b.asked[i] = b.open[i][1:], false
		}
	}
	if on("req_valid") && on("req_ready") {
		get := func(n string) uint64 { return b.get(b.down(i, "req_"+n)) }
		p := linear{get("src_addr"), get("dst_addr"), get("length"), get("id"), get("last")}
		a, failed := b.fails[i][len(b.got[i])]
		a.last, a.err = p.last, bit(failed)
		b.got[i], b.open[i], b.at = append(b.got[i], p), append(b.open[i], a), append(b.at, b.cycle)
	}
	if b.handled && on("action_valid") && on("action_ready") {
		require.Equal(t, b.awaits, i)
		require.True(t, b.on("up_action_valid") && b.on("up_action_ready"))
		require.Equal(t, uint64(b.acted%3), b.get(b.down(i, "action_kind")))
		b.awaits = -1
		b.acted++
	}
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
