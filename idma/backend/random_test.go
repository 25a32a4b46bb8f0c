package backend_test

import (
	"flag"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/verilator"
)

var (
	firstSeed = flag.Uint64("seed", 1, "seed of the first random configuration")
	configs   = flag.Int("configs", 0, "how many random configurations; 0 for 200, or 4000 with -long")
)

// TestRandomConfigurations runs random transfers on random memories through
// random engines, Go model and RTL in lockstep. A seed stands for all of it.
func TestRandomConfigurations(t *testing.T) {
	n := *configs
	switch {
	case n > 0:
	case *long:
		n = 4000
	default:
		n = 200
	}
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = *firstSeed + uint64(i)
	}
	t.Logf("seeds %d to %d", seeds[0], seeds[n-1])
	each(t, seeds, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		c := randomConfig(r)
		list := randomListOf(r.Uint64(), c, 50)
		cfg := randomRun(r, list, c)
		o := verilator.Options{Quick: true, Gen: gen.Options{Reset: gen.ResetStyle(r.IntN(4))}}
		replay := fmt.Sprintf("replay: go test ./idma/backend -run TestRandomConfigurations -seed %d -configs 1\n%+v\n%+v\nreset %v", seed, c, cfg, o.Gen.Reset)
		eng := startWith(t, lockstep, elaborate(t, c), seed, o)
		res, err := tb.Run(t.Context(), eng, list, cfg)
		require.NoError(t, err, replay)
		require.NoError(t, res.Err(), replay)
		require.Equal(t, res.FewestWriteBeats, res.WriteBeats, replay)
		require.Equal(t, writeBursts(list, c.DataWidth/8), res.WriteBursts, replay)
		require.Equal(t, fewestReadBeats(list, c.DataWidth/8), res.ReadBeats, replay)
		require.LessOrEqual(t, res.MaxReads, c.Outstanding, replay)
	})
}

// fewestReadBeats is the number of bus words that hold bytes of the sources.
func fewestReadBeats(list *job.List, lanes int) uint64 {
	swapped := &job.List{Jobs: append([]job.Job(nil), list.Jobs...)}
	for i := range swapped.Jobs {
		j := &swapped.Jobs[i]
		j.Src, j.Dst = j.Dst, j.Src
	}
	return tb.FewestWriteBeats(swapped, lanes)
}

// randomConfig is any legal configuration, with more of the narrow ones.
func randomConfig(r *rand.Rand) backend.Config {
	c := backend.Default()
	c.DataWidth = 16 << min(r.IntN(7), r.IntN(7))
	c.AddrWidth = 12 + r.IntN(53)
	c.LengthWidth = 12 + r.IntN(c.AddrWidth-11)
	c.IDWidth = 1 + r.IntN(32)
	c.UserWidth = 1 + r.IntN(80)
	c.Outstanding = 1 + r.IntN(1<<r.IntN(7))
	if coin(r, 50) {
		c.WriteOutstanding = 1 + r.IntN(1<<r.IntN(6))
	}
	c.BufferDepth = 1 + r.IntN(1<<r.IntN(5))
	c.CombinedShifter, c.Coupler, c.MaskInvalidLanes = coin(r, 50), coin(r, 70), coin(r, 50)
	c.Legalizer, c.ReserveBuffer = coin(r, 75), coin(r, 25)
	if coin(r, 25) {
		c.StoreDepth, c.StoreTransfers = 2+r.IntN(1<<r.IntN(9)), coin(r, 60)
	}
	return c
}

func coin(r *rand.Rand, percent int) bool { return r.IntN(100) < percent }

// randomListOf is n transfers that the engine can do, most of them short.
func randomListOf(seed uint64, c backend.Config, n int) *job.List {
	lanes := c.DataWidth / 8
	list := tb.Random(seed, tb.RandomConfig{
		Jobs: n, Bytes: lanes, AddrWidth: c.AddrWidth, LengthWidth: c.LengthWidth,
		MaxLength: uint64(300 * lanes), Zero: 4, Refused: 4,
	})
	if !c.Legalizer {
		for i := range list.Jobs {
			oneBurst(&list.Jobs[i], c)
		}
	}
	return list
}

// oneBurst shortens a transfer to what one burst on each side can do.
func oneBurst(j *job.Job, c backend.Config) {
	lanes := uint64(c.DataWidth / 8)
	beats := uint64(256)
	if c.ReserveBuffer {
		room := c.BufferDepth
		if c.StoreDepth > 0 {
			room = c.StoreDepth
		}
		beats = min(beats, uint64(1)<<(bits.Len(uint(room))-1))
	}
	most := func(addr, beats uint64) uint64 { return min(4096-addr%4096, beats*lanes-addr%lanes) }
	j.Src.MaxBeats, j.Dst.MaxBeats = job.NoBeatLimit, job.NoBeatLimit
	j.Length = min(j.Length, most(j.Src.Addr, beats), most(j.Dst.Addr, 256))
}

// randomRun is any memory and any consumer of responses.
func randomRun(r *rand.Rand, list *job.List, c backend.Config) tb.RunConfig {
	stall := func() int {
		if coin(r, 50) {
			return 0
		}
		return r.IntN(70)
	}
	cfg := tb.RunConfig{
		ReadLatency: 1 + r.IntN(1<<r.IntN(6)), WriteLatency: 1 + r.IntN(1<<r.IntN(6)), Outstanding: 1 + r.IntN(1<<r.IntN(7)),
		Stalls:   mem.Stalls{AR: stall(), R: stall(), AW: stall(), W: stall(), B: stall()},
		RspStall: stall(), ReqGap: stall(), Seed: r.Uint64(), ReadyCheck: 16,
		ReadsFirst: c.ReserveBuffer && coin(r, 50), WriteOrder: mem.WriteOrder(max(0, r.IntN(5)-2)),
	}
	if coin(r, 50) {
		cfg.Memory, cfg.Launch = tb.Separate, tb.BackToBack
	}
	if coin(r, 25) {
		for range 1 + r.IntN(4) {
			j := &list.Jobs[r.IntN(len(list.Jobs))]
			f := mem.Fault{Write: coin(r, 50), Resp: axi4.Resp(2 + r.IntN(2))}
			f.Lo = j.Src.Addr
			if f.Write {
				f.Lo = j.Dst.Addr
			}
			f.Hi = f.Lo + r.Uint64N(j.Length+1)
			cfg.Faults = append(cfg.Faults, f)
		}
	}
	return cfg
}
