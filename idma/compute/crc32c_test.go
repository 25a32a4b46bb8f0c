package compute_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/tb/computed"
)

// crcOf is the check that M stands for.
func crcOf(m uint64) computed.CRC32C {
	return computed.CRC32C{FromZero: m&compute.CRCFromZero != 0, NotInverted: m&compute.CRCNotInverted != 0}
}

// crcTransfer is what becomes of a transfer of bytes. In the modes that check, their check value is added to
// them, with the bits of flips turned over.
func crcTransfer(mode, m uint64, data []byte, flips uint32) unitTransfer {
	x := unitTransfer{mode: mode, m: m, in: data}
	if mode >= compute.CRCModeStrip {
		sum := crcOf(m).Value(data)
		x.in = binary.LittleEndian.AppendUint32(slices.Clone(data), binary.LittleEndian.Uint32(sum)^flips)
	}
	return x.checked()
}

// checked is the transfer with what must come of it.
func (x unitTransfer) checked() unitTransfer {
	var right bool
	if x.want, right = crcOf(x.m).Apply(int(x.mode), x.in); !right {
		x.cause = compute.CauseWrong
	}
	return x
}

// crcTransfers are random transfers of the modes. Some have a bus error, and of those that are
// checked some are wrong, in one bit or in several, of the data or the check value.
func crcTransfers(r *rand.Rand, lanes, count int, modes ...uint64) (ts []unitTransfer) {
	for range count {
		mode := modes[r.IntN(len(modes))]
		data := make([]byte, 1+r.IntN(5*lanes))
		if mode == compute.CRCModeCheck && r.IntN(20) == 0 {
			data = nil
		}
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		var flips uint32
		if r.IntN(3) == 0 {
			flips = 1 << r.IntN(32)
			flips |= 1 << r.IntN(32)
		}
		x := crcTransfer(mode, r.Uint64N(4096), data, flips)
		x.n = r.Uint64N(4096)
		if mode >= compute.CRCModeStrip && len(data) > 0 && x.cause == 0 && r.IntN(3) == 0 {
			x.in = slices.Clone(x.in)
			x.in[r.IntN(len(data))] ^= 1 << r.IntN(8)
			x = x.checked()
		}
		if r.IntN(4) == 0 {
			x.inCause = 2 + r.Uint64N(2)
			x.cause = x.inCause
			x.failsAt = r.IntN((len(x.in) + lanes - 1) / lanes)
		}
		ts = append(ts, x)
	}
	return ts
}

var crcModes = []uint64{compute.CRCModeAppend, compute.CRCModeOnly, compute.CRCModeStrip, compute.CRCModeCheck}

// crcLatency is the cycles from a word to what leaves of it, where nothing waits.
func crcLatency(lanes int) int {
	return map[int]int{2: 6, 4: 5, 8: 6, 16: 6, 32: 7, 64: 7, 128: 8}[lanes]
}

// The examples of RFC 3720, appendix B.4, and the check value of the catalogues.
func TestCRC32CKnownValues(t *testing.T) {
	count := make([]byte, 32)
	for i := range count {
		count[i] = byte(i)
	}
	down := slices.Clone(count)
	slices.Reverse(down)
	read, err := hex.DecodeString("01c00000000000000000000000000000" + "14000000000004000000001400000018" + "28000000000000000200000000000000")
	require.NoError(t, err)
	for _, c := range []struct {
		data []byte
		want string
	}{
		{make([]byte, 32), "aa36918a"}, {slices.Repeat([]byte{0xff}, 32), "43aba862"}, {count, "4e79dd46"}, {down, "5cdb3f11"},
		{read, "563a96d9"}, {[]byte("123456789"), "839206e3"},
	} {
		want, err := hex.DecodeString(c.want)
		require.NoError(t, err)
		require.Equal(t, want, computed.CRC32C{}.Value(c.data), "oracle")
		for _, width := range mxWidths {
			b := newUnitBench(t, unitModel(t, unitDesign(t, compute.CRC32C{}, width), 1), width/8, 1)
			b.run(t, []unitTransfer{{mode: compute.CRCModeOnly, in: c.data, want: want}}, fullPace)
		}
	}
}

func TestCRC32CUnit(t *testing.T) {
	for _, width := range mxWidths {
		t.Run(fmt.Sprintf("%d bit", width), func(t *testing.T) {
			const seed = 61
			r := rand.New(rand.NewPCG(seed, uint64(width)))
			b := newUnitBench(t, unitModel(t, unitDesign(t, compute.CRC32C{}, width), seed), width/8, seed)
			for _, p := range []pace{fullPace, {in: 100, out: 30}, {in: 30, out: 100}, {in: 60, out: 60}, {in: 5, out: 100}} {
				b.run(t, crcTransfers(r, width/8, 200, crcModes...), p)
			}
		})
	}
}

