package hdl

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/internal/snake"
)

// Build is a module: a function that describes it and returns its interface, a
// bundle that holds every port, each once. P is the parameter set, a comparable
// struct; see [Validator] and [Suffixer] for what it may do.
type Build[P, IO any] func(m *Module, p P) IO

// Elaborate builds a module and all below it, and checks the whole. The error is
// a [diag.List] with every mistake found. [Named] and [Prefix] are its options.
func Elaborate[P, IO any](build Build[P, IO], p P, opts ...Option) (*ir.Design, error) {
	o := apply(opts)
	d := &design{prefix: o.prefix, helpers: map[string]bool{}, seen: map[any]bool{}, cache: map[cacheKey]any{}, names: map[string]*ir.Module{}}
	if o.module == "" {
		o.module, _ = functionName(build)
		if o.module == "" {
			o.module = "top"
		}
	}
	(&Module{ir: &ir.Module{Name: o.module}, design: d}).allow("the elaboration of "+o.module, o, "Named", "Prefix")
	top, _ := construct(d, build, p, o)
	if len(d.diags) > 0 {
		return nil, d.diags
	}
	out := &ir.Design{Top: top, Modules: d.modules}
	if found := check.Design(out); len(found) > 0 {
		return nil, found
	}
	return out, nil
}

// design is one elaboration.
type design struct {
	prefix  string
	active  *Module // under construction; nil before and after
	diags   diag.List
	seen    map[any]bool // mistakes that are reported once
	helpers map[string]bool
	cache   map[cacheKey]any
	names   map[string]*ir.Module
	modules []*ir.Module
	depth   int
	tooDeep bool
}

type cacheKey struct {
	function uintptr
	params   any
	name     string
}

// once reports whether this is the first call with that mistake.
func (d *design) once(mistake any) bool {
	first := !d.seen[mistake]
	d.seen[mistake] = true
	return first
}

func (d *design) hidden(function string) bool { return d.helpers[function] }

func (d *design) helper(function string) { d.helpers[function] = true }

// caller is the name of the function that called the language's function that
// called this one.
func caller() string {
	var pcs [1]uintptr
	runtime.Callers(3, pcs[:])
	f, _ := runtime.CallersFrames(pcs[:]).Next()
	return f.Function
}

// functionName is the module name that a named function implies, and whether the
// function alone identifies its code: closures and generic instances do not.
func functionName(f any) (name string, identity bool) {
	full := fullName(f)
	base := full[strings.LastIndexByte(full, '/')+1:]
	base = base[strings.IndexByte(base, '.')+1:]
	base, generic := strings.CutSuffix(base, ofGeneric)
	if strings.ContainsAny(base, ".[") {
		return "", false // a closure or a method value
	}
	return snake.Case(base), !generic
}

// ofGeneric ends the runtime's name of an instance of a generic function, which does
// not tell its types.
const ofGeneric = "[...]"

func fullName(f any) string { return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }

const maxDepth = 64

// construct builds one module, or finds that it was built before. It returns no
// module, and has reported why, if that fails.
func construct[P, IO any](d *design, build Build[P, IO], p P, o options) (mod *ir.Module, io IO) {
	m := &Module{
		ir:      &ir.Module{Name: o.module, Pos: ir.Entry(reflect.ValueOf(build).Pointer())},
		design:  d,
		enables: map[*ir.Signal]ir.Expr{},
	}
	m.body = &m.ir.Body
	parent := d.active
	d.active = m
	d.depth++
	defer func() {
		d.active = parent
		d.depth--
		if r := recover(); r != nil {
			m.reportPanic(r)
			mod = nil
		}
	}()
	switch {
	case d.tooDeep: // reported, and who knows how wide the hierarchy is
		return nil, io
	case d.depth > maxDepth:
		d.tooDeep = true
		m.report(diag.Misuse, fmt.Sprintf("the hierarchy is deeper than %d levels", maxDepth), "a module that instantiates itself needs a parameter that ends it")
		return nil, io
	case build == nil:
		m.report(diag.Misuse, "the build function of "+o.module+" is missing", "pass a function")
		return nil, io
	case !m.validate(&p):
		return nil, io
	}
	m.ir.Params = paramText(p)
	io = build(m, p)
	m.finish()
	m.checkInterface(&io)
	if same := d.enter(m, strings.HasSuffix(fullName(build), ofGeneric)); same != nil {
		return same, io
	}
	return m.ir, io
}

