package compute

import (
	"math/bits"

	"github.com/millrace-hdl/millrace/hdl"
)

// CRC32C computes the CRC-32C of transfers: the polynomial of Castagnoli, as RFC 3720 (iSCSI)
// has it. The mode says what becomes of it, a CRCMode constant. In memory the check value is
// four bytes, the lowest first. M is a sum of CRC constants, or 0 for the check of the RFC,
// the other bits of M, and N, have no meaning. Each transfer has a check of its own.
//
// A word moves every cycle on the side that has more. The first word leaves
// 4 + ⌈log2(S)/2⌉ cycles after it came, where S is the bytes of a bus word, and one later where that is 2.
type CRC32C struct{}

// Values of Options.Mode of [CRC32C].
const (
	CRCModeAppend = 0 // the bytes, and behind them their check value
	CRCModeOnly   = 1 // the check value in place of the bytes
	CRCModeStrip  = 2 // the bytes without the check value at their end; where it is wrong, Cause is CauseWrong
	CRCModeCheck  = 3 // all bytes, also the check value at their end; where it is wrong, Cause is CauseWrong
)

// Bits of Options.M of [CRC32C], for checks other than that of the RFC.
const (
	CRCFromZero    = 1 // the register is zero before the first byte, not all ones
	CRCNotInverted = 2 // the register is the check value, not its complement
)

// crcBytes is the size of a check value.
const crcBytes = 4

// Name implements [Op].
func (CRC32C) Name() string { return "crc32c" }

// Code implements [Op].
func (CRC32C) Code() int { return CodeCRC32C }

// Validate implements [Op]: all widths are allowed.
func (CRC32C) Validate(int) error { return nil }

// NeedsDstLength implements [Op].
func (CRC32C) NeedsDstLength() bool { return false }

// OutLength implements [Op]: four bytes more or less, four alone, or the same.
func (CRC32C) OutLength(t Transfer) hdl.Signal {
	n := t.Length
	return hdl.Select(t.Options.Mode, n.Add(hdl.K(crcBytes)), hdl.Const(n.Width(), crcBytes), n.Sub(hdl.K(crcBytes)), n)
}

// Violated implements [Op]: with a check value behind them the bytes are more than a length
// can say, there is no byte but those of the check value to be stripped, or less than a check value to be
// checked.
func (CRC32C) Violated(t Transfer, _ int) hdl.Signal {
	n := t.Length
	tooLong := n.Bits(n.Width()-1, bits.TrailingZeros(crcBytes)).All()
	return hdl.Select(t.Options.Mode, tooLong, hdl.Const(1, 0),
		n.Any().And(n.Le(hdl.K(crcBytes))), n.Any().And(n.Lt(hdl.K(crcBytes))))
}

// Describe implements [Op].
func (CRC32C) Describe(m *hdl.Module, dataWidth int) Unit {
	m.Doc("CRC-32C of transfers: appended, alone, stripped or checked.")
	io := UnitPorts(m, dataWidth)
	p := crcParams{dataWidth}
	p.join(m, p.check(m, p.take(m, io)), io.Out)
	return io
}

// crcParams are the parameters of a unit.
type crcParams struct{ DataWidth int }

// lanes is the bytes of a bus word.
func (p crcParams) lanes() int { return p.DataWidth / 8 }

// padBits is the width of the number of bytes that a bus word lacks.
func (p crcParams) padBits() int { return bits.TrailingZeros(uint(p.lanes())) }

// ahead is how many bus words behind a word hold the four bytes that follow it.
func (p crcParams) ahead() int { return (crcBytes + p.lanes() - 1) / p.lanes() }
