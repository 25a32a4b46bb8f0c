package midend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/idma/midend"
)

func walkOf(t testing.TB, width, addrWidth int) (midend.WalkConfig, *ir.Design) {
	t.Helper()
	c := midend.DefaultWalk()
	c.Backend.DataWidth, c.Backend.AddrWidth = width, addrWidth
	c.Backend.LengthWidth = min(32, addrWidth)
	c.Backend.Compute[compute.CodeByteSwap] = compute.ByteSwap{}
	d, err := midend.ElaborateWalk(c)
	require.NoError(t, err)
	return c, d
}

// step is a transfer that the walk makes.
type step struct {
	linear
	dstLength, enable, op, mode, m, n uint64
}

// walk runs requests and returns the transfers that come of them.
func walk(b *bench, todo []request) (steps []step) {
	b.todo = todo
	for n := 0; len(b.answers) < len(todo); n++ {
		require.Less(b.t, n, 400000, "%d of %d are answered", len(b.answers), len(todo))
		b.step()
		if len(b.got[0]) > len(steps) {
			get := func(n string) uint64 { return b.get("down_req_" + n) }
			steps = append(steps, step{b.got[0][len(steps)], get("dst_length"), get("compute_enable"), get("compute_op"), get("compute_mode"), get("compute_m"), get("compute_n")})
		}
	}
	b.run(len(todo))
	return steps
}

// matrix is a request that transposes m rows of n elements.
func matrix(src, dst, mode, m, n uint64) request {
	return request{"src_addr": src, "dst_addr": dst, "length": m * n << mode, "id": 5, "last": 1, "src_burst": 1, "dst_burst": 1,
		"compute_enable": 1, "compute_op": compute.CodeTranspose, "compute_mode": mode, "compute_m": m, "compute_n": n}
}

// carry does what the transfers of a matrix say, a tile at a time, and requires of them what
// the back-end requires: which byte of the source comes to which byte of the destination.
func carry(t testing.TB, steps []step, lanes uint64, mask uint64) map[uint64]uint64 {
	t.Helper()
	from := map[uint64]uint64{}
	for len(steps) > 0 {
		s := steps[0]
		size, m, n := uint64(1)<<s.mode, s.m, s.n
		require.True(t, m > 0 && n > 0 && max(m, n)*size <= lanes, "a tile of %d times %d elements of %d bytes", m, n, size)
		tile := steps[:max(m, n)]
		for i, x := range tile {
			require.Equal(t, step{linear: x.linear, dstLength: x.dstLength, enable: 1, op: compute.CodeTranspose, mode: s.mode, m: m, n: n}, x)
			require.Equal(t, map[bool]uint64{true: n * size}[uint64(i) < m], x.length, "transfer %d of a tile of %d times %d", i, m, n)
			require.Equal(t, map[bool]uint64{true: m * size}[uint64(i) < n], x.dstLength, "transfer %d of a tile of %d times %d", i, m, n)
		}
		for row := range m {
			for column := range n {
				for k := range size {
					to := (tile[column].dst + row*size + k) & mask
					_, twice := from[to]
					require.False(t, twice, "%#x is written twice", to)
					from[to] = (tile[row].src + column*size + k) & mask
				}
			}
		}
		steps = steps[len(tile):]
	}
	return from
}

// transposition is the definition: out[n][m] = in[m][n].
func transposition(q request, mask uint64) map[uint64]uint64 {
	from := map[uint64]uint64{}
	size := uint64(1) << q["compute_mode"]
	for m := range q["compute_m"] {
		for n := range q["compute_n"] {
			for k := range size {
				from[(q["dst_addr"]+(n*q["compute_m"]+m)*size+k)&mask] = (q["src_addr"] + (m*q["compute_n"]+n)*size + k) & mask
			}
		}
	}
	return from
}

