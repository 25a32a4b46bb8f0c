package idma_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/software"
	"github.com/millrace-hdl/millrace/verilator"
)

// target is what software has to know of an engine.
func target(c idma.Config) *software.Target {
	r, d, i := c.Frontends()
	return &software.Target{Registers: r, Descriptors: d, Instructions: i}
}

// randomList is transfers of as many dimensions as the front-end knows. Sources lie in the
// lower half of memory and destinations above, each behind the one before.
func randomList(rng *rand.Rand, c idma.Config, n int) *job.List {
	t := target(c)
	list := &job.List{Name: "random"}
	dst := uint64(1 << 19)
	for range n {
		j := job.New(1+rng.Uint64N(300), rng.Uint64N(1<<18), dst+rng.Uint64N(64))
		if rng.IntN(20) == 0 {
			j.Length = 0
		}
		j.DecoupleAW, j.DecoupleRW = rng.IntN(2) == 0, rng.IntN(2) == 0
		extent := j.Length
		for range rng.IntN(t.Loops() + 1) {
			d := job.Dim{Reps: rng.Uint64N(5), SrcStride: rng.Uint64N(1 << 10), DstStride: j.Length + rng.Uint64N(100)}
			extent = extent*max(d.Reps, 1) + 100*5
			j.Dims = append(j.Dims, d)
		}
		if len(j.Dims) > 1 { // every jump goes forward
			extent += 5 * 5 * 400
		}
		dst = j.Dst.Addr + extent + 64
		if s := c.Backend.ReadProtocols; c.Frontend <= idma.Reg32RT3D && s[backend.OBI] > 0 && rng.IntN(2) == 0 {
			j.Src.Protocol = job.OBI
		}
		if s := c.Backend.WriteProtocols; c.Frontend <= idma.Reg32RT3D && s[backend.OBI] > 0 && rng.IntN(2) == 0 {
			j.Dst.Protocol = job.OBI
		}
		list.Jobs = append(list.Jobs, j)
	}
	return list
}

func wholes() map[string]idma.Config {
	return map[string]idma.Config{
		"reg_32": idma.Default(idma.Reg32),
		"reg_32_2d over AXI4-Lite": edit(idma.Reg32x2D, func(c *idma.Config) {
			c.Registers.Bus, c.Registers.ErrorInfo, c.Registers.Interrupts = frontend.AXILite, true, true
		}),
		"reg_32_3d": edit(idma.Reg32x3D, func(c *idma.Config) { c.Tensor.Registered = true }),
		"reg_64_2d": edit(idma.Reg64x2D, func(c *idma.Config) { c.Backend.DataWidth = 128 }),
		"reg_32_2d and mp_split": edit(idma.Reg32x2D, func(c *idma.Config) {
			c.Midends, c.Region.Size = idma.MidendsOf(idma.TensorND, idma.MPSplit), 64
		}),
		"pulp_open": idma.PULPOpen(), "controlpulp": idma.ControlPULP(), "cheshire": idma.Cheshire(), "manticore": idma.Manticore(),
		"desc_64 over OBI": edit(idma.Desc64, func(c *idma.Config) {
			c.Descriptors.Fetch, c.Descriptors.FetchWidth, c.Descriptors.Bus, c.Descriptors.RegWidth = frontend.FetchOBI, 32, frontend.OBI, 32
		}),
		"desc_64 over AXI4-Lite": edit(idma.Desc64, func(c *idma.Config) { c.Descriptors.Fetch, c.Descriptors.Speculation = frontend.FetchAXILite, 0 }),
	}
}

func runWhole(t *testing.T, e sim.Engine, c idma.Config, seed uint64, n int) tb.Result {
	t.Helper()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 11))
	res, err := tb.Run(t.Context(), e, randomList(rng, c, n), tb.RunConfig{
		ReadLatency: 1 + rng.IntN(20), WriteLatency: 1 + rng.IntN(20), Stalls: mem.AllStalls(int(seed%3) * 20), Seed: seed, Software: target(c),
	})
	require.NoError(t, err)
	require.NoError(t, res.Err())
	require.Positive(t, res.WriteBeats)
	return res
}

func TestEnginesMoveWhatSoftwareAsksFor(t *testing.T) {
	for name, c := range wholes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := idma.Elaborate(c)
			require.NoError(t, err)
			for seed := uint64(1); seed <= 4; seed++ {
				e, err := sim.New(d, sim.Options{Seed: seed})
				require.NoError(t, err)
				runWhole(t, e, c, seed, 60)
				require.NoError(t, e.Close())
			}
		})
	}
}

func TestEnginesInLockstep(t *testing.T) {
	for name, c := range wholes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := idma.Elaborate(c)
			require.NoError(t, err)
			e, err := verilator.Couple(t.Context(), d, 7, verilator.Options{Quick: true}, verilator.LockstepOptions{Dir: t.TempDir()})
			require.NoError(t, err)
			defer func() { require.NoError(t, e.Close()) }()
			runWhole(t, e, c, 7, 40)
		})
	}
}

// A wrong stride, and a repetition too many, do not pass.
func TestTheBenchFindsWrongLoops(t *testing.T) {
	c := idma.Default(idma.Reg32x3D)
	d, err := idma.Elaborate(c)
	require.NoError(t, err)
	wrong := target(c)
	regs := *wrong.Registers
	regs.Layout = frontend.Reg32x2D // the second loop is out of reach, and has no place in conf
	wrong.Registers = &regs
	j := job.New(16, 0, 0x8000)
	j.Dims = []job.Dim{{Reps: 3, SrcStride: 32, DstStride: 32}}
	e, err := sim.New(d, sim.Options{})
	require.NoError(t, err)
	res, err := tb.Run(t.Context(), e, &job.List{Name: "wrong", Jobs: []job.Job{j}}, tb.RunConfig{Software: wrong})
	require.NoError(t, err)
	require.NoError(t, res.Err(), "one loop has the same place in both")
	j.Dims[0].Reps = 0
	e, err = sim.New(d, sim.Options{})
	require.NoError(t, err)
	res, err = tb.Run(t.Context(), e, &job.List{Name: "wrong", Jobs: []job.Job{j}}, tb.RunConfig{Software: wrong})
	require.NoError(t, err)
	require.Error(t, res.Err(), "no repetition of the only loop is none at all, but not of the lower of two")
}

