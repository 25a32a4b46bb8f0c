package frontend_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/regbus"
)

// written is the table of specification §4.1: where the parts of a transfer are written.
// A wide layout has the upper half 4 bytes further.
var written = map[frontend.Layout]struct {
	wide bool
	at   map[string]uint64 // by the port of the request
	cfg  uint64            // compute_cfg
	nd   int               // bits of enable_nd
}{
	frontend.Reg32: {false, map[string]uint64{"dst_addr": 0xd0, "src_addr": 0xd4, "length": 0xd8}, 0xec, 1},
	frontend.Reg32x2D: {false, map[string]uint64{"dst_addr": 0xd0, "src_addr": 0xd4, "length": 0xd8,
		"dim_0_dst_stride": 0xe0, "dim_0_src_stride": 0xe4, "dim_0_reps": 0xe8}, 0xec, 1},
	frontend.Reg32x3D: {false, map[string]uint64{"dst_addr": 0xd0, "src_addr": 0xd4, "length": 0xd8,
		"dim_0_dst_stride": 0xe0, "dim_0_src_stride": 0xe4, "dim_0_reps": 0xe8, "dim_1_dst_stride": 0xec, "dim_1_src_stride": 0xf0, "dim_1_reps": 0xf4}, 0xf8, 2},
	frontend.Reg32RT3D: {false, map[string]uint64{"dst_addr": 0xd0, "src_addr": 0xd4, "length": 0xd8,
		"dim_0_dst_stride": 0xe0, "dim_0_src_stride": 0xe4, "dim_0_reps": 0xe8, "dim_1_dst_stride": 0xec, "dim_1_src_stride": 0xf0, "dim_1_reps": 0xf4}, 0xf8, 2},
	frontend.Reg64: {true, map[string]uint64{"dst_addr": 0xd0, "src_addr": 0xd8, "length": 0xe0}, 0x118, 1},
	frontend.Reg64x2D: {true, map[string]uint64{"dst_addr": 0xd0, "src_addr": 0xd8, "length": 0xe0,
		"dim_0_dst_stride": 0x100, "dim_0_src_stride": 0x108, "dim_0_reps": 0x110}, 0x118, 1},
}

// described writes a random transfer and returns the request that it stands for.
func described(b *bench, port int, r *rand.Rand) map[string]uint64 {
	w := written[b.c.Layout]
	be := b.c.Backend
	want := map[string]uint64{
		"id": 0, "user": 0, "last": 0,
		"src_burst": 1, "src_cache": 2, "src_lock": 0, "src_prot": 0, "src_qos": 0, "src_region": 0,
		"dst_burst": 1, "dst_cache": 2, "dst_lock": 0, "dst_prot": 0, "dst_qos": 0, "dst_region": 0,
	}
	option := uint64(r.Uint32())
	put := func(at, data uint64) {
		b.ports[port].Do(regbus.Access{Write: true, Addr: at, Data: data, Strb: 15}, func(r regbus.Result) { require.False(b.t, r.Err, "%#x", at) })
	}
	put(conf, option)
	take := func(name string, lo, n int, present bool) {
		if present {
			want[name] = option >> lo & (1<<n - 1)
		}
	}
	take("decouple_aw", 0, 1, be.Coupler)
	take("decouple_rw", 1, 1, true)
	take("src_reduce_len", 2, 1, be.Legalizer)
	take("dst_reduce_len", 3, 1, be.Legalizer)
	take("src_max_llen", 4, 3, be.Legalizer)
	take("dst_max_llen", 7, 3, be.Legalizer)
	take("src_protocol", 10+w.nd, 3, kinds(be.ReadProtocols) > 1)
	take("dst_protocol", 13+w.nd, 3, kinds(be.WriteProtocols) > 1)
	if be.ReadProtocols[backend.Init] > 0 { // as in choices
		heads := uint64(r.Uint32())
		put(0xc4, heads)
		want["src_head"], want["dst_head"], want["src_mode"] = heads&1, heads>>4&3, heads>>8&3
	}
	used := option >> 10 & (1<<w.nd - 1)
	for _, name := range []string{"dst_addr", "src_addr", "length", "dim_0_dst_stride", "dim_0_src_stride", "dim_0_reps", "dim_1_dst_stride", "dim_1_src_stride", "dim_1_reps"} {
		at, has := w.at[name]
		if !has {
			continue
		}
		low, high := uint64(r.Uint32()), uint64(r.Uint32())
		put(at, low)
		v := low
		if w.wide {
			put(at+4, high)
			v |= high << 32
		} else if name[len(name)-3:] == "ide" { // a stride has a sign
			v = uint64(int64(int32(low)))
		}
		width := b.port(b.streams[0].name("req_" + name)).Type.Width
		v &= ^uint64(0) >> (64 - width)
		if name == "dim_0_reps" && used < 1 || name == "dim_1_reps" && used < 2 {
			v = 1
		}
		want[name] = v
	}
	// On AXI4-Lite a read may pass the writes before it that have not been answered.
	b.until("the description", 1000, func() bool { return b.ports[port].Open() == 0 })
	return want
}

