package gen_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGoldens compares the text of small modules with what was reviewed, and has
// three tools read it.
func TestGoldens(t *testing.T) {
	for _, c := range []struct {
		name    string
		build   func() (*ir.Design, error)
		options gen.Options
	}{
		{"counter", design(counter, counterParams{8}), gen.Options{}},
		{"counter_sync_high", design(counter, counterParams{8}), gen.Options{Reset: gen.SyncHigh}},
		{"counter_locators", design(counter, counterParams{8}), gen.Options{Locators: true}},
		{"counter_pair", design(counterPair, counterParams{4}), gen.Options{Reset: gen.SyncLow}},
		{"arithmetic", design(arithmetic, none{}), gen.Options{}},
		{"traffic_light", design(trafficLight, none{}), gen.Options{Reset: gen.AsyncHigh}},
		{"scratch_memory", design(scratchMemory, none{}), gen.Options{}},
		{"lookup", design(lookup, none{}), gen.Options{}},
		{"parts", design(parts, none{}), gen.Options{}},
		{"byte_lanes", design(byteLanes, none{}), gen.Options{}},
		{"dual_port", design(dualPort, none{}), gen.Options{}},
		{"exclusive_writes", design(exclusiveWrites, none{}), gen.Options{}},
		{"sine_table", design(sineTable, none{}), gen.Options{}},
		{"properties", design(twin, claims{Hold: true}), gen.Options{}},
		{"mailbox", design(mailbox, none{}), gen.Options{}},
		{"black_box", design(delayed(""), none{}, hdl.Named("delayed")), gen.Options{}},
		{"black_box_source", design(delayed(delaySource), none{}, hdl.Named("delayed")), gen.Options{}},
		{"header", design(attributed, none{}), gen.Options{Header: "Copyright: nobody.\n\nSPDX-License-Identifier: CC0-1.0\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := c.build()
			require.NoError(t, err)
			files, err := gen.Emit(d, c.options)
			require.NoError(t, err)
			again, err := c.build()
			require.NoError(t, err)
			same, err := gen.Emit(again, c.options)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(files, same), "a second elaboration and emission")

			var all bytes.Buffer
			dir := t.TempDir()
			for _, f := range files {
				all.WriteString("==> " + f.Name + "\n")
				all.Write(f.Data)
			}
			require.NoError(t, gen.WriteDir(dir, files))
			stubs, err := gen.Stubs(d, c.options)
			require.NoError(t, err)
			var others []string
			for _, f := range stubs {
				others = append(others, filepath.Join("stubs", f.Name))
				all.WriteString("==> stubs/" + f.Name + "\n")
				all.Write(f.Data)
			}
			if len(stubs) > 0 {
				require.NoError(t, gen.WriteDir(filepath.Join(dir, "stubs"), stubs))
			}
			for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, lint.All(), others...) {
				require.NoError(t, r.Err, "%s: %s", r.Tool, r.Output)
				require.Empty(t, r.Output, r.Tool)
			}
			golden := filepath.Join("testdata", c.name+".golden")
			if *update {
				require.NoError(t, os.WriteFile(golden, all.Bytes(), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(string(want), all.String()), "run with -update if the change is wanted")
		})
	}
}

type none struct{}

func design[P, IO any](build hdl.Build[P, IO], p P, opts ...hdl.Option) func() (*ir.Design, error) {
	return func() (*ir.Design, error) { return hdl.Elaborate(build, p, opts...) }
}
