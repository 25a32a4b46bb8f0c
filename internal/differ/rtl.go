package differ

import (
	"context"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/verilator"
)

// Verilator is the emitted text of a batch as Verilator understands it. The builds go
// into the cache, which may be nil for the usual one. Its optimiser is off:
// that of 5.006 changes what about one random module in a thousand computes.
func Verilator(cache *verilator.Cache) Engine { return verilated("verilator", cache, "-O0") }

// Optimised is [Verilator] with its optimiser.
func Optimised(cache *verilator.Cache) Engine { return verilated("optimised", cache) }

func verilated(name string, cache *verilator.Cache, flags ...string) Engine {
	return Engine{Name: name, Trace: func(ctx context.Context, b *Batch) ([]Trace, error) {
		lib, err := verilator.Build(ctx, b.Design, verilator.Options{
			Gen: gen.Options{Reset: b.resetStyle()}, Quick: true, Assertions: true, Cache: cache, Flags: flags,
		})
		if err != nil {
			return nil, err
		}
		e, err := lib.New(0)
		if err != nil {
			return nil, err
		}
		defer e.Close()
		list := make([]Trace, len(b.Cases))
		for n := range b.cycles() {
			b.load(n, e.In())
			if err := act(e, b.reset(n), b.ticks(n), func() { b.store(n, e.Out(), list) }); err != nil {
				return nil, err
			}
		}
		return list, nil
	}}
}

// resetStyle is that of the emission, which varies with the batch.
func (b *Batch) resetStyle() gen.ResetStyle {
	return gen.ResetStyle(b.Cases[0].Seed % 4)
}
