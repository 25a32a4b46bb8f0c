package backend

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/internal/prove"
)

var formal = flag.Bool("formal", false, "TestFormal: all modules and configurations, longer, and a table")

// formalConfig is a configuration of the table: usual is the default of the engine, the
// others are small enough to be searched through where there is no proof.
func formalConfig(name string) Config {
	c := Default()
	if name == "usual" {
		return c
	}
	c.DataWidth, c.AddrWidth, c.LengthWidth, c.IDWidth, c.Outstanding, c.WriteOutstanding = 16, 13, 12, 1, 2, 2
	c.ReserveBuffer = name == "room"
	return c
}

// proof is a module with its properties.
type proof struct {
	module  string
	configs string // first the one that `go test` looks at, if any
	always  bool   // looked at by `go test`
	build   func(c Config) (*ir.Design, error)
}

func proofOf[IO any](module, configs string, always bool, f func(*hdl.Module, Config, *sight) IO) proof {
	claims := func(m *hdl.Module, c Config) seen[IO] {
		in := sight{m: m}
		io := f(m, c, &in)
		return seen[IO]{io, in.inputs}
	}
	return proof{module, configs, always, func(c Config) (*ir.Design, error) {
		return hdl.Elaborate(claims, c, hdl.Named(strings.ReplaceAll(module, " ", "_")))
	}}
}

var proofs = []proof{
	proofOf("read axi4", "small usual", true, readAXI4Claims), proofOf("write axi4", "small usual", false, writeAXI4Claims),
	proofOf("completion", "small usual", true, completionClaims),
	proofOf("read axi_lite", "small usual", false, readAXILiteClaims), proofOf("write axi_lite", "small usual", false, writeAXILiteClaims),
	proofOf("read obi", "small usual", false, readOBIClaims), proofOf("write obi", "small usual", false, writeOBIClaims),
}

// never are the properties about what does not happen, by module, and why.
var never = map[string][]string{}

// check decides the properties of a module.
func (p proof) check(t *testing.T, config string, o prove.Options) prove.Report {
	t.Helper()
	d, err := p.build(formalConfig(config))
	require.NoError(t, err)
	o.Dir, o.Inside = t.TempDir(), insides(d)
	r, err := prove.Check(t.Context(), d, o)
	if errors.Is(err, prove.ErrMissing) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	require.NotEmpty(t, r.Properties)
	return r
}

// TestFormal has every property proved, or at least without a counterexample for twenty
// edges, and what it is about happen.
func TestFormal(t *testing.T) {
	o := prove.Options{Depth: 20, Prove: 2 * time.Second, Search: 10 * time.Second}
	if *formal {
		o.Prove, o.Search = 10*time.Second, 60*time.Second
		fmt.Printf("%-15s %-6s %-36s %-8s %5s %8s %8s\n", "module", "config", "property", "", "edges", "happens", "seconds")
	}
	for _, p := range proofs {
		configs := strings.Fields(p.configs)
		if !*formal {
			if !p.always {
				continue
			}
			configs = configs[:1]
		}
		for _, config := range configs {
			t.Run(p.module+" "+config, func(t *testing.T) {
				t.Parallel()
				r := p.check(t, config, o)
				if *formal {
					fmt.Print(table(p.module, config, r))
				}
				for _, q := range r.Properties {
					require.NotEqual(t, prove.Failed, q.Status, "%s fails at edge %d", q.Name, q.Depth)
					require.True(t, q.Status == prove.Proved || q.Depth >= o.Depth, "%s: no proof, and only %d edges searched", q.Name, q.Depth)
					inner := strings.Contains(q.Name, ".") // of a part that is used in other ways elsewhere
					require.Equal(t, slices.Contains(never[p.module], q.Name), q.Vacuous() && !inner, "%s is about what happens", q.Name)
				}
			})
		}
	}
}

// table is a line for each property, and one for all.
func table(module, config string, r prove.Report) string {
	var s strings.Builder
	line := func(what, status, edges, happens string, d time.Duration) {
		fmt.Fprintf(&s, "%-15s %-6s %-36s %-8s %5s %8s %8.1f\n", module, config, what, status, edges, happens, d.Seconds())
	}
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	for _, q := range r.Properties {
		happens := number(q.Reached)
		if q.Vacuous() {
			happens = "never"
		}
		line(q.Name, q.Status.String(), number(q.Depth), happens, q.Time)
	}
	line(fmt.Sprintf("all %d", len(r.Properties)), fmt.Sprint(r.Count(prove.Proved)), number(r.Depth()), "", r.Time)
	return s.String()
}
