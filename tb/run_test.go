package tb

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/tb/job"
)

func list(jobs ...job.Job) *job.List { return &job.List{Name: "list", Jobs: jobs} }

func TestCyclesOfOneTransfer(t *testing.T) {
	for _, l := range []int{1, 3, 13, 100} {
		res, err := Run(context.Background(), newFake(32, 3, sound), list(job.New(16384, 0, 0x10000000)), RunConfig{ReadLatency: l, WriteLatency: l})
		require.NoError(t, err)
		require.NoError(t, res.Err())
		require.EqualValues(t, 4096+2*l+1, res.Cycles)
		require.EqualValues(t, 4096, res.ReadBeats)
		require.EqualValues(t, 4096, res.WriteBeats)
		require.Equal(t, 1.0, res.Utilisation)
		require.Equal(t, 1, res.RequestToRead)
		require.Equal(t, 1, res.ReadToWrite)
	}
}
