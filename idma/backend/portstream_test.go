package backend_test

import "github.com/stretchr/testify/require"

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
