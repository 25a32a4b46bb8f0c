package starter

import (
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/verilator"
)

var (
	update = flag.Bool("update", false, "write the RTL anew")
	seed   = flag.Uint64("seed", 1, "of the random values and pauses")
)

// shipped is the variant whose RTL lies in the folder rtl.
var shipped = Params{Width: 8, Shift: 2}

func elaborate(t *testing.T, p Params) *ir.Design {
	t.Helper()
	d, err := hdl.Elaborate(Starter, p)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// reference says in plain Go what the answers must be, without regard to cycles.
func reference(values []uint64, p Params) []uint64 {
	largest := ^uint64(0) >> (64 - p.Width)
	answers := make([]uint64, len(values))
	for i, v := range values {
		if answers[i] = v << p.Shift; v > largest>>p.Shift {
			answers[i] = largest
		}
	}
	return answers
}

// bench sends random values through a running design, either side pausing at
// random, and compares what comes out with the reference.
func bench(t *testing.T, e sim.Engine, p Params) {
	t.Helper()
	t.Logf("replay with -seed=%d", *seed)
	r := rand.New(rand.NewPCG(*seed, 0))
	values := make([]uint64, 500)
	for i := range values {
		values[i] = r.Uint64() >> (64 - p.Width) >> r.IntN(p.Width)
	}

	port := func(words []uint64, name string) *uint64 {
		at, err := e.Layout().Port(name)
		if err != nil {
			t.Fatal(err)
		}
		return &words[at.Offset]
	}
	inValid, inReady, in := port(e.In(), "in_valid"), port(e.Out(), "in_ready"), port(e.In(), "in")
	outValid, outReady, out := port(e.Out(), "out_valid"), port(e.In(), "out_ready"), port(e.Out(), "out")

	if err := e.Reset(2); err != nil {
		t.Fatal(err)
	}
	var answers []uint64
	sent := 0
	for cycle := 0; len(answers) < len(values); cycle++ {
		if cycle > 10*len(values) {
			t.Fatalf("the design hangs: %d of %d answers after %d cycles", len(answers), len(values), cycle)
		}
		if *inValid == 0 && sent < len(values) { // once offered, a value stays
			*inValid, *in = r.Uint64N(2), values[sent]
		}
		*outReady = r.Uint64N(2)
		if err := e.Step(); err != nil { // the outputs are those before the clock edge
			t.Fatal(err)
		}
		if *outValid&*outReady == 1 {
			answers = append(answers, *out)
		}
		if *inValid&*inReady == 1 {
			*inValid, sent = 0, sent+1
		}
	}
	if diff := cmp.Diff(reference(values, p), answers); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func TestModel(t *testing.T) {
	for _, p := range []Params{shipped, {Width: 2, Shift: 1}, {Width: 64, Shift: 63}} {
		e, err := sim.New(elaborate(t, p), sim.Options{Seed: *seed})
		if err != nil {
			t.Fatal(err)
		}
		bench(t, e, p)
	}
}

// The RTL runs under Verilator beside the model. A difference in any output or
// register of any cycle is an error.
func TestLockstep(t *testing.T) {
	e, err := verilator.Couple(t.Context(), elaborate(t, shipped), *seed, verilator.Options{}, verilator.LockstepOptions{})
	if errors.Is(err, verilator.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	bench(t, e, shipped)
}

// The RTL is reviewed like any other file: a change of it is seen here first.
func TestRTL(t *testing.T) {
	files, err := gen.Emit(elaborate(t, shipped), gen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		path := filepath.Join("rtl", f.Name)
		if *update {
			if err := os.WriteFile(path, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(f.Data)); diff != "" {
			t.Errorf("%s (-reviewed +now), run with -update if the change is wanted:\n%s", path, diff)
		}
	}
}

func TestParams(t *testing.T) {
	for _, p := range []Params{{Width: 1, Shift: 1}, {Width: 65, Shift: 1}, {Width: 8}, {Width: 8, Shift: 8}} {
		if _, err := hdl.Elaborate(Starter, p); err == nil {
			t.Errorf("%+v elaborates", p)
		}
	}
}
