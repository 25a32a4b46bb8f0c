package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// call runs the command in process.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), args, &out, &err)
	return code, out.String(), err.String()
}

func callJSON[T any](t *testing.T, args ...string) T {
	t.Helper()
	code, stdout, stderr := call(t, append(args, "--json")...)
	require.Zero(t, code, stderr)
	var v T
	require.NoError(t, json.Unmarshal([]byte(stdout), &v))
	return v
}

func TestEnginesAgree(t *testing.T) {
	t.Setenv("MILLRACE_CACHE", sharedCache(t))
	file := filepath.Join(t.TempDir(), "jobs.yaml")
	require.NoError(t, os.WriteFile(file, []byte("transfers:\n"+
		"  - {length: 300, src: 0x3, dst: 0x4001}\n"+
		"  - {length: 0, src: 0x3, dst: 0x4001}\n"+
		"  - {length: 9000, src: 0x10002, dst: 0x20003, decouple_aw: true}\n"), 0o600))
	var runs []simResult
	for _, engine := range []string{engineGo, engineVerilator, engineLockstep} {
		r := callJSON[simResult](t, "sim", "idma.backend", "--jobs", file, "--engine", engine, "--read-latency", "9", "--stall", "25", "--seed", "3")
		require.Equal(t, engine, r.Engine)
		require.EqualValues(t, 9300, r.Bytes)
		require.Equal(t, 1, r.ErrorResponses)
		r.Engine, r.Model, r.CyclesPerSec = "", "", 0
		runs = append(runs, r)
	}
	require.Equal(t, runs[0], runs[1])
	require.Equal(t, runs[0], runs[2])
}

// The names of JSON fields are a contract: none of these may go.
func TestJSONFields(t *testing.T) {
	t.Setenv("MILLRACE_CACHE", sharedCache(t))
	file := filepath.Join(t.TempDir(), "jobs.yaml")
	require.NoError(t, os.WriteFile(file, []byte("transfers: [{length: 30, src: 0x3, dst: 0x4001}]\n"), 0o600))
	has := func(object map[string]any, fields ...string) {
		for _, f := range fields {
			require.Contains(t, object, f)
		}
	}
	has(callJSON[map[string]any](t, "sim", "idma.backend", "--jobs", file), "design", "engine", "config", "jobs", "bytes", "cycles",
		"read_beats", "write_beats", "utilisation", "mismatches", "protocol_errors", "error_responses", "seed", "cycles_per_second")
	for _, kind := range []string{"compiled", "interpreter"} {
		require.Equal(t, kind, callJSON[map[string]any](t, "sim", "idma.backend", "--jobs", file, "--model", kind)["model"])
	}
	has(callJSON[map[string]any](t, "list"), "designs", "protocols", "frontends", "midends", "backends", "systems")

	type rows struct{ Rows []map[string]any }
	for _, r := range callJSON[rows](t, "bench", "utilisation", "--quick").Rows {
		has(r, "width", "outstanding", "size", "aligned", "read_latency", "write_latency", "utilisation", "bound", "write_beats", "fewest_write_beats")
	}
	for _, r := range callJSON[rows](t, "bench", "latency").Rows {
		has(r, "width", "size", "request_to_read", "overhead")
	}
	speed := callJSON[rows](t, "bench", "simspeed", "--widths", "32", "--workloads", "busy", "--no-best", "--rounds", "1").Rows
	require.Len(t, speed, 3)
	for _, r := range speed {
		has(r, "design", "engine", "cycles_per_second", "startup_seconds", "ratio_to_verilator")
		require.Positive(t, r["cycles_per_second"])
		require.Positive(t, r["startup_seconds"])
	}
}

func TestInternalErrorTellsHowToReport(t *testing.T) {
	var stderr bytes.Buffer
	a := &app{ctx: t.Context(), stderr: &stderr}
	t.Setenv(traceVariable, "")
	require.Equal(t, exitFailed, a.recovered(errors.New("index 3\nout of range")))
	require.Equal(t, "millrace: internal error: index 3 out of range. This is a mistake in millrace, not in your input: please report it "+
		"with the command line and what it prints when MILLRACE_TRACE=1 is set.\n", stderr.String())
	t.Setenv(traceVariable, "1")
	a.recovered("again")
	require.Contains(t, stderr.String(), "goroutine")
}

func TestEachStopsAtTheFirstError(t *testing.T) {
	var stderr bytes.Buffer
	a := &app{ctx: t.Context(), stderr: &stderr}
	var done atomic.Int64
	err := a.each(1000, a.bar(1000, ""), func(i int) error {
		done.Add(1)
		if i == 5 {
			return errors.New("five")
		}
		return nil
	})
	require.EqualError(t, err, "five")
	require.Less(t, done.Load(), int64(900))

	seen := make([]bool, 100)
	require.NoError(t, a.each(100, a.bar(100, ""), func(i int) error { seen[i] = true; return nil }))
	require.False(t, slices.Contains(seen, false))
	require.PanicsWithValue(t, "boom", func() { _ = a.each(10, a.bar(10, ""), func(int) error { panic("boom") }) })

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	a.ctx = cancelled
	require.ErrorIs(t, a.each(10, a.bar(10, ""), func(int) error { return nil }), context.Canceled)
	require.Empty(t, stderr.String(), "no progress where nobody looks")
}
