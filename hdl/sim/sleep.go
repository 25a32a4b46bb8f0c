package sim

import "slices"

// A design often waits: nothing changes from one cycle to the next until an input
// does. Then a cycle need not be computed. To find out costs a comparison of the
// state before and after, so it is tried where inputs stay the same, and the less
// often the more it was in vain.
type sleeper struct {
	asleep bool     // the next cycle changes nothing if the inputs are the same
	in     []uint64 // inputs of the last cycle, if armed or asleep
	armed  bool
	state  []uint64
	wait   int // cycles until the next try
	pause  int // cycles to wait after it, if it is in vain
}

// longestPause is the most cycles between two tries: what is lost at the start of
// each wait of the design, and, times that, what trying costs while it is busy.
const longestPause = 16

// wake is called when the state is changed from outside.
func (s *sleeper) wake() { s.asleep, s.armed = false, false }

// doze reports whether a cycle changes nothing, and if that is not known, whether
// it is to be watched.
func (s *sleeper) doze(in []uint64) (asleep, watch bool) {
	switch {
	case s.still(in):
		return true, false
	case s.wait > 0:
		s.wait--
		return false, false
	case s.armed:
		if s.armed = false; slices.Equal(in, s.in) {
			return false, true
		}
		s.vain()
		return false, false
	}
	s.armed = true
	s.in = append(s.in[:0], in...)
	return false, false
}

// Asleep reports whether the next cycle need not be computed if the inputs stay as
// they are. It is never so in interpreted models.
func (m *Model) Asleep() bool { return m.sleep.asleep }

// still reports whether the design is asleep and stays so for these inputs: then
// its outputs are there, too.
func (s *sleeper) still(in []uint64) bool {
	s.asleep = s.asleep && slices.Equal(in, s.in)
	return s.asleep
}

func (s *sleeper) vain() {
	s.pause = min(max(2*s.pause, 1), longestPause)
	s.wait = s.pause
}

// watchCycle runs a cycle and finds out whether it changed anything.
func (m *Model) watchCycle() error {
	s := &m.sleep
	s.state = append(s.state[:0], m.State()...)
	m.slots[m.fast.wrote] = 0
	if err := m.fast.cycles(1); err != nil {
		return err
	}
	if s.asleep = m.slots[m.fast.wrote] == 0 && slices.Equal(s.state, m.State()); s.asleep {
		s.pause = 0
	} else {
		s.vain()
	}
	return nil
}
