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
)

// Build is a module: a function that describes it and returns its interface, a
// bundle that holds every port. P is the parameter set, a comparable struct; if it
// has a method Validate() error, that is called first, and if it has Suffix()
// string, that names the variants.
type Build[P, IO any] func(m *Module, p P) IO

// Validator is a parameter set that knows what it allows.
type Validator interface{ Validate() error }

// Suffixer is a parameter set that names its variants: module fifo with suffix
// w8_d4 becomes fifo_w8_d4.
type Suffixer interface{ Suffix() string }

// Named gives a module another name than its function's in snake_case; with it,
// no suffix is added.
func Named(name string) Option { return func(o *options) { o.module = name } }

// Prefix puts a word before the names of all modules of a design but the top, so
// that designs can share a project.
func Prefix(p string) Option { return func(o *options) { o.prefix = p } }

// Elaborate builds a module and all below it, and checks the whole. The error is
// a [diag.List] with every mistake found.
func Elaborate[P, IO any](build Build[P, IO], p P, opts ...Option) (*ir.Design, error) {
	o := apply(opts)
	d := &design{prefix: o.prefix, helpers: map[string]bool{}, cache: map[cacheKey]any{}, names: map[string]*ir.Module{}}
	if o.module == "" {
		o.module, _ = functionName(build)
		if o.module == "" {
			o.module = "top"
		}
	}
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
	diags   diag.List
	helpers map[string]bool
	cache   map[cacheKey]any
	names   map[string]*ir.Module
	modules []*ir.Module
	depth   int
}

type cacheKey struct {
	function uintptr
	params   any
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
	full := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	base := full[strings.LastIndexByte(full, '/')+1:]
	base = base[strings.IndexByte(base, '.')+1:]
	if strings.Contains(base, ".") && !strings.Contains(base, "[...]") {
		return "", false // a closure or a method value
	}
	generic := strings.Contains(base, "[")
	base, _, _ = strings.Cut(base, "[")
	return snake(base), !generic
}

const maxDepth = 64

// construct builds one module, or finds that it was built before.
func construct[P, IO any](d *design, build Build[P, IO], p P, o options) (mod *ir.Module, io IO) {
	if v, ok := any(p).(Validator); ok {
		if err := v.Validate(); err != nil {
			(&Module{ir: &ir.Module{Name: o.module}, design: d}).report(diag.Param, o.module+": "+err.Error(), "")
			return nil, io
		}
	}
	m := &Module{
		ir:      &ir.Module{Name: o.module, Params: paramText(p), Pos: ir.Here(d.hidden)},
		design:  d,
		enables: map[*ir.Signal]ir.Expr{},
	}
	m.body = &m.ir.Body
	if d.depth++; d.depth > maxDepth {
		m.report(diag.Misuse, fmt.Sprintf("the hierarchy is deeper than %d levels", maxDepth), "a module that instantiates itself needs a parameter that ends it")
		return nil, io
	}
	defer func() {
		d.depth--
		if r := recover(); r != nil {
			m.reportPanic(r)
			mod = nil
		}
	}()
	io = build(m, p)
	m.checkInterface(&io)
	if same := d.register(m); same != nil {
		return same, io
	}
	return m.ir, io
}

func (m *Module) reportPanic(r any) {
	var err error
	if e, ok := r.(error); ok {
		err = e
	} else {
		err = errors.New(fmt.Sprint(r))
	}
	m.report(diag.Misuse, fmt.Sprintf("the description of %s failed: %v", m.ir.Name, err), "")
}

// register enters a finished module. A module of the same name must be the same
// and then takes its place.
func (d *design) register(m *Module) *ir.Module {
	key := strings.ToLower(m.ir.Name)
	old, ok := d.names[key]
	if !ok {
		d.names[key] = m.ir
		d.modules = append(d.modules, m.ir)
		return nil
	}
	if old.String() != m.ir.String() {
		m.report(diag.Name, fmt.Sprintf("two different modules are called %s", m.ir.Name),
			"name one of them with hdl.Named, or let its parameters have a Suffix",
			diag.Related{Pos: old.Pos, Message: "the other one"})
	}
	return old
}

