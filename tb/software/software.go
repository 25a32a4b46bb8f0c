// Package software launches transfers as software does: it writes registers, places
// descriptors in memory or hands over instructions, and looks whether transfers have
// ended. A bench calls Drive before each step of its engine and Edge after it.
package software

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// Program is software at work. Transfers end in the order in which they were launched.
type Program interface {
	// Check is what of a transfer the front-end cannot say; the error has its field, value and
	// what would be right.
	Check(j *job.Job) *job.Error
	// Idle reports whether it can launch a transfer.
	Idle() bool
	// Launch begins to launch a transfer that Check has nothing against.
	Launch(j *job.Job)
	// Ended is how many of the launched transfers software has seen to end.
	Ended() int
	Drive()
	Edge() error
	// Finish requires that nothing is under way.
	Finish() error
}

// Target is the front-end that a program is for: one of its configurations is given.
type Target struct {
	Registers    *frontend.Config
	Descriptors  *frontend.DescConfig
	Instructions *frontend.InstConfig
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

// refuse is the error of a transfer that a front-end cannot say.
func refuse(field string, value any, want string) *job.Error {
	return &job.Error{Field: field, Value: fmt.Sprint(value), Want: want}
}

// onlyINCR refuses what a front-end without burst types cannot say.
func onlyINCR(j *job.Job) *job.Error {
	for _, s := range []struct {
		name string
		side *job.Side
	}{{"src", &j.Src}, {"dst", &j.Dst}} {
		if s.side.Burst != 1 {
			return refuse(s.name+"_burst", s.side.Burst, "1, INCR, with this front-end")
		}
		if s.side.Lock {
			return refuse(s.name+"_lock", true, "false with this front-end")
		}
	}
	return nil
}

// only refuses a side over anything but one protocol and its first port.
func only(name string, s *job.Side, p backend.Protocol) *job.Error {
	if int(s.Protocol) != int(p) {
		return refuse(name+"_protocol", s.Protocol, fmt.Sprintf("%s, over which the front-end reaches this address", p))
	}
	if s.Head != 0 {
		return refuse(name+"_head", s.Head, "0 with this front-end")
	}
	return nil
}
