package main

import (
	"fmt"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/tb/job"
)

// checkDesign is an engine that is checked.
type checkDesign struct {
	name string
	cfg  backend.Config
}

// checkDesigns are the engines of the table: AXI4 at each width, then some with other
// ports.
func checkDesigns() []checkDesign {
	var ds []checkDesign
	for _, width := range benchWidths {
		ds = append(ds, checkDesign{fmt.Sprintf("idma.backend-%d", width), engineConfig(width, 8)})
	}
	every := backend.PortsOf(backend.AXI4, backend.OBI, backend.AXILite, backend.TileLink, backend.Init, backend.AXIStream)
	for _, p := range []struct {
		name        string
		read, write backend.PortSet
	}{
		{"axi4-obi", backend.PortsOf(backend.AXI4), backend.PortsOf(backend.OBI)},
		{"stream-axi4", backend.PortsOf(backend.AXIStream), backend.PortsOf(backend.AXI4)},
		{"every-port", every, every},
	} {
		c := engineConfig(32, 8)
		c.ReadProtocols, c.WriteProtocols = p.read, p.write
		ds = append(ds, checkDesign{"idma.backend-" + p.name, c})
	}
	c := engineConfig(64, 8)
	for _, o := range compute.Standard() {
		if c.Compute[o.Code()] == nil {
			c.Compute[o.Code()] = o
		}
	}
	return append(ds, checkDesign{"idma.backend-operations", c})
}

// can is those of some lists that are run on the design: on one with operations those with
// operations, and on others the others.
func (d checkDesign) can(lists []*job.List) (own []*job.List) {
	for _, l := range lists {
		if l.Computes() == (d.cfg.Compute != compute.Set{}) {
			own = append(own, l)
		}
	}
	return own
}

// over is the lists with their transfers spread over the ports of the design in turn,
// each one from the next port to a port that moves on after all.
func (d checkDesign) over(lists []*job.List) []*job.List {
	reads, writes := sides(d.cfg.ReadProtocols), sides(d.cfg.WriteProtocols)
	var out []*job.List
	for _, l := range lists {
		c := &job.List{Name: l.Name, Jobs: append([]job.Job(nil), l.Jobs...)}
		for i := range c.Jobs {
			from, to := reads[i%len(reads)], writes[(i+i/len(reads))%len(writes)]
			s, t := &c.Jobs[i].Src, &c.Jobs[i].Dst
			s.Protocol, s.Head, s.Mode = from.Protocol, from.Head, uint8(i%3)
			t.Protocol, t.Head = to.Protocol, to.Head
		}
		out = append(out, c)
	}
	return out
}

// sides is the ports of one side as transfers name them.
func sides(set backend.PortSet) []job.Side {
	var ss []job.Side
	for p, n := range set {
		for h := range int(n) {
			ss = append(ss, job.Side{Protocol: job.Protocol(p), Head: h})
		}
	}
	return ss
}
