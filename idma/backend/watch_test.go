package backend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
)

// watched is an engine that shows its ports, as sampled by the clock edge, after
// every cycle. The cycle passed to see counts from the end of reset, as the
// bench's do.
type watched struct {
	sim.Engine
	t     testing.TB
	cycle uint64
	see   func(cycle uint64, p *watched)
	drive func(p *watched) // changes inputs before each cycle, if set
}

func watch(t testing.TB, eng sim.Engine, see func(cycle uint64, p *watched)) *watched {
	return &watched{Engine: eng, t: t, see: see}
}

// Reset implements [sim.Engine].
func (w *watched) Reset(n int) error {
	w.cycle = 0
	return w.Engine.Reset(n)
}

// Step implements [sim.Engine].
func (w *watched) Step() error {
	if w.drive != nil {
		w.drive(w)
	}
	if err := w.Engine.Step(); err != nil {
		return err
	}
	w.see(w.cycle, w)
	w.cycle++
	return nil
}

// words are the words of a port.
func (w *watched) words(name string) []uint64 {
	p, err := w.Layout().Port(name)
	require.NoError(w.t, err)
	if p.Input {
		return w.In()[p.Offset : p.Offset+p.Words()]
	}
	return w.Out()[p.Offset : p.Offset+p.Words()]
}

// get is the value of a port, of its lowest 64 bits if it is wider.
func (w *watched) get(name string) uint64 { return w.words(name)[0] }

func (w *watched) on(name string) bool { return w.get(name) != 0 }

// fires reports whether the stream whose ports have the prefix moves.
func (w *watched) fires(prefix string) bool { return w.on(prefix+"valid") && w.on(prefix+"ready") }

// waits reports whether it is offered and not taken.
func (w *watched) waits(prefix string) bool { return w.on(prefix+"valid") && !w.on(prefix+"ready") }
