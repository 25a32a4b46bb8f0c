package hdl_test

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

type TimerParams struct{ Width int }

type TimerIO struct {
	En      hdl.Var `hdl:"in"`
	Expired hdl.Var
}

// Timer expires in every 2^Width-th cycle in which it is enabled.
func Timer(m *hdl.Module, p TimerParams) TimerIO {
	io := hdl.Ports(m, "", hdl.Source, TimerIO{En: hdl.Bool(), Expired: hdl.Bool()})
	count := m.Reg("count_q", hdl.U(p.Width))
	m.If(io.En, func() { count.Set(count.Add(hdl.K(1))) })
	io.Expired.Set(io.En.And(count.All()))
	return io
}

// A module is described by a function; elaborating it yields a design, which runs.
func ExampleElaborate() {
	d, err := hdl.Elaborate(Timer, TimerParams{Width: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := sim.New(d, sim.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = e.Reset(1)
	e.In()[0] = 1
	for range 8 {
		_ = e.Step()
		fmt.Print(e.Out()[0])
	}
	// Output: 00010001
}

// Mistakes are found in one go, each with its place.
func ExampleElaborate_mistakes() {
	_, err := hdl.Elaborate(func(m *hdl.Module, _ struct{}) []hdl.Var {
		a, b, y := m.In("a", hdl.U(8)), m.In("b", hdl.U(7)), m.Out("y", hdl.U(8))
		y.Set(a.Add(b))
		m.If(a, func() { y.Set(hdl.K(256)) })
		return []hdl.Var{a, b, y}
	}, struct{}{})
	for _, d := range err.(diag.List) {
		fmt.Println(d.Message)
	}
	// Output:
	// add: a is 8 bits, b is 7 bits
	// the condition of If, a, is u8; it must be one unsigned bit
	// the literal 256 does not fit in u8 (0 to 255)
}
