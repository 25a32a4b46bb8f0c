package hdl_test

import (
	"flag"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

var update = flag.Bool("update", false, "write the golden files anew")

// elaborate requires that a module elaborates.
func elaborate[P, IO any](t testing.TB, b hdl.Build[P, IO], p P, opts ...hdl.Option) *ir.Design {
	t.Helper()
	d, err := hdl.Elaborate(b, p, opts...)
	require.NoError(t, err)
	return d
}

// golden compares the text form of a design with testdata/<name>.ir.
func golden(t *testing.T, name string, d *ir.Design) {
	t.Helper()
	path := filepath.Join("testdata", name+".ir")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(d.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	if diff := cmp.Diff(string(want), d.String()); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

func signal(t testing.TB, m *ir.Module, name string) *ir.Signal {
	t.Helper()
	for _, s := range m.Signals {
		if s.Name == name {
			return s
		}
	}
	require.Fail(t, "no such signal", "%s in %s", name, m.Name)
	return nil
}

// operators uses every operator once, in the order of the documentation.
func operators(m *hdl.Module, _ none) ports {
	a, b := m.In("a", hdl.U(8)), m.In("b", hdl.U(8))
	s, c := m.In("s", hdl.S(8)), m.In("c", hdl.Bool())
	for _, x := range []struct {
		name string
		v    hdl.Signal
	}{
		{"o_not", a.Not()}, {"o_neg", s.Neg()}, {"o_any", a.Any()}, {"o_all", a.All()}, {"o_parity", a.Parity()}, {"o_none", a.None()},
		{"o_any_bit", c.Any()},
		{"o_and", a.And(b)}, {"o_or", a.Or(hdl.K(-1))}, {"o_xor", a.Xor(hdl.Const(8, 129))}, {"o_and_not", a.AndNot(b)}, {"o_and_not_k", a.AndNot(hdl.K(3))},
		{"o_add", a.Add(hdl.K(255))}, {"o_sub", s.Sub(hdl.K(-128))}, {"o_mul", a.Mul(b)},
		{"o_add_x", a.AddX(b)}, {"o_sub_x", s.SubX(hdl.K(1))}, {"o_mul_x", a.MulX(b)},
		{"o_eq", a.Eq(b)}, {"o_ne", a.Ne(b)}, {"o_lt", s.Lt(hdl.K(-1))}, {"o_le", a.Le(b)}, {"o_gt", a.Gt(b)}, {"o_ge", a.Ge(b)},
		{"o_shl", a.Shl(hdl.K(8))}, {"o_shr", s.Shr(b.Trunc(3))},
		{"o_bit", a.Bit(7)}, {"o_bits", a.Bits(6, 2)}, {"o_bits_of_bits", a.Bits(6, 2).Bits(2, 1)}, {"o_all_bits", a.Bits(7, 0)},
		{"o_trunc", s.Trunc(3)}, {"o_ext", s.Ext(10)}, {"o_resize", a.Resize(9)}, {"o_resize_down", a.Resize(2)}, {"o_resize_none", a.Resize(8)},
		{"o_as_signed", a.AsSigned()}, {"o_as_unsigned", s.AsUnsigned()},
		{"o_cat", hdl.Cat(a, s, c)}, {"o_cat_one", hdl.Cat(s)}, {"o_repeat", hdl.Repeat(c, 3)},
		{"o_mux", hdl.Mux(c, a, hdl.K(5))}, {"o_mux_k", hdl.Mux(c, hdl.K(5), s)},
		{"o_any_of", hdl.AnyOf(c.Signal, a.Bit(0), a.Bit(1))}, {"o_all_of", hdl.AllOf(c.Signal, a.Bit(0))},
		{"o_any_of_none", hdl.AnyOf()}, {"o_all_of_none", hdl.AllOf()},
		{"o_select", hdl.Select(a.Bits(1, 0), a.Signal, b.Signal, a.Not())}, {"o_select_one", hdl.Select(c, b.Signal)},
		{"o_const", hdl.Const(64, 1<<63)}, {"o_big", hdl.BigConst(70, big.NewInt(-3))}, {"o_ones", hdl.Ones(65)},
	} {
		m.Let(x.name, x.v, hdl.MayBeUnused())
	}
	return ports{a, b, s, c}
}

func TestOperators(t *testing.T) { golden(t, "operators", elaborate(t, operators, none{})) }

// declarations uses every option of signals, memories, instances and modules.
func declarations(m *hdl.Module, _ none) ports {
	states := hdl.NewEnum("state", "idle", "busy", "done")
	m.Doc("Two lines\nof documentation.")
	m.Attr("keep_hierarchy", "yes")
	a := m.In("a", hdl.U(8), hdl.Doc("An input."), hdl.WithAttr("mark_debug", "true"))
	spare := m.In("spare", hdl.Bool(), hdl.MayBeUnused())
	y := m.Out("y", hdl.U(8), hdl.Default(a))
	en := a.Bit(0)
	m.Note("Above the enabled assignment.")
	r := m.Reg("r", hdl.U(8), hdl.Init(-1), hdl.Enable(en), hdl.Doc("A register."), hdl.WithAttr("a", "1"), hdl.WithAttr("b", "2"))
	r.Set(a)
	s := m.Reg("s", hdl.S(70), hdl.Init(-2))
	s.Set(s.Add(hdl.K(1)))
	w := m.Reg("w", hdl.U(70), hdl.InitTo(hdl.Ones(70)))
	w.Part(60, 10).Set(hdl.K(3))
	w.Part(0, 60).Part(10, 50).Part(0, 50).Set(s.AsUnsigned().Bits(49, 0))
	w.Part(0, 10).Set(w.Bits(19, 10))
	n := m.Reg("n", r, hdl.NoReset()) // a bound signal lends its type
	n.Set(r)
	st := m.Reg("st", states.Type(), hdl.Init(states.K("busy")))
	m.Switch(st).
		Case(states.K("idle"), func() { st.Set(states.K("busy")) }).
		CaseIn([]hdl.Value{states.K("busy"), hdl.Const(2, 3)}, func() {
			m.Note("Inside a case.")
			st.Set(states.K("done"))
		}).
		Default(func() { st.Set(states.K("idle")) })
	m.If(en, func() {
		m.If(a.Bit(1), func() { y.Set(n) }).
			ElseIf(a.Bit(2), func() { y.Part(0, 4).Set(w.Bits(69, 66)) }).
			Else(func() { y.Set(hdl.Cat(st, hdl.Const(6, 0))) })
	})
	late := m.RegNext("late_q", a.Xor(y), hdl.Init(7))
	async := m.Mem("async_ram", hdl.U(8), 5, hdl.Style("distributed"), hdl.Doc("Five bytes."), hdl.WithAttr("ram_style", "distributed"))
	sync := m.Mem("sync_ram", hdl.U(16), 4)
	m.If(en, func() { async.Write(hdl.K(4), late) })
	sync.WriteMask(a.Trunc(2), hdl.Cat(a, a), a.Bits(3, 2))
	z := m.Out("z", hdl.U(16))
	z.Set(sync.SyncRead("z_q", a.Bits(2, 1), en, hdl.NewData).Xor(async.Read(a.Bits(7, 5)).Ext(16)))
	u := hdl.Inst(m, "u_pass", pass, none{}, hdl.Doc("An instance."), hdl.WithAttr("dont_touch", "true"))
	u[0].Set(a.Trunc(4))
	v := m.Out("v", u[1])
	v.Set(u[1])
	return ports{a, spare, y, m.Out("k", hdl.Bool(), hdl.Default(hdl.K(1))), z, v}
}

func TestDeclarations(t *testing.T) { golden(t, "declarations", elaborate(t, declarations, none{})) }

// TestConstructs writes down what state machines, arrays, properties and clock
// domains become.
func TestConstructs(t *testing.T) {
	for name, build := range map[string]hdl.Build[none, ports]{
		"machine": rightMachine, "arrays": rightArrays, "properties": rightProperties, "domains": rightDomains, "external": rightExternal,
	} {
		t.Run(name, func(t *testing.T) {
			d, err := hdl.Elaborate(build, none{}, hdl.Named("m"))
			require.NoError(t, err)
			golden(t, name, d)
		})
	}
}
