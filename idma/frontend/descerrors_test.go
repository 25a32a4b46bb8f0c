package frontend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/regbus"
)

// Registers of desc_64 with error handling.
const (
	descStatus  = 0x08
	errorPolicy = 0x18
	descAction  = 0x20
	descInfo    = 0x28
	errorBurst  = 0x30
)

// word reads a register of an address, or its two halves.
func (b *descBench) word(at uint64) uint64 {
	b.t.Helper()
	v := b.access(0, regbus.Access{Addr: at, Strb: 255}).Read
	if b.cfg.RegWidth == 32 {
		v |= b.access(0, regbus.Access{Addr: at + 4, Strb: 255}).Read << 32
	}
	return v
}

// policies are what software sets, with what is done about the k-th error in a row of a
// transfer; nothing where software is asked.
var policies = []struct {
	name     string
	register uint64
	action   func(k int) []uint64
}{
	{"stop", frontend.PolicyStop, func(int) []uint64 { return nil }},
	{"go on", frontend.PolicyGoOn, func(int) []uint64 { return []uint64{backend.ActionContinue} }},
	{"abort", frontend.PolicyAbort, func(int) []uint64 { return []uint64{backend.ActionAbort} }},
	{"replay twice", frontend.PolicyReplay | 2<<8, func(k int) []uint64 {
		if k < 2 {
			return []uint64{backend.ActionReplay}
		}
		return []uint64{backend.ActionAbort}
	}},
	{"replay never", frontend.PolicyReplay, func(int) []uint64 { return []uint64{backend.ActionAbort} }},
}

// failingChain runs a chain of which transfers meet errors again and again, or are refused, and
// software that answers where it is asked.
func failingChain(t *testing.T, e sim.Engine, c frontend.DescConfig, seed uint64, policy int) {
	t.Helper()
	b := newDescBench(t, e, c, seed, int(seed%3)*25, 5)
	p, s := policies[policy], b.streams[0]
	require.False(t, b.access(0, regbus.Access{Write: true, Addr: errorPolicy, Data: p.register, Strb: 3}).Err)
	addrs := ^uint64(0) >> (64 - c.Backend.AddrWidth)
	type question struct {
		at, burst uint64
		code      uint32
		answer    uint64
	}
	var asked []question
	var actions []uint64
	const n = 30
	for i := range uint64(n) {
		at, next := 0x1000+32*i, 0x1000+32*(i+1)
		if i == n-1 {
			next = endOfChain
		}
		b.put(at, next, uint32(i), 0x0a|uint32(b.rng.IntN(2)), 0, 0)
		for k := 0; b.rng.IntN(3) == 0; k++ {
			r := reply{cause: 2 + b.rng.Uint64N(2), kind: b.rng.Uint64N(2), addr: b.rng.Uint64() & addrs, asks: true}
			code := uint32(r.kind<<2 | r.cause)
			s.errors = append(s.errors, r)
			done := p.action(k)
			if done == nil {
				done = []uint64{b.rng.Uint64N(3)}
				asked = append(asked, question{at, r.addr, code, done[0]})
				b.flag++ // an interrupt tells of it
			}
			actions = append(actions, done...)
			if _, failed := b.code[at]; !failed && done[0] != backend.ActionReplay {
				b.code[at] = code
			}
			if done[0] == backend.ActionAbort {
				break
			}
		}
		end := reply{}
		if b.rng.IntN(6) == 0 && b.code[at] == 0 {
			end = reply{cause: b.rng.Uint64N(3), kind: backend.ErrRefused}
			b.code[at] = uint32(end.kind<<2 | end.cause)
		}
		s.errors = append(s.errors, end)
	}
	require.NotEmpty(t, actions)
	if !c.ErrorMarks {
		b.code = map[uint64]uint32{}
	}
	b.start(0x1000)
	for _, q := range asked {
		b.until("the question", 3000, func() bool { return b.status()&16 != 0 })
		require.EqualValues(t, 1|4|16, b.status()&0x3d)
		require.Equal(t, q.at, b.word(0x10), "the descriptor")
		require.Equal(t, q.burst, b.word(errorBurst))
		require.EqualValues(t, q.code, b.access(0, regbus.Access{Addr: descInfo, Strb: 255}).Read)
		for range 60 {
			b.step()
		}
		require.Len(t, b.mem.marks, int(q.at-0x1000)/32, "all before it are marked, and then the engine stands still")
		require.False(t, b.access(0, regbus.Access{Write: true, Addr: descStatus, Data: 4, Strb: 1}).Err)
		require.False(t, b.access(0, regbus.Access{Write: true, Addr: descAction, Data: q.answer, Strb: 1}).Err)
	}
	b.finish()
	require.Equal(t, actions, s.actions)
	require.Empty(t, s.errors)
}

