package backend_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
)

// accessOf is where an access begins and how many bytes it has.
type accessOf struct{ addr, bytes uint64 }

// accesses is how a span is to be cut, written from the rule (specification §2.3): each
// access has as many bytes as its address is a multiple of, as are left and as are
// allowed, whichever is least, as a power of two.
func accesses(addr, length, most uint64) (all []accessOf) {
	for length > 0 {
		n := min(uint64(1)<<(bits.Len64(length)-1), most)
		for addr%n != 0 {
			n /= 2
		}
		all = append(all, accessOf{addr, n})
		addr, length = addr+n, length-n
	}
	return all
}

// tlBench is an engine with TileLink on both sides.
func tlBench(t testing.TB, edit func(*backend.Config)) *portBench {
	c := backend.Default()
	c.ReadProtocols, c.WriteProtocols = backend.PortsOf(backend.TileLink), backend.PortsOf(backend.TileLink)
	edit(&c)
	return newPortBench(t, goModel, c, 1)
}

// seen is what a link was asked for.
func seen(l *tileLink) (all []accessOf) {
	for _, r := range l.asked {
		all = append(all, accessOf{r.Address, r.Bytes()})
	}
	return all
}

// Hazard 21: the size of the longest access does not fit into its field, and accesses
// are not naturally aligned. Every access is exactly the one of the rule, at random
// addresses and up to the longest size of every width.
func TestHazard21TileLinkSizesAndAlignment(t *testing.T) {
	for _, width := range []int{16, 32, 64, 512, 1024} {
		for _, most := range []int{0, width / 8, 4 * width / 8, min(4096, 256*width/8)} {
			t.Run(fmt.Sprintf("%d bits, %d bytes", width, most), func(t *testing.T) {
				b := tlBench(t, func(c *backend.Config) { c.DataWidth, c.TLMaxSize, c.BufferDepth = width, most, 8 })
				longest := uint64(max(most, width/8))
				rng := rand.New(rand.NewPCG(uint64(width), uint64(most)))
				moves := []move{{length: 2 * longest, src: 0x1_0000, dst: 0x2_0000}, {length: 3*longest + 1, src: 0x3_0000 - longest, dst: 0x8_0000}}
				for i := range 12 {
					moves = append(moves, move{length: 1 + rng.Uint64N(3*longest), src: uint64(rng.Uint32()), dst: 0x10_0000 + uint64(i)*0x4000 + rng.Uint64N(longest)})
				}
				b.move(moves)
				var reads, writes []accessOf
				for _, v := range moves {
					reads = append(reads, accesses(v.src, v.length, longest)...)
					writes = append(writes, accesses(v.dst, v.length, min(longest, uint64(width)))...) // 8 rows of the buffer
				}
				require.Empty(t, cmp.Diff(reads, seen(b.links[0]), cmp.AllowUnexported(accessOf{})), "reads")
				require.Empty(t, cmp.Diff(writes, seen(b.links[1]), cmp.AllowUnexported(accessOf{})), "writes")
			})
		}
	}
}

// Hazard 13: a limit on burst lengths counts for TileLink as for AXI4.
func TestHazard13TileLinkKeepsTheLimit(t *testing.T) {
	for limit := range 8 {
		b := tlBench(t, func(c *backend.Config) { c.TLMaxSize, c.BufferDepth = 1024, 64 })
		for _, side := range []string{"src", "dst"} {
			b.pin("req_" + side + "_max_llen").set(uint64(limit))
			b.pin("req_" + side + "_reduce_len").set(1)
		}
		b.move([]move{{length: 3000, src: 0x1002, dst: 0x8001}})
		want := accesses(0x1002, 3000, min(1024, uint64(4)<<limit))
		require.Empty(t, cmp.Diff(want, seen(b.links[0]), cmp.AllowUnexported(accessOf{})), "reads, limit %d", limit)
		want = accesses(0x8001, 3000, min(256, uint64(4)<<limit)) // 64 rows of the buffer
		require.Empty(t, cmp.Diff(want, seen(b.links[1]), cmp.AllowUnexported(accessOf{})), "writes, limit %d", limit)
	}
}

// A Put of several beats never waits for data once it has begun, whatever the reads do:
// on its way it may block the Gets that would bring them.
func TestPutsThatHaveBegunNeedNoFurtherReads(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 4))
		b := tlBench(t, func(c *backend.Config) {
			c.TLMaxSize, c.BufferDepth, c.CombinedShifter = 64<<rng.IntN(4), 2+rng.IntN(40), rng.IntN(2) == 0
			c.ReserveBuffer = rng.IntN(3) == 0
		})
		b.shared = true
		b.stall, b.wait = rng.IntN(2)*30, 1+rng.IntN(9)
		b.move(b.random(40))
		if b.links[1].mon.Stats().Accepted[0] == b.links[1].mon.Stats().Messages[0] && b.cfg.BufferDepth >= 4 && !b.cfg.ReserveBuffer {
			t.Errorf("seed %d: no Put had several beats", seed)
		}
	}
}

