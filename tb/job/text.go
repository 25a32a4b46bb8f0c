package job

import (
	"bytes"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"
	"unicode"
)

// ReadText reads the line format of the public iDMA job files. One value a line:
// length, source, destination, source protocol, destination protocol, longest
// source burst, longest destination burst, decouple_aw, decouple_rw, three
// lines for each dimension above the first (repetitions, source stride,
// destination stride), the number of injected errors and a line for each.
//
// The format has no "last" mark: each transfer gets one. Nor has it a place for
// operations: transfers with one are written in YAML. Of an injected error's action
// the public files know c, continue, and a, abort; p, replay, is ours.
func ReadText(r io.Reader, name string, dims int) (*List, error) {
	if dims < 1 || dims > MaxDims {
		return nil, fmt.Errorf("reading %s: %d dimensions asked for; 1…%d", name, dims, MaxDims)
	}
	data, err := slurp(r, name)
	if err != nil {
		return nil, err
	}
	t := &text{name: name, rest: bytes.TrimRightFunc(data, unicode.IsSpace)}
	list := &List{Name: name}
	for t.more() {
		if len(list.Jobs) == MaxJobs {
			return nil, &Error{File: name, Line: t.line + 1, Job: -1, Want: fmt.Sprintf("more than %d transfers; split the file", MaxJobs)}
		}
		j := New(0, 0, 0)
		j.Line = t.line + 1
		t.job = len(list.Jobs)
		t.transfer(&j, dims)
		if t.err != nil {
			return nil, t.err
		}
		list.Jobs = append(list.Jobs, j)
	}
	if len(list.Jobs) == 0 {
		return nil, &Error{File: name, Job: -1, Want: "no transfer in the file"}
	}
	return list, nil
}

// text reads value by value and keeps the first error.
type text struct {
	name string
	rest []byte
	line int // lines consumed
	job  int
	err  error
}

// more reports whether a value follows; blanks at the end of the file are cut off
// from the start.
func (t *text) more() bool { return len(t.rest) > 0 }

// next is the next line without surrounding blanks. Blank lines between values
// are not part of the format; those at the end of the file are harmless.
func (t *text) next(field, want string) (string, bool) {
	if t.err != nil {
		return "", false
	}
	if !t.more() {
		t.err = &Error{File: t.name, Line: t.line + 1, Job: t.job, Field: field, Value: "missing",
			Want: "the file ends inside a transfer; expected " + want}
		return "", false
	}
	line, rest, _ := bytes.Cut(t.rest, []byte("\n"))
	t.rest = rest
	t.line++
	return strings.TrimSpace(string(line[:min(len(line), 4096)])), true
}

func (t *text) bad(field, value, want string) {
	if t.err == nil {
		t.err = &Error{File: t.name, Line: t.line, Job: t.job, Field: field, Value: quoted(value), Want: "expected " + want}
	}
}

func (t *text) transfer(j *Job, dims int) {
	j.Length = t.number("length", 10, ^uint64(0), "a decimal number of bytes")
	j.Src.Addr = t.number("src", 16, ^uint64(0), "a hexadecimal address, such as 0x1000")
	j.Dst.Addr = t.number("dst", 16, ^uint64(0), "a hexadecimal address, such as 0x1000")
	j.Src.Protocol = t.protocol("src_protocol")
	j.Dst.Protocol = t.protocol("dst_protocol")
	j.Src.MaxBeats = t.beats("src_max_beats")
	j.Dst.MaxBeats = t.beats("dst_max_beats")
	j.DecoupleAW = t.number("decouple_aw", 10, 1, "0 or 1") == 1
	j.DecoupleRW = t.number("decouple_rw", 10, 1, "0 or 1") == 1
	if dims > 1 {
		for range dims - 1 {
			t.dim(j)
		}
	}
	t.errors(j)
}

// number reads an unsigned number in base 10, or in base 16 with 0x before it.
func (t *text) number(field string, base int, most uint64, want string) uint64 {
	s, ok := t.next(field, want)
	if !ok {
		return 0
	}
	digits := s
	if base == 16 {
		var found bool
		if digits, found = strings.CutPrefix(strings.ToLower(s), "0x"); !found {
			t.bad(field, s, want)
			return 0
		}
	}
	v, err := strconv.ParseUint(digits, base, 64)
	if err != nil || v > most {
		t.bad(field, s, want)
	}
	return v
}

func (t *text) protocol(field string) Protocol {
	return Protocol(t.number(field, 10, uint64(AXI4Stream), protocolChoice))
}

const protocolChoice = "0 AXI4, 1 OBI, 2 AXI4-Lite, 3 TileLink, 4 Init or 5 AXI4-Stream"

const beatsChoice = "a power of two from 1 to 256, 256 for no limit"

func goodBeats(n uint64) bool { return n <= NoBeatLimit && bits.OnesCount64(n) == 1 }

func (t *text) beats(field string) int {
	n := t.number(field, 10, ^uint64(0), beatsChoice)
	if t.err == nil && !goodBeats(n) {
		t.bad(field, strconv.FormatUint(n, 10), beatsChoice)
	}
	return int(n)
}

func (t *text) dim(j *Job) {
	d := Dim{
		Reps:      t.number("reps", 10, ^uint64(0), "a decimal number of repetitions"),
		SrcStride: t.number("src_stride", 16, ^uint64(0), "a hexadecimal stride, such as 0x100"),
		DstStride: t.number("dst_stride", 16, ^uint64(0), "a hexadecimal stride, such as 0x100"),
	}
	j.Dims = append(j.Dims, d)
}

func (t *text) errors(j *Job) {
	n := t.number("errors", 10, MaxErrors, fmt.Sprintf("the number of injected errors, 0…%d", MaxErrors))
	for range n {
		e, ok := t.busError()
		if !ok {
			return
		}
		j.Errors = append(j.Errors, e)
	}
}

const errorChoice = "r or w, then c, a or p, then a hexadecimal address, such as rc0x1004"

func (t *text) busError() (BusError, bool) {
	s, ok := t.next("error", errorChoice)
	if !ok {
		return BusError{}, false
	}
	e, ok := parseBusError(s)
	if !ok {
		t.bad("error", s, errorChoice)
	}
	return e, ok
}

func parseBusError(s string) (BusError, bool) {
	if len(s) < 5 || (s[0] != 'r' && s[0] != 'w') || s[2:4] != "0x" {
		return BusError{}, false
	}
	action := strings.IndexByte(actionLetters, s[1])
	a, err := strconv.ParseUint(s[4:], 16, 64)
	return BusError{Write: s[0] == 'w', Action: Action(action), Addr: a}, err == nil && action >= 0
}
