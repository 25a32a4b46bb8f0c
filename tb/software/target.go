package software

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/idma/midend"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// Target is what a program and its bench have to know of a whole engine. Of the three
// configurations of front-ends one is given.
type Target struct {
	Registers    *frontend.Config
	Descriptors  *frontend.DescConfig
	Instructions *frontend.InstConfig
	// Cuts are the stages that cut linear transfers, that next to the front-end first.
	Cuts []Cut
}

// Cut is a stage that cuts linear transfers where they go from one part of a region to the
// next (specification §3.3, §3.4).
type Cut struct {
	Region  midend.Region
	Outputs int // over which the pieces are distributed; 1 for mp_split
}

// Of is the target of an engine.
func Of(c idma.Config) Target {
	var t Target
	t.Registers, t.Descriptors, t.Instructions = c.Frontends()
	for _, s := range c.Stages() {
		switch s {
		case idma.MPSplit:
			t.Cuts = append(t.Cuts, Cut{c.SplitRegion(), 1})
		case idma.MPDist:
			t.Cuts = append(t.Cuts, Cut{c.Region, c.Outputs})
		}
	}
	return t
}

// Backend is the configuration of the back-ends.
func (t Target) Backend() backend.Config {
	switch {
	case t.Registers != nil:
		return t.Registers.Backend
	case t.Descriptors != nil:
		return t.Descriptors.Backend
	}
	return t.Instructions.Backend
}

// Streams is how many streams of requests there are.
func (t Target) Streams() int {
	switch {
	case t.Registers != nil:
		return t.Registers.Streams
	case t.Instructions != nil:
		return t.Instructions.Channels
	}
	return 1
}

// Backends is how many back-ends there are for each stream.
func (t Target) Backends() int {
	n := 1
	for _, c := range t.Cuts {
		n *= c.Outputs
	}
	return n
}

// Loops is how many loops its transfers may have.
func (t Target) Loops() int {
	switch {
	case t.Registers != nil:
		return t.Registers.Layout.Dims() - 1
	case t.Descriptors != nil:
		return 0
	}
	return 1
}

// RepsWidth is the width of the repetition counts.
func (t Target) RepsWidth() int {
	if t.Registers != nil {
		return t.Registers.RepsWidth
	}
	return t.Instructions.RepsWidth
}

// New is the program for an engine with that front-end. Descriptors lie in the memory.
func (t Target) New(e sim.Engine, memory *mem.Store, seed uint64) (Program, error) {
	switch {
	case t.Registers != nil:
		return newRegisters(e, *t.Registers, seed)
	case t.Descriptors != nil:
		return newDescriptors(e, *t.Descriptors, memory, seed)
	case t.Instructions != nil:
		return newInstructions(e, *t.Instructions)
	}
	return nil, fmt.Errorf("a target without a configuration")
}
