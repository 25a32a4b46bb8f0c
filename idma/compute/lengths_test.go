package compute_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/idma/compute"
)

// lengthsParams are those of a module that shows what an operation says of a transfer.
type lengthsParams struct {
	op               compute.Op
	width, dataWidth int
}

func (p lengthsParams) Suffix() string { return "" }

type lengthsIO struct {
	Length    hdl.Var         `hdl:"in"`
	DstLength hdl.Var         `hdl:"in"`
	Options   compute.Options `hdl:"in,name=opt"`
	OutLength hdl.Var
	Violated  hdl.Var
}

func lengths(m *hdl.Module, p lengthsParams) lengthsIO {
	t := lengthsIO{Length: hdl.U(p.width), DstLength: hdl.U(p.width), Options: compute.OptionsType(), OutLength: hdl.U(p.width), Violated: hdl.Bool()}
	io := hdl.Ports(m, "", hdl.Source, t, hdl.MayBeUnused())
	asked := compute.Transfer{Length: io.Length.Signal, Options: io.Options}
	if p.op.NeedsDstLength() {
		asked.DstLength = io.DstLength.Signal
	}
	io.OutLength.Set(p.op.OutLength(asked))
	io.Violated.Set(p.op.Violated(asked, p.dataWidth))
	return io
}

// ask is a bench for the lengths of an operation: it calls with the inputs by name.
func ask(t testing.TB, op compute.Op, width, dataWidth int) func(in map[string]uint64) (out uint64, violated bool) {
	t.Helper()
	d, err := hdl.Elaborate(lengths, lengthsParams{op, width, dataWidth})
	require.NoError(t, err)
	b := newUnitBench(t, unitModel(t, d, 1), dataWidth/8, 1)
	return func(in map[string]uint64) (uint64, bool) {
		for name, v := range in {
			b.set(name, v)
		}
		require.NoError(t, b.e.Eval())
		return b.get("out_length"), b.get("violated") == 1
	}
}

// Lengths of MX transfers follow by division, also the longest.
func TestMXLengths(t *testing.T) {
	const seed = 8
	r := rand.New(rand.NewPCG(seed, 1))
	for _, u := range mxUnits(64) {
		from, to := uint64(u.block()), uint64(33)
		if u.dequantise {
			to = 128
			if u.float == compute.FP16 {
				to = 64
			}
		}
		for _, width := range []int{12, 13, 16, 20, 21, 32, 33, 40, 41, 48, 64} {
			call := ask(t, u.op(), width, 64)
			most := ^uint64(0) >> (64 - width)
			room := most / to // blocks that fit on the side that is written
			check := func(length uint64) {
				if length > most {
					return
				}
				out, violated := call(map[string]uint64{"length": length})
				blocks := length / from
				legal := length%from == 0 && blocks <= room
				require.Equal(t, !legal, violated, "%s, length %d of %d bits", u, length, width)
				if legal {
					require.Equal(t, blocks*to, out, "%s, length %d of %d bits", u, length, width)
				}
			}
			for _, blocks := range []uint64{0, 1, 2, 3, 31, 32, 33, room - 1, room, room + 1, most / from} {
				for d := range uint64(5) {
					check(blocks*from + d - 2)
				}
			}
			for range 2000 {
				check(r.Uint64() >> (64 - width))
				check(r.Uint64() >> (64 - width) / from * from)
			}
		}
	}
}

// A transfer of a tile reads a row or nothing and writes a column or nothing.
func TestTransposeLengths(t *testing.T) {
	const seed = 9
	r := rand.New(rand.NewPCG(seed, 1))
	for _, dataWidth := range mxWidths {
		for _, width := range []int{12, 32} {
			call := ask(t, compute.Transpose{}, width, dataWidth)
			lanes, legals := uint64(dataWidth/8), 0
			for range 5000 {
				mode, m, n := r.Uint64N(4), r.Uint64N(lanes+3), r.Uint64N(lanes+3)
				if r.IntN(8) == 0 {
					m = r.Uint64N(1 << 12)
				}
				length, dst := pick(r, n<<mode, 0, r.Uint64N(1<<12)), pick(r, m<<mode, 0, r.Uint64N(1<<12))
				length, dst = length%(1<<12), dst%(1<<12)
				legal := m > 0 && n > 0 && m<<mode <= lanes && n<<mode <= lanes &&
					(length == 0 || length == n<<mode) && (dst == 0 || dst == m<<mode)
				out, violated := call(map[string]uint64{"length": length, "dst_length": dst, "opt_mode": mode, "opt_m": m, "opt_n": n})
				at := fmt.Sprintf("%d bit, mode %d, %d by %d, lengths %d and %d", dataWidth, mode, m, n, length, dst)
				require.Equal(t, !legal, violated, at)
				if legal {
					require.Equal(t, dst, out, at)
					legals++
				}
			}
			require.Greater(t, legals, 50)
		}
	}
}

// pick is the first mostly, or one of the others.
func pick(r *rand.Rand, first uint64, others ...uint64) uint64 {
	if r.IntN(3) > 0 {
		return first
	}
	return others[r.IntN(len(others))]
}

// What is out of range is said before anything is built.
func TestParamsOutOfRange(t *testing.T) {
	for _, c := range []struct {
		p    compute.Params
		want string
	}{
		{compute.Params{Op: compute.Transpose{}, DataWidth: 48}, "DataWidth is 48"},
		{compute.Params{DataWidth: 32}, "no operation"},
		{compute.Params{Op: compute.MXQuantise{From: 7}, DataWidth: 32}, "From is 7"},
		{compute.Params{Op: compute.MXDequantise{To: 2}, DataWidth: 32}, "To is 2"},
	} {
		require.ErrorContains(t, c.p.Validate(), c.want)
		_, err := hdl.Elaborate(compute.Compute, c.p)
		require.ErrorContains(t, err, c.want)
	}
}
