package verilator

import (
	"bytes"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// Library is a compiled design, loaded into the process for good. It may be used
// from several goroutines.
type Library struct {
	path    string
	layout  *sim.Layout
	vars    []sim.Var // the registers; empty without state
	offsets []int     // of vars in a snapshot
	words   int       // of a snapshot
	mems    []sim.MemVar
	calls   calls
}

// calls are the addresses of the shim's functions.
type calls struct {
	make, free, eval, tick, run, reset, snapshot, get, set, text uintptr
}

func open(path string, d *ir.Design, l *sim.Layout, state bool) (*Library, error) {
	lib := &Library{path: path, layout: l}
	if state {
		lib.list(d)
	}
	so, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("loading the model %s: %w", path, err)
	}
	for _, f := range []struct {
		name string
		to   *uintptr
	}{
		{"new", &lib.calls.make}, {"free", &lib.calls.free}, {"eval", &lib.calls.eval},
		{"tick", &lib.calls.tick}, {"run", &lib.calls.run}, {"reset", &lib.calls.reset},
		{"snapshot", &lib.calls.snapshot}, {"get", &lib.calls.get}, {"set", &lib.calls.set}, {"text", &lib.calls.text},
	} {
		if *f.to, err = purego.Dlsym(so, "millrace_"+f.name); err != nil {
			return nil, fmt.Errorf("the model %s: %w", path, err)
		}
	}
	return lib, nil
}

// Path is the file of the library; it names the hash of all that it was made of.
func (l *Library) Path() string { return l.path }

// New makes a running model. All its state starts at random from the seed, or
// at zero for seed 0, until Reset brings registers to their reset values. Models
// of one library share nothing.
func (l *Library) New(seed uint64) (*Engine, error) {
	e := &Engine{
		lib:   l,
		in:    make([]uint64, max(l.layout.InWords, 1)),
		out:   make([]uint64, max(l.layout.OutWords, 1)),
		state: make([]uint64, max(l.words, 1)),
	}
	h := &handle{free: l.calls.free}
	h.pinner.Pin(&e.in[0])
	h.pinner.Pin(&e.out[0])
	h.pinner.Pin(&e.state[0])
	var missing [256]byte
	state := uintptr(unsafe.Pointer(&e.state[0]))
	if l.words == 0 {
		state = 0
	}
	h.model, _, _ = purego.SyscallN(l.calls.make, uintptr(unsafe.Pointer(&e.in[0])), uintptr(unsafe.Pointer(&e.out[0])),
		state, uintptr(seed), uintptr(unsafe.Pointer(&missing[0])), uintptr(len(missing)))
	if h.model == 0 {
		h.pinner.Unpin()
		name, _, _ := bytes.Cut(missing[:], []byte{0})
		return nil, fmt.Errorf("the RTL has no register or memory %s", bytes.TrimPrefix(name, []byte(harness+".dut.")))
	}
	e.in, e.out, e.state = e.in[:l.layout.InWords], e.out[:l.layout.OutWords], e.state[:l.words]
	e.model = h.model
	e.handle = h
	e.cleanup = runtime.AddCleanup(e, (*handle).close, h)
	return e, nil
}

// handle is what an engine holds outside Go's care.
type handle struct {
	model, free uintptr
	pinner      runtime.Pinner // the arrays that the model knows
}

func (h *handle) close() {
	purego.SyscallN(h.free, h.model)
	h.pinner.Unpin()
}

// list fills in what is observable, in the order of the shim.
func (l *Library) list(d *ir.Design) {
	registers, memories := elements(d)
	for i, r := range registers {
		l.vars = append(l.vars, sim.Var{Path: r.path, Type: r.typ, State: true, Index: i})
		l.offsets = append(l.offsets, l.words)
		l.words += r.typ.Words()
	}
	for i, m := range memories {
		l.mems = append(l.mems, sim.MemVar{Path: m.path, Type: m.typ, Depth: m.depth, Index: i})
	}
}
