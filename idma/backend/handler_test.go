package backend_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/verilator"
)

// handling is a configuration with the error handler.
func handling(edits ...func(*backend.Config)) backend.Config {
	return edit(append(edits, func(c *backend.Config) { c.ErrorHandling = true })...)
}

// withHandling adds an error handler and a watchdog, or not.
func withHandling(c backend.Config, handles bool) backend.Config {
	if handles {
		c.ErrorHandling, c.Watchdog = true, 1000
	}
	return c
}

// handlingVariants are the configurations that differ most, with the error handler.
func handlingVariants() []backend.Config {
	var cs []backend.Config
	for _, c := range variants() {
		if c.Legalizer {
			c.ErrorHandling = true
			cs = append(cs, c)
		}
	}
	return append(cs, handling(func(c *backend.Config) { c.StoreDepth, c.StoreTransfers = 40, true }))
}

var allActions = []job.Action{job.Continue, job.Abort, job.Replay}

// told is a response of an engine with an error handler.
type told struct {
	answer
	asks, addr uint64
}

// tellings runs the list and returns all responses.
func tellings(t *testing.T, c backend.Config, list *job.List, cfg tb.RunConfig) []told {
	t.Helper()
	var got []told
	eng := watch(t, start(t, goModel, elaborate(t, c), 1), func(_ uint64, p *watched) {
		if p.fires("rsp_") {
			got = append(got, told{answer{p.get("rsp_error"), p.get("rsp_cause"), p.get("rsp_err_type")}, p.get("rsp_asks"), p.get("rsp_burst_addr")})
		}
	})
	run(t, eng, list, cfg)
	for i := range got {
		got[i].cause = min(got[i].cause, 2) // the bench chooses SLVERR or DECERR
	}
	return got
}

// withError is a transfer with errors.
func withError(j job.Job, errors ...job.BusError) job.Job {
	j.Errors = errors
	return j
}

// Every error is told of with the first bus word of its burst before its transfer ends
// without one, and in the order of the transfers.
func TestErrorsAreToldOfInOrder(t *testing.T) {
	read, write := func(addr uint64, a job.Action) job.BusError { return job.BusError{Addr: addr, Action: a} }, func(addr uint64, a job.Action) job.BusError {
		return job.BusError{Write: true, Addr: addr, Action: a}
	}
	list := jobs(
		job.New(64, 0x1000, 0x8000),
		withError(job.New(5000, 0x10_0000, 0x80_0000), read(0x10_0008, job.Continue), read(0x10_1004, job.Continue), write(0x80_1000, job.Continue)),
		job.New(0, 0, 0),
		withError(job.New(5000, 0x20_0000, 0x90_0000), read(0x20_1004, job.Abort)),
		withError(job.New(5000, 0x30_0000, 0xa0_0000), write(0xa0_0800, job.Replay), read(0x30_1010, job.Replay)),
		withError(job.New(5000, 0x40_0000, 0xb0_0000), write(0xb0_1000, job.Abort)),
		job.New(64, 0x2000, 0x9000),
	)
	ends, refused := told{}, told{answer: zero}
	tells := func(typ, addr uint64) told { return told{answer{1, 2, typ}, 1, addr} }
	want := []told{
		ends,
		tells(backend.ErrBusRead, 0x10_0000), tells(backend.ErrBusRead, 0x10_1000), tells(backend.ErrBusWrite, 0x80_1000), ends,
		refused,
		tells(backend.ErrBusRead, 0x20_1000), ends,
		tells(backend.ErrBusWrite, 0xa0_0800), tells(backend.ErrBusRead, 0x30_1000), ends,
		tells(backend.ErrBusWrite, 0xb0_1000), ends,
		ends,
	}
	for i := range list.Jobs {
		list.Jobs[i].Src.MaxBeats, list.Jobs[i].Dst.MaxBeats = 256, 256
	}
	c := handling(func(c *backend.Config) { c.DataWidth = 64 })
	for _, r := range []tb.RunConfig{{}, latency(50), {RspStall: 80, ActionStall: 90, Stalls: mem.AllStalls(30), Seed: 2}} {
		require.Equal(t, want, tellings(t, c, list, r))
	}
}

// Hazard 8: many reads under way when one fails. The public file has 22 errors, some
// of them in one burst, and each has its response.
func TestHazard08PublicErrorsWithAnyNumberOutstanding(t *testing.T) {
	list := publicJobs(t, "error_simple")
	for n := 1; n <= 16; n++ {
		for _, combined := range []bool{true, false} {
			c := handling(peerConfig, func(c *backend.Config) { c.Outstanding, c.CombinedShifter = n, combined })
			d := elaborate(t, c)
			for _, cfg := range []tb.RunConfig{latency(3), {RspStall: 60, ActionStall: 60, Stalls: mem.AllStalls(30), Seed: uint64(n)}} {
				cfg.Launch = tb.WaitOnOverlap
				require.Equal(t, 22, run(t, start(t, goModel, d, 1), list, cfg).ErrorResponses)
			}
		}
	}
}

