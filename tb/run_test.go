package tb

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

func list(jobs ...job.Job) *job.List { return &job.List{Name: "list", Jobs: jobs} }

// good runs a list on a sound engine and requires that nothing is found.
func good(t *testing.T, width, outstanding int, l *job.List, cfg RunConfig) Result {
	t.Helper()
	res, err := Run(context.Background(), newFake(width, outstanding, sound), l, cfg)
	require.NoError(t, err)
	require.NoError(t, res.Err())
	return res
}

func TestCyclesOfOneTransfer(t *testing.T) {
	for _, l := range []int{1, 3, 13, 100} {
		res := good(t, 32, 3, list(job.New(16384, 0, 0x10000000)), RunConfig{ReadLatency: l, WriteLatency: l})
		require.EqualValues(t, 4096+2*l+1, res.Cycles)
		require.EqualValues(t, 4096, res.ReadBeats)
		require.EqualValues(t, 4096, res.WriteBeats)
		require.EqualValues(t, 16, res.ReadBursts)
		require.EqualValues(t, 16, res.WriteBursts)
		require.EqualValues(t, 16384, res.Bytes)
		require.Equal(t, 1.0, res.Utilisation)
		require.Equal(t, 1, res.RequestToRead)
		require.Equal(t, 1, res.ReadToWrite)
		require.Equal(t, 2+l, res.RequestToWrite)
	}
}

func TestUtilisationCountsFewestBeats(t *testing.T) {
	// Two transfers with a pause between them: 4 beats are needed, the W channel is
	// in use from the first to the last of them.
	res := good(t, 32, 1, list(job.New(8, 0, 0x1000), job.New(8, 0x20, 0x2000)), RunConfig{ReadLatency: 10})
	require.EqualValues(t, 4, res.FewestWriteBeats)
	// One slot: AR every 10+2 cycles, so W beats in cycles x, x+1, x+12, x+13.
	require.InDelta(t, 4.0/14, res.Utilisation, 1e-9)
}

func TestResultJSON(t *testing.T) {
	res := good(t, 32, 2, list(job.New(8, 0, 0x1000)), RunConfig{Seed: 3})
	b, err := json.Marshal(res)
	require.NoError(t, err)
	var m map[string]any
	require.NoError(t, json.Unmarshal(b, &m))
	for _, k := range []string{"jobs", "bytes", "cycles", "read_beats", "write_beats", "utilisation", "mismatches", "protocol_errors", "error_responses", "seed", "cycles_per_second"} {
		require.Contains(t, m, k)
	}
	require.EqualValues(t, 3, m["seed"])
	require.Positive(t, res.CyclesPerSec)
}

func TestRunsRepeat(t *testing.T) {
	cfg := RunConfig{Stalls: mem.AllStalls(30), RspStall: 20, ReqGap: 10, Seed: 77}
	a, b := good(t, 64, 4, mix(), cfg), good(t, 64, 4, mix(), cfg)
	a.CyclesPerSec, b.CyclesPerSec = 0, 0
	require.Equal(t, a, b)
	cfg.Seed++
	require.NotEqual(t, a.Cycles, good(t, 64, 4, mix(), cfg).Cycles)
}

func TestAnEngineIsResetBeforeEachRun(t *testing.T) {
	e := newFake(32, 4, sound)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Run(ctx, e, list(job.New(1<<16, 0, 0x10000000)), RunConfig{})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "the run was stopped in cycle 4096")
	res, err := Run(context.Background(), e, mix(), RunConfig{})
	require.NoError(t, err)
	require.NoError(t, res.Err())
}

func TestHangIsReported(t *testing.T) {
	res, err := Run(context.Background(), newFake(32, 4, droppedResponse), mix(), RunConfig{Watchdog: 200})
	var hang *HangError
	require.ErrorAs(t, err, &hang)
	require.EqualValues(t, 201, hang.Idle)
	require.ErrorContains(t, err, "the engine hangs: no transfer on any channel for 201 cycles up to cycle ")
	require.ErrorContains(t, err, "of 8 transfers answered")
	require.Positive(t, res.WriteBeats, "what was measured until then is there")
}

