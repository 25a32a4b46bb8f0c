package ir

import (
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Pos is where in the description a node was written. It stores program counters
// and resolves them only when asked. The zero Pos is unknown.
type Pos struct{ stack *stack }

type stack struct {
	pcs    []uintptr
	hide   func(function string) bool
	once   sync.Once
	frames []Frame
}

// Frame is one resolved call site.
type Frame struct {
	Func string // package-qualified function
	File string // as the compiler recorded it
	Line int
}

// String is the package's last element, the file's base name and the line, for
// example backend/legalizer.go:42: the same on every machine.
func (f Frame) String() string {
	pkg := f.Func
	if slash := strings.LastIndexByte(pkg, '/'); slash >= 0 {
		pkg = pkg[slash+1:]
	}
	if dot := strings.IndexByte(pkg, '.'); dot >= 0 {
		pkg = pkg[:dot]
	}
	base := path.Base(filepath.ToSlash(f.File))
	if pkg == "" {
		return base + ":" + itoa(f.Line)
	}
	return pkg + "/" + base + ":" + itoa(f.Line)
}

// languageDirs hold the files that positions leave out: a user's mistake is never
// there. Names of functions would not do, since a closure of a generic function is
// called after the function that it was inlined into.
var languageDirs = func() [2]string {
	_, file, _, _ := runtime.Caller(0)
	here := path.Dir(filepath.ToSlash(file))
	return [2]string{here, path.Dir(here)}
}()

// machinery are the packages between a description and what called it.
var machinery = [...]string{"runtime.", "reflect.", "testing."}

// Here captures the call stack of its caller. Frames of the language itself, and
// those whose function hide reports (hide may be nil), do not count.
func Here(hide func(function string) bool) Pos {
	var pcs [16]uintptr
	n := runtime.Callers(2, pcs[:])
	return Pos{&stack{pcs: append([]uintptr(nil), pcs[:n]...), hide: hide}}
}

// Entry is the position of the function that starts at the program counter pc.
func Entry(pc uintptr) Pos {
	if pc == 0 {
		return Pos{}
	}
	return Pos{&stack{pcs: []uintptr{pc + 1}}}
}

// At is the position of a known line of a file.
func At(file string, line int) Pos {
	s := &stack{}
	s.once.Do(func() { s.frames = []Frame{{File: file, Line: line}} })
	return Pos{s}
}

// Known reports whether the position resolves to a line.
func (p Pos) Known() bool { return len(p.Frames()) > 0 }

// Frames returns the user's frames, innermost first: where the node was written,
// then who called that function, and so on.
func (p Pos) Frames() []Frame {
	if p.stack == nil {
		return nil
	}
	p.stack.once.Do(p.stack.resolve)
	return p.stack.frames
}

func (s *stack) resolve() {
	it := runtime.CallersFrames(s.pcs)
	for {
		f, more := it.Next()
		if f.Function != "" && s.counts(f) {
			s.frames = append(s.frames, Frame{f.Function, f.File, f.Line})
		}
		if !more {
			return
		}
	}
}

func (s *stack) counts(f runtime.Frame) bool {
	if s.hide != nil && s.hide(f.Function) {
		return false
	}
	if strings.HasSuffix(f.File, "_test.go") {
		return true
	}
	dir := path.Dir(filepath.ToSlash(f.File))
	if dir == languageDirs[0] || dir == languageDirs[1] {
		return false
	}
	for _, p := range machinery {
		if strings.HasPrefix(f.Function, p) {
			return false
		}
	}
	return true
}

// String is the innermost user frame, or "?".
func (p Pos) String() string {
	if fs := p.Frames(); len(fs) > 0 {
		return fs[0].String()
	}
	return "?"
}
