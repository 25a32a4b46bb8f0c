package tb

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// everyOperation is the operations of package compute, with scales of MX blocks of both kinds.
func everyOperation() (s compute.Set) {
	for _, o := range []compute.Op{
		compute.Transpose{}, compute.MXQuantise{From: compute.FP32}, compute.MXQuantise{From: compute.FP16, SignedScale: true},
		compute.MXDequantise{To: compute.FP32, SignedScale: true}, compute.MXDequantise{To: compute.FP16}, compute.CRC32C{}, compute.ByteSwap{}, compute.FillMask{},
	} {
		s[o.Code()] = o
	}
	return s
}

// codes are the operations of a set as job lists name them.
func codes(s compute.Set) (all []job.Operation) {
	for _, o := range s.Ops() {
		all = append(all, job.Operation(o.Code()))
	}
	return all
}

// withOperations is a back-end between ports of a kind.
func withOperations(t *testing.T, ports string, ops compute.Set, edits ...func(*backend.Config)) *sim.Model {
	t.Helper()
	return backendWith(t, ports, ports, append(edits, func(c *backend.Config) { c.Compute = ops })...)
}

// TestRandomOperations runs transfers with operations and without, on AXI4 and between
// ports of all protocols, the rows of a tile over different ones.
func TestRandomOperations(t *testing.T) {
	broken, tiles := 0, 0
	for _, seed := range seeds(40) {
		r := rand.New(rand.NewPCG(seed, 9))
		width := 16 << r.IntN(7)
		ops := everyOperation()
		for code := range ops {
			if r.IntN(5) == 0 {
				ops[code] = nil
			}
		}
		list := Random(seed, RandomConfig{Jobs: 60, Bytes: width / 8, AddrWidth: 32, LengthWidth: 32, MaxLength: uint64(30 * width / 8), Zero: 4, Refused: 4})
		AddOperations(seed, list, OperationConfig{Bytes: width / 8, AddrWidth: 32, Operations: codes(ops), Percent: 70, Broken: 10})
		cfg := RunConfig{Compute: ops, ReadLatency: 1 + r.IntN(20), WriteLatency: 1 + r.IntN(20), Seed: seed, Stalls: mem.AllStalls(r.IntN(2) * 30), RspStall: r.IntN(2) * 30}
		if r.IntN(2) == 0 {
			cfg.Memory, cfg.Launch = Separate, BackToBack
		}
		ports, spread := "axi4", r.IntN(2) == 0
		if spread {
			ports, cfg.NullBytes = everyPort+", tilelink", r.IntN(2)*30
			for i := range list.Jobs {
				j := &list.Jobs[i]
				j.Src.Protocol, j.Dst.Protocol, j.Src.Mode = job.Protocol(r.IntN(6)), job.Protocol(r.IntN(6)), uint8(r.IntN(3))
			}
			if cfg.Memory == Separate {
				cfg.Memory = PerPort
			}
		}
		if r.IntN(3) == 0 {
			at := list.Jobs[r.IntN(len(list.Jobs))]
			cfg.Faults = []mem.Fault{{Lo: at.Src.Addr, Hi: at.Src.Addr, Resp: axi4.SlvErr}, {Write: true, Lo: at.Dst.Addr, Hi: at.Dst.Addr, Resp: axi4.DecErr}}
		}
		eng := withOperations(t, ports, ops, func(c *backend.Config) { c.DataWidth, c.CombinedShifter = width, r.IntN(2) == 0 })
		res, err := Run(context.Background(), eng, list, cfg)
		require.NoError(t, err, "seed %d", seed)
		require.NoError(t, res.Err(), "seed %d", seed)
		require.Equal(t, res.FewestWriteBeats, res.WriteBeats, "seed %d", seed)
		if !spread {
			require.Equal(t, res.FewestReadBeats, res.ReadBeats, "seed %d", seed)
		}
		broken += res.ErrorResponses
		for i := range list.Jobs {
			tiles += int(truth(list.Jobs[i].Compute.Op == job.Transpose))
		}
	}
	require.True(t, *seed != 0 || broken > 150 && tiles > 1000, "%d errors, %d transfers of tiles", broken, tiles)
}
