package backend

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/idma/compute"
)

// Request is one linear transfer (specification §1.1).
type Request struct {
	Length     hdl.Var // bytes; 0 is answered with an error
	SrcAddr    hdl.Var // byte address, any alignment
	DstAddr    hdl.Var
	ID         hdl.Var // ARID and AWID, aid of OBI, TID
	User       hdl.Var // AWUSER
	Src        SideOptions
	Dst        SideOptions
	DecoupleAW []hdl.Var `hdl:"opt,name=decouple_aw"` // 0: AW waits for the burst's first data; with the coupler
	DecoupleRW hdl.Var   `hdl:"name=decouple_rw"`     // 0: reads pause while the writes are blocked
	Last       hdl.Var   // returned in the response

	Compute   []compute.Options `hdl:"opt"` // with operations: what is made of the bytes
	DstLength []hdl.Var         `hdl:"opt"` // with operations that need it: bytes that they write; for others without meaning
}

// SideOptions are the options of one side of a transfer.
type SideOptions struct {
	Protocol []hdl.Var `hdl:"opt"` // with several protocols on this side: a [Protocol]
	Head     []hdl.Var `hdl:"opt"` // with several ports of one protocol: which of them
	Mode     []hdl.Var `hdl:"opt"` // with Init reads: what is generated
	Burst    hdl.Var   // AXI4: must be 1 (INCR); anything else is answered with an error
	Cache    hdl.Var
	Lock     hdl.Var // AXI4: must be 0; an exclusive access is answered with an error
	Prot     hdl.Var
	QoS      hdl.Var `hdl:"name=qos"`
	Region   hdl.Var
	Limit    []BurstLimit `hdl:"opt,name="` // with legalizers
}

// BurstLimit keeps bursts short.
type BurstLimit struct {
	MaxLLen   hdl.Var `hdl:"name=max_llen"` // log2 of the longest burst in beats
	ReduceLen hdl.Var // whether MaxLLen counts; if not, bursts reach 256 beats
}

// Response ends one transfer, or, where Asks is one, tells of a bus error of a
// transfer that goes on. Each request has exactly one that ends it, in order.
type Response struct {
	Last      hdl.Var // of the request
	Error     hdl.Var
	Cause     hdl.Var   // bus errors: the AXI response code; refused requests: a Refused code
	ErrType   hdl.Var   // 0 bus read, 1 bus write, 2 the request was refused, 3 by a mid-end
	BurstAddr []hdl.Var `hdl:"opt"` // with error handling: address of the first bus word of the burst that failed, else 0
	Asks      []hdl.Var `hdl:"opt"` // with error handling: the engine waits for an [Action]
}

// Action is what to do about a bus error that a response has told of.
type Action struct {
	Kind hdl.Var // an Action constant
}

// Values of Action.Kind. The fourth acts as [ActionAbort].
const (
	ActionContinue = 0 // go on as if there were no error; data read with it are written
	ActionAbort    = 1 // write nothing more of the transfer and end it
	ActionReplay   = 2 // repeat the transfer from its first byte that is not surely written
)

// Values of Response.ErrType.
const (
	ErrBusRead  = 0
	ErrBusWrite = 1
	ErrRefused  = 2
	ErrMidend   = 3 // a mid-end refused the request: nothing is to be repeated
)

// CauseNoAnswer is the value of Response.Cause where the subordinate did not answer, or
// did not take a request, within Config.Watchdog. It is the response code EXOKAY, which
// no answer to the engine's accesses can be.
const CauseNoAnswer = 1

// Values of Response.Cause with ErrRefused.
const (
	RefusedZeroLength = 0
	RefusedBurst      = 1 // burst type other than INCR, or exclusive
	RefusedPort       = 2 // no port has the protocol and the head
	RefusedCompute    = 3 // the engine has no such operation, or a rule of the operation is broken
)

// Values of SideOptions.Mode. The source address holds the value, in its low 32
// bits. The sequence counts from the first byte of the transfer, so it does not
// depend on how that is cut or where it goes.
const (
	InitRepeat    = 0 // the 32-bit value again and again, its low byte first
	InitIncrement = 1 // 32-bit words: the value, the value plus 1, and so on
	InitRandom    = 2 // 32-bit words of a shift register that starts with the value
)

// NoOperation is the fields Compute and DstLength of requests whose bytes go as they are.
func (c Config) NoOperation() (options []compute.Options, dstLength []hdl.Var) {
	none := compute.OptionsType()
	for _, v := range []*hdl.Var{&none.Enable, &none.Op, &none.Mode, &none.M, &none.N} {
		*v = hdl.V(hdl.Const(v.Width(), 0))
	}
	return optional(c.computes(), none), c.noDstLength()
}

// noDstLength is the field DstLength without a meaning.
func (c Config) noDstLength() []hdl.Var {
	return optional(c.Compute.NeedsDstLength(), hdl.V(hdl.Const(c.LengthWidth, 0)))
}

// RequestType is the type of the back-end's requests, with the fields and widths of the
// configuration.
func (c Config) RequestType() Request { return requestType(c) }

// ResponseType is the type of what it answers.
func (c Config) ResponseType() Response { return responseType(c) }

func requestType(c Config) Request {
	return Request{
		Length: hdl.U(c.LengthWidth), SrcAddr: hdl.U(c.AddrWidth), DstAddr: hdl.U(c.AddrWidth),
		ID: hdl.U(c.IDWidth), User: hdl.U(c.UserWidth), Src: sideType(c, c.ReadProtocols, true), Dst: sideType(c, c.WriteProtocols, false),
		DecoupleAW: optional(c.Coupler, hdl.Bool()), DecoupleRW: hdl.Bool(), Last: hdl.Bool(),
		Compute: optional(c.computes(), compute.OptionsType()), DstLength: optional(c.Compute.NeedsDstLength(), hdl.U(c.LengthWidth)),
	}
}

func sideType(c Config, ports PortSet, read bool) SideOptions {
	return SideOptions{
		Protocol: optional(ports.kinds() > 1, hdl.U(3)), Head: optional(ports.heads() > 1, hdl.U(ports.headBits())),
		Mode:  optional(read && ports[Init] > 0, hdl.U(2)),
		Burst: hdl.U(2), Cache: hdl.U(4), Lock: hdl.Bool(), Prot: hdl.U(3), QoS: hdl.U(4), Region: hdl.U(4),
		Limit: limitType(c),
	}
}

func limitType(c Config) []BurstLimit {
	return optional(c.Legalizer, BurstLimit{MaxLLen: hdl.U(3), ReduceLen: hdl.Bool()})
}

// optional is t where present, for the fields of a bundle that are tagged opt.
func optional[T any](present bool, t T) []T {
	if present {
		return []T{t}
	}
	return nil
}

func responseType(c Config) Response {
	return Response{
		Last: hdl.Bool(), Error: hdl.Bool(), Cause: hdl.U(2), ErrType: hdl.U(2),
		BurstAddr: optional(c.ErrorHandling, hdl.U(c.AddrWidth)), Asks: optional(c.ErrorHandling, hdl.Bool()),
	}
}
