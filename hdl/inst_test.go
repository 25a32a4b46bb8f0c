package hdl_test

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

func moduleNames(d *ir.Design) (names []string) {
	for _, m := range d.Modules {
		names = append(names, m.Name)
	}
	return names
}

// place is a top module that holds an instance of each given pair of functions.
func place(insts ...func(m *hdl.Module, name string) hdl.Var) hdl.Build[none, ports] {
	return func(m *hdl.Module, _ none) ports {
		var ps ports
		for i, f := range insts {
			y := f(m, fmt.Sprintf("u%d", i))
			o := m.Out(fmt.Sprintf("y%d", i), y)
			o.Set(y)
			ps = append(ps, o)
		}
		return ps
	}
}

// one is an instance whose single port is an output.
func one[P any](b hdl.Build[P, hdl.Var], p P, opts ...hdl.Option) func(m *hdl.Module, name string) hdl.Var {
	return func(m *hdl.Module, name string) hdl.Var { return hdl.Inst(m, name, b, p, opts...) }
}

func fixed(m *hdl.Module, width int) hdl.Var {
	y := m.Out("y", hdl.U(width))
	y.Set(hdl.Ones(width))
	return y
}

type rich struct {
	Width int
	Deep  uint8
	Fast  bool
	Mode  string
	Sub   struct{ Lanes int }
	Unset int
	note  string
}

func richModule(m *hdl.Module, p rich) hdl.Var { return fixed(m, 3) }

type suffixed struct{ Width int }

func (s *suffixed) Suffix() string {
	if s.Width == 1 {
		return ""
	}
	return fmt.Sprintf("w%d", s.Width)
}

func suffixedModule(m *hdl.Module, p suffixed) hdl.Var { return fixed(m, p.Width) }

func generic[T any](m *hdl.Module, w int) hdl.Var {
	var t T
	m.Doc(fmt.Sprintf("Of %T.", t))
	return fixed(m, w)
}

func closureIn[T any](w int) hdl.Build[none, hdl.Var] {
	return func(m *hdl.Module, _ none) hdl.Var { return fixed(m, w) }
}

type builder struct{ width int }

func (b builder) build(m *hdl.Module, _ none) hdl.Var { return fixed(m, b.width) }

func TestModuleNamesAndSharing(t *testing.T) {
	r := rich{Width: -3, Deep: 4, Fast: true, Mode: "AXI4 Lite-x", note: "hidden"}
	r.Sub.Lanes = 2
	for name, c := range map[string]struct {
		insts []func(*hdl.Module, string) hdl.Var
		want  []string
	}{
		"equal parameters":     {[]func(*hdl.Module, string) hdl.Var{one(fixed, 3), one(fixed, 3), one(fixed, 4)}, []string{"p_fixed_3", "p_fixed_4"}},
		"fields":               {[]func(*hdl.Module, string) hdl.Var{one(richModule, r), one(richModule, rich{})}, []string{"p_rich_module_widthm3_deep4_fast_axi4_lite_x_lanes2", "p_rich_module"}},
		"suffix":               {[]func(*hdl.Module, string) hdl.Var{one(suffixedModule, suffixed{2}), one(suffixedModule, suffixed{1})}, []string{"p_suffixed_module_w2", "p_suffixed_module"}},
		"named":                {[]func(*hdl.Module, string) hdl.Var{one(fixed, 3, hdl.Named("mine")), one(fixed, 3), one(fixed, 3, hdl.Named("mine"))}, []string{"p_mine", "p_fixed_3"}},
		"closures":             {[]func(*hdl.Module, string) hdl.Var{one(closureIn[int](2), none{}), one(builder{5}.build, none{}), one(builder{6}.build, none{})}, []string{"main_u0", "main_u1", "main_u2"}},
		"closures of one name": {[]func(*hdl.Module, string) hdl.Var{one(builder{5}.build, none{}, hdl.Named("same")), one(closureIn[int](5), none{}, hdl.Named("same"))}, []string{"p_same"}},
		"equal generics":       {[]func(*hdl.Module, string) hdl.Var{one(generic[int], 2), one(generic[int], 2), one(generic[int], 3)}, []string{"p_generic_2", "p_generic_3"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := elaborate(t, place(c.insts...), none{}, hdl.Named("main"), hdl.Prefix("p_"))
			require.Equal(t, append(c.want, "main"), moduleNames(d))
		})
	}
}

func TestInstancesOfDifferentTypesOfOneGenericClash(t *testing.T) {
	_, err := hdl.Elaborate(place(one(generic[int], 2), one(generic[string], 2)), none{})
	require.ErrorContains(t, err, "two different modules are called generic_2")
}

func TestNameOfTheTop(t *testing.T) {
	require.Equal(t, "suffixed_module", elaborate(t, suffixedModule, suffixed{4}).Top.Name)
	require.Equal(t, "other", elaborate(t, suffixedModule, suffixed{4}, hdl.Named("other")).Top.Name)
	require.Equal(t, "top", elaborate(t, closureIn[int](3), none{}).Top.Name)
	require.Equal(t, "generic", elaborate(t, generic[int], 3).Top.Name)
}

type loose struct {
	Width  int
	Depths []int
	Next   *loose
	Call   func()
	Any    any
}

func looseModule(m *hdl.Module, p loose) hdl.Var { return fixed(m, p.Width) }

