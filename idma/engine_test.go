package idma_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/idma"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
)

func edit(f idma.Frontend, edits ...func(*idma.Config)) idma.Config {
	c := idma.Default(f)
	for _, e := range edits {
		e(&c)
	}
	return c
}

// spread is configurations from all over the parameter space.
func spread() []idma.Config {
	var all []idma.Config
	for f := idma.Reg32; f <= idma.Inst64; f++ {
		all = append(all, idma.Default(f))
	}
	return append(all,
		edit(idma.Reg32x3D, func(c *idma.Config) {
			c.Registers.Ports, c.Registers.Streams, c.Registers.Bus = 3, 2, frontend.OBI
			c.Registers.Interrupts, c.Registers.ErrorInfo, c.Backend.ErrorHandling = true, true, true
			c.Tensor.Registered = true
		}),
		edit(idma.Reg64x2D, func(c *idma.Config) {
			c.Registers.Bus, c.Registers.Counters, c.Backend.CounterWidth = frontend.AXILite, true, 32
			c.Backend.ReadProtocols = backend.PortsOf(backend.AXI4, backend.AXI4, backend.OBI, backend.AXIStream, backend.Init)
			c.Backend.WriteProtocols = backend.PortsOf(backend.AXILite, backend.TileLink, backend.AXIStream, backend.Init)
		}),
		edit(idma.Desc64, func(c *idma.Config) {
			c.Descriptors.Fetch, c.Descriptors.FetchWidth = frontend.FetchOBI, 32
			c.Backend.ReadProtocols = backend.PortsOf(backend.TileLink)
		}),
		edit(idma.Inst64, func(c *idma.Config) { c.Instructions.Channels = 3 }),
		idma.MemPool(), idma.ControlPULP(),
		edit(idma.Reg32RT3D, func(c *idma.Config) {
			c.Registers.Streams, c.Registers.Events = 2, 1
			c.Registers.ErrorInfo, c.Backend.ErrorHandling = true, true
		}),
		edit(idma.Reg32x2D, func(c *idma.Config) {
			c.Registers.Streams, c.Midends = 2, idma.MidendsOf(idma.TensorND, idma.MPSplit, idma.MPDist)
			c.Outputs, c.Tree = 4, true
			c.Registers.ErrorInfo, c.Backend.ErrorHandling = true, true
		}),
	)
}

func TestToolsAcceptEngines(t *testing.T) {
	for i, c := range spread() {
		t.Run(fmt.Sprintf("%d %s", i, c.Frontend), func(t *testing.T) {
			t.Parallel()
			d, err := idma.Elaborate(c)
			require.NoError(t, err)
			files, err := gen.Emit(d, gen.Options{})
			require.NoError(t, err)
			d2, err := idma.Elaborate(c)
			require.NoError(t, err)
			again, err := gen.Emit(d2, gen.Options{})
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(files, again))
			dir := t.TempDir()
			require.NoError(t, gen.WriteDir(dir, files))
			for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, lint.All()) {
				require.NoError(t, r.Err, "%s: %s", r.Tool, r.Output)
				require.Empty(t, r.Output, r.Tool)
			}
		})
	}
}
