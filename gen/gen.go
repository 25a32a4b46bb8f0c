// Package gen turns a design into SystemVerilog that Verilator, Yosys and Icarus
// read alike. Emission has three layers, each of which takes and gives plain
// [ir] nodes. The first makes the description pretty without changing what it
// means: it folds constants, cancels what cancels and removes temporaries used
// once. The second makes it legal: it breaks up signals that feed themselves bit
// by bit, sorts assignments into blocks that no tool mistakes for a loop, writes
// memories out, and gives names to the sub-expressions that the language cannot
// nest or that have several users. The third prints, and decides nothing. The
// text is a function of the design and the options alone.
package gen

import (
	"errors"
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Options choose how a design is written. The zero value is complete.
type Options struct {
	// Reset is the style of the one implicit reset, for all modules alike.
	Reset ResetStyle
	// Locators adds to each declaration and statement the place in the description
	// that it comes from.
	Locators bool
	// Header is a comment at the top of every file, for example a licence. It may
	// have several lines.
	Header string
	// PlainAlways writes combinational blocks as always @* where always_comb is
	// usual. Icarus 11 starts every always_comb at time zero, and blocks that assign
	// a signal twice can then wake each other for ever.
	PlainAlways bool
}

// File is one emitted file.
type File struct {
	Name string // relative to the output directory
	Data []byte
}

// Clock is the name of the clock port of every module that holds state.
const Clock = "clk"

// Emit writes the design: a file <module>.sv for each module, children before
// parents, then <top>.f, which lists them in that order, by names relative to
// itself, below a comment that says so. Of black boxes only those with a source have
// a file, which holds it; see [Stubs] for the others. The same design and options
// give the same bytes. It does not modify the design. The error names the module and
// signal that cannot be written.
func Emit(d *ir.Design, o Options) ([]File, error) {
	if d == nil || d.Top == nil || len(d.Modules) == 0 {
		return nil, errors.New("nothing to emit: the design has no modules")
	}
	if err := o.Reset.valid(); err != nil {
		return nil, err
	}
	units, err := lower(d, o)
	if err != nil {
		return nil, err
	}
	var files []File
	var list strings.Builder
	fmt.Fprintf(&list, "// Modules before those that use them. Names are relative to this file:\n//   verilator -F %s.f\n", d.Top.Name)
	for _, u := range units {
		name := u.m.Name + ".sv"
		switch {
		case u.m.Extern == nil:
			files = append(files, File{Name: name, Data: u.print()})
		case u.m.Extern.Source != "":
			files = append(files, File{Name: name, Data: u.source()})
		default:
			continue
		}
		list.WriteString(name + "\n")
	}
	return append(files, File{Name: d.Top.Name + ".f", Data: []byte(list.String())}), nil
}

// lower takes every module through the layers before the last.
func lower(d *ir.Design, o Options) ([]*unit, error) {
	paths := newPaths()
	var units []*unit
	seen := map[string]string{}
	for _, m := range d.Modules {
		key := strings.ToLower(m.Name)
		if other, ok := seen[key]; ok {
			return nil, fmt.Errorf("modules %q and %q would be written to the same file; rename one", other, m.Name)
		}
		seen[key] = m.Name
		u, err := newUnit(m, o, paths)
		if err != nil {
			return nil, fmt.Errorf("module %s: %w", m.Name, err)
		}
		u.prettify()
		u.legalise()
		paths.add(m)
		units = append(units, u)
	}
	return units, nil
}