func TestHangSaysWhatIsOutstanding(t *testing.T) {
	e := &frozen{fake: newFake(32, 4, sound), at: 8}
	_, err := Run(context.Background(), e, list(job.New(64, 0x100, 0x1000), job.New(8, 0x200, 0x2000)), RunConfig{ReadLatency: 3, ReadyCheck: -1})
	require.ErrorContains(t, err, "0 of 2 transfers answered, 2 running, the oldest is transfer 0 (64 bytes from 0x100 to 0x1000)")
	require.ErrorContains(t, err, "2 reads and 2 writes outstanding")
	require.ErrorContains(t, err, "RVALID 1, RREADY 0")
	require.ErrorContains(t, err, "busy 0b00000001")
	e = &frozen{fake: newFake(32, 4, sound), at: 0}
	_, err = Run(context.Background(), e, list(job.New(64, 0x100, 0x1000)), RunConfig{ReadyCheck: -1})
	require.ErrorContains(t, err, "0 of 1 transfers answered, transfer 0 (64 bytes from 0x100 to 0x1000) waits for req_ready; 0 reads")
}

// frozen stops after so many cycles.
type frozen struct {
	*fake
	at, n int
}

func (f *frozen) Step() error {
	if f.n++; f.n > f.at {
		for _, x := range []field{f.p.reqReady, f.p.ar.valid, f.p.aw.valid, f.p.wValid, f.p.rReady, f.p.bReady, f.p.rspValid} {
			x.set(0)
		}
		return nil
	}
	return f.fake.Step()
}

func TestEndlessTrafficIsReported(t *testing.T) {
	e := &chatty{newFake(32, 4, sound)}
	_, err := Run(context.Background(), e, list(job.New(4, 0, 0x100)), RunConfig{MaxCycles: 5000})
	require.ErrorContains(t, err, "the run has not ended after 5001 cycles, many times what its transfers need; 0 of 1 transfers answered")
}

// chatty reads for ever and answers nothing.
type chatty struct{ *fake }

func (c *chatty) Step() error {
	err := c.fake.Step()
	c.p.rspValid.set(0)
	c.p.ar.valid.set(1)
	return err
}

func TestFailingEngine(t *testing.T) {
	_, err := Run(context.Background(), &broken{newFake(32, 4, sound)}, mix(), RunConfig{ReadyCheck: -1})
	require.ErrorContains(t, err, "cycle 0: the engine broke")
}

type broken struct{ *fake }

func (b *broken) Step() error { return errors.New("the engine broke") }

func TestViolatedPropertiesFail(t *testing.T) {
	e := &claiming{newFake(32, 4, sound)}
	res, err := Run(context.Background(), e, mix(), RunConfig{ReadyCheck: -1})
	require.NoError(t, err)
	require.Equal(t, 2, res.Mismatches)
	require.Equal(t, []string{"cycle 3: assume early is violated", "cycle 9: assert late is violated: as it says"}, res.Findings)
	require.ErrorContains(t, res.Err(), "cycle 3: assume early is violated")
}

// claiming has properties, of which two are violated.
type claiming struct{ *fake }

func (c *claiming) Violated() int { return 2 }
func (c *claiming) Checks() []sim.Check {
	return []sim.Check{
		{Path: "late", Kind: ir.Assert, Note: "as it says", Hit: true, Cycle: 9}, {Path: "fine", Kind: ir.Assert},
		{Path: "seen", Kind: ir.Cover, Hit: true}, {Path: "early", Kind: ir.Assume, Hit: true, Cycle: 3},
	}
}

