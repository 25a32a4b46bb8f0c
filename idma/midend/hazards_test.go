package midend_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/midend"
	"github.com/millrace-hdl/millrace/tb/job"
)

// A piece that fails fails the request, whichever it is: each of two to six dimensions in
// turn. The request has one response, with the cause that the piece had, and the next
// request has nothing of it.
func TestHazard25ErrorsOfEveryPieceAreTold(t *testing.T) {
	for n := 2; n <= 6; n++ {
		_, d := tensorOf(t, n)
		dims := []dim{{4, 16, 32}}
		for range n - 2 {
			dims = append(dims, dim{2, 64, 128})
		}
		pieces := len(tensor(0x100, 0x800, 8, 3, dims, 32))
		require.Equal(t, 4<<(n-2), pieces)
		for bad := range pieces {
			want := answer{last: 1, err: 1, cause: uint64(1 + bad%3), kind: uint64(bad % 3)}
			b := newBench(t, model(t, d, uint64(bad)), uint64(bad), 20)
			b.fails[0][bad] = want
			for range 2 {
				b.todo = append(b.todo, tensorRequest(0x100, 0x800, 8, 3, 1, dims))
			}
			b.run(2)
			require.Equal(t, []answer{want, {last: 1}}, b.answers, "piece %d of %d", bad, pieces)
		}
	}
}

// Of several pieces that fail, the first is told.
func TestFirstErrorIsTold(t *testing.T) {
	_, d := tensorOf(t, 2)
	b := newBench(t, model(t, d, 1), 1, 0)
	b.fails[0] = map[int]answer{1: {cause: 1, kind: 1}, 2: {cause: 2, kind: 2}, 3: {cause: 3}}
	b.todo = append(b.todo, tensorRequest(0, 0, 4, 0, 1, []dim{{4, 8, 8}}))
	b.run(1)
	require.Equal(t, []answer{{last: 1, err: 1, cause: 1, kind: 1}}, b.answers)
}

// With error handling a piece that asks what to do is heard at once, while those behind it
// wait, though it is not the last one; the answer goes down as it is, and the request still
// ends once.
func TestHazard25QuestionsOfEveryPieceAreHeard(t *testing.T) {
	for n := 2; n <= 6; n++ {
		_, d := tensorOf(t, n, func(c *midend.TensorConfig) { c.Backend.ErrorHandling = true })
		dims := []dim{{4, 16, 32}}
		for range n - 2 {
			dims = append(dims, dim{2, 64, 128})
		}
		pieces := 4 << (n - 2)
		for bad := range pieces {
			p := pins{t, model(t, d, uint64(bad))}
			require.NoError(t, p.Reset(2))
			for name, v := range tensorRequest(0x100, 0x800, 8, 3, 1, dims) {
				p.set("up_req_"+name, v)
			}
			p.set("up_req_valid", 1)
			p.set("up_rsp_ready", 1)
			p.set("down_req_ready", 1)
			var marks []uint64
			asked, acted, ended, answered := 0, 0, 0, 0
			for cycle := range 4*pieces + 20 {
				asks := answered == bad && acted == 0
				offer := answered < len(marks) && !(asks && asked > 0) // a question is put once
				p.set("down_rsp_valid", bit(offer))
				p.set("down_rsp_asks", bit(offer && asks))
				p.set("down_rsp_error", bit(offer && asks))
				p.set("down_rsp_cause", 2*bit(offer && asks))
				p.set("down_rsp_burst_addr", 0x123*bit(offer && asks))
				p.set("down_rsp_last", 0)
				if offer {
					p.set("down_rsp_last", marks[answered])
				}
				waits := asked > 0 && acted == 0 // for the action
				p.set("up_action_valid", bit(waits))
				p.set("up_action_kind", uint64(bad%3))
				p.set("down_action_ready", bit(waits && cycle%2 == 0))
				require.NoError(t, p.Step())
				if p.on("up_req_valid") && p.on("up_req_ready") {
					p.set("up_req_valid", 0)
				}
				if p.on("down_req_valid") {
					marks = append(marks, p.get("down_req_last"))
				}
				require.Equal(t, waits, p.on("down_action_valid"))
				if waits {
					require.Equal(t, uint64(bad%3), p.get("down_action_kind"))
					require.Equal(t, p.get("down_action_ready"), p.get("up_action_ready"))
					acted += int(p.get("up_action_ready"))
				}
				if offer {
					require.True(t, p.on("down_rsp_ready"))
					require.Equal(t, asks, p.on("up_rsp_valid") && p.on("up_rsp_asks"), "piece %d of %d", answered, pieces)
					if asks {
						asked++
						require.Equal(t, []uint64{1, 2, 0x123, 0}, []uint64{p.get("up_rsp_error"), p.get("up_rsp_cause"), p.get("up_rsp_burst_addr"), p.get("up_rsp_last")})
					} else {
						answered++
					}
				}
				if p.on("up_rsp_valid") && !p.on("up_rsp_asks") {
					ended++
					require.Equal(t, []uint64{1, 0, uint64(pieces)}, []uint64{p.get("up_rsp_last"), p.get("up_rsp_error"), uint64(answered)})
				}
			}
			require.Equal(t, []int{1, 1, 1, pieces}, []int{asked, acted, ended, answered}, "piece %d of %d", bad, pieces)
		}
	}
}

