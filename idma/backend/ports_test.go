package backend_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/idma/backend"
)

var portSeed = flag.Uint64("portseed", 0, "run the random tests of ports with this seed only")

// move is one transfer between ports.
type move struct {
	from, to, mode    int
	length, src, dst  uint64
	decouple, refused bool
	op                *computing // nil: the bytes go as they are
}

// request puts a transfer on the request port.
func (b *portBench) request(v move, last bool) {
	set := func(name string, x uint64) {
		if _, err := b.eng.Layout().Port(name); err == nil {
			b.pin(name).set(x)
		}
	}
	head := func(ps []backend.Protocol, i int) (n uint64) {
		for _, p := range ps[:i] {
			if p == ps[i] {
				n++
			}
		}
		return n
	}
	set("req_length", v.length)
	set("req_src_addr", v.src)
	set("req_dst_addr", v.dst)
	set("req_src_burst", 1)
	set("req_dst_burst", 1)
	set("req_src_protocol", uint64(b.readPorts[v.from]))
	set("req_dst_protocol", uint64(b.writePorts[v.to]))
	if v.refused {
		set("req_dst_protocol", 7)
		set("req_dst_burst", 0)
	}
	set("req_src_head", head(b.readPorts, v.from))
	set("req_dst_head", head(b.writePorts, v.to))
	set("req_src_mode", uint64(v.mode))
	set("req_id", uint64(v.dst>>4))
	set("req_decouple_rw", b.truth(v.decouple))
	set("req_decouple_aw", b.truth(v.decouple))
	set("req_last", b.truth(last))
	v.op.set(set)
}

func (b *portBench) truth(x bool) uint64 {
	if x {
		return 1
	}
	return 0
}

// source is the bytes that a transfer reads, written from the specification.
func (b *portBench) source(v move, streamed map[int]uint64) []byte {
	bytes := make([]byte, v.length)
	switch b.readPorts[v.from] {
	case backend.Init:
		word := uint32(v.src)
		if v.mode == backend.InitRandom && word == 0 {
			word = 1
		}
		for i := range bytes {
			if i > 0 && i%4 == 0 {
				switch v.mode {
				case backend.InitIncrement:
					word++
				case backend.InitRandom:
					word ^= word << 13
					word ^= word >> 17
					word ^= word << 5
				}
			}
			bytes[i] = byte(word >> (i % 4 * 8))
		}
	case backend.AXIStream:
		for i := range bytes {
			bytes[i] = content(v.from, streamed[v.from])
			streamed[v.from]++
		}
	default:
		for i := range bytes {
			bytes[i] = content(v.from, v.src+uint64(i))
		}
	}
	return bytes
}

// touches reports whether a transfer meets a word that answers with an error.
func (b *portBench) touches(p backend.Protocol, end portEnd, addr, n uint64) bool {
	if p == backend.Init || p == backend.AXIStream {
		return false
	}
	s := uint64(b.lanes())
	for w := addr &^ (s - 1); w < addr+n; w += s {
		if b.fault(end, w) {
			return true
		}
	}
	return false
}

// move runs transfers and requires that each byte arrives, nothing else is
// written, and every request is answered in order.
func (b *portBench) move(moves []move) {
	require.NoError(b.t, b.eng.Reset(2))
	b.through(moves)
	b.compare(moves)
}

