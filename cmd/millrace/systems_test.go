package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
)

// Cycles of every system on its job, from the first access of software to when it has seen
// the end, and the fewest that its buses allow.
func TestSystemsTakeTheCyclesTheyTook(t *testing.T) {
	got := callJSON[struct{ Rows []systemsRow }](t, "bench", "systems").Rows
	want := []systemsRow{
		{System: "system.pulp_open", Bytes: 8 << 10, Width: 64, Backends: 1, ReadLatency: 1, WriteLatency: 3, Cycles: 1037, Bound: 1024},
		{System: "system.controlpulp", Bytes: 16 << 10, Width: 64, Backends: 1, ReadLatency: 3, WriteLatency: 1, Cycles: 2078, Bound: 2048},
		{System: "system.cheshire", Bytes: 128 << 10, Width: 64, Backends: 1, ReadLatency: 13, WriteLatency: 13, Cycles: 16433, Bound: 16384},
		{System: "system.mempool", Bytes: 512 << 10, Width: 512, Backends: 4, ReadLatency: 13, WriteLatency: 1, Cycles: 2081, Bound: 2048},
		{System: "system.manticore", Bytes: 64 << 10, Width: 512, Backends: 1, ReadLatency: 100, WriteLatency: 1, Cycles: 1137, Bound: 1024},
	}
	require.Empty(t, cmp.Diff(want, got, cmpopts.IgnoreFields(systemsRow{}, "Job", "Utilisation", "Streaming")))
	for _, r := range got {
		require.True(t, r.passes(), r.System)
		require.InDelta(t, float64(r.Bound)/float64(r.Cycles), r.Utilisation, 1e-9)
	}
}
