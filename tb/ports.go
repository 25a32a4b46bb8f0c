package tb

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// field is a port of at most 64 bits: a place in the engine's arrays, or a dummy
// for a port that the design does not have.
type field struct {
	word *uint64
	mask uint64
	has  bool
}

func (f field) get() uint64  { return *f.word }
func (f field) set(v uint64) { *f.word = v & f.mask }
func (f field) on() bool     { return *f.word != 0 }

func (f field) setBool(b bool) {
	if b {
		*f.word = 1
		return
	}
	*f.word = 0
}

// sidePorts is the request's attributes of one side.
type sidePorts struct {
	burst, cache, lock, prot, qos, region, maxLLen, reduceLen field
}

// addrPorts is AW or AR.
type addrPorts struct {
	valid, ready, id, addr, len, size, burst, lock, cache, prot, qos, region field
	user                                                                     []uint64
}

// ports is where a back-end's ports lie.
type ports struct {
	reqValid, reqReady                       field
	length, srcAddr, dstAddr, id, user       field
	src, dst                                 sidePorts
	decoupleAW, decoupleRW, last             field
	rspValid, rspReady, rspLast, rspError    field
	rspCause, rspErrType, rspBurstAddr, busy field
	rspAsks                                  field
	actionValid, actionReady, actionKind     field // with an error handler
	aw, ar                                   addrPorts
	wValid, wReady, wLast                    field
	wData, wStrb, wUser                      []uint64
	bValid, bReady, bID, bResp               field
	rValid, rReady, rID, rResp, rLast        field
	rData                                    []uint64
	bytes, addrWidth, lengthWidth, idWidth   int
}

// binder finds ports and keeps what is missing.
type binder struct {
	eng     sim.Engine
	lay     *sim.Layout
	missing []string
	err     error
}

// find is a port by name; words is nil where the design lacks it.
func (b *binder) find(name string, input, required bool) (words []uint64, width int) {
	p, err := b.lay.Port(name)
	if err != nil {
		if required {
			b.missing = append(b.missing, name)
		}
		return nil, 0
	}
	if p.Input != input {
		if b.err == nil {
			b.err = fmt.Errorf("the design's port %s has the wrong direction for a back-end", name)
		}
		return nil, 0
	}
	array := b.eng.Out()
	if input {
		array = b.eng.In()
	}
	return array[p.Offset : p.Offset+p.Words() : p.Offset+p.Words()], p.Type.Width
}

func (b *binder) field(name string, input, required bool) field {
	words, width := b.find(name, input, required)
	if words == nil {
		return field{word: new(uint64)}
	}
	return field{word: &words[0], mask: ^uint64(0) >> (64 - min(width, 64)), has: true}
}

func (b *binder) must(name string, input bool) field { return b.field(name, input, true) }
func (b *binder) in(name string) field               { return b.field(name, true, false) }
func (b *binder) out(name string) field              { return b.field(name, false, false) }

func (b *binder) side(prefix string) sidePorts {
	return sidePorts{
		burst: b.in(prefix + "burst"), cache: b.in(prefix + "cache"), lock: b.in(prefix + "lock"),
		prot: b.in(prefix + "prot"), qos: b.in(prefix + "qos"), region: b.in(prefix + "region"),
		maxLLen: b.in(prefix + "max_llen"), reduceLen: b.in(prefix + "reduce_len"),
	}
}

func (b *binder) addr(prefix string) addrPorts {
	user, _ := b.find(prefix+"user", false, false)
	return addrPorts{
		valid: b.must(prefix+"valid", false), ready: b.must(prefix+"ready", true),
		addr: b.must(prefix+"addr", false), len: b.must(prefix+"len", false),
		id: b.out(prefix + "id"), size: b.out(prefix + "size"), burst: b.out(prefix + "burst"), lock: b.out(prefix + "lock"),
		cache: b.out(prefix + "cache"), prot: b.out(prefix + "prot"), qos: b.out(prefix + "qos"), region: b.out(prefix + "region"),
		user: user,
	}
}

// bind finds the ports of an AXI4 back-end in an engine.
func bind(eng sim.Engine) (*ports, error) {
	b := &binder{eng: eng, lay: eng.Layout()}
	p := &ports{
		reqValid: b.must("req_valid", true), reqReady: b.must("req_ready", false),
		length: b.must("req_length", true), srcAddr: b.must("req_src_addr", true), dstAddr: b.must("req_dst_addr", true),
		id: b.in("req_id"), user: b.in("req_user"), src: b.side("req_src_"), dst: b.side("req_dst_"),
		decoupleAW: b.in("req_decouple_aw"), decoupleRW: b.in("req_decouple_rw"), last: b.in("req_last"),
		rspValid: b.must("rsp_valid", false), rspReady: b.must("rsp_ready", true),
		rspLast: b.out("rsp_last"), rspError: b.out("rsp_error"), rspCause: b.out("rsp_cause"),
		rspErrType: b.out("rsp_err_type"), rspBurstAddr: b.out("rsp_burst_addr"), busy: b.out("busy"),
		rspAsks: b.out("rsp_asks"), actionValid: b.in("action_valid"), actionReady: b.out("action_ready"), actionKind: b.in("action_kind"),
		aw: b.addr("m_axi_aw"), ar: b.addr("m_axi_ar"),
		wValid: b.must("m_axi_wvalid", false), wReady: b.must("m_axi_wready", true), wLast: b.must("m_axi_wlast", false),
		bValid: b.must("m_axi_bvalid", true), bReady: b.must("m_axi_bready", false), bID: b.in("m_axi_bid"), bResp: b.in("m_axi_bresp"),
		rValid: b.must("m_axi_rvalid", true), rReady: b.must("m_axi_rready", false), rID: b.in("m_axi_rid"),
		rResp: b.in("m_axi_rresp"), rLast: b.in("m_axi_rlast"),
	}
	var width, strobes, read int
	p.wData, width = b.find("m_axi_wdata", false, true)
	p.wStrb, strobes = b.find("m_axi_wstrb", false, true)
	p.wUser, _ = b.find("m_axi_wuser", false, false)
	p.rData, read = b.find("m_axi_rdata", true, true)
	if len(b.missing) > 0 {
		return nil, fmt.Errorf("the design is no AXI4 back-end: it has no port %s", strings.Join(b.missing, ", "))
	}
	if b.err != nil {
		return nil, b.err
	}
	p.bytes = width / 8
	if width%8 != 0 || p.bytes&(p.bytes-1) != 0 || p.bytes > axi4.MaxLanes || read != width || strobes != p.bytes {
		return nil, fmt.Errorf("m_axi_wdata has %d bits, m_axi_rdata %d, m_axi_wstrb %d; data must be equal powers of two up to 1024 and strobes an eighth of that", width, read, strobes)
	}
	p.addrWidth = widthOf(p.srcAddr)
	p.lengthWidth = widthOf(p.length)
	p.idWidth = widthOf(p.id)
	return p, nil
}

// widthOf is the number of bits of a field, 0 if the design lacks it.
func widthOf(f field) int {
	n := 0
	for m := f.mask; m != 0; m >>= 1 {
		n++
	}
	return n
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
