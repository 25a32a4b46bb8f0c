package prove_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/internal/prove"
)

type io struct {
	In  hdl.Var `hdl:"in"`
	Out hdl.Var
}

type params struct{ Below int }

// inner counts while In is one, and takes for granted that it is not at seven.
func inner(m *hdl.Module, _ params) io {
	p := hdl.Ports(m, "", hdl.Source, io{hdl.Bool(), hdl.U(4)})
	n := m.Reg("n_q", hdl.U(4))
	m.If(p.In, func() { n.Set(n.Add(hdl.K(1))) })
	p.Out.Set(n)
	m.Assume("stops_at_seven", hdl.Implies(p.In.Signal, n.Lt(hdl.K(7))))
	return p
}

// outer stops it at Below.
func outer(m *hdl.Module, p params) io {
	o := hdl.Ports(m, "", hdl.Source, io{hdl.Bool(), hdl.U(4)})
	u := hdl.Inst(m, "u_inner", inner, p)
	u.In.Set(o.In.And(u.Out.Lt(hdl.K(p.Below))))
	o.Out.Set(u.Out)
	m.Assert("below_ten", o.Out.Lt(hdl.K(10)))
	m.Assert("never_five", o.Out.Ne(hdl.K(5)))
	return o
}

// Assumptions of modules inside are proved, and what fails is told by name and edge.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		below int
		want  map[string]prove.Status
	}{
		{5, map[string]prove.Status{"below_ten": prove.Proved, "never_five": prove.Failed, "u_inner.stops_at_seven": prove.Proved}},
		{4, map[string]prove.Status{"below_ten": prove.Proved, "never_five": prove.Proved, "u_inner.stops_at_seven": prove.Proved}},
		{9, map[string]prove.Status{"below_ten": prove.Proved, "never_five": prove.Failed, "u_inner.stops_at_seven": prove.Failed}},
	} {
		d, err := hdl.Elaborate(outer, params{c.below})
		require.NoError(t, err)
		r, err := prove.Check(t.Context(), d, prove.Options{Dir: t.TempDir(), Depth: 20, Prove: 5 * time.Second, Search: 5 * time.Second})
		if errors.Is(err, prove.ErrMissing) && os.Getenv("CI") == "" {
			t.Skip(err)
		}
		require.NoError(t, err)
		got := map[string]prove.Status{}
		for _, p := range r.Properties {
			got[p.Name] = p.Status
			if p.Name == "never_five" && p.Status == prove.Failed {
				require.Equal(t, 7, p.Depth, "an edge in reset, five to count, and the one that sees it")
			}
		}
		require.Equal(t, c.want, got)
	}
}

func TestCheckRefuses(t *testing.T) {
	d, err := hdl.Elaborate(outer, params{5})
	require.NoError(t, err)
	_, err = prove.Check(t.Context(), d, prove.Options{Dir: t.TempDir(), Prove: time.Second, Search: time.Second})
	require.EqualError(t, err, "prove: Depth is 0; it must be at least 1")
	_, err = prove.Check(t.Context(), d, prove.Options{Dir: t.TempDir(), Depth: 1, Prove: time.Second})
	require.EqualError(t, err, "prove: Prove is 1s, Search is 0s; both must be at least 1s")
	t.Setenv("PATH", "")
	_, err = prove.Check(t.Context(), d, prove.Options{Dir: t.TempDir(), Depth: 1, Prove: time.Second, Search: time.Second})
	require.ErrorIs(t, err, prove.ErrMissing)
	require.ErrorContains(t, err, "yosys; install it with: apt-get install yosys")
}