// through sends transfers through the engine, after those before.
func (b *portBench) through(moves []move) {
	t := b.t
	valid, ready := b.pin("req_valid"), b.pin("req_ready")
	rspReady := b.pin("rsp_ready")
	rsp := b.channel("rsp", "rsp_valid", "rsp_ready", "rsp_error", "rsp_last", "rsp_err_type", "rsp_cause")
	rspError, rspLast, rspType := b.pin("rsp_error"), b.pin("rsp_last"), b.pin("rsp_err_type")
	next, offered, answered, idle := 0, false, 0, 0
	for answered < len(moves) {
		for _, a := range b.agents {
			a.drive()
		}
		if !offered && next < len(moves) && !b.chance(b.stall) {
			b.request(moves[next], next%3 == 0)
			offered = true
		}
		if b.errs != nil {
			b.errs.accepted = b.moved + next
			b.errs.drive()
		}
		valid.setBool(offered)
		rspReady.setBool(!b.chance(b.stall))
		require.NoError(t, b.eng.Step())
		for _, c := range b.held {
			c.check(b)
		}
		for _, a := range b.agents {
			a.edge()
		}
		idle++
		if offered && ready.on() {
			next, offered, idle = next+1, false, 0
		}
		b.cycle++
		if rsp.fires() {
			b.causes = append(b.causes, b.pin("rsp_cause").get())
			v := moves[answered]
			require.Less(t, answered, next, "an answer without a request")
			reads := b.touches(b.readPorts[v.from], portEnd{false, v.from}, v.src, v.length)
			writes := b.touches(b.writePorts[v.to], portEnd{true, v.to}, v.dst, v.length)
			refused := v.isRefused()
			reads, writes = v.op.faults(reads), v.op.wrote(b, v, writes)
			at := fmt.Sprintf("answer of transfer %d, %+v", answered, v)
			if b.errs != nil {
				idle = 0
				b.dying.gave(b, b.moved+answered, v, at)
				if b.errs.told(b.moved+answered, v, at) {
					continue
				}
				reads, writes = false, false
			}
			if b.errs == nil && b.dying.gave(b, b.moved+answered, v, at) {
				reads, writes = rspType.get() == backend.ErrBusRead, rspType.get() == backend.ErrBusWrite
			}
			require.Equal(t, refused || reads || writes, rspError.on(), at)
			require.Equal(t, answered%3 == 0, rspLast.on(), at)
			switch {
			case refused:
				require.EqualValues(t, backend.ErrRefused, rspType.get(), at)
				if v.op != nil && v.op.bad && !v.refused {
					require.EqualValues(t, v.op.why(v), b.pin("rsp_cause").get(), at)
				}
			case reads:
				require.EqualValues(t, backend.ErrBusRead, rspType.get(), at)
			case writes:
				require.EqualValues(t, backend.ErrBusWrite, rspType.get(), at)
			}
			answered++
			idle = 0
		}
		require.Less(t, idle, 20000, "cycle %d: hangs after %d of %d answers", b.cycle, answered, len(moves))
	}
	b.moved += len(moves)
	valid.setBool(false)
	b.rest(20)
	require.Zero(t, b.pin("busy").get(), "busy after all transfers")
	for _, l := range b.links {
		if b.dying.what > 0 && b.dying.end == (portEnd{l.write, l.port}) && b.cycle < b.dying.to {
			continue // it owes answers
		}
		l.mon.Finish(uint64(b.cycle))
		require.Empty(t, l.mon.Violations(), "the link of port %d", l.port)
	}
}

// rest lets some cycles pass without requests.
func (b *portBench) rest(cycles int) {
	for range cycles {
		for _, a := range b.agents {
			a.drive()
		}
		require.NoError(b.t, b.eng.Step())
		for _, c := range b.held {
			c.check(b)
		}
		for _, a := range b.agents {
			a.edge()
		}
		b.cycle++
	}
}

// compare requires that the ports were written as the transfers say.
func (b *portBench) compare(moves []move) {
	want := make([]map[uint64]byte, len(b.writePorts))
	packets := map[int][][]byte{}
	for i := range want {
		want[i] = map[uint64]byte{}
	}
	streamed := map[int]uint64{}
	for n, v := range moves {
		if v.isRefused() {
			continue
		}
		bytes := v.op.of(b.source(v, streamed))
		if b.errs != nil && !b.dying.lost[n] {
			bytes = b.errs.arrived(n, v, bytes, len(packets[v.to]))
		}
		bytes = b.dying.arrived(b, n, v, bytes, len(packets[v.to]))
		switch b.writePorts[v.to] {
		case backend.Init:
		case backend.AXIStream:
			if len(bytes) > 0 {
				packets[v.to] = append(packets[v.to], bytes)
			}
		default:
			for i, x := range bytes {
				if (b.errs.mayMiss(n, i) || b.dying.lost[n]) && !b.has(v.to, v.dst+uint64(i)) {
					continue
				}
				if b.dying.lost[n] && !b.dying.end.write { // read in part only
					x = b.written[v.to][v.dst+uint64(i)]
				}
				want[v.to][v.dst+uint64(i)] = x
			}
		}
	}
	for i := range want {
		if s := b.sinks[i]; s != nil {
			require.Equal(b.t, packets[i], s.packets, "packets of port %d", i)
			continue
		}
		require.Equal(b.t, len(want[i]), len(b.written[i]), "bytes written to port %d", i)
		for a, x := range want[i] {
			got, ok := b.written[i][a]
			require.True(b.t, ok && got == x, "port %d, address %#x: %#x, wanted %#x (written %v)", i, a, got, x, ok)
		}
	}
}

