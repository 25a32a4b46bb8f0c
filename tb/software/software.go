// Package software launches transfers as software does: it writes registers, places
// descriptors in memory or hands over instructions, looks whether transfers have
// ended, and answers the questions of engines with error handling. A bench calls Drive
// before each step of its engine and Edge after it.
package software

import (
	"fmt"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb/job"
)

// Program is software at work. Transfers of a stream end in the order in which they were
// launched.
type Program interface {
	// Check is what of a transfer the front-end cannot say; the error has its field, value and
	// what would be right.
	Check(j *job.Job) *job.Error
	// Idle reports whether it can launch a transfer.
	Idle() bool
	// Launch begins to launch a transfer that Check has nothing against, on a stream.
	Launch(j *job.Job, stream int)
	// Ended is how many of the transfers launched on a stream software has seen to end.
	Ended(stream int) int
	// Question is what a stream waits to be told, or nil.
	Question(stream int) *Question
	// Answer tells it.
	Answer(stream int, action job.Action)
	Drive()
	Edge() error
	// Finish requires that nothing is under way.
	Finish() error
}

// Question is an error that an engine has told of, and waits for the action about it.
type Question struct {
	Transfer int    // of those launched on the stream
	Type     uint64 // what failed, as in responses
	Cause    uint64
	Addr     uint64 // of the first bus word of the burst that failed
}

// silent is a program whose engine asks nothing.
type silent struct{}

func (silent) Question(int) *Question { return nil }
func (silent) Answer(int, job.Action) {}

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
