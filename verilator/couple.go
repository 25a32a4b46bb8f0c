package verilator

import (
	"context"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// Couple builds a design, with Options.State and Options.Assertions, and runs it
// in lockstep with its Go model. State that has no reset starts from the seed.
func Couple(ctx context.Context, d *ir.Design, seed uint64, o Options, lo LockstepOptions) (*Lockstep, error) {
	o.State, o.Assertions = true, true
	model, err := sim.New(d, sim.Options{Seed: seed})
	if err != nil {
		return nil, err
	}
	lib, err := Build(ctx, d, o)
	if err != nil {
		return nil, err
	}
	rtl, err := lib.New(seed)
	if err != nil {
		return nil, err
	}
	return NewLockstep(model, rtl, lo)
}
