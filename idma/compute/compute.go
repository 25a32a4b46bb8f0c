// Package compute holds operations on the data of transfers while these pass an engine
// (specification §2.7): each is a unit between the read and the write side that takes the
// bytes of a transfer in bus words and gives others. A unit sees no addresses: what it
// takes and gives is aligned to the first byte of the transfer, wherever that lies.
package compute

import (
	"errors"
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// Word is a bus word of a transfer: byte k·S + i of the transfer is in byte lane i of its
// word k, where S is the bytes of a bus word.
type Word struct {
	Data  hdl.Var // what lies in lanes beyond the last byte does not count
	Bytes hdl.Var // how many count, 1 to S; only the last word of a transfer has fewer than S
	Last  hdl.Var // last of its transfer
	Cause hdl.Var // AXI response code of a bus error in the transfer so far, or 0; units pass it on
}

// WordType is the type of words of a bus of dataWidth bits.
func WordType(dataWidth int) Word {
	return Word{Data: hdl.U(dataWidth), Bytes: hdl.U(hdl.AddrBits(dataWidth/8 + 1)), Last: hdl.Bool(), Cause: hdl.U(2)}
}

// CauseWrong is the Cause of a transfer without a bus error in which a unit finds that data are
// wrong: SLVERR.
const CauseWrong = 2

// Options is the option compute of a transfer (specification §1.1).
type Options struct {
	Enable hdl.Var // 0: the bytes go as they are, and the rest has no meaning
	Op     hdl.Var // a Code constant
	Mode   hdl.Var // 2 bits, with a meaning to the operation, as the next two
	M      hdl.Var // 12 bits
	N      hdl.Var
}

// OptionsType is the type of options.
func OptionsType() Options {
	return Options{Enable: hdl.Bool(), Op: hdl.U(codeBits), Mode: hdl.U(2), M: hdl.U(12), N: hdl.U(12)}
}

// Values of Options.Op.
const (
	CodeNone             = 0
	CodeTranspose        = 1
	CodeMXQuantiseFP32   = 2
	CodeMXQuantiseFP16   = 3
	CodeMXDequantiseFP32 = 4
	CodeMXDequantiseFP16 = 5
	CodeCRC32C           = 6
	CodeByteSwap         = 7
	CodeFillMask         = 8
	CodeUser             = 12 // and up to 15: for operations that are not of this package
)

// Unit is the interface of every unit. In takes the bytes that were read and Out gives those
// to be written, as one transfer for each, in order. A word moves every cycle on the
// side that has more. Options are those of the transfer of the word that In offers, the
// same for all its words; where they change, words of the transfer before may still be inside.
type Unit struct {
	In      hdl.Stream[Word] `hdl:"in"`
	Options Options          `hdl:"in,name=opt"`
	Out     hdl.Stream[Word]
}

// UnitType is the type of units of a bus of dataWidth bits.
func UnitType(dataWidth int) Unit {
	return Unit{In: hdl.StreamOf(WordType(dataWidth)), Options: OptionsType(), Out: hdl.StreamOf(WordType(dataWidth))}
}

// Transfer is what is asked of an operation.
type Transfer struct {
	Length    hdl.Signal // bytes that are read
	DstLength hdl.Signal // bytes that are written, as wide; only for operations with [Op.NeedsDstLength]
	Options   Options
}

// Op is an operation. Its values can be compared, so that they can be part of a
// configuration.
type Op interface {
	// Name is lower-case with underscores, for modules and messages. Operations of
	// one name have the same code.
	Name() string
	// Code is the value of Options.Op for it.
	Code() int
	// Validate names what is out of range for a bus of dataWidth bits.
	Validate(dataWidth int) error
	// NeedsDstLength tells that requests have to say how many bytes are written. Either
	// length, but not both, may then be zero: nothing is read, or nothing is written.
	NeedsDstLength() bool
	// OutLength is how many bytes a transfer writes, in the width of its length, if it is
	// not Violated. Zero is only allowed with NeedsDstLength.
	OutLength(t Transfer) hdl.Signal
	// Violated is one bit: the transfer breaks a rule of the operation and has to be
	// refused, because the unit would make nothing sensible of it. A length that is wrong
	// as such, zero, is not among the rules.
	Violated(t Transfer, dataWidth int) hdl.Signal
	// Describe builds the unit in m, as its only content.
	Describe(m *hdl.Module, dataWidth int) Unit
}

// Params select a [Compute].
type Params struct {
	Op        Op
	DataWidth int // bits: a power of two, 16 to 1024
}

// Validate names what is out of range.
func (p Params) Validate() error {
	if p.DataWidth < 16 || p.DataWidth > 1024 || p.DataWidth&(p.DataWidth-1) != 0 {
		return fmt.Errorf("DataWidth is %d; allowed: 16, 32, 64, 128, 256, 512 or 1024", p.DataWidth)
	}
	if p.Op == nil {
		return errors.New("no operation is given; allowed: one of package compute, such as MXQuantise{}")
	}
	return p.Op.Validate(p.DataWidth)
}

// Suffix names the variant.
func (p Params) Suffix() string { return fmt.Sprintf("%s_%d", p.Op.Name(), p.DataWidth) }

// Compute is the unit of an operation.
func Compute(m *hdl.Module, p Params) Unit { return p.Op.Describe(m, p.DataWidth) }

// UnitPorts declares the ports of a unit, of which it need not read all, with the
// properties of their streams.
func UnitPorts(m *hdl.Module, dataWidth int) Unit {
	io := hdl.Ports(m, "", hdl.Source, UnitType(dataWidth), hdl.MayBeUnused())
	hdl.Obey(m, "in", hdl.Sink, io.In)
	hdl.Obey(m, "out", hdl.Source, io.Out)
	return io
}
