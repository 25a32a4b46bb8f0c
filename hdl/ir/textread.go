package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// node is a parsed list or atom.
type node struct {
	atom   string // raw text, string literals with their quotes
	list   []node
	isList bool
	ranges [][2]int // high and low of the ranges after it
	line   int
}

// head is the first atom of a list, "" for anything else.
func (n node) head() string {
	if n.isList && len(n.list) > 0 && !n.list[0].isList {
		return n.list[0].atom
	}
	return ""
}

// parseError is what reading and building give up with; Parse recovers it.
type parseError struct {
	line int
	msg  string
}

func fail(line int, format string, args ...any) {
	panic(parseError{line, fmt.Sprintf(format, args...)})
}

// reader splits text into nodes.
type reader struct {
	src  string
	pos  int
	line int
}

// skip passes white space and comments, and reports whether text remains.
func (r *reader) skip() bool {
	for r.pos < len(r.src) {
		switch c := r.src[r.pos]; {
		case c == '\n':
			r.line++
			r.pos++
		case c == ' ' || c == '\t' || c == '\r':
			r.pos++
		case c == ';':
			for r.pos < len(r.src) && r.src[r.pos] != '\n' {
				r.pos++
			}
		default:
			return true
		}
	}
	return false
}

// maxNesting bounds the depth of lists, so that hostile text cannot exhaust the stack.
const maxNesting = 100_000

func (r *reader) node(depth int) node {
	if !r.skip() {
		fail(r.line, "the text ends inside a list")
	}
	if depth > maxNesting {
		fail(r.line, "lists are nested more than %d deep", maxNesting)
	}
	n := node{line: r.line}
	switch r.src[r.pos] {
	case ')':
		fail(r.line, "unexpected )")
	case '(':
		r.pos++
		n.isList = true
		for {
			if !r.skip() {
				fail(n.line, "this list is not closed")
			}
			if r.src[r.pos] == ')' {
				r.pos++
				break
			}
			n.list = append(n.list, r.node(depth+1))
		}
	default:
		n.atom = r.word()
	}
	for r.pos < len(r.src) && r.src[r.pos] == '[' {
		n.ranges = append(n.ranges, r.bits())
	}
	return n
}

// word is a run of characters in which string literals may occur.
func (r *reader) word() string {
	start := r.pos
	for r.pos < len(r.src) {
		switch c := r.src[r.pos]; {
		case c == '"':
			q, err := strconv.QuotedPrefix(r.src[r.pos:])
			if err != nil {
				fail(r.line, "malformed string")
			}
			r.pos += len(q)
		case strings.IndexByte(" \t\r\n();[]", c) >= 0:
			if r.pos == start {
				fail(r.line, "unexpected %q", c)
			}
			return r.src[start:r.pos]
		default:
			r.pos++
		}
	}
	return r.src[start:]
}

// bits reads [high:low] or [bit].
func (r *reader) bits() [2]int {
	end := strings.IndexByte(r.src[r.pos:], ']')
	if end < 0 {
		fail(r.line, "a range is not closed")
	}
	text := r.src[r.pos+1 : r.pos+end]
	r.pos += end + 1
	hi, lo, two := strings.Cut(text, ":")
	if !two {
		lo = hi
	}
	h, err1 := strconv.Atoi(hi)
	l, err2 := strconv.Atoi(lo)
	if err1 != nil || err2 != nil {
		fail(r.line, "[%s] is no range; write [high:low] or [bit]", text)
	}
	return [2]int{h, l}
}
