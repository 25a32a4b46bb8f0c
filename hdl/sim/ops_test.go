package sim_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/irtest"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// operation is one kind of expression with what it means as arithmetic on
// numbers. x and y are the numbers that the operands stand for, negative ones
// included; the result is taken modulo 2^width.
type operation struct {
	name  string
	expr  func(x, y ir.Expr) ir.Expr
	value func(x, y *big.Int, t ir.Type) *big.Int
}

func unary(op ir.UnaryOp, f func(x *big.Int, t ir.Type) *big.Int) operation {
	return operation{op.String(), func(x, _ ir.Expr) ir.Expr { return &ir.Unary{Op: op, X: x} },
		func(x, _ *big.Int, t ir.Type) *big.Int { return f(x, t) }}
}

func binary(op ir.BinaryOp, f func(x, y *big.Int) *big.Int) operation {
	return operation{op.String(), func(x, y ir.Expr) ir.Expr { return &ir.Binary{Op: op, X: x, Y: y} },
		func(x, y *big.Int, _ ir.Type) *big.Int { return f(x, y) }}
}

func compareOp(op ir.BinaryOp, f func(order int) bool) operation {
	return binary(op, func(x, y *big.Int) *big.Int { return truth(f(x.Cmp(y))) })
}

func truth(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return new(big.Int)
}

func pow2(n int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }

// mod is the number as bits of the width.
func mod(v *big.Int, width int) *big.Int { return new(big.Int).Mod(v, pow2(width)) }

// number is what the bits of v mean.
func number(v *big.Int, t ir.Type) *big.Int {
	if t.Signed && v.Cmp(pow2(t.Width-1)) >= 0 {
		return new(big.Int).Sub(v, pow2(t.Width))
	}
	return v
}

var operations = []operation{
	unary(ir.Not, func(x *big.Int, _ ir.Type) *big.Int { return new(big.Int).Not(x) }),
	unary(ir.Neg, func(x *big.Int, _ ir.Type) *big.Int { return new(big.Int).Neg(x) }),
	unary(ir.RedAnd, func(x *big.Int, t ir.Type) *big.Int {
		return truth(mod(x, t.Width).Cmp(new(big.Int).Sub(pow2(t.Width), big.NewInt(1))) == 0)
	}),
	unary(ir.RedOr, func(x *big.Int, _ ir.Type) *big.Int { return truth(x.Sign() != 0) }),
	unary(ir.RedXor, func(x *big.Int, t ir.Type) *big.Int {
		n := 0
		for i := range t.Width {
			n += int(mod(x, t.Width).Bit(i))
		}
		return big.NewInt(int64(n % 2))
	}),
	binary(ir.And, func(x, y *big.Int) *big.Int { return new(big.Int).And(x, y) }),
	binary(ir.Or, func(x, y *big.Int) *big.Int { return new(big.Int).Or(x, y) }),
	binary(ir.Xor, func(x, y *big.Int) *big.Int { return new(big.Int).Xor(x, y) }),
	binary(ir.Add, func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) }),
	binary(ir.Sub, func(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) }),
	binary(ir.Mul, func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }),
	compareOp(ir.Eq, func(o int) bool { return o == 0 }),
	compareOp(ir.Ne, func(o int) bool { return o != 0 }),
	compareOp(ir.Lt, func(o int) bool { return o < 0 }),
	compareOp(ir.Le, func(o int) bool { return o <= 0 }),
	compareOp(ir.Gt, func(o int) bool { return o > 0 }),
	compareOp(ir.Ge, func(o int) bool { return o >= 0 }),
	{"mux", func(x, y ir.Expr) ir.Expr {
		return &ir.Mux{Cond: &ir.Unary{Op: ir.RedXor, X: x}, Then: x, Else: y}
	}, func(x, y *big.Int, t ir.Type) *big.Int {
		n := 0
		for i := range t.Width {
			n += int(mod(x, t.Width).Bit(i))
		}
		if n%2 == 1 {
			return x
		}
		return y
	}},
	{"cat", func(x, y ir.Expr) ir.Expr { return &ir.Cat{Parts: []ir.Expr{x, y, x}} },
		func(x, y *big.Int, t ir.Type) *big.Int {
			v := new(big.Int).Lsh(mod(x, t.Width), uint(2*t.Width))
			v.Or(v, new(big.Int).Lsh(mod(y, t.Width), uint(t.Width)))
			return v.Or(v, mod(x, t.Width))
		}},
	{"extend", func(x, _ ir.Expr) ir.Expr { return &ir.Extend{X: x, Width: x.Type().Width + 61} },
		func(x, _ *big.Int, _ ir.Type) *big.Int { return x }},
	{"cast", func(x, _ ir.Expr) ir.Expr {
		return &ir.Extend{X: &ir.Cast{X: x, Signed: !x.Type().Signed}, Width: x.Type().Width + 3}
	}, func(x, _ *big.Int, t ir.Type) *big.Int {
		return number(mod(x, t.Width), ir.Type{Width: t.Width, Signed: !t.Signed})
	}},
	{"slice", func(x, _ ir.Expr) ir.Expr {
		w := x.Type().Width
		return &ir.Slice{X: x, Lo: w / 3, Width: (w + 2) / 3}
	}, func(x, _ *big.Int, t ir.Type) *big.Int { return new(big.Int).Rsh(x, uint(t.Width/3)) }},
}

