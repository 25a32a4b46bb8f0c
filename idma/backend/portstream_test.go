package backend_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
)

// streamSource sends bytes, some beats with null bytes.
type streamSource struct {
	*portBench
	port             int
	valid, ready     pin
	data, keep, strb pin
	next             uint64 // of the sequence
	offered          bool
	full             bool // every lane holds a byte
}

func (b *portBench) newStreamSource(port int, prefix string) *streamSource {
	return &streamSource{portBench: b, port: port, valid: b.pin(prefix + "tvalid"), ready: b.pin(prefix + "tready"),
		data: b.pin(prefix + "tdata"), keep: b.pin(prefix + "tkeep"), strb: b.pin(prefix + "tstrb")}
}

func (s *streamSource) drive() {
	if !s.offered && !s.chance(s.stall) {
		s.offered = true
		clear(s.data.words)
		clear(s.keep.words)
		for k := range s.lanes() {
			v := byte(s.rng.Uint32())
			if s.full || s.rng.IntN(4) > 0 {
				v = content(s.port, s.next)
				s.next++
				s.keep.words[k/64] |= 1 << (k % 64)
			}
			s.data.words[k/8] |= uint64(v) << (k % 8 * 8)
		}
		copy(s.strb.words, s.keep.words)
	}
	s.valid.setBool(s.offered)
}

func (s *streamSource) edge() {
	if s.valid.on() && s.ready.on() {
		s.offered = false
	}
}

// streamSink takes packets.
type streamSink struct {
	*portBench
	t_               *channel
	data, keep, strb pin
	last, dest       pin
	packet           []byte
	packets          [][]byte
	dests            []uint64
}

func (b *portBench) newStreamSink(prefix string) *streamSink {
	return &streamSink{portBench: b, data: b.pin(prefix + "tdata"), keep: b.pin(prefix + "tkeep"), strb: b.pin(prefix + "tstrb"),
		last: b.pin(prefix + "tlast"), dest: b.pin(prefix + "tdest"),
		t_: b.channel(prefix, prefix+"tvalid", prefix+"tready", prefix+"tdata", prefix+"tkeep", prefix+"tstrb", prefix+"tlast", prefix+"tdest", prefix+"tid")}
}

func (s *streamSink) drive() { s.t_.ready.setBool(!s.chance(s.stall)) }

func (s *streamSink) edge() {
	if !s.t_.fires() {
		return
	}
	s.beat()
	require.Equal(s.t, s.keep.words, s.strb.words, "a byte with TSTRB and without TKEEP, or the other way round")
	for k := range s.lanes() {
		if bit(s.keep.words, k) {
			s.packet = append(s.packet, byte(s.data.words[k/8]>>(k%8*8)))
		}
	}
	if s.last.on() {
		s.packets, s.dests, s.packet = append(s.packets, s.packet), append(s.dests, s.dest.get()), nil
	}
}

// The beat that ends a packet that was given up waits like any other: it stays as it is
// while the engine drops the rest.
func TestBeatsThatEndPacketsStay(t *testing.T) {
	for seed := range uint64(40) {
		c := portConfig(t, rand.New(rand.NewPCG(seed, 8)), "axi4, axi_stream", "axi4, axi_stream")
		c.DataWidth, c.TLMaxSize, c.BufferDepth, c.CombinedShifter, c.MaskInvalidLanes, c.StoreDepth, c.StoreTransfers = 16, 0, 1, false, false, 0, false
		c.ErrorHandling = true
		b := newPortBench(t, goModel, c, seed)
		b.stall, b.wait, b.faults = 60, 1+int(seed%30), true
		b.errs.only = backend.ActionAbort
		moves := b.random(100)
		for i := range moves { // packets from memory, between writes to odd addresses
			moves[i].from, moves[i].to = 0, 1-i%2
			moves[i].length = 1 + moves[i].length%64
			moves[i].dst = 0x1000*uint64(i+1) + 1
		}
		b.move(moves)
	}
}
