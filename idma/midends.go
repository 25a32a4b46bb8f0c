package idma

import (
	"fmt"
	"slices"
	"strings"

	"github.com/millrace-hdl/millrace/idma/midend"
)

// Midend is a stage between front-end and back-ends.
type Midend uint8

// The mid-ends.
const (
	noMidend Midend = iota
	TensorND        // loops around linear transfers
	MPSplit         // cuts transfers where they cross a boundary
	MPDist          // distributes them over back-ends by address
)

var midendNames = [...]string{noMidend: "", TensorND: "tensor_nd", MPSplit: "mp_split", MPDist: "mp_dist"}

// String is the name that the specification gives it.
func (s Midend) String() string {
	if int(s) < len(midendNames) {
		return midendNames[s]
	}
	return fmt.Sprintf("Midend(%d)", uint8(s))
}

// maxMidends is how many stages an engine may have.
const maxMidends = 8

// Midends are the stages below a front-end, that next to it first. In text they are
// separated by commas; auto, the zero value, stands for those that the front-end needs.
type Midends [maxMidends]Midend

// MidendsOf lists stages.
func MidendsOf(stages ...Midend) (s Midends) {
	copy(s[:], stages)
	return s
}

// list is the stages.
func (s Midends) list() []Midend {
	for i, x := range s {
		if x == noMidend {
			return s[:i]
		}
	}
	return s[:]
}

// String is the text form.
func (s Midends) String() string {
	if len(s.list()) == 0 {
		return "auto"
	}
	var names []string
	for _, x := range s.list() {
		names = append(names, x.String())
	}
	return strings.Join(names, ", ")
}

// MarshalText is [Midends.String].
func (s Midends) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText is the inverse of [Midends.MarshalText].
func (s *Midends) UnmarshalText(text []byte) error {
	var all Midends
	if string(text) == "auto" {
		*s = all
		return nil
	}
	fields := strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(", []", r) })
	if len(fields) > maxMidends {
		return fmt.Errorf("%d mid-ends; an engine has at most %d", len(fields), maxMidends)
	}
next:
	for i, f := range fields {
		for k, name := range midendNames[1:] {
			if f == name {
				all[i] = Midend(k + 1)
				continue next
			}
		}
		return fmt.Errorf("%q is no mid-end; choose from auto, or %s", f, strings.Join(midendNames[1:], ", "))
	}
	*s = all
	return nil
}

// TensorOptions are those of tensor_ND.
type TensorOptions struct {
	// Registered puts a register between requests and the linear ones, for the sake of the
	// clock, which costs a cycle.
	Registered bool
	// InFlight is how many requests may be issued in whole and not answered, 1 to 1024; 0
	// stands for three times the reads that the back-end may have outstanding, and 16.
	InFlight int
}

// RTOptions are those of rt_3d.
type RTOptions struct {
	// Owed is how many launches of an event may wait, 1 to 255. With 1, those that come due
	// while one waits are dropped; with more the event catches up.
	Owed int
	// Action is what is done about bus errors of events in engines with error handling: 0
	// continues, 1 aborts, 2 replays.
	Action int
	// InFlight is how many requests may have passed and not be answered, 1 to 1024; 0
	// stands for three times the reads that the back-end may have outstanding, and 16.
	InFlight int
}

// Stages are the mid-ends of the configuration, or those that its front-end needs, that
// next to it first.
func (c Config) Stages() []Midend {
	if s := c.Midends.list(); len(s) > 0 {
		return s
	}
	var s []Midend
	if c.top().Dims > 1 {
		s = append(s, TensorND)
	}
	return s
}

// chain is the mid-ends below one request stream of the front-end.
func (c Config) chain() midend.Chain {
	var all midend.Chain
	link := c.top()
	for _, s := range c.Stages() {
		var stage midend.Stage
		switch s {
		case TensorND:
			stage = midend.TensorConfig{Dims: link.Dims, RepsWidths: link.RepsWidths, Registered: c.Tensor.Registered, InFlight: c.Tensor.InFlight, Backend: c.Backend}
		case MPSplit:
			stage = midend.SplitConfig{Region: c.SplitRegion(), Backend: c.Backend}
		case MPDist:
			stage = midend.DistConfig{Outputs: c.Outputs, Tree: c.Tree, Region: c.Region, Backend: c.Backend}
		}
		all = append(all, midend.Part{Name: s.String(), Stage: stage})
		link = midend.Linear(c.Backend)
	}
	return all
}

// SplitRegion is where mp_split cuts: at the parts of the region, or, above mp_dist, where
// these have gone once through all outputs.
func (c Config) SplitRegion() midend.Region {
	r := c.Region
	if slices.Contains(c.Stages(), MPDist) {
		r.Size *= uint64(max(c.Outputs, 1))
	}
	return r
}

// Backends is how many back-ends there are for each stream.
func (c Config) Backends() int {
	if slices.Contains(c.Stages(), MPDist) {
		return c.Outputs
	}
	return 1
}