// opModule has one output for every operation on its inputs x and y, of which
// either may be a constant.
func opModule(t ir.Type, x, y *ir.Const) *ir.Design {
	m := &ir.Module{Name: "ops"}
	operand := func(name string, k *ir.Const) ir.Expr {
		s := &ir.Signal{Name: name, Kind: ir.Input, Type: t, Module: m}
		m.Signals = append(m.Signals, s)
		if k != nil {
			return k
		}
		return &ir.Ref{Signal: s}
	}
	ex, ey := operand("x", x), operand("y", y)
	for _, o := range operations {
		e := o.expr(ex, ey)
		s := &ir.Signal{Name: o.name, Kind: ir.Output, Type: e.Type(), Module: m}
		m.Signals = append(m.Signals, s)
		m.Body = append(m.Body, &ir.Assign{Target: s, Width: s.Type.Width, Value: e})
	}
	return &ir.Design{Top: m, Modules: []*ir.Module{m}}
}

func checkOps(t *testing.T, m *sim.Model, typ ir.Type, x, y *big.Int) {
	t.Helper()
	set(t, m, "x", x)
	set(t, m, "y", y)
	require.NoError(t, m.Eval())
	for i, p := range m.Layout().Outputs {
		want := mod(operations[i].value(number(x, typ), number(y, typ), typ), p.Type.Width)
		if got := irtest.Value(m.Out()[p.Offset:][:p.Words()]); got.Cmp(want) != 0 {
			t.Fatalf("%s of %s: x=%#x y=%#x: got %#x, want %#x", p.Name, typ, x, y, got, want)
		}
	}
}

func set(t testing.TB, e sim.Engine, port string, v *big.Int) {
	p, err := e.Layout().Port(port)
	require.NoError(t, err)
	copy(e.In()[p.Offset:], irtest.Words(v, p.Type.Width))
}

// kinds are all ways to compute a design.
var kinds = []sim.Kind{sim.Interpreter, sim.Compiled}

func TestOperationsExhaustively(t *testing.T) {
	for _, kind := range kinds {
		for _, signed := range []bool{false, true} {
			for w := 1; w <= 5; w++ {
				typ := ir.Type{Width: w, Signed: signed}
				m, err := sim.New(opModule(typ, nil, nil), sim.Options{Kind: kind})
				require.NoError(t, err)
				for x := range int64(1) << w {
					constX, err := sim.New(opModule(typ, ir.NewConst(typ, uint64(x)), nil), sim.Options{Kind: kind})
					require.NoError(t, err)
					constY, err := sim.New(opModule(typ, nil, ir.NewConst(typ, uint64(x))), sim.Options{Kind: kind})
					require.NoError(t, err)
					for y := range int64(1) << w {
						checkOps(t, m, typ, big.NewInt(x), big.NewInt(y))
						checkOps(t, constX, typ, big.NewInt(x), big.NewInt(y))
						checkOps(t, constY, typ, big.NewInt(y), big.NewInt(x))
					}
					both, err := sim.New(opModule(typ, ir.NewConst(typ, uint64(x)), ir.NewConst(typ, uint64(x))), sim.Options{Kind: kind})
					require.NoError(t, err)
					checkOps(t, both, typ, big.NewInt(x), big.NewInt(x))
				}
			}
		}
	}
}

