package hdl_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
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

type (
	base  struct{ AXIPort, X1Y hdl.Var }
	inner struct {
		Fwd hdl.Var
		Bwd hdl.Var `hdl:"in"`
	}
	outer struct {
		base
		AddrWidth hdl.Var
		Renamed   hdl.Var `hdl:"name=other"`
		Plain     inner   `hdl:"name="`
		Turned    inner   `hdl:"in"`
		Twice     struct {
			In inner `hdl:"in"`
		} `hdl:"in"`
		Glued   struct{ A inner } `hdl:"glue"`
		Array   [2]hdl.Var
		Slice   []inner `hdl:"in,name=s"`
		Maybe   []inner `hdl:"opt"`
		Missing []inner `hdl:"opt"`
		Stream  hdl.Stream[inner]
	}
)

func outerType() outer {
	i := inner{hdl.U(2), hdl.S(3)}
	o := outer{base: base{hdl.Bool(), hdl.Bool()}, AddrWidth: hdl.U(4), Renamed: hdl.U(5), Plain: i, Turned: i,
		Array: [2]hdl.Var{hdl.U(6), hdl.U(7)}, Slice: []inner{i, i}, Maybe: []inner{i}, Stream: hdl.StreamOf(i)}
	o.Twice.In, o.Glued.A = i, i
	return o
}

func TestPortNamesAndDirections(t *testing.T) {
	list := func(role hdl.Role, prefix string) (ps []string) {
		d, _ := hdl.Elaborate(func(m *hdl.Module, _ none) outer {
			io := hdl.Ports(m, prefix, role, outerType(), hdl.MayBeUnused(), hdl.Default(hdl.K(0)))
			return io
		}, none{})
		require.NotNil(t, d)
		for _, p := range d.Top.Ports() {
			ps = append(ps, p.Name+" "+p.Kind.String()+" "+p.Type.String())
		}
		return ps
	}
	want := []string{
		"p_axi_port output u1", "p_x1_y output u1", "p_addr_width output u4", "p_other output u5",
		"p_fwd output u2", "p_bwd input s3",
		"p_turned_fwd input u2", "p_turned_bwd output s3",
		"p_twice_in_fwd output u2", "p_twice_in_bwd input s3",
		"p_gluedafwd output u2", "p_gluedabwd input s3",
		"p_array_0 output u6", "p_array_1 output u7",
		"p_s_0_fwd input u2", "p_s_0_bwd output s3", "p_s_1_fwd input u2", "p_s_1_bwd output s3",
		"p_maybe_fwd output u2", "p_maybe_bwd input s3",
		"p_stream_valid output u1", "p_stream_ready input u1", "p_stream_fwd output u2", "p_stream_bwd input s3",
	}
	if diff := cmp.Diff(want, list(hdl.Source, "p")); diff != "" {
		t.Error(diff)
	}
	for i, s := range list(hdl.Sink, "p") {
		require.NotEqual(t, want[i], s, "the sink's directions are turned")
	}
	require.Equal(t, "axi_port output u1", list(hdl.Source, "")[0])
}

// joined connects bundles in every combination of roles.
func joined(m *hdl.Module, _ none) [4]counterIO {
	shape := counterIO{hdl.Bool(), hdl.U(4)}
	var io [4]counterIO
	for i, role := range []hdl.Role{hdl.Source, hdl.Source, hdl.Sink, hdl.Source} {
		io[i] = hdl.Ports(m, string(rune('a'+i)), role, shape)
	}
	u, v := hdl.Inst(m, "u", counter, counterParams{4}), hdl.Inst(m, "v", relay, none{})
	hdl.Connect(io[0], u)     // an instance's source to ports that are a source
	hdl.Connect(v.In, io[2])  // ports that are a sink to an instance's sink
	hdl.Connect(io[1], v.Out) // an instance's source again
	w, x := hdl.Inst(m, "w", counter, counterParams{4}), hdl.Inst(m, "x", relay, none{})
	hdl.Connect(x.In, w) // instance to instance
	hdl.Connect(io[3], x.Out)
	return io
}

type relayIO struct {
	In  counterIO `hdl:"in"`
	Out counterIO
}

// relay connects its own ports.
func relay(m *hdl.Module, _ none) relayIO {
	shape := counterIO{hdl.Bool(), hdl.U(4)}
	io := hdl.Ports(m, "", hdl.Source, relayIO{shape, shape})
	hdl.Connect(io.Out, io.In)
	return io
}

func TestConnect(t *testing.T) { golden(t, "connect", elaborate(t, joined, none{})) }

