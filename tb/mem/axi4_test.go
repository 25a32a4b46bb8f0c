package mem

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
)

// bench drives a subordinate by hand and keeps a monitor on it.
type bench struct {
	t     *testing.T
	m     *AXI4
	mon   *axi4.Monitor
	s     axi4.Sample
	cycle uint64
	beats []beatSeen
	resps []beatSeen
}

type beatSeen struct {
	cycle, id, data uint64
	resp            axi4.Resp
	last            bool
}

func newBench(t *testing.T, cfg Config) *bench {
	t.Helper()
	if cfg.Bytes == 0 {
		cfg.Bytes = 4
	}
	if cfg.ReadLatency == 0 {
		cfg.ReadLatency = 1
	}
	if cfg.WriteLatency == 0 {
		cfg.WriteLatency = 1
	}
	store := NewStore(1)
	m, err := NewAXI4(cfg, store, store)
	require.NoError(t, err)
	b := &bench{t: t, m: m, mon: axi4.NewMonitor(axi4.Config{Bytes: cfg.Bytes})}
	b.s.R.Data = make([]uint64, (cfg.Bytes+7)/8)
	b.s.R.Ready, b.s.B.Ready = true, true
	return b
}

// step is one cycle with the given requests; it reports which were accepted.
func (b *bench) step(parts ...func(*axi4.Sample)) (ar, aw, w bool) {
	b.s.AR.Valid, b.s.AW.Valid, b.s.W.Valid = false, false, false
	b.m.Drive(&b.s)
	ready := [3]bool{b.s.AR.Ready, b.s.AW.Ready, b.s.W.Ready}
	for _, p := range parts {
		p(&b.s)
	}
	require.Equal(b.t, ready, [3]bool{b.s.AR.Ready, b.s.AW.Ready, b.s.W.Ready})
	b.mon.Cycle(b.cycle, &b.s)
	if b.s.R.Valid && b.s.R.Ready {
		b.beats = append(b.beats, beatSeen{b.cycle, b.s.R.ID, b.s.R.Data[0], b.s.R.Resp, b.s.R.Last})
	}
	if b.s.B.Valid && b.s.B.Ready {
		b.resps = append(b.resps, beatSeen{b.cycle, b.s.B.ID, 0, b.s.B.Resp, true})
	}
	b.m.Edge(&b.s)
	b.cycle++
	return b.s.AR.Valid && ready[0], b.s.AW.Valid && ready[1], b.s.W.Valid && ready[2]
}

func (b *bench) idle(n int) {
	for range n {
		b.step()
	}
}

func (b *bench) clean() {
	b.mon.Finish(b.cycle)
	require.Empty(b.t, b.mon.Violations())
}

func request(id, addr uint64, beats int, size uint8) axi4.Request {
	return axi4.Request{ID: id, Addr: addr, Len: uint8(beats - 1), Size: size, Burst: axi4.Incr}
}

func ar(r axi4.Request) func(*axi4.Sample) {
	return func(s *axi4.Sample) { s.AR.Valid, s.AR.Request = true, r }
}
func aw(r axi4.Request) func(*axi4.Sample) {
	return func(s *axi4.Sample) { s.AW.Valid, s.AW.Request = true, r }
}
func w(data, strb uint64, last bool) func(*axi4.Sample) {
	return func(s *axi4.Sample) {
		s.W.Valid, s.W.Data, s.W.Strb, s.W.Last = true, []uint64{data}, []uint64{strb}, last
	}
}

