package backend_test

import (
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/bus/tilelink"
)

// tileLink is a subordinate of TileLink, for reads or for writes, with a monitor on
// its link. Puts are answered some time after their first beat, so maybe before their
// last one.
type tileLink struct {
	*portBench
	port  int
	write bool
	tight bool // where it stalls: takes nothing while an answer is to be taken
	a     *channel
	d     struct{ valid, ready, opcode, param, size, source, sink, denied, data, corrupt pin }
	mask  pin
	data  pin
	mon   *tilelink.Monitor
	dueList
	of    []tilelink.Request // of each due
	asked []tilelink.Request
	beat  int // of the Put at hand
}

func (b *portBench) newTileLink(port int, prefix string, write bool) *tileLink {
	fields := []string{"opcode", "param", "size", "source", "address", "mask", "data", "corrupt"}
	for i := range fields {
		fields[i] = prefix + "a_" + fields[i]
	}
	c, under := b.cfg, b.cfg.Outstanding
	if write {
		under = max(16, 2*c.Outstanding)
		if c.WriteOutstanding > 0 {
			under = c.WriteOutstanding
		}
	}
	t := &tileLink{portBench: b, port: port, write: write, tight: b.rng.IntN(3) == 0,
		a:    b.channel(prefix+"a", prefix+"a_valid", prefix+"a_ready", fields...),
		mask: b.pin(prefix + "a_mask"), data: b.pin(prefix + "a_data"),
		mon: tilelink.NewMonitor(tilelink.Config{Bytes: b.lanes(), MaxSize: c.TLMaxSize, InOrder: true, MaxOutstanding: under})}
	d := &t.d
	for name, p := range map[string]*pin{"valid": &d.valid, "ready": &d.ready, "opcode": &d.opcode, "param": &d.param, "size": &d.size,
		"source": &d.source, "sink": &d.sink, "denied": &d.denied, "data": &d.data, "corrupt": &d.corrupt} {
		*p = b.pin(prefix + "d_" + name)
	}
	b.links = append(b.links, t)
	return t
}

func (t *tileLink) drive() {
	blocked := t.shared && !t.write && t.links[1].beat > 0 // an interconnect has both links in one
	end := portEnd{t.write, t.port}
	t.a.ready.setBool(!(t.tight && t.stall > 0 && len(t.q) > 0) && !blocked && !t.dying.refuses(t.portBench, end, requests) && !t.chance(t.stall))
	t.d.valid.setBool(t.offer(t.portBench, end))
	if !t.offered {
		return
	}
	r, q := t.of[0], t.q[0]
	t.d.opcode.set(uint64(r.Answer()))
	t.d.size.set(uint64(r.Size))
	t.d.source.set(r.Source)
	denied := q.err && (t.write || r.Beats(t.lanes()) == 1 && r.AnswerBeats(t.lanes()) == 1 && t.denies(q.addr))
	t.d.denied.setBool(denied)
	t.d.corrupt.setBool(q.err && !t.write)
	if t.write {
		return
	}
	t.word(t.d.data, t.port, q.addr)
	lanes := r.Lanes(t.lanes())
	for k := range t.lanes() {
		if !bit(lanes[:], k) {
			t.d.data.words[k/8] ^= 0xff << (k % 8 * 8)
		}
	}
}

// denies is whether a fault at a word denies an access instead of breaking its data.
func (b *portBench) denies(addr uint64) bool { return addr>>6&1 == 0 }

// request is what is on channel A.
func (t *tileLink) request() tilelink.Request {
	p := t.a.payload
	return tilelink.Request{Opcode: uint8(p[0].get()), Param: uint8(p[1].get()), Size: uint8(p[2].get()), Source: p[3].get(), Address: p[4].get()}
}

func (t *tileLink) edge() {
	t.mon.Cycle(uint64(t.cycle), &tilelink.Sample{
		A: tilelink.AChannel{Valid: t.a.valid.on(), Ready: t.a.ready.on(), Request: t.request(), Mask: t.mask.words, Data: t.data.words, Corrupt: t.a.payload[7].on()},
		D: tilelink.DChannel{Valid: t.d.valid.on(), Ready: t.d.ready.on(), Data: t.d.data.words, Corrupt: t.d.corrupt.on(), Answer: tilelink.Answer{
			Opcode: uint8(t.d.opcode.get()), Size: uint8(t.d.size.get()), Source: t.d.source.get(), Denied: t.d.denied.on(),
		}},
	})
	require.Empty(t.t, t.mon.Violations(), "the link of port %d", t.port)
	if t.d.valid.on() && t.d.ready.on() {
		t.pop()
		t.of = t.of[1:]
	}
	if !t.a.fires() {
		return
	}
	r, s := t.request(), uint64(t.lanes())
	if t.beat == 0 {
		t.asked = append(t.asked, r)
	}
	first := r.Address &^ (s - 1)
	if !t.write {
		require.EqualValues(t.t, bus.TLGet, r.Opcode)
		for i := range r.AnswerBeats(t.lanes()) {
			w := first + uint64(i)*s
			t.q = append(t.q, due{at: t.cycle + t.wait + i, addr: w, err: t.fault(portEnd{false, t.port}, w)})
			t.of = append(t.of, r)
		}
		return
	}
	require.EqualValues(t.t, bus.TLPutFull, r.Opcode)
	if !t.a.payload[7].on() { // not corrupt
		t.store(t.port, first+uint64(t.beat)*s, t.data, t.mask)
	}
	if t.beat == 0 {
		d := due{at: t.cycle + t.wait, addr: first}
		for i := range r.Beats(t.lanes()) {
			d.err = d.err || t.fault(portEnd{true, t.port}, first+uint64(i)*s)
		}
		t.q, t.of = append(t.q, d), append(t.of, r)
	}
	t.beat = (t.beat + 1) % r.Beats(t.lanes())
}

// tlMaxSize is one of the longest accesses that a configuration may have: 0 or some bus
// words.
func tlMaxSize(width, choice int) int { return min(width/8*[]int{0, 1, 4, 16, 64}[choice], 4096) }
