package tb

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

var seed = flag.Uint64("seed", 0, "run random tests from this seed alone")

// seeds is the seeds of a random test, or the one asked for.
func seeds(n uint64) (s []uint64) {
	if *seed != 0 {
		return []uint64{*seed}
	}
	for i := range n {
		s = append(s, i+1)
	}
	return s
}

func TestRandomListsOnSoundEngine(t *testing.T) {
	axi := []job.Protocol{job.AXI4}
	for _, s := range seeds(60) {
		t.Run(fmt.Sprintf("seed %d", s), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(s, 0))
			c := RandomConfig{Jobs: 60, Bytes: 1 << rng.IntN(8), AddrWidth: 12 + rng.IntN(53), Zero: 5, Refused: 5}
			c.LengthWidth = 12 + rng.IntN(c.AddrWidth-11)
			c.MaxLength = 1 << rng.IntN(13)
			l := Random(s, c)
			require.Len(t, l.Jobs, c.Jobs)
			require.NoError(t, l.Check(job.Limits{AddrWidth: c.AddrWidth, LengthWidth: c.LengthWidth, Read: axi, Write: axi}))
			cfg := RunConfig{ReadLatency: 1 + rng.IntN(30), WriteLatency: 1 + rng.IntN(30), Stalls: mem.AllStalls(rng.IntN(70)),
				RspStall: rng.IntN(70), ReqGap: rng.IntN(50), Seed: s}
			e := newFakeOn(fakeDesign(8*c.Bytes, c.AddrWidth, 1+rng.IntN(12), c.LengthWidth), 1+rng.IntN(16), sound)
			res, err := Run(context.Background(), e, l, cfg)
			require.NoError(t, err, "%+v, %+v", c, cfg)
			require.NoError(t, res.Err(), "%+v, %+v", c, cfg)
		})
	}
}

func TestRandomListsReachTheRareCases(t *testing.T) {
	l := Random(1, RandomConfig{Jobs: 3000, Bytes: 8, AddrWidth: 32, LengthWidth: 32, MaxLength: 5000, Zero: 5, Refused: 5})
	require.Equal(t, l, Random(1, RandomConfig{Jobs: 3000, Bytes: 8, AddrWidth: 32, LengthWidth: 32, MaxLength: 5000, Zero: 5, Refused: 5}))
	seen := map[string]int{}
	for i := range l.Jobs {
		j := &l.Jobs[i]
		for what, hit := range map[string]bool{
			"no bytes": j.Length == 0, "refused": j.Length > 0 && j.Refused(), "one byte": j.Length == 1, "long": j.Length > 2048,
			"source at the top": j.Src.Addr+j.Length == 1<<32, "page": j.Src.Addr/4096 != (j.Src.Addr+j.Length)/4096,
			"aligned": j.Src.Addr%8 == 0 && j.Dst.Addr%8 == 0, "capped": j.Dst.MaxBeats < 256, "one beat": j.Src.MaxBeats == 1,
			"01": !j.DecoupleAW && j.DecoupleRW, "downward": j.Src.Addr > j.Dst.Addr && j.Src.Addr < j.Dst.Addr+j.Length,
			"depends": i > 0 && j.DependsOn(&l.Jobs[i-1]),
		} {
			if hit {
				seen[what]++
			}
		}
	}
	require.Len(t, seen, 12, "%v", seen)
	for what, n := range seen {
		require.GreaterOrEqual(t, n, 5, what)
	}
}
