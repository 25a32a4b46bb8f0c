package backend_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
)

// portErrors answers the error reports of an engine with any ports, and keeps account
// of what must be written. It chooses actions at random. A replay repairs what failed,
// most of the time.
type portErrors struct {
	b                   *portBench
	valid, ready, kind  pin
	asks, typ, addr     pin
	asked               bool // an action is to come
	now                 int  // transfer
	side                portEnd
	base, first, length uint64 // of the burst, and of the transfer's side
	action              uint64
	only                int           // this action alone; all if negative
	accepted, again     int           // transfers accepted; those below again may have been written in part before they were done again
	reports             map[int]int   // for each transfer
	aborts              map[int]abort // for each transfer that was aborted
}

// abort is which bytes of an aborted transfer are written: those before least, and
// none from most on.
type abort struct{ least, most uint64 }

func newPortErrors(b *portBench) *portErrors {
	b.cured = map[portEnd]map[uint64]bool{}
	return &portErrors{b: b, valid: b.pin("action_valid"), ready: b.pin("action_ready"), kind: b.pin("action_kind"),
		asks: b.pin("rsp_asks"), typ: b.pin("rsp_err_type"), addr: b.pin("rsp_burst_addr"),
		only: -1, reports: map[int]int{}, aborts: map[int]abort{}}
}

// drive offers the action of a report sooner or later, and carries it out when it was
// taken in the last cycle.
func (e *portErrors) drive() {
	if e.valid.on() && e.ready.on() {
		e.act()
	}
	waits := e.valid.on()
	e.valid.setBool(e.asked && (waits || !e.b.chance(e.b.stall)))
	if e.kind.set(e.b.rng.Uint64()); e.valid.on() {
		e.kind.set(e.action)
	}
}

// told takes a response of transfer i and reports whether it tells of an error.
func (e *portErrors) told(i int, v move, at string) bool {
	b := e.b
	require.False(b.t, e.asked, "%s while an action is awaited", at)
	if !e.asks.on() {
		_, aborted := e.aborts[i]
		reads, writes := b.touches(b.readPorts[v.from], portEnd{false, v.from}, v.src, v.length), b.touches(b.writePorts[v.to], portEnd{true, v.to}, v.dst, v.length)
		if !aborted && !b.dying.lost[i] && !v.refused && v.length > 0 && (reads || writes) {
			require.Positive(b.t, e.reports[i], "%s ended without a word of its errors", at)
		}
		return false
	}
	require.Less(b.t, e.typ.get(), uint64(2), at)
	e.asked, e.now, e.base = true, i, e.addr.get()
	e.side, e.first, e.length = portEnd{false, v.from}, v.src, v.length
	p := b.readPorts[v.from]
	if e.typ.get() == backend.ErrBusWrite {
		e.side, e.first, p = portEnd{true, v.to}, v.dst, b.writePorts[v.to]
	}
	failing := e.failing()
	if b.dying.lost[i] && len(failing) == 0 {
		failing = []uint64{e.base} // of what is lost any word may be
	}
	require.NotEmpty(b.t, failing, "%s: no word of a burst from %#x fails", at, e.base)
	if p != backend.AXI4 && p != backend.TileLink {
		require.Equal(b.t, e.base, failing[0], "%s: the word at the burst address", at)
	}
	e.reports[i]++
	if e.action = uint64(b.rng.IntN(3)); e.only >= 0 {
		e.action = uint64(e.only)
	}
	if e.action == backend.ActionAbort || e.action == backend.ActionReplay && b.readPorts[v.from] == backend.AXIStream {
		e.aborts[i] = e.abort(v, failing)
	}
	return true
}

// failing are the words of the transfer that fail, from the burst's first one on and
// in its page.
func (e *portErrors) failing() []uint64 {
	s := uint64(e.b.lanes())
	var ws []uint64
	for w := max(e.base, e.first&^(s-1)); w < e.first+e.length && w>>12 == e.base>>12; w += s {
		if e.b.fault(e.side, w) {
			ws = append(ws, w)
		}
	}
	return ws
}

