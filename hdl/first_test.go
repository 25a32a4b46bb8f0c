package hdl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
)

type counterParams struct{ Width int }

type counterIO struct {
	En  hdl.Var `hdl:"in"`
	Cnt hdl.Var `hdl:"out"`
}

func counter(m *hdl.Module, p counterParams) counterIO {
	io := hdl.Ports(m, "", hdl.Source, counterIO{En: hdl.Bool(), Cnt: hdl.U(p.Width)})
	cnt := m.Reg("cnt_q", hdl.U(p.Width))
	m.If(io.En, func() { cnt.Set(cnt.Add(hdl.K(1))) })
	io.Cnt.Set(cnt)
	return io
}

type pairIO struct {
	Up, Down counterIO
}

func pair(m *hdl.Module, p counterParams) pairIO {
	io := hdl.Ports(m, "", hdl.Source, pairIO{
		Up:   counterIO{En: hdl.Bool(), Cnt: hdl.U(p.Width)},
		Down: counterIO{En: hdl.Bool(), Cnt: hdl.U(p.Width)},
	})
	hdl.Connect(io.Up, hdl.Inst(m, "u_up", counter, p))
	down := hdl.Inst(m, "u_down", counter, p)
	down.En.Set(io.Down.En)
	io.Down.Cnt.Set(down.Cnt.Not())
	return io
}

func TestHierarchySharesEqualModules(t *testing.T) {
	d, err := hdl.Elaborate(pair, counterParams{Width: 8})
	require.NoError(t, err)
	require.Len(t, d.Modules, 2)
	t.Log(d)
}
