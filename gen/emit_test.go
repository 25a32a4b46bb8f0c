package gen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/irtest"
)

func TestEmissionIsDeterministicAndLeavesTheDesignAlone(t *testing.T) {
	for _, k := range kinds {
		for _, seed := range seeds(t) {
			d := irtest.Random(seed, k.options)
			before := d.String()
			first, err := Emit(d, Options{})
			require.NoError(t, err)
			again, err := Emit(irtest.Random(seed, k.options), Options{})
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(first, again), "seed %d", seed)
			require.Equal(t, before, d.String(), "seed %d", seed)
		}
	}
}

// stage is a module with many statements that share sub-expressions; with extra
// it has one more.
func stage(extra bool) *ir.Design {
	m := &ir.Module{Name: "stage"}
	signal := func(name string, k ir.Kind) *ir.Signal {
		s := &ir.Signal{Name: name, Kind: k, Type: ir.Type{Width: 8}, Module: m}
		m.Signals = append(m.Signals, s)
		return s
	}
	a, b := signal("a", ir.Input), signal("b", ir.Input)
	drive := func(name string) {
		sum := &ir.Binary{Op: ir.Add, X: ref(a), Y: ref(b)}
		y, z := signal(name, ir.Output), signal(name+"_z", ir.Output)
		m.Body = append(m.Body,
			whole(y, &ir.Binary{Op: ir.Mul, X: sum, Y: sum}, ir.Pos{}),
			whole(z, &ir.Binary{Op: ir.Xor, X: sum, Y: &ir.Binary{Op: ir.Shr, X: sum, Y: ref(a)}}, ir.Pos{}))
	}
	for i := range 6 {
		if i == 2 && extra {
			drive("extra")
		}
		drive(fmt.Sprintf("y%d", i))
	}
	return &ir.Design{Top: m, Modules: []*ir.Module{m}}
}

func TestOneMoreStatementRenamesNothing(t *testing.T) {
	lines := func(extra bool) []string {
		files, err := Emit(stage(extra), Options{})
		require.NoError(t, err)
		return strings.Split(string(files[0].Data), "\n")
	}
	var kept []string
	for _, l := range lines(true) {
		if !strings.Contains(l, "extra") {
			kept = append(kept, l)
		}
	}
	require.Empty(t, cmp.Diff(lines(false), kept))
}

func TestDerivedNamesGiveWay(t *testing.T) {
	d := stage(false)
	d.Top.Signals[2].Name = "y0_sum"
	files, err := Emit(d, Options{})
	require.NoError(t, err)
	require.Contains(t, string(files[0].Data), "wire [7:0] y0_sum_sum = a + b;")
	d = stage(false)
	d.Top.Signals[0].Name = "Y0_SUM" // names are told apart without regard to case
	files, err = Emit(d, Options{})
	require.NoError(t, err)
	require.Contains(t, string(files[0].Data), "wire [7:0] y0_sum_2 = Y0_SUM + b;")
}

// unreset places a module with a reset in a domain without one.
func unreset() []*ir.Module {
	child := &ir.Module{Name: "child", Signals: []*ir.Signal{{Name: "r", Kind: ir.Reg, Type: u(1), Init: ir.NewConst(u(1), 0)}}}
	d := &ir.Domain{Name: "d", Clock: "d_clk"}
	top := &ir.Module{Name: "top", Domains: []*ir.Domain{d}, Instances: []*ir.Instance{{Name: "u", Of: child, Domain: d}}}
	return []*ir.Module{child, top}
}

func box(p ir.Param, source string) *ir.Module {
	return &ir.Module{Name: "m", Extern: &ir.Extern{Params: []ir.Param{p}, Source: source}}
}

// reader has a property that reads a memory of that many bytes.
func reader(depth int) *ir.Module {
	k := newMaker("m")
	mem := &ir.Mem{Name: "big", Elem: u(8), Depth: depth, Init: []*ir.Const{ir.NewConst(u(8), 1)}, Module: k.m}
	k.m.Mems = []*ir.Mem{mem}
	a := k.signal("a", ir.Input, u(mem.AddrWidth()))
	cond := k.signal("odd", ir.Wire, u(1))
	cond.Ghost = true
	k.add(whole(cond, &ir.Slice{X: &ir.MemRead{Mem: mem, Addr: ref(a)}, Width: 1}, ir.Pos{}))
	k.m.Properties = []*ir.Property{{Name: "odd", Cond: cond}}
	return k.m
}

