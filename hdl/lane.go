package hdl

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Lane is lane number index of s, whose lanes are w bits wide, the first one at bit
// 0. Lanes beyond s, and bits of the last one that are, read as zero. The result is
// unsigned; so is the index, of any width.
func (s Signal) Lane(index Value, w int) Signal { return s.selected(index, w, w, "Lane") }

// PartAt is the w bits of s from bit lo up, where lo is unsigned and of any width.
// Bits beyond s read as zero. The result is unsigned.
func (s Signal) PartAt(lo Value, w int) Signal { return s.selected(lo, 1, w, "PartAt") }

func (s Signal) selected(index Value, stride, w int, what string) Signal {
	m, t := moduleOf(s, index), ir.Type{Width: min(max(w, 1), check.MaxWidth)}
	a := s.resolve(m, nil)
	if a.bad {
		return a.invalid(t)
	}
	i := laneIndex(m, index, what)
	switch {
	case i.bad:
		return i.invalid(t)
	case w < 1 || w > a.Width():
		return fail(m, t, diag.Range, fmt.Sprintf("%s takes %s of %s, which has %s", what, counted(w, "bit"), describe(a.e), counted(a.Width(), "bit")), "take at least one bit and no more than there are")
	}
	return Signal{m: m, e: &ir.Select{X: a.e, Index: i.e, Stride: stride, Width: w, Pos: a.here()}}
}

// laneIndex resolves the index of a lane.
func laneIndex(m *Module, index Value, what string) Signal {
	if k, ok := index.(K); ok {
		return fail(m, ir.Type{Width: 1}, diag.Misuse, fmt.Sprintf("the index of %s is the literal %d", what, int64(k)), "use Bits or Part for a place that is known")
	}
	i := value(index, m, nil)
	if !i.bad && i.Signed() {
		return fail(m, i.shape(), diag.Sign, fmt.Sprintf("the index of %s, %s, is signed", what, describe(i.e)), "use AsUnsigned")
	}
	return i
}

// Lane is [Signal.Lane] of a variable as a whole, and can be assigned: the lane
// takes the value, the others stay as they are. Setting a lane beyond the variable
// does nothing. The lane's width divides the variable's.
func (v Var) Lane(index Value, w int) Var {
	s := v.Signal.Lane(index, w)
	switch {
	case s.bad || v.sig == nil:
		return Var{Signal: s}
	case v.lo != 0 || v.w != v.sig.Type.Width || v.index != nil:
		return Var{Signal: fail(s.m, s.shape(), diag.Misuse, "Lane of a part of "+v.sig.Name, "take it of the whole, or of a signal of its own")}
	case v.w%w != 0:
		return Var{Signal: fail(s.m, s.shape(), diag.Range, fmt.Sprintf("lanes of %s of %s, which has %s", counted(w, "bit"), v.sig.Name, counted(v.w, "bit")), "the width of a lane divides that of the variable")}
	}
	return Var{Signal: s, sig: v.sig, w: w, index: s.e.(*ir.Select).Index}
}

// Array is a number of equal bundles, or of equal signals, of which one is chosen by
// an index that hardware computes. Each field is kept as one vector with a lane for
// each element, and appears in the RTL as such.
type Array[T any] struct {
	m     *Module
	elem  T // of types
	lanes T // the vectors
	n     int
}

// RegArray declares n registers of the type or bundle of types t. Options are those
// of a register; a reset value is that of each element.
func RegArray[T any](m *Module, name string, n int, t T, opts ...Option) Array[T] {
	return array(m, name, n, t, ir.Reg, opts)
}

// WireArray declares n wires of the type or bundle of types t. A [Default] is that
// of each element; without one, every element has to be assigned by [Array.Elem].
func WireArray[T any](m *Module, name string, n int, t T, opts ...Option) Array[T] {
	return array(m, name, n, t, ir.Wire, opts)
}

func array[T any](m *Module, name string, n int, t T, kind ir.Kind, opts []Option) Array[T] {
	a := Array[T]{m: m, elem: t, lanes: t, n: n}
	if n < 1 || n > check.MaxWidth {
		if m.live() {
			m.report(diag.Range, fmt.Sprintf("array %s has %s", name, counted(n, "element")), "it needs at least one")
		}
		a.n = 1
	}
	_ = m.leaves(&a.elem, name) // a copy of its own
	for _, l := range m.leaves(&a.lanes, name) {
		elem := l.v.shape()
		wide := U(elem.Width * a.n)
		if elem.Width < 1 || l.v.bad {
			wide = *l.v // declareLeaf says what is wrong
		}
		typed := l
		typed.v = &wide
		*l.v = m.declareLeaf(typed, kind, repeated(m, elem, a.n, opts))
	}
	return a
}

// repeated makes a value that the options give an element that of n elements.
func repeated(m *Module, elem ir.Type, n int, opts []Option) []Option {
	return append(opts[:len(opts):len(opts)], func(o *options) {
		for _, v := range []*Value{&o.init, &o.defaultTo} {
			if *v == nil {
				continue
			}
			x := value(*v, m, &elem)
			if !x.bad && !x.shape().Same(elem) {
				x = fail(m, elem, diag.Width, fmt.Sprintf("the value of an element is %s, elements are %s", x.shape(), elem), "give it the type of an element")
			}
			if x.bad {
				*v = nil
				continue
			}
			if k, ok := x.e.(*ir.Const); ok {
				*v = repeatConst(k, n)
			} else {
				*v = Repeat(x, n)
			}
		}
	})
}

// repeatConst is n copies of a constant side by side.
func repeatConst(k *ir.Const, n int) Signal {
	t := ir.Type{Width: k.Typ.Width * n}
	c := &ir.Const{Typ: t, Words: make([]uint64, t.Words()), Pos: k.Pos}
	for i := range t.Width {
		if k.Bit(i % k.Typ.Width) {
			c.Words[i/64] |= 1 << (i % 64)
		}
	}
	return Signal{e: c}
}

// Len is the number of elements.
func (a Array[T]) Len() int { return a.n }

// At is the element that the index names, to be read and assigned. One beyond the
// array reads as zero, and setting it does nothing.
func (a Array[T]) At(index Value) T {
	return a.pick(func(v Var, w int) Var { return v.Lane(index, w) })
}

// Elem is element i, from 0.
func (a Array[T]) Elem(i int) T {
	return a.pick(func(v Var, w int) Var {
		if i < 0 || i >= a.n {
			return Var{Signal: fail(a.m, ir.Type{Width: w}, diag.Range, fmt.Sprintf("element %d of an array of %d", i, a.n), fmt.Sprintf("elements are 0 to %d", a.n-1))}
		}
		return v.Part(i*w, w)
	})
}

// pick applies f to the vector of each field.
func (a Array[T]) pick(f func(v Var, w int) Var) T {
	out, lanes := a.elem, a.lanes
	os, _ := leaves(&out, "")
	ls, _ := leaves(&lanes, "")
	for i, o := range os {
		elem := o.v.shape()
		v := f(*ls[i].v, max(elem.Width, 1))
		v.Signal = v.cast(elem.Signed)
		*o.v = v
	}
	return out
}
