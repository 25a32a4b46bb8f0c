package sim

import (
	"fmt"
	"unsafe"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Options of a [Model].
type Options struct {
	// Seed chooses the start contents of registers without reset, of synchronous
	// read ports and of memories; 0 makes them all zero. Registers with a reset
	// value start with it, and so do elements of memories with initial contents, which
	// a reset does not bring back.
	Seed uint64
	// Kind is how the design is computed.
	Kind Kind
	// Unchecked leaves out properties and what serves them alone, as the RTL does: for
	// speed, where other runs check.
	Unchecked bool
}

// Kind is how a [Model] computes a design. What it computes is the same.
type Kind string

// The kinds.
const (
	// Auto compiles where it can and interprets otherwise.
	Auto Kind = ""
	// Interpreter starts fastest and runs everywhere.
	Interpreter Kind = "interpreter"
	// Compiled is machine code. [New] fails where it is not to be had.
	Compiled Kind = "compiled"
)

// Model is a design as a program over one array of words: inputs, outputs,
// registers, their next values, memories, then constants and intermediate
// values. It is [Stateful], but for what the models of black boxes hold, and a
// [Checker].
//
// A synchronous read port takes the element as it was before the edge, with what the
// write ports write over it whose new data it takes, in their order. Where the data
// is undefined, it is the old. Of writes from two domains at once the later wins.
type Model struct {
	layout *Layout
	opt    Options
	low    *lowering

	fast *compiled // nil if the model is interpreted
	why  string    // it is, although that was not asked for

	sleep sleeper

	slots    []uint64
	settle   []instr // outputs from inputs and registers
	advance  []instr // next values and memory ports, after settle
	edge     []port
	cur, nxt int // first slot of the registers and of their next values
	regs     int // words of each
	resets   []placed
	consts   []placed
	temps    int // first slot of the intermediate values
	cycle    uint64

	vars    []Var
	sources []source // of each variable
	mems    []MemVar
	// memSlots is the slot of element 0 of each memory.
	memSlots []int
	watch    observer

	clocked  uint64 // domains that matter
	tick     []int  // slot of each domain's tick, if several domains matter
	boxes    []*box
	checks   []*property
	event    int // slot of the bit that a property is hit; 0 without properties
	violated int
}

// source is where a variable's value comes from.
type source struct {
	slot int // registers; -1 otherwise
	net  *net
	node id // others
}

var _ Stateful = (*Model)(nil)

// New prepares a design to run. It fails, with a list of diagnostics, if the
// combinational logic has a loop, and if the state does not fit into 4 GiB.
func New(d *ir.Design, o Options) (*Model, error) {
	h := flatten(d.Top, !o.Unchecked)
	m := &Model{layout: NewLayout(d), opt: o}
	free, err := m.place(h)
	if err != nil {
		return nil, err
	}
	roots, err := m.lower(h)
	if err != nil {
		return nil, err
	}
	if err := m.program(roots, free); err != nil {
		return nil, err
	}
	m.start()
	return m, nil
}

// program makes the program of the kind that is asked for.
func (m *Model) program(r *roots, free int) error {
	switch m.opt.Kind {
	case Interpreter:
	case Auto, Compiled:
		err := m.translate(r, free)
		if err == nil {
			return nil
		}
		if m.opt.Kind == Compiled {
			return fmt.Errorf("this design cannot be compiled: %w", err)
		}
		m.why = err.Error()
	default:
		return fmt.Errorf("there is no kind of model %q; the kinds are %q and %q", m.opt.Kind, Interpreter, Compiled)
	}
	return m.assemble(r, free)
}

// Kind is how the model computes: interpreted or compiled. Where it is interpreted
// without having been asked to, why is the reason.
func (m *Model) Kind() (k Kind, why string) {
	if m.fast != nil {
		return Compiled, ""
	}
	return Interpreter, m.why
}

const maxWords = 1 << 29 // instructions hold byte offsets of 32 bits

// place gives slots to ports, registers and memories and lists the variables.
func (m *Model) place(h *hierarchy) (free int, err error) {
	m.cur = m.layout.InWords + m.layout.OutWords
	if len(m.layout.Domains) > 64 {
		return 0, fmt.Errorf("the design has %d clock domains; at most 64 are simulated", len(m.layout.Domains))
	}
	if m.clocked = h.clocked(); m.clocked&(m.clocked-1) != 0 {
		for range m.layout.Domains {
			m.tick = append(m.tick, m.cur)
			m.cur++
		}
	}
	for _, c := range h.checks {
		c.known = m.cur
		m.cur++
	}
	for _, b := range h.boxes {
		if m.cur, err = b.place(m.cur); err != nil {
			return 0, err
		}
	}
	m.boxes, m.checks = h.boxes, h.checks
	for _, n := range h.nets {
		switch n.sig.Kind {
		case ir.Input:
			n.slot = m.layout.byName[n.sig.Name].Offset
		case ir.Reg, ir.SyncRead:
			n.slot = m.cur + m.regs
			m.regs += n.sig.Type.Words()
			if n.sig.Init != nil {
				m.resets = append(m.resets, placed{n.slot, n.sig.Init.Words})
			}
		}
	}
	m.nxt = m.cur + m.regs
	free = m.nxt + m.regs
	for _, mm := range h.mems {
		mm.slot = free
		if mm.mem.Depth > (maxWords-free)/mm.words() {
			return 0, fmt.Errorf("memory %s%s: %d elements of %d bits: the state of a design is limited to %d bytes",
				mm.scope.path, mm.mem.Name, mm.mem.Depth, mm.mem.Elem.Width, maxWords*8)
		}
		free += mm.mem.Depth * mm.words()
		m.mems = append(m.mems, MemVar{mm.scope.path + mm.mem.Name, mm.mem.Elem, mm.mem.Depth, mm.index})
		m.memSlots = append(m.memSlots, mm.slot)
	}
	m.list(h.top)
	for range m.checks {
		m.sources = append(m.sources, source{slot: -1})
	}
	return free, nil
}

// list adds the variables of a scope and those below it.
func (m *Model) list(s *scope) {
	for _, sig := range s.mod.mod.Signals {
		if sig.Ghost && m.opt.Unchecked {
			continue
		}
		v := Var{Path: s.path + sig.Name, Type: sig.Type, Ghost: sig.Ghost, Index: len(m.vars)}
		src := source{slot: -1, net: s.resolve(sig)}
		switch k := sig.Kind; {
		case k == ir.Reg || k == ir.SyncRead:
			v.State = true
			src.slot = src.net.slot
		case sig.Temp || k == ir.InstIn || k == ir.InstOut || s.parent == nil && k != ir.Wire:
			continue
		}
		m.vars = append(m.vars, v)
		m.sources = append(m.sources, src)
	}
	for _, i := range s.mod.mod.Instances {
		m.list(s.below[i])
	}
}

func (m *Model) base() unsafe.Pointer { return unsafe.Pointer(&m.slots[0]) }

// Layout implements [Engine].
func (m *Model) Layout() *Layout { return m.layout }

// In implements [Engine].
func (m *Model) In() []uint64 { return m.slots[:m.layout.InWords:m.layout.InWords] }

// Out implements [Engine].
func (m *Model) Out() []uint64 {
	end := m.layout.InWords + m.layout.OutWords
	return m.slots[m.layout.InWords:end:end]
}

// Cycle implements [Engine].
func (m *Model) Cycle() uint64 { return m.cycle }

// Close implements [Engine]: no other method may be called afterwards.
func (m *Model) Close() error {
	if m.fast != nil {
		return m.fast.close()
	}
	return nil
}

// Eval implements [Engine].
func (m *Model) Eval() error {
	if m.fast != nil {
		if m.sleep.still(m.In()) {
			return nil
		}
		return m.fast.evaluate()
	}
	m.run(m.settle)
	return nil
}

// Step implements [Engine].
func (m *Model) Step() error { return m.step(true) }

// Run implements [Engine]. It fails if n is negative.
func (m *Model) Run(n int) error {
	if n < 0 {
		return fmt.Errorf("run %d cycles: the number must not be negative", n)
	}
	if m.fast != nil && m.event == 0 {
		return m.runFast(n)
	}
	for range n {
		if err := m.step(true); err != nil {
			return err
		}
	}
	return nil
}

// Reset implements [Engine]. Each cycle is a clock edge: registers without reset
// and memories go on as their inputs tell them.
func (m *Model) Reset(cycles int) error {
	if cycles < 1 {
		return fmt.Errorf("reset for %d cycles: at least 1 is needed", cycles)
	}
	for range cycles {
		if err := m.step(false); err != nil {
			return err
		}
		m.initialise()
	}
	return nil
}

func (m *Model) run(code []instr) { run(m.base(), code, m.boxes) }

// step is one edge of the domains that tick.
func (m *Model) step(check bool) error {
	if m.fast != nil {
		return m.stepFast(check && m.event > 0)
	}
	m.run(m.settle)
	m.run(m.advance)
	if check && m.event > 0 && m.slots[m.event] != 0 {
		m.check()
	}
	for i := range m.edge {
		m.edge[i].clock(m.slots)
	}
	copy(m.slots[m.cur:m.cur+m.regs], m.slots[m.nxt:m.nxt+m.regs])
	for _, b := range m.boxes {
		b.edge(m.ticks)
	}
	m.publish()
	m.cycle++
	m.watch.stale = true
	return nil
}

// stepFast is step in compiled code, which writes registers before all is done: so
// what properties say of the edge is found beforehand.
func (m *Model) stepFast(check bool) error {
	if check {
		if err := m.fast.evaluate(); err != nil {
			return err
		}
		if m.slots[m.event] != 0 {
			m.check()
		}
	}
	return m.runFast(1)
}

// runFast runs n cycles that no property looks at.
func (m *Model) runFast(n int) error {
	if n == 0 {
		return nil
	}
	m.cycle += uint64(n)
	asleep, watch := m.sleep.doze(m.In())
	if asleep {
		return nil
	}
	m.watch.stale = true
	if watch {
		if err := m.watchCycle(); err != nil || m.sleep.asleep {
			return err
		}
		n--
	}
	return m.fast.cycles(n)
}

// publish lets black boxes set the outputs that are needed before their inputs are.
func (m *Model) publish() {
	for _, b := range m.boxes {
		if b.registered {
			b.eval()
		}
	}
}

// initialise gives the registers with a reset value that value.
func (m *Model) initialise() {
	m.sleep.wake()
	for _, r := range m.resets {
		copy(m.slots[r.slot:], r.value)
		copy(m.slots[r.slot+m.regs:], r.value)
	}
	for _, b := range m.boxes {
		b.reset()
	}
	m.publish()
}