func TestOverlapIsWaitedFor(t *testing.T) {
	chain := list(job.New(64, 0x100, 0x1000), job.New(64, 0x1000, 0x2000), job.New(64, 0x2000, 0x3000))
	free := list(job.New(64, 0x100, 0x1000), job.New(64, 0x1100, 0x2000), job.New(64, 0x2100, 0x3000))
	cfg := RunConfig{ReadLatency: 40, WriteLatency: 40}
	slow, fast := good(t, 32, 4, chain, cfg), good(t, 32, 4, free, cfg)
	require.Greater(t, slow.Cycles, 2*fast.Cycles)
	require.Greater(t, fast.MaxReads, 1)

	// With something in between that does not overlap.
	good(t, 32, 4, list(job.New(64, 0x100, 0x1000), job.New(64, 0x5000, 0x6000), job.New(64, 0x7000, 0x8000), job.New(64, 0x103f, 0x2000)), cfg)

	// Not waiting is refused, unless reads never see writes.
	cfg.Launch = BackToBack
	_, err := Run(context.Background(), newFake(32, 4, sound), chain, cfg)
	require.ErrorContains(t, err, "list: transfer 1: it reads what transfer 0 writes")
	cfg.Memory = Separate
	require.Less(t, good(t, 32, 4, chain, cfg).Cycles, fast.Cycles+3)
	cfg.Memory = Shared
	require.Equal(t, fast.Cycles, good(t, 32, 4, free, cfg).Cycles)
}

func TestWhatAnEngineCannotDoIsRefused(t *testing.T) {
	nd := job.New(4, 0, 0x100)
	nd.Dims = []job.Dim{{Reps: 2}}
	withError := job.New(4, 0, 0x100)
	withError.Errors = []job.BusError{{}}
	obi := job.New(4, 0, 0x100)
	obi.Dst.Protocol = job.OBI
	for _, c := range []struct {
		job  job.Job
		cfg  RunConfig
		want string
	}{
		{nd, RunConfig{}, "moves 1D transfers only"},
		{withError, RunConfig{}, "built without error handling"},
		{obi, RunConfig{}, "dst_protocol is obi; not by this engine"},
		{job.New(16, 0xffff_fff8, 0), RunConfig{}, "wraps around the 32-bit address space"},
		{job.New(16, 0, 8), RunConfig{}, "the result would depend on timing"},
		{job.New(16, 0, 80), RunConfig{ReadLatency: -1}, "read latency is -1"},
		{job.New(16, 0, 80), RunConfig{Stalls: mem.Stalls{B: 100}}, "B stalls is 100"},
		{job.New(16, 0, 80), RunConfig{RspStall: 100}, "response stalls is 100; 0…99"},
	} {
		_, err := Run(context.Background(), newFake(32, 4, sound), list(c.job), c.cfg)
		require.ErrorContains(t, err, c.want)
	}
	good(t, 32, 4, list(job.New(16, 0, 8)), RunConfig{Memory: Separate})
}

// without is the fake's design with ports left out.
func without(names ...string) *ir.Design {
	d := fakeDesign(32, 32, 4, 32)
	var keep []*ir.Signal
	for _, s := range d.Top.Signals {
		drop := false
		for _, n := range names {
			drop = drop || strings.HasPrefix(s.Name, n)
		}
		if !drop {
			keep = append(keep, s)
		}
	}
	d.Top.Signals = keep
	return d
}

// layoutOnly is an engine that is good for looking at its ports.
type layoutOnly struct{ *fake }

func TestPorts(t *testing.T) {
	// Optional ports may be absent on either side.
	e := newFakeOn(without("req_user", "m_axi_awuser", "m_axi_aruser", "rsp_cause", "rsp_burst_addr", "busy", "req_src_qos", "m_axi_awregion",
		"m_axi_arcache", "req_decouple", "req_id", "m_axi_awid", "m_axi_arid", "m_axi_bid", "m_axi_rid", "m_axi_awburst", "m_axi_bresp", "rsp_last"), 4, sound)
	res, err := Run(context.Background(), e, list(job.New(100, 0x1ffd, 0x5001), job.New(0, 0, 0), job.New(8, 0x100, 0x200)), RunConfig{})
	require.NoError(t, err)
	require.NoError(t, res.Err())

	for _, c := range []struct {
		design *ir.Design
		want   string
	}{
		{without("req_valid", "m_axi_rdata"), "the design is no back-end with a bus m_axi: it has no port req_valid, m_axi_rdata"},
		{func() *ir.Design { d := fakeDesign(32, 32, 4, 32); d.Top.Signals[0].Kind = ir.Output; return d }(), "port req_valid has the wrong direction"},
		{fakeDesign(24, 32, 4, 32), "m_axi_wdata has 24 bits"},
		{fakeDesign(2048, 32, 4, 32), "m_axi_wdata has 2048 bits"},
	} {
		f := newFake(32, 1, sound)
		f.lay = newLayout(c.design)
		f.in, f.out = make([]uint64, f.lay.InWords), make([]uint64, f.lay.OutWords)
		_, err := Run(context.Background(), layoutOnly{f}, mix(), RunConfig{})
		require.ErrorContains(t, err, c.want)
	}
}