func randomWalks(t *testing.T, e sim.Engine, lanes uint64, addrWidth int, seed uint64, count, stall int) {
	t.Helper()
	b := newBench(t, e, seed, stall)
	mask := ^uint64(0) >> (64 - addrWidth)
	var todo []request
	for range count {
		mode := b.rng.Uint64N(4)
		for 1<<mode > lanes {
			mode--
		}
		side := lanes >> mode
		q := matrix(b.rng.Uint64()&mask, b.rng.Uint64()&mask, mode, 1+b.rng.Uint64N(min(3*side, 200)), 1+b.rng.Uint64N(min(3*side, 200)))
		if b.rng.IntN(4) == 0 {
			q = request{"src_addr": b.rng.Uint64() & mask, "dst_addr": b.rng.Uint64() & mask, "length": b.rng.Uint64N(1000), "id": 3, "last": b.rng.Uint64N(2), "src_burst": 1, "dst_burst": 1,
				"compute_enable": b.rng.Uint64N(2), "compute_op": compute.CodeByteSwap, "compute_mode": b.rng.Uint64N(4), "compute_m": b.rng.Uint64N(4096), "compute_n": b.rng.Uint64N(4096)}
		}
		todo = append(todo, q)
	}
	steps := walk(b, todo)
	for i, q := range todo {
		end := 0
		for steps[end].last == 0 {
			end++
		}
		these := steps[:end+1]
		steps = steps[end+1:]
		require.Equal(t, answer{last: q["last"]}, b.answers[i])
		if q["compute_op"] != compute.CodeTranspose {
			require.Equal(t, []step{{linear{q["src_addr"], q["dst_addr"], q["length"], 3, 1}, 0, q["compute_enable"], q["compute_op"], q["compute_mode"], q["compute_m"], q["compute_n"]}}, these)
			continue
		}
		require.Equal(t, transposition(q, mask), carry(t, these, lanes, mask), "%v", q)
	}
	require.Empty(t, steps)
}

func TestWalkTransposesWholeMatrices(t *testing.T) {
	for _, width := range []int{16, 32, 64, 256, 1024} {
		for _, addr := range []int{32, 64} {
			_, d := walkOf(t, width, addr)
			for seed, stall := range []int{0, 30} {
				randomWalks(t, model(t, d, 1), uint64(width/8), addr, uint64(seed), 2+200/width, stall)
			}
		}
	}
}

func TestWalkInLockstep(t *testing.T) {
	_, d := walkOf(t, 64, 32)
	randomWalks(t, both(t, d, 3), 8, 32, 3, 25, 30)
}

// The first row goes a cycle after its matrix, the others one a cycle, and matrices follow
// with a gap of a cycle. What does not transpose is not held up.
func TestWalkLatency(t *testing.T) {
	_, d := walkOf(t, 64, 32)
	b := newBench(t, model(t, d, 1), 1, 0)
	plain := request{"src_addr": 0, "dst_addr": 64, "length": 40, "compute_enable": 0}
	walk(b, []request{matrix(0, 0x1000, 0, 16, 24), matrix(0, 0x2000, 0, 8, 8), plain, plain})
	require.Len(t, b.at, 6*8+8+2)
	require.Equal(t, b.offered[0]+1, b.at[0])
	require.Equal(t, 47, b.at[47]-b.at[0])
	require.Equal(t, 2, b.at[48]-b.at[47])
	require.Equal(t, []int{b.at[55] + 1, b.at[55] + 2}, b.at[56:])
	require.Equal(t, b.offered[2:], b.at[56:])
}

// What is no matrix goes down as one transfer that the back-end refuses.
func TestWalkLeavesWhatIsNoMatrixToBeRefused(t *testing.T) {
	_, d := walkOf(t, 32, 32)
	for name, edit := range map[string]func(q request){
		"no rows":                    func(q request) { q["compute_m"] = 0 },
		"no columns":                 func(q request) { q["compute_n"] = 0 },
		"elements wider than a word": func(q request) { q["compute_mode"], q["length"] = 3, q["length"]*8 },
		"shorter":                    func(q request) { q["length"]-- },
		"longer":                     func(q request) { q["length"]++ },
		"without length":             func(q request) { q["length"] = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, model(t, d, 1), 1, 0)
			b.fails[0][0] = answer{cause: backend.RefusedCompute, kind: backend.ErrRefused}
			q := matrix(0x1000, 0x2000, 0, 5, 7)
			edit(q)
			good := matrix(0x3000, 0x4000, 0, 4, 4)
			steps := walk(b, []request{q, good})
			require.Len(t, steps, 5)
			s := steps[0]
			require.Equal(t, []uint64{0, 0, q["length"], 1}, []uint64{s.m, s.dstLength, s.length, s.last})
			require.Equal(t, []answer{{last: 1, err: 1, cause: backend.RefusedCompute, kind: backend.ErrRefused}, {last: 1}}, b.answers)
		})
	}
}

func TestWalkNeedsABackendThatTransposes(t *testing.T) {
	c := midend.DefaultWalk()
	c.Backend.Compute = compute.Set{compute.CodeByteSwap: compute.ByteSwap{}}
	require.EqualError(t, c.Validate(), "Backend.Compute is byte_swap; allowed: what has transpose among it")
	s := midend.DefaultSplit()
	s.Backend.Compute = c.Backend.Compute
	require.ErrorContains(t, s.Validate(), "Backend.Compute is byte_swap; allowed: none: what an operation makes of a piece")
}
