package lib

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// CRCParams are the parameters of [CRCStream].
type CRCParams struct {
	CRC
	// Data is the width of a word, 1 to 1024. If it is a multiple of 8 a word is of
	// bytes, the lowest first; else it is of bits, in the order of the CRC.
	Data int
}

// Validate requires a check that is one and a width in range.
func (p CRCParams) Validate() error {
	if p.Data < 1 || p.Data > 1024 {
		return fmt.Errorf("CRC of Data %d bits a cycle: it must be 1 to 1024", p.Data)
	}
	return p.CRC.Validate()
}

// Suffix names the variant: widths of data and check, polynomial, and what differs
// from a CRC of zeros that is not reflected.
func (p CRCParams) Suffix() string {
	s := fmt.Sprintf("%dx%d_%x", p.Data, p.Width, p.Poly)
	for _, f := range []struct {
		letter string
		v      uint64
	}{{"i", p.Init}, {"x", p.XorOut}} {
		switch f.v {
		case 0:
		case ones(p.Width):
			s += "_" + f.letter
		default:
			s += fmt.Sprintf("_%s%x", f.letter, f.v)
		}
	}
	if p.RefIn {
		s += "_ri"
	}
	if p.RefOut {
		s += "_ro"
	}
	return s
}

// bytes is the number of bytes of a word; 1 also where it is not of bytes.
func (p CRCParams) bytes() int {
	if p.Data%8 != 0 {
		return 1
	}
	return p.Data / 8
}

// CRCWord is a word of a message.
type CRCWord struct {
	Data hdl.Var
	// Keep has a bit for each byte: those that count are the lowest ones, in any word
	// and also none. A word of one byte has it not.
	Keep []hdl.Var `hdl:"opt"`
	Last hdl.Var   // the message ends with this word
}

// CRCIO is the interface of [CRCStream].
type CRCIO struct {
	In  hdl.Stream[CRCWord] `hdl:"in"`
	Out hdl.Stream[Word]    // a check value for each message
}

// CRCStream computes the check value of each message of a stream. The value is
// offered in the cycle after the last word was accepted. While it is not taken no
// word is, so in_ready depends on out_ready combinationally; where it is taken at
// once, a word is accepted in every cycle, also across messages. It costs a row of
// XORs for each number of bytes that a word can have.
func CRCStream(m *hdl.Module, p CRCParams) CRCIO {
	m.Doc(fmt.Sprintf("CRC of %d bits with the polynomial %#x over messages of %d bits a cycle.", p.Width, p.Poly, p.Data))
	word := CRCWord{Data: hdl.U(p.Data), Last: hdl.Bool()}
	if p.bytes() > 1 {
		word.Keep = []hdl.Var{hdl.U(p.bytes())}
	}
	io := CRCIO{
		In:  hdl.Ports(m, "in", hdl.Sink, hdl.StreamOf(word)),
		Out: hdl.Ports(m, "out", hdl.Source, hdl.StreamOf(Word{hdl.U(p.Width)})),
	}
	state := m.Reg("state_q", hdl.U(p.Width), hdl.InitTo(CRCStart(p.CRC)))
	valid := m.Reg("out_valid_q", hdl.Bool())
	value := m.Reg("out_data_q", hdl.U(p.Width), hdl.NoReset())
	io.In.Ready.Set(valid.Not().Or(io.Out.Ready))
	io.Out.Valid.Set(valid)
	io.Out.Data.Data.Set(value)

	next := m.Let("next", p.next(m, state.Signal, io.In.Data))
	m.If(io.Out.Ready, func() { valid.Set(hdl.K(0)) })
	m.If(io.In.Fire(), func() {
		state.Set(next)
		m.If(io.In.Data.Last, func() {
			state.Set(CRCStart(p.CRC))
			value.Set(CRCEnd(p.CRC, next))
			valid.Set(hdl.K(1))
		})
	})
	if p.bytes() > 1 {
		keep := io.In.Data.Keep[0]
		m.Assume("keep_lowest_bytes", hdl.Implies(io.In.Valid.Signal, keep.And(keep.Add(hdl.K(1))).None()))
	}
	hdl.Obey(m, "in", hdl.Sink, io.In)
	hdl.Obey(m, "out", hdl.Source, io.Out)
	return io
}

// next is the state after the bytes of a word that count.
func (p CRCParams) next(m *hdl.Module, state hdl.Signal, w CRCWord) hdl.Signal {
	if p.bytes() == 1 {
		return CRCNext(m, "taken", p.CRC, state, w.Data.Signal)
	}
	var choices []hdl.Choice
	for n := p.bytes(); n > 0; n-- {
		data := w.Data.Bits(8*n-1, 0)
		if !p.RefIn { // the first byte is the highest
			var swapped []hdl.Value
			for i := range n {
				swapped = append(swapped, data.Bits(8*i+7, 8*i))
			}
			data = hdl.Cat(swapped...)
		}
		after := CRCNext(m, fmt.Sprintf("taken_%d", n), p.CRC, state, data)
		choices = append(choices, hdl.Choice{When: w.Keep[0].Bit(n - 1), Then: m.Let(fmt.Sprintf("after_%d", n), after)})
	}
	return hdl.FirstOf(state, choices...)
}
