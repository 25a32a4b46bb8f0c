package midend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/midend"
)

func rowsOf(t testing.TB, edits ...func(*midend.RowsConfig)) (midend.RowsConfig, *ir.Design) {
	t.Helper()
	c := midend.DefaultRows()
	for _, e := range edits {
		e(&c)
	}
	d, err := midend.ElaborateRows(c)
	require.NoError(t, err)
	return c, d
}

// rows is the specification, §3.1: bytes are counted down, and the last row has what is
// left. A transfer of no bytes is refused below, one of rows without bytes here.
func rows(src, dst, total, row, id, srcStride, dstStride uint64, addrWidth int) (all []linear) {
	if row == 0 {
		return nil
	}
	mask := ^uint64(0) >> (64 - addrWidth)
	for {
		n := min(row, total)
		total -= n
		all = append(all, linear{src, dst, n, id, bit(total == 0)})
		if total == 0 {
			return all
		}
		src, dst = (src+srcStride)&mask, (dst+dstStride)&mask
	}
}

func randomRows(t *testing.T, e sim.Engine, c midend.RowsConfig, seed uint64, n, stall int) {
	t.Helper()
	b := newBench(t, e, seed, stall)
	for range n {
		q := request{
			"src_addr": uint64(b.rng.Uint32()), "dst_addr": uint64(b.rng.Uint32()), "length": b.rng.Uint64N(300), "id": b.rng.Uint64N(16), "last": b.rng.Uint64N(2),
			"src_burst": 1, "dst_burst": 1, "row_length": 1 + b.rng.Uint64N(100), "src_stride": uint64(b.rng.Uint32()), "dst_stride": uint64(b.rng.Uint32()),
		}
		switch b.rng.IntN(6) {
		case 0: // rows that fit exactly
			q["length"] = q["row_length"] * (1 + b.rng.Uint64N(4))
		case 1:
			q["row_length"] = 0
		case 2: // longer than all
			q["row_length"] = q["length"] + b.rng.Uint64N(1<<20)
		}
		b.ask(q, rows(q["src_addr"], q["dst_addr"], q["length"], q["row_length"], q["id"], q["src_stride"], q["dst_stride"], c.Backend.AddrWidth), 6, only)
	}
	b.check()
}

func TestRowsAreWhatTheSpecificationSays(t *testing.T) {
	for i, edit := range []func(*midend.RowsConfig){func(*midend.RowsConfig) {}, func(c *midend.RowsConfig) { c.Registered, c.InFlight = true, 2 }} {
		c, d := rowsOf(t, edit)
		for seed := uint64(1); seed <= 6; seed++ {
			randomRows(t, model(t, d, seed), c, seed+uint64(10*i), 100, []int{0, 20, 80}[seed%3])
		}
	}
}

func TestRowsInLockstep(t *testing.T) {
	c, d := rowsOf(t)
	randomRows(t, both(t, d, 3), c, 3, 100, 30)
}

// A row goes in the cycle of the request, the others follow one a cycle.
func TestRowsLatency(t *testing.T) {
	for latency, registered := range []bool{false, true} {
		_, d := rowsOf(t, func(c *midend.RowsConfig) { c.Registered = registered })
		b := newBench(t, model(t, d, 1), 1, 0)
		for range 4 {
			b.todo = append(b.todo, request{"length": 20, "row_length": 4, "src_addr": 0, "dst_addr": 0, "src_stride": 8, "dst_stride": 8})
		}
		b.run(4)
		require.Equal(t, latency, b.at[0]-b.offered[0])
		require.Len(t, b.at, 20)
		require.Equal(t, 19, b.at[19]-b.at[0])
	}
}