func TestOperationsAtEveryWidth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	value := func(w int) *big.Int {
		v := make([]uint64, (w+63)/64)
		stimulus(r, v, w)
		return irtest.Value(v)
	}
	for _, kind := range kinds {
		for w := 1; w <= 600; w++ {
			if kind == sim.Compiled && w > 130 && w%17 > 0 && w%64 > 1 {
				continue // compiled code is made of words: what matters is how many
			}
			for _, signed := range []bool{false, true} {
				typ := ir.Type{Width: w, Signed: signed}
				k := value(w)
				c := &ir.Const{Typ: typ, Words: irtest.Words(k, w)}
				m, err := sim.New(opModule(typ, nil, nil), sim.Options{Kind: kind})
				require.NoError(t, err)
				constX, err := sim.New(opModule(typ, c, nil), sim.Options{Kind: kind})
				require.NoError(t, err)
				constY, err := sim.New(opModule(typ, nil, c), sim.Options{Kind: kind})
				require.NoError(t, err)
				for range 4 {
					x, y := value(w), value(w)
					checkOps(t, m, typ, x, y)
					checkOps(t, m, typ, x, x)
					checkOps(t, constX, typ, k, y)
					checkOps(t, constY, typ, x, k)
				}
			}
		}
	}
}

// TestShifts covers amounts below, at and far above the width, of amounts
// narrower and wider than a word, constant and not.
func TestShifts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, w := range []int{1, 2, 7, 8, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 192, 256, 500, 512, 600} {
		for _, yw := range []int{1, 3, 6, 7, 10, 64, 65, 130} {
			for _, signed := range []bool{false, true} {
				shiftsOf(t, r, ir.Type{Width: w, Signed: signed}, ir.Type{Width: yw})
			}
		}
	}
}

func shiftsOf(t *testing.T, r *rand.Rand, tx, ty ir.Type) {
	amounts := []*big.Int{new(big.Int)}
	for _, v := range []int{1, 2, tx.Width - 1, tx.Width, tx.Width + 1, 63, 64, 65, 127, 128, 200, r.IntN(tx.Width + 3)} {
		amounts = append(amounts, big.NewInt(int64(v)))
	}
	amounts = append(amounts, new(big.Int).Sub(pow2(ty.Width), big.NewInt(1)), pow2(ty.Width-1))
	m := &ir.Module{Name: "shifts"}
	add := func(name string, k ir.Kind, typ ir.Type) *ir.Signal {
		s := &ir.Signal{Name: name, Kind: k, Type: typ, Module: m}
		m.Signals = append(m.Signals, s)
		return s
	}
	x, y := &ir.Ref{Signal: add("x", ir.Input, tx)}, &ir.Ref{Signal: add("y", ir.Input, ty)}
	var fits []*big.Int
	for _, a := range amounts {
		if a.BitLen() <= ty.Width {
			fits = append(fits, a)
		}
	}
	shift := func(op ir.BinaryOp, by ir.Expr) {
		s := add(fmt.Sprintf("%s%d", op, len(m.Body)), ir.Output, tx)
		m.Body = append(m.Body, &ir.Assign{Target: s, Width: tx.Width, Value: &ir.Binary{Op: op, X: x, Y: by}})
	}
	for _, op := range []ir.BinaryOp{ir.Shl, ir.Shr} {
		shift(op, y)
		for _, a := range fits { // as a literal, and as what turns out to be one
			k := &ir.Const{Typ: ty, Words: irtest.Words(a, ty.Width)}
			shift(op, k)
			shift(op, &ir.Binary{Op: ir.Or, X: k, Y: k})
		}
	}
	model, err := sim.New(&ir.Design{Top: m, Modules: []*ir.Module{m}}, sim.Options{})
	require.NoError(t, err)
	for _, a := range fits {
		v := make([]uint64, tx.Words())
		stimulus(r, v, tx.Width)
		set(t, model, "x", irtest.Value(v))
		set(t, model, "y", a)
		require.NoError(t, model.Eval())
		n := 2*len(fits) + 1
		for i, p := range model.Layout().Outputs {
			by := a
			if i%n > 0 {
				by = fits[(i%n-1)/2]
			}
			count := uint(tx.Width) // more shifts no further
			if by.Cmp(big.NewInt(int64(tx.Width))) < 0 {
				count = uint(by.Uint64())
			}
			num := number(irtest.Value(v), tx)
			want := mod(new(big.Int).Lsh(num, count), tx.Width)
			if i >= n {
				want = mod(new(big.Int).Rsh(num, count), tx.Width)
			}
			got := irtest.Value(model.Out()[p.Offset:][:p.Words()])
			require.Zero(t, want.Cmp(got), "%s of %s by %s: x=%#x: got %#x, want %#x", p.Name, tx, by, irtest.Value(v), got, want)
		}
	}
}