// A transfer of no bytes ends once, however often it is to be repeated, so the number of
// the last one that ended advances by one.
func TestHazard26NoBytesEndOnce(t *testing.T) {
	for n := 2; n <= 6; n++ {
		for reps := range uint64(5) {
			_, d := tensorOf(t, n)
			var dims []dim
			for range n - 1 {
				dims = append(dims, dim{reps, 8, 8})
			}
			dims[n-2].reps = 4
			b := newBench(t, model(t, d, 1), 1, 30)
			none, some := tensorRequest(0x10, 0x20, 0, 5, 1, dims), tensorRequest(0x10, 0x20, 4, 6, 1, []dim{{2, 4, 4}})
			b.todo = append(b.todo, none, some)
			refused := answer{last: 1, err: 1, cause: 3, kind: 2} // by the back-end
			b.fails[0][0] = refused
			for name := range none {
				if _, ok := some[name]; !ok {
					some[name] = 0
				}
			}
			b.run(2)
			require.Equal(t, append([]linear{{0x10, 0x20, 0, 5, 1}}, tensor(0x10, 0x20, 4, 6, []dim{{2, 4, 4}}, 32)...), b.got[0])
			require.Equal(t, []answer{refused, {last: 1}}, b.answers)
		}
	}
}

// A request of which nothing is to be repeated is refused; the response waits, unchanged,
// for whoever is to take it, and is neither lost nor doubled.
func TestHazard27RefusalsWaitToBeTaken(t *testing.T) {
	for n := 2; n <= 6; n++ {
		for wait := range 6 {
			t.Run(fmt.Sprintf("%dd, %d cycles", n, wait), func(t *testing.T) {
				_, d := tensorOf(t, n)
				p := pins{t, model(t, d, 1)}
				require.NoError(t, p.Reset(2))
				for name, v := range tensorRequest(0, 0, 4, 0, 1, make([]dim, n-1)) {
					p.set("up_req_"+name, v)
				}
				p.set("up_req_valid", 1)
				p.set("down_req_ready", 1)
				held, taken := 0, 0
				for range wait + 20 {
					p.set("up_rsp_ready", bit(held >= wait))
					require.NoError(t, p.Step())
					require.False(t, p.on("down_req_valid"))
					if p.on("up_req_valid") && p.on("up_req_ready") {
						p.set("up_req_valid", 0)
					}
					if !p.on("up_rsp_valid") {
						require.True(t, held == 0 || taken == 1, "it is withdrawn")
						continue
					}
					held++
					taken += int(p.get("up_rsp_ready"))
					require.Equal(t, refusal(), answer{p.get("up_rsp_last"), p.get("up_rsp_error"), p.get("up_rsp_cause"), p.get("up_rsp_err_type")})
				}
				require.Equal(t, []int{wait + 1, 1}, []int{held, taken})
				require.False(t, p.on("busy"))
			})
		}
	}
}

// Requests without repetitions are answered in their turn, between those with pieces.
func TestRefusalsAreAnsweredInTheirTurn(t *testing.T) {
	_, d := tensorOf(t, 2)
	for _, stall := range []int{0, 50, 90} {
		b := newBench(t, model(t, d, 1), 1, stall)
		one, none := tensorRequest(0, 0, 8, 1, 1, []dim{{2, 8, 8}}), tensorRequest(0, 0, 8, 1, 1, []dim{{0, 8, 8}})
		b.todo = append(b.todo, none, one, none, none, one)
		b.run(5)
		require.Equal(t, []answer{refusal(), {last: 1}, refusal(), refusal(), {last: 1}}, b.answers)
	}
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
	b := newBench(t, both(t, d, 1), 1, 20)
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
	require.Equal(t, want, b.got[0])
	require.Greater(t, len(want), len(list.Jobs))
}
