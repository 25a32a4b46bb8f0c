package oracle

// vague is the bytes of memory that bus errors leave open. Data read with an
// error may be anything, and so may what is copied on from them; a write that
// fails may have stored its bytes or not. Writing a sound value settles what a
// byte holds, though not how often it was written.
type vague struct {
	values, counts map[uint64]bool // nil where no errors are injected
	more           map[uint64]bool // bytes that may be written more often than asked for
}

func newVague(faults bool) vague {
	if !faults {
		return vague{}
	}
	return vague{map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}}
}

// copied notes a write to a byte: of a value that is open, and by a burst that may
// fail.
func (v vague) copied(a uint64, open, mayFail bool) {
	if v.values == nil {
		return
	}
	if open || mayFail {
		v.values[a] = true
	} else {
		delete(v.values, a)
	}
	if mayFail {
		v.counts[a] = true
	}
}

// value reports whether a byte may hold anything.
func (v vague) value(a uint64) bool { return v.values[a] }

// count reports whether a byte may have been written less often than asked for.
func (v vague) count(a uint64) bool { return v.counts[a] }

// again reports whether a byte may have been written more often.
func (v vague) again(a uint64) bool { return v.more[a] }
