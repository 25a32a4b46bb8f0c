package midend_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/tb/job"
)

// failingAt lets one piece fail.
func failingAt(piece int, a answer) func(int) (answer, bool) {
	return func(i int) (answer, bool) {
		if i == piece {
			return a, true
		}
		return answer{}, false
	}
}

// An error of any piece is told, with its cause, once.
func TestHazard25ErrorsOfEveryPieceAreSeen(t *testing.T) {
	_, d := tensorOf(t, 3)
	for failing := range 6 {
		b := newBench(t, model(t, d, 1), 1, 0)
		b.fails = failingAt(failing, answer{cause: 3, kind: 1})
		b.todo = append(b.todo, tensorRequest(0, 0, 8, 1, 1, []dim{{3, 8, 8}, {2, 8, 8}}), tensorRequest(0, 0, 8, 2, 1, []dim{{1, 0, 0}, {1, 0, 0}}))
		b.run(2)
		require.Equal(t, []answer{{last: 1, err: 1, cause: 3, kind: 1}, {last: 1}}, b.answers, "piece %d", failing)
	}
}

// A transfer of no bytes is refused once, whatever its repetitions.
func TestHazard26NoBytesAreRefusedOnce(t *testing.T) {
	_, d := tensorOf(t, 2)
	b := newBench(t, model(t, d, 1), 1, 0)
	b.fails = failingAt(0, answer{kind: 2})
	b.todo = append(b.todo, tensorRequest(0x10, 0x20, 0, 1, 1, []dim{{4, 8, 8}}), tensorRequest(0, 0, 8, 2, 0, []dim{{2, 8, 8}}))
	b.run(2)
	require.Equal(t, []answer{{last: 1, err: 1, kind: 2}, {}}, b.answers)
	require.Len(t, b.pieces, 3)
	require.Equal(t, linear{0x10, 0x20, 0, 1, 1}, b.pieces[0])
}

// The answer to a request without repetitions waits until it is taken, in its turn.
func TestHazard27RefusalsWait(t *testing.T) {
	_, d := tensorOf(t, 2)
	b := newBench(t, model(t, d, 1), 1, 0)
	one, none := tensorRequest(0, 0, 8, 1, 1, []dim{{2, 8, 8}}), tensorRequest(0, 0, 8, 1, 1, []dim{{0, 8, 8}})
	b.todo = append(b.todo, none, one, none, one)
	b.stall = 100
	for range 10 {
		b.step()
	}
	require.Empty(t, b.answers)
	b.stall = 90
	b.run(4)
	require.Equal(t, []answer{refusal(), {last: 1}, refusal(), {last: 1}}, b.answers)
}

// The list of the public test suite with four dimensions.
func TestPublicListOfFourDimensions(t *testing.T) {
	path := filepath.Join("..", "..", "..", "shared", "jobs", "nd4", "simple.txt")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the public job files are not there: %v", err)
	}
	list, err := job.ReadFile(path, 4)
	require.NoError(t, err)
	require.NotEmpty(t, list.Jobs)
	c, d := tensorOf(t, 4)
	b := newBench(t, model(t, d, 1), 1, 20)
	var want []linear
	for i, j := range list.Jobs {
		var dims []dim
		for _, x := range j.Dims {
			dims = append(dims, dim{x.Reps, x.SrcStride, x.DstStride})
		}
		require.Len(t, dims, 3)
		want = append(want, tensor(j.Src.Addr, j.Dst.Addr, j.Length, uint64(i), dims, c.Backend.AddrWidth)...)
		b.todo = append(b.todo, tensorRequest(j.Src.Addr, j.Dst.Addr, j.Length, uint64(i), 0, dims))
	}
	b.run(len(list.Jobs))
	require.Equal(t, want, b.pieces)
	require.Greater(t, len(want), len(list.Jobs))
}
