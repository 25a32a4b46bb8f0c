package verilator

import (
	"errors"
	"fmt"
	"slices"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
)

// Lockstep is two engines of one design that run as one. It is an engine itself:
// inputs go to both, and what it shows is that of A. After each Eval, Step and
// Reset it compares all outputs, after each edge also the registers that both
// have, and memories at intervals that grow with their size (see [Lockstep.Check]).
// From the first difference on, all calls return it, as a *[Mismatch]. A violated
// property of either engine is an error, too.
type Lockstep struct {
	a, b     sim.Engine
	sa, sb   sim.Stateful // nil unless both engines are
	ca, cb   sim.Checker  // nil where the engine is none
	opt      LockstepOptions
	regs     comparison
	mems     memories
	checked  uint64 // cycle of the last comparison of memories
	past     *history
	mismatch error
}

// LockstepOptions are what a lockstep needs besides its engines. The zero value
// is complete.
type LockstepOptions struct {
	// NameA and NameB are what messages and waves call the engines, by default
	// "model" and "rtl".
	NameA, NameB string
	// Window is how many cycles before a difference the waves show, by default 64;
	// negative for no waves.
	Window int
	// Dir is where the waves of a difference are written, by default the
	// directory for temporary files.
	Dir string
}

var (
	_ sim.Engine    = (*Lockstep)(nil)
	_ sim.MemReader = (*Lockstep)(nil)
)

// NewLockstep couples two engines of one design. If both are [sim.Stateful] it
// gives B the registers and memories of A, so that all state starts alike; else
// it compares outputs alone, and the design must be reset first. It fails if the ports differ, or if one
// has a register that the other lacks. The engines are its own from then on.
func NewLockstep(a, b sim.Engine, o LockstepOptions) (*Lockstep, error) {
	if o.NameA == "" {
		o.NameA = "model"
	}
	if o.NameB == "" {
		o.NameB = "rtl"
	}
	if o.Window == 0 {
		o.Window = 64
	}
	l := &Lockstep{a: a, b: b, opt: o, past: newHistory(o.Window), ca: sim.CheckerOf(a), cb: sim.CheckerOf(b)}
	la, lb := a.Layout(), b.Layout()
	if !slices.EqualFunc(la.Inputs, lb.Inputs, samePort) || !slices.EqualFunc(la.Outputs, lb.Outputs, samePort) {
		return nil, errors.New("lockstep: the two engines run designs with different ports")
	}
	if a.Cycle() != b.Cycle() {
		return nil, fmt.Errorf("lockstep: %s is at cycle %d and %s at %d; they must start together", o.NameA, a.Cycle(), o.NameB, b.Cycle())
	}
	copy(b.In(), a.In())
	sa, okA := a.(sim.Stateful)
	sb, okB := b.(sim.Stateful)
	if okA && okB {
		if err := l.match(sa, sb); err != nil {
			return nil, fmt.Errorf("lockstep: %w", err)
		}
	}
	return l, nil
}

func samePort(a, b sim.Port) bool { return a.Name == b.Name && a.Type.Same(b.Type) }

// match pairs the state of the two by path and gives B that of A.
func (l *Lockstep) match(a, b sim.Stateful) error {
	theirs := map[string]sim.Var{}
	for _, v := range registers(b) {
		theirs[v.Path] = v
	}
	if len(theirs) == 0 && len(b.Mems()) == 0 {
		return nil // built without state
	}
	var pairs []pair
	ours := map[string]sim.Var{}
	state := slices.Clone(a.State())
	for _, v := range registers(a) {
		w, ok := theirs[v.Path]
		if !ok {
			return fmt.Errorf("%s has no register %s", l.opt.NameB, v.Path)
		}
		if !v.Type.Same(w.Type) {
			return fmt.Errorf("register %s is %v in %s and %v in %s", v.Path, v.Type, l.opt.NameA, w.Type, l.opt.NameB)
		}
		delete(theirs, v.Path)
		ours[v.Path] = v
		pairs = append(pairs, pair{v.Path, v.Type, a.StateOffset(v), b.StateOffset(w)})
		b.Write(w, state[a.StateOffset(v):])
	}
	for _, v := range registers(b) {
		if _, left := theirs[v.Path]; left {
			return fmt.Errorf("%s has no register %s", l.opt.NameA, v.Path)
		}
	}
	l.regs = compare(pairs)
	l.mems = matchMems(a.Mems(), b.Mems())
	for _, p := range l.mems.pairs {
		words := l.mems.a[:p[0].Depth*p[0].Type.Words()]
		a.ReadMem(p[0], 0, words)
		b.WriteMem(p[1], 0, words)
	}
	l.sa, l.sb = a, b
	return l.adopt(ours)
}