type pixel struct {
	R, G hdl.Var
	B    [2]hdl.Var
}

func TestBundleOperations(t *testing.T) {
	shape := pixel{hdl.U(3), hdl.S(4), [2]hdl.Var{hdl.U(1), hdl.U(2)}}
	require.Equal(t, 10, hdl.WidthOf(shape))
	golden(t, "bundles", elaborate(t, func(m *hdl.Module, _ none) ports {
		a, sel := m.In("a", hdl.U(10)), m.In("sel", hdl.Bool())
		y, z := m.Out("y", hdl.U(10)), m.Out("z", hdl.U(10))
		p := hdl.Unpack(shape, a)
		q := hdl.Regs(m, "q", shape, hdl.Init(1))
		hdl.Assign(q, p)
		w := hdl.Wires(m, "w", shape)
		hdl.Assign(w, hdl.MuxOf(sel, p, q))
		y.Set(hdl.Pack(w))
		fixed := hdl.Unpack(shape, hdl.Const(10, 0x2a5))
		z.Set(hdl.Pack(hdl.MuxOf(sel, fixed, hdl.Unpack(shape, hdl.Ones(10)))))
		return ports{a, sel, y, z}
	}, none{}, hdl.Named("bundles")))
}

func TestSettingACopyOfABundleLeavesTheOther(t *testing.T) {
	types := []hdl.Var{hdl.U(1), hdl.U(2)}
	elaborate(t, func(m *hdl.Module, _ none) ports {
		a := hdl.Ports(m, "a", hdl.Sink, types, hdl.MayBeUnused())
		b := hdl.Ports(m, "b", hdl.Source, types)
		hdl.Connect(b, a)
		return append(a, b...)
	}, none{})
	require.Equal(t, 2, types[1].Width())
	elaborate(t, func(m *hdl.Module, _ none) ports { return hdl.Ports(m, "c", hdl.Sink, types, hdl.MayBeUnused()) }, none{})
}

func TestMuxOfChoosesTheFieldsOfSlices(t *testing.T) {
	types := []hdl.Var{hdl.U(1), hdl.U(2)}
	d := elaborate(t, func(m *hdl.Module, _ none) ports {
		sel := m.In("sel", hdl.Bool())
		a, b := hdl.Ports(m, "a", hdl.Sink, types), hdl.Ports(m, "b", hdl.Sink, types)
		y := hdl.Ports(m, "y", hdl.Source, types)
		hdl.Assign(y, hdl.MuxOf(sel, a, b))
		return append(append(append(ports{sel}, a...), b...), y...)
	}, none{})
	for _, want := range []string{"(set y_0 (mux sel a_0 b_0))", "(set y_1 (mux sel a_1 b_1))"} {
		require.Contains(t, d.String(), want)
	}
}

func TestFire(t *testing.T) {
	d := elaborate(t, func(m *hdl.Module, _ none) struct {
		S     hdl.Stream[hdl.Var] `hdl:"in"`
		Moved hdl.Var
	} {
		s := hdl.Ports(m, "s", hdl.Sink, hdl.StreamOf(hdl.U(8)))
		moved := m.Out("moved", hdl.U(8))
		s.Ready.Set(s.Data.Any())
		moved.Set(hdl.Mux(s.Fire(), s.Data, hdl.K(0)))
		return struct {
			S     hdl.Stream[hdl.Var] `hdl:"in"`
			Moved hdl.Var
		}{s, moved}
	}, none{})
	require.Contains(t, d.String(), "(set moved (mux (and s_valid s_ready) s 0:u8))")
}

func TestEnum(t *testing.T) {
	e := hdl.NewEnum("color", "red", "green", "blue")
	require.Equal(t, 2, e.Type().Width())
	require.Equal(t, hdl.K(2), e.K("blue"))
	require.PanicsWithValue(t, `enumeration color has no value "pink"`, func() { e.K("pink") })
	require.Equal(t, 1, hdl.NewEnum("one", "only").Type().Width())
	d := elaborate(t, func(m *hdl.Module, _ none) ports { return ports{m.In("c", e.Type(), hdl.MayBeUnused())} }, none{})
	require.Equal(t, []ir.EnumValue{{Name: "red"}, {Name: "green", Value: 1}, {Name: "blue", Value: 2}}, d.Top.Signals[0].Type.Enum.Values)
}

func TestAddrBits(t *testing.T) {
	for n, want := range map[int]int{-1: 1, 0: 1, 1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 1 << 20: 20, 1<<20 + 1: 21, 1<<63 - 1: 63} {
		require.Equal(t, want, hdl.AddrBits(n), "%d", n)
	}
}
