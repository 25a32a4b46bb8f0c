package tb

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/bus/monitor"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/software"
)

// port is a bus of the engine with what the bench puts at its other end, and the monitor
// that watches it. A cycle calls drive before the edge, and then sample, watch and edge.
type port interface {
	drive()              // puts what the model drives on the engine's inputs
	sample()             // takes what the engine drives
	reset()              // tells the monitor of a reset
	watch(cycle uint64)  // gives the monitor the sample
	edge()               // moves the model on
	finish(cycle uint64) // ends the watch

	motion() motion
	pending() (reads, writes int)
	traffic() traffic
	handshakes() []handshake
	violations() (first []Violation, count int)
	stuck() string // channels that wait, for a hang
}

// motion is what happens on a bus in a cycle.
type motion struct {
	asks, offers bool // a read is requested, write data are offered
	reads, wrote bool // a beat is read, written
	any          bool // anything is transferred
}

// traffic is what was seen on a bus.
type traffic struct {
	mem.Beats
	maxReads, maxWrites int
}

// handshake is a VALID of the engine and the READY that answers it, which it may not
// depend on.
type handshake struct {
	name         string
	valid, ready field
	report       func(cycle uint64, message string)
}

// Violation is one breach of the protocol of a bus.
type Violation struct {
	Bus  string // as its ports are named, such as m_axi
	Rule string // its code in the monitor's package
	Text string // with cycle and values
}

func (v Violation) String() string { return v.Bus + ": " + v.Text }

// found brings the violations on a bus into the form of the bench.
func found(bus string, vs []monitor.Violation) []Violation {
	var all []Violation
	for _, v := range vs {
		all = append(all, Violation{bus, string(v.Rule), v.String()})
	}
	return all
}

// family is how the ports of a protocol are found and served. A protocol joins the bench
// with an entry here and a file that has its port.
type family struct {
	protocol    job.Protocol
	read, write string // a port by which a bus is known, # standing for its number
	bind        func(b *binder, h heads) (port, error)
}

// heads is the ends of transfers that a bus serves.
type heads struct {
	unit        int    // back-end
	engine      string // its number in the names of ports; empty for the only one
	protocol    job.Protocol
	number      int
	name        string // that number in the names of ports; empty for the only one
	read, write bool
}

// bus is the name of a port of the bus, given as that of the only bus of its protocol of
// the only back-end, with # where its number stands.
func (h *heads) bus(name string) string {
	return name[:1] + h.engine + strings.Replace(name[1:], "#", h.name, 1)
}

var families = []family{
	{job.AXI4, "m_axi#_arvalid", "m_axi#_awvalid", bindAXI},
	{job.OBI, "m_obi#_read_req", "m_obi#_write_req", bindOBI},
	{job.AXI4Lite, "m_axil#_arvalid", "m_axil#_awvalid", bindAXI},
	{job.TileLink, "m_tl#_read_a_valid", "m_tl#_write_a_valid", bindTileLink},
	{job.AXI4Stream, "s_axis#_tvalid", "m_axis#_tvalid", bindStream},
}

// buses is all that a back-end has.
type buses struct {
	*ports
	units       int // back-ends
	streams     int // of requests
	all         []port
	heads       []heads // of each
	read, write []job.Protocol
	reads       map[job.Protocol]int // ports of each protocol
	writes      map[job.Protocol]int
}

// bind finds the ports of a back-end in an engine. Its data width is that of any bus.
func bind(eng sim.Engine, t *software.Target) (*buses, error) {
	if t != nil {
		return bindWhole(eng.Layout(), eng.In(), eng.Out(), t)
	}
	return bindArrays(eng.Layout(), eng.In(), eng.Out())
}

// Check refuses a list that an engine of the layout cannot do, with a [job.Error]. Of the
// configuration it looks at what the engine is: Software and Compute. It returns the list
// with what the engine makes of operations, see [job.List.For].
func Check(list *job.List, l *sim.Layout, cfg RunConfig) (*job.List, error) {
	t := cfg.Software
	what := &RunConfig{Launch: WaitOnOverlap, Compute: cfg.Compute}
	in, out := make([]uint64, l.InWords), make([]uint64, l.OutWords)
	if t == nil {
		b, err := bindArrays(l, in, out)
		if err != nil {
			return nil, err
		}
		return checkList(list, b, what)
	}
	b, err := bindWhole(l, in, out, t)
	if err != nil {
		return nil, err
	}
	p, err := apart(list, t)
	if err != nil {
		return nil, err
	}
	_, err = checkList(p.list, b, what)
	return list, err
}

