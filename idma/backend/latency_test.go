package backend_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
)

// TestLatencyOfASingleTransfer runs transfers alone. The first read is offered one
// cycle after the request is accepted, without legalizers in the same cycle; a bus
// word is offered one cycle after the R beat that completes it; the response comes
// with the last write response. So a transfer takes L + BL + beats + 1 cycles from
// request to response, and where the shift delays the last bus word that much more.
func TestLatencyOfASingleTransfer(t *testing.T) {
	type engine struct {
		width     int
		combined  bool
		legalizer bool
	}
	var engines []engine
	for _, w := range []int{16, 32, 64, 512, 1024} {
		for _, combined := range []bool{true, false} {
			for _, legalizer := range []bool{true, false} {
				engines = append(engines, engine{w, combined, legalizer})
			}
		}
	}
	each(t, engines, func(t *testing.T, e engine) {
		c := edit(func(c *backend.Config) {
			c.DataWidth, c.CombinedShifter, c.Legalizer = e.width, e.combined, e.legalizer
		})
		eng := start(t, goModel, elaborate(t, c), 1)
		lanes := e.width / 8
		toRead := 1
		if !e.legalizer {
			toRead = 0
		}
		for _, j := range singles(lanes) {
			if !e.legalizer {
				oneBurst(&j, c)
			}
			for _, l := range [][2]int{{1, 1}, {3, 3}, {13, 13}, {100, 1}, {1, 100}} {
				for _, decoupled := range []bool{false, true} {
					j.DecoupleAW, j.DecoupleRW = decoupled, decoupled
					res := run(t, eng, jobs(j), tb.RunConfig{ReadLatency: l[0], WriteLatency: l[1]})
					what := fmt.Sprintf("%d bytes from %#x to %#x, L=%d, BL=%d, decoupled %t", j.Length, j.Src.Addr, j.Dst.Addr, l[0], l[1], decoupled)
					require.Equal(t, toRead, res.RequestToRead, "request to ARVALID: "+what)
					first, last := wordsComplete(&j, lanes, e.combined)
					require.Equal(t, first+1, res.ReadToWrite, "first R beat to WVALID: "+what)
					require.Equal(t, l[0]+l[1]+last+1+toRead, int(res.Cycles), what)
					beats := int(max(res.ReadBeats, res.WriteBeats))
					shift := 1
					if j.Src.Addr%uint64(lanes) == j.Dst.Addr%uint64(lanes) && (e.combined || j.Src.Addr%uint64(lanes) == 0) {
						shift = 0
					}
					require.LessOrEqual(t, int(res.Cycles), l[0]+l[1]+beats+toRead+shift, what)
				}
			}
		}
	})
}

// singles are transfers of all alignments that matter, one to ten bus words long,
// and some that are cut at pages.
func singles(lanes int) []job.Job {
	r := rand.New(rand.NewPCG(uint64(lanes), 3))
	n := uint64(lanes)
	var all []job.Job
	for _, length := range []uint64{1, 2, n - 1, n, n + 1, 2*n - 1, 2 * n, 3*n + 1, 10 * n} {
		if length == 0 {
			continue
		}
		for _, off := range [][2]uint64{{0, 0}, {1, 1}, {n - 1, 0}, {0, n - 1}, {n - 1, n - 1}, {r.Uint64N(n), r.Uint64N(n)}} {
			all = append(all, job.New(length, 0x1000+off[0], 0x8_0000+off[1]))
		}
	}
	return append(all, job.New(6*n, 0x1ff0+3, 0x8_0000+1), job.New(2*4096, 0x1003, 0x8_0ffd))
}

// wordsComplete is when the first and the last bus word of a transfer can go at the
// earliest, in cycles after the first R beat and but for the register between. R
// beats and bus words come one a cycle. A bus word needs the R beat with its last
// byte; with two rotations, that with the last byte of the row that this lies in.
func wordsComplete(j *job.Job, lanes int, combined bool) (first, last int) {
	n := uint64(lanes)
	last = -1
	for word, end := uint64(0), uint64(0); end < j.Length; word++ {
		end = min(j.Length, (word+1)*n-j.Dst.Addr%n)
		needs := end
		if !combined {
			needs = min(j.Length, (end+n-1)/n*n)
		}
		beat := int((j.Src.Addr%n + needs - 1) / n)
		if last = max(last+1, beat); word == 0 {
			first = last
		}
	}
	return first, last
}

// Without anything under way a refusal takes no longer than a transfer that is
// accepted and written at once.
func TestLatencyOfARefusal(t *testing.T) {
	eachVariant(t, func(t *testing.T, c backend.Config) {
		res := run(t, start(t, goModel, elaborate(t, c), 1), jobs(job.New(0, 0x1000, 0x2000)), tb.RunConfig{})
		require.LessOrEqual(t, res.Cycles, uint64(4))
	})
}
