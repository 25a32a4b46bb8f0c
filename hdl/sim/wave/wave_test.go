package wave_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/irtest"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
)

const waved = `(design top)
	(enum state (IDLE 0) (BUSY 1) (LAST 2))
	(module stage (input in u70) (output busy u1) (reg data u70) (reg count s3 (init -1:s3)) (wire next u2/state)
		(body (set data in) (set count (add count 1:s3)) (set busy count[0])
			(switch count[1:0] (case 0:u2 (set next 0:u2)) (case 1:u2 (set next 1:u2)) (default (set next count[1:0])))))
	(module top (input en u1) (input word u70) (output busy u1) (output now u2/state)
		(inst_in a_in u70) (inst_out a_busy u1) (inst_in b_in u70) (inst_out b_busy u1) (reg st u2/state (init 0:u2))
		(instance a stage (port in a_in) (port busy a_busy))
		(instance b stage (port in b_in) (port busy b_busy))
		(body (set a_in word) (set b_in (not word)) (set busy (or a_busy b_busy)) (set now st) (if (when en (set st (add st 1:u2))))))`

// traceRun resets an engine and runs it with inputs that change now and then.
func traceRun(t *testing.T, e sim.Engine, from, to int) {
	t.Helper()
	if from == 0 {
		require.NoError(t, e.Reset(2))
	}
	for i := from; i < to; i++ {
		drive(t, e, map[string]uint64{"en": uint64(i) >> 1 & 1, "word": uint64(i / 3)})
		require.NoError(t, e.Step())
	}
}

// TestTracingChangesNothing: outputs and state are the same with and without.
func TestTracingChangesNothing(t *testing.T) {
	for seed := range uint64(8) {
		d := irtest.Random(seed, irtest.Options{Levels: 1}.Full())
		plain, err := sim.New(d, sim.Options{Seed: seed})
		require.NoError(t, err)
		m, err := sim.New(d, sim.Options{Seed: seed})
		require.NoError(t, err)
		traced := wave.Trace(m, wave.NewVCD(new(bytes.Buffer), "top", m, nil))
		r := rand.New(rand.NewPCG(seed, 0))
		for cycle := range 20 {
			randomise(r, plain)
			copy(traced.In(), plain.In())
			switch {
			case cycle%9 == 4:
				require.NoError(t, plain.Reset(2))
				require.NoError(t, traced.Reset(2))
			case cycle%3 == 1:
				domains := r.Uint64() & plain.Layout().AllDomains()
				require.NoError(t, plain.Tick(domains))
				require.NoError(t, traced.Tick(domains))
			default:
				require.NoError(t, plain.Run(2))
				require.NoError(t, traced.Run(2))
			}
			require.Equal(t, plain.Out(), traced.Out(), "seed %d cycle %d", seed, cycle)
			require.Equal(t, plain.State(), m.State(), "seed %d cycle %d", seed, cycle)
			require.Equal(t, plain.Cycle(), traced.Cycle())
			require.Equal(t, plain.Checks(), m.Checks())
		}
	}
}

var errFull = errors.New("no space left")

// stuck is an engine that fails to evaluate.
type stuck struct{ sim.Engine }

func (stuck) Eval() error { return errFull }

func TestTracePassesErrors(t *testing.T) {
	m := stuck{newModel(t, waved, sim.Options{})}
	e := wave.Trace(m, wave.NewRecorder("top", m, 1, nil))
	require.ErrorIs(t, e.Step(), errFull)
	require.ErrorIs(t, e.Reset(1), errFull)
	require.ErrorIs(t, e.Tick(1), errFull)
	require.Zero(t, m.Cycle())
	short := failsReset{newModel(t, waved, sim.Options{})}
	require.ErrorIs(t, wave.Trace(short, wave.NewRecorder("top", short, 1, nil)).Reset(2), errFull)
}

// failsReset is an engine that fails to reset.
type failsReset struct{ sim.Engine }

func (failsReset) Reset(int) error { return errFull }

func TestTraceReportsBadCounts(t *testing.T) {
	m := newModel(t, waved, sim.Options{})
	e := wave.Trace(m, wave.NewRecorder("top", m, 1, nil))
	require.ErrorContains(t, e.Run(-1), "run -1 cycles")
	require.ErrorContains(t, e.Reset(0), "reset for 0 cycles")
	require.ErrorContains(t, e.Tick(2), "tick 0b10")
	require.Equal(t, m, e.(interface{ Unwrap() sim.Engine }).Unwrap())
}