func bindArrays(l *sim.Layout, in, out []uint64) (*buses, error) {
	b := &binder{lay: l, inputs: in, outputs: out}
	s := &buses{ports: b.bindPorts(), units: 1, streams: 1, reads: map[job.Protocol]int{}, writes: map[job.Protocol]int{}}
	b.ports = s.ports
	if err := s.bindUnit(b, 0, ""); err != nil {
		return nil, err
	}
	if s.src.mode.has {
		s.read, s.reads[job.Init] = append(s.read, job.Init), 1
	}
	if s.dst.protocol.has || len(s.write) == 0 { // a sink has no ports to know it by
		s.write, s.writes[job.Init] = append(s.write, job.Init), 1
	}
	if s.src.head.has { // nor have several generators and sinks
		s.reads[job.Init] = job.MaxHeads
	}
	if s.dst.head.has {
		s.writes[job.Init] = job.MaxHeads
	}
	if len(s.all) == 0 && !s.src.mode.has {
		b.missing = append(b.missing, "of a bus, such as m_axi_arvalid")
	}
	if s.bytes == 0 {
		s.bytes = 4 // nothing is seen of the data
	}
	return s, b.check("back-end")
}

// bindUnit finds the buses of a back-end.
func (s *buses) bindUnit(b *binder, unit int, engine string) error {
	for _, f := range families {
		if err := s.bindFamily(b, f, heads{unit: unit, engine: engine, protocol: f.protocol}); err != nil {
			return err
		}
	}
	return nil
}

func (s *buses) bindFamily(b *binder, f family, h heads) error {
	for n := -1; n < job.MaxHeads; n++ {
		if h.number = max(n, 0); n >= 0 {
			h.name = fmt.Sprint(n)
		}
		if h.read, h.write = b.has(h.bus(f.read)), b.has(h.bus(f.write)); !h.read && !h.write {
			continue
		}
		p, err := f.bind(b, h)
		if err != nil {
			return err
		}
		s.all, s.heads = append(s.all, p), append(s.heads, h)
		for _, side := range []struct {
			has   bool
			kinds *[]job.Protocol
			count map[job.Protocol]int
		}{{h.read, &s.read, s.reads}, {h.write, &s.write, s.writes}} {
			if !side.has || h.unit > 0 { // all have the same
				continue
			}
			if side.count[h.protocol] == 0 {
				*side.kinds = append(*side.kinds, h.protocol)
			}
			side.count[h.protocol]++
		}
	}
	return nil
}

// find is the bus of one side of a transfer of a back-end, or nil.
func (s *buses) find(unit int, side *job.Side, write bool) port {
	for i, h := range s.heads {
		if h.unit == unit && h.protocol == side.Protocol && h.number == side.Head && (h.read && !write || h.write && write) {
			return s.all[i]
		}
	}
	return nil
}

// limits is what transfers the engine can do.
func (s *buses) limits(ops compute.Set) (job.Limits, error) {
	l := job.Limits{AddrWidth: s.addrWidth, LengthWidth: s.lengthWidth, Read: s.read, Write: s.write,
		ReadHeads: s.reads, WriteHeads: s.writes, Errors: s.actionValid.has, Streams: s.streams, Bytes: s.bytes}
	for _, o := range ops.Ops() {
		if !s.compute.enable.has || o.NeedsDstLength() && !s.compute.dstLength.has {
			return l, fmt.Errorf("run: the engine has no ports to ask for %s, such as req_compute_enable", o.Name())
		}
		c := job.Capability{Op: job.Operation(o.Code())}
		switch o := o.(type) {
		case compute.MXQuantise:
			c.SignedScale = o.SignedScale
		case compute.MXDequantise:
			c.SignedScale = o.SignedScale
		}
		l.Compute = append(l.Compute, c)
	}
	return l, nil
}

// width takes the width of the data of a bus, which is that of all.
func (b *binder) width(name string, bits, strobes int) error {
	n := bits / 8
	if bits%8 != 0 || n&(n-1) != 0 || n == 0 || n > 128 || strobes != n {
		return fmt.Errorf("%s has %d bits and %d strobes; data must be a power of two from 8 to 1024 and strobes an eighth of that", name, bits, strobes)
	}
	if b.ports.bytes != 0 && b.ports.bytes != n {
		return fmt.Errorf("%s has %d bits and another bus %d; all must be as wide", name, bits, 8*b.ports.bytes)
	}
	b.ports.bytes = n
	return nil
}
