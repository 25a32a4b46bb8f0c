package maprange

import (
	"maps"
	"slices"

	"github.com/millrace-hdl/millrace/hdl"
)

type params struct{ fields map[string]int }

func build(m *hdl.Module, p params, x hdl.Signal, y hdl.Var) {
	sum := x
	for name, w := range p.fields { // want `Reg is called in the order of a map, which differs from run to run; range over slices.Sorted\(maps.Keys\(p.fields\)\)`
		r := m.Reg(name, hdl.U(w))
		r.Set(r)
	}
	for _, w := range p.fields { // want `sum is put together in the order of a map`
		sum = sum.Add(x.Resize(w))
	}
	for name := range maps.Keys(p.fields) { // want `declare builds in the order of a map`
		declare(m, name)
	}
	for range p.fields { // want `Set is called in the order of a map`
		y.Set(x)
	}
	for range p.fields { // want `Inst is called in the order of a map`
		hdl.Inst(m, "child", child, 1)
	}

	for _, name := range slices.Sorted(maps.Keys(p.fields)) {
		declare(m, name)
	}
	widest, byName := 0, map[string]hdl.Signal{}
	for name, w := range p.fields {
		widest = max(widest, w, x.Width())
		byName[name] = x.Resize(w)
	}
	for w := range map[int]bool{1: true, 2: true} { // each a design of its own
		_, _ = hdl.Elaborate(func(m *hdl.Module, w int) struct{} {
			m.Wire("x", hdl.U(w)).Set(hdl.K(0))
			return struct{}{}
		}, w)
	}
	y.Set(sum.Resize(widest))
}

func child(m *hdl.Module, _ int) struct{} { return struct{}{} }

func declare(m *hdl.Module, name string) hdl.Var { return m.Reg(name, hdl.U(1)) }
