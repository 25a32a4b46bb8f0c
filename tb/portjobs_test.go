package tb

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/verilator"
)

// portJobs is the job files for ports of all protocols.
func portJobs(t testing.TB) []*job.List {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "ports", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	var lists []*job.List
	for _, p := range paths {
		l, err := job.ReadFile(p, 1)
		require.NoError(t, err)
		lists = append(lists, l)
	}
	return lists
}

// allPorts is an engine of a width with a port of each protocol a side.
func allPorts(t testing.TB, width int) *ir.Design {
	t.Helper()
	c := backend.Default()
	c.DataWidth, c.ErrorHandling = width, true
	for _, set := range []*backend.PortSet{&c.ReadProtocols, &c.WriteProtocols} {
		require.NoError(t, set.UnmarshalText([]byte(everyPort+", tilelink")))
	}
	d, err := backend.Elaborate(c)
	require.NoError(t, err)
	return d
}

// runPortJobs runs each file plain, and with latencies, stalls and null bytes.
func runPortJobs(t *testing.T, eng sim.Engine) {
	t.Helper()
	for _, l := range portJobs(t) {
		for _, cfg := range []RunConfig{{}, {ReadLatency: 13, WriteLatency: 29, Stalls: mem.AllStalls(25), RspStall: 25, ActionStall: 70, NullBytes: 30, Memory: PerPort, Seed: 3}} {
			res, err := Run(t.Context(), eng, l, cfg)
			require.NoError(t, err, l.Name)
			require.NoError(t, res.Err(), "%s, %+v", l.Name, cfg)
			if filepath.Base(l.Name) == "errors.yaml" {
				require.Greater(t, res.ErrorResponses, 7)
				continue
			}
			require.Equal(t, res.FewestWriteBeats, res.WriteBeats, l.Name)
			require.Equal(t, 1, res.ErrorResponses, "the transfer of no bytes")
		}
	}
}

func TestJobFilesOfAllPorts(t *testing.T) {
	for _, width := range []int{32, 64, 512} {
		eng, err := sim.New(allPorts(t, width), sim.Options{Seed: 1})
		require.NoError(t, err)
		runPortJobs(t, eng)
	}
}

func TestJobFilesOfAllPortsInLockstep(t *testing.T) {
	eng, err := verilator.Couple(t.Context(), allPorts(t, 64), 1, verilator.Options{Quick: true}, verilator.LockstepOptions{Dir: t.TempDir()})
	require.NoError(t, err)
	defer func() { require.NoError(t, eng.Close()) }()
	runPortJobs(t, eng)
}
