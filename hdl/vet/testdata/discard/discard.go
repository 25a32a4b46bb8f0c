package discard

import "github.com/millrace-hdl/millrace/hdl"

type IO struct {
	A hdl.Var `hdl:"in"`
	Y hdl.Var
	Q hdl.Stream[hdl.Var]
}

func Module(m *hdl.Module, _ struct{}) IO {
	io := hdl.Ports(m, "", hdl.Source, IO{A: hdl.U(8), Y: hdl.U(8), Q: hdl.StreamOf(hdl.U(8))})
	table := m.Mem("table", hdl.U(8), 4)
	table.Write(io.A.Trunc(2), io.A)

	io.A.Add(hdl.K(1))              // want `the result of Add is dropped, and it changes none of its operands; assign it with Set, or remove the line`
	(io.A.Not())                    // want `the result of Not is dropped`
	io.Y.Part(0, 4)                 // want `the result of Part is dropped`
	hdl.Mux(io.A.Any(), io.A, io.A) // want `the result of Mux is dropped`
	hdl.U(8)                        // want `the result of U is dropped`
	hdl.MuxOf(io.A.Any(), io, io)   // want `the result of MuxOf is dropped`
	io.Q.Fire()                     // want `the result of Fire is dropped`
	table.Read(io.A.Trunc(2))       // want `the result of Read is dropped`
	light := hdl.NewFSM(m, "light_q", []color{0, 1})
	light.Is(0) // want `the result of Is is dropped`
	light.On(0, func() { light.Next(1) }).On(1, func() { light.Next(0) })
	m.Assert("some", hdl.Implies(io.A.Any(), light.Is(1)))
	defer io.A.Or(io.A) // want `the result of Or is dropped`

	io.Y.Set(io.A.Add(hdl.K(1)))
	hdl.Inst(m, "child", Child, struct{}{})
	m.If(io.A.Any(), func() { io.Q.Data.Set(io.A) })
	io.A.Width()
	return io
}

type color int

func (c color) String() string { return [...]string{"red", "green"}[c] }

func Child(m *hdl.Module, _ struct{}) IO { return IO{} }
