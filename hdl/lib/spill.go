package lib

import (
	"cmp"
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// Cut says which paths of a stream a [Spill] interrupts by registers.
type Cut uint8

const (
	CutBoth  Cut = iota // valid, data and ready: two registers of data
	CutValid            // valid and data: one register of data; ready passes through
	CutReady            // ready: one register of data; valid and data pass through
)

var cutNames = []string{"both", "valid", "ready"}

// String is both, valid or ready.
func (c Cut) String() string {
	if int(c) >= len(cutNames) {
		return fmt.Sprintf("Cut(%d)", uint8(c))
	}
	return cutNames[c]
}

// MarshalText is [Cut.String].
func (c Cut) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText is the inverse of [Cut.MarshalText].
func (c *Cut) UnmarshalText(b []byte) error {
	for i, n := range cutNames {
		if n == string(b) {
			*c = Cut(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no cut of a stream; choose from both, valid and ready", b)
}

// SpillParams are the parameters of [Spill].
type SpillParams struct {
	Width int // bits of the payload, at least 1
	Cut   Cut // which paths are interrupted
}

// Validate requires a width of at least 1 and one of the three cuts.
func (p SpillParams) Validate() error {
	if int(p.Cut) >= len(cutNames) {
		return fmt.Errorf("spill register: Cut is %d; choose CutBoth, CutValid or CutReady", p.Cut)
	}
	return atLeast("spill register", "Width", p.Width, 1)
}

// Suffix names the variant.
func (p SpillParams) Suffix() string { return fmt.Sprintf("%s_%d", p.Cut, p.Width) }

// SpillIO is the interface of [Spill].
type SpillIO struct {
	In  hdl.Stream[Word] `hdl:"in"`
	Out hdl.Stream[Word]
}

// Spill interrupts combinational paths of a stream without losing throughput: an
// element moves every cycle. With CutBoth no output depends on an input within a
// cycle, and an element leaves one cycle after it was accepted, at the earliest.
// With CutValid the latency is the same, and in_ready depends on out_ready. With
// CutReady, also called a skid buffer, an element can leave in the cycle in which
// it is accepted, and in_ready comes from a register.
func Spill(m *hdl.Module, p SpillParams) SpillIO {
	m.Doc(fmt.Sprintf("Register that interrupts %s of a stream of %d bits, at full throughput.",
		map[Cut]string{CutBoth: "all paths", CutValid: "valid and data", CutReady: "ready"}[p.Cut], p.Width))
	in, out := hdl.Ports(m, "in", hdl.Sink, streamType(p.Width)), hdl.Ports(m, "out", hdl.Source, streamType(p.Width))
	word := func(name, doc string) hdl.Var { return m.Reg(name, hdl.U(p.Width), hdl.NoReset(), hdl.Doc(doc)) }
	switch p.Cut {
	case CutValid:
		full, item := m.Reg("full_q", hdl.Bool()), word("item_q", "What is offered.")
		in.Ready.Set(full.Not().Or(out.Ready))
		m.If(in.Ready, func() { full.Set(in.Valid) })
		m.If(in.Fire(), func() { item.Set(in.Data.Data) })
		out.Valid.Set(full)
		out.Data.Data.Set(item)
	case CutReady:
		full, item := m.Reg("full_q", hdl.Bool()), word("item_q", "What was accepted and could not leave.")
		in.Ready.Set(full.Not())
		m.If(out.Ready, func() { full.Set(hdl.K(0)) }).
			ElseIf(in.Valid, func() { full.Set(hdl.K(1)) })
		m.If(full.Not(), func() { item.Set(in.Data.Data) })
		out.Valid.Set(in.Valid.Or(full))
		out.Data.Data.Set(hdl.Mux(full, item, in.Data.Data))
	default:
		full, item := m.Reg("full_q", hdl.Bool()), word("item_q", "What is offered.")
		spilt, spare := m.Reg("spilt_q", hdl.Bool()), word("spare_q", "What was accepted while the offered one waited.")
		waits := m.Let("waits", full.AndNot(out.Ready))
		in.Ready.Set(spilt.Not())
		m.If(waits, func() {
			m.If(in.Valid, func() { spilt.Set(hdl.K(1)) })
		}).Else(func() {
			full.Set(in.Valid.Or(spilt))
			spilt.Set(hdl.K(0))
			item.Set(hdl.Mux(spilt, spare, in.Data.Data))
		})
		m.If(spilt.Not(), func() { spare.Set(in.Data.Data) })
		out.Valid.Set(full)
		out.Data.Data.Set(item)
		m.Assert("spare_only_behind_full", hdl.Implies(spilt.Signal, full.Signal))
		m.Cover("spills", spilt)
	}
	obey(m, "in", hdl.Sink, in)
	obey(m, "out", hdl.Source, out)
	return SpillIO{in, out}
}

// CutStream places a [Spill] behind a stream of any payload and returns the stream
// that leaves it.
func CutStream[T any](m *hdl.Module, name string, c Cut, in hdl.Stream[T]) hdl.Stream[T] {
	u := hdl.Inst(m, name, Spill, SpillParams{Width: hdl.WidthOf(in.Data), Cut: c})
	feed(u.In, in)
	return as(u.Out, in.Data)
}

// streamsParams check the parameters that modules of several streams share.
func streamsParams(module string, width, n int, what string) error {
	return cmp.Or(atLeast(module, "Width", width, 1), atLeast(module, what, n, 2))
}