// random makes transfers between all ports, with destinations apart.
func (b *portBench) random(n int) []move {
	var out []move
	at := max(b.at, 0x100)
	for range n {
		v := move{from: b.rng.IntN(len(b.readPorts)), to: b.rng.IntN(len(b.writePorts)), mode: b.rng.IntN(3), decouple: b.rng.IntN(2) == 0}
		switch b.rng.IntN(8) {
		case 0:
			v.length = uint64(b.rng.IntN(3))
		case 1:
			v.length = uint64(b.rng.IntN(6 * b.lanes() * 8))
		default:
			v.length = uint64(1 + b.rng.IntN(4*b.lanes()))
		}
		v.src = uint64(b.rng.Uint32() >> 8)
		at += uint64(b.rng.IntN(2 * b.lanes()))
		v.dst = at
		at += v.length
		v.refused = b.rng.IntN(12) == 0 && b.cfg.WriteProtocols.String() == "axi4"
		out = append(out, v)
	}
	b.at = at
	return out
}

// portConfig is a random configuration with the given ports.
func portConfig(t testing.TB, rng *rand.Rand, read, write string) backend.Config {
	c := backend.Default()
	require.NoError(t, c.ReadProtocols.UnmarshalText([]byte(read)))
	require.NoError(t, c.WriteProtocols.UnmarshalText([]byte(write)))
	c.DataWidth = []int{16, 32, 64, 128, 512}[rng.IntN(5)]
	c.CombinedShifter, c.Coupler, c.MaskInvalidLanes = rng.IntN(2) == 0, rng.IntN(2) == 0, rng.IntN(2) == 0
	c.Outstanding, c.BufferDepth = 1+rng.IntN(8), 1+rng.IntN(4)*(1+rng.IntN(4))
	c.WriteOutstanding, c.OBIReady = rng.IntN(5)*3, rng.IntN(3) == 0
	c.TLMaxSize = tlMaxSize(c.DataWidth, rng.IntN(5))
	if rng.IntN(4) == 0 {
		c.StoreDepth, c.StoreTransfers = 2+rng.IntN(40), rng.IntN(2) == 0
	}
	c.ReserveBuffer = !strings.Contains(read, ",") && rng.IntN(4) == 0
	return c
}

// TestEveryPairOfProtocolsMovesData runs random transfers, with and without
// stalls and faults, between each pair of protocols.
func TestEveryPairOfProtocolsMovesData(t *testing.T) {
	everyPair(t, 2, 40, 1, func(t *testing.T, rng *rand.Rand, seed uint64, p [2]string) {
		b := newPortBench(t, goModel, portConfig(t, rng, p[0], p[1]), seed)
		b.stall, b.wait, b.faults = rng.IntN(2)*rng.IntN(60), 1+rng.IntN(30), rng.IntN(2) == 0
		b.move(b.random(60))
	})
}

// everyPair calls f for each pair of protocols, and for sets of several ports, with so
// many seeds, or more with -long. Kind keeps the numbers of different tests apart.
func everyPair(t *testing.T, seeds, more, kind uint64, f func(t *testing.T, rng *rand.Rand, seed uint64, p [2]string)) {
	t.Helper()
	var pairs [][2]string
	for _, r := range portSets {
		for _, w := range portSets {
			pairs = append(pairs, [2]string{r, w})
		}
	}
	each(t, append(pairs, severalPorts...), func(t *testing.T, p [2]string) {
		first, count := uint64(1), seeds
		if *long {
			count = more
		}
		if *portSeed > 0 {
			first, count = *portSeed, 1
		}
		for seed := first; seed < first+count; seed++ {
			t.Logf("seed %d; replay with -portseed %d", seed, seed)
			f(t, rand.New(rand.NewPCG(seed, kind)), seed, p)
		}
	})
}