// Parameters that cannot be compared are no key, and pointers are not printed.
func TestParametersThatAreNoKey(t *testing.T) {
	p := loose{Width: 2, Depths: []int{1, 2}, Next: &loose{Width: 7}, Call: func() {}, Any: []int{3}}
	d := elaborate(t, place(one(looseModule, p), one(looseModule, p)), none{})
	require.Equal(t, []string{"loose_module_width2_width7", "top"}, moduleNames(d))
	require.Equal(t, "Width=2 Depths=[1 2] Width=7", d.Modules[0].Params)
	d = elaborate(t, place(one(hiddenModule, hidden{[]int{1}}), one(hiddenModule, hidden{1})), none{})
	require.Equal(t, []string{"hidden_module", "top"}, moduleNames(d), "equal text makes them one all the same")
}

type hidden struct{ value any }

func hiddenModule(m *hdl.Module, _ hidden) hdl.Var { return fixed(m, 1) }

func TestParametersOfTheTop(t *testing.T) {
	require.Equal(t, "Width=4", elaborate(t, counter, counterParams{4}).Top.Params)
	require.Equal(t, "3", elaborate(t, fixed, 3).Top.Params)
}

func TestPositions(t *testing.T) {
	pc := reflect.ValueOf(positions).Pointer()
	_, first := runtime.FuncForPC(pc).FileLine(pc)
	at := func(n int) string { return fmt.Sprintf("hdl_test/inst_test.go:%d", first+n) }
	d := elaborate(t, positions, none{})
	require.Equal(t, at(0), d.Top.Pos.String())
	require.Equal(t, at(1), signal(t, d.Top, "a").Pos.String())
	body := d.Top.Body
	require.Equal(t, at(2), body[0].Position().String())
	require.Equal(t, at(3), body[1].Position().String())
	require.Equal(t, at(4), body[1].(*ir.If).Arms[1].Pos.String())
	require.Equal(t, at(5), body[2].Position().String(), "the helper's line is left out")
	require.Equal(t, at(6), d.Top.Instances[0].Pos.String())
}

func positions(m *hdl.Module, _ none) ports {
	a, y, u := m.In("a", hdl.Bool()), m.Out("y", hdl.Bool()), m.Out("u", hdl.Bool())
	y.Set(a)
	m.If(a, func() { y.Set(hdl.K(0)) }).
		ElseIf(a.Not(), func() { y.Set(a) })
	helped(m, u)
	v := hdl.Inst(m, "v", fixed, 1)
	w := m.Out("w", v)
	w.Set(v)
	return ports{a, y, u, w}
}

func helped(m *hdl.Module, u hdl.Var) {
	m.Helper()
	u.Set(hdl.K(1))
}

func TestElaborationIsDeterministic(t *testing.T) {
	first := elaborate(t, joined, none{}).String() + elaborate(t, declarations, none{}).String()
	for range 20 {
		require.Equal(t, first, elaborate(t, joined, none{}).String()+elaborate(t, declarations, none{}).String())
	}
}

// The constants, types and enumerations of a package are shared by elaborations
// that run at the same time.
var (
	sharedConst = hdl.Const(4, 9)
	sharedFault = hdl.Const(4, 16)
	sharedEnum  = hdl.NewEnum("phase", "on", "off")
	sharedType  = []hdl.Var{hdl.U(4), sharedEnum.Type()}
)

func TestElaborationsInParallel(t *testing.T) {
	var wg sync.WaitGroup
	texts, errs := make([]string, 8), make([]error, 8)
	for i := range texts {
		wg.Go(func() {
			d, err := hdl.Elaborate(func(m *hdl.Module, _ none) ports {
				p := hdl.Ports(m, "p", hdl.Source, sharedType)
				p[0].Set(sharedConst.Add(hdl.K(1)))
				p[1].Set(sharedEnum.K("off"))
				u := hdl.Inst(m, "u", counter, counterParams{4})
				u.En.Set(u.Cnt.Eq(sharedConst))
				return p
			}, none{})
			if err == nil {
				texts[i] = d.String()
			}
			_, errs[i] = hdl.Elaborate(func(m *hdl.Module, _ none) ports {
				p := hdl.Ports(m, "p", hdl.Source, sharedType[:1])
				p[0].Set(sharedFault.Not())
				return p
			}, none{})
		})
	}
	wg.Wait()
	for i := range texts {
		require.NotEmpty(t, texts[i])
		require.Equal(t, texts[0], texts[i])
		var l diag.List
		require.True(t, errors.As(errs[i], &l))
		require.Len(t, l, 1)
		require.Equal(t, "the constant 16 does not fit in 4 bits", l[0].Message)
	}
}

func TestUseAfterElaboration(t *testing.T) {
	var m *hdl.Module
	var y hdl.Var
	elaborate(t, func(n *hdl.Module, _ none) ports {
		m, y = n, n.Out("y", hdl.Bool())
		y.Set(hdl.K(1))
		return ports{y}
	}, none{}, hdl.Named("gone"))
	const message = "module gone is used after its elaboration"
	require.PanicsWithValue(t, message, func() { m.Wire("w", hdl.Bool()) })
	require.PanicsWithValue(t, message, func() { y.Set(hdl.K(0)) })
	_, err := hdl.Elaborate(func(n *hdl.Module, _ none) ports {
		z := n.Out("z", hdl.Bool())
		z.Set(y)
		y.Set(z)
		return ports{z, y}
	}, none{}, hdl.Named("fresh"))
	require.ErrorContains(t, err, "y belongs to module gone and is used in fresh")
	require.ErrorContains(t, err, "the interface of fresh holds y of module gone")
}
