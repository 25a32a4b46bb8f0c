package frontend

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/regs"
	"github.com/millrace-hdl/millrace/sw"
)

// Facts are the registers as SystemRDL, C header, Markdown and HTML, and a driver with
// the header that tells it where the registers are.
func (c Config) Facts() ([]gen.File, error) {
	files, err := c.Map().Facts()
	if err != nil {
		return nil, err
	}
	return append(append(files, gen.File{Name: "sw/" + c.Layout.String() + "_layout.h", Data: []byte(c.layoutHeader())}), sw.Registers()...), nil
}

// Facts are the registers as SystemRDL, C header, Markdown and HTML, and a driver.
func (c DescConfig) Facts() ([]gen.File, error) {
	files, err := c.Map().Facts()
	if err != nil {
		return nil, err
	}
	return append(files, sw.Descriptors()...), nil
}

// layoutHeader is the table that tells the driver where the registers are: struct
// idma_layout of its header.
func (c Config) layoutHeader() string {
	table, name := c.Map(), c.Layout.String()
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	offset := func(name string, value uint64) { line("  .%s = %#x,", name, value) }
	number := func(name string, value int) { line("  .%s = %d,", name, value) }
	register := func(as, name string) {
		low := name
		if c.Layout.wide() && find(table, name) == nil {
			low += "_low"
		}
		if r := find(table, low); r != nil {
			offset(as, r.Offset)
			return
		}
		offset(as, 0)
	}
	bit := func(register, field string) {
		if r := find(table, register); r != nil {
			for _, f := range r.Fields {
				if f.Name == field {
					number(field, f.Lo)
					return
				}
			}
		}
		number(field, 0)
	}

	guard := strings.ToUpper(name) + "_LAYOUT_H"
	line("/* Where the driver finds the registers of %s. Generated; do not edit. */\n#ifndef %s\n#define %s\n\n#include \"idma.h\"\n", name, guard, guard)
	line("static const struct idma_layout %s_layout = {", name)
	for _, r := range []string{"conf", "status", "next_id", "done_id", "dst_addr", "src_addr", "length"} {
		register(r, r)
	}
	for i := range 2 {
		for _, r := range []string{"dst_stride", "src_stride", "reps"} {
			register(fmt.Sprintf("dim[%d].%s", i, r), fmt.Sprintf("dim%d_%s", i, r))
		}
	}
	for _, r := range []string{"error_info", "error_id", "error_addr", "error_addr_high", "error_action"} {
		register(r, r)
	}
	number("dims", c.Layout.loops())
	wide := 0
	if c.Layout.wide() {
		wide = 1
	}
	number("wide", wide)
	number("streams", c.Streams)
	number("id_bits", c.TransferIDBits)
	number("addr_bits", c.Backend.AddrWidth)
	number("length_bits", c.Backend.LengthWidth)
	number("reps_bits", c.RepsWidth)
	bit("conf", "enable_nd")
	for _, f := range []string{"failed", "awaits", "cause", "err_type"} {
		bit("error_info", f)
	}
	line("};\n\n#endif")
	return b.String()
}

// find is the register of that name, or nil.
func find(m *regs.Map, name string) *regs.Register {
	for i := range m.Registers {
		if m.Registers[i].Name == name {
			return &m.Registers[i]
		}
	}
	return nil
}
