package backend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
)

// Utilisation may lie this far below its bound: the first and the last burst of
// a stream are not like the others.
const tolerance = 0.005

// point is one of the sweep: one engine before one read latency.
type point struct {
	width, outstanding, latency int
}

func (p point) String() string {
	return fmt.Sprintf("%d bit, N=%d, L=%d", p.width, p.outstanding, p.latency)
}

// stream is what moves: transfers of one size, back to back.
type stream struct {
	size                  uint64
	misaligned, decoupled bool
}

// TestUtilisationReachesItsBound compares utilisation, the fewest possible write
// beats over the cycles from the first to the last of them, with
//
//	aligned:     min(1, N·n / (L+1+n))
//	misaligned:  fewest write beats / cycles from the first to the last R beat
//
// A read burst of n beats has one of N places from the acceptance of its request to
// its last beat, which takes L+n cycles, and one cycle more. Misaligned streams
// have bursts of different lengths, as a transfer touches one bus word more than it
// fills and pages cut elsewhere; there the second form plays this rule burst by burst,
// each with the beats it really has and asked for as early as a place is free and
// the R channel follows ([tb.Bound]). Neither knows the write latency.
//
// In the ordinary run streams are cut to some thousand cycles; -long has all sizes
// in full length.
func TestUtilisationReachesItsBound(t *testing.T) {
	var points []point
	for _, w := range []int{32, 64, 512} {
		for _, n := range []int{1, 2, 8, 32} {
			for _, l := range []int{3, 13, 100, 200} {
				points = append(points, point{w, n, l})
			}
		}
	}
	sizes := []uint64{8, 64, 1 << 10}
	if *long {
		sizes = []uint64{8, 16, 32, 64, 128, 256, 512, 1 << 10, 4 << 10, 64 << 10}
	}
	each(t, points, func(t *testing.T, p point) {
		d := elaborate(t, edit(func(c *backend.Config) { c.DataWidth, c.Outstanding = p.width, p.outstanding }))
		least := 1.0
		for _, size := range sizes {
			for _, misaligned := range []bool{false, true} {
				for _, decoupled := range []bool{false, true} {
					least = min(least, p.measure(t, d, stream{size, misaligned, decoupled}))
				}
			}
		}
		t.Logf("utilisation is at least %+.4f over its bound", least)
	})
}

// measure runs a stream and returns by how much utilisation exceeds its bound.
func (p point) measure(t *testing.T, d *ir.Design, s stream) float64 {
	lanes := p.width / 8
	list, err := tb.Stream(tb.StreamConfig{
		Size: s.size, Bytes: lanes, AddrWidth: 32, Misaligned: s.misaligned, DecoupleAW: s.decoupled, DecoupleRW: s.decoupled,
	})
	require.NoError(t, err)
	if !*long {
		p.cut(list, lanes)
	}
	bound := tb.Bound(list, lanes, p.outstanding, p.latency)
	if !s.misaligned { // all bursts are alike
		bound = tb.AlignedBound(p.outstanding, tb.ReadBursts(&list.Jobs[0], lanes)[0], p.latency)
	}
	var reached [2]float64
	for i, bl := range []int{p.latency, 1} {
		cfg := latency(p.latency)
		cfg.WriteLatency = bl
		res := run(t, start(t, goModel, d, 1), list, cfg)
		if reached[i] = res.Utilisation; res.Utilisation < bound-tolerance {
			t.Errorf("%v, BL=%d, %+v: utilisation %.4f, bound %.4f", p, bl, s, res.Utilisation, bound)
		}
		if res.WriteBeats != res.FewestWriteBeats {
			t.Errorf("%v, BL=%d, %+v: %d write beats, %d would do", p, bl, s, res.WriteBeats, res.FewestWriteBeats)
		}
	}
	if diff := reached[0] - reached[1]; diff > tolerance || diff < -tolerance {
		t.Errorf("%v, %+v: utilisation %.4f behind a write latency of %d, %.4f behind 1", p, s, reached[0], p.latency, reached[1])
	}
	return min(reached[0], reached[1]) - bound
}

// cut leaves transfers for some thousand cycles, and for all places twice.
func (p point) cut(list *job.List, lanes int) {
	const cycles = 6000
	beats := int(list.Jobs[0].Length)/lanes + 1
	each := max(beats, (p.latency+1+beats)/p.outstanding, 1)
	list.Jobs = list.Jobs[:min(len(list.Jobs), max(2*p.outstanding+8, cycles/each))]
}
