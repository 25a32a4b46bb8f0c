package frontend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/regbus"
)

// Offsets beyond those of the specification.
const (
	irqEnable   = 0xc8
	irqPending  = 0xcc
	errorInfo   = 0x200
	errorID     = 0x240
	errorLow    = 0x280
	errorHigh   = 0x2c0
	errorAction = 0x300
)

// Without error handling in the back-end an error ends its transfer, and is kept until
// the next one.
func TestErrorsAreKept(t *testing.T) {
	c := edit(frontend.Reg32x2D, sized(2, 2), func(c *frontend.Config) { c.ErrorInfo = true })
	b := newBench(t, model(t, elaborate(t, c), 1), c, 1, 0)
	s := b.streams[1]
	s.errors = []reply{{}, {cause: 3, kind: backend.ErrBusWrite}, {}, {kind: backend.ErrRefused}}
	ends := func(n int) { b.until("answers", 50, func() bool { return s.answers == n }); b.step() }
	for range 3 {
		b.read(0, nextID+4)
	}
	ends(3)
	require.Zero(t, b.read(0, errorInfo))
	for p := range 2 {
		require.EqualValues(t, 1|3<<2|1<<4, b.read(p, errorInfo+4))
		require.EqualValues(t, 3, b.read(p, errorID+4))
	}
	b.write(0, errorInfo+4, 1)
	require.EqualValues(t, 3<<2|1<<4, b.read(0, errorInfo+4), "cleared, the rest stays")
	require.EqualValues(t, 1|3<<2|1<<4, b.read(1, errorInfo+4), "the other port has its own")
	b.read(1, nextID+4)
	ends(4)
	require.EqualValues(t, 1|2<<4, b.read(0, errorInfo+4))
	require.EqualValues(t, 5, b.read(0, errorID+4))
	require.EqualValues(t, 5, b.read(0, doneID+4))
}

// An error that awaits an action stops its stream until software has answered.
func TestActions(t *testing.T) {
	for _, l := range layouts {
		c := edit(l, everything, sized(2, 2), func(c *frontend.Config) {
			if c.Layout == frontend.Reg64 || c.Layout == frontend.Reg64x2D {
				c.Backend.AddrWidth = 48
			}
		})
		b := newBench(t, model(t, elaborate(t, c), 1), c, 1, 0)
		s := b.streams[0]
		const addr = 0x12345678
		want := uint64(addr)
		if c.Backend.AddrWidth > 32 {
			want |= 0xabcd << 32
		}
		b.write(0, errorAction, 2)
		b.read(0, nextID)
		b.until("the end", 50, func() bool { return s.answers == 1 })
		require.Empty(t, s.actions, "an action that nobody asked for goes nowhere")
		for i, kind := range []uint64{backend.ActionContinue, backend.ActionAbort, backend.ActionReplay} {
			s.errors = []reply{{cause: 2, kind: backend.ErrBusRead, addr: want, asks: true}}
			id := b.read(1, nextID)
			b.until("the question", 50, func() bool { return s.holds })
			b.step()
			require.EqualValues(t, 1|1<<1|2<<2, b.read(0, errorInfo))
			require.Zero(t, b.read(0, errorInfo+4))
			require.Equal(t, id, b.read(0, errorID))
			require.EqualValues(t, addr, b.read(0, errorLow))
			if c.Backend.AddrWidth > 32 {
				require.EqualValues(t, 0xabcd, b.read(0, errorHigh))
			}
			require.Equal(t, id-1, b.read(0, doneID), "the transfer has not ended")
			require.Equal(t, i+1, s.answers)
			b.write(i%2, errorAction, kind)
			b.until("the end", 50, func() bool { return s.answers == i+2 })
			b.step()
			require.Equal(t, kind, s.actions[i])
			require.Equal(t, id, b.read(0, doneID))
			require.EqualValues(t, 1|2<<2, b.read(0, errorInfo), "nothing awaits")
		}
		require.Len(t, s.actions, 3)
	}
}

// Hazard 33, the deadlock: a read of next_id that waits on a stream which itself waits
// for software ends with 0 and launches nothing, since the port may be the only one
// through which the answer can come.
func TestHazard33AWaitingReadEndsWhereSoftwareIsAsked(t *testing.T) {
	for bus := range frontend.Bus(3) {
		c := edit(frontend.Reg32, everything, on(bus))
		b := newBench(t, model(t, elaborate(t, c), 1), c, 1, 0)
		s := b.streams[0]
		s.errors = []reply{{cause: 2, asks: true}}
		s.percent = 0
		require.EqualValues(t, 2, b.read(0, nextID))
		require.EqualValues(t, 3, b.read(0, nextID))
		var waited *regbus.Result
		b.launch(0, 0, func(r regbus.Result) { waited = &r })
		for range 30 {
			b.step()
		}
		require.Nil(t, waited, "it waits for the queue")
		s.percent = 100 // the engine takes the two and stops at the error
		b.until("the question", 50, func() bool { return s.holds })
		b.until("the read", 50, func() bool { return waited != nil })
		require.EqualValues(t, 4, waited.Read, "there was a place")
		b.until("the queue", 50, func() bool { return len(s.got) == 3 })
		s.percent = 0
		require.EqualValues(t, 5, b.read(0, nextID))
		require.EqualValues(t, 6, b.read(0, nextID))
		require.Zero(t, b.read(0, nextID), "the queue is full")
		require.Zero(t, b.read(0, nextID))
		s.percent = 100
		b.write(0, errorAction, backend.ActionContinue)
		b.until("all", 100, func() bool { return s.answers == 5 })
		b.step()
		require.Len(t, s.got, 5, "what returned 0 launched nothing")
		require.EqualValues(t, 6, b.read(0, doneID))
		require.EqualValues(t, 7, b.read(0, nextID))
	}
}

// Each port has an interrupt of its own, for what it has enabled.
func TestInterrupts(t *testing.T) {
	c := edit(frontend.Reg32, sized(2, 3), func(c *frontend.Config) { c.Interrupts = true })
	b := newBench(t, model(t, elaborate(t, c), 1), c, 1, 0)
	irqs := func() [2]bool { b.step(); return [2]bool{b.on("irq0"), b.on("irq1")} }
	b.write(0, irqEnable, 1<<2|1<<16) // the end on stream 2, errors on stream 0
	b.write(1, irqEnable, 1<<0)
	run := func(stream int, errors ...reply) {
		s := b.streams[stream]
		s.errors = errors
		n := s.answers
		b.read(0, nextID+4*uint64(stream))
		b.until("the end", 50, func() bool { return s.answers == n+1 })
	}
	run(1)
	require.Equal(t, [2]bool{false, false}, irqs())
	run(2)
	require.Equal(t, [2]bool{true, false}, irqs())
	require.EqualValues(t, 1<<1|1<<2, b.read(0, irqPending))
	b.write(0, irqPending, 1<<1)
	require.Equal(t, [2]bool{true, false}, irqs(), "another bit was cleared")
	b.write(0, irqPending, 1<<2)
	require.Equal(t, [2]bool{false, false}, irqs())
	require.EqualValues(t, 1<<1|1<<2, b.read(1, irqPending), "the other port has its own")
	run(0, reply{cause: 2})
	require.Equal(t, [2]bool{true, true}, irqs())
	require.EqualValues(t, 1<<0|1<<16, b.read(0, irqPending))
	b.write(1, irqPending, 1<<0)
	require.Equal(t, [2]bool{true, false}, irqs())
	b.write(0, irqEnable, 0)
	require.Equal(t, [2]bool{false, false}, irqs())
}
