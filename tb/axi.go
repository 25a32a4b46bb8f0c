package tb

import (
	"math/bits"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/bus/axilite"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// axiWires is a bus of AXI4 or of AXI4-Lite, which is AXI4 without what it lacks. Of
// either half there may be none.
type axiWires struct {
	name                              string
	aw, ar                            addrPorts
	wValid, wReady, wLast             field
	wData, wStrb, wUser               []uint64
	bValid, bReady, bID, bResp        field
	rValid, rReady, rID, rResp, rLast field
	rData                             []uint64
	size                              uint8 // log2 of the bus width in bytes
	reads, writes                     bool
	mon                               *axi4.Monitor
	lite                              *axilite.Monitor // for AXI4-Lite, around mon
	isLite                            bool
}

// addr is a channel of requests, or of dummies.
func (b *binder) addr(prefix string, required bool, lite bool) addrPorts {
	user, _ := b.find(prefix+"user", false, false)
	return addrPorts{
		valid: b.field(prefix+"valid", false, required), ready: b.field(prefix+"ready", true, required),
		addr: b.field(prefix+"addr", false, required), len: b.field(prefix+"len", false, required && !lite),
		id: b.out(prefix + "id"), size: b.out(prefix + "size"), burst: b.out(prefix + "burst"), lock: b.out(prefix + "lock"),
		cache: b.out(prefix + "cache"), prot: b.out(prefix + "prot"), qos: b.out(prefix + "qos"), region: b.out(prefix + "region"),
		user: user,
	}
}

func bindAXI(b *binder, h heads) (port, error) {
	lite := h.protocol == job.AXI4Lite
	n := h.bus("m_axi#")
	if lite {
		n = h.bus("m_axil#")
	}
	w := &axiWires{name: n, reads: h.read, writes: h.write, isLite: lite,
		aw: b.addr(n+"_aw", h.write, lite), ar: b.addr(n+"_ar", h.read, lite),
		wValid: b.field(n+"_wvalid", false, h.write), wReady: b.field(n+"_wready", true, h.write), wLast: b.field(n+"_wlast", false, h.write && !lite),
		bValid: b.field(n+"_bvalid", true, h.write), bReady: b.field(n+"_bready", false, h.write), bID: b.in(n + "_bid"), bResp: b.in(n + "_bresp"),
		rValid: b.field(n+"_rvalid", true, h.read), rReady: b.field(n+"_rready", false, h.read), rID: b.in(n + "_rid"),
		rResp: b.in(n + "_rresp"), rLast: b.in(n + "_rlast"),
	}
	var written, strobes, read int
	w.wData, written = b.find(n+"_wdata", false, h.write)
	w.wStrb, strobes = b.find(n+"_wstrb", false, h.write)
	w.wUser, _ = b.find(n+"_wuser", false, false)
	w.rData, read = b.find(n+"_rdata", true, h.read)
	if err := b.check("back-end with a bus " + n); err != nil {
		return nil, err
	}
	if h.write {
		if err := b.width(n+"_wdata", written, strobes); err != nil {
			return nil, err
		}
	}
	if h.read {
		if err := b.width(n+"_rdata", read, read/8); err != nil {
			return nil, err
		}
	}
	w.size = uint8(bits.TrailingZeros(uint(b.ports.bytes)))
	return &memPort{wires: w, heads: h, bus: n}, nil
}

func (w *axiWires) begin(bytes, keep int) {
	cfg := axi4.Config{Bytes: bytes, Keep: keep}
	if w.isLite {
		w.lite = axilite.NewMonitor(cfg)
		w.mon = w.lite.Monitor
		return
	}
	w.mon = axi4.NewMonitor(cfg)
}

// publish puts what the memory drives on the engine's inputs. R data are there already.
func (w *axiWires) publish(s *axi4.Sample) {
	w.ar.ready.setBool(s.AR.Ready)
	w.aw.ready.setBool(s.AW.Ready)
	w.wReady.setBool(s.W.Ready)
	w.rValid.setBool(s.R.Valid)
	w.rID.set(s.R.ID)
	w.rResp.set(uint64(s.R.Resp))
	w.rLast.setBool(s.R.Last)
	w.bValid.setBool(s.B.Valid)
	w.bID.set(s.B.ID)
	w.bResp.set(uint64(s.B.Resp))
}

func (w *axiWires) take(s *axi4.Sample) {
	w.ar.sample(&s.AR, w.size)
	w.aw.sample(&s.AW, w.size)
	s.W.Valid, s.W.Last = w.wValid.on(), w.wLast.on() || w.isLite
	s.R.Ready, s.B.Ready = w.rReady.on(), w.bReady.on()
}

func (w *axiWires) view(s *axi4.Sample) {
	s.W.Data, s.W.Strb, s.W.User, s.R.Data = w.wData, w.wStrb, w.wUser, w.rData
}

func (w *axiWires) monitorReset(s *axi4.Sample) {
	if w.isLite {
		w.lite.Reset(0, lite(s))
		return
	}
	w.mon.Reset(0, s)
}

func (w *axiWires) monitor(cycle uint64, s *axi4.Sample) {
	if w.isLite {
		w.lite.Cycle(cycle, lite(s))
		return
	}
	w.mon.Cycle(cycle, s)
}

// lite is what AXI4-Lite has of a sample.
func lite(s *axi4.Sample) *axilite.Sample {
	return &axilite.Sample{
		AW: axilite.AddrChannel{Valid: s.AW.Valid, Ready: s.AW.Ready, Addr: s.AW.Addr, Prot: s.AW.Prot},
		AR: axilite.AddrChannel{Valid: s.AR.Valid, Ready: s.AR.Ready, Addr: s.AR.Addr, Prot: s.AR.Prot},
		W:  axilite.DataChannel{Valid: s.W.Valid, Ready: s.W.Ready, Data: s.W.Data, Strb: s.W.Strb},
		B:  axilite.RespChannel{Valid: s.B.Valid, Ready: s.B.Ready, Resp: s.B.Resp},
		R:  axilite.ReadChannel{Valid: s.R.Valid, Ready: s.R.Ready, Data: s.R.Data, Resp: s.R.Resp},
	}
}

func (w *axiWires) finish(cycle uint64)            { w.mon.Finish(cycle) }
func (w *axiWires) offered() (read, write bool)    { return w.ar.valid.on(), w.wValid.on() }
func (w *axiWires) addresses() (ar, aw *addrPorts) { return &w.ar, &w.aw }
func (w *axiWires) adapt(c mem.Config) mem.Config  { return c }

func (w *axiWires) violations() ([]Violation, int) {
	return found(w.name, w.mon.Violations()), w.mon.Count()
}

func (w *axiWires) handshakes() []handshake {
	on := func(name string, ch axi4.Channel, valid, ready field) handshake {
		return handshake{name, valid, ready, func(cycle uint64, message string) { w.mon.Report(cycle, ch, axi4.ValidOnReady, message) }}
	}
	var hs []handshake
	if w.reads {
		hs = append(hs, on("ARVALID", axi4.AR, w.ar.valid, w.ar.ready))
	}
	if w.writes {
		hs = append(hs, on("AWVALID", axi4.AW, w.aw.valid, w.aw.ready), on("WVALID", axi4.W, w.wValid, w.wReady))
	}
	return hs
}

func (a *addrPorts) sample(c *axi4.AddrChannel, size uint8) {
	if c.Valid = a.valid.on(); !c.Valid {
		return
	}
	c.ID, c.Addr, c.Len = a.id.get(), a.addr.get(), uint8(a.len.get())
	c.Size, c.Burst = size, axi4.Incr
	if a.size.has {
		c.Size = uint8(a.size.get())
	}
	if a.burst.has {
		c.Burst = axi4.Burst(a.burst.get())
	}
	c.Lock, c.Cache, c.Prot = a.lock.on(), uint8(a.cache.get()), uint8(a.prot.get())
	c.QoS, c.Region, c.User = uint8(a.qos.get()), uint8(a.region.get()), a.user
}