func TestPublicErrorsInLockstep(t *testing.T) {
	list := publicJobs(t, "error_simple")
	for _, n := range []int{3, 16} {
		d := elaborate(t, handling(peerConfig, func(c *backend.Config) { c.Outstanding = n }))
		eng := startWith(t, lockstep, d, 1, verilator.Options{Quick: true})
		for seed := range uint64(3) {
			cfg := tb.RunConfig{RspStall: 30, ActionStall: 30, Stalls: mem.AllStalls(int(20 * seed)), Seed: seed}
			require.Equal(t, 22, run(t, eng, list, cfg).ErrorResponses)
		}
	}
}

// An engine that reserves its buffer never holds up the R channel, whatever is made of
// errors, not even while it waits for what.
func TestReservedBufferTakesReadsWhileErrorsAreHandled(t *testing.T) {
	c := handling(func(c *backend.Config) { c.ReserveBuffer, c.BufferDepth = true, 8 })
	for seed := range uint64(6) {
		list, cfg := randomErrors(rand.New(rand.NewPCG(seed, 10)), seed, c, 40, allActions...)
		cfg.ActionStall, cfg.ReadsFirst, cfg.WriteOrder = 90, seed%2 == 0, mem.AnyOrder
		told := 0
		eng := watch(t, start(t, goModel, elaborate(t, c), seed), func(cycle uint64, p *watched) {
			require.False(t, p.waits("m_axi_r"), "cycle %d: R data had to wait", cycle)
			if p.fires("action_") {
				told++
			}
		})
		run(t, eng, list, cfg)
		require.Positive(t, told)
	}
}

// randomErrors is a list with errors and a memory for it.
func randomErrors(rng *rand.Rand, seed uint64, c backend.Config, n int, actions ...job.Action) (*job.List, tb.RunConfig) {
	list := randomListOf(seed, c, n)
	tb.AddErrors(seed, list, tb.ErrorConfig{Bytes: c.DataWidth / 8, Percent: 40, Most: 3, Actions: actions})
	cfg := randomRun(rng, list, c)
	cfg.Faults = nil
	cfg.ActionStall = rng.IntN(2) * rng.IntN(95)
	return list, cfg
}

// TestRandomErrorsInRandomConfigurations holds every action, alone and mixed, against
// the oracle: what must be written is, nothing else is, and every bus keeps its rules.
func TestRandomErrorsInRandomConfigurations(t *testing.T) {
	seeds := 60
	if testing.Short() {
		seeds = 10
	}
	if *long {
		seeds = 5000
	}
	cases := make([]uint64, 0, seeds)
	for i := range seeds {
		cases = append(cases, uint64(i+1))
	}
	each(t, cases, func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 7))
		c := randomConfig(rng)
		c.Legalizer, c.ErrorHandling = true, true
		if coin(rng, 30) {
			c.Watchdog = 20_000 // never expires
		}
		list, cfg := randomErrors(rng, seed, c, 40, allActions[rng.IntN(3)], allActions[rng.IntN(3)])
		t.Logf("seed %d: %+v, %+v", seed, c, cfg)
		run(t, start(t, goModel, elaborate(t, c), seed), list, cfg)
	})
}

func TestErrorsInLockstep(t *testing.T) {
	each(t, handlingVariants(), func(t *testing.T, c backend.Config) {
		d := elaborate(t, c)
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, 8))
			list, cfg := randomErrors(rng, seed, c, 40, allActions...)
			t.Logf("seed %d: %+v, %+v", seed, c, cfg)
			run(t, start(t, lockstep, d, seed), list, cfg)
		}
	})
}

// Hazard 7: data that wait change when the writes are stopped. The monitor of every
// run holds them against what they were; here they do wait.
func TestHazard07WritesThatWaitStayWhenTheyAreStopped(t *testing.T) {
	list := jobs()
	for i := range uint64(30) {
		list.Jobs = append(list.Jobs, withError(job.New(200, 0x1_0000+0x1000*i, 0x10_0003+0x1000*i),
			job.BusError{Write: i%2 == 0, Addr: 0x1_0000 + 0x1000*i + 0xf_0000*((i+1)%2) + 100, Action: allActions[1+i%2]}))
		list.Jobs[i].Dst.MaxBeats = 4
	}
	for _, c := range handlingVariants() {
		held := map[string]int{}
		eng := watch(t, start(t, goModel, elaborate(t, c), 1), func(_ uint64, p *watched) {
			for _, ch := range []string{"m_axi_ar", "m_axi_aw", "m_axi_w"} {
				if p.waits(ch) && p.fires("action_") && p.get("action_kind") > 0 {
					held[ch]++
				}
			}
		})
		run(t, eng, list, tb.RunConfig{Stalls: mem.Stalls{AR: 70, AW: 85, W: 85}, Memory: tb.Separate, Launch: tb.BackToBack, Seed: 3})
		if c.Outstanding > 1 && c.DataWidth < 512 {
			require.Positive(t, held["m_axi_aw"], "no address waited when the writes were stopped")
			require.Positive(t, held["m_axi_w"], "no data waited when the writes were stopped")
		}
	}
}

