package backend_test

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
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/verilator"
)

var (
	update = flag.Bool("update", false, "write the golden files anew")
	long   = flag.Bool("long", false, "run the complete sweeps and thousands of random configurations")
)

// kind is the engine that computes a design.
type kind string

const (
	goModel  kind = "go"
	rtl      kind = "verilator"
	lockstep kind = "lockstep"
)

// edit makes a configuration out of the default one.
func edit(edits ...func(*backend.Config)) backend.Config {
	c := backend.Default()
	for _, e := range edits {
		e(&c)
	}
	return c
}

func elaborate(t testing.TB, c backend.Config) *ir.Design {
	t.Helper()
	d, err := backend.Elaborate(c)
	require.NoError(t, err, "%+v", c)
	return d
}

// start makes a running engine of the design, closed with the test. State without
// reset begins from the seed.
func start(t testing.TB, k kind, d *ir.Design, seed uint64) sim.Engine {
	t.Helper()
	return startWith(t, k, d, seed, verilator.Options{})
}

// startWith is start with options for the RTL.
func startWith(t testing.TB, k kind, d *ir.Design, seed uint64, o verilator.Options) sim.Engine {
	t.Helper()
	var eng sim.Engine
	if k != rtl {
		m, err := sim.New(d, sim.Options{Seed: seed})
		require.NoError(t, err)
		eng = m
	}
	if k != goModel {
		o.State = k == lockstep
		lib, err := verilator.Build(t.Context(), d, o)
		require.NoError(t, err)
		e, err := lib.New(seed)
		require.NoError(t, err)
		if k == rtl {
			eng = e
		} else {
			eng, err = verilator.NewLockstep(eng, e, verilator.LockstepOptions{Dir: t.TempDir()})
			require.NoError(t, err)
		}
	}
	t.Cleanup(func() { require.NoError(t, eng.Close()) })
	return eng
}

// run runs the list and requires that nothing is wrong.
func run(t testing.TB, eng sim.Engine, list *job.List, cfg tb.RunConfig) tb.Result {
	t.Helper()
	res, err := tb.Run(t.Context(), eng, list, cfg)
	require.NoError(t, err)
	require.NoError(t, res.Err())
	return res
}

// jobs is a list from code.
func jobs(js ...job.Job) *job.List { return &job.List{Name: "list", Jobs: js} }

// latency is a run on separate memories with L = BL, requests back to back.
func latency(l int) tb.RunConfig {
	return tb.RunConfig{ReadLatency: l, WriteLatency: l, Memory: tb.Separate, Launch: tb.BackToBack, Seed: 1}
}

// ownJobs are the project's job files, by name, without those with operations.
func ownJobs(t testing.TB) []*job.List {
	t.Helper()
	paths, err := filepath.Glob("../../tb/testdata/jobs/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	var lists []*job.List
	for _, p := range paths {
		if l := readJobs(t, p); !l.Computes() {
			lists = append(lists, l)
		}
	}
	return lists
}

// publicJobs is a file of the public job suite; the test is skipped where the
// suite is not beside the repository.
func publicJobs(t testing.TB, name string) *job.List {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "jobs", "rw_axi", name+".txt")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the public job files are not here: %v", err)
	}
	return readJobs(t, path)
}

func readJobs(t testing.TB, path string) *job.List {
	t.Helper()
	l, err := job.ReadFile(path, 1)
	require.NoError(t, err)
	l.Name = filepath.Base(path)
	return l
}

// golden compares the text with a file below testdata.
func golden(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update to make it")
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s: −want +got, run with -update if the change is wanted:\n%s", path, d)
	}
}

// each runs the cases in parallel, all of them done when it returns.
func each[T any](t *testing.T, cases []T, f func(t *testing.T, c T)) {
	t.Helper()
	t.Run("all", func(t *testing.T) {
		for _, c := range cases {
			t.Run(fmt.Sprint(c), func(t *testing.T) {
				t.Parallel()
				f(t, c)
			})
		}
	})
}
