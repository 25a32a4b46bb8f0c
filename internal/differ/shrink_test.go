package differ

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// mutant is the model with a mistake: it subtracts where it should add.
func mutant() Engine {
	return Engine{Name: "mutant", Trace: each(func(c *Case) (sim.Engine, error) {
		d := clone(c).Design
		for _, m := range d.Modules {
			rewrite(m, func(e ir.Expr) ir.Expr {
				if x, ok := e.(*ir.Binary); ok && x.Op == ir.Add {
					x.Op = ir.Sub
				}
				return e
			})
		}
		return sim.New(d, sim.Options{})
	})}
}

func TestAMistakeIsFoundAndMadeSmall(t *testing.T) {
	shrunk := 0
	for seed := uint64(1); shrunk < 3 && seed < 100; seed++ {
		c := Random(seed, Full, 20)
		found, err := Run(t.Context(), []*Case{clone(c)}, []Engine{Model(), mutant()})
		require.NoError(t, err)
		if len(found) == 0 {
			continue
		}
		shrunk++
		before := c.Design.String()
		fails := Disagree(t.Context(), found[0], Model(), mutant())
		small := Shrink(t.Context(), c, 200, fails)
		require.Equal(t, before, c.Design.String(), "the case itself stays")
		require.True(t, fails([]*Case{clone(small)})[0], "it is still wrong")
		require.NoError(t, check.Design(small.Design).Err())
		text := small.Design.String()
		require.Contains(t, text, "(add ", "seed %d:\n%s", seed, text)
		require.Len(t, small.Design.Modules, 1, "seed %d:\n%s", seed, text)
		require.LessOrEqual(t, strings.Count(text, "\n"), 16, "seed %d:\n%s", seed, text)
		program, err := Program(small.Design)
		require.NoError(t, err)
		require.Contains(t, string(program), ".Add(")
	}
	require.Equal(t, 3, shrunk)
}

// TestAPanicIsAnError: an engine that panics on one case of a batch disagrees on
// that one.
func TestAPanicIsAnError(t *testing.T) {
	var cases []*Case
	for seed := range uint64(5) {
		cases = append(cases, Random(seed+1, Core, 5))
	}
	bad := cases[3].Design
	e := Engine{Name: "broken", Trace: func(_ context.Context, b *Batch) ([]Trace, error) {
		for _, c := range b.Cases {
			if c.Design == bad {
				panic("no")
			}
		}
		return Model().Trace(t.Context(), b)
	}}
	found, err := Run(t.Context(), cases, []Engine{Model(), e})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Same(t, cases[3], found[0].Case)
	require.ErrorContains(t, found[0].ErrB, "panic: no")
}
