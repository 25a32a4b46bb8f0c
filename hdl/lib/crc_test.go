package lib_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"hash/crc64"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// crcOfBits is the check value by long division, a bit at a time.
func crcOfBits(c lib.CRC, message []bool) uint64 {
	reg, top := c.Init, uint64(1)<<(c.Width-1)
	for _, b := range message {
		out := reg&top != 0
		reg = reg << 1 & (top<<1 - 1)
		if out != b {
			reg ^= c.Poly
		}
	}
	if c.RefOut {
		reg = bits.Reverse64(reg) >> (64 - c.Width)
	}
	return reg ^ c.XorOut
}

// bitsOf are the low w bits of v in the order in which a check takes them.
func bitsOf(c lib.CRC, v uint64, w int) (out []bool) {
	for i := range w {
		if !c.RefIn {
			i = w - 1 - i
		}
		out = append(out, v>>i&1 == 1)
	}
	return out
}

func crcOfBytes(c lib.CRC, message []byte) uint64 {
	var all []bool
	for _, b := range message {
		all = append(all, bitsOf(c, uint64(b), 8)...)
	}
	return crcOfBits(c, all)
}

// crcBench drives messages through a CRCStream whose words have at most 64 bits.
type crcBench struct {
	pins
	p   lib.CRCParams
	out []uint64 // check values that came
	r   *rand.Rand
}

func newCRCBench(t testing.TB, e sim.Engine, p lib.CRCParams, seed uint64) *crcBench {
	t.Helper()
	t.Logf("seed %d", seed)
	return &crcBench{pinsOf(t, e), p, nil, rand.New(rand.NewPCG(seed, 4))}
}

// word sends a word, unless it only waits.
func (b *crcBench) word(send bool, data, keep uint64, last bool) {
	for {
		b.set("in_valid", bit(send))
		b.set("in_data", data)
		if b.p.Data%8 == 0 && b.p.Data > 8 {
			b.set("in_keep", keep)
		}
		b.set("in_last", bit(last))
		take := b.r.IntN(4) > 0
		b.set("out_ready", bit(take))
		require.NoError(b.t, b.Step())
		if take && b.get("out_valid") == 1 {
			b.out = append(b.out, b.get("out_data"))
		}
		if !send || b.get("in_ready") == 1 {
			return
		}
	}
}

// message sends bytes in words that are full or, at random, cut short.
func (b *crcBench) message(bytes []byte) {
	n := b.p.Data / 8
	for first := true; first || len(bytes) > 0; first = false {
		k := min(n, len(bytes))
		if n > 1 && b.r.IntN(8) == 0 {
			k = b.r.IntN(k + 1)
		}
		data := b.r.Uint64() >> (64 - b.p.Data) // what does not count is anything
		for i, x := range bytes[:k] {
			data = data&^(0xff<<(8*i)) | uint64(x)<<(8*i)
		}
		bytes = bytes[k:]
		b.word(true, data, 1<<k-1, len(bytes) == 0)
		if len(bytes) == 0 {
			return
		}
	}
}

func (b *crcBench) drain() []uint64 {
	for range 40 {
		b.word(false, 0, 0, false)
	}
	require.NoError(b.t, sim.Violations(b.Engine))
	return b.out
}

func catalogue() map[string]struct {
	crc   lib.CRC
	check uint64
} {
	return map[string]struct {
		crc   lib.CRC
		check uint64
	}{
		"CRC-5/USB":          {lib.CRC5USB(), 0x19},
		"CRC-8":              {lib.CRC8SMBus(), 0xf4},
		"CRC-16/CCITT-FALSE": {lib.CRC16CCITTFalse(), 0x29b1},
		"CRC-16/ARC":         {lib.CRC16ARC(), 0xbb3d},
		"CRC-32":             {lib.CRC32IEEE(), 0xcbf43926},
		"CRC-32C":            {lib.CRC32C(), 0xe3069283},
		"CRC-64/ECMA-182":    {lib.CRC64ECMA(), 0x6c40df5f0b497347},
		"CRC-64/XZ":          {lib.CRC64XZ(), 0x995dc9bbdf1939fa},
		"CRC-12/UMTS":        {lib.CRC{Width: 12, Poly: 0x80f, RefOut: true}, 0xdaf},
	}
}

