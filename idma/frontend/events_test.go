package frontend_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/regbus"
)

// event is the outputs of an event, by name.
func (b *bench) event(e int) map[string]uint64 {
	fields := map[string]uint64{}
	for _, p := range b.Layout().Outputs {
		if rest, ok := cut(p.Name, fmt.Sprintf("event%d_", e)); ok {
			fields[rest] = b.Out()[p.Offset]
		}
	}
	return fields
}

// What software writes into the registers of an event is what the mid-end sees of it,
// and of no other.
func TestEvents(t *testing.T) {
	for bus := range frontend.Bus(3) {
		c := edit(frontend.Reg32RT3D, on(bus), everything, choices, func(c *frontend.Config) { c.Events, c.RepsWidth = 5, 20 })
		b := newBench(t, model(t, elaborate(t, c), 1), c, 1, 10)
		b.step()
		before := make([]map[string]uint64, c.Events)
		for e := range before {
			before[e] = b.event(e)
			require.Zero(t, before[e]["enable"])
			require.EqualValues(t, 1, before[e]["dim_0_reps"], "unused dimensions are done once")
		}
		for _, e := range []int{3, 0, 4, 3} {
			v := map[uint64]uint64{}
			for array := uint64(0); array <= 0x300; array += 0x40 {
				v[array/16] = uint64(b.rng.Uint32())
				b.write(0, 0x800+array+4*uint64(e), v[array/16])
			}
			b.step()
			option, used := v[0x08], v[0x08]>>10&3
			want := map[string]uint64{
				"enable": v[0] & 1, "period": v[4], "dst_addr": v[0x10], "src_addr": v[0x14], "length": v[0x18],
				"dim_0_dst_stride": v[0x1c], "dim_0_src_stride": v[0x20], "dim_0_reps": v[0x24] & 0xfffff,
				"dim_1_dst_stride": v[0x28], "dim_1_src_stride": v[0x2c], "dim_1_reps": v[0x30] & 0xfffff,
				"decouple_aw": option & 1, "decouple_rw": option >> 1 & 1, "src_reduce_len": option >> 2 & 1, "dst_reduce_len": option >> 3 & 1,
				"src_max_llen": option >> 4 & 7, "dst_max_llen": option >> 7 & 7, "src_protocol": option >> 12 & 7, "dst_protocol": option >> 15 & 7,
				"src_head": v[0x0c] & 1, "dst_head": v[0x0c] >> 4 & 3, "src_mode": v[0x0c] >> 8 & 3,
			}
			for i, name := range []string{"dim_0_reps", "dim_1_reps"} {
				if used < uint64(i+1) {
					want[name] = 1
				}
			}
			maps.Copy(before[e], want)
			for other := range before {
				require.Equal(t, before[other], b.event(other), "event %d after writes to %d", other, e)
			}
		}
		for _, at := range []uint64{0x7fc, 0xb40, 0xffc} {
			require.True(t, b.access(0, regbus.Access{Addr: at, Strb: 15}).Err, "%#x", at)
		}
		require.Zero(t, b.read(0, 0x800+4*5), "an event that is not there")
		require.Empty(t, b.streams[0].got, "nothing was launched by hand")
	}
}
