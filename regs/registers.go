package regs

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/hdl"
)

// Registers is a register file that was placed in a module, its parts found by the
// names of the map. A name or a number that the map does not have is a mistake that
// elaboration reports.
type Registers struct {
	Bus Bus
	m   *Map
	io  FileIO
}

// Place places the [File] of a map. Its module is called as the map, with _regs.
// Options are those of [hdl.Inst].
func Place(m *hdl.Module, name string, mp *Map, opts ...hdl.Option) Registers {
	io := hdl.Inst(m, name, File, mp.File(), append([]hdl.Option{hdl.Named(mp.Name + "_regs")}, opts...)...)
	return Registers{io.Bus, mp, io}
}

// find is the number of a word among those of the interface, and its register.
func (r Registers) find(name string, element int) (int, *Register) {
	at := 0
	for i := range r.m.Registers {
		d := &r.m.Registers[i]
		if d.Name == name {
			if element < 0 || element >= d.present() {
				panic(fmt.Sprintf("register %s of map %s has %d elements, and no element %d", name, r.m.Name, d.present(), element))
			}
			return at + element, d
		}
		at += d.present()
	}
	panic(fmt.Sprintf("map %s has no register %q", r.m.Name, name))
}

// Word is element i of a register, 0 where it is no array.
func (r Registers) Word(name string, i int) WordIO {
	at, _ := r.find(name, i)
	return r.io.Words[at]
}

// Field is a field of element i, named as register.field, or only as the register
// where that has one field.
func (r Registers) Field(path string, i int) FieldIO {
	register, field, dotted := strings.Cut(path, ".")
	at, d := r.find(register, i)
	if !dotted && len(d.Fields) == 1 {
		return r.io.Words[at].Fields[0]
	}
	for k, f := range d.Fields {
		if f.Name == field {
			return r.io.Words[at].Fields[k]
		}
	}
	panic(fmt.Sprintf("register %s of map %s has no field %q", register, r.m.Name, field))
}

// Get is what hardware reads of a field.
func (r Registers) Get(path string, i int) hdl.Signal {
	f := r.Field(path, i)
	if len(f.Value) == 0 {
		panic(fmt.Sprintf("hardware does not read %s of map %s", path, r.m.Name))
	}
	return f.Value[0].Signal
}

// Give is what hardware makes of a field: its value, or for W1C and RC the bits to set.
func (r Registers) Give(path string, i int, v hdl.Value) {
	f := r.Field(path, i)
	if len(f.Next) == 0 {
		panic(fmt.Sprintf("hardware does not write %s of map %s", path, r.m.Name))
	}
	f.Next[0].Set(v)
}