func TestNarrowAndWideAddresses(t *testing.T) {
	e := newFakeOn(fakeDesign(64, 12, 1, 12), 4, sound)
	res, err := Run(context.Background(), e, list(job.New(100, 3, 0x805), job.New(2047, 0, 0x801), job.New(1, 0xfff, 0)), RunConfig{})
	require.NoError(t, err)
	require.NoError(t, res.Err())
	e = newFakeOn(fakeDesign(64, 64, 1, 64), 4, sound)
	res, err = Run(context.Background(), e, list(job.New(100, ^uint64(0)-99, 1<<63), job.New(9, 1<<40, ^uint64(0)-8)), RunConfig{})
	require.NoError(t, err)
	require.NoError(t, res.Err())
}

func TestInjectedFaults(t *testing.T) {
	l := list(job.New(64, 0x1000, 0x2000), job.New(64, 0x1100, 0x2100), job.New(64, 0x1200, 0x2200))
	for _, f := range []mem.Fault{{Lo: 0x1110, Hi: 0x1113, Resp: axi4.SlvErr}, {Write: true, Lo: 0x2110, Hi: 0x2110, Resp: axi4.DecErr}} {
		cfg := RunConfig{Faults: []mem.Fault{f}}
		// An engine that does not notice is found out.
		res, err := Run(context.Background(), newFake(32, 4, sound), l, cfg)
		require.NoError(t, err)
		require.ErrorContains(t, res.Err(), "transfer 1 (64 bytes from 0x1100 to 0x2100) ended with error false, expected true")
		require.Equal(t, 1, res.Mismatches)
		// One that reports the error passes, with the type that belongs to it.
		e := newFake(32, 4, reportsErrors)
		res, err = Run(context.Background(), e, l, cfg)
		require.NoError(t, err)
		require.NoError(t, res.Err())
		require.Equal(t, 1, res.ErrorResponses)
	}
	// And where nothing fails, an error is one too many.
	res, err := Run(context.Background(), newFake(32, 4, alwaysFails), l, RunConfig{})
	require.NoError(t, err)
	require.ErrorContains(t, res.Err(), "ended with error true, expected false")
}

func TestErrorHandlerAnswersBesideTheTransfer(t *testing.T) {
	l := list(job.New(64, 0x1000, 0x2000), job.New(64, 0x1100, 0x2100))
	cfg := RunConfig{Errors: true, Faults: []mem.Fault{{Lo: 0x1110, Hi: 0x1113, Resp: axi4.SlvErr}}}
	res, err := Run(context.Background(), newFake(32, 4, extraErrors), l, cfg)
	require.NoError(t, err)
	require.NoError(t, res.Err())
	require.Equal(t, 1, res.ErrorResponses)
}

func TestProgress(t *testing.T) {
	var seen []Progress
	good(t, 32, 4, list(job.New(1<<16, 0, 0x10000000), job.New(4, 0, 0x20000000)), RunConfig{Progress: func(p Progress) { seen = append(seen, p) }})
	require.Greater(t, len(seen), 3)
	last := seen[len(seen)-1]
	require.Equal(t, 2, last.Done)
	require.Equal(t, 2, last.Total)
	require.Less(t, seen[0].Cycles, last.Cycles)
}

func TestErrShowsTheFirstFindings(t *testing.T) {
	r := Result{Seed: 9}
	require.NoError(t, r.Err())
	r.Mismatches, r.Findings = 7, []string{"a", "b", "c", "d", "e", "f", "g"}
	require.EqualError(t, r.Err(), "7 mismatches and 0 protocol errors (seed 9)\n  a\n  b\n  c\n  d\n  e")
}
