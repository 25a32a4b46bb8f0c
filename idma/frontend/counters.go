package frontend

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/regs"
)

const atCounters = 0x400

// counterRegisters are the registers of the counters, which all ports share.
func counterRegisters(array func(name, doc string, at uint64, fields ...regs.Field) regs.Register) (rs []regs.Register) {
	backend.Counts{}.Each(func(name, doc string, _ hdl.Var) {
		rs = append(rs, array("count_"+name, doc, atCounters+uint64(0x40*len(rs)),
			regs.Field{Name: "count_" + name, Doc: "Since reset; it wraps, so software takes differences.", Hi: 31, Lo: 0, Access: regs.RO}))
	})
	return rs
}

// counts shows all ports what the back-end of a stream has counted.
func (f *frontend) counts(s int) {
	counts := hdl.Ports(f.m, numbered("count", s, f.c.Streams), hdl.Sink, f.c.Backend.CountsType(), hdl.MayBeUnused())
	f.io.Counts = append(f.io.Counts, counts)
	for _, r := range f.ports {
		counts.Each(func(name, _ string, count hdl.Var) { r.Give("count_"+name, s, count.Resize(32)) })
	}
}
