package job

import "fmt"

// Limits is what an engine can do.
type Limits struct {
	AddrWidth   int // bits, 1…64
	LengthWidth int // bits, 1…64
	Read, Write []Protocol
	// ReadHeads and WriteHeads are how many ports of each protocol there are; 1 where
	// they say nothing.
	ReadHeads, WriteHeads map[Protocol]int
	Errors                bool // it has an error handler
	ND                    bool // it has an ND mid-end
	Streams               int  // of a whole engine; 0 stands for 1
	Bytes                 int  // of a bus word; only operations depend on it
	Compute               []Capability
}

// Check refuses the first transfer that an engine with the given limits cannot
// do, saying why.
func (l *List) Check(lim Limits) error {
	_, err := l.For(lim)
	return err
}

func (l *List) check(lim Limits) error {
	for i := range l.Jobs {
		j := &l.Jobs[i]
		bad := func(field, value, want string) error {
			return &Error{File: l.Name, Line: j.Line, Job: i, Field: field, Value: value, Want: want}
		}
		if most := ones(lim.LengthWidth); j.Length > most {
			return bad("length", fmt.Sprint(j.Length), fmt.Sprintf("at most %d with %d length bits", most, lim.LengthWidth))
		}
		if n := max(1, lim.Streams); j.Stream >= n {
			return bad("stream", fmt.Sprint(j.Stream), fmt.Sprintf("expected 0…%d; that is how many streams the engine has", n-1))
		}
		for _, s := range []struct {
			name string
			side *Side
			can  []Protocol
			has  map[Protocol]int
		}{{"src", &j.Src, lim.Read, lim.ReadHeads}, {"dst", &j.Dst, lim.Write, lim.WriteHeads}} {
			most := ones(lim.AddrWidth)
			if s.side.Addr > most {
				return bad(s.name, fmt.Sprintf("%#x", s.side.Addr), fmt.Sprintf("at most %#x with %d address bits", most, lim.AddrWidth))
			}
			if n := j.reaches(s.side); s.side.Memory() && n > 0 && n-1 > most-s.side.Addr {
				return bad("length", fmt.Sprint(n), fmt.Sprintf("from %s %#x it wraps around the %d-bit address space; at most %s bytes fit",
					s.name, s.side.Addr, lim.AddrWidth, room(most-s.side.Addr)))
			}
			if !has(s.can, s.side.Protocol) {
				return bad(s.name+"_protocol", s.side.Protocol.String(), fmt.Sprintf("not by this engine; it offers %v here", s.can))
			}
			if n := max(1, s.has[s.side.Protocol]); s.side.Head >= n {
				return bad(s.name+"_head", fmt.Sprint(s.side.Head), fmt.Sprintf("expected 0…%d; that is how many ports of %s the engine has here", n-1, s.side.Protocol))
			}
			if !goodBeats(uint64(s.side.MaxBeats)) {
				return bad(s.name+"_max_beats", fmt.Sprint(s.side.MaxBeats), "expected "+beatsChoice)
			}
		}
		if len(j.Dims) > 0 && !lim.ND {
			return bad("dims", fmt.Sprintf("%d dimensions", len(j.Dims)+1), "not by this engine; it moves 1D transfers only")
		}
		if len(j.Errors) > 0 && !lim.Errors {
			return bad("errors", fmt.Sprintf("%d injected errors", len(j.Errors)), "not by this engine; it is built without error handling, which error_handling=true adds")
		}
		if most := ones(lim.LengthWidth); j.Compute.DstLength > most {
			return bad("compute.dst_length", fmt.Sprint(j.Compute.DstLength), fmt.Sprintf("at most %d with %d length bits", most, lim.LengthWidth))
		}
	}
	return nil
}

// reaches is how many bytes the transfer accesses from the address of a side of it, or,
// without an operation, would if it were not refused.
func (j *Job) reaches(s *Side) uint64 {
	switch {
	case j.Compute.Op == NoOperation:
		return j.Length
	case s == &j.Dst:
		return j.Writes()
	}
	return j.Reads()
}

// ones is the largest value of a width.
func ones(width int) uint64 { return ^uint64(0) >> (64 - width) }

// room is last+1 as text, also where that takes a 65th bit.
func room(last uint64) string {
	if last == ^uint64(0) {
		return "2^64"
	}
	return fmt.Sprint(last + 1)
}

func has(ps []Protocol, p Protocol) bool {
	for _, q := range ps {
		if q == p {
			return true
		}
	}
	return false
}
