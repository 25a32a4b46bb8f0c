package tb

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/verilator"
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

// computing is a transfer with an operation.
func computing(length, src, dst uint64, c job.Compute) job.Job {
	j := job.New(length, src, dst)
	j.Compute = c
	return j
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

// TestOwnJobFilesWithOperations runs them on engines with all operations: the Go model at
// some widths, and once in lockstep with the RTL.
func TestOwnJobFilesWithOperations(t *testing.T) {
	ops := everyOperation()
	refused := map[string]int{"compute-refused": 18, "compute-bytes": 3}
	errorsOf := func(l *job.List, width int) int {
		name := strings.TrimSuffix(filepath.Base(l.Name), ".yaml")
		if name == "compute-bytes" && width < 64 {
			return refused[name] + 1 // elements of eight bytes
		}
		return refused[name]
	}
	lists := ownJobs(t, true)
	require.Len(t, lists, 4)
	seen := map[job.Operation]bool{}
	for _, l := range lists {
		for i := range l.Jobs {
			seen[l.Jobs[i].Compute.Op] = true
		}
		for _, width := range []int{32, 64, 512} {
			for _, cfg := range []RunConfig{{}, {ReadLatency: 13, WriteLatency: 40, Stalls: mem.AllStalls(25), RspStall: 25, Seed: 3}} {
				cfg.Compute = ops
				res, err := Run(context.Background(), withOperations(t, "axi4", ops, func(c *backend.Config) { c.DataWidth = width }), l, cfg)
				require.NoError(t, err)
				require.NoError(t, res.Err(), "%s, %d bits, %+v", l.Name, width, cfg)
				require.Equal(t, errorsOf(l, width), res.ErrorResponses, "%s, %d bits", l.Name, width)
			}
		}
	}
	for _, o := range codes(ops) {
		require.True(t, seen[o], "%v is in no file", o)
	}

	c := backend.Default()
	c.DataWidth, c.Compute = 64, ops
	d, err := backend.Elaborate(c)
	require.NoError(t, err)
	lib, err := verilator.Build(t.Context(), d, verilator.Options{State: true})
	require.NoError(t, err)
	for _, l := range lists {
		model, err := sim.New(d, sim.Options{Seed: 1})
		require.NoError(t, err)
		rtl, err := lib.New(1)
		require.NoError(t, err)
		both, err := verilator.NewLockstep(model, rtl, verilator.LockstepOptions{Dir: t.TempDir()})
		require.NoError(t, err)
		res, err := Run(context.Background(), both, l, RunConfig{Compute: ops, Stalls: mem.AllStalls(20)})
		require.NoError(t, err)
		require.NoError(t, res.Err(), l.Name)
		require.Equal(t, errorsOf(l, 64), res.ErrorResponses, l.Name)
		require.NoError(t, both.Close())
	}
}

// Operations that a back-end has no ports for, or that nobody has told of.
func TestOperationsOfAnotherEngine(t *testing.T) {
	l := list(computing(8, 0, 0x1000, job.Compute{Op: job.ByteSwap}))
	swaps := compute.Set{compute.CodeByteSwap: compute.ByteSwap{}}
	_, err := Run(context.Background(), newFake(32, 4, sound), l, RunConfig{Compute: everyOperation()})
	require.EqualError(t, err, "run: the engine has no ports to ask for transpose, such as req_compute_enable")
	_, err = Run(context.Background(), withOperations(t, "axi4", swaps), l, RunConfig{Compute: everyOperation()})
	require.ErrorContains(t, err, "no ports to ask for transpose")
	_, err = Run(context.Background(), withOperations(t, "axi4", swaps), l, RunConfig{})
	require.ErrorContains(t, err, "compute.op is byte_swap; not by this engine; it is built without operations")
	l.Jobs[0].Compute.Op = job.CRC32C
	_, err = Run(context.Background(), withOperations(t, "axi4", swaps), l, RunConfig{Compute: swaps})
	require.ErrorContains(t, err, "compute.op is crc32c; not by this engine; it has byte_swap")
}

// Of the two sides that with more beats limits, and shows how well the bus is used; the bound
// of a list knows it.
func TestTheSideWithMoreBeatsLimits(t *testing.T) {
	const width, blocks = 64, 40
	mx := func(length uint64, o job.Operation) *job.List {
		l := list()
		for i := range uint64(16) {
			l.Jobs = append(l.Jobs, computing(length, 0x1_0000*i, 0x8000_0000+0x1_0000*i, job.Compute{Op: o}))
		}
		return l
	}
	for _, c := range []struct {
		list          *job.List
		reads, writes float64 // of both sides, of 128 or 64 bytes to 33
	}{
		{mx(128*blocks, job.MXQuantiseFP32), 1, 33.0 / 128}, {mx(33*blocks, job.MXDequantiseFP32), 33.0 / 128, 1},
		{mx(64*blocks, job.MXQuantiseFP16), 1, 33.0 / 64}, {mx(33*blocks, job.MXDequantiseFP16), 33.0 / 64, 1},
		{mx(4096, job.CRC32C), 1, 1}, {mx(4096, job.ByteSwap), 1, 1}, {mx(4096, job.FillMask), 1, 1},
	} {
		const latency, outstanding = 13, 16
		ops := everyOperation()
		eng := withOperations(t, "axi4", ops, func(e *backend.Config) { e.DataWidth, e.Outstanding = width, outstanding })
		res, err := Run(context.Background(), eng, c.list, RunConfig{Compute: ops, ReadLatency: latency, WriteLatency: latency, Memory: Separate, Launch: BackToBack, ReadyCheck: -1})
		require.NoError(t, err)
		require.NoError(t, res.Err())
		name := c.list.Jobs[0].Compute.Op
		require.InDelta(t, c.reads, res.ReadUtilisation, 0.05, "%v", name)
		require.InDelta(t, c.writes, res.Utilisation, 0.05, "%v", name)
		require.InDelta(t, Bound(c.list, width/8, outstanding, latency), res.Utilisation, 0.05, "%v", name)
		require.Equal(t, c.list.Bytes(), res.Bytes)
		require.Equal(t, c.list.Written(), res.Written)
	}
}
