package differ

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/irtest"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/verilator"
)

// Trace is the outputs of a case, the words of all ports in order, cycle by cycle.
// Err is why there are no more.
type Trace struct {
	Out [][]uint64
	Err error
}

// Engine is a way to compute cases.
type Engine struct {
	Name string
	// Trace computes the cases of a batch. It fails if it can compute none of them.
	Trace func(ctx context.Context, b *Batch) ([]Trace, error)
	// Slow marks an engine that is left out for designs of more than a few signals.
	Slow bool
}

// Model is the interpreter, each case by itself.
func Model() Engine { return kind("model", sim.Interpreter) }

// Compiled is the model as machine code. Designs with black boxes have none.
func Compiled() Engine { return kind("compiled", sim.Compiled) }

func kind(name string, k sim.Kind) Engine {
	return Engine{Name: name, Trace: each(func(c *Case) (sim.Engine, error) {
		k := k
		for _, m := range c.Design.Modules {
			if m.Extern != nil {
				k = sim.Auto
			}
		}
		return sim.New(c.Design, sim.Options{Kind: k})
	})}
}

// each runs the cases of a batch one by one.
func each(start func(c *Case) (sim.Engine, error)) func(context.Context, *Batch) ([]Trace, error) {
	return func(ctx context.Context, b *Batch) ([]Trace, error) {
		list := make([]Trace, len(b.Cases))
		for n, c := range b.Cases {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			list[n] = trace(c, start)
		}
		return list, nil
	}
}

// trace runs a case. A panic of the engine is its error.
func trace(c *Case, start func(c *Case) (sim.Engine, error)) (t Trace) {
	defer func() {
		if r := recover(); r != nil {
			t.Err = fmt.Errorf("panic: %v at %s", r, site(string(debug.Stack())))
		}
	}()
	e, err := start(c)
	if err != nil {
		return Trace{Err: err}
	}
	defer e.Close()
	if s, ok := e.(sim.Stateful); ok {
		zero(s)
	}
	for _, y := range c.Cycles {
		copy(e.In(), y.In)
		if err := act(e, y.Reset, y.Ticks, func() { t.Out = append(t.Out, append([]uint64(nil), e.Out()...)) }); err != nil {
			t.Err = err
			return t
		}
	}
	return t
}

// act runs one cycle. The outputs are those before the edge, also in reset.
func act(e sim.Engine, reset bool, ticks uint64, observe func()) error {
	if err := e.Eval(); err != nil {
		return err
	}
	observe()
	if reset {
		return e.Reset(1)
	}
	return e.Tick(ticks)
}

// zero makes registers start at zero that would start at their reset value.
func zero(e sim.Stateful) {
	for _, v := range e.Vars() {
		if v.State {
			e.Write(v, make([]uint64, v.Type.Words()))
		}
	}
}

// site is the place of the project in a stack that panicked.
func site(stack string) string {
	lines := strings.Split(stack, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic(") {
			for _, l := range lines[i:] {
				if l = strings.TrimSpace(l); strings.Contains(l, "/hdl/") || strings.Contains(l, "/gen/") {
					if at, _, ok := strings.Cut(l, " +0x"); ok {
						return at
					}
				}
			}
		}
	}
	return "an unknown place"
}

// Reference is the slow way over big integers.
func Reference() Engine {
	return Engine{Name: "reference", Slow: true, Trace: func(ctx context.Context, b *Batch) ([]Trace, error) {
		list := make([]Trace, len(b.Cases))
		for n, c := range b.Cases {
			list[n] = reference(c)
		}
		return list, nil
	}}
}

func reference(c *Case) (t Trace) {
	defer func() {
		if r := recover(); r != nil {
			t.Err = fmt.Errorf("panic: %v at %s", r, site(string(debug.Stack())))
		}
	}()
	l := sim.NewLayout(c.Design)
	ref := irtest.NewReference(c.Design)
	zeroReference(ref, c.Design.Top, "")
	all := append([]*ir.Domain{nil}, c.Design.Top.Domains...)
	for _, y := range c.Cycles {
		for _, p := range l.Inputs {
			ref.Set(p.Name, irtest.Value(y.In[p.Offset:][:p.Words()]))
		}
		if err := ref.Settle(); err != nil {
			return Trace{Err: err}
		}
		var out []uint64
		for _, p := range l.Outputs {
			out = append(out, irtest.Words(ref.Get(p.Name), p.Type.Width)...)
		}
		t.Out = append(t.Out, out)
		domains := all
		if !y.Reset {
			domains = nil
			for i, d := range all {
				if y.Ticks>>i&1 == 1 {
					domains = append(domains, d)
				}
			}
		}
		ref.Tick(y.Reset, domains...)
	}
	return t
}

func zeroReference(ref *irtest.Reference, m *ir.Module, path string) {
	for _, s := range m.Signals {
		if s.Init != nil {
			ref.Set(path+s.Name, irtest.Value(nil))
		}
	}
	for _, i := range m.Instances {
		zeroReference(ref, i.Of, path+i.Name+".")
	}
}

// Engines lists all engines, the one that the others are compared with first.
func Engines(cache *verilator.Cache) []Engine {
	return []Engine{Model(), Compiled(), Reference(), Icarus(), Verilator(cache), Optimised(cache)}
}