// Hazard 9: a response goes before it is taken, or the idle action port acts. The bench
// puts noise on it while no action is meant.
func TestHazard09SlowConsumersOfErrors(t *testing.T) {
	for _, c := range handlingVariants() {
		list, cfg := randomErrors(rand.New(rand.NewPCG(9, 9)), 9, c, 30, allActions...)
		cfg.RspStall, cfg.ActionStall = 97, 97
		run(t, start(t, goModel, elaborate(t, c), 1), list, cfg)
	}
}

// Hazard 11: the response that ends a transfer whose last burst failed has the mark of
// the transfer after it.
func TestHazard11LastMarkOfTransfersWithErrors(t *testing.T) {
	for _, action := range allActions {
		for _, write := range []bool{true, false} {
			list := jobs()
			for i := range uint64(12) {
				j := job.New(600, 0x1_0000+0x1000*i, 0x10_0000+0x1000*i)
				e := job.BusError{Write: write, Addr: j.Src.Addr + 599, Action: action}
				if write {
					e.Addr = j.Dst.Addr + 599
				}
				j.Errors, j.Last, j.Dst.MaxBeats = []job.BusError{e}, i%2 == 0, 16
				list.Jobs = append(list.Jobs, j)
			}
			for _, c := range handlingVariants() {
				res := run(t, start(t, goModel, elaborate(t, c), 1), list, tb.RunConfig{RspStall: 40, WriteLatency: 20, Memory: tb.Separate, Launch: tb.BackToBack})
				require.Equal(t, 12, res.ErrorResponses)
			}
		}
	}
}

// Hazard 12: an abort waits for ever when reads have run ahead of the writes.
func TestHazard12AbortEndsWhenReadsRanAhead(t *testing.T) {
	for _, write := range []bool{true, false} {
		j := job.New(20_000, 0x10_0000, 0x80_0002)
		j.DecoupleRW, j.Src.MaxBeats, j.Dst.MaxBeats = true, 8, 16
		e := job.BusError{Write: write, Addr: j.Src.Addr + 3000, Action: job.Abort}
		if write {
			e.Addr = j.Dst.Addr + 3000
		}
		for _, c := range handlingVariants() {
			for _, cfg := range []tb.RunConfig{{}, {WriteLatency: 200}, {Stalls: mem.Stalls{W: 90, B: 90}, Seed: 1}, {WriteOrder: mem.AddressFirst, Outstanding: 1}, {WriteOrder: mem.DataFirst}} {
				run(t, start(t, goModel, elaborate(t, c), 1), jobs(withError(j, e), job.New(100, 0x1000, 0x2000)), cfg)
			}
		}
	}
}

// The error handler takes no cycle where there is no error.
func TestErrorHandlingCostsNoCycle(t *testing.T) {
	for _, width := range []int{32, 512} {
		for _, outstanding := range []int{1, 2, 8, 32} {
			c := edit(func(c *backend.Config) { c.DataWidth, c.Outstanding = width, outstanding })
			off := elaborate(t, c)
			c.ErrorHandling = true
			on := elaborate(t, c)
			lists := []*job.List{tiny(300, uint64(width/8)), tb.Random(5, tb.RandomConfig{Jobs: 100, Bytes: width / 8, AddrWidth: 32, LengthWidth: 32, MaxLength: 3000, Zero: 5})}
			for _, l := range lists {
				for _, n := range []int{1, 3, 13, 100, 200} {
					cfg := latency(n)
					without, with := run(t, start(t, goModel, off, 1), l, cfg), run(t, start(t, goModel, on, 1), l, cfg)
					require.Equal(t, without.Cycles, with.Cycles, "%d bits, %d outstanding, latency %d", width, outstanding, n)
					require.Equal(t, without.RequestToRead, with.RequestToRead)
					require.Equal(t, without.Utilisation, with.Utilisation)
				}
			}
		}
	}
}

func TestToolsAcceptTheErrorHandler(t *testing.T) {
	for i, c := range append(handlingVariants(), handling(func(c *backend.Config) {
		all := backend.PortsOf(backend.AXI4, backend.OBI, backend.AXILite, backend.Init, backend.AXIStream)
		c.ReadProtocols, c.WriteProtocols = all, all
	})) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, gen.WriteDir(dir, emit(t, c, gen.Options{})))
			for _, r := range lint.Lint(t.Context(), dir, elaborate(t, c).Top.Name, lint.All()) {
				require.NoError(t, r.Err, "%s: %s", r.Tool, r.Output)
			}
		})
	}
}