func TestDesignsThatCannotBeEmitted(t *testing.T) {
	module := func(name string, signals ...*ir.Signal) *ir.Module { return &ir.Module{Name: name, Signals: signals} }
	signal := func(name string, k ir.Kind) *ir.Signal {
		return &ir.Signal{Name: name, Kind: k, Type: ir.Type{Width: 1}, Init: ir.NewConst(ir.Type{Width: 1}, 0)}
	}
	of := func(ms ...*ir.Module) *ir.Design { return &ir.Design{Top: ms[len(ms)-1], Modules: ms} }
	for _, c := range []struct {
		d    *ir.Design
		o    Options
		want string
	}{
		{nil, Options{}, "nothing to emit"},
		{&ir.Design{}, Options{}, "nothing to emit"},
		{of(module("m")), Options{Reset: 9}, "unknown reset style 9; choose one of"},
		{of(module("m"), module("M")), Options{}, `modules "m" and "M" would be written to the same file`},
		{of(module("m", signal("a.b", ir.Input))), Options{}, `module m: input name "a.b": '.' cannot stand`},
		{of(module("m", signal("", ir.Wire))), Options{}, "module m: a wire has no name"},
		{of(module("m", signal("a", ir.Input), signal("A", ir.Wire))), Options{}, `wire name "A" is taken`},
		{of(module("m", signal("r", ir.Reg), signal("clk", ir.Input))), Options{}, `input name "clk" is taken, perhaps by the clock`},
		{of(module("m", signal("r", ir.Reg), signal("rst", ir.Input))), Options{Reset: SyncHigh}, `input name "rst" is taken`},
		{of(module("m", &ir.Signal{Name: "x", Kind: ir.Wire})), Options{}, "wire x has width 0"},
		{of(&ir.Module{Name: "m", Domains: []*ir.Domain{{Name: "d", Clock: "x y"}}}), Options{}, `clock domain port name "x y": ' ' cannot stand`},
		{of(&ir.Module{Name: "m", Domains: []*ir.Domain{{Name: "d", Clock: "a"}}, Signals: []*ir.Signal{signal("a", ir.Input)}}), Options{}, `input name "a" is taken, perhaps by the clock`},
		{of(unreset()...), Options{}, "module top: instance u needs a reset rst_n, and its clock domain d has none; give the domain a reset"},
		{of(box(ir.Param{Name: "a b", Value: "1"}, "")), Options{}, `parameter name "a b": ' ' cannot stand`},
		{of(box(ir.Param{Name: "A", Value: ""}, "")), Options{}, `parameter A has the value ""; it is a literal`},
		{of(box(ir.Param{Name: "A", Value: "1"}, "module other; endmodule")), Options{}, "does not declare a module of its name"},
		{of(reader(5000)), Options{}, "a property reads memory big, which has 40000 bits; at most 16384 can be read"},
	} {
		_, err := Emit(c.d, c.o)
		require.ErrorContains(t, err, c.want)
	}
}

// The operators of a switch's subject are not computed unsigned because the values
// are: a shift to the right by the sign would bring zeros.
func TestSubjectsKeepTheirSign(t *testing.T) {
	d, err := ir.Parse("t.ir", `(design m) (module m (input x s4) (input n u2) (output y u1) (body (set y 0:u1)
		(switch (unsigned (shr (neg x) n)) (case 15:u4 (set y 1:u1)))))`)
	require.NoError(t, err)
	files, err := Emit(d, Options{})
	require.NoError(t, err)
	require.Contains(t, string(files[0].Data), "case ($unsigned(-x >>> n))")
}

// All bits of a signed signal, taken as a part, are no number below zero.
func TestPartsOfAllBitsAreUnsigned(t *testing.T) {
	d, err := ir.Parse("t.ir", `(design m) (module m (input x s1) (output y u32 (default 0:u32)) (body (set y (lane (unsigned (extend x 7))[0] 16) 1:u16)))`)
	require.NoError(t, err)
	files, err := Emit(d, Options{})
	require.NoError(t, err)
	require.Regexp(t, `y\[\$unsigned\(x\) ?\* ?16 \+: 16\]`, string(files[0].Data))

	d, err = ir.Parse("t.ir", `(design m) (module m (input x s2) (output y u8) (mem a u8 4) (body (set y (read a (unsigned x))) (write a (unsigned x) y)))`)
	require.NoError(t, err)
	files, err = Emit(d, Options{})
	require.NoError(t, err)
	require.Contains(t, string(files[0].Data), "a[$unsigned(x)] <= y;")
	require.Contains(t, string(files[0].Data), "= a[$unsigned(x)];")
}
