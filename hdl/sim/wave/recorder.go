package wave

import (
	"fmt"
	"io"

	"github.com/millrace-hdl/millrace/hdl/sim"
)

// Recorder keeps the waves of the last cycles in memory, so that a failure can
// be shown with what led to it.
type Recorder struct {
	probe  *probe
	ring   []uint64 // samples, each of probe.words
	cycles []stamp  // of each sample
	count  int      // samples taken so far
}

type stamp struct {
	cycle uint64
	next  Edge
}

// NewRecorder keeps the last cycles (at least one) of signals of the engine, nil for
// [All]. [Registers] alone are cheaper: they need no evaluation of wires.
func NewRecorder(top string, e sim.Engine, cycles int, signals []Signal) *Recorder {
	if signals == nil {
		signals = All(e)
	}
	p := newProbe(top, e, signals)
	cycles = max(cycles, 1)
	return &Recorder{probe: p, ring: make([]uint64, cycles*p.words), cycles: make([]stamp, cycles)}
}

// Sample implements [Tracer]. It never fails.
func (r *Recorder) Sample(next Edge) error {
	i := r.count % len(r.cycles)
	r.cycles[i] = stamp{r.probe.e.Cycle(), next}
	r.probe.collect(r.sample(i))
	r.count++
	return nil
}

func (r *Recorder) sample(i int) []uint64 { return r.ring[i*r.probe.words:][:r.probe.words] }

// kept is the number of samples in the ring.
func (r *Recorder) kept() int { return min(r.count, len(r.cycles)) }

// WriteVCD writes the recorded cycles as a [VCD] file.
func (r *Recorder) WriteVCD(w io.Writer) error { return WriteVCD(w, r) }

// WriteVCD writes what several recorders, sampled in the same cycles, hold:
// each under its own top, in one file. Differing cycles are an error.
func WriteVCD(w io.Writer, rs ...*Recorder) error {
	if len(rs) == 0 {
		return fmt.Errorf("writing waves: no recorder given")
	}
	probes, words := make([]*probe, len(rs)), 0
	for i, r := range rs {
		probes[i] = r.probe
		words += r.probe.words
		if r.kept() != rs[0].kept() {
			return fmt.Errorf("writing waves: %s holds %d cycles and %s %d; sample them together",
				rs[0].probe.top, rs[0].kept(), r.probe.top, r.kept())
		}
	}
	e := newEncoder(w, probes...)
	now := make([]uint64, words)
	for k := range rs[0].kept() {
		var at stamp
		n := 0
		for i, r := range rs {
			j := (r.count - r.kept() + k) % len(r.cycles)
			if i == 0 {
				at = r.cycles[j]
			} else if r.cycles[j] != at {
				return fmt.Errorf("writing waves: %s was sampled in cycle %d and %s in %d; sample them together",
					rs[0].probe.top, at.cycle, r.probe.top, r.cycles[j].cycle)
			}
			n += copy(now[n:], r.sample(j))
		}
		e.cycle(at.cycle, at.next, now)
	}
	return e.close()
}
