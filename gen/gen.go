// Package gen turns a design into SystemVerilog that Verilator, Yosys and Icarus
// read alike. Emission has three layers, each of which takes and gives plain
// [ir] nodes. The first makes the description pretty without changing what it
// means: it folds constants, cancels what cancels and removes temporaries used
// once. The second makes it legal: it breaks up signals that feed themselves bit
// by bit, sorts assignments into blocks that no tool mistakes for a loop, writes
// memories out, and gives names to the sub-expressions that the language cannot
// nest or that have several users. The third prints, and decides nothing. The
// text is a function of the design and the options alone.
//
// What exists only for properties is no part of that text. It becomes modules of its
// own, which see the design through inputs and are bound to it.
package gen

import (
	"errors"
	"fmt"
	"slices"
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
	// Checks marks the files of properties, which are no part of the RTL.
	Checks bool
}

// Clock is the name of the clock port of every module that holds state.
const Clock = "clk"

// Emit writes the design: a file <module>.sv for each module, children before
// parents, then <top>.f, which lists them in that order, by names relative to
// itself, below a comment that says so. Of black boxes only those with a source have
// a file, which holds it; see [Stubs] for the others. The same design and options
// give the same bytes. It does not modify the design. The error names the module and
// signal that cannot be written.
//
// A design with properties has files for them too: <module>_props.sv for each module
// that has some, <top>_bind.sv, which binds them, and <top>_checks.f, which lists
// these; and for Yosys, which does not bind, copies of such modules in formal/ that
// hold their properties, and <top>_formal.f. The others are the same with properties
// and without.
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
	rtl := map[string][]byte{}
	for _, f := range files {
		rtl[f.Name] = f.Data
	}
	checks, err := checkFiles(d, o, units, rtl)
	if err != nil {
		return nil, err
	}
	files = append(files, checks...)
	return append(files, File{Name: d.Top.Name + ".f", Data: []byte(list.String())}), nil
}

// checkFiles are the modules of the properties, the file that binds them, the modules
// that hold them, and the lists of these.
func checkFiles(d *ir.Design, o Options, units []*unit, rtl map[string][]byte) ([]File, error) {
	checkers := map[*ir.Module]*checker{}
	var files []File
	for _, u := range units {
		c, err := checkerOf(u)
		if err != nil {
			return nil, err
		}
		if c != nil {
			checkers[u.m] = c
			files = append(files, File{Name: c.unit.m.Name + ".sv", Data: c.print(), Checks: true})
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	placed, lost := placements(units, checkers, d.Top)
	var list, formal strings.Builder
	fmt.Fprintf(&list, "// Properties, to be read after the design:\n//   verilator --assert -F %s.f -F %s_checks.f\n", d.Top.Name, d.Top.Name)
	fmt.Fprintf(&formal, "// The design with its properties, for read_verilog -sv -formal of Yosys, which does not bind.\n")
	for _, f := range files {
		list.WriteString(f.Name + "\n")
		formal.WriteString(f.Name + "\n")
	}
	for _, u := range units {
		name := u.m.Name + ".sv"
		if slices.ContainsFunc(placed, func(b placement) bool { return b.in == u.m && b.path == "" }) {
			name = "formal/" + name
			files = append(files, File{Name: name, Data: formalText(u, rtl[u.m.Name+".sv"], placed), Checks: true})
		}
		if rtl[u.m.Name+".sv"] != nil {
			formal.WriteString(name + "\n")
		}
	}
	bind := d.Top.Name + "_bind.sv"
	list.WriteString(bind + "\n")
	return append(files, File{Name: bind, Data: bindFile(d, o, units, placed, lost), Checks: true},
		File{Name: d.Top.Name + "_formal.f", Data: []byte(formal.String()), Checks: true},
		File{Name: d.Top.Name + "_checks.f", Data: []byte(list.String()), Checks: true}), nil
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