func TestReadLatencyIsExact(t *testing.T) {
	for _, latency := range []int{1, 3, 13, 100} {
		b := newBench(t, Config{ReadLatency: latency})
		b.idle(5)
		b.step(ar(request(7, 0x100, 4, 2))) // accepted in cycle 5
		b.step(ar(request(8, 0x200, 2, 2))) // in cycle 6: its beats follow without a gap
		b.idle(latency + 10)
		var cycles []uint64
		for _, s := range b.beats {
			cycles = append(cycles, s.cycle)
		}
		first := 5 + uint64(latency)
		require.Equal(t, []uint64{first, first + 1, first + 2, first + 3, first + 4, first + 5}, cycles)
		require.EqualValues(t, 7, b.beats[3].id)
		require.True(t, b.beats[3].last)
		require.EqualValues(t, 8, b.beats[4].id)
		require.Equal(t, SourceWord(1, 0x208)&0xffffffff, uint64(b.m.From.ReadWord(0x208)&0xffffffff))
		require.Equal(t, SourceWord(1, 0x200)>>32, b.beats[5].data)
		b.clean()
	}
}

func TestAReadFarFromTheLastKeepsItsOwnLatency(t *testing.T) {
	b := newBench(t, Config{ReadLatency: 10})
	b.step(ar(request(0, 0, 2, 2)))
	b.idle(20)
	b.step(ar(request(0, 0, 1, 2))) // cycle 21
	b.idle(20)
	require.EqualValues(t, 31, b.beats[2].cycle)
}

func TestWriteLatencyCountsFromTheLater(t *testing.T) {
	for _, latency := range []int{1, 9} {
		late := uint64(latency)
		b := newBench(t, Config{WriteLatency: latency})
		// Request first: data in cycles 3 and 4.
		b.step(aw(request(1, 0x40, 2, 2)))
		b.idle(2)
		b.step(w(0x11111111, 15, false))
		b.step(w(0x22222222, 15, true))
		b.idle(latency + 5)
		require.Equal(t, 4+late, b.resps[0].cycle)
		// Data first, the request 5 cycles after them.
		start := b.cycle
		b.step(w(0x33333333, 15, true))
		b.idle(4)
		b.step(aw(request(2, 0x48, 1, 2)))
		b.idle(latency + 5)
		require.Equal(t, start+5+late, b.resps[1].cycle)
		require.EqualValues(t, 2, b.resps[1].id)
		// Both in one cycle.
		start = b.cycle
		b.step(aw(request(3, 0x4c, 1, 2)), w(0x44444444, 0b0110, true))
		b.idle(latency + 5)
		require.Equal(t, start+late, b.resps[2].cycle)
		require.EqualValues(t, 0x2222222211111111, b.m.To.ReadWord(0x40))
		old := SourceWord(1, 0x48)
		require.Equal(t, old&0xff0000ff_00000000|0x00444400_33333333, b.m.To.ReadWord(0x48))
		b.clean()
	}
}

func TestOutstandingIsLimited(t *testing.T) {
	b := newBench(t, Config{ReadLatency: 200, WriteLatency: 200})
	n := 0
	for range 100 {
		if ok, _, _ := b.step(ar(request(0, 0, 1, 2))); ok {
			n++
		} else {
			break
		}
	}
	require.Equal(t, 64, n)
	// A place frees in the cycle after the last beat, which comes 200 cycles later.
	for !b.s.R.Valid {
		b.step()
	}
	ok, _, _ := b.step(ar(request(0, 0, 1, 2)))
	require.True(t, ok)

	b = newBench(t, Config{Writes: 3})
	for k := range 4 {
		_, ok, _ := b.step(aw(request(0, 0, 1, 2)))
		require.Equal(t, k < 3, ok)
	}
}

func TestWriteDataMayComeFarAhead(t *testing.T) {
	b := newBench(t, Config{})
	for n := range earlyBeats {
		_, _, ok := b.step(w(uint64(n), 15, n%4 == 3))
		require.True(t, ok)
	}
	b.step()
	require.False(t, b.s.W.Ready)
	for k := range earlyBeats / 4 {
		b.step(aw(request(0, uint64(k)*16, 4, 2)))
	}
	b.idle(4)
	require.EqualValues(t, 5, b.m.To.ReadWord(0x10)>>32)
	require.Len(t, b.resps, earlyBeats/4)
	b.clean()
}

