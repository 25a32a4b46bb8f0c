package backend_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// variants are the configurations that differ most.
func variants() []backend.Config {
	return []backend.Config{
		edit(),
		edit(func(c *backend.Config) { c.CombinedShifter = false }),
		edit(func(c *backend.Config) { c.Coupler = false }),
		edit(func(c *backend.Config) { c.Legalizer = false }),
		edit(func(c *backend.Config) { c.ReserveBuffer, c.BufferDepth = true, 8 }),
		edit(func(c *backend.Config) {
			c.DataWidth, c.Outstanding, c.WriteOutstanding, c.BufferDepth = 16, 1, 1, 1
		}),
		edit(func(c *backend.Config) { c.DataWidth, c.CombinedShifter = 512, false }),
	}
}

// eachVariant runs f for each of the configurations that differ most.
func eachVariant(t *testing.T, f func(t *testing.T, c backend.Config)) {
	t.Helper()
	for i, c := range variants() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Logf("%+v", c)
			f(t, c)
		})
	}
}

// Hazard 1: the answer to a zero length vanishes while nobody is ready for it, or
// overtakes older ones.
func TestHazard01ZeroLengthAnswerWaitsForReadyAndOrder(t *testing.T) {
	eachVariant(t, func(t *testing.T, c backend.Config) {
		list := jobs()
		for i := range uint64(40) {
			j := job.New(16*(i%2), 0x1000+16*i, 0x8000+16*i)
			if i%7 == 3 {
				j.Length = 0
			}
			j.Last = i%3 == 0
			list.Jobs = append(list.Jobs, j)
		}
		for _, cfg := range []tb.RunConfig{
			{}, {WriteLatency: 40}, {RspStall: 95, Seed: 3}, {RspStall: 50, WriteLatency: 40, ReqGap: 50, Seed: 4},
		} {
			deaf := 0
			eng := watch(t, start(t, goModel, elaborate(t, c), 1), func(_ uint64, p *watched) {
				if p.fires("req_") && p.get("req_length") == 0 && !p.on("rsp_ready") {
					deaf++
				}
			})
			res := run(t, eng, list, cfg)
			require.Equal(t, 23, res.ErrorResponses)
			if cfg.RspStall > 0 {
				require.Positive(t, deaf, "no zero length was accepted while its answer could not go")
			}
		}
	})
}

// Hazard 2: a transfer without bytes reads or writes.
func TestHazard02RefusedTransferMakesNoBusTraffic(t *testing.T) {
	eachVariant(t, func(t *testing.T, c backend.Config) {
		list := jobs()
		for i := range uint64(9) {
			for _, dst := range []uint64{0x8000, 0x8001, 0x8fff} {
				list.Jobs = append(list.Jobs, job.New(0, 0xff8+i, dst))
			}
		}
		for i, burst := range []uint8{0, 2, 3} {
			for _, side := range []int{0, 1} {
				j := job.New(100, 0x1000, 0x2000+0x100*uint64(i))
				[]*job.Side{&j.Src, &j.Dst}[side].Burst = burst
				list.Jobs = append(list.Jobs, j)
			}
		}
		for _, side := range []int{0, 1} {
			j := job.New(4, 0x1000, 0x2000)
			[]*job.Side{&j.Src, &j.Dst}[side].Lock = true
			list.Jobs = append(list.Jobs, j)
		}
		eng := watch(t, start(t, goModel, elaborate(t, c), 1), func(cycle uint64, p *watched) {
			for _, valid := range []string{"m_axi_arvalid", "m_axi_awvalid", "m_axi_wvalid"} {
				require.False(t, p.on(valid), "%s in cycle %d", valid, cycle)
			}
			if p.fires("rsp_") {
				require.EqualValues(t, backend.ErrRefused, p.get("rsp_err_type"))
			}
		})
		res := run(t, eng, list, tb.RunConfig{})
		require.Equal(t, len(list.Jobs), res.ErrorResponses)
	})
}

