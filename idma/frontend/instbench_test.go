package frontend_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
)

func editInst(edits ...func(*frontend.InstConfig)) frontend.InstConfig {
	c := frontend.DefaultInst()
	for _, e := range edits {
		e(&c)
	}
	return c
}

func elaborateInst(t testing.TB, c frontend.InstConfig) *ir.Design {
	t.Helper()
	d, err := frontend.ElaborateInst(c)
	require.NoError(t, err, "%+v", c)
	return d
}

func channelsOf(n int) func(*frontend.InstConfig) {
	return func(c *frontend.InstConfig) { c.Channels = n }
}

// instruction is one with its operands.
type instruction struct{ op, rs1, rs2, tag uint32 }

// answer is what a core is to write.
type answer struct {
	data, tag uint32
	err       bool
}

// copied is a request as the tests see it: of which channel, and all that instructions
// determine of it.
type copied struct {
	channel                             int
	length, src, dst, id, user          uint64
	srcProtocol, dstProtocol            uint64
	reps, srcStride, dstStride          uint64
	mode, srcBurst, dstBurst, decoupled uint64
}

// instModel is the specification: what instructions mean, one after the other.
type instModel struct {
	c                                          frontend.InstConfig
	src, dst, user, srcStride, dstStride, reps uint64
	issued, done                               []uint64
	queued                                     []int // that wait for the engine
}

func newInstModel(c frontend.InstConfig) *instModel {
	m := &instModel{c: c, queued: make([]int, c.Channels)}
	for range c.Channels {
		m.issued, m.done = append(m.issued, 1), append(m.done, 1)
	}
	return m
}

func (m *instModel) after(id uint64) uint64 {
	if id = (id + 1) & (1<<m.c.TransferIDBits - 1); id == 0 {
		return 1
	}
	return id
}

// does is what an instruction does in the present cycle: it must wait, has an answer, or
// launches a copy.
func (m *instModel) does(i instruction) (waits bool, a *answer, q *copied, next func()) {
	wrong := &answer{tag: i.tag, err: true}
	if i.op&0x707f != 0x2b {
		return false, wrong, nil, func() {}
	}
	both := uint64(i.rs2)<<32 | uint64(i.rs1)
	signed := func(v uint32) uint64 { return lowBits(uint64(int64(int32(v))), m.c.Backend.AddrWidth) }
	imm := i.op >> 20 & 31
	switch i.op >> 25 {
	case 0:
		return false, nil, nil, func() { m.src = lowBits(both, m.c.Backend.AddrWidth) }
	case 1:
		return false, nil, nil, func() { m.dst = lowBits(both, m.c.Backend.AddrWidth) }
	case 6:
		return false, nil, nil, func() { m.srcStride, m.dstStride = signed(i.rs1), signed(i.rs2) }
	case 7:
		return false, nil, nil, func() { m.reps = lowBits(uint64(i.rs1), m.c.RepsWidth) }
	case 8:
		return false, nil, nil, func() { m.user = lowBits(both, m.c.Backend.UserWidth) }
	case 3, 5:
		imm = i.rs2 & 31
	case 2, 4:
	case 9:
		if m.c.Backend.ReadProtocols[backend.Init] == 0 {
			return false, wrong, nil, func() {}
		}
	default:
		return false, wrong, nil, func() {}
	}
	ch := int(imm >> 2)
	if ch >= m.c.Channels {
		return false, wrong, nil, func() {}
	}
	if f := i.op >> 25; f == 4 || f == 5 {
		v := []uint64{m.done[ch], m.after(m.issued[ch]), bit(m.issued[ch] != m.done[ch]), bit(m.queued[ch] == m.c.Queue)}[imm&3]
		return false, &answer{data: uint32(v), tag: i.tag}, nil, func() {}
	}
	if m.queued[ch] == m.c.Queue {
		return true, nil, nil, nil
	}
	id := m.after(m.issued[ch])
	q = m.launched(i, ch, imm)
	return false, &answer{data: uint32(id), tag: i.tag}, q, func() { m.issued[ch] = id; m.queued[ch]++ }
}

