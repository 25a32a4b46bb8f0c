package backend

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/internal/prove"
)

var formal = flag.Bool("formal", false, "TestFormal: all configurations, deeper, and a table")

// formalSmall is little enough to be searched through.
func formalSmall() Config {
	c := Default()
	c.DataWidth, c.AddrWidth, c.LengthWidth, c.IDWidth, c.Outstanding, c.WriteOutstanding = 16, 13, 12, 1, 2, 2
	return c
}

// proof is a module with its properties.
type proof struct {
	module string
	build  func(c Config) (*ir.Design, error)
}

func proofOf[IO any](module string, f func(*hdl.Module, Config) IO) proof {
	return proof{module, func(c Config) (*ir.Design, error) {
		return hdl.Elaborate(f, c, hdl.Named(strings.ReplaceAll(module, " ", "_")))
	}}
}

var proofs = []proof{
	proofOf("read axi4", readAXI4Claims), proofOf("write axi4", writeAXI4Claims), proofOf("completion", completionClaims),
	proofOf("read axi_lite", readAXILiteClaims), proofOf("write axi_lite", writeAXILiteClaims),
	proofOf("read obi", readOBIClaims), proofOf("write obi", writeOBIClaims),
}

// check decides the properties of a module.
func (p proof) check(t *testing.T, c Config, depth int, limits [2]time.Duration, only string, edit func([]gen.File) []gen.File) prove.Report {
	t.Helper()
	d, err := p.build(c)
	require.NoError(t, err)
	r, err := prove.Check(t.Context(), d, prove.Options{Dir: t.TempDir(), Depth: depth, Prove: limits[0], Search: limits[1], Only: only, Edit: edit})
	if errors.Is(err, prove.ErrMissing) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	require.NotEmpty(t, r.Properties)
	return r
}

// TestFormal has every property proved, or at least without a counterexample as far as
// the time allows.
func TestFormal(t *testing.T) {
	configs, depth, limits := []string{"small"}, 8, [2]time.Duration{time.Second, 5 * time.Second}
	if *formal {
		configs, depth, limits = append(configs, "usual"), 24, [2]time.Duration{5 * time.Second, 30 * time.Second}
		fmt.Printf("%-14s %-6s %10s %7s %8s %6s %8s\n", "module", "config", "properties", "proved", "bounded", "depth", "seconds")
	}
	for _, p := range proofs {
		if !*formal && strings.HasSuffix(p.module, "obi") {
			continue // as AXI4-Lite, but for the bus
		}
		for _, name := range configs {
			t.Run(p.module+" "+name, func(t *testing.T) {
				t.Parallel()
				c := formalSmall()
				if name == "usual" {
					c = Default()
				}
				r := p.check(t, c, depth, limits, "", nil)
				if *formal {
					fmt.Printf("%-14s %-6s %10d %7d %8d %6d %8.1f\n", p.module, name, len(r.Properties), r.Count(prove.Proved), r.Count(prove.Bounded), r.Depth(), r.Time.Seconds())
				}
				for _, q := range r.Properties {
					if q.Status != prove.Proved {
						t.Log(q.Name, q.Status, q.Depth)
					}
					require.NotEqual(t, prove.Failed, q.Status, "%s fails at edge %d", q.Name, q.Depth)
				}
			})
		}
	}
}

// TestFormalFindsBugs has mistakes put into the RTL found by the property that forbids them.
func TestFormalFindsBugs(t *testing.T) {
	for _, b := range []struct{ name, module, from, to, property string }{
		{"read address withdrawn", "read axi4", "(offered_q || !hold)", "!hold", "ar_valid_stays"},
		{"page ends a word late", "read axi4", "page_left = ~next_word[10:0]", "page_left = ~(next_word[10:0] - 11'd1)", "ar_within_4k"},
		{"transfer a beat long", "read axi4", "12'(burst_len)) - 12'd1", "12'(burst_len))", "ar_no_more_than_asked"},
		{"write address twice", "write axi4", "addressed_q <= (addressed_q || (awvalid && awready))", "addressed_q <= (awvalid && awready)", "at_most_two_apart"},
		{"answer before the write response", "completion", "answers = u_written_out_data[2] || bvalid", "answers = 1'b1", "acknowledged_before_answered"},
	} {
		t.Run(b.name, func(t *testing.T) {
			places := 0
			edit := func(files []gen.File) []gen.File {
				for i, f := range files {
					if !strings.HasSuffix(f.Name, "_props.sv") && strings.Contains(string(f.Data), b.from) {
						places++
						files[i].Data = []byte(strings.Replace(string(f.Data), b.from, b.to, 1))
					}
				}
				return files
			}
			for _, p := range proofs {
				if p.module != b.module {
					continue
				}
				r := p.check(t, formalSmall(), 8, [2]time.Duration{time.Second, 5 * time.Second}, b.property, edit)
				require.Positive(t, places, "%q in the RTL", b.from)
				require.Len(t, r.Properties, 1)
				found := r.Properties[0]
				require.Equal(t, prove.Failed, found.Status)
				trace, err := os.ReadFile(found.Trace)
				require.NoError(t, err)
				require.Contains(t, string(trace), found.Name+"_holds")
			}
		})
	}
}
