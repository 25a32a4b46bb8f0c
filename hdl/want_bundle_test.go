package hdl_test

import "github.com/millrace-hdl/millrace/hdl"

type twiceIO struct{ A, B, C, D, E hdl.Var }

func wrongInterfaces(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.Bool())                                  // want "misuse: the interface of m_u holds a of module m"
	u := hdl.Inst(m, "u", func(c *hdl.Module, _ none) twiceIO { // want "misuse: the interface of m_u leaves twiceIO.D without a port" "misuse: the interface of m_u holds the value twiceIO.E, which is no port"
		y := c.Out("y", hdl.Bool()) // want "misuse: the interface of m_u holds port y twice"
		y.Set(hdl.K(1))
		return twiceIO{A: y, B: y, C: a, E: hdl.V(y.Not())}
	}, none{})
	u.C.And(u.D).And(u.E) // follows
	return ports{a}
}

func wrongPartInInterface(m *hdl.Module, _ none) ports {
	y := m.Out("y", hdl.U(8)) // want "misuse: the interface of m holds only a part of y.3:0."
	y.Set(hdl.K(0))
	return ports{y.Part(0, 4)}
}

func wrongTags(m *hdl.Module, _ none) ports {
	type t struct {
		A hdl.Var `hdl:"inn"`
		B hdl.Var `hdl:"in,out"`
		C hdl.Var `hdl:"in, glue"`
	}
	v := t{hdl.Bool(), hdl.Bool(), hdl.Bool()}
	hdl.Wires(m, "x", v) // want "misuse: the tag of field hdl_test.t.A has the word .inn.; the words are in, out, name=, glue and opt" "misuse: field hdl_test.t.B is tagged both in and out; choose one" "misuse: the tag of field hdl_test.t.C has the word . glue."
	hdl.Wires(m, "y", v) // each flaw is told once
	return nil
}

func wrongOptional(m *hdl.Module, _ none) ports {
	type t struct {
		A []hdl.Var `hdl:"opt"`
		B hdl.Var   `hdl:"opt"`
	}
	hdl.Wires(m, "x", t{[]hdl.Var{hdl.Bool(), hdl.Bool()}, hdl.Bool()}) // want "misuse: the optional field t.A has 2 elements; one is the most" "misuse: field t.B is optional and a hdl.Var; make it a slice"
	return nil
}

func wrongKinds(m *hdl.Module, _ none) ports {
	type t struct {
		P *hdl.Var
		M map[string]hdl.Var
		N int
		F func()
	}
	hdl.Wires(m, "x", t{}) // want "misuse: t.P is a .hdl.Var; a bundle holds hdl.Var, structs, arrays and slices" "misuse: t.M is a map" "misuse: t.N is a int" "misuse: t.F is a func"
	return nil
}

func wrongHidden(m *hdl.Module, _ none) ports {
	type t struct{ a, B hdl.Var }
	x := hdl.Wires(m, "x", t{hdl.Bool(), hdl.Bool()}) // want "misuse: field hdl_test.t.a is not exported, so the language cannot see it; export it"
	hdl.Assign(x, x)
	return nil
}

func wrongConnect(m *hdl.Module, _ none) ports {
	up := hdl.Ports(m, "up", hdl.Source, counterIO{hdl.Bool(), hdl.U(4)})
	u := hdl.Inst(m, "u", counter, counterParams{4})
	hdl.Connect(u, up)  // want "misuse: Connect would assign up_en, which is an input; swap its arguments" "misuse: Connect would assign u_cnt, which is an output of instance u; swap its arguments"
	u.Cnt.Set(hdl.K(1)) // want "misuse: u_cnt is an output of instance u and cannot be assigned"
	return ports{up.En, up.Cnt}
}

func wrongLengths(m *hdl.Module, _ none) ports {
	type list []hdl.Var
	a := hdl.Wires(m, "a", list{hdl.Bool(), hdl.Bool()})
	b := hdl.Wires(m, "b", list{hdl.Bool()})
	hdl.Connect(a, b)                            // want "width: the bundles have 2 and 1 fields; give their slices the same length"
	hdl.MuxOf(a[0], a, b)                        // want "width: the bundles have 2 and 1 fields"
	hdl.Assign(list{}, list{hdl.V(hdl.Ones(1))}) // want "misuse: the description of m failed: the bundles have 0 and 1 fields"
	return nil
}

func wrongUnpack(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.U(8))
	x := hdl.Unpack(counterIO{hdl.Bool(), hdl.U(4)}, a) // want "width: Unpack: the bundle has 5 bits, a has 8 bits; use Trunc, Ext or Resize"
	x.Cnt.Add(hdl.K(1))
	return ports{a}
}
