package frontend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/regs"
)

// Offsets that all layouts have in common. What is not in specification §4.1 lies where
// its layouts have nothing: options and interrupts at 0xc4, errors from 0x200 up, counters
// from 0x400 up.
const (
	atConf        = 0x00
	atStatus      = 0x04
	atNextID      = 0x44
	atDoneID      = 0x84
	atOptions     = 0xc4
	atIRQEnable   = 0xc8
	atIRQPending  = 0xcc
	atErrorInfo   = 0x200
	atErrorID     = 0x240
	atErrorLow    = 0x280
	atErrorHigh   = 0x2c0
	atErrorAction = 0x300
)

// offsets are the places of what differs between the layouts. In wide ones the upper
// half of a value follows the lower.
type offsets struct {
	dst, src, length uint64
	loops            []loopOffsets
	compute          uint64
	addrWidth        int // without errors
}

type loopOffsets struct{ dst, src, reps uint64 }

var places = [layouts]offsets{
	Reg32:     {0xd0, 0xd4, 0xd8, nil, 0xec, 8},
	Reg32x2D:  {0xd0, 0xd4, 0xd8, []loopOffsets{{0xe0, 0xe4, 0xe8}}, 0xec, 8},
	Reg32x3D:  {0xd0, 0xd4, 0xd8, []loopOffsets{{0xe0, 0xe4, 0xe8}, {0xec, 0xf0, 0xf4}}, 0xf8, 8},
	Reg32RT3D: {0xd0, 0xd4, 0xd8, []loopOffsets{{0xe0, 0xe4, 0xe8}, {0xec, 0xf0, 0xf4}}, 0xf8, 12},
	Reg64:     {0xd0, 0xd8, 0xe0, nil, 0x118, 9},
	Reg64x2D:  {0xd0, 0xd8, 0xe0, []loopOffsets{{0x100, 0x108, 0x110}}, 0x118, 9},
}

// field is a field that software writes where the engine has a use for it; where it has
// none, it is a constant.
func field(name, doc string, hi, lo int, used bool, otherwise uint64) regs.Field {
	if !used {
		return regs.Field{Name: name, Doc: doc + " Constant in this engine.", Hi: hi, Lo: lo, Access: regs.RO, Hardware: regs.Unseen, Reset: otherwise}
	}
	return regs.Field{Name: name, Doc: doc, Hi: hi, Lo: lo}
}

// Map is the register map of the front-end.
func (c Config) Map() *regs.Map {
	at := places[c.Layout]
	m := &regs.Map{
		Name: c.Layout.String(), DataWidth: 32, AddrWidth: at.addrWidth,
		Doc: "Registers of the iDMA front-end " + c.Layout.String() + ". A transfer is described, then launched by a read of next_id.",
	}
	if c.ErrorInfo {
		m.AddrWidth = max(m.AddrWidth, 10)
	}
	if c.Counters {
		m.AddrWidth = max(m.AddrWidth, 11)
	}
	add := func(r ...regs.Register) { m.Registers = append(m.Registers, r...) }
	add(regs.Register{Name: "conf", Doc: "Options of the transfer.", Offset: atConf, Fields: c.conf()})
	id := func(name, doc string) []regs.Field {
		return []regs.Field{{Name: name, Doc: doc, Hi: c.TransferIDBits - 1, Lo: 0, Access: regs.RO}}
	}
	array := func(name, doc string, at uint64, fields ...regs.Field) regs.Register {
		return regs.Register{Name: name, Doc: doc, Offset: at, Count: maxStreams, Present: c.Streams, Fields: fields}
	}
	add(array("status", "What stream s is doing.", atStatus, c.status()...))
	next := array("next_id", "A read launches the transfer that is described on stream s, and returns its number. It waits while the queue "+
		"of the stream is full; where the stream then waits for error_action it returns 0, and launches nothing.", atNextID,
		id("next_id", "The number of the transfer just launched, never 0. Numbers count up by one and skip 0.")...)
	next.StallRead = true
	add(next)
	add(array("done_id", "Transfers of a stream end in the order of their numbers.", atDoneID,
		id("done_id", "The number of the transfer that ended last; 1 before the first, which is number 2.")...))
	if c.hasOptions() {
		add(regs.Register{Name: "options", Doc: "Options of the transfer beyond conf.", Offset: atOptions, Fields: c.options()})
	}
	if c.Interrupts {
		add(c.interrupts()...)
	}
	c.addresses(at, func(name, doc string, at uint64, f regs.Field) {
		add(regs.Register{Name: name, Doc: doc, Offset: at, Fields: []regs.Field{f}})
	})
	add(c.computeConfig(at.compute))
	if c.ErrorInfo {
		add(c.errors(array)...)
	}
	if c.Counters {
		add(counterRegisters(array)...)
	}
	if c.Layout.timed() {
		add(c.events()...)
	}
	return m
}

