package sim

import (
	"testing"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/stretchr/testify/require"
)

func TestCounter(t *testing.T) {
	u8, u1 := ir.Type{Width: 8}, ir.Type{Width: 1}
	en := &ir.Signal{Name: "en", Kind: ir.Input, Type: u1}
	out := &ir.Signal{Name: "out", Kind: ir.Output, Type: u8}
	cnt := &ir.Signal{Name: "cnt", Kind: ir.Reg, Type: u8, Init: ir.NewConst(u8, 3)}
	m := &ir.Module{Name: "m", Signals: []*ir.Signal{en, out, cnt}}
	m.Body = []ir.Stmt{
		&ir.If{Arms: []ir.Arm{{Cond: &ir.Ref{Signal: en}, Body: []ir.Stmt{
			&ir.Assign{Target: cnt, Width: 8, Value: &ir.Binary{Op: ir.Add, X: &ir.Ref{Signal: cnt}, Y: ir.NewConst(u8, 1)}},
		}}}},
		&ir.Assign{Target: out, Width: 8, Value: &ir.Ref{Signal: cnt}},
	}
	s, err := New(&ir.Design{Top: m, Modules: []*ir.Module{m}}, Options{})
	require.NoError(t, err)
	require.NoError(t, s.Reset(1))
	for i := range 5 {
		s.In()[0] = 1
		require.NoError(t, s.Step())
		require.EqualValues(t, 3+i, s.Out()[0])
	}
	s.In()[0] = 0
	require.NoError(t, s.Run(3))
	require.EqualValues(t, 8, s.Out()[0])
}