// Hazard 3: reads run ahead while addresses wait for data, and the two wait for
// each other.
func TestHazard03DecoupledReadsAndHeldAddressesDoNotDeadlock(t *testing.T) {
	known := job.New(1958, 0x6e76a, 0x1f9c03)
	known.DecoupleRW = true
	known.Src.MaxBeats, known.Dst.MaxBeats = 64, 64
	for _, width := range []int{16, 32, 64, 512} {
		for _, outstanding := range []int{1, 2, 8} {
			t.Run(fmt.Sprintf("%d bit, %d outstanding", width, outstanding), func(t *testing.T) {
				t.Parallel()
				c := edit(func(c *backend.Config) { c.DataWidth, c.Outstanding, c.BufferDepth = width, outstanding, 2 })
				list := tb.Random(uint64(width), tb.RandomConfig{Jobs: 60, Bytes: width / 8, AddrWidth: 32, LengthWidth: 32, MaxLength: 3000})
				for i := range list.Jobs {
					list.Jobs[i].DecoupleAW, list.Jobs[i].DecoupleRW = false, true
				}
				list.Jobs = append(list.Jobs, known)
				for _, held := range []int{1, 64} {
					for _, stalls := range []mem.Stalls{{}, {AW: 80, W: 50}, {R: 60, AR: 40}} {
						eng := start(t, goModel, elaborate(t, c), 1)
						run(t, eng, list, tb.RunConfig{Outstanding: held, Stalls: stalls, WriteLatency: 9, Seed: 1})
					}
				}
			})
		}
	}
}

// A subordinate that takes a write address only when the write before it is
// complete, or when it has data for it, must get those data, whatever else waits
// for the address.
func TestWaitingAddressDoesNotHoldTheReadsOfItsData(t *testing.T) {
	for _, aw := range []bool{false, true} {
		eachVariant(t, func(t *testing.T, c backend.Config) {
			if !c.Legalizer {
				t.Skip("every transfer is one burst")
			}
			j := job.New(3487, 0x748f3ca, 0xa8ae068)
			j.DecoupleAW = aw
			d := elaborate(t, c)
			for _, order := range []mem.WriteOrder{mem.AnyOrder, mem.AddressFirst, mem.DataFirst} {
				for _, held := range []int{1, 64} {
					cfg := tb.RunConfig{Outstanding: held, WriteOrder: order, WriteLatency: 3, Seed: 1, Stalls: mem.Stalls{AR: 65}}
					run(t, start(t, goModel, d, 1), jobs(j, j, j), cfg)
				}
			}
		})
	}
}

// Hazard 4: the coupler releases addresses that it does not have, or loses count
// of those that may go, when coupled and decoupled transfers mix under back-pressure.
func TestHazard04EveryWriteBurstHasItsAddressWhenDecouplingMixes(t *testing.T) {
	for _, width := range []int{16, 32, 512} {
		r := rand.New(rand.NewPCG(uint64(width), 4))
		list := tb.Random(4, tb.RandomConfig{Jobs: 150, Bytes: width / 8, AddrWidth: 32, LengthWidth: 32, MaxLength: uint64(16 * width / 8)})
		for i := range list.Jobs {
			j := &list.Jobs[i]
			j.DecoupleAW, j.DecoupleRW, j.Dst.MaxBeats = r.IntN(2) == 0, r.IntN(2) == 0, 1<<r.IntN(4)
		}
		for _, stalls := range []mem.Stalls{{AW: 90}, {AW: 50, W: 70}, {W: 90}, {AW: 60, B: 90}, {R: 80, AW: 20}} {
			c := edit(func(c *backend.Config) { c.DataWidth, c.Outstanding = width, 4 })
			res := run(t, start(t, goModel, elaborate(t, c), 1), list, tb.RunConfig{Stalls: stalls, Memory: tb.Separate, Launch: tb.BackToBack, Seed: 5})
			require.Equal(t, writeBursts(list, width/8), res.WriteBursts)
		}
	}
}

