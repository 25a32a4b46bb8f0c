package differ

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/verilator"
)

var (
	firstSeed = flag.Uint64("seed", 1, "seed of the first random design")
	modules   = flag.Int("modules", 300, "how many random modules to compare")
	batch     = flag.Int("batch", 60, "how many designs to build together")
	cycles    = flag.Int("cycles", 40, "how many cycles to run each design")
	engines   = flag.String("engines", "model,compiled,reference,icarus,verilator", "which engines to compare with the first")
	shrink    = flag.Int("shrink", 60, "how many batches to spend on making a disagreement small; 0 for not at all")
	language  = flag.String("language", "full", "what designs may use: core or full")
)

// sharedCache is emptied after a run: no random design comes back.
func sharedCache(t *testing.T) *verilator.Cache {
	c, err := verilator.OpenCache(os.Getenv("MILLRACE_CACHE"))
	if os.Getenv("MILLRACE_CACHE") == "" {
		c, err = verilator.OpenCache(t.TempDir())
	}
	require.NoError(t, err)
	c.Limit = 200 << 20
	return c
}

func engineNamed(t *testing.T, name string, cache *verilator.Cache) Engine {
	for _, e := range Engines(cache) {
		if e.Name == name {
			return e
		}
	}
	t.Fatalf("unknown engine %q", name)
	return Engine{}
}

// TestRandomModules has every engine compute random modules.
func TestRandomModules(t *testing.T) {
	feature, err := ParseFeature(*language)
	require.NoError(t, err)
	cache := sharedCache(t)
	var list []Engine
	for _, name := range strings.Split(*engines, ",") {
		list = append(list, engineNamed(t, name, cache))
	}
	seed, done, failed := *firstSeed, 0, 0
	for done < *modules {
		var cases []*Case
		first, made := seed, 0
		for ; len(cases) < *batch && done+made < *modules; seed++ {
			c := Random(seed, feature, *cycles)
			made += len(c.Design.Modules)
			cases = append(cases, c)
		}
		found, err := Run(t.Context(), cases, list)
		require.NoError(t, err)
		done += made
		for _, d := range found {
			failed++
			t.Errorf("%v\nreplay with: %s", d, replay(d.Case))
			fmt.Fprintln(os.Stderr, d)
			if *shrink > 0 {
				t.Log(shrunk(t, d, cache))
			}
		}
		fmt.Fprintf(os.Stderr, "seeds %d to %d: %d modules so far, %d disagreements\n", first, seed-1, done, failed)
	}
}

// shrunk is the smallest case found for a disagreement, as text.
func shrunk(t *testing.T, d *Disagreement, cache *verilator.Cache) string {
	if d.B == "" {
		d.B = "reference"
	}
	again := Random(d.Case.Seed, d.Case.Feature, len(d.Case.Cycles))
	a, b := engineNamed(t, d.A, cache), engineNamed(t, d.B, cache)
	small := Shrink(t.Context(), again, *shrink, Disagree(t.Context(), d, a, b))
	found, err := Run(t.Context(), []*Case{clone(small)}, []Engine{a, b})
	require.NoError(t, err)
	program, err := Program(small.Design)
	require.NoError(t, err)
	return fmt.Sprintf("%v\n%s\n%s", found, small.Design, program)
}

func replay(c *Case) string {
	return fmt.Sprintf("go test ./internal/differ -run TestRandomModules -seed %d -modules 1 -cycles %d -language %s -engines %s",
		c.Seed, len(c.Cycles), c.Feature, *engines)
}
