package tb

import (
	"fmt"
	"strings"

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
	protocol, head, mode                                      field
}

// computePorts is the request's operation.
type computePorts struct{ enable, op, mode, m, n, dstLength field }

// ports is where the ports of a back-end lie that are not of a bus.
type ports struct {
	reqValid, reqReady                       field
	length, srcAddr, dstAddr, id, user       field
	src, dst                                 sidePorts
	decoupleAW, decoupleRW, last             field
	compute                                  computePorts
	rspValid, rspReady, rspLast, rspError    field
	rspCause, rspErrType, rspBurstAddr, busy field
	rspAsks                                  field
	actionValid, actionReady, actionKind     field // with an error handler
	bytes, addrWidth, lengthWidth            int
}

// binder finds ports and keeps what is missing.
type binder struct {
	inputs, outputs []uint64
	lay             *sim.Layout
	ports           *ports
	missing         []string
	err             error
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
	array := b.outputs
	if input {
		array = b.inputs
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
		protocol: b.in(prefix + "protocol"), head: b.in(prefix + "head"), mode: b.in(prefix + "mode"),
		maxLLen: b.in(prefix + "max_llen"), reduceLen: b.in(prefix + "reduce_len"),
	}
}

// bindPorts finds what is not of a bus.
func (b *binder) bindPorts() *ports {
	p := &ports{
		reqValid: b.must("req_valid", true), reqReady: b.must("req_ready", false),
		length: b.must("req_length", true), srcAddr: b.must("req_src_addr", true), dstAddr: b.must("req_dst_addr", true),
		id: b.in("req_id"), user: b.in("req_user"), src: b.side("req_src_"), dst: b.side("req_dst_"),
		decoupleAW: b.in("req_decouple_aw"), decoupleRW: b.in("req_decouple_rw"), last: b.in("req_last"),
		compute: computePorts{enable: b.in("req_compute_enable"), op: b.in("req_compute_op"), mode: b.in("req_compute_mode"),
			m: b.in("req_compute_m"), n: b.in("req_compute_n"), dstLength: b.in("req_dst_length")},
		rspValid: b.must("rsp_valid", false), rspReady: b.must("rsp_ready", true),
		rspLast: b.out("rsp_last"), rspError: b.out("rsp_error"), rspCause: b.out("rsp_cause"),
		rspErrType: b.out("rsp_err_type"), rspBurstAddr: b.out("rsp_burst_addr"), busy: b.out("busy"),
		rspAsks: b.out("rsp_asks"), actionValid: b.in("action_valid"), actionReady: b.out("action_ready"), actionKind: b.in("action_kind"),
	}
	p.addrWidth, p.lengthWidth = widthOf(p.srcAddr), widthOf(p.length)
	return p
}

// has reports whether the design has a port of the name.
func (b *binder) has(name string) bool {
	_, err := b.lay.Port(name)
	return err == nil
}

// check is what was found wrong with the ports.
func (b *binder) check(what string) error {
	if len(b.missing) > 0 {
		return fmt.Errorf("the design is no %s: it has no port %s", what, strings.Join(b.missing, ", "))
	}
	return b.err
}

// widthOf is the number of bits of a field, 0 if the design lacks it.
func widthOf(f field) int {
	n := 0
	for m := f.mask; m != 0; m >>= 1 {
		n++
	}
	return n
}