// adopt gives A what B did not take: a register of the description may be
// logic in the RTL, as is the data of a memory of odd size.
func (l *Lockstep) adopt(vars map[string]sim.Var) error {
	if err := l.sb.Eval(); err != nil {
		return err
	}
	theirs := l.sb.State()
	for _, p := range l.regs.registers {
		l.sa.Write(vars[p.path], theirs[p.b:])
	}
	return nil
}

// registers is the registers among an engine's variables, without those that exist
// for properties only: RTL keeps these apart.
func registers(e sim.Engine) []sim.Var {
	return slices.DeleteFunc(slices.Clone(e.Vars()), func(v sim.Var) bool { return !v.State || v.Ghost })
}

// Engines are the two engines, for looking into; only Lockstep may run them.
func (l *Lockstep) Engines() (a, b sim.Engine) { return l.a, l.b }

// Compared is how many registers and memories are compared, besides the outputs.
func (l *Lockstep) Compared() (registers, memories int) {
	return len(l.regs.registers), len(l.mems.pairs)
}

// Layout implements [sim.Engine].
func (l *Lockstep) Layout() *sim.Layout { return l.a.Layout() }

// In implements [sim.Engine].
func (l *Lockstep) In() []uint64 { return l.a.In() }

// Out implements [sim.Engine].
func (l *Lockstep) Out() []uint64 { return l.a.Out() }

// Cycle implements [sim.Engine].
func (l *Lockstep) Cycle() uint64 { return l.a.Cycle() }

// Vars implements [sim.Engine].
func (l *Lockstep) Vars() []sim.Var { return l.a.Vars() }

// Read implements [sim.Engine].
func (l *Lockstep) Read(v sim.Var, dst []uint64) { l.a.Read(v, dst) }

// Mems implements [sim.MemReader]: the memories of A, or nothing where not both engines
// are [sim.Stateful].
func (l *Lockstep) Mems() []sim.MemVar {
	if l.sa == nil {
		return nil
	}
	return l.sa.Mems()
}

// ReadMem implements [sim.MemReader].
func (l *Lockstep) ReadMem(m sim.MemVar, first int, dst []uint64) { l.sa.ReadMem(m, first, dst) }

// Eval implements [sim.Engine].
func (l *Lockstep) Eval() error {
	if err := l.both(sim.Engine.Eval); err != nil {
		return err
	}
	if !slices.Equal(l.a.Out(), l.b.Out()) {
		return l.differ(l.output(l.a.Cycle()))
	}
	return nil
}

// Step implements [sim.Engine].
func (l *Lockstep) Step() error { return l.advance(l.Layout().AllDomains(), sim.Engine.Step) }

// Tick implements [sim.Engine].
func (l *Lockstep) Tick(domains uint64) error {
	return l.advance(domains, func(e sim.Engine) error { return e.Tick(domains) })
}

// advance is one edge, however it is taken.
func (l *Lockstep) advance(domains uint64, act func(sim.Engine) error) error {
	l.past.record(l.now(wave.Edge{Domains: domains}))
	if err := l.both(act); err != nil {
		return err
	}
	l.past.amend(l.a.Out())
	if !slices.Equal(l.a.Out(), l.b.Out()) {
		return l.differ(l.output(l.a.Cycle() - 1))
	}
	return l.state()
}

// Reset implements [sim.Engine]: it compares in each cycle.
func (l *Lockstep) Reset(cycles int) error {
	if cycles < 1 {
		return l.a.Reset(cycles) // which tells what is wrong
	}
	for range cycles {
		if err := l.settle(); err != nil {
			return err
		}
		l.past.record(l.now(wave.Edge{Domains: l.Layout().AllDomains(), Reset: true}))
		if err := l.both(func(e sim.Engine) error { return e.Reset(1) }); err != nil {
			return err
		}
		if err := l.state(); err != nil {
			return err
		}
	}
	return nil
}

// settle is Eval, but without state in common outputs may differ before the reset.
func (l *Lockstep) settle() error {
	if l.sa == nil {
		return l.both(sim.Engine.Eval)
	}
	return l.Eval()
}

// Run implements [sim.Engine]: it compares in each cycle.
func (l *Lockstep) Run(n int) error {
	if n < 0 {
		return l.a.Run(n) // which tells what is wrong
	}
	for range n {
		if err := l.Step(); err != nil {
			return err
		}
	}
	return nil
}

// now is the present values of A, in its own arrays, and what ends the cycle.
func (l *Lockstep) now(next wave.Edge) moment {
	m := moment{cycle: l.a.Cycle(), next: next, in: l.a.In(), out: l.a.Out()}
	if l.sa != nil {
		m.state = l.sa.State()
	}
	return m
}