func kinds(s backend.PortSet) (n int) {
	for _, c := range s {
		n += int(min(c, 1))
	}
	return n
}

// What software writes at the offsets of the specification arrives in the request, in
// every layout, over every bus.
func TestWhatIsWrittenArrives(t *testing.T) {
	for _, l := range append(layouts, frontend.Reg32RT3D) {
		for bus := range frontend.Bus(3) {
			for i, c := range []frontend.Config{
				edit(l, on(bus)),
				edit(l, on(bus), everything, func(c *frontend.Config) {
					c.Backend.AddrWidth, c.Backend.LengthWidth, c.RepsWidth, c.Backend.Coupler = 40, 36, 9, false
					c.Backend.ReadProtocols = backend.PortsOf(backend.AXI4, backend.OBI)
				}),
				edit(l, on(bus), choices),
				edit(l, on(bus), func(c *frontend.Config) {
					c.Backend.AddrWidth, c.Backend.LengthWidth = 20, 14
					c.Backend.WriteProtocols = backend.PortsOf(backend.AXILite, backend.OBI, backend.AXIStream)
				}),
			} {
				t.Run(fmt.Sprintf("%s %s %d", l, bus, i), func(t *testing.T) {
					b := newBench(t, model(t, elaborate(t, c), 1), c, uint64(i+1), 20)
					for n := range 20 {
						want := described(b, 0, b.rng)
						b.ports[0].Do(regbus.Access{Addr: nextID, Strb: 15}, nil)
						b.until("launch", 1000, func() bool { return len(b.streams[0].got) > n })
						require.Equal(t, want, without(b.streams[0].got[n].fields), "transfer %d", n)
					}
				})
			}
		}
	}
}

// without leaves out what is no part of the request.
func without(fields map[string]uint64) map[string]uint64 {
	delete(fields, "ready")
	return fields
}

// Registers of a port are its own.
func TestPortsHaveRegistersOfTheirOwn(t *testing.T) {
	c := edit(frontend.Reg32, sized(3, 1))
	b := newBench(t, model(t, elaborate(t, c), 1), c, 1, 0)
	for p := range 3 {
		b.write(p, 0xd0, uint64(100+p))
	}
	for p := range 3 {
		require.EqualValues(t, 100+p, b.read(p, 0xd0))
		require.NotZero(t, b.read(p, nextID))
	}
	b.until("launches", 100, func() bool { return len(b.streams[0].got) == 3 })
	for p := range 3 {
		require.EqualValues(t, 100+p, b.streams[0].got[p].fields["dst_addr"])
	}
}

// The places between the registers, and beyond them, are errors and launch nothing.
func TestUnknownAddressesAreErrors(t *testing.T) {
	for bus := range frontend.Bus(3) {
		c := edit(frontend.Reg32x2D, on(bus))
		b := newBench(t, model(t, elaborate(t, c), 1), c, 1, 0)
		for _, at := range []uint64{0xc4, 0xcc, 0xdc, 0xf0, 0xfc} {
			for _, write := range []bool{false, true} {
				require.True(t, b.access(0, regbus.Access{Write: write, Addr: at, Strb: 15}).Err, "%#x", at)
			}
		}
		for s := uint64(1); s < 16; s++ { // streams that are not there
			require.Zero(t, b.read(0, status+4*s))
			require.Zero(t, b.read(0, nextID+4*s))
			require.Zero(t, b.read(0, doneID+4*s))
		}
		require.Zero(t, b.read(0, written[c.Layout].cfg))
		require.Empty(t, b.streams[0].got)
	}
}

// Status shows what is busy in the engine of its stream.
func TestStatus(t *testing.T) {
	c := edit(frontend.Reg32x3D, sized(1, 2))
	b := newBench(t, model(t, elaborate(t, c), 1), c, 1, 0)
	b.set("busy0", 0x5a)
	b.set("busy1", 0xa1)
	b.set("midend_busy1", 1)
	require.EqualValues(t, 0x5a, b.read(0, status))
	require.EqualValues(t, 0x1a1, b.read(0, status+4))
	b.streams[1].percent = 0
	require.EqualValues(t, 2, b.read(0, nextID+4))
	require.EqualValues(t, 0x3a1, b.read(0, status+4), "a launched transfer has not ended")
	require.EqualValues(t, 0x5a, b.read(0, status))
	b.streams[1].percent = 100
	b.until("the end", 100, func() bool { return b.streams[1].answers == 1 })
	require.EqualValues(t, 0x1a1, b.read(0, status+4))
}