// TestEveryPortInLockstep runs one engine with all ports in lockstep with its RTL.
func TestEveryPortInLockstep(t *testing.T) {
	const all = "axi4, obi, axi_lite, tilelink, init, axi_stream"
	b := newPortBench(t, lockstep, portConfig(t, rand.New(rand.NewPCG(3, 1)), all, all), 3)
	b.stall, b.faults = 25, true
	b.move(b.random(150))
}

// TestPairsMoveAWordACycle moves one long transfer, then short ones that change
// ports each time: in the first a word is written every cycle, in the others no
// cycle is lost between transfers but for those that the protocol takes. Error handler
// and watchdog change nothing.
func TestPairsMoveAWordACycle(t *testing.T) {
	for _, r := range portSets {
		for _, w := range []string{"axi4", "obi", "axi_lite", "tilelink", "axi_stream"} {
			t.Run(r+" to "+w, func(t *testing.T) {
				for i, handles := range []bool{false, true, false} {
					c := withHandling(backend.Default(), handles)
					require.NoError(t, c.ReadProtocols.UnmarshalText([]byte(r)))
					require.NoError(t, c.WriteProtocols.UnmarshalText([]byte(w)))
					if r == "tilelink" || w == "tilelink" {
						c.Watchdog, c.TLMaxSize = 0, []int{0, 0, 1024}[i]
					}
					b := newPortBench(t, goModel, c, 1)
					for _, s := range b.sources {
						s.full = true
					}
					b.move([]move{{length: 4096, src: 0x1000, dst: 0x2000, decouple: true}})
					require.Equal(t, 1023, b.lastBeat-b.firstBeat, "cycles from the first to the last of 1024 words")
				}
			})
		}
	}
}

func TestChangingPortsCostsNothing(t *testing.T) {
	for _, handles := range []bool{false, true} {
		changePorts(t, withHandling(backend.Default(), handles))
	}
}

// changePorts requires that no cycle is lost where each transfer has other ports than
// the one before.
func changePorts(t *testing.T, c backend.Config) {
	t.Helper()
	require.NoError(t, c.ReadProtocols.UnmarshalText([]byte("axi4, obi")))
	require.NoError(t, c.WriteProtocols.UnmarshalText([]byte("axi4, obi")))
	b := newPortBench(t, goModel, c, 1)
	var moves []move
	for i := range 64 {
		moves = append(moves, move{from: i % 2, to: (i + 1) % 2, length: 32, src: uint64(0x1000 + 32*i), dst: uint64(0x8000 + 32*i), decouple: true})
	}
	b.move(moves)
	require.Equal(t, 64*8-1, b.lastBeat-b.firstBeat, "cycles from the first to the last of 512 words")
}

// TestToolsAcceptEveryPair lints engines with one port a side; only with -long, as
// [TestToolsAcceptEveryPort] has all the modules.
func TestToolsAcceptEveryPair(t *testing.T) {
	if !*long {
		t.Skip("with -long")
	}
	var pairs [][2]string
	for _, r := range portSets {
		for _, w := range portSets {
			pairs = append(pairs, [2]string{r, w})
		}
	}
	each(t, pairs, func(t *testing.T, p [2]string) {
		for seed := range uint64(2) {
			c := portConfig(t, rand.New(rand.NewPCG(seed, 7)), p[0], p[1])
			c.ErrorHandling = seed == 1
			dir := t.TempDir()
			d := elaborate(t, c)
			require.NoError(t, gen.WriteDir(dir, emit(t, c, gen.Options{})))
			for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, lint.All()) {
				require.NoError(t, r.Err, "%s, %+v: %s", r.Tool, c, r.Output)
			}
		}
	})
}

func TestToolsAcceptEveryPort(t *testing.T) {
	const all = "axi4, obi, axi_lite, tilelink, init, axi_stream"
	for i, ports := range []string{all, "obi", "axi_lite", "axi_stream", "init", "tilelink", "tilelink"} {
		c := portConfig(t, rand.New(rand.NewPCG(uint64(i), 2)), ports, ports)
		c.OBIReady = i%2 == 1
		dir := t.TempDir()
		d := elaborate(t, c)
		require.NoError(t, gen.WriteDir(dir, emit(t, c, gen.Options{})))
		for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, lint.All()) {
			require.NoError(t, r.Err, "%s of %s: %s", r.Tool, ports, r.Output)
		}
	}
}