// With error handling an error of a transfer stops the engine until software has answered,
// or is dealt with as software has said before; the marks tell how transfers failed.
func TestDescErrorHandling(t *testing.T) {
	for i, c := range []frontend.DescConfig{
		editDesc(handled), editDesc(fetching(frontend.FetchAXI4, 32), handled), editDesc(fetching(frontend.FetchAXI4, 512), handled),
		editDesc(fetching(frontend.FetchAXILite, 32), handled, func(c *frontend.DescConfig) { c.RegWidth, c.Backend.AddrWidth = 32, 44 }),
		editDesc(fetching(frontend.FetchOBI, 64), handled, func(c *frontend.DescConfig) { c.Bus, c.InFlight = frontend.AXILite, 1 }),
		editDesc(handled, func(c *frontend.DescConfig) { c.ErrorMarks = false }),
	} {
		e := descModel(t, c, uint64(i))
		for k, p := range policies {
			t.Run(fmt.Sprintf("%d, %s", i, p.name), func(t *testing.T) {
				for seed := range uint64(3) {
					failingChain(t, e, c, seed, k)
				}
			})
		}
	}
}

func TestDescErrorHandlingInLockstep(t *testing.T) {
	c := editDesc(fetching(frontend.FetchAXI4, 32), handled)
	d, err := frontend.ElaborateDesc(c)
	require.NoError(t, err)
	e := both(t, d, 5)
	for k := range policies {
		failingChain(t, e, c, uint64(k), k)
	}
}

// Without error handling marks can still tell what a transfer ended with.
func TestMarksTellOfErrors(t *testing.T) {
	c := editDesc(func(c *frontend.DescConfig) { c.ErrorMarks = true })
	b := newDescBench(t, descModel(t, c, 1), c, 1, 0, 3)
	for i := range uint64(3) {
		b.put(0x1000+32*i, []uint64{0x1020, 0x1040, endOfChain}[i], 8, 0x0a, 0, 0)
	}
	b.streams[0].errors = []reply{{}, {cause: 3, kind: backend.ErrBusWrite}, {}}
	b.code[0x1020] = 7
	b.start(0x1000)
	b.finish()
	require.EqualValues(t, 4, b.status())
}

// A launch that finds all places taken while the engine waits for software ends at once, is
// dropped, and status tells of it: the answer may have to come over the same port.
func TestDescLaunchesWhileSoftwareIsAsked(t *testing.T) {
	for _, bus := range []frontend.Bus{frontend.APB, frontend.AXILite, frontend.OBI} {
		c := editDesc(handled, func(c *frontend.DescConfig) { c.Bus, c.Heads, c.Pending, c.Speculation, c.InFlight = bus, 1, 1, 0, 1 })
		b := newDescBench(t, descModel(t, c, 1), c, 1, 0, 2)
		for i := range uint64(8) {
			b.put(0x1000*(i+1), endOfChain, uint32(i), 0x0a, 0, 0)
		}
		s := b.streams[0]
		s.errors = []reply{{cause: 2, asks: true}}
		b.flag++
		b.start(0x1000)
		b.until("the question", 300, func() bool { return s.holds })
		launched := 1
		for ; b.status()&2 == 0; launched++ {
			b.start(0x1000 * uint64(launched+1))
			for range 30 { // to where it waits
				b.step()
			}
		}
		require.Less(t, launched, 8)
		require.Zero(t, b.status()&0x20)
		b.start(0x1000 * uint64(launched+1))
		for range 30 {
			b.step()
		}
		require.Zero(t, b.ports[0].Open(), "it has ended")
		require.EqualValues(t, 0x20, b.status()&0x20)
		require.False(t, b.access(0, regbus.Access{Write: true, Addr: descStatus, Data: 0x20, Strb: 1}).Err)
		require.Zero(t, b.status()&0x20)
		b.want, b.at = b.want[:launched], b.at[:launched] // the others were never launched
		require.False(t, b.access(0, regbus.Access{Write: true, Addr: descAction, Data: backend.ActionReplay, Strb: 1}).Err)
		b.finish()
	}
}