// conf are the options of the specification. enable_nd has a second bit
// where there are three dimensions, and what follows moves up by it.
func (c Config) conf() []regs.Field {
	b := c.Backend
	limited := func(side string, lo int) regs.Field {
		return field(side+"_reduce_len", "Whether "+side+"_max_llen counts.", lo, lo, b.Legalizer, 0)
	}
	length := func(side string, lo int) regs.Field {
		return field(side+"_max_llen", "Logarithm of the longest burst in beats, on the side of "+side+".", lo+2, lo, b.Legalizer, 0)
	}
	bits := max(c.Layout.loops(), 1)
	nd := field("enable_nd", "Dimensions beyond the first that are used; those that are not are done once, whatever their registers hold.",
		9+bits, 10, c.Layout.loops() > 0, 0)
	nd.Values = []regs.Value{{Name: "one_d", Value: 0}, {Name: "two_d", Value: 1}, {Name: "three_d", Value: 2}}[:c.Layout.loops()+1]
	return []regs.Field{
		field("decouple_aw", "1: AW is issued at once; 0: with the first data of its burst.", 0, 0, b.Coupler, 0),
		field("decouple_rw", "0: reads pause while writes are blocked.", 1, 1, true, 0),
		limited("src", 2), limited("dst", 3), length("src", 4), length("dst", 7),
		nd, protocol("src", 10+bits, b.ReadProtocols), protocol("dst", 13+bits, b.WriteProtocols),
	}
}

// protocol is the field that chooses among the protocols of a side.
func protocol(side string, lo int, set backend.PortSet) regs.Field {
	kinds, only := 0, uint64(0)
	var values []regs.Value
	for p, n := range set {
		if n > 0 {
			kinds, only = kinds+1, uint64(p)
			values = append(values, regs.Value{Name: backend.Protocol(p).String(), Value: uint64(p)})
		}
	}
	f := field(side+"_protocol", "Protocol on the side of "+side+".", lo+2, lo, kinds > 1, only)
	f.Values = values
	return f
}

// status tells what is busy.
func (c Config) status() []regs.Field {
	names := []string{"waiting_aw", "responses", "queued", "write_bursts", "read_bursts", "write_data", "read_data", "buffer"}
	docs := []string{"An AW waits for its data.", "A response is to come.", "A request waits for the write manager.", "Write bursts are to be issued.",
		"Read bursts are to be issued.", "Write data are to be sent.", "Read data are to come.", "The buffer holds data."}
	var fs []regs.Field
	for i, n := range names {
		fs = append(fs, regs.Field{Name: n, Doc: docs[i], Hi: i, Lo: i, Access: regs.RO})
	}
	midend := regs.Field{Name: "midend", Doc: "The mid-end is busy.", Hi: 8, Lo: 8, Access: regs.RO}
	if c.Layout.loops() == 0 {
		midend.Hardware = regs.Unseen
	}
	return append(fs, midend, regs.Field{Name: "unfinished", Doc: "A launched transfer has not ended yet.", Hi: 9, Lo: 9, Access: regs.RO})
}

// addresses are the registers that describe the transfer.
func (c Config) addresses(at offsets, add func(name, doc string, at uint64, f regs.Field)) {
	value := func(name, doc string, at uint64, width int) {
		word := func(name, doc string, at uint64, width int) {
			add(name, doc, at, field(name, doc, max(min(width, 32), 1)-1, 0, width > 0, 0))
		}
		if !c.Layout.wide() {
			word(name, doc, at, width)
			return
		}
		word(name+"_low", doc+" Bits 31:0.", at, width)
		word(name+"_high", doc+" Bits 63:32.", at+4, width-32)
	}
	value("dst_addr", "Byte address of the destination.", at.dst, c.Backend.AddrWidth)
	value("src_addr", "Byte address of the source.", at.src, c.Backend.AddrWidth)
	value("length", "Bytes of the linear transfer.", at.length, c.Backend.LengthWidth)
	for i, l := range at.loops {
		name := fmt.Sprintf("dim%d_", i)
		stride := "A jump, in bytes and signed, from the %s of the linear transfer just done to that of the next one in this dimension."
		value(name+"dst_stride", fmt.Sprintf(stride, "destination"), l.dst, c.Backend.AddrWidth)
		value(name+"src_stride", fmt.Sprintf(stride, "source"), l.src, c.Backend.AddrWidth)
		value(name+"reps", "How often what is inside this dimension is done.", l.reps, c.RepsWidth)
	}
}

// computeConfig is the register of the operations on the bytes of transfers.
func (c Config) computeConfig(at uint64) regs.Register {
	ops := c.Backend.Compute.Ops()
	used := len(ops) > 0
	op := field("op", "The operation.", 4, 1, used, 0)
	op.Values = []regs.Value{{Name: "none", Value: compute.CodeNone}}
	for _, o := range ops {
		op.Values = append(op.Values, regs.Value{Name: o.Name(), Value: uint64(o.Code())})
	}
	return regs.Register{Name: "compute_cfg", Doc: "What is made of the bytes of the transfer on their way.", Offset: at, Fields: []regs.Field{
		field("enable", "Whether an operation is used.", 0, 0, used, 0), op,
		field("mode", "A variant of the operation: of transpose and byte_swap, the logarithm of the bytes of an element.", 6, 5, used, 0),
		field("m", "Rows, of transpose.", 18, 7, used, 0), field("n", "Columns, of transpose.", 30, 19, used, 0),
	}}
}
