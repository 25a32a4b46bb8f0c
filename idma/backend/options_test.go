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

func TestDecoupleAWReleasesTheAddressAtOnce(t *testing.T) {
	for _, c := range []struct {
		coupler, decouple, atOnce bool
	}{{true, false, false}, {true, true, true}, {false, false, true}} {
		t.Run(fmt.Sprintf("coupler %t, decouple_aw %t", c.coupler, c.decouple), func(t *testing.T) {
			d := elaborate(t, edit(func(cfg *backend.Config) { cfg.Coupler = c.coupler }))
			j := job.New(3*1024, 0x1000, 0x8000)
			j.DecoupleAW, j.Dst.MaxBeats = c.decouple, 8
			j.DecoupleRW = true // reads are not what is looked at
			var accepted, firstAW uint64
			begun, read, early := 0, 0, 0 // write bursts whose address showed, R beats so far
			showing := false
			eng := watch(t, start(t, goModel, d, 1), func(cycle uint64, p *watched) {
				if p.fires("req_") {
					accepted = cycle
				}
				if p.on("m_axi_awvalid") && !showing {
					if begun == 0 {
						firstAW = cycle
					}
					if read <= 8*begun {
						early++
					}
					begun++
				}
				showing = p.waits("m_axi_aw")
				if p.fires("m_axi_r") {
					read++
				}
			})
			run(t, eng, jobs(j), tb.RunConfig{ReadLatency: 20, Stalls: mem.Stalls{R: 50}, Seed: 1})
			require.Equal(t, 96, begun)
			if c.atOnce {
				require.LessOrEqual(t, firstAW-accepted, uint64(3), "cycles from the request to its address")
				require.Positive(t, early)
			} else {
				require.Zero(t, early, "addresses that showed before the burst's first data")
			}
		})
	}
}

// single is a stream of n-word transfers with bursts of one beat.
func single(n int, decoupleRW bool) *job.List {
	j := job.New(uint64(4*n), 0x1000, 0x8000)
	j.DecoupleRW, j.Src.MaxBeats = decoupleRW, 1
	return jobs(j)
}

func TestDecoupleRWLetsReadsGoOnWhileWritesAreBlocked(t *testing.T) {
	for _, decoupled := range []bool{false, true} {
		t.Run(fmt.Sprint(decoupled), func(t *testing.T) {
			d := elaborate(t, edit(func(c *backend.Config) { c.Outstanding = 16 }))
			blocked, offered := false, false
			fresh := 0 // reads offered right after a cycle in which data waited
			eng := watch(t, start(t, goModel, d, 1), func(_ uint64, p *watched) {
				if p.on("m_axi_arvalid") && !offered && blocked {
					fresh++
				}
				offered, blocked = p.waits("m_axi_ar"), p.waits("m_axi_w")
			})
			run(t, eng, single(500, decoupled), tb.RunConfig{ReadLatency: 30, Stalls: mem.Stalls{W: 90}, Seed: 1})
			if decoupled {
				require.Greater(t, fresh, 50)
			} else {
				require.Zero(t, fresh)
			}
		})
	}
}

// issued is the bursts seen on a channel.
type issued struct {
	addr  uint64
	beats int
}

func TestHazard13BurstCapsCountFromTheStartAndKeepToPages(t *testing.T) {
	type span struct{ addr, length uint64 }
	spans := []span{{0, 20000}, {0xff8, 5000}, {0xfff, 2}, {0x10, 24}, {1, 1}, {0xc07, 9000}, {0x1004, 4096}, {0x800, 0x1800}}
	for _, width := range []int{16, 32, 128, 512, 1024} {
		for _, most := range []int{1, 2, 4, 8, 16, 32, 64, 128, job.NoBeatLimit} {
			for _, side := range []string{"ar", "aw"} {
				t.Run(fmt.Sprintf("%d bit, %d beats, %s", width, most, side), func(t *testing.T) {
					lanes := width / 8
					list := jobs()
					var want []issued
					for _, s := range spans {
						j := job.New(s.length, 0x10_0000+s.addr, 0x20_0000)
						j.Src.MaxBeats = most
						if side == "aw" {
							j.Src, j.Dst = j.Dst, j.Src
						}
						list.Jobs = append(list.Jobs, j)
						a := 0x10_0000 + s.addr&^(uint64(lanes)-1)
						for _, n := range bursts(s.addr, s.length, most, lanes) {
							want = append(want, issued{a, n})
							a += uint64(n * lanes)
						}
					}
					var got []issued
					eng := watch(t, start(t, goModel, elaborate(t, edit(func(c *backend.Config) { c.DataWidth = width })), 1), func(_ uint64, p *watched) {
						if p.fires("m_axi_" + side) {
							got = append(got, issued{p.get("m_axi_" + side + "addr"), int(p.get("m_axi_"+side+"len")) + 1})
						}
					})
					run(t, eng, list, tb.RunConfig{Memory: tb.Separate, Launch: tb.BackToBack})
					require.Equal(t, want, got)
				})
			}
		}
	}
}

