package differ

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Disagreement is what two engines say about a case.
type Disagreement struct {
	Case       *Case
	A, B       string // names of the engines
	Cycle      int    // the first in which outputs differ
	Port       string
	WordsA     []uint64
	WordsB     []uint64
	ErrA, ErrB error
}

// Error is a sentence with the seed, the cycle, the output and both values.
func (d *Disagreement) Error() string {
	s := fmt.Sprintf("seed %d (%s), cycle %d: ", d.Case.Seed, d.Case.Feature, d.Cycle)
	switch {
	case d.ErrA != nil:
		return s + fmt.Sprintf("the %s fails: %v", d.A, d.ErrA)
	case d.ErrB != nil:
		return s + fmt.Sprintf("the %s fails: %v", d.B, d.ErrB)
	}
	return s + fmt.Sprintf("%s is %x in the %s and %x in the %s", d.Port, d.WordsA, d.A, d.WordsB, d.B)
}

// Run computes cases on all engines and returns where the others differ from the
// first, one disagreement for each case and engine.
func Run(ctx context.Context, cases []*Case, engines []Engine) ([]*Disagreement, error) {
	b := NewBatch(cases)
	var found []*Disagreement
	first, err := engines[0].Trace(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", engines[0].Name, err)
	}
	for n, t := range first {
		if t.Err != nil {
			found = append(found, &Disagreement{Case: cases[n], A: engines[0].Name, ErrA: t.Err, Cycle: len(t.Out)})
		}
	}
	for _, e := range engines[1:] {
		traces, err := safely(ctx, e, b)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			if len(cases) == 1 {
				found = append(found, &Disagreement{Case: cases[0], A: engines[0].Name, B: e.Name, ErrB: err})
				continue
			}
			// One of the cases is to blame: the halves tell which.
			for _, half := range [][]*Case{cases[:len(cases)/2], cases[len(cases)/2:]} {
				more, err := Run(ctx, half, []Engine{engines[0], e})
				if err != nil {
					return nil, err
				}
				found = append(found, more...)
			}
			continue
		}
		for n, t := range traces {
			if d := compare(cases[n], first[n], t); d != nil && first[n].Err == nil {
				d.A, d.B = engines[0].Name, e.Name
				found = append(found, d)
			}
		}
	}
	return found, nil
}

// safely makes a panic of an engine its error.
func safely(ctx context.Context, e Engine, b *Batch) (list []Trace, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v at %s", r, site(string(debug.Stack())))
		}
	}()
	return e.Trace(ctx, b)
}

func compare(c *Case, a, b Trace) *Disagreement {
	for n := range min(len(a.Out), len(b.Out)) {
		if slices.Equal(a.Out[n], b.Out[n]) {
			continue
		}
		d := &Disagreement{Case: c, Cycle: n}
		at := 0
		for _, p := range c.Design.Top.Ports() {
			if p.Kind != ir.Output {
				continue
			}
			w := p.Type.Words()
			if !slices.Equal(a.Out[n][at:at+w], b.Out[n][at:at+w]) {
				d.Port, d.WordsA, d.WordsB = p.Name, a.Out[n][at:at+w], b.Out[n][at:at+w]
				return d
			}
			at += w
		}
	}
	if b.Err != nil {
		return &Disagreement{Case: c, Cycle: len(b.Out), ErrB: b.Err}
	}
	return nil
}
