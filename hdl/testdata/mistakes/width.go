package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// AverageIO is the interface of [Average].
type AverageIO struct {
	A, B hdl.Var `hdl:"in"`
	Mean hdl.Var
}

// Average is half the sum of two bytes. AddX keeps the carry, so the sum has nine
// bits, and halving it by a shift does not make it shorter.
func Average(m *hdl.Module, _ none) AverageIO {
	io := hdl.Ports(m, "", hdl.Source, AverageIO{A: hdl.U(8), B: hdl.U(8), Mean: hdl.U(8)})
	sum := m.Let("sum", io.A.AddX(io.B))
	io.Mean.Set(sum.Shr(hdl.K(1))) // mistake
	return io
}
