package lib

import (
	"fmt"
	"math/big"

	"github.com/millrace-hdl/millrace/hdl"
)

// CRC is a cyclic redundancy check in the usual description: polynomial and initial
// value are those of a register that shifts towards its top bit, whatever the order
// of the data.
type CRC struct {
	Width  int    // bits of the check value, 1 to 64
	Poly   uint64 // the polynomial without its highest term; bit i stands for x^i
	Init   uint64 // the register before the first bit
	XorOut uint64 // what is added to the register at the end
	RefIn  bool   // the lowest bit of a byte comes first
	RefOut bool   // the register is turned around at the end
}

// The checks in common use, by the names of the catalogues.

// CRC5USB is CRC-5/USB.
func CRC5USB() CRC { return CRC{5, 0x05, 0x1f, 0x1f, true, true} }

// CRC8SMBus is CRC-8/SMBUS, also just CRC-8.
func CRC8SMBus() CRC { return CRC{Width: 8, Poly: 0x07} }

// CRC16CCITTFalse is CRC-16/CCITT-FALSE, also CRC-16/IBM-3740.
func CRC16CCITTFalse() CRC { return CRC{Width: 16, Poly: 0x1021, Init: 0xffff} }

// CRC16ARC is CRC-16/ARC.
func CRC16ARC() CRC { return CRC{16, 0x8005, 0, 0, true, true} }

// CRC32IEEE is CRC-32/ISO-HDLC, the one of Ethernet.
func CRC32IEEE() CRC { return CRC{32, 0x04c11db7, 0xffffffff, 0xffffffff, true, true} }

// CRC32C is CRC-32/ISCSI, with the polynomial of Castagnoli.
func CRC32C() CRC { return CRC{32, 0x1edc6f41, 0xffffffff, 0xffffffff, true, true} }

// CRC64ECMA is CRC-64/ECMA-182.
func CRC64ECMA() CRC { return CRC{Width: 64, Poly: 0x42f0e1eba9ea3693} }

// CRC64XZ is CRC-64/XZ: the polynomial of ECMA-182, reflected.
func CRC64XZ() CRC {
	return CRC{64, 0x42f0e1eba9ea3693, ^uint64(0), ^uint64(0), true, true}
}

// Validate requires 1 to 64 bits and values that fit, the polynomial with its lowest
// term.
func (c CRC) Validate() error {
	switch {
	case c.Width < 1 || c.Width > 64:
		return fmt.Errorf("CRC of Width %d: it must be 1 to 64", c.Width)
	case (c.Poly|c.Init|c.XorOut)&^ones(c.Width) != 0:
		return fmt.Errorf("CRC of Width %d with Poly %#x, Init %#x, XorOut %#x: they must be at most %#x", c.Width, c.Poly, c.Init, c.XorOut, ones(c.Width))
	case c.Poly&1 == 0:
		return fmt.Errorf("CRC with Poly %#x: its lowest bit must be one", c.Poly)
	}
	return nil
}

// must refuses a check that is none, where there are no parameters to validate.
func (c CRC) must() {
	if err := c.Validate(); err != nil {
		panic(err) // elaboration reports it
	}
}

// CRCStart is the state of a check before the first bit. States hold the register
// with the bit at which data enters at the bottom if RefIn, else at the top.
func CRCStart(c CRC) hdl.Signal {
	c.must()
	if c.RefIn {
		return hdl.Const(c.Width, reversed(c.Init, c.Width))
	}
	return hdl.Const(c.Width, c.Init)
}

// CRCNext is the state that follows when the bits of data, of any number, have come:
// the lowest first if RefIn, else the highest. It is one level of XORs per bit of the
// state, whatever the width of data. The operands appear in the RTL joined as name.
func CRCNext(m *hdl.Module, name string, c CRC, state, data hdl.Signal) hdl.Signal {
	c.must()
	c.mustHold("CRCNext "+name, state)
	reg := c.taken(inputBits(0, c.Width), inputBits(c.Width, data.Width()))
	return reg.of(m.Let(name, hdl.Cat(data, state)))
}

// mustHold refuses a signal that is no state.
func (c CRC) mustHold(what string, state hdl.Signal) {
	if state.Width() != c.Width {
		panic(fmt.Sprintf("%s: the state has %d bits, the CRC has %d", what, state.Width(), c.Width)) // elaboration reports it
	}
}

// taken takes bits of data into the register.
func (c CRC) taken(reg, in xors) xors {
	for i := range in {
		enters := in[len(in)-1-i]
		if c.RefIn {
			enters = in[i]
		}
		reg = c.shift(reg, enters)
	}
	return reg
}

// CRCZeros is the state that follows n zero bits, or the one before -n of them where n is
// negative: there is one, since no two states have the same successor. The operands
// appear in the RTL as name.
//
// CRCNext is the XOR of this, over the width of the data, and of [CRCPart]. So the part of the data can
// be computed ahead, and words cut short filled with zeros, which are taken back at the end.
func CRCZeros(m *hdl.Module, name string, c CRC, state hdl.Signal, n int) hdl.Signal {
	c.must()
	c.mustHold("CRCZeros "+name, state)
	reg := inputBits(0, c.Width)
	for ; n > 0; n-- {
		reg = c.shift(reg, new(big.Int))
	}
	for ; n < 0; n++ {
		reg = c.back(reg)
	}
	return reg.of(m.Let(name, state))
}

// CRCPart is the state after data, in the order of [CRCNext], from the state zero. The
// operands appear in the RTL as name.
func CRCPart(m *hdl.Module, name string, c CRC, data hdl.Signal) hdl.Signal {
	c.must()
	return c.taken(noBits(c.Width), inputBits(0, data.Width())).of(m.Let(name, data))
}

// shift takes one bit into the register.
func (c CRC) shift(reg xors, in *big.Int) xors {
	out := make(xors, c.Width)
	feedback := add(reg[c.at(c.Width-1)], in)
	out[c.at(0)] = feedback
	for i := 1; i < c.Width; i++ {
		out[c.at(i)] = reg[c.at(i-1)]
		if c.Poly>>i&1 == 1 {
			out[c.at(i)] = add(out[c.at(i)], feedback)
		}
	}
	return out
}

// back is the register before a zero bit.
func (c CRC) back(reg xors) xors {
	out := make(xors, c.Width)
	feedback := reg[c.at(0)]
	out[c.at(c.Width-1)] = feedback
	for i := 1; i < c.Width; i++ {
		out[c.at(i-1)] = reg[c.at(i)]
		if c.Poly>>i&1 == 1 {
			out[c.at(i-1)] = add(reg[c.at(i)], feedback)
		}
	}
	return out
}

// at is the place of x^i in the state.
func (c CRC) at(i int) int {
	if c.RefIn {
		return c.Width - 1 - i
	}
	return i
}

// CRCEnd is the check value that a state stands for.
func CRCEnd(c CRC, state hdl.Signal) hdl.Signal {
	c.must()
	if c.RefIn != c.RefOut {
		var turned []hdl.Value
		for i := range state.Width() {
			turned = append(turned, state.Bit(i))
		}
		state = hdl.Cat(turned...)
	}
	if c.XorOut == 0 {
		return state
	}
	return state.Xor(hdl.Const(c.Width, c.XorOut))
}