// abort is what may be written of a transfer that is aborted now.
func (e *portErrors) abort(v move, failing []uint64) abort {
	s := uint64(e.b.lanes())
	if e.side.write {
		return abort{e.base - min(e.base, v.dst), v.length}
	}
	dst := v.dst
	if p := e.b.writePorts[v.to]; p == backend.AXIStream || p == backend.Init {
		dst = 0
	}
	stop := func(w uint64) uint64 { // before the bus word with the first byte of w
		k := w - min(w, v.src)
		a := (dst + k) &^ (s - 1)
		return a - min(a, dst)
	}
	least, most := stop(failing[0]), stop(failing[len(failing)-1])
	if e.now < e.again {
		most = v.length
	}
	return abort{least - min(least, s), most}
}

// act is the action taken.
func (e *portErrors) act() {
	e.asked = false
	if e.side.write && e.action != backend.ActionContinue {
		e.again = e.accepted
	}
	if e.action != backend.ActionReplay || e.b.rng.IntN(4) == 0 {
		return
	}
	cured := e.b.cured[e.side]
	if cured == nil {
		cured = map[uint64]bool{}
		e.b.cured[e.side] = cured
	}
	for _, w := range e.failing() {
		cured[w/uint64(e.b.lanes())] = true
	}
}

// arrived is the bytes of transfer n that may be written. Of a packet that is the
// n-th of its port it is those that were.
func (e *portErrors) arrived(n int, v move, bytes []byte, packet int) []byte {
	a, ok := e.aborts[n]
	if !ok {
		return bytes
	}
	bytes = bytes[:a.most]
	if s := e.b.sinks[v.to]; s != nil {
		if packet >= len(s.packets) || a.least == 0 && !prefix(s.packets[packet], bytes) {
			return nil // it had not begun
		}
		got := s.packets[packet]
		require.GreaterOrEqual(e.b.t, uint64(len(got)), a.least, "packet of transfer %d", n)
		require.True(e.b.t, prefix(got, bytes), "packet of transfer %d", n)
		return got
	}
	return bytes
}

func prefix(p, of []byte) bool { return len(p) <= len(of) && string(p) == string(of[:len(p)]) }

// mayMiss reports whether byte i of transfer n may be missing.
func (e *portErrors) mayMiss(n, i int) bool {
	if e == nil {
		return false
	}
	a, ok := e.aborts[n]
	return ok && uint64(i) >= a.least
}

// has reports whether a byte was written.
func (b *portBench) has(port int, addr uint64) bool {
	_, ok := b.written[port][addr]
	return ok
}

// TestEveryPairOfProtocolsHandlesErrors runs random transfers with errors between each
// pair of protocols, and between several ports, with each action and with all.
func TestEveryPairOfProtocolsHandlesErrors(t *testing.T) {
	everyPair(t, 4, 60, 3, func(t *testing.T, rng *rand.Rand, seed uint64, p [2]string) {
		c := portConfig(t, rng, p[0], p[1])
		c.ErrorHandling = true
		b := newPortBench(t, goModel, c, seed)
		b.stall, b.wait, b.faults = rng.IntN(2)*rng.IntN(60), 1+rng.IntN(30), true
		b.errs.only = rng.IntN(4) - 1
		b.move(b.random(60))
	})
}

// TestErrorsOfEveryPortInLockstep runs one engine with all ports in lockstep with its
// RTL.
func TestErrorsOfEveryPortInLockstep(t *testing.T) {
	const all = "axi4, obi, axi_lite, tilelink, init, axi_stream"
	for _, combined := range []bool{true, false} {
		c := portConfig(t, rand.New(rand.NewPCG(5, 1)), all, all)
		c.ErrorHandling, c.CombinedShifter = true, combined
		b := newPortBench(t, lockstep, c, 4)
		b.stall, b.faults = 25, true
		b.move(b.random(150))
		require.NotEmpty(t, b.errs.aborts)
	}
}
