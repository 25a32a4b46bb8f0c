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

// tiny is n transfers of one bus word each.
func tiny(n int, lanes uint64) *job.List {
	list := jobs()
	for i := range uint64(n) {
		j := job.New(lanes, 0x1_0000+lanes*i, 0x8_0000+lanes*i)
		j.DecoupleAW, j.DecoupleRW = i%2 == 0, i%4 < 2
		list.Jobs = append(list.Jobs, j)
	}
	return list
}

// Hazard 10: a counter of outstanding bursts is one bit too narrow.
func TestHazard10OutstandingCountersReachTheirLimits(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 7, 8, 9, 16, 17, 32, 64, 256} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			c := edit(func(c *backend.Config) { c.Outstanding, c.WriteOutstanding = n, n })
			d := elaborate(t, c)
			list := tiny(3*n+20, 4)
			// Many reads under way: the first data come when all have been asked for.
			res := run(t, start(t, goModel, d, 1), list, tb.RunConfig{ReadLatency: 4 * n, Outstanding: 1024, Memory: tb.Separate, Launch: tb.BackToBack})
			require.Equal(t, n, res.MaxReads)
			// Many writes without their response, besides the one whose address may go
			// ahead of its data and the one behind it.
			slow := tb.RunConfig{WriteLatency: 40 + 8*n, Outstanding: 1024, Memory: tb.Separate, Launch: tb.BackToBack}
			res = run(t, start(t, goModel, d, 1), list, slow)
			require.GreaterOrEqual(t, res.MaxWrites, n)
			require.LessOrEqual(t, res.MaxWrites, n+2)
			slow.RspStall, slow.Stalls, slow.Seed = 60, mem.Stalls{B: 80}, 1
			run(t, start(t, goModel, d, 1), list, slow)
		})
	}
}

// Hazard 22: busy clears before the last write response.
func TestHazard22BusyUntilTheLastWriteResponse(t *testing.T) {
	eachVariant(t, func(t *testing.T, c backend.Config) {
		for _, l := range []int{1, 200} {
			running := 0
			var seen uint64
			eng := watch(t, start(t, goModel, elaborate(t, c), 1), func(cycle uint64, p *watched) {
				busy := p.get("busy")
				if running > 0 {
					require.NotZero(t, busy, "cycle %d: %d transfers are running", cycle, running)
				} else if !p.on("req_valid") { // without legalizers a request shows while it is offered
					require.Zero(t, busy, "cycle %d: nothing runs", cycle)
				}
				seen |= busy
				if p.fires("req_") {
					running++
				}
				if p.fires("rsp_") {
					running--
				}
			})
			list := tb.Random(22, tb.RandomConfig{Jobs: 60, Bytes: c.DataWidth / 8, AddrWidth: 32, LengthWidth: 32, MaxLength: uint64(4 * c.DataWidth), Zero: 10})
			if !c.Legalizer {
				for i := range list.Jobs {
					oneBurst(&list.Jobs[i], c)
				}
			}
			run(t, eng, list, tb.RunConfig{ReadLatency: 5, WriteLatency: l, Stalls: mem.Stalls{AR: 20, AW: 30, W: 20}, Seed: 1})
			all := uint64(0xff)
			if !c.Coupler {
				all &^= 1 << backend.BusyWaitingAW
			}
			require.Equal(t, all, seen, "every bit shows at some time")
		}
	})
}
