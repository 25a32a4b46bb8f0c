package gen

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// source is the file of a black box that comes with its source.
func (u *unit) source() []byte {
	p := &printer{u: u}
	p.comment(u.o.Header)
	p.comment("Behavioural source of the black box " + u.m.Name + ", for simulation. Synthesis takes the cell of that name.")
	p.b.WriteString(strings.TrimRight(u.m.Extern.Source, "\n") + "\n")
	return []byte(p.b.String())
}

// Stubs writes an empty module for each black box that has no source: a file
// <module>.sv each, so that tools can read the design without the library that the
// cell comes from. They are no part of the design and belong in a folder of their
// own. It fails as [Emit] does.
func Stubs(d *ir.Design, o Options) ([]File, error) {
	units, err := lower(d, o)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, u := range units {
		if u.m.Extern != nil && u.m.Extern.Source == "" {
			files = append(files, File{Name: u.m.Name + ".sv", Data: u.stub()})
		}
	}
	return files, nil
}

func (u *unit) stub() []byte {
	p := &printer{u: u}
	p.comment("Stub of the black box " + u.m.Name + ", for tools that only read the design.")
	p.line("`default_nettype none", ir.Pos{})
	p.line("// verilator lint_off UNDRIVEN", ir.Pos{})
	p.line("// verilator lint_off UNUSED", ir.Pos{})
	p.line("(* blackbox *)", ir.Pos{})
	p.ports()
	p.line("endmodule", ir.Pos{})
	p.line("// verilator lint_on UNUSED", ir.Pos{})
	p.line("// verilator lint_on UNDRIVEN", ir.Pos{})
	p.line("`default_nettype wire", ir.Pos{})
	return []byte(p.b.String())
}

// claimParams checks the parameters of a black box.
func (u *unit) claimParams() error {
	if u.m.Extern == nil {
		return nil
	}
	for _, p := range u.m.Extern.Params {
		if err := u.claim(p.Name, "parameter"); err != nil {
			return err
		}
		if strings.TrimSpace(p.Value) == "" || strings.ContainsAny(p.Value, "\r\n") {
			return fmt.Errorf("parameter %s has the value %q; it is a literal on one line, such as 8 or \"BLOCK\" with its quotes", p.Name, p.Value)
		}
	}
	declares := regexp.MustCompile(`\bmodule\s+(automatic\s+|static\s+)?` + u.m.Name + `\b`)
	if s := u.m.Extern.Source; s != "" && !declares.MatchString(s) {
		return errors.New("the source of the black box does not declare a module of its name")
	}
	return nil
}

// head is the start of a module up to its list of ports, with the parameters of a
// black box.
func (p *printer) head() {
	m := p.u.m
	if m.Extern == nil || len(m.Extern.Params) == 0 {
		p.line("module "+m.Name+" (", m.Pos)
		return
	}
	p.line("module "+m.Name+" #(", m.Pos)
	for i, c := range m.Extern.Params {
		comma := ","
		if i == len(m.Extern.Params)-1 {
			comma = ""
		}
		p.line("  parameter "+c.Name+" = "+c.Value+comma, ir.Pos{})
	}
	p.line(") (", ir.Pos{})
}