// The published check values, at several widths of data.
func TestCRCCheckValues(t *testing.T) {
	for name, c := range catalogue() {
		require.Equal(t, c.check, crcOfBytes(c.crc, []byte("123456789")), "the reference of the test; %s", name)
		for _, data := range []int{8, 16, 24, 64} {
			p := lib.CRCParams{CRC: c.crc, Data: data}
			b := newCRCBench(t, model(t, built(t, lib.CRCStream, p), 1), p, 1)
			b.message([]byte("123456789"))
			require.Equal(t, []uint64{c.check}, b.drain(), "%s, %d bits a cycle", name, data)
		}
	}
}

// Random messages against the standard library.
func TestCRCAgainstTheStandardLibrary(t *testing.T) {
	for _, c := range []struct {
		crc  lib.CRC
		want func([]byte) uint64
	}{
		{lib.CRC32IEEE(), func(b []byte) uint64 { return uint64(crc32.ChecksumIEEE(b)) }},
		{lib.CRC32C(), func(b []byte) uint64 { return uint64(crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))) }},
		{lib.CRC64XZ(), func(b []byte) uint64 { return crc64.Checksum(b, crc64.MakeTable(crc64.ECMA)) }},
		{lib.CRC{Width: 64, Poly: 0x1b, Init: ^uint64(0), XorOut: ^uint64(0), RefIn: true, RefOut: true}, func(b []byte) uint64 { return crc64.Checksum(b, crc64.MakeTable(crc64.ISO)) }},
	} {
		for _, data := range []int{8, 32, 64} {
			p := lib.CRCParams{CRC: c.crc, Data: data}
			b := newCRCBench(t, model(t, built(t, lib.CRCStream, p), 2), p, 2)
			var want []uint64
			for range 100 {
				message := make([]byte, b.r.IntN(40))
				if data == 8 && len(message) == 0 {
					continue // a word of one byte cannot be empty
				}
				for i := range message {
					message[i] = byte(b.r.Uint32())
				}
				b.message(message)
				want = append(want, c.want(message))
			}
			require.Equal(t, want, b.drain())
		}
	}
}

// Any polynomial of any width, in either order, over words of bits.
func TestCRCOfAnyPolynomial(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for width := 1; width <= 64; width += 1 + r.IntN(3) {
		all := ^uint64(0) >> (64 - width)
		c := lib.CRC{Width: width, Poly: r.Uint64()&all | 1, Init: r.Uint64() & all, XorOut: r.Uint64() & all, RefIn: r.IntN(2) == 0, RefOut: r.IntN(2) == 0}
		data := []int{1, 3, 7, 13, 33, 63}[r.IntN(6)]
		p := lib.CRCParams{CRC: c, Data: data}
		t.Run(p.Suffix(), func(t *testing.T) {
			b := newCRCBench(t, model(t, built(t, lib.CRCStream, p), 3), p, 3)
			var want []uint64
			for range 10 {
				var message []bool
				n := 1 + b.r.IntN(6)
				for i := range n {
					w := b.r.Uint64() >> (64 - data)
					message = append(message, bitsOf(c, w, data)...)
					b.word(true, w, 0, i == n-1)
				}
				want = append(want, crcOfBits(c, message))
			}
			require.Equal(t, want, b.drain())
		})
	}
}

