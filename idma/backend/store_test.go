package backend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

func store(depth int, transfers, reserve, combined bool) backend.Config {
	return edit(func(c *backend.Config) {
		c.StoreDepth, c.StoreTransfers, c.ReserveBuffer, c.CombinedShifter = depth, transfers, reserve, combined
		c.Outstanding = 16
	})
}

// With StoreTransfers no write of a transfer begins before its last read beat came,
// however short the transfers around it are. One that does not fit goes on when
// the store is full, or has no room for its next burst.
func TestStoreHoldsTransfersUntilTheyAreWhole(t *testing.T) {
	const depth = 64
	for _, reserve := range []bool{false, true} {
		for _, combined := range []bool{false, true} {
			t.Run(fmt.Sprintf("reserve %t, combined %t", reserve, combined), func(t *testing.T) {
				list := jobs()
				for i := range uint64(60) {
					length := 1 + i*53%(4*depth-8) // at most 64 beats wherever it starts
					if i%7 == 3 {
						length = 4 * (3*depth + i)
					}
					j := job.New(length, 0x1_0000+i*0x401, 0x8_0000+i*0x403)
					j.DecoupleAW = true
					list.Jobs = append(list.Jobs, j)
				}
				beats := func(a, n uint64) int { return int((a%4 + n + 3) / 4) }
				read, written, early, long := 0, 0, 0, 0
				starts, ends, first := []int{}, []int{}, []int{} // first and last read beats, first write beats
				r, w := 0, 0
				for i := range list.Jobs {
					j := &list.Jobs[i]
					starts = append(starts, r)
					r += beats(j.Src.Addr, j.Length)
					ends, first = append(ends, r), append(first, w)
					w += beats(j.Dst.Addr, j.Length)
				}
				next := 0
				eng := watch(t, start(t, goModel, elaborate(t, store(depth, true, reserve, combined)), 1), func(cycle uint64, p *watched) {
					if p.on("m_axi_wvalid") && next < len(first) && written == first[next] {
						if n := ends[next] - starts[next]; n > depth {
							long++
							got := read - starts[next]
							require.GreaterOrEqual(t, got, depth/2, "beats of transfer %d read before it is written, cycle %d", next, cycle)
						} else if read < ends[next] {
							early++
						}
						next++
					}
					if p.fires("m_axi_r") {
						read++
					}
					if p.fires("m_axi_w") {
						written++
					}
				})
				run(t, eng, list, tb.RunConfig{Memory: tb.Separate, Launch: tb.BackToBack, ReadLatency: 9, Stalls: mem.Stalls{R: 40}, Seed: 3})
				require.Equal(t, len(first), next)
				require.Zero(t, early, "transfers written before they were read")
				require.Greater(t, long, 7)
			})
		}
	}
}

// While writes are blocked, reads go on for as many beats as the store has places,
// those of the buffer behind it and the store's output register.
func TestStoreLetsReadsRunAhead(t *testing.T) {
	for _, depth := range []int{0, 2, 16, 100} {
		c := store(depth, false, false, true)
		read := 0
		eng := watch(t, start(t, goModel, elaborate(t, c), 1), func(_ uint64, p *watched) {
			if p.fires("m_axi_r") {
				read++
			}
		})
		require.NoError(t, eng.Reset(2))
		for name, v := range map[string]uint64{
			"req_valid": 1, "req_length": 4096, "req_src_addr": 0x1000, "req_dst_addr": 0x8000, "req_src_burst": 1, "req_dst_burst": 1,
			"req_decouple_rw": 1, "m_axi_arready": 1, "m_axi_rvalid": 1, "m_axi_awready": 1, // and never m_axi_wready
		} {
			eng.words(name)[0] = v
		}
		for range 300 {
			require.NoError(t, eng.Step())
		}
		want := c.BufferDepth + 1
		if depth > 0 {
			want += depth + 1
		}
		require.Equal(t, want, read, "store of %d", depth)
	}
}

// The store costs two cycles a run, not a beat.
func TestStoreKeepsTheRate(t *testing.T) {
	list := jobs(job.New(4096, 0x1000, 0x8000), job.New(4096, 0x2003, 0x9001), job.New(4096, 0x3000, 0xa000))
	for _, width := range []int{32, 512} {
		cycles := map[int]uint64{}
		for _, depth := range []int{0, 2, 64} {
			c := store(depth, false, false, true)
			c.DataWidth = width
			cycles[depth] = run(t, start(t, goModel, elaborate(t, c), 1), list, latency(5)).Cycles
		}
		require.Equal(t, cycles[0]+2, cycles[2], "%d bit", width)
		require.Equal(t, cycles[0]+2, cycles[64], "%d bit", width)
	}
}

func TestStoreIsRefusedWhereItCannotBe(t *testing.T) {
	require.ErrorContains(t, edit(func(c *backend.Config) { c.StoreDepth = 1 }).Validate(), "StoreDepth is 1; allowed: 0, or 2 to 65536")
	require.ErrorContains(t, edit(func(c *backend.Config) { c.StoreTransfers = true }).Validate(), "StoreTransfers is true; allowed: false where StoreDepth is 0")
}
