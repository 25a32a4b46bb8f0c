package tb

import (
	"math/bits"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/bus/obi"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// obiWires is the two buses of an OBI port, one that reads and one that writes, seen as
// one bus of AXI4: a request is a burst of one beat, that of a write comes with its data,
// and without rready a response is taken when it comes. Of either there may be none.
type obiWires struct {
	name          string
	size          uint8
	read, write   obiBus
	reads, writes bool
}

// obiBus is one bus.
type obiBus struct {
	name                         string
	addrPorts                    // valid and ready are req and gnt
	we, rvalid, rready, err, rid field
	be, wdata, rdata             []uint64
	mon                          *obi.Monitor
	s                            obi.Sample
}

func (b *binder) obi(n string, has bool) (o obiBus, err error) {
	o = obiBus{name: n, addrPorts: addrPorts{
		valid: b.field(n+"_req", false, has), ready: b.field(n+"_gnt", true, has), addr: b.field(n+"_addr", false, has), id: b.out(n + "_aid"),
	},
		we: b.field(n+"_we", false, has), rvalid: b.field(n+"_rvalid", true, has), rready: b.out(n + "_rready"),
		err: b.in(n + "_err"), rid: b.in(n + "_rid")}
	var width, lanes int
	o.be, lanes = b.find(n+"_be", false, has)
	o.wdata, _ = b.find(n+"_wdata", false, has)
	o.rdata, width = b.find(n+"_rdata", true, has)
	if err = b.check("back-end with a bus " + n); err == nil && has {
		err = b.width(n+"_rdata", width, lanes)
	}
	return o, err
}

func bindOBI(b *binder, h heads) (port, error) {
	w := &obiWires{name: h.bus("m_obi#"), reads: h.read, writes: h.write}
	var err error
	if w.read, err = b.obi(w.name+"_read", h.read); err != nil {
		return nil, err
	}
	if w.write, err = b.obi(w.name+"_write", h.write); err != nil {
		return nil, err
	}
	w.size = uint8(bits.TrailingZeros(uint(b.ports.bytes)))
	return &memPort{wires: w, heads: h, bus: w.name}, nil
}

func (w *obiWires) begin(bytes, keep int) {
	for _, o := range []*obiBus{&w.read, &w.write} {
		o.mon = obi.NewMonitor(obi.Config{Bytes: bytes, RReady: o.rready.has, Keep: keep})
	}
}

func (w *obiWires) publish(s *axi4.Sample) {
	w.read.ready.setBool(s.AR.Ready)
	w.read.rvalid.setBool(s.R.Valid)
	w.read.err.setBool(s.R.Resp >= axi4.SlvErr)
	w.read.rid.set(s.R.ID)
	w.write.ready.setBool(s.AW.Ready && s.W.Ready)
	w.write.rvalid.setBool(s.B.Valid)
	w.write.err.setBool(s.B.Resp >= axi4.SlvErr)
	w.write.rid.set(s.B.ID)
}

func (w *obiWires) take(s *axi4.Sample) {
	w.read.ask(&s.AR, w.size)
	w.write.ask(&s.AW, w.size)
	s.AW.Valid = s.AW.Valid && s.AW.Ready && s.W.Ready // address and data go together
	s.W.Valid, s.W.Last = s.AW.Valid, true
	s.R.Ready = w.read.rready.on() || !w.read.rready.has
	s.B.Ready = w.write.rready.on() || !w.write.rready.has
}

// ask is the request that is offered, as a burst of one beat.
func (o *obiBus) ask(c *axi4.AddrChannel, size uint8) {
	c.Valid = o.valid.on()
	c.Request = axi4.Request{ID: o.id.get(), Addr: o.addr.get(), Size: size, Burst: axi4.Incr}
}

func (w *obiWires) view(s *axi4.Sample) {
	s.R.Data, s.W.Data, s.W.Strb = w.read.rdata, w.write.wdata, w.write.be
}

// now is the bus at this edge.
func (o *obiBus) now() *obi.Sample {
	o.s = obi.Sample{
		Req: o.valid.on(), Gnt: o.ready.on(), RValid: o.rvalid.on(), RReady: o.rready.on(),
		Request:  obi.Request{Addr: o.addr.get(), Write: o.we.on(), BE: o.be, WData: o.wdata, AID: o.id.get()},
		Response: obi.Response{RData: o.rdata, Err: o.err.on(), RID: o.rid.get()},
	}
	return &o.s
}

func (w *obiWires) each(f func(o *obiBus, write bool)) {
	if w.reads {
		f(&w.read, false)
	}
	if w.writes {
		f(&w.write, true)
	}
}

func (w *obiWires) monitorReset(*axi4.Sample) {
	w.each(func(o *obiBus, _ bool) { o.mon.Reset(0, o.now()) })
}

func (w *obiWires) monitor(cycle uint64, _ *axi4.Sample) {
	w.each(func(o *obiBus, write bool) {
		s := o.now()
		o.mon.Cycle(cycle, s)
		if s.Req && s.Write != write {
			o.mon.Report(cycle, obi.RequestChanged, "we is not that of the bus")
		}
	})
}

func (w *obiWires) finish(cycle uint64) { w.each(func(o *obiBus, _ bool) { o.mon.Finish(cycle) }) }

func (w *obiWires) offered() (read, write bool)    { return w.read.valid.on(), w.write.valid.on() }
func (w *obiWires) addresses() (ar, aw *addrPorts) { return &w.read.addrPorts, &w.write.addrPorts }

// adapt leaves out what address and data on one channel cannot do.
func (w *obiWires) adapt(c mem.Config) mem.Config {
	c.WriteOrder, c.Stalls.W = mem.AnyOrder, 0
	return c
}

func (w *obiWires) violations() (first []Violation, count int) {
	w.each(func(o *obiBus, _ bool) {
		first = append(first, found(o.name, o.mon.Violations())...)
		count += o.mon.Count()
	})
	return first, count
}

func (w *obiWires) handshakes() (hs []handshake) {
	w.each(func(o *obiBus, _ bool) {
		hs = append(hs, handshake{o.name + "_req", o.valid, o.ready, func(cycle uint64, message string) { o.mon.Report(cycle, obi.ReqOnGnt, message) }})
	})
	return hs
}
