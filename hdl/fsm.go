package hdl

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"

	"github.com/millrace-hdl/millrace/internal/snake"
)

// State is the Go type of an FSM's states: usually an integer type whose String
// method was made by stringer.
type State interface {
	comparable
	fmt.Stringer
}

// FSM is a state machine: a register whose named values are the states, and for
// each state what happens in it. Names of states are those of their String method
// in snake_case and reach RTL and waves.
type FSM[S State] struct {
	m      *Module
	reg    Var
	states []S
	pos    ir.Pos
	sw     *Switch
	on     map[int]ir.Pos // states that have an On
	moves  map[int][]int  // Next by the state in which it stands
	always []int          // Next outside On
	now    int            // state whose On runs, -1 outside
}

// NewFSM declares the register of a state machine with the given states, encoded as
// 0, 1, 2, … in their order; the first is the one after reset. Options are those of
// a register. Every state needs an On and has to be reachable from the first.
func NewFSM[S State](m *Module, name string, states []S, opts ...Option) *FSM[S] {
	f := &FSM[S]{m: m, states: states, on: map[int]ir.Pos{}, moves: map[int][]int{}, now: -1}
	if !m.live() {
		f.reg = Var{Signal: Signal{m: m.design.active, bad: true, typ: ir.Type{Width: 1}}}
		return f
	}
	f.pos = m.here()
	if len(states) == 0 {
		m.report(diag.State, "state machine "+name+" has no states", "list them, the one after reset first")
		f.reg = Var{Signal: Signal{m: m, bad: true, typ: ir.Type{Width: 1}}}
		return f
	}
	e := &ir.Enum{Name: snake.Case(reflect.TypeFor[S]().Name())}
	if e.Name == "" {
		e.Name = name
	}
	for i, s := range states {
		n := snake.Case(s.String())
		e.Values = append(e.Values, ir.EnumValue{Name: n, Value: uint64(i)})
		if j := slices.Index(states, s); j < i {
			m.report(diag.State, fmt.Sprintf("state machine %s lists state %s twice", name, s), "list it once")
		} else if j := slices.IndexFunc(e.Values[:i], func(v ir.EnumValue) bool { return v.Name == n }); j >= 0 {
			m.report(diag.State, fmt.Sprintf("two states of %s are called %s", name, n), "give them different strings")
		}
	}
	f.reg = m.Reg(name, Enum{e}.Type(), opts...)
	m.atEnd = append(m.atEnd, f.check)
	return f
}

// State is the present state, for what needs it as a vector.
func (f *FSM[S]) State() Signal { return f.reg.Signal }

// Is is one bit: the present state is s.
func (f *FSM[S]) Is(s S) Signal {
	i := f.index(s, "Is")
	if i < 0 {
		return Signal{m: f.m, bad: true, typ: ir.Type{Width: 1}}
	}
	return f.reg.Eq(K(i))
}

// On says what happens in state s. All On of a machine stand in one statement list
// and act at the place of the first of them.
func (f *FSM[S]) On(s S, body func()) *FSM[S] {
	i := f.index(s, "On")
	if i < 0 || f.reg.bad {
		return f
	}
	if first, twice := f.on[i]; twice {
		f.m.report(diag.State, fmt.Sprintf("state %s of %s has a second On", s, f.reg.sig.Name), "put all of it into one", diag.Related{Pos: first, Message: "the first one"})
		return f
	}
	f.on[i] = f.m.here()
	f.cases().Case(K(i), func() {
		outer := f.now
		f.now = i
		defer func() { f.now = outer }()
		f.m.run("On", body)
	})
	return f
}

// Illegal says what happens where the register holds none of the states, such as
// after an upset. It comes after the last On.
func (f *FSM[S]) Illegal(body func()) {
	if f.reg.bad {
		return
	}
	if 1<<f.reg.Width() == len(f.states) {
		f.m.report(diag.State, fmt.Sprintf("every value of %s is a state", f.reg.sig.Name), "remove Illegal")
		return
	}
	f.cases().Default(body)
}

func (f *FSM[S]) cases() *Switch {
	if f.sw == nil {
		f.sw = f.m.Switch(f.reg)
	}
	return f.sw
}

// Next makes s the next state. Outside any On it does so from every state.
func (f *FSM[S]) Next(s S) {
	i := f.index(s, "Next")
	if i < 0 || f.reg.bad {
		return
	}
	if f.now < 0 {
		f.always = append(f.always, i)
	} else {
		f.moves[f.now] = append(f.moves[f.now], i)
	}
	f.reg.Set(K(i))
}

// index is the place of a state in the list, -1 if it is not there.
func (f *FSM[S]) index(s S, what string) int {
	i := slices.Index(f.states, s)
	if i < 0 && f.m.live() {
		f.m.report(diag.State, fmt.Sprintf("%s of state %s, which the machine does not have", what, s), "its states are "+f.list())
	}
	return i
}

func (f *FSM[S]) list() string {
	var names []string
	for _, s := range f.states {
		names = append(names, s.String())
	}
	return strings.Join(names, ", ")
}

// check reports states without On and states that nothing leads to.
func (f *FSM[S]) check() {
	if f.reg.bad {
		return
	}
	reached := make([]bool, len(f.states))
	todo := append([]int{0}, f.always...)
	for len(todo) > 0 {
		i := todo[0]
		todo = todo[1:]
		if !reached[i] {
			reached[i] = true
			todo = append(todo, f.moves[i]...)
		}
	}
	for i, s := range f.states {
		at, has := f.on[i]
		if !has {
			at = f.pos
		}
		switch {
		case !reached[i]:
			f.m.reportAt(at, diag.State, fmt.Sprintf("state %s of %s cannot be reached from %s", s, f.reg.sig.Name, f.states[0]), "add a Next that leads to it, or remove it")
		case !has:
			f.m.reportAt(at, diag.State, fmt.Sprintf("state %s of %s has no On", s, f.reg.sig.Name), "say what happens in it, if only nothing")
		}
	}
}