func (m *instModel) launched(i instruction, ch int, imm uint32) *copied {
	q := &copied{
		channel: ch, length: lowBits(uint64(i.rs1), m.c.Backend.LengthWidth), src: m.src, dst: m.dst, id: uint64(ch), user: m.user,
		srcStride: m.srcStride, dstStride: m.dstStride, reps: 1, srcBurst: 1, dstBurst: 1,
	}
	within := func(a uint64) bool { return a >= m.c.WindowStart && a < m.c.WindowEnd }
	over := func(set backend.PortSet, a uint64) uint64 {
		if set[backend.OBI] > 0 && within(a) {
			return uint64(backend.OBI)
		}
		for p := range set {
			if set[p] > 0 && p != int(backend.Init) {
				return uint64(p)
			}
		}
		return uint64(backend.Init)
	}
	q.srcProtocol, q.dstProtocol = over(m.c.Backend.ReadProtocols, q.src), over(m.c.Backend.WriteProtocols, q.dst)
	if i.op>>25 == 9 {
		v := m.src & 0xff
		if imm&3 == 0 {
			v = 0
		} else if imm&3 == 1 {
			v = 0xff
		}
		q.src, q.srcProtocol = v*0x01010101, uint64(backend.Init)
		return q
	}
	if imm&2 != 0 {
		q.reps = m.reps
	}
	return q
}

func lowBits(v uint64, width int) uint64 {
	if width >= 64 {
		return v
	}
	return v & (1<<width - 1)
}

// instBench is a core and engines around the front-end.
type instBench struct {
	pins
	c       frontend.InstConfig
	model   *instModel
	rng     *rand.Rand
	todo    []instruction
	results []answer
	copies  [][]copied // of each channel, not taken by its engine yet
	engine  []int      // under way in each
	stall   int        // percent, of everything
	blocked bool       // engines take nothing
	cycle   int
	took    []int // cycles in which instructions were taken
	offered int   // cycle in which the first request was seen, or 0
	// answers in order
	got []answer
}

func newInstBench(t testing.TB, e sim.Engine, c frontend.InstConfig, seed uint64, stall int) *instBench {
	t.Helper()
	t.Logf("seed %d", seed)
	b := &instBench{pins: pins{t, e}, c: c, model: newInstModel(c), rng: rand.New(rand.NewPCG(seed, 64)), stall: stall,
		copies: make([][]copied, c.Channels), engine: make([]int, c.Channels)}
	require.NoError(t, e.Reset(2))
	return b
}

func (b *instBench) now() bool { return b.rng.IntN(100) >= b.stall }

// opt is an output that only some configurations have.
func (b *instBench) opt(name string, without uint64) uint64 {
	if _, err := b.Layout().Port(name); err != nil {
		return without
	}
	return b.get(name)
}

func (b *instBench) step() {
	t := b.t
	if len(b.todo) > 0 && (b.on("instr_valid") || b.now()) {
		i := b.todo[0]
		b.set("instr_op", uint64(i.op))
		b.set("instr_rs1", uint64(i.rs1))
		b.set("instr_rs2", uint64(i.rs2))
		b.set("instr_tag", uint64(i.tag))
		b.set("instr_valid", 1)
	}
	b.set("result_ready", bit(b.now()))
	ends := make([]bool, b.c.Channels)
	for ch := range b.c.Channels {
		n := func(s string) string { return numbered(s, ch, b.c.Channels) }
		b.set(n("req")+"_ready", bit(!b.blocked && b.now()))
		ends[ch] = b.engine[ch] > 0 && !b.blocked && b.now()
		b.set(n("rsp")+"_valid", bit(ends[ch]))
		b.set(n("rsp")+"_error", bit(ends[ch] && b.rng.IntN(4) == 0))
	}
	require.NoError(t, b.Step())
	require.NoError(t, sim.Violations(b.Engine))
	b.check(ends)
	b.cycle++
}

