package irtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

func TestRandomDesignsPassAllChecks(t *testing.T) {
	for seed := range uint64(100) {
		d := Random(seed, Options{FalseLoops: seed%3 == 0})
		require.NoError(t, check.Design(d).Err(), "seed %d", seed)
	}
}

func TestRandomFullDesignsPassAllChecks(t *testing.T) {
	var selects, lanes, ports, roms, crossings, asserts, falling int
	for seed := range uint64(80) {
		o := Options{FalseLoops: seed%3 == 0, MaxWidth: []int{8, 64, 160, 600}[seed%4]}.Full()
		o.Boxes = false
		d := Random(seed, o)
		require.NoError(t, check.Design(d).Err(), "seed %d", seed)
		for _, m := range d.Modules {
			seen := map[ir.Expr]bool{}
			ir.RootExprs(m, func(e ir.Expr) {
				ir.WalkExpr(e, func(e ir.Expr) bool {
					if seen[e] {
						return false
					}
					seen[e] = true
					if _, ok := e.(*ir.Select); ok {
						selects++
					}
					return true
				})
			})
			ir.WalkStmts(m.Body, func(s ir.Stmt) bool {
				if a, ok := s.(*ir.Assign); ok && a.Index != nil {
					lanes++
				}
				return true
			})
			for _, x := range m.Mems {
				if len(x.Writes()) == 0 {
					roms++
				}
				if len(x.Reads) > 1 {
					ports++
				}
			}
			for _, s := range m.Signals {
				if s.Crossing != "" {
					crossings++
				}
			}
			for _, x := range m.Domains {
				if x.Falling {
					falling++
				}
			}
			asserts += len(m.Properties)
		}
	}
	for name, n := range map[string]int{
		"selects": selects, "assignments by index": lanes, "memories with read ports": ports, "memories without write ports": roms,
		"crossings": crossings, "properties": asserts, "falling domains": falling,
	} {
		require.GreaterOrEqual(t, n, 20, name)
	}
}

func TestRandomIsAFunctionOfTheSeed(t *testing.T) {
	for seed := range uint64(20) {
		require.Equal(t, Random(seed, Options{}).String(), Random(seed, Options{}).String(), "seed %d", seed)
	}
	require.NotEqual(t, Random(1, Options{}).String(), Random(2, Options{}).String())
}