func TestStallsAreAsOftenAsAsked(t *testing.T) {
	b := newBench(t, Config{Stalls: Stalls{AR: 40, R: 50, AW: 20, W: 10}, Seed: 1, Reads: 200})
	const n = 20000
	var low [3]int
	for range n {
		b.m.Drive(&b.s)
		for i, r := range []bool{b.s.AR.Ready, b.s.AW.Ready, b.s.W.Ready} {
			if !r {
				low[i]++
			}
		}
	}
	for i, want := range []float64{0.4, 0.2, 0.1} {
		require.InDelta(t, want, float64(low[i])/n, 0.02)
	}
	b.step(ar(request(0, 0, 200, 2)))
	for len(b.beats) == 0 || !b.beats[len(b.beats)-1].last {
		b.step()
	}
	require.InDelta(t, 400, b.beats[len(b.beats)-1].cycle-b.beats[0].cycle, 60)
}

func TestAnswersWaitForReady(t *testing.T) {
	b := newBench(t, Config{Stalls: Stalls{R: 30, B: 30}})
	b.step(ar(request(1, 0, 3, 2)), aw(request(1, 0x100, 1, 2)), w(1, 15, true))
	b.s.R.Ready, b.s.B.Ready = false, false
	b.idle(20) // the monitor sees that both stay as they are
	require.True(t, b.s.R.Valid)
	require.True(t, b.s.B.Valid)
	b.s.R.Ready, b.s.B.Ready = true, true
	b.idle(20)
	require.Len(t, b.beats, 3)
	b.clean()
}

func TestPayloadIsWrongWithoutValid(t *testing.T) {
	b := newBench(t, Config{})
	b.step(ar(request(1, 0, 1, 2)), aw(request(1, 0x100, 1, 2)), w(1, 15, true))
	b.step()
	right := b.s.R.Data[0]
	require.True(t, b.s.R.Valid)
	b.step()
	require.False(t, b.s.R.Valid)
	require.Equal(t, ^right&0xffffffff, b.s.R.Data[0])
	require.Equal(t, axi4.SlvErr, b.s.R.Resp)
	require.Equal(t, axi4.SlvErr, b.s.B.Resp)
}

// Faults come and go while the memory runs; of two alike one stays.
func TestFaultsComeAndGo(t *testing.T) {
	b := newBench(t, Config{})
	read, write := Fault{Lo: 0x104, Hi: 0x104, Resp: axi4.SlvErr}, Fault{Write: true, Lo: 0x200, Hi: 0x200, Resp: axi4.DecErr}
	attempt := func() {
		b.step(ar(request(1, 0x104, 1, 2)))
		b.step(aw(request(1, 0x200, 1, 2)), w(5, 15, true))
		require.True(t, b.m.Writing(0x203, 0x300, 0))
		require.False(t, b.m.Writing(0x204, 0x300, 0), "beyond the burst")
		require.False(t, b.m.Writing(0x0, 0x1ff, 0), "before the burst")
		require.False(t, b.m.Writing(0x200, 0x203, 1), "it is skipped")
		require.EqualValues(t, 0x200, b.m.Answering().Addr)
		b.idle(6)
	}
	attempt()
	b.m.AddFault(read)
	b.m.AddFault(read)
	b.m.AddFault(write)
	attempt()
	b.m.RemoveFault(read)
	b.m.RemoveFault(write)
	b.m.RemoveFault(write) // is not there
	attempt()
	b.m.RemoveFault(read)
	attempt()
	for i, want := range []axi4.Resp{axi4.Okay, axi4.SlvErr, axi4.SlvErr, axi4.Okay} {
		require.Equal(t, want, b.beats[i].resp, "read %d", i)
	}
	for i, want := range []axi4.Resp{axi4.Okay, axi4.DecErr, axi4.Okay, axi4.Okay} {
		require.Equal(t, want, b.resps[i].resp, "write %d", i)
	}
	b.clean()
}

