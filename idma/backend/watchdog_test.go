package backend_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/verilator"
)

// refusal is what a subordinate does no more.
type refusal int

const (
	requests refusal = iota + 1 // take requests
	words                       // take write data
	replies                     // answer
)

// dying is a subordinate that does something no more for a while.
type dying struct {
	end      portEnd
	what     refusal
	from, to int // cycles
	lost     map[int]bool
}

// refuses reports whether a subordinate does not do something in this cycle.
func (d dying) refuses(b *portBench, end portEnd, what refusal) bool {
	return d.what == what && d.end == end && b.cycle >= d.from && b.cycle < d.to
}

// gave reports whether an answer says that the subordinate was given up, as it may of
// transfers that use it.
func (d dying) gave(b *portBench, i int, v move, at string) bool {
	if d.what == 0 || !b.pin("rsp_error").on() || b.pin("rsp_cause").get() != backend.CauseNoAnswer || b.pin("rsp_err_type").get() == backend.ErrRefused {
		return false
	}
	end, typ := portEnd{false, v.from}, uint64(backend.ErrBusRead)
	if d.end.write {
		end, typ = portEnd{true, v.to}, backend.ErrBusWrite
	}
	require.Equal(b.t, d.end, end, "%s: another port was given up", at)
	require.Equal(b.t, typ, b.pin("rsp_err_type").get(), at)
	d.lost[i] = true
	return true
}

// arrived is the bytes that may have arrived: of a packet that was given up any.
func (d dying) arrived(b *portBench, n int, v move, bytes []byte, packet int) []byte {
	if !d.lost[n] {
		return bytes
	}
	if s := b.sinks[v.to]; s != nil {
		require.Len(b.t, s.packets[packet], len(bytes), "packet of transfer %d", n)
		return s.packets[packet]
	}
	return bytes
}

// death is what happens to which port of an engine.
type death struct {
	read, write string
	end         portEnd
	what        refusal
}

// deaths are all refusals of every protocol, beside every other.
func deaths() []death {
	var ds []death
	for _, p := range []string{"axi4", "obi", "axi_lite", "tilelink"} {
		for _, other := range []string{"axi4", "obi", "axi_lite", "tilelink", "init", "axi_stream"} {
			for _, what := range []refusal{requests, replies} {
				ds = append(ds, death{p, other, portEnd{false, 0}, what}, death{other, p, portEnd{true, 0}, what})
			}
			if p != "obi" && p != "tilelink" {
				ds = append(ds, death{other, p, portEnd{true, 0}, words})
			}
		}
	}
	several := "axi4, obi, axi_lite, tilelink, init, axi_stream"
	for port := range 4 {
		ds = append(ds, death{several, several, portEnd{false, port}, replies}, death{several, several, portEnd{true, port}, replies})
	}
	return ds
}

// survival is a run in which a subordinate refuses something, for ever or for a while.
type survival struct {
	death
	seed    uint64
	forEver bool
}

// config is the engine of the run.
func (s survival) config(t testing.TB) backend.Config {
	c := portConfig(t, rand.New(rand.NewPCG(s.seed, 11)), s.read, s.write)
	c.Watchdog = 300
	return c
}

// on runs transfers. Those that use the subordinate end, with errors. When it goes on,
// and all that it owed has come, its port works again.
func (s survival) on(t testing.TB, eng sim.Engine, c backend.Config) {
	t.Helper()
	rng := rand.New(rand.NewPCG(s.seed, 12))
	b := portBenchOf(t, eng, c, s.seed)
	b.stall, b.wait = rng.IntN(2)*rng.IntN(50), 1+rng.IntN(30)
	b.dying = dying{end: s.end, what: s.what, from: 20 + rng.IntN(200), lost: map[int]bool{}}
	b.dying.to = b.dying.from + 3000
	if s.forEver {
		b.dying.to = 1 << 40
	}
	require.NoError(t, b.eng.Reset(2))
	moves := b.random(100)
	b.through(moves)
	lost := len(b.dying.lost)
	require.Positive(t, lost)
	if !s.forEver {
		b.rest(max(0, b.dying.to+3000-b.cycle)) // all late answers come
		more := b.random(40)
		b.through(more)
		moves = append(moves, more...)
		require.Len(t, b.dying.lost, lost, "the port is still given up")
	}
	b.compare(moves)
	require.NoError(t, sim.Violations(b.eng))
}

func TestWatchdogGivesUpSubordinates(t *testing.T) {
	each(t, deaths(), func(t *testing.T, d death) {
		for seed := range uint64(4) {
			s := survival{d, seed, seed == 0}
			s.on(t, start(t, goModel, elaborate(t, s.config(t)), seed), s.config(t))
		}
	})
}

// With an error handler the end of the patience is an error like others: it is told of,
// and may be replayed until the port works again.
func TestWatchdogWithErrorHandler(t *testing.T) {
	each(t, deaths(), func(t *testing.T, d death) {
		if strings.Contains(d.write, "axi_stream") {
			t.Skip("what a packet is after an abort is left to the test of errors")
		}
		for seed := range uint64(3) {
			s := survival{d, seed, seed == 0}
			c := s.config(t)
			c.ErrorHandling = true
			s.on(t, start(t, goModel, elaborate(t, c), seed), c)
		}
	})
}

func TestWatchdogInLockstep(t *testing.T) {
	several := "axi4, obi, axi_lite, tilelink, init, axi_stream"
	for port := range 4 {
		for _, write := range []bool{false, true} {
			s := survival{death{several, several, portEnd{write, port}, replies}, 5, false}
			s.on(t, start(t, lockstep, elaborate(t, s.config(t)), 5), s.config(t))
		}
	}
}