func TestReservedBufferLimitsReadBursts(t *testing.T) {
	for depth, most := range map[int]int{1: 1, 2: 2, 3: 2, 4: 4, 7: 4, 8: 8, 64: 64} {
		longest := 0
		d := elaborate(t, edit(func(c *backend.Config) { c.ReserveBuffer, c.BufferDepth = true, depth }))
		eng := watch(t, start(t, goModel, d, 1), func(_ uint64, p *watched) {
			if p.fires("m_axi_ar") {
				longest = max(longest, int(p.get("m_axi_arlen"))+1)
			}
		})
		run(t, eng, jobs(job.New(3000, 0x1002, 0x8001)), tb.RunConfig{})
		require.Equal(t, most, longest, "depth %d", depth)
	}
}

func TestMaskedLanesAreZero(t *testing.T) {
	for _, width := range []int{16, 32, 128, 1024} {
		for _, combined := range []bool{true, false} {
			for _, masked := range []bool{true, false} {
				d := elaborate(t, edit(func(c *backend.Config) {
					c.DataWidth, c.CombinedShifter, c.MaskInvalidLanes = width, combined, masked
				}))
				list := tb.Random(3, tb.RandomConfig{Jobs: 60, Bytes: width / 8, AddrWidth: 32, LengthWidth: 32, MaxLength: uint64(width / 2)})
				empty, dirty := 0, 0
				eng := watch(t, start(t, goModel, d, 1), func(_ uint64, p *watched) {
					if !p.on("m_axi_wvalid") {
						return
					}
					data, strb := p.words("m_axi_wdata"), p.words("m_axi_wstrb")
					for lane := range width / 8 {
						if strb[lane/64]>>(lane%64)&1 == 0 {
							empty++
							if data[lane/8]>>(lane%8*8)&0xff != 0 {
								dirty++
							}
						}
					}
				})
				run(t, eng, list, tb.RunConfig{Seed: 1})
				require.Positive(t, empty)
				require.Equal(t, masked, dirty == 0, "%d bit: %d of %d lanes without strobe are not zero", width, dirty, empty)
			}
		}
	}
}

func TestAttributesReachTheBus(t *testing.T) {
	list := jobs()
	for i := range uint8(32) {
		j := job.New(64, 0x1000+0x40*uint64(i), 0x8000+0x40*uint64(i))
		j.User = uint64(i) * 0x0123_4567_89ab
		j.Src.Attributes = job.Attributes{Burst: 1, Cache: 0b0010 | i&0b1101, Prot: i % 8, QoS: i % 16, Region: 15 - i%16}
		j.Dst.Attributes = job.Attributes{Burst: 1, Cache: 0b0010 | i>>1&0b1101, Prot: 7 - i%8, QoS: i * 3 % 16, Region: i * 5 % 16}
		list.Jobs = append(list.Jobs, j)
	}
	for _, legalizer := range []bool{true, false} {
		d := elaborate(t, edit(func(c *backend.Config) { c.IDWidth, c.UserWidth, c.Legalizer = 7, 48, legalizer }))
		seen := map[string]int{}
		eng := watch(t, start(t, goModel, d, 1), func(_ uint64, p *watched) {
			for _, ch := range []string{"ar", "aw"} {
				if !p.fires("m_axi_" + ch) {
					continue
				}
				i := seen[ch]
				seen[ch]++
				j := &list.Jobs[i]
				s, user := &j.Src, uint64(0)
				if ch == "aw" {
					s, user = &j.Dst, j.User
				}
				for _, f := range []struct {
					name string
					want uint64
				}{
					{"id", uint64(i)}, {"addr", s.Addr}, {"len", 15}, {"size", 2}, {"burst", 1}, {"lock", 0}, {"cache", uint64(s.Cache)},
					{"prot", uint64(s.Prot)}, {"qos", uint64(s.QoS)}, {"region", uint64(s.Region)}, {"user", user},
				} {
					require.Equal(t, f.want, p.get("m_axi_"+ch+f.name), "%s%s of transfer %d", ch, f.name, i)
				}
			}
		})
		run(t, eng, list, tb.RunConfig{Stalls: mem.AllStalls(30), Seed: 1})
		require.Equal(t, map[string]int{"ar": 32, "aw": 32}, seen)
	}
}

// The longest length must not overflow where it meets the byte offset, with
// counters of beats of every width.
func TestLongestLengthAtEveryWidth(t *testing.T) {
	for _, width := range []int{16, 32, 128, 512, 1024} {
		for lengthWidth := 12; lengthWidth <= 17; lengthWidth++ {
			d := elaborate(t, edit(func(c *backend.Config) { c.DataWidth, c.LengthWidth, c.AddrWidth = width, lengthWidth, 24 }))
			most := uint64(1)<<lengthWidth - 1
			last := uint64(width/8 - 1)
			list := jobs(job.New(most, last, 0x80_0000), job.New(most, 0, 0x80_0000+last), job.New(most, last, 0x80_0000+last), job.New(most-last, 1, 0x80_0000+last))
			run(t, start(t, goModel, d, 1), list, tb.RunConfig{Memory: tb.Separate, Launch: tb.BackToBack})
		}
	}
}
