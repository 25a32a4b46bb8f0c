package tb

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/tb/job"
)

// publicJobs is a file of the public job suite; the test is skipped where the
// suite is not beside the repository.
func publicJobs(t testing.TB, name string) *job.List {
	t.Helper()
	return publicJobsOf(t, name, 1)
}

// publicJobsOf is one whose transfers have so many dimensions.
func publicJobsOf(t testing.TB, name string, dims int) *job.List {
	t.Helper()
	path := filepath.Join("..", "..", "shared", "jobs", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the public job files are not here: %v", err)
	}
	l, err := job.ReadFile(path, dims)
	require.NoError(t, err)
	return l
}

func TestPublicJobFiles(t *testing.T) {
	for _, f := range []struct {
		name  string
		jobs  int
		bytes uint64
	}{
		{"simple", 3, 1224}, {"linear", 1, 16384}, {"tiny", 50000, 125103}, {"small", 20000, 109608}, {"medium", 7500, 414369},
		{"large", 200, 1085515}, {"same_dst", 128, 63638}, {"zero_transfer", 1, 0},
	} {
		t.Run(f.name, func(t *testing.T) {
			l := publicJobs(t, "rw_axi/"+f.name+".txt")
			for _, lat := range []int{1, 100} {
				eng := newFake(32, 3, sound)
				res, err := Run(context.Background(), eng, l, RunConfig{ReadLatency: lat, WriteLatency: lat})
				require.NoError(t, err)
				require.NoError(t, res.Err())
				require.Equal(t, f.jobs, res.Jobs)
				require.Equal(t, f.bytes, res.Bytes)
				require.Equal(t, res.FewestWriteBeats, res.WriteBeats)
				t.Logf("L=%d: %d cycles, utilisation %.3f, %.0f cycles/s", lat, res.Cycles, res.Utilisation, res.CyclesPerSec)
			}
		})
	}
}
