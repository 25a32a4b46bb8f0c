package lib_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// variant is a module of the library with some parameters, and its bench.
type variant struct {
	name     string
	design   func(t testing.TB) *ir.Design
	run      func(t testing.TB, e sim.Engine)
	lockstep bool // also run in lockstep with the RTL
}

func variantOf[P hdl.Validator, IO any](name string, b hdl.Build[P, IO], p P, lockstep bool, run func(t testing.TB, e sim.Engine, p P)) variant {
	return variant{name, func(t testing.TB) *ir.Design { return elaborated(t, b, p) }, func(t testing.TB, e sim.Engine) { run(t, e, p) }, lockstep}
}

func modules() (vs []variant) {
	for _, cut := range []lib.Cut{lib.CutBoth, lib.CutValid, lib.CutReady} {
		vs = append(vs, variantOf("spill", lib.Spill, lib.SpillParams{Width: 13, Cut: cut}, cut == lib.CutBoth,
			func(t testing.TB, e sim.Engine, _ lib.SpillParams) { spill(t, e, 5, 400) }))
	}
	for _, n := range []int{2, 3} {
		vs = append(vs,
			variantOf("fork", lib.StreamFork, lib.ForkParams{Width: 9, Outputs: n}, n == 3,
				func(t testing.TB, e sim.Engine, p lib.ForkParams) { fork(t, e, p.Outputs, 5, 400) }),
			variantOf("mux", lib.StreamMux, lib.MuxParams{Width: 8, Inputs: n}, n == 3,
				func(t testing.TB, e sim.Engine, p lib.MuxParams) { mux(t, e, p.Inputs, 5, 400) }),
			variantOf("demux", lib.StreamDemux, lib.DemuxParams{Width: 8, Outputs: n}, n == 3,
				func(t testing.TB, e sim.Engine, p lib.DemuxParams) { demux(t, e, p.Outputs, 5, 400) }))
	}
	vs = append(vs, variantOf("join", lib.StreamJoin, lib.JoinParams{Left: 7, Right: 12}, true,
		func(t testing.TB, e sim.Engine, _ lib.JoinParams) { join(t, e, 5, 400) }))
	for _, p := range arbiters() {
		vs = append(vs, variantOf("arbiter", lib.StreamArbiter, p, p.Inputs == 3 && p.Policy == lib.Round && p.Packets,
			func(t testing.TB, e sim.Engine, p lib.ArbiterParams) { arbitrate(t, e, p, 5, 400) }))
	}
	for _, n := range []int{1, 5} {
		vs = append(vs, variantOf("credits", lib.Credits, lib.CreditParams{Credits: n}, n == 5,
			func(t testing.TB, e sim.Engine, p lib.CreditParams) { credits(t, e, p.Credits, 5, 400) }))
	}
	for i, p := range counters() {
		vs = append(vs, variantOf("counter", lib.Counter, p, i == 3,
			func(t testing.TB, e sim.Engine, p lib.CounterParams) { counter(t, e, p, 5, 400) }))
	}
	for _, w := range []int{1, 2, 13} {
		vs = append(vs, variant{"functions", func(t testing.TB) *ir.Design { return elaborated(t, every, w) }, func(t testing.TB, e sim.Engine) {
			g := newRig(t, e, 5)
			for range 200 {
				functionsOf(t, g, g.r.Uint64()>>(64-w), w)
			}
		}, w == 13})
	}
	return vs
}

// lintClean requires that every tool accepts the RTL of a design without a warning.
func lintClean(t *testing.T, d *ir.Design) {
	t.Helper()
	dir := t.TempDir()
	files, err := gen.Emit(d, gen.Options{})
	require.NoError(t, err)
	require.NoError(t, gen.WriteDir(dir, files))
	for _, r := range lint.Lint(context.Background(), dir, d.Top.Name, lint.All()) {
		require.NoError(t, r.Err, "%s: %s", r.Tool, r.Output)
		require.Empty(t, r.Output, "%s", r.Tool)
	}
}

func TestModulesAreClean(t *testing.T) {
	for _, v := range modules() {
		d := v.design(t)
		t.Run(v.name+"_"+d.Top.Params, func(t *testing.T) { lintClean(t, d) })
	}
	for _, e := range lib.Catalogue() {
		d, err := e.Elaborate(e.Defaults())
		require.NoError(t, err)
		t.Run(e.Name, func(t *testing.T) { lintClean(t, d) })
	}
}

func TestModulesInRTL(t *testing.T) {
	for _, v := range modules() {
		if v.lockstep {
			t.Run(v.name, func(t *testing.T) { v.run(t, couple(t, v.design(t))) })
		}
	}
}

func TestParams(t *testing.T) {
	for _, c := range []struct {
		p    hdl.Validator
		want string
	}{
		{lib.SpillParams{}, "spill register: Width is 0; it must be at least 1"},
		{lib.SpillParams{Width: 1, Cut: 3}, "spill register: Cut is 3; choose CutBoth, CutValid or CutReady"},
		{lib.ForkParams{Width: 1, Outputs: 1}, "stream fork: Outputs is 1; it must be at least 2"},
		{lib.ForkParams{Outputs: 2}, "stream fork: Width is 0; it must be at least 1"},
		{lib.JoinParams{Left: 1}, "stream join: Right is 0; it must be at least 1"},
		{lib.MuxParams{Width: 1}, "stream multiplexer: Inputs is 0; it must be at least 2"},
		{lib.DemuxParams{Width: -1, Outputs: 2}, "stream demultiplexer: Width is -1; it must be at least 1"},
		{lib.ArbiterParams{Width: 1, Inputs: 1}, "stream arbiter: Inputs is 1; it must be at least 2"},
		{lib.ArbiterParams{Width: 1, Inputs: 2, Policy: 9}, "stream arbiter: Policy is 9; choose Round or Fixed"},
		{lib.CreditParams{}, "credit counter: Credits is 0; it must be at least 1"},
		{lib.CounterParams{Min: -1, Max: 3}, "counter: Min is -1; it must be at least 0"},
		{lib.CounterParams{Min: 3, Max: 3}, "counter: Max is 3; it must be at least 4"},
	} {
		require.EqualError(t, c.p.Validate(), c.want)
	}
	for _, e := range lib.Catalogue() {
		require.NoError(t, e.Check(e.Defaults()), e.Name)
	}
}

func TestNamesOfParams(t *testing.T) {
	for _, c := range []lib.Cut{lib.CutBoth, lib.CutValid, lib.CutReady} {
		text, err := c.MarshalText()
		require.NoError(t, err)
		var back lib.Cut
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, c, back)
	}
	require.ErrorContains(t, new(lib.Cut).UnmarshalText([]byte("all")), `"all" is no cut of a stream; choose from both, valid and ready`)
	require.Equal(t, "Cut(7)", lib.Cut(7).String())
	for _, p := range []lib.Policy{lib.Round, lib.Fixed} {
		text, err := p.MarshalText()
		require.NoError(t, err)
		var back lib.Policy
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, p, back)
	}
	require.ErrorContains(t, new(lib.Policy).UnmarshalText([]byte("fair")), `"fair" is no policy of an arbiter; choose from round and fixed`)
	require.Equal(t, "Policy(7)", lib.Policy(7).String())
}
