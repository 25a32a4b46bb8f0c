package frontend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/midend"
)

// InstPorts is the interface of the instruction front-end.
type InstPorts struct {
	Instr  hdl.Stream[Instruction] `hdl:"in"`
	Result hdl.Stream[Result]
	// Req are the requests of each channel, one dimension beyond the linear one. One is
	// offered in the cycle after that in which its copy was taken.
	Req []hdl.Stream[midend.Request]
	Rsp []hdl.Stream[backend.Response] `hdl:"in"` // taken at once
	// Failed is one for a cycle when a transfer of the channel ends with an error.
	Failed []hdl.Var
}

// Instruction is one that a core hands over, with what it has read from registers.
type Instruction struct {
	Op  hdl.Var // the 32 bits of the instruction
	Rs1 hdl.Var // 32 bits
	Rs2 hdl.Var // 32 bits
	Tag hdl.Var // comes back with the result
}

// Result is what a core is to write into rd.
type Result struct {
	Data  hdl.Var // 32 bits
	Tag   hdl.Var
	Error hdl.Var // there is no such instruction, or no such channel; nothing was done
}

// Values of funct7. The opcode is custom-1, funct3 is 0.
const (
	DMSRC   = 0 // source address: rs1 its low, rs2 its high half
	DMDST   = 1 // destination address, the same way
	DMCPYI  = 2 // rd: the copy's number; rs1 length, imm5 configuration
	DMCPY   = 3 // rd: the copy's number; rs1 length, rs2 configuration
	DMSTATI = 4 // rd: status; imm5 selector
	DMSTAT  = 5 // rd: status; rs2 selector
	DMSTR   = 6 // strides of source and destination in rs1 and rs2
	DMREP   = 7 // repetitions in rs1
	DMUSER  = 8 // AWUSER: rs1 its low, rs2 its high half
	DMINIT  = 9 // rd: the fill's number; rs1 length, imm5 configuration

	custom1 = 0x2b
)

// Bits 1:0 of selectors, and of the configuration of DMINIT; bits 4:2 name the channel.
const (
	StatDone   = 0 // number of the copy that ended last
	StatNext   = 1 // number that the next copy gets
	StatBusy   = 2 // a copy has not ended
	StatBlocks = 3 // a copy would have to wait

	FillZeros = 0
	FillOnes  = 1 // above: the low byte of the source address
)

// Encode is the instruction with that funct7 and those register numbers, or a constant
// in place of rs2.
func Encode(funct7, rd, rs1, rs2 uint32) uint32 {
	return funct7<<25 | rs2&31<<20 | rs1&31<<15 | rd&31<<7 | custom1
}

// ElaborateInst builds and checks the instruction front-end.
func ElaborateInst(c InstConfig) (*ir.Design, error) {
	return hdl.Elaborate(Inst, c, hdl.Named("idma_inst_64"), hdl.Prefix("idma_"))
}

// Inst describes the instruction front-end (specification §4.3). A core hands over
// instructions that it does not know; those that describe a transfer are kept, and
// those that launch one get its number as their result. A copy that finds the queue of
// its channel full waits.
func Inst(m *hdl.Module, c InstConfig) InstPorts {
	m.Doc(fmt.Sprintf("iDMA instruction front-end: channels %d.", c.Channels))
	word := hdl.U(32)
	io := InstPorts{
		Instr:  hdl.Ports(m, "instr", hdl.Sink, hdl.StreamOf(Instruction{word, word, word, hdl.U(c.TagWidth)}), hdl.MayBeUnused()),
		Result: hdl.Ports(m, "result", hdl.Source, hdl.StreamOf(Result{word, hdl.U(c.TagWidth), hdl.Bool()})),
	}
	in := io.Instr.Data
	known := m.Let("known", in.Op.Bits(6, 0).Eq(hdl.K(custom1)).And(in.Op.Bits(14, 12).None()))
	is := func(name string, f int) hdl.Signal {
		return m.Let("is_"+name, known.And(in.Op.Bits(31, 25).Eq(hdl.K(f))))
	}
	src, dst, str, rep, user := is("dmsrc", DMSRC), is("dmdst", DMDST), is("dmstr", DMSTR), is("dmrep", DMREP), is("dmuser", DMUSER)
	fill := hdl.Const(1, 0)
	if c.fills() {
		fill = is("dminit", DMINIT)
	}
	copies := m.Let("copies", is("dmcpyi", DMCPYI).Or(is("dmcpy", DMCPY)).Or(fill))
	asks := m.Let("asks", is("dmstati", DMSTATI).Or(is("dmstat", DMSTAT)))
	m.Note("Forms with a constant have an even funct7, but for DMINIT.")
	settings := m.Let("settings", hdl.Mux(in.Op.Bit(25).AndNot(fill), in.Rs2.Bits(4, 0), in.Op.Bits(24, 20)))
	channel := settings.Bits(4, 2)
	exists := hdl.Const(1, 1)
	if c.Channels < maxChannels {
		exists = m.Let("channel_exists", channel.Lt(hdl.K(c.Channels)))
	}

	result := hdl.Wires(m, "answer", hdl.StreamOf(Result{word, hdl.U(c.TagWidth), hdl.Bool()}))
	out, _ := lib.Queue(m, "u_results", lib.FIFOParams{Depth: 2}, result)
	hdl.Connect(io.Result, out)
	keeps := m.Let("keeps", hdl.AnyOf(src, dst, str, rep, user))
	wrong := m.Let("wrong", hdl.AnyOf(keeps, copies.And(exists), asks.And(exists)).Not())
	channels := c.channels(m, &io)
	room := channels.of(channel, func(u channelIO) hdl.Signal { return u.Copy.Ready.Signal })
	status := channels.status(channel)
	waits := m.Let("waits", copies.And(exists).AndNot(room))
	m.Note("All but those that are kept have a result. Status may change while it waits, so it is offered only when it is taken.")
	io.Instr.Ready.Set(keeps.Or(result.Ready.AndNot(waits)))
	result.Valid.Set(io.Instr.Valid.And(result.Ready).AndNot(keeps).AndNot(waits))
	result.Data.Tag.Set(in.Tag)
	result.Data.Error.Set(wrong)
	selector := hdl.Mux(copies, hdl.Const(2, StatNext), settings.Bits(1, 0))
	result.Data.Data.Set(hdl.Select(selector, status...).And(hdl.Repeat(wrong.Not(), 32)))

	told := c.keep(m, io.Instr, keptBy{src, dst, str, rep, user})
	channels.launch(channel, io.Instr.Valid.And(copies).And(exists).And(result.Ready), c.described(m, in, settings, fill, told))
	return io
}