// Every length, alone and between others, in every mode.
func TestCRC32CEveryLength(t *testing.T) {
	for _, width := range []int{16, 32, 64, 128} {
		r := rand.New(rand.NewPCG(67, uint64(width)))
		b := newUnitBench(t, unitModel(t, unitDesign(t, compute.CRC32C{}, width), 1), width/8, 1)
		var all []unitTransfer
		for n := 1; n <= width/8*3+5; n++ {
			data := make([]byte, n)
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			for _, mode := range crcModes {
				x := crcTransfer(mode, uint64(n)%4, data, uint32(n)&4)
				b.run(t, []unitTransfer{x}, fullPace)
				all = append(all, x)
			}
		}
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		b.run(t, all, fullPace)
	}
}

func TestCRC32CInLockstep(t *testing.T) {
	for _, width := range []int{16, 32, 64, 1024} {
		t.Run(fmt.Sprintf("%d bit", width), func(t *testing.T) {
			const seed = 71
			r := rand.New(rand.NewPCG(seed, uint64(width)))
			b := newUnitBench(t, unitLockstep(t, unitDesign(t, compute.CRC32C{}, width), seed), width/8, seed)
			for _, p := range []pace{fullPace, {in: 100, out: 30}, {in: 60, out: 60}} {
				b.run(t, crcTransfers(r, width/8, 150, crcModes...), p)
			}
		})
	}
}

// crcCycles is how long transfers of one mode take, without the latency. A word moves in
// every cycle on the side that has more. Check values alone wait for the last word of their transfer, while
// the words of the next one come.
func crcCycles(ts []unitTransfer, lanes int) int {
	words := func(data []byte) int { return (len(data) + lanes - 1) / lanes }
	begun, end, last := 0, -1, -1 // of the transfers so far: the cycles, that of the last word out, and of the last in
	for _, x := range ts {
		in, out := words(x.in), words(x.want)
		last = max(end+1, last+in)
		end = last + out - 1
		if x.mode != compute.CRCModeOnly {
			end = begun + out - 1
		}
		begun += max(in, out)
	}
	return end + 1
}

func TestCRC32CRate(t *testing.T) {
	for _, width := range mxWidths {
		lanes := width / 8
		b := newUnitBench(t, unitModel(t, unitDesign(t, compute.CRC32C{}, width), 1), lanes, 1)
		for _, mode := range crcModes {
			r := rand.New(rand.NewPCG(73, uint64(width)))
			for _, count := range []int{1, 2, 50} {
				for i := range 20 {
					ts := crcTransfers(r, lanes, count, mode)
					require.Equal(t, crcCycles(ts, lanes)+crcLatency(lanes), b.run(t, ts, fullPace), "%d bit, mode %d, run %d of %d transfers", width, mode, i, count)
				}
			}
		}
	}
}

// Lengths follow from the mode; what has no room, or no bytes, is refused.
func TestCRC32CLengths(t *testing.T) {
	const seed = 79
	r := rand.New(rand.NewPCG(seed, 1))
	for _, width := range []int{12, 16, 32, 64} {
		call := ask(t, compute.CRC32C{}, width, 64)
		most := ^uint64(0) >> (64 - width)
		lengths := []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, most - 8, most - 5, most - 4, most - 3, most - 2, most - 1, most}
		for range 500 {
			lengths = append(lengths, r.Uint64()>>(64-width))
		}
		for _, n := range lengths {
			for _, mode := range crcModes {
				var want uint64
				legal := true
				switch mode {
				case compute.CRCModeAppend:
					want, legal = n+4, n <= most-4
				case compute.CRCModeOnly:
					want = 4
				case compute.CRCModeStrip:
					want, legal = n-4, n == 0 || n > 4
				case compute.CRCModeCheck:
					want, legal = n, n == 0 || n >= 4
				}
				out, violated := call(map[string]uint64{"length": n, "opt_mode": mode, "opt_m": r.Uint64N(4096), "opt_n": r.Uint64N(4096)})
				require.Equal(t, !legal, violated, "mode %d, length %d of %d bits", mode, n, width)
				if legal && n > 0 {
					require.Equal(t, want, out, "mode %d, length %d of %d bits", mode, n, width)
				}
			}
		}
	}
}
