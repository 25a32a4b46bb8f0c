package gen_test

import "github.com/millrace-hdl/millrace/hdl"

type attributedIO struct {
	A, B hdl.Var `hdl:"in"`
	Y    hdl.Var
}

// attributed has synthesis attributes and comments wherever they can be.
func attributed(m *hdl.Module, _ none) attributedIO {
	m.Doc("Attributes on everything that can have them.")
	m.Attr("keep_hierarchy", "yes")
	io := attributedIO{
		A: m.In("a", hdl.U(8), hdl.WithAttr("mark_debug", "true"), hdl.Doc("The first operand.")),
		B: m.In("b", hdl.U(8), hdl.WithAttr("mark_debug", "true"), hdl.WithAttr("io_standard", `LV"CMOS\18`)),
		Y: m.Out("y", hdl.U(8), hdl.WithAttr("use_ioff", "1")),
	}
	sum := m.Reg("sum_q", hdl.U(8), hdl.WithAttr("keep", "true"), hdl.Doc("The last sum."))
	sum.Set(io.A.Add(io.B))
	io.Y.Set(sum)
	return io
}