// finish completes what can be known only at the end of the description.
func (m *Module) finish() {
	for _, mem := range m.mems {
		mem.finish()
	}
	for _, f := range m.atEnd {
		f()
	}
}

// reportPanic reports that the description panicked. What Go itself finds wrong
// after a child failed, such as an index into the child's missing slice of ports,
// only follows from that.
func (m *Module) reportPanic(r any) {
	var bug runtime.Error
	if err, ok := r.(error); ok && m.broken && errors.As(err, &bug) {
		return
	}
	m.report(diag.Misuse, fmt.Sprintf("the description of %s failed: %v", m.ir.Name, r), "")
}

// enter makes a finished module part of the design. A module of the same name must
// be the same and then takes its place.
func (d *design) enter(m *Module, generic bool) *ir.Module {
	key := strings.ToLower(m.ir.Name)
	if m.ir.Extern != nil { // one name serves boxes of several parameters
		key += fmt.Sprint(" ", m.ir.Extern.Params)
	}
	old, ok := d.names[key]
	if !ok {
		d.names[key] = m.ir
		d.modules = append(d.modules, m.ir)
		return nil
	}
	if old.String() != m.ir.String() {
		message, fix := "two different modules are called "+m.ir.Name, "name one of them with hdl.Named, or let its parameters have a Suffix"
		if generic {
			message += ": instances of one generic function with equal parameters"
			fix = "name one of them with hdl.Named, or let its parameters have a field that tells the types apart, such as their width"
		}
		m.report(diag.Name, message, fix,
			diag.Related{Pos: old.Pos, Message: "the other one"})
	}
	return old
}

// checkInterface requires that the interface holds every port once, so that a
// parent can reach it.
func (m *Module) checkInterface(io any) {
	held := map[*ir.Signal]bool{}
	wrong := func(pos ir.Pos, format string, args ...any) {
		m.reportAt(pos, diag.Misuse, fmt.Sprintf(format, args...), "return what Ports, In and Out gave")
	}
	for _, l := range m.leaves(io, "") {
		s, path := l.v.sig, strings.TrimPrefix(l.path, ".")
		switch {
		case l.v.bad:
			l.v.resolve(m, nil)
		case l.v.e == nil:
			wrong(m.ir.Pos, "the interface of %s leaves %s without a port", m.ir.Name, path)
		case s == nil:
			wrong(m.ir.Pos, "the interface of %s holds the value %s, which is no port", m.ir.Name, path)
		case s.Module != m.ir:
			wrong(s.Pos, "the interface of %s holds %s of module %s", m.ir.Name, s.Name, s.Module.Name)
		case s.Kind != ir.Input && s.Kind != ir.Output:
			wrong(s.Pos, "the interface of %s holds %s, which is no port", m.ir.Name, s.Name)
		case l.v.w != s.Type.Width:
			wrong(s.Pos, "the interface of %s holds only a part of %s", m.ir.Name, describe(l.v.e))
		case held[s]:
			wrong(s.Pos, "the interface of %s holds port %s twice", m.ir.Name, s.Name)
		}
		if s != nil {
			held[s] = true
		}
	}
	for _, s := range m.ir.Ports() {
		if !held[s] {
			m.reportAt(s.Pos, diag.Misuse, fmt.Sprintf("port %s of %s is not in the interface that the function returns", s.Name, m.ir.Name),
				"return it, or an instance could not connect it")
		}
	}
}
