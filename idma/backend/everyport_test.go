package backend_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// publicPorts are the directories of the public job suite with other ports than AXI4
// alone, and the configuration that they are run with.
var publicPorts = []struct{ dir, read, write string }{
	{"r_axi_w_obi", "axi4", "obi"},
	{"rw_axi_rw_axis", "axi4, axi_stream", "axi4, axi_stream"},
}

func TestPublicJobsOfOtherPortsInLockstep(t *testing.T) {
	for _, p := range publicPorts {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "jobs", p.dir, "*.txt"))
		require.NoError(t, err)
		if len(files) == 0 {
			t.Skip("the public job files are not here")
		}
		c := edit(peerConfig, func(c *backend.Config) {
			require.NoError(t, c.ReadProtocols.UnmarshalText([]byte(p.read)))
			require.NoError(t, c.WriteProtocols.UnmarshalText([]byte(p.write)))
			c.CombinedShifter = false
		})
		d := elaborate(t, c)
		for _, f := range files {
			info, err := os.Stat(f)
			require.NoError(t, err)
			k := lockstep
			if info.Size() > 1<<17 && !*long {
				k = goModel
			}
			t.Run(p.dir+"/"+filepath.Base(f)+" "+string(k), func(t *testing.T) {
				list := readJobs(t, f)
				for _, cfg := range []tb.RunConfig{{ReadLatency: 3, WriteLatency: 3, Seed: 1}, {ReadLatency: 13, WriteLatency: 7, Memory: tb.PerPort, Stalls: mem.AllStalls(20), NullBytes: 20, Seed: 2}} {
					res := run(t, start(t, k, d, 1), list, cfg)
					require.Equal(t, res.FewestWriteBeats, res.WriteBeats)
				}
			})
		}
	}
}

// TestRandomTransfersBetweenEveryPairOfPorts runs random transfers between each pair of
// protocols and between several ports, on random engines and memories, with stalls and
// bus errors.
func TestRandomTransfersBetweenEveryPairOfPorts(t *testing.T) {
	type ports struct{ read, write string }
	var all []ports
	for _, r := range portSets {
		for _, w := range portSets {
			all = append(all, ports{r, w})
		}
	}
	for _, p := range severalPorts {
		all = append(all, ports{p[0], p[1]})
	}
	each(t, all, func(t *testing.T, p ports) {
		first, count := uint64(1), uint64(3)
		if *long {
			count = 100
		}
		if *portSeed > 0 {
			first, count = *portSeed, 1
		}
		for seed := first; seed < first+count; seed++ {
			randomPorts(t, goModel, p.read, p.write, seed)
		}
	})
}

// TestRandomTransfersBetweenAllPortsInLockstep is the same for an engine with two of
// each port, Go model and RTL.
func TestRandomTransfersBetweenAllPortsInLockstep(t *testing.T) {
	const all = "axi4, axi4, obi, obi, axi_lite, axi_lite, tilelink, tilelink, init, axi_stream, axi_stream"
	randomPorts(t, lockstep, all, all, 3)
}

// randomPorts stands for all of a run by its seed.
func randomPorts(t *testing.T, k kind, read, write string, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 11))
	c := portConfig(t, r, read, write)
	c.DataWidth = 16 << r.IntN(7)
	c.TLMaxSize = tlMaxSize(c.DataWidth, r.IntN(5))
	lanes := c.DataWidth / 8
	list := tb.Random(seed, tb.RandomConfig{Jobs: 60, Bytes: lanes, AddrWidth: c.AddrWidth, LengthWidth: c.LengthWidth, MaxLength: uint64(40 * lanes), Zero: 4})
	overPorts(r, list, c)
	cfg := randomRun(r, list, c)
	cfg.Memory, cfg.NullBytes = tb.Sharing(r.IntN(3)), r.IntN(2)*r.IntN(60)
	if cfg.Memory == tb.Shared {
		cfg.Launch = tb.WaitOnOverlap
	}
	replay := fmt.Sprintf("%s to %s: replay with -portseed %d\n%+v\n%+v", read, write, seed, c, cfg)
	var jobs []job.Job
	for _, j := range list.Jobs {
		if cfg.Memory != tb.Shared || !j.OverlapsUpward() {
			jobs = append(jobs, j)
		}
	}
	list.Jobs = jobs
	res, err := tb.Run(t.Context(), start(t, k, elaborate(t, c), seed), list, cfg)
	require.NoError(t, err, replay)
	require.NoError(t, res.Err(), replay)
	require.Equal(t, res.FewestWriteBeats, res.WriteBeats, replay)
}

// overPorts gives each transfer of a list random ports of the engine.
func overPorts(r *rand.Rand, list *job.List, c backend.Config) {
	pick := func(s *job.Side, set backend.PortSet) {
		var all []job.Side
		for p, n := range set {
			for h := range int(n) {
				all = append(all, job.Side{Protocol: job.Protocol(p), Head: h})
			}
		}
		one := all[r.IntN(len(all))]
		s.Protocol, s.Head, s.Mode = one.Protocol, one.Head, uint8(r.IntN(3))
	}
	for i := range list.Jobs {
		pick(&list.Jobs[i].Src, c.ReadProtocols)
		pick(&list.Jobs[i].Dst, c.WriteProtocols)
	}
}