// Data that were denied count as DECERR, corrupt ones as SLVERR; a Put that was denied
// as DECERR.
func TestTileLinkCauses(t *testing.T) {
	for _, c := range []struct {
		what          string
		write, denied bool
		cause, kind   uint64
	}{{"corrupt data", false, false, 2, backend.ErrBusRead}, {"denied Get", false, true, 3, backend.ErrBusRead}, {"denied Put", true, true, 3, backend.ErrBusWrite}} {
		b := tlBench(t, func(*backend.Config) {})
		b.faults = true
		word := uint64(0x4000)
		for ; !b.fault(portEnd{}, word) || c.denied != b.denies(word); word += 4 {
		}
		v := move{length: 4, src: word, dst: 0x100}
		if c.write {
			v = move{length: 4, src: 0x100, dst: word}
			require.False(t, b.fault(portEnd{}, 0x100))
		}
		told := &answerWatch{portBench: b}
		b.agents = append(b.agents, told)
		b.move([]move{v})
		require.Equal(t, []uint64{c.cause, c.kind}, told.got, c.what)
	}
}

// answerWatch keeps cause and kind of the answers.
type answerWatch struct {
	*portBench
	got []uint64
}

func (*answerWatch) drive() {}
func (a *answerWatch) edge() {
	if a.pin("rsp_valid").on() && a.pin("rsp_ready").on() {
		a.got = append(a.got, a.pin("rsp_cause").get(), a.pin("rsp_err_type").get())
	}
}

// The first read is offered one cycle after its request is accepted, whatever the
// protocol and however it is aligned.
func TestFirstReadOfEveryProtocol(t *testing.T) {
	for name, valid := range map[string]string{
		"axi4": "m_axi_arvalid", "obi": "m_obi_read_req", "axi_lite": "m_axil_arvalid", "tilelink": "m_tl_read_a_valid",
	} {
		for _, handles := range []bool{false, true} {
			c := backend.Default()
			require.NoError(t, c.ReadProtocols.UnmarshalText([]byte(name)))
			c.ErrorHandling, c.TLMaxSize = handles, 256
			b := newPortBench(t, goModel, c, 1)
			require.NoError(t, b.eng.Reset(2))
			b.request(move{length: 1000, src: 0x1003, dst: 0x2000, decouple: true}, true)
			b.pin("req_valid").setBool(true)
			for range 2 {
				require.NoError(t, b.eng.Step())
				require.Equal(t, !b.pin("req_valid").on(), b.pin(valid).on(), "%s, error handling %v", name, handles)
				if b.pin("req_valid").on() {
					require.True(t, b.pin("req_ready").on())
				}
				b.pin("req_valid").setBool(false)
			}
		}
	}
}

// What a transfer that is not aligned costs are the accesses at its ends: for 4 KiB on a
// bus of 8 bytes up to three more at each end of each side, and none between.
func TestTileLinkMisaligned(t *testing.T) {
	for _, combined := range []bool{true, false} {
		for _, most := range []int{0, 1024} {
			b := tlBench(t, func(c *backend.Config) { c.DataWidth, c.TLMaxSize, c.CombinedShifter = 64, most, combined })
			b.move([]move{{length: 4096, src: 0x1001, dst: 0x2003, decouple: true}})
			writes := len(accesses(0x2003, 4096, 8))
			require.LessOrEqual(t, b.lastBeat-b.firstBeat, writes+3, "cycles from the first to the last of %d words", writes)
		}
	}
}

// With a reserved buffer answers are taken whatever the writes do, so that both links
// may lead to one subordinate whose answers wait for each other.
func TestReservedBuffersNeverHoldUpTileLinkAnswers(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 6))
		b := tlBench(t, func(c *backend.Config) {
			c.TLMaxSize, c.BufferDepth, c.CombinedShifter, c.ReserveBuffer = 64, 1+rng.IntN(20), rng.IntN(2) == 0, true
		})
		b.stall, b.wait = 40, 1+rng.IntN(9)
		b.move(b.random(40))
		require.Zero(t, b.links[0].mon.Stats().Waited[1], "cycles in which data waited, seed %d", seed)
	}
}
