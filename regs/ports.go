package regs

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// portName is what the ports of a field begin with.
func portName(r *Register, element int, field string) string {
	n := r.Name
	if r.Count > 0 {
		n += fmt.Sprintf("_%d", element)
	}
	if field != r.Name {
		n += "_" + field
	}
	return n
}

// wordPorts declares the hardware's side of a register as ports of a module.
func wordPorts(m *hdl.Module, r *Register, element int) (w WordIO) {
	out := func(has bool, name string, t hdl.Var, doc string) []hdl.Var {
		if !has {
			return nil
		}
		return []hdl.Var{m.Out(name, t, hdl.Doc(doc))}
	}
	in := func(has bool, name string, t hdl.Var, doc string) []hdl.Var {
		if !has {
			return nil
		}
		return []hdl.Var{m.In(name, t, hdl.Doc(doc))}
	}
	for i := range r.Fields {
		d := &r.Fields[i]
		n, t := portName(r, element, d.Name), hdl.U(d.width())
		w.Fields = append(w.Fields, FieldIO{
			Value: out(d.seen(), n, t, d.Doc),
			Next:  in(d.given(), n+"_in", t, d.Doc),
			Load:  in(d.given() && d.Access == RW, n+"_load", hdl.Bool(), ""),
		})
	}
	n := portName(r, element, r.Name)
	w.WasRead = out(r.OnRead, n+"_read", hdl.Bool(), "Software reads now.")
	w.WasWritten = out(r.OnWrite, n+"_written", hdl.Bool(), "Software writes now.")
	w.ReadAsked = out(r.StallRead, n+"_read_asked", hdl.Bool(), "A read is offered.")
	w.WriteAsked = out(r.StallWrite, n+"_write_asked", hdl.Bool(), "A write is offered.")
	w.ReadReady = in(r.StallRead, n+"_read_ready", hdl.Bool(), "Reads may go on.")
	w.WriteReady = in(r.StallWrite, n+"_write_ready", hdl.Bool(), "Writes may go on.")
	return w
}

// Expose declares the hardware's side of the register file as ports of the module that
// it was placed in, by the same names, and joins them.
func (r Registers) Expose(m *hdl.Module) []WordIO {
	var words []WordIO
	for i := range r.m.Registers {
		d := &r.m.Registers[i]
		for k := range d.present() {
			if len(words) == len(r.io.Words) {
				break // the file failed, and that was reported
			}
			w := wordPorts(m, d, k)
			hdl.Connect(w, r.io.Words[len(words)])
			words = append(words, w)
		}
	}
	return words
}