// writeBursts is the fewest bursts that can write the list within caps.
func writeBursts(list *job.List, lanes int) uint64 {
	n := 0
	for i := range list.Jobs {
		if j := &list.Jobs[i]; !j.Refused() {
			n += len(bursts(j.Dst.Addr, j.Length, j.Dst.MaxBeats, lanes))
		}
	}
	return uint64(n)
}

// bursts are the beats of the fewest bursts for n bytes from a: each as long as the
// 4 KiB page, the limit and what is left allow.
func bursts(a, n uint64, most, lanes int) []int {
	var all []int
	if n == 0 {
		return nil
	}
	for word, last := a/uint64(lanes), (a+n-1)/uint64(lanes); word <= last; {
		page := uint64(4096 / lanes)
		beats := min(last-word+1, page-word%page, uint64(most))
		all = append(all, int(beats))
		word += beats
	}
	return all
}

// Hazard 5: an address changes or goes while it waits.
func TestHazard05AddressesStayUntilTaken(t *testing.T) {
	eachVariant(t, func(t *testing.T, c backend.Config) {
		list := tb.Random(5, tb.RandomConfig{Jobs: 80, Bytes: c.DataWidth / 8, AddrWidth: 32, LengthWidth: 32, MaxLength: uint64(8 * c.DataWidth), Zero: 5})
		if !c.Legalizer {
			for i := range list.Jobs {
				oneBurst(&list.Jobs[i], c)
			}
		}
		waited := map[string]int{}
		eng := watch(t, start(t, goModel, elaborate(t, c), 1), func(_ uint64, p *watched) {
			for _, ch := range []string{"m_axi_ar", "m_axi_aw", "m_axi_w", "rsp_"} {
				if p.waits(ch) {
					waited[ch]++
				}
			}
		})
		run(t, eng, list, tb.RunConfig{Stalls: mem.Stalls{AR: 85, AW: 90, W: 60}, RspStall: 70, Seed: 2, ReadyCheck: 4})
		for _, ch := range []string{"m_axi_ar", "m_axi_aw", "m_axi_w", "rsp_"} {
			require.Greater(t, waited[ch], 50, ch)
		}
	})
}

// Hazard 16: reads fill the buffer while the memory lets no write through before
// the reads are done.
func TestHazard16ReservedBufferDoesNotDeadlockOnOnePort(t *testing.T) {
	list := jobs(job.New(4000, 0x1003, 0x9001), job.New(64, 0x3000, 0xa000), job.New(500, 0x4001, 0xb000), job.New(5, 0x5003, 0xc002))
	for i := range list.Jobs {
		list.Jobs[i].DecoupleRW = true
	}
	for _, depth := range []int{1, 2, 3, 8, 20} {
		for _, combined := range []bool{true, false} {
			for _, width := range []int{16, 64, 512} {
				c := edit(func(c *backend.Config) {
					c.DataWidth, c.ReserveBuffer, c.BufferDepth, c.CombinedShifter = width, true, depth, combined
				})
				held := 0
				eng := watch(t, start(t, goModel, elaborate(t, c), 1), func(_ uint64, p *watched) {
					if p.waits("m_axi_r") {
						held++
					}
				})
				for _, stalls := range []mem.Stalls{{}, {W: 70, AW: 50}} {
					run(t, eng, list, tb.RunConfig{ReadsFirst: true, ReadLatency: 4, Stalls: stalls, Seed: 1})
				}
				require.Zero(t, held, "depth %d: R data had to wait", depth)
			}
		}
	}
	_, err := tb.Run(t.Context(), start(t, goModel, elaborate(t, edit()), 1), list, tb.RunConfig{ReadsFirst: true, ReadLatency: 4})
	var hang *tb.HangError
	require.True(t, errors.As(err, &hang), "without the reserve this memory must stop the engine, or it tests nothing: %v", err)
}