func TestListsThatFrontEndsCannotSay(t *testing.T) {
	for _, tc := range []struct {
		name string
		c    idma.Config
		edit func(*job.Job)
		want string
	}{
		{"too many dimensions", idma.Default(idma.Reg32x2D), func(j *job.Job) { j.Dims = make([]job.Dim, 2) },
			"list: transfer 0: dims is 3; at most 2 dimensions with this front-end"},
		{"too many repetitions", edit(idma.Reg32x2D, func(c *idma.Config) { c.Registers.RepsWidth = 4 }), func(j *job.Job) { j.Dims = []job.Dim{{Reps: 16}} },
			"list: transfer 0: reps is 16; at most 15, in 4 bits"},
		{"endless", idma.Default(idma.Reg32x2D), func(j *job.Job) { j.Dims = []job.Dim{{Reps: 1 << 31}} },
			"list: transfer 0: dims is too many repetitions; a list comes to at most 1048576 linear transfers"},
		{"repetitions that depend on each other", idma.Default(idma.Reg32x2D), func(j *job.Job) { j.Dims = []job.Dim{{Reps: 3, SrcStride: 0x1000}} },
			"list: transfer 0: dims is a repetition that reads what another writes; repetitions that have nothing to do with each other, since the engine does not wait between them"},
		{"burst type", idma.Default(idma.Reg32), func(j *job.Job) { j.Src.Burst = 0 }, "list: transfer 0: src_burst is 0; 1, INCR, with this front-end"},
		{"limits of descriptors", idma.Cheshire(), func(j *job.Job) { j.Src.MaxBeats = 4 }, "list: transfer 0: src_max_beats is 4; 1 or 256 on both sides with descriptors"},
		{"limits of instructions", idma.Manticore(), func(j *job.Job) { j.Dst.MaxBeats = 4 }, "list: transfer 0: src_max_beats is 4; 256 on both sides with instructions"},
		{"window", idma.Manticore(), func(j *job.Job) { j.Src.Addr = 0x1000_0000 },
			"list: transfer 0: src_protocol is axi4; obi, over which the front-end reaches this address"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, err := idma.Elaborate(tc.c)
			require.NoError(t, err)
			e, err := sim.New(d, sim.Options{})
			require.NoError(t, err)
			j := job.New(16, 0, 0x1000)
			tc.edit(&j)
			_, err = tb.Run(t.Context(), e, &job.List{Name: "list", Jobs: []job.Job{j}}, tb.RunConfig{Software: target(tc.c)})
			require.EqualError(t, err, tc.want)
		})
	}
}

func TestConfigurationsThatAreNone(t *testing.T) {
	for _, tc := range []struct {
		c    idma.Config
		want string
	}{
		{edit(idma.Reg32, func(c *idma.Config) { c.Registers.Ports, c.Backend.DataWidth = 17, 48 }),
			"Registers.Ports is 17; allowed: 1 to 16\nDataWidth is 48; allowed: 16, 32, 64, 128, 256, 512 or 1024"},
		{edit(idma.Desc64, func(c *idma.Config) { c.Backend.ErrorHandling = true }),
			"ErrorHandling is true; allowed: false, since descriptors do not say what to do about errors"},
		{edit(idma.Inst64, func(c *idma.Config) { c.Instructions.Channels = 9 }), "Instructions.Channels is 9; allowed: 1 to 8"},
		{edit(idma.Reg32, func(c *idma.Config) { c.Midends = idma.MidendsOf(idma.TensorND) }), "in Midends: in tensor_nd: Dims is 1; allowed: 2 to 8"},
		{edit(idma.Reg32x2D, func(c *idma.Config) { c.Midends = idma.MidendsOf(idma.MPSplit) }),
			"mp_split cannot follow reg_32_2d: the link has requests of 2 dimensions, counted in 32 bits, for a back-end from axi4 to axi4 with addresses of 32 and lengths of 32 bits above and " +
				"requests of 1 dimensions, for a back-end from axi4 to axi4 with addresses of 32 and lengths of 32 bits below; they differ in Dims (2, 1), RepsWidths (32, ); give both stages the same"},
		{edit(idma.Reg32, func(c *idma.Config) { c.Midends, c.Outputs = idma.MidendsOf(idma.MPDist), 3 }), "in Midends: in mp_dist: Outputs is 3; allowed: 2, 4, 8, 16 or 32"},
		{edit(idma.Reg32RT3D, func(c *idma.Config) { c.RT.Owed = 0 }), "RT.Owed is 0; allowed: 1 to 255"},
		{edit(idma.Reg32, func(c *idma.Config) {
			c.Midends, c.Registers.Counters, c.Backend.CounterWidth = idma.MidendsOf(idma.MPDist), true, 32
		}), "Registers.Counters is true; allowed: false with several back-ends for a stream"},
		{idma.Config{Frontend: 99}, "Frontend is Frontend(99); allowed: reg_32, reg_32_2d, reg_32_3d, reg_64, reg_64_2d, reg_32_rt_3d, desc_64, inst_64"},
	} {
		require.EqualError(t, tc.c.Validate(), tc.want, fmt.Sprint(tc.c.Frontend))
	}
}
