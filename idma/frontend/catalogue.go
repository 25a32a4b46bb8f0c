package frontend

import (
	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Entry is a front-end in a list of all.
type Entry struct {
	Name    string // of the specification
	Summary string // what it does
	// Defaults returns a pointer to a fresh configuration.
	Defaults func() any
	// Check says what is out of range in a configuration that Defaults returned.
	Check func(cfg any) error
	// Elaborate builds the front-end for it.
	Elaborate func(cfg any) (*ir.Design, error)
	// Facts are its registers as SystemRDL, C header, Markdown and HTML, and a driver; nil if it
	// has none.
	Facts func(cfg any) ([]gen.File, error)
}

// facts are what configurations of front-ends with registers have.
type facts interface {
	Facts() ([]gen.File, error)
}

func entry[C hdl.Validator](name, summary string, defaults C, elaborate func(C) (*ir.Design, error)) Entry {
	e := Entry{
		Name: name, Summary: summary,
		Defaults:  func() any { c := defaults; return &c },
		Check:     func(cfg any) error { return (*cfg.(*C)).Validate() },
		Elaborate: func(cfg any) (*ir.Design, error) { return elaborate(*cfg.(*C)) },
	}
	if _, has := any(defaults).(facts); has {
		e.Facts = func(cfg any) ([]gen.File, error) { return any(*cfg.(*C)).(facts).Facts() }
	}
	return e
}

// Catalogue is every front-end, in the order of the documentation.
func Catalogue() []Entry {
	layout := func(l Layout, summary string) Entry { return entry(l.String(), summary, Default(l), Elaborate) }
	return []Entry{
		layout(Reg32, "registers for linear transfers, 32-bit addresses, over APB4, AXI4-Lite or OBI"),
		layout(Reg32x2D, "registers for transfers of up to two dimensions, 32-bit addresses"),
		layout(Reg32x3D, "registers for transfers of up to three dimensions, 32-bit addresses"),
		layout(Reg64, "registers for linear transfers, 64-bit addresses"),
		layout(Reg64x2D, "registers for transfers of up to two dimensions, 64-bit addresses"),
		layout(Reg32RT3D, "reg_32_3d, and registers of events that are launched again and again"),
		entry("desc_64", "chains of descriptors in memory, fetched ahead over AXI4, AXI4-Lite or OBI", DefaultDesc(), ElaborateDesc),
		entry("inst_64", "instructions of a RISC-V core, for one or many channels", DefaultInst(), ElaborateInst),
	}
}