// check holds what happened in the cycle against the model.
func (b *instBench) check(ends []bool) {
	t := b.t
	if b.on("result_valid") && b.on("result_ready") {
		require.NotEmpty(t, b.results, "a result that nothing asked for")
		got := answer{uint32(b.get("result_data")), uint32(b.get("result_tag")), b.on("result_error")}
		require.Equal(t, b.results[0], got)
		b.results, b.got = b.results[1:], append(b.got, got)
	}
	var change []func()
	if b.on("instr_valid") {
		waits, a, q, next := b.model.does(b.todo[0])
		took := b.on("instr_ready")
		require.False(t, waits && took, "a copy was taken though its queue is full")
		require.False(t, !took && !waits && b.stall == 0, "an instruction waits for nothing")
		if took {
			b.took = append(b.took, b.cycle)
			b.todo = b.todo[1:]
			b.set("instr_valid", 0)
			change = append(change, next)
			if a != nil {
				b.results = append(b.results, *a)
			}
			if q != nil {
				defer func() { b.copies[q.channel] = append(b.copies[q.channel], *q) }()
			}
		}
	}
	for ch := range b.c.Channels {
		n := numbered("req", ch, b.c.Channels)
		valid := b.on(n + "_valid")
		require.Equal(t, len(b.copies[ch]) > 0, valid, "channel %d", ch)
		require.Equal(t, ends[ch] && b.on(numbered("rsp", ch, b.c.Channels)+"_error"), b.on(numbered("failed", ch, b.c.Channels)))
		if valid {
			if b.offered == 0 {
				b.offered = b.cycle
			}
			require.Equal(t, b.copies[ch][0], b.request(ch))
		}
		if ends[ch] {
			b.engine[ch]--
			b.model.done[ch] = b.model.after(b.model.done[ch])
		}
		if valid && b.on(n+"_ready") {
			b.copies[ch] = b.copies[ch][1:]
			b.engine[ch]++
			b.model.queued[ch]--
		}
	}
	for _, f := range change {
		f()
	}
}

func (b *instBench) request(ch int) copied {
	n := numbered("req", ch, b.c.Channels) + "_"
	return copied{
		channel: ch, length: b.get(n + "length"), src: b.get(n + "src_addr"), dst: b.get(n + "dst_addr"), id: b.get(n + "id"), user: b.get(n + "user"),
		srcProtocol: b.opt(n+"src_protocol", uint64(single(b.c.Backend.ReadProtocols))), dstProtocol: b.opt(n+"dst_protocol", uint64(single(b.c.Backend.WriteProtocols))),
		reps: b.get(n + "dim_0_reps"), srcStride: b.get(n + "dim_0_src_stride"), dstStride: b.get(n + "dim_0_dst_stride"),
		mode: b.opt(n+"src_mode", 0), srcBurst: b.get(n + "src_burst"), dstBurst: b.get(n + "dst_burst"), decoupled: b.get(n + "decouple_rw"),
	}
}

// single is the first protocol of a set.
func single(set backend.PortSet) backend.Protocol {
	for p, n := range set {
		if n > 0 {
			return backend.Protocol(p)
		}
	}
	return 0
}

// run goes on until everything is done.
func (b *instBench) run() {
	b.t.Helper()
	idle := func() bool {
		for ch := range b.c.Channels {
			if len(b.copies[ch]) > 0 || b.engine[ch] > 0 {
				return false
			}
		}
		return len(b.todo) == 0 && len(b.results) == 0
	}
	for i := 0; !idle(); i++ {
		require.Less(b.t, i, 200000, "hangs with %d instructions to go", len(b.todo))
		b.step()
	}
}
