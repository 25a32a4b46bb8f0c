package branch

import "github.com/millrace-hdl/millrace/hdl"

type bundle struct{ A, B hdl.Var }

func build(m *hdl.Module, c hdl.Signal, x, y hdl.Var) hdl.Signal {
	var r hdl.Signal = x.Signal
	var v hdl.Value = x
	b := bundle{x, y}
	list := []hdl.Signal{r}
	count := 0
	m.If(c, func() {
		r = x.Add(y) // want `this Go assignment to r inside If takes effect whatever the condition; Set a wire that has a Default, or use hdl.Mux`
		m.Switch(x).Case(hdl.K(0), func() {
			b.A = y     // want `this Go assignment to b.A inside Case`
			list[0] = r // want `this Go assignment to list\[0\] inside Case`
		}).Default(func() {
			v = y // want `this Go assignment to v inside Default`
		})
	}).ElseIf(c, func() {
		func() { r = x.Signal }() // want `this Go assignment to r inside ElseIf`
	}).Else(func() {
		r = y.Signal // want `this Go assignment to r inside Else`
	})

	light := hdl.NewFSM(m, "light_q", []color{0})
	light.On(0, func() {
		r = y.Signal // want `this Go assignment to r inside On`
	})

	// What is declared exists whatever the condition, and what stays inside is a name.
	m.If(c, func() {
		r = m.Let("sum", x.Add(y))
		list = append(list, m.Let("product", x.Mul(y)))
		t := x.Add(y)
		t = t.Not()
		x.Set(t)
		count++
		r = helper(m, x)
	})
	r = r.Not()
	for range count {
		r = r.Not()
	}
	b.B.Set(v)
	return r
}

type color int

func (c color) String() string { return "red" }

func helper(m *hdl.Module, x hdl.Var) hdl.Signal { return m.RegNext("helped_q", x) }