func TestFaults(t *testing.T) {
	b := newBench(t, Config{Faults: []Fault{
		{Lo: 0x104, Hi: 0x105, Resp: axi4.SlvErr},
		{Write: true, Lo: 0x208, Hi: 0x208, Resp: axi4.DecErr},
	}})
	b.step(ar(request(1, 0x100, 3, 2)))
	b.idle(5)
	require.Equal(t, []axi4.Resp{axi4.Okay, axi4.SlvErr, axi4.Okay}, []axi4.Resp{b.beats[0].resp, b.beats[1].resp, b.beats[2].resp})
	require.Equal(t, ^SourceWord(1, 0x100)>>32, b.beats[1].data, "data with an error are wrong")
	require.Equal(t, SourceWord(1, 0x108)&0xffffffff, b.beats[2].data)

	b.step(aw(request(1, 0x200, 2, 2)), w(5, 15, false)) // does not reach it
	b.step(w(5, 15, true))
	b.step(aw(request(1, 0x200, 3, 2)), w(6, 15, false))
	b.step(w(6, 15, false))
	b.step(w(6, 15, true))
	b.idle(4)
	require.Equal(t, axi4.Okay, b.resps[0].resp)
	require.Equal(t, axi4.DecErr, b.resps[1].resp)
	require.EqualValues(t, 5, b.m.To.Byte(0x200), "a write that fails stores nothing")
	require.Equal(t, Beats{Reads: 1, Writes: 2, ReadBeats: 3, WriteBeats: 5, ReadErrors: 1, WriteErrors: 1}, b.m.Count())
	b.clean()
}

func TestWidths(t *testing.T) {
	for bytes := 1; bytes <= 128; bytes *= 2 {
		b := newBench(t, Config{Bytes: bytes})
		size := uint8(0)
		for 1<<size < bytes {
			size++
		}
		words := (bytes + 7) / 8
		data, strb := make([]uint64, words), make([]uint64, (bytes+63)/64)
		for k := range bytes {
			data[k/8] |= uint64(k+1) << (k % 8 * 8)
			strb[k/64] |= 1 << (k % 64)
		}
		addr := uint64(0x380)
		b.step(aw(request(0, addr, 1, size)), func(s *axi4.Sample) { s.W.Valid, s.W.Last, s.W.Data, s.W.Strb = true, true, data, strb })
		b.idle(3)
		for k := range bytes {
			require.EqualValues(t, k+1, b.m.To.Byte(addr+uint64(k)), "%d bytes, lane %d", bytes, k)
			require.Equal(t, 1, b.m.To.Writes(addr+uint64(k)))
		}
		require.Zero(t, b.m.To.Writes(addr-1))
		require.Zero(t, b.m.To.Writes(addr+uint64(bytes)))
		b.step(ar(request(0, addr, 1, size)))
		b.step()
		require.Equal(t, data, b.s.R.Data)
		b.clean()
	}
}

func TestUpperStrobesOfAWideBus(t *testing.T) {
	b := newBench(t, Config{Bytes: 128})
	data := make([]uint64, 16)
	data[15] = 0xab << 56
	b.step(aw(request(0, 0x400, 1, 7)), func(s *axi4.Sample) {
		s.W.Valid, s.W.Last, s.W.Data, s.W.Strb = true, true, data, []uint64{0, 1 << 63}
	})
	require.EqualValues(t, 0xab, b.m.To.Byte(0x47f))
	require.Equal(t, 1, b.m.To.Writes(0x47f))
	require.Zero(t, b.m.To.Writes(0x47e))
}

func TestResetForgetsWhatIsInFlight(t *testing.T) {
	b := newBench(t, Config{ReadLatency: 5})
	b.step(ar(request(0, 0, 4, 2)), aw(request(0, 0, 1, 2)))
	b.step(ar(request(0, 0, 4, 2)))
	b.m.Reset()
	r, w := b.m.Pending()
	require.Zero(t, r+w)
	b.idle(20)
	require.Empty(t, b.beats)
}

