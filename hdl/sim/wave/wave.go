// Package wave shows what happened in a run. A tracer looks at an engine in each
// cycle, before its edge, at the values of chosen signals: [VCD] writes them to a
// file for a viewer, [Recorder] keeps the last of them for the case of a failure,
// and [Text] draws them with characters, for documents and for tests. [File] writes a
// wave file together with the views that GTKWave and Surfer open it with.
//
// Looking changes nothing: an engine computes the same with a tracer and without.
package wave

import "github.com/millrace-hdl/millrace/hdl/sim"

// Edge is what ends a cycle: the clock domains that have an edge, a bit for each of
// the layout's, and whether resets are held.
type Edge struct {
	Domains uint64
	Reset   bool
}

// Tracer takes samples of an engine: a [VCD], a [Recorder] or a [Text].
type Tracer interface {
	// Sample takes the present values as those of the present cycle. Outputs and wires
	// are settled by Eval beforehand; the edge comes afterwards.
	Sample(Edge) error
}

// Trace returns an engine that does what e does and samples every cycle. The
// tracer was made for e.
func Trace(e sim.Engine, t Tracer) sim.Engine { return &traced{e, t} }

type traced struct {
	sim.Engine
	t Tracer
}

// Unwrap is the engine that is traced.
func (t *traced) Unwrap() sim.Engine { return t.Engine }

func (t *traced) sample(e Edge) error {
	if err := t.Eval(); err != nil {
		return err
	}
	return t.t.Sample(e)
}

func (t *traced) Reset(cycles int) error {
	if cycles < 1 {
		return t.Engine.Reset(cycles) // which tells what is wrong
	}
	for range cycles {
		if err := t.sample(Edge{t.Layout().AllDomains(), true}); err != nil {
			return err
		}
		if err := t.Engine.Reset(1); err != nil {
			return err
		}
	}
	return nil
}

func (t *traced) Step() error {
	if err := t.sample(Edge{t.Layout().AllDomains(), false}); err != nil {
		return err
	}
	return t.Engine.Step()
}

func (t *traced) Tick(domains uint64) error {
	if err := t.Layout().CheckDomains(domains); err != nil {
		return err
	}
	if err := t.sample(Edge{domains, false}); err != nil {
		return err
	}
	return t.Engine.Tick(domains)
}

func (t *traced) Run(n int) error {
	if n < 0 {
		return t.Engine.Run(n)
	}
	for range n {
		if err := t.Step(); err != nil {
			return err
		}
	}
	return nil
}
