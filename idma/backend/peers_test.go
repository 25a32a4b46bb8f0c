package backend_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// latencies are those of the published comparison, in cycles, for reads and writes.
var latencies = [4]int{1, 3, 13, 100}

// peers are the cycles that the fastest public engine needs for each public job
// file at each of the latencies: 32-bit bus, 3 outstanding, buffer depth 3.
var peers = []struct {
	file   string
	cycles [4]int
}{
	{"simple", [4]int{312, 316, 472, 2647}},
	{"tiny", [4]int{75027, 98383, 261697, 1713508}},
	{"small", [4]int{44356, 49746, 111500, 695557}},
	{"medium", [4]int{110215, 110224, 112442, 319501}},
	{"large", [4]int{272183, 272187, 272214, 274867}},
	{"same_dst", [4]int{19619, 21464, 41636, 243525}},
	{"linear", [4]int{4099, 4103, 4123, 4297}},
}

// peerConfig is the configuration of the published comparison.
func peerConfig(c *backend.Config) {
	c.DataWidth, c.IDWidth, c.Outstanding, c.BufferDepth = 32, 12, 3, 3
}

// cyclesOf runs the list at each latency on a fresh engine.
func cyclesOf(t *testing.T, k kind, d *ir.Design, list *job.List, latencies []int) []int {
	t.Helper()
	var cycles []int
	for _, l := range latencies {
		cycles = append(cycles, int(run(t, start(t, k, d, 1), list, latency(l)).Cycles))
	}
	return cycles
}

// cycleTable is the golden form of the cycles of some files.
func cycleTable(names []string, cycles [][]int) string {
	var b strings.Builder
	b.WriteString("# Cycles on a 32-bit bus with 3 outstanding, buffer depth 3, read and write latency L.\n")
	fmt.Fprintf(&b, "%-16s", "file")
	for _, l := range latencies {
		fmt.Fprintf(&b, "%9s", fmt.Sprintf("L=%d", l))
	}
	for i, n := range names {
		fmt.Fprintf(&b, "\n%-16s", n)
		for _, c := range cycles[i] {
			fmt.Fprintf(&b, "%9d", c)
		}
	}
	return b.String() + "\n"
}

func TestPublicJobsTakeNoMoreCyclesThanPeers(t *testing.T) {
	publicJobs(t, "simple")
	d := elaborate(t, edit(peerConfig))
	for _, k := range []kind{goModel, rtl} {
		t.Run(string(k), func(t *testing.T) {
			names, cycles := make([]string, len(peers)), make([][]int, len(peers))
			t.Run("all", func(t *testing.T) {
				for i, p := range peers {
					t.Run(p.file, func(t *testing.T) {
						t.Parallel()
						names[i], cycles[i] = p.file, cyclesOf(t, k, d, publicJobs(t, p.file), latencies[:])
						for n, l := range latencies {
							require.LessOrEqual(t, cycles[i][n], p.cycles[n], "latency %d", l)
						}
					})
				}
			})
			if !t.Failed() {
				golden(t, "public_jobs.golden", cycleTable(names, cycles))
			}
		})
	}
}

func TestOwnJobsTakeTheCyclesTheyTook(t *testing.T) {
	d := elaborate(t, edit(peerConfig))
	var names []string
	var cycles [][]int
	for _, l := range ownJobs(t) {
		names, cycles = append(names, l.Name), append(cycles, cyclesOf(t, goModel, d, l, latencies[:]))
	}
	golden(t, "own_jobs.golden", cycleTable(names, cycles))
}

func TestPublicJobsInLockstep(t *testing.T) {
	publicJobs(t, "simple")
	d := elaborate(t, edit(peerConfig))
	for _, p := range peers {
		t.Run(p.file, func(t *testing.T) {
			cyclesOf(t, lockstep, d, publicJobs(t, p.file), latencies[:])
		})
	}
}

// manner is a way to run job files other than the plain one.
type manner struct {
	name string
	cfg  tb.RunConfig
	edit func(*job.Job) // of each transfer, may be nil
}

func manners() []manner {
	stalls := latency(5)
	stalls.Stalls, stalls.RspStall, stalls.ReqGap, stalls.Seed = mem.Stalls{AR: 30, R: 20, AW: 40, W: 20, B: 30}, 20, 20, 7
	decoupled := func(j *job.Job) { j.DecoupleAW, j.DecoupleRW = false, true }
	return []manner{
		{"plain", latency(3), nil},
		{"stalls", stalls, nil},
		{"reads decoupled", latency(13), decoupled},
		{"reads decoupled, stalls", stalls, decoupled},
	}
}

// with is the list with the manner's edit made.
func (m manner) with(l *job.List) *job.List {
	if m.edit == nil {
		return l
	}
	c := &job.List{Name: l.Name, Jobs: append([]job.Job(nil), l.Jobs...)}
	for i := range c.Jobs {
		m.edit(&c.Jobs[i])
	}
	return c
}

// everyManner runs the lists at three widths in every manner.
func everyManner(t *testing.T, k kind, lists []*job.List) {
	type variant struct {
		width int
		manner
	}
	var variants []variant
	for _, w := range []int{32, 64, 512} {
		for _, m := range manners() {
			variants = append(variants, variant{w, m})
		}
	}
	t.Run("all", func(t *testing.T) {
		for _, v := range variants {
			t.Run(fmt.Sprintf("%d bit, %s", v.width, v.name), func(t *testing.T) {
				t.Parallel()
				d := elaborate(t, edit(peerConfig, func(c *backend.Config) { c.DataWidth = v.width }))
				eng := start(t, k, d, 1)
				for _, l := range lists {
					res := run(t, eng, v.with(l), v.cfg)
					require.Equal(t, res.FewestWriteBeats, res.WriteBeats, l.Name)
				}
			})
		}
	})
}

func TestPublicJobsAtOtherWidthsWithStallsAndDecoupled(t *testing.T) {
	var lists []*job.List
	for _, f := range []string{"simple", "zero_transfer", "linear", "same_dst", "large", "medium", "small", "tiny"} {
		lists = append(lists, publicJobs(t, f))
	}
	everyManner(t, goModel, lists)
	everyManner(t, lockstep, lists[:4])
}

func TestOwnJobsAtOtherWidthsWithStallsAndDecoupled(t *testing.T) {
	everyManner(t, goModel, ownJobs(t))
	everyManner(t, lockstep, ownJobs(t))
}