// both lets each engine act on the same inputs.
func (l *Lockstep) both(act func(sim.Engine) error) error {
	if l.mismatch != nil {
		return l.mismatch
	}
	copy(l.b.In(), l.a.In())
	if err := act(l.a); err != nil {
		return fmt.Errorf("%s: %w", l.opt.NameA, err)
	}
	if err := act(l.b); err != nil {
		return fmt.Errorf("%s: %w", l.opt.NameB, err)
	}
	if l.ca != nil && l.ca.Violated() > 0 {
		return fmt.Errorf("%s: %w", l.opt.NameA, sim.Violations(l.a))
	}
	if l.cb != nil && l.cb.Violated() > 0 {
		return fmt.Errorf("%s: %w", l.opt.NameB, sim.Violations(l.b))
	}
	return nil
}

// output is the first output that differs.
func (l *Lockstep) output(cycle uint64) *Mismatch {
	a, b := l.a.Out(), l.b.Out()
	for _, p := range l.a.Layout().Outputs {
		end := p.Offset + p.Words()
		if !slices.Equal(a[p.Offset:end], b[p.Offset:end]) {
			return &Mismatch{Cycle: cycle, Path: p.Name, Type: p.Type, A: a[p.Offset:end], B: b[p.Offset:end]}
		}
	}
	return nil
}

// state compares the registers, and the memories when it is their turn.
func (l *Lockstep) state() error {
	if l.sa == nil {
		return nil
	}
	a, b := l.sa.State(), l.sb.State()
	if !l.regs.equal(a, b) {
		p, _ := l.regs.difference(a, b)
		n := p.typ.Words()
		return l.differ(&Mismatch{Cycle: l.a.Cycle(), Path: p.path, Type: p.typ, A: a[p.a : p.a+n], B: b[p.b : p.b+n]})
	}
	if l.a.Cycle()-l.checked >= l.mems.every {
		return l.memories()
	}
	return nil
}

// Check compares the memories now. Between calls of it they are compared at
// intervals of one cycle for each 64 words that they hold together, and for each
// four of them.
func (l *Lockstep) Check() error {
	if l.mismatch != nil {
		return l.mismatch
	}
	if l.sa == nil {
		return nil
	}
	return l.memories()
}

func (l *Lockstep) memories() error {
	since := l.a.Cycle() - l.checked
	l.checked = l.a.Cycle()
	m, addr, found := l.mems.difference(l.sa, l.sb)
	if !found {
		return nil
	}
	at, n := addr*m.Type.Words(), m.Type.Words()
	return l.differ(&Mismatch{
		Cycle: l.a.Cycle(), Within: max(since, 1) - 1, Path: fmt.Sprintf("%s[%d]", m.Path, addr), Type: m.Type,
		A: l.mems.a[at : at+n], B: l.mems.b[at : at+n],
	})
}

// differ records the mismatch, with copies of its values and with waves.
func (l *Lockstep) differ(m *Mismatch) error {
	m.NameA, m.NameB = l.opt.NameA, l.opt.NameB
	m.A, m.B = slices.Clone(m.A), slices.Clone(m.B)
	l.mismatch = m
	if l.opt.Window > 0 {
		m.Waves, m.WavesErr = l.show(m.Cycle)
	}
	return m
}

// show writes the waves up to and with the present cycle. In that, and in the
// cycle before it if its outputs differ, the engines have values of their own.
func (l *Lockstep) show(cycle uint64) (string, error) {
	a := l.past.last()
	b := slices.Clone(a)
	if n := len(b); n > 0 && b[n-1].cycle == cycle && cycle != l.a.Cycle() {
		b[n-1].out = slices.Clone(l.b.Out())
	}
	if err := errors.Join(l.a.Eval(), l.b.Eval()); err != nil {
		return "", err
	}
	ma := l.now(wave.Edge{Domains: l.Layout().AllDomains()})
	mb := ma
	mb.out = l.b.Out()
	if l.sa != nil {
		mb.state = make([]uint64, len(ma.state))
		theirs := l.sb.State()
		for _, p := range l.regs.registers {
			copy(mb.state[p.a:p.a+p.typ.Words()], theirs[p.b:])
		}
	}
	return l.waves(append(a, ma), append(b, mb))
}

// Close implements [sim.Engine]: it compares the memories once more and closes
// both engines.
func (l *Lockstep) Close() error {
	known := l.mismatch
	err := l.Check()
	if known != nil {
		err = nil // it was reported
	}
	return errors.Join(err, l.a.Close(), l.b.Close())
}
