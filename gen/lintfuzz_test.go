package gen

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl/irtest"
)

func TestLintFuzz(t *testing.T) {
	from, n, w := uint64(1), uint64(10), 20
	if s := os.Getenv("FUZZ"); s != "" {
		fmt.Sscanf(s, "%d,%d,%d", &from, &n, &w)
	}
	for seed := from; seed < from+n; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			d := irtest.Random(seed, irtest.Options{MaxWidth: w, Signals: 4, Levels: 1, FalseLoops: os.Getenv("LOOPS") != ""})
			dir := t.TempDir()
			if k := os.Getenv("KEEPD"); k != "" {
				dir = k
			}
			files, err := Emit(d, Options{})
			require.NoError(t, err)
			require.NoError(t, WriteDir(dir, files))
			// What is constant at random is no concern.
			tool(t, dir, "verilator", append([]string{"--lint-only", "-Wall", "-Wno-UNSIGNED", "-Wno-CMPCONST", "--top-module", "top"}, svNames(files)...)...)
			for _, r := range lint.Lint(context.Background(), dir, "top", []lint.Tool{lint.Yosys, lint.Icarus}) {
				if r.Err != nil {
					t.Errorf("%s %s", r.Err, r.Output)
				}
			}
		})
	}
}
