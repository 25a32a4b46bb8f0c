package tb

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// ownJobs is the job files of this project, those with operations or those without.
func ownJobs(t testing.TB, computes bool) []*job.List {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "jobs", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	var lists []*job.List
	for _, p := range paths {
		l, err := job.ReadFile(p, 1)
		require.NoError(t, err)
		if l.Computes() == computes {
			lists = append(lists, l)
		}
	}
	return lists
}

func TestOwnJobFiles(t *testing.T) {
	for _, l := range ownJobs(t, false) {
		t.Run(strings.TrimSuffix(filepath.Base(l.Name), ".yaml"), func(t *testing.T) {
			for _, width := range []int{32, 64, 512} {
				for _, cfg := range []RunConfig{{}, {ReadLatency: 13, WriteLatency: 40, Stalls: mem.AllStalls(25), RspStall: 25, Seed: 3}} {
					res, err := Run(context.Background(), newFake(width, 8, sound), l, cfg)
					require.NoError(t, err)
					require.NoError(t, res.Err(), "%d bits, %+v", width, cfg)
				}
			}
		})
	}
}
