package frontend_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/verilator"
)

var update = flag.Bool("update", false, "write the golden files anew")

// layouts are those without events.
var layouts = []frontend.Layout{frontend.Reg32, frontend.Reg32x2D, frontend.Reg32x3D, frontend.Reg64, frontend.Reg64x2D}

// edit makes a configuration out of the default one of a layout.
func edit(l frontend.Layout, edits ...func(*frontend.Config)) frontend.Config {
	c := frontend.Default(l)
	for _, e := range edits {
		e(&c)
	}
	return c
}

func on(b frontend.Bus) func(*frontend.Config) { return func(c *frontend.Config) { c.Bus = b } }

func sized(ports, streams int) func(*frontend.Config) {
	return func(c *frontend.Config) { c.Ports, c.Streams = ports, streams }
}

// everything switches all options on.
func everything(c *frontend.Config) {
	c.ErrorInfo, c.Interrupts, c.Counters, c.Backend.ErrorHandling = true, true, true, true
	c.Backend.CounterWidth = 32
}

// choices has back-ends with all that a request can choose from.
func choices(c *frontend.Config) {
	c.Backend.ReadProtocols = backend.PortsOf(backend.AXI4, backend.AXI4, backend.Init, backend.OBI)
	c.Backend.WriteProtocols = backend.PortsOf(backend.OBI, backend.OBI, backend.OBI, backend.AXI4)
}

func elaborate(t testing.TB, c frontend.Config) *ir.Design {
	t.Helper()
	d, err := frontend.Elaborate(c)
	require.NoError(t, err, "%+v", c)
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

// golden compares the text with a file below testdata.
func golden(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update to make it")
	require.Empty(t, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")), "%s: run with -update if the change is wanted", path)
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
	require.True(p.t, port.Type.Width == 64 || v>>port.Type.Width == 0, "%s does not hold %#x", name, v)
	p.In()[port.Offset] = v
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

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// numbered is a name with a number where there are several.
func numbered(name string, i, n int) string {
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s%d", name, i)
}
