package regs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/regs"
	"github.com/millrace-hdl/millrace/verilator"
)

func fileDesign(t testing.TB) *ir.Design {
	t.Helper()
	d, err := hdl.Elaborate(regs.File, sample().File(), hdl.Named("sample_regs"))
	require.NoError(t, err)
	return d
}

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

func (p pins) port(name string) sim.Port {
	port, err := p.Layout().Port(name)
	require.NoError(p.t, err)
	return port
}

func (p pins) set(name string, v uint64) {
	port := p.port(name)
	require.Zero(p.t, v>>port.Type.Width, name)
	p.In()[port.Offset] = v
}

func (p pins) setBool(name string, b bool) {
	v := uint64(0)
	if b {
		v = 1
	}
	p.set(name, v)
}

// get is an output as it was before the last edge, or an input.
func (p pins) get(name string) uint64 {
	port := p.port(name)
	if port.Input {
		return p.In()[port.Offset]
	}
	return p.Out()[port.Offset]
}

func (p pins) on(name string) bool { return p.get(name) == 1 }

func (p pins) step() {
	require.NoError(p.t, p.Step())
	require.NoError(p.t, sim.Violations(p.Engine))
}