func TestConfigNamesTheFieldOutOfRange(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Bytes: 3, ReadLatency: 1, WriteLatency: 1}, "bus of 3 bytes"},
		{Config{Bytes: 256, ReadLatency: 1, WriteLatency: 1}, "bus of 256 bytes"},
		{Config{Bytes: 4, WriteLatency: 1}, "read latency is 0"},
		{Config{Bytes: 4, ReadLatency: 1, WriteLatency: -1}, "write latency is -1"},
		{Config{Bytes: 4, ReadLatency: 1, WriteLatency: 1, Reads: -1}, "outstanding reads is -1"},
		{Config{Bytes: 4, ReadLatency: 1, WriteLatency: 1, Stalls: Stalls{W: 100}}, "W stalls is 100; 0…99"},
		{Config{Bytes: 4, ReadLatency: 1, WriteLatency: 1, Faults: []Fault{{Lo: 2, Hi: 1}}}, "fault from 0x2 to 0x1"},
	} {
		_, err := NewAXI4(c.cfg, nil, nil)
		require.ErrorContains(t, err, c.want)
	}
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	b := newBench(t, Config{ReadLatency: 3, WriteLatency: 3, Stalls: AllStalls(10)})
	data, strb := []uint64{1}, []uint64{15}
	cycle := func() {
		b.m.Drive(&b.s)
		b.s.AR.Valid, b.s.AR.Request = true, request(0, 0x1000, 1, 2)
		b.s.AW.Valid, b.s.AW.Request = true, request(0, 0x2000, 1, 2)
		b.s.W.Valid, b.s.W.Data, b.s.W.Strb, b.s.W.Last = true, data, strb, true
		b.m.Edge(&b.s)
	}
	for range 100 {
		cycle()
	}
	require.Zero(t, testing.AllocsPerRun(1000, cycle))
}

func TestReadsFirstRefusesWritesWhileAReadIsPending(t *testing.T) {
	b := newBench(t, Config{ReadsFirst: true, ReadLatency: 3})
	write := func(s *axi4.Sample) {
		s.AW.Valid, s.AW.Request = true, request(0, 0x100, 1, 2)
	}
	_, aw, _ := b.step(func(s *axi4.Sample) { s.AR.Valid, s.AR.Request = true, request(0, 0, 2, 2) }, write)
	require.True(t, aw, "no read is pending yet")
	for range 4 { // until the cycle in which the last beat is taken
		_, aw, _ = b.step(write)
		require.False(t, aw)
		require.False(t, b.s.W.Ready)
	}
	require.Len(t, b.beats, 2)
	_, aw, _ = b.step(write)
	require.True(t, aw)
	require.True(t, b.s.W.Ready)
}

func TestWriteOrder(t *testing.T) {
	for _, c := range []struct {
		order  WriteOrder
		aw, w  bool // accepted when alone
		second string
	}{{AnyOrder, true, true, ""}, {AddressFirst, true, false, "w"}, {DataFirst, false, true, "aw"}} {
		address, data := aw(request(0, 0x100, 1, 2)), w(1, 15, true)
		_, first, _ := newBench(t, Config{WriteOrder: c.order}).step(address)
		require.Equal(t, c.aw, first)
		_, _, first = newBench(t, Config{WriteOrder: c.order}).step(data)
		require.Equal(t, c.w, first)
		b := newBench(t, Config{WriteOrder: c.order})
		_, gotAW, gotW := b.step(address, data)
		require.Equal(t, [2]bool{c.aw, c.w}, [2]bool{gotAW, gotW})
		switch c.second { // what had to wait goes a cycle later
		case "aw":
			_, gotAW, _ = b.step(address)
		case "w":
			_, _, gotW = b.step(data)
		}
		require.True(t, gotAW && gotW)
		b.idle(3)
		require.Len(t, b.resps, 1)
		b.clean()
	}
}
