package tb

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/software"
	"github.com/millrace-hdl/millrace/verilator"
)

// publicErrors are a list of each directory of the public job suite and the ports that it is
// for. Where the file has no errors, some are added.
var publicErrors = []struct {
	file, read, write string
	dims              int
}{
	{"rw_axi/error_simple.txt", "axi4", "axi4", 1},
	{"r_axi_w_obi/medium.txt", "axi4", "obi", 1},
	{"rw_axi_rw_axis/medium.txt", "axi4, axi_stream", "axi4, axi_stream", 1},
	{"nd4/simple.txt", "axi4", "axi4", 4},
}

// publicWith is the list with one action about all errors. Of long lists it is the first
// transfers, and of those with loops the linear ones.
func publicWith(t *testing.T, file string, dims int, action job.Action) *job.List {
	t.Helper()
	const most = 150
	l := publicJobsOf(t, file, dims)
	if dims > 1 {
		regs := frontend.Default(frontend.Reg32x3D)
		linear := &job.List{Name: l.Name}
		for i := range l.Jobs {
			pieces, ok := unroll(&l.Jobs[i], &software.Target{Registers: &regs}, maxParts)
			require.True(t, ok)
			linear.Jobs = append(linear.Jobs, pieces...)
		}
		l = linear
	}
	l.Jobs = l.Jobs[:min(most, len(l.Jobs))]
	given := 0
	for i := range l.Jobs {
		for k := range l.Jobs[i].Errors {
			l.Jobs[i].Errors[k].Action = action
			given++
		}
	}
	if given == 0 {
		AddErrors(uint64(action), l, ErrorConfig{Bytes: 4, Percent: 70, Most: 3, Actions: []job.Action{action}})
	}
	return l
}

func publicEngine(t *testing.T, read, write string, outstanding int) *ir.Design {
	t.Helper()
	c := backend.Default()
	c.DataWidth, c.IDWidth, c.Outstanding, c.BufferDepth, c.ErrorHandling, c.CombinedShifter = 32, 12, outstanding, 3, true, read == "axi4" && write == "axi4"
	require.NoError(t, c.ReadProtocols.UnmarshalText([]byte(read)))
	require.NoError(t, c.WriteProtocols.UnmarshalText([]byte(write)))
	d, err := backend.Elaborate(c)
	require.NoError(t, err)
	return d
}

// Each directory with errors, every action, and 2 to 16 outstanding.
func TestPublicErrorsWithEveryAction(t *testing.T) {
	for _, p := range publicErrors {
		for n := 2; n <= 16; n++ {
			t.Run(fmt.Sprintf("%s, %d outstanding", p.file, n), func(t *testing.T) {
				t.Parallel()
				eng, err := sim.New(publicEngine(t, p.read, p.write, n), sim.Options{Seed: 1})
				require.NoError(t, err)
				publicActions(t, eng, p.file, p.dims)
			})
		}
	}
}

// The same in lockstep, for some of them.
func TestPublicErrorsWithEveryActionInLockstep(t *testing.T) {
	for _, p := range publicErrors {
		for _, n := range []int{2, 16} {
			t.Run(fmt.Sprintf("%s, %d outstanding", p.file, n), func(t *testing.T) {
				publicJobsOf(t, p.file, p.dims)
				eng, err := verilator.Couple(t.Context(), publicEngine(t, p.read, p.write, n), 1, verilator.Options{Quick: true}, verilator.LockstepOptions{Dir: t.TempDir()})
				require.NoError(t, err)
				defer func() { require.NoError(t, eng.Close()) }()
				publicActions(t, eng, p.file, p.dims)
			})
		}
	}
}

func publicActions(t *testing.T, eng sim.Engine, file string, dims int) {
	t.Helper()
	for _, action := range []job.Action{job.Continue, job.Abort, job.Replay} {
		l := publicWith(t, file, dims, action)
		for _, cfg := range []RunConfig{{ReadLatency: 3, WriteLatency: 3}, {ReadLatency: 13, WriteLatency: 40, Stalls: mem.AllStalls(25), RspStall: 25, ActionStall: 60, Seed: 5}} {
			res, err := Run(t.Context(), eng, l, cfg)
			require.NoError(t, err, "%v, %+v", action, cfg)
			require.NoError(t, res.Err(), "%v, %+v", action, cfg)
			require.Positive(t, res.ErrorResponses, action)
		}
	}
}
