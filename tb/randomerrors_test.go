package tb

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

func TestRandomErrorsKeepTheirRules(t *testing.T) {
	const bus = 8
	list := Random(3, RandomConfig{Jobs: 400, Bytes: bus, AddrWidth: 32, LengthWidth: 32, MaxLength: 500, Zero: 5, Refused: 5})
	list.Jobs = append(list.Jobs, job.New(400, 0x1000, 0x8000))
	all := []job.Action{job.Continue, job.Abort, job.Replay}
	AddErrors(7, list, ErrorConfig{Bytes: bus, Percent: 60, Most: 6, Actions: all})
	given := map[job.Action]int{}
	for i := range list.Jobs {
		j := &list.Jobs[i]
		if j.Refused() {
			require.Empty(t, j.Errors)
		}
		for n, e := range j.Errors {
			given[e.Action]++
			require.True(t, touchesWord(j, e, e.Write, bus), "%+v of %+v", e, j)
			require.False(t, e.Write && j.Overlaps())
			for _, o := range j.Errors[:n] {
				if o.Write != e.Write {
					continue
				}
				require.NotEqual(t, o.Addr/bus, e.Addr/bus)
				if (j.Src.Addr|j.Dst.Addr)%bus != 0 {
					require.NotEqual(t, o.Addr/bus+1, e.Addr/bus)
					require.NotEqual(t, o.Addr/bus, e.Addr/bus+1)
				}
			}
		}
	}
	for _, a := range all {
		require.Greater(t, given[a], 20, a)
	}
	again := Random(3, RandomConfig{Jobs: 400, Bytes: bus, AddrWidth: 32, LengthWidth: 32, MaxLength: 500, Zero: 5, Refused: 5})
	again.Jobs = append(again.Jobs, job.New(400, 0x1000, 0x8000))
	AddErrors(7, again, ErrorConfig{Bytes: bus, Percent: 60, Most: 6, Actions: all})
	require.Equal(t, list, again, "the seed decides")
}

// Errors that the run itself would inject have no action.
func TestFaultsOfTheRunAndAnErrorHandlerDoNotGoTogether(t *testing.T) {
	p := &ports{addrWidth: 32, lengthWidth: 32}
	p.actionValid.has = true
	_, err := checkList(list(job.New(4, 0, 0x100)), &buses{ports: p, read: []job.Protocol{job.AXI4}, write: []job.Protocol{job.AXI4}, all: []port{&memPort{}}, heads: []heads{{}}}, &RunConfig{Faults: []mem.Fault{{}}})
	require.ErrorContains(t, err, "errors belong to the transfers of the list")
	_, err = checkList(list(job.New(4, 0, 0x100)), &buses{ports: p, read: []job.Protocol{job.AXI4}, write: []job.Protocol{job.AXI4}, all: []port{&memPort{}}, heads: []heads{{}}}, &RunConfig{})
	require.NoError(t, err)
}