// checkInterface requires that the interface holds every port, so that a parent
// can reach it.
func (m *Module) checkInterface(io any) {
	held := map[*ir.Signal]bool{}
	for _, l := range leaves(m, io, "") {
		if l.v.bad {
			continue
		}
		if l.v.sig == nil || l.v.sig.Kind != ir.Input && l.v.sig.Kind != ir.Output {
			pos, what := m.ir.Pos, "the value "+strings.TrimPrefix(l.path, ".")
			if l.v.sig != nil {
				pos, what = l.v.sig.Pos, l.v.sig.Name
			}
			m.reportAt(pos, diag.Misuse, fmt.Sprintf("the interface of %s holds %s, which is no port", m.ir.Name, what), "return what Ports, In and Out gave")
			continue
		}
		held[l.v.sig] = true
	}
	for _, s := range m.ir.Ports() {
		if !held[s] {
			m.reportAt(s.Pos, diag.Misuse, fmt.Sprintf("port %s of %s is not in the interface that the function returns", s.Name, m.ir.Name),
				"return it, or an instance could not connect it")
		}
	}
}

// Inst places a child module and returns its interface as the parent sees it: the
// child's inputs are to be assigned, its outputs can be read. Children of one
// function and equal parameters are one module.
func Inst[P, IO any](m *Module, name string, build Build[P, IO], p P, opts ...Option) IO {
	o := apply(opts)
	base, identity := functionName(build)
	switch {
	case o.module != "":
	case base == "":
		o.module = m.ir.Name + "_" + name
	default:
		o.module = m.design.prefix + base + suffix(p)
	}
	type built struct {
		mod *ir.Module
		io  IO
	}
	var child built
	key := cacheKey{reflect.ValueOf(build).Pointer(), [2]any{p, o.module}}
	cached, ok := any(nil), false
	if identity = identity && reflect.TypeFor[P]().Comparable(); identity {
		cached, ok = m.design.cache[key]
	}
	if ok {
		child = cached.(built)
	} else {
		child.mod, child.io = construct(m.design, build, p, o)
		if identity {
			m.design.cache[key] = child
		}
	}
	if child.mod == nil {
		io := child.io
		for _, l := range leaves(&Module{ir: m.ir, design: m.design}, &io, "") {
			*l.v = Var{Signal: Signal{m: m, bad: true}}
		}
		return io
	}
	return place(m, name, child.mod, child.io, o)
}

func place[IO any](m *Module, name string, mod *ir.Module, io IO, o options) IO {
	inst := &ir.Instance{Name: name, Of: mod, Attrs: o.attrs, Note: o.note, Pos: m.here()}
	m.ir.Instances = append(m.ir.Instances, inst)
	conns := map[string]Var{}
	for _, port := range mod.Ports() {
		kind := ir.InstIn
		if port.Kind == ir.Output {
			kind = ir.InstOut
		}
		v := m.declare(name+"_"+port.Name, kind, Var{Signal: Signal{typ: port.Type}}, nil)
		v.sig.Inst, v.sig.Port = inst, port
		inst.Conns = append(inst.Conns, v.sig)
		conns[port.Name] = v
	}
	for _, l := range leaves(m, &io, "") {
		if l.v.sig != nil {
			*l.v = conns[l.v.sig.Name]
		}
	}
	return io
}

// suffix names a parameter set: its non-zero fields in order.
func suffix(p any) string {
	if s, ok := p.(Suffixer); ok {
		if t := s.Suffix(); t != "" {
			return "_" + t
		}
		return ""
	}
	var b strings.Builder
	eachField(reflect.ValueOf(p), func(name string, v reflect.Value) {
		switch {
		case v.Kind() == reflect.Bool && v.Bool():
			b.WriteString("_" + snake(name))
		case v.CanInt():
			fmt.Fprintf(&b, "_%s%d", snake(name), v.Int())
		case v.CanUint():
			fmt.Fprintf(&b, "_%s%d", snake(name), v.Uint())
		case v.Kind() == reflect.String:
			b.WriteString("_" + word(v.String()))
		}
	})
	return strings.ReplaceAll(b.String(), "-", "m")
}

// word keeps of a text what may stand in a name.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(s))
}

// paramText prints a parameter set for the header comment.
func paramText(p any) string {
	var parts []string
	eachField(reflect.ValueOf(p), func(name string, v reflect.Value) {
		parts = append(parts, fmt.Sprintf("%s=%v", name, v.Interface()))
	})
	return strings.Join(parts, " ")
}

func eachField(v reflect.Value, f func(name string, v reflect.Value)) {
	if v.Kind() != reflect.Struct {
		if v.IsValid() && !v.IsZero() {
			f("", v)
		}
		return
	}
	for i := range v.NumField() {
		fv, ft := v.Field(i), v.Type().Field(i)
		switch {
		case !ft.IsExported() || fv.IsZero():
		case fv.Kind() == reflect.Struct:
			eachField(fv, f)
		default:
			f(ft.Name, fv)
		}
	}
}
