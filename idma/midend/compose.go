package midend

import (
	"errors"
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Stage is a mid-end with its configuration: the configurations of this package, [Chain]
// and [Row], and whatever else has these methods.
type Stage interface {
	// Validate returns what is out of range.
	Validate() error
	// Up are the links of the stages above, Down those of the stages below. Both can be
	// called only where Validate finds nothing.
	Up() []LinkConfig
	Down() []LinkConfig
	// Place places an instance.
	Place(m *hdl.Module, name string) Ports
}

// Part is a stage among others, by the name of its instance.
type Part struct {
	Name string
	Stage
}

// Chain is stages below each other, the one nearest to software first. It is a stage
// itself: a module with the links of the first above and those of the last below.
type Chain []Part

// Row is stages beside each other, a stage itself: a module with the links of all, in
// their order.
type Row []Part

// Validate returns what is wrong with a part, and each pair of links that do not join as a
// [*LinkError].
func (c Chain) Validate() error {
	if err := validParts("chain", c); err != nil {
		return err
	}
	var errs []error
	for i, below := range c[1:] {
		above := c[i]
		down, up := above.Down(), below.Up()
		if len(down) != len(up) {
			errs = append(errs, fmt.Errorf("%s has %s below, and %s, which follows, %s above; put a stage between them, or several in a Row, so that each has its counterpart",
				above.Name, counted(len(down)), below.Name, counted(len(up))))
			continue
		}
		for n := range down {
			if err := Joins(down[n], up[n]); err != nil {
				errs = append(errs, fmt.Errorf("%s cannot follow %s: %w", numbered(below.Name+"'s up", n, len(up)), numbered(above.Name+"'s down", n, len(down)), err))
			}
		}
	}
	return errors.Join(errs...)
}

// Up are the links of the first stage.
func (c Chain) Up() []LinkConfig { return c[0].Up() }

// Down are the links of the last stage.
func (c Chain) Down() []LinkConfig { return c[len(c)-1].Down() }

// Place places the stages as one module. A chain that is not valid is reported by the
// elaboration.
func (c Chain) Place(m *hdl.Module, name string) Ports { return hdl.Inst(m, name, c.build, struct{}{}) }

// Elaborate builds and checks the chain as a module of that name, after idma_.
func (c Chain) Elaborate(name string) (*ir.Design, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return hdl.Elaborate(c.build, struct{}{}, hdl.Named("idma_"+name), hdl.Prefix("idma_"))
}

func (c Chain) build(m *hdl.Module, _ struct{}) Ports {
	m.Doc("Mid-ends below each other.")
	io, parts := placeParts(m, c, c)
	for i, p := range parts {
		if i == 0 {
			connect(p.Up, io.Up)
		} else {
			connect(p.Up, parts[i-1].Down)
		}
	}
	connect(io.Down, parts[len(parts)-1].Down)
	return io
}

// Validate returns what is wrong with a part.
func (r Row) Validate() error { return validParts("row", r) }

// Up are the links of all stages, in their order.
func (r Row) Up() (all []LinkConfig) {
	for _, p := range r {
		all = append(all, p.Up()...)
	}
	return all
}

// Down are the links of all stages, in their order.
func (r Row) Down() (all []LinkConfig) {
	for _, p := range r {
		all = append(all, p.Down()...)
	}
	return all
}

// Place places the stages as one module.
func (r Row) Place(m *hdl.Module, name string) Ports { return hdl.Inst(m, name, r.build, struct{}{}) }

func (r Row) build(m *hdl.Module, _ struct{}) Ports {
	m.Doc("Mid-ends beside each other.")
	io, parts := placeParts(m, r, r)
	var up, down []Link
	for _, p := range parts {
		up, down = append(up, p.Up...), append(down, p.Down...)
	}
	connect(up, io.Up)
	connect(io.Down, down)
	return io
}

// placeParts declares the interface of a stage and places its parts. A stage that is not valid
// is the caller's mistake, which elaboration reports with this text.
func placeParts(m *hdl.Module, s Stage, parts []Part) (Ports, []Ports) {
	if err := s.Validate(); err != nil {
		panic(err)
	}
	types := func(cs []LinkConfig) (ls []Link) {
		for _, c := range cs {
			ls = append(ls, c.Type())
		}
		return ls
	}
	io := links(m, types(s.Up()), types(s.Down()))
	var placed []Ports
	var busy []hdl.Signal
	for _, p := range parts {
		u := p.Place(m, "u_"+p.Name)
		placed, busy = append(placed, u), append(busy, u.Busy.Signal)
	}
	io.Busy.Set(hdl.AnyOf(busy...))
	return io, placed
}

func connect(to, from []Link) {
	for i := range to {
		hdl.Connect(to[i], from[i])
	}
}

// validParts checks what stands by itself: that there are parts, with names of their own,
// each of them valid.
func validParts(what string, parts []Part) error {
	if len(parts) == 0 {
		return fmt.Errorf("the %s of mid-ends has no stages; it needs at least one", what)
	}
	var errs []error
	seen := map[string]bool{}
	for i, p := range parts {
		switch {
		case p.Name == "" || p.Stage == nil:
			errs = append(errs, fmt.Errorf("stage %d of the %s of mid-ends has no name or no stage; give it both", i, what))
			continue
		case seen[p.Name]:
			errs = append(errs, fmt.Errorf("two stages of the %s of mid-ends are called %s; give each a name of its own", what, p.Name))
		}
		seen[p.Name] = true
		if err := p.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("in %s: %w", p.Name, err))
		}
	}
	return errors.Join(errs...)
}

// counted is a number of links in words.
func counted(links int) string {
	if links == 1 {
		return "1 link"
	}
	return fmt.Sprintf("%d links", links)
}