// The guards take no cycle while subordinates work, however slow they are within their
// time.
func TestWatchdogCostsNoCycle(t *testing.T) {
	for _, handler := range []bool{false, true} {
		c := edit(func(c *backend.Config) { c.ErrorHandling = handler })
		without := elaborate(t, c)
		c.Watchdog = 250
		with := elaborate(t, c)
		list := tb.Random(6, tb.RandomConfig{Jobs: 100, Bytes: 4, AddrWidth: 32, LengthWidth: 32, MaxLength: 3000, Zero: 5})
		for _, n := range []int{1, 3, 13, 100, 200} {
			a, b := run(t, start(t, goModel, without, 1), list, latency(n)), run(t, start(t, goModel, with, 1), list, latency(n))
			require.Equal(t, a.Cycles, b.Cycles, "latency %d", n)
			require.Zero(t, a.ErrorResponses-b.ErrorResponses)
		}
	}
}

func TestToolsAcceptTheWatchdog(t *testing.T) {
	for i, ports := range []string{"axi4", "axi4, obi, axi_lite, tilelink, init, axi_stream", "tilelink"} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			c := portConfig(t, rand.New(rand.NewPCG(1, 2)), ports, ports)
			c.Watchdog, c.ErrorHandling = 1000, i == 1
			dir := t.TempDir()
			require.NoError(t, gen.WriteDir(dir, emit(t, c, gen.Options{})))
			for _, r := range lint.Lint(t.Context(), dir, elaborate(t, c).Top.Name, lint.All()) {
				require.NoError(t, r.Err, "%s: %s", r.Tool, r.Output)
			}
		})
	}
}

// guardMutations are mistakes in the emitted RTL of the guards.
var guardMutations = []mutation{
	{"request withdrawn", "idma_guard_8x66_300cycles_bursts.sv", "isolated_q ? request_held_q :", "isolated_q ? 1'b0 :"},
	{"request changes", "idma_guard_8x66_300cycles_bursts.sv", "isolated_q ? request_kept_q : in_payload", "in_payload"},
	{"late data not taken", "idma_guard_8x66_300cycles_bursts.sv", "assign answer_ready = isolated_q || reply_ready;", "assign answer_ready = reply_ready && !isolated_q;"},
	{"late data go to the next transfer", "idma_guard_8x66_300cycles_bursts.sv", "isolated_q && (owed_q == 4'd0) && !request_held_q", "isolated_q"},
	{"burst answered a beat short", "idma_guard_8x66_300cycles_bursts.sv", "assign last_beat = beat_q == u_asked_out_data;", "assign last_beat = beat_q + 8'd1 >= u_asked_out_data;"},
	{"lost data without an error", "idma_guard_8x66_300cycles_bursts.sv", "assign reply_lost = isolated_q;", "assign reply_lost = 1'b0;"},
	{"write data change", "idma_write_guard_18x66_300cycles_w38_bursts.sv", "data_payload_and = isolated_q && !data_held_q", "data_payload_and = isolated_q"},
	{"burst not ended", "idma_write_guard_18x66_300cycles_w38_bursts.sv", "isolated_q ? (data_held_q || u_debts_out_valid) :", "isolated_q ? data_held_q :"},
	{"burst ended too early", "idma_write_guard_18x66_300cycles_w38_bursts.sv", "? (beat_q == u_debts_out_data) :", "? 1'b1 :"},
	{"strobes on where a burst is ended", "idma_write_guard_18x66_300cycles_w38_bursts.sv", "data_payload_and ? 38'd0 :", "data_payload_and ? ~38'd0 :"},
	{"write address withdrawn", "idma_write_guard_18x66_300cycles_w38_bursts.sv", "isolated_q ? address_held_q :", "isolated_q ? 1'b0 :"},
	{"never open again", "idma_write_guard_18x66_300cycles_w38_bursts.sv", "assign returns = isolated_q &&", "assign returns = 1'b0 &&"},
}

// failing is a test whose failure is a result.
type failing struct {
	testing.TB
	failed string
}

type failure struct{}

func (f *failing) Errorf(format string, args ...any) { f.failed = fmt.Sprintf(format, args...) }
func (f *failing) FailNow()                          { panic(failure{}) }

// found runs f and returns why it failed, or "".
func found(t testing.TB, f func(t testing.TB)) string {
	probe := &failing{TB: t}
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(failure{}) {
				panic(r)
			}
		}()
		f(probe)
	}()
	return probe.failed
}

// TestMutationsOfGuardsAreFound requires the bench alone to find each of them.
func TestMutationsOfGuardsAreFound(t *testing.T) {
	c := edit(func(c *backend.Config) { c.Watchdog = 300 })
	d := elaborate(t, c)
	search := func(o verilator.Options) string {
		return found(t, func(f testing.TB) {
			for _, write := range []bool{false, true} {
				for _, what := range []refusal{requests, words, replies} {
					if what == words && !write {
						continue
					}
					for seed := range uint64(4) {
						s := survival{death{"axi4", "axi4", portEnd{write, 0}, what}, seed, seed == 0}
						s.on(f, startWith(t, rtl, d, seed, o), c)
					}
				}
			}
		})
	}
	require.Empty(t, search(verilator.Options{Quick: true}))
	each(t, guardMutations, func(t *testing.T, m mutation) {
		why := search(verilator.Options{Quick: true, Patch: m.patch(t)})
		require.NotEmpty(t, why)
		t.Log(why)
	})
}