// A word is accepted in every cycle where the values are taken.
func TestCRCThroughput(t *testing.T) {
	p := lib.CRCParams{CRC: lib.CRC32IEEE(), Data: 32}
	e := pinsOf(t, model(t, built(t, lib.CRCStream, p), 1))
	e.set("in_valid", 1)
	e.set("in_keep", 15)
	e.set("out_ready", 1)
	for i := range 30 {
		e.set("in_last", bit(i%3 == 2))
		require.NoError(t, e.Step())
		require.EqualValues(t, 1, e.get("in_ready"))
		require.Equal(t, bit(i > 0 && i%3 == 0), e.get("out_valid"), "cycle %d", i)
	}
}

func TestCRCParams(t *testing.T) {
	for _, c := range []struct {
		p    lib.CRCParams
		want string
	}{
		{lib.CRCParams{CRC: lib.CRC{Width: 0, Poly: 1}, Data: 8}, "Width 0: it must be 1 to 64"},
		{lib.CRCParams{CRC: lib.CRC{Width: 65, Poly: 1}, Data: 8}, "Width 65"},
		{lib.CRCParams{CRC: lib.CRC{Width: 4, Poly: 0x13}, Data: 8}, "Poly 0x13, Init 0x0, XorOut 0x0: they must be at most 0xf"},
		{lib.CRCParams{CRC: lib.CRC{Width: 4, Poly: 2}, Data: 8}, "Poly 0x2: its lowest bit must be one"},
		{lib.CRCParams{CRC: lib.CRC8SMBus()}, "Data 0 bits a cycle: it must be 1 to 1024"},
	} {
		_, err := hdl.Elaborate(lib.CRCStream, c.p)
		require.ErrorContains(t, err, c.want)
	}
	require.Equal(t, "8x5_5_i_x_ri_ro", lib.CRCParams{CRC: lib.CRC5USB(), Data: 8}.Suffix())
	wrong := func(m *hdl.Module, _ struct{}) ports {
		x := m.In("x", hdl.U(4))
		y := m.Out("y", hdl.U(8))
		y.Set(lib.CRCNext(m, "in", lib.CRC8SMBus(), x.Signal, x.Signal))
		return ports{x, y}
	}
	_, err := hdl.Elaborate(wrong, struct{}{})
	require.ErrorContains(t, err, "the state has 4 bits, the CRC has 8")
}

func TestCRCInRTL(t *testing.T) {
	for _, p := range []lib.CRCParams{{CRC: lib.CRC32IEEE(), Data: 32}, {CRC: lib.CRC16CCITTFalse(), Data: 24}, {CRC: lib.CRC5USB(), Data: 11}} {
		t.Run(fmt.Sprint(p.Data), func(t *testing.T) {
			b := newCRCBench(t, couple(t, built(t, lib.CRCStream, p)), p, 5)
			for range 100 {
				b.word(true, b.r.Uint64()>>(64-p.Data), 1<<b.r.IntN(p.Data/8+1)-1, b.r.IntN(4) == 0)
			}
			require.NotEmpty(t, b.drain())
		})
	}
}

// Words wider than 64 bits.
func TestCRCOfWideWords(t *testing.T) {
	p := lib.CRCParams{CRC: lib.CRC32IEEE(), Data: 512}
	e := pinsOf(t, model(t, built(t, lib.CRCStream, p), 1))
	data, err := e.Layout().Port("in_data")
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(6, 6))
	e.set("in_valid", 1)
	e.set("out_ready", 1)
	e.set("in_last", 1)
	var want uint64
	for i := range 50 {
		n := r.IntN(64) + 1
		message := make([]byte, 64)
		for k := range message {
			message[k] = byte(r.Uint32())
		}
		for k := range 8 {
			e.In()[data.Offset+k] = binary.LittleEndian.Uint64(message[8*k:])
		}
		e.set("in_keep", ^uint64(0)>>(64-n))
		require.NoError(t, e.Step())
		if i > 0 {
			require.Equal(t, want, e.get("out_data"), "message %d", i-1)
		}
		want = uint64(crc32.ChecksumIEEE(message[:n]))
	}
	require.NoError(t, sim.Violations(e.Engine))
}
