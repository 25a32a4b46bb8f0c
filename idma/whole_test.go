package idma_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/idma/midend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/software"
	"github.com/millrace-hdl/millrace/verilator"
)

// target is what software has to know of an engine.
func target(c idma.Config) *software.Target {
	t := software.Of(c)
	return &t
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
		"mempool":                idma.MemPool(),
		"three ports, two streams, errors": edit(idma.Reg32x3D, func(c *idma.Config) {
			c.Registers.Ports, c.Registers.Streams, c.Registers.Bus, c.Registers.ErrorInfo = 3, 2, frontend.AXILite, true
			c.Backend.ErrorHandling, c.Tensor.Registered = true, true
			ports(c, "axi4, axi4, axi_lite, init", "axi4, obi, obi")
		}),
		"two streams over two back-ends each, errors": edit(idma.Reg32x2D, func(c *idma.Config) {
			c.Registers.Streams, c.Midends, c.Region.Size = 2, idma.MidendsOf(idma.TensorND, idma.MPSplit, idma.MPDist), 64
			c.Registers.ErrorInfo, c.Backend.ErrorHandling = true, true
			ports(c, "axi4, obi", "axi4, obi")
		}),
		"eight back-ends by the source": edit(idma.Reg64, func(c *idma.Config) {
			c.Midends, c.Outputs, c.Region = idma.MidendsOf(idma.MPDist), 8, midend.Region{Size: 32, End: 1 << 17}
			c.Registers.ErrorInfo, c.Backend.ErrorHandling = true, true
		}),
		"every protocol": edit(idma.Reg64x2D, func(c *idma.Config) {
			c.Registers.Streams = 2
			ports(c, "axi4, obi, axi_lite, tilelink, init, axi_stream", "axi4, obi, axi_lite, tilelink, init, axi_stream")
		}),
		"chains over two back-ends": edit(idma.Desc64, func(c *idma.Config) { c.Midends = idma.MidendsOf(idma.MPDist) }),
		"three channels": edit(idma.Inst64, func(c *idma.Config) {
			c.Instructions.Channels = 3
			ports(c, "axi4, obi, init", "axi4, obi")
		}),
		"two channels over four back-ends each": edit(idma.Inst64, func(c *idma.Config) {
			c.Instructions.Channels, c.Midends, c.Outputs, c.Region.Size = 2, idma.MidendsOf(idma.TensorND, idma.MPDist), 4, 128
		}),
		"pulp_open, errors": handling(idma.PULPOpen()), "controlpulp, errors": handling(idma.ControlPULP()), "mempool, errors": handling(idma.MemPool()),
	}
}

// ports gives an engine ports.
func ports(c *idma.Config, read, write string) {
	if err := errors.Join(c.Backend.ReadProtocols.UnmarshalText([]byte(read)), c.Backend.WriteProtocols.UnmarshalText([]byte(write))); err != nil {
		panic(err)
	}
}

// handling is an engine with error handling.
func handling(c idma.Config) idma.Config {
	c.Registers.ErrorInfo, c.Backend.ErrorHandling = true, true
	return c
}

func runWhole(t *testing.T, e sim.Engine, c idma.Config, seed uint64, n int) tb.Result {
	t.Helper()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 11))
	list := randomList(rng, c, e.Layout(), n)
	res, err := tb.Run(t.Context(), e, list, tb.RunConfig{
		ReadLatency: 1 + rng.IntN(20), WriteLatency: 1 + rng.IntN(20), Stalls: mem.AllStalls(int(seed%3) * 20), ActionStall: int(seed%2) * 90, Seed: seed, Software: target(c),
	})
	require.NoError(t, err)
	require.NoError(t, res.Err())
	require.Positive(t, res.WriteBeats)
	require.Equal(t, c.Backend.ErrorHandling, res.ErrorResponses > 0)
	all := c.Streams() * c.Backends()
	require.Len(t, res.Backends, map[bool]int{true: all}[all > 1])
	total := uint64(0)
	for _, b := range res.Backends {
		require.Positive(t, b.WriteBeats, "back-end %d has nothing to do", b.Backend)
		require.Equal(t, b.Backend/c.Backends(), b.Stream)
		total += b.WriteBeats
	}
	if all > 1 {
		require.Equal(t, res.WriteBeats, total)
	}
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

// What goes to another back-end than it should, or is cut elsewhere, does not pass.
func TestTheBenchFindsWrongParts(t *testing.T) {
	engine := edit(idma.Reg32, func(c *idma.Config) { c.Midends, c.Region.Size = idma.MidendsOf(idma.MPDist), 64 })
	for _, tc := range []struct {
		name  string
		wrong func(*idma.Config)
		find  string
	}{
		{"right", func(*idma.Config) {}, ""},
		{"larger parts", func(c *idma.Config) { c.Region.Size = 128 }, "where transfer"},
		{"smaller parts", func(c *idma.Config) { c.Region.Size = 32 }, "goes beyond transfer"},
		{"counted at the source", func(c *idma.Config) { c.Region.End = 1 << 16 }, "where transfer"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, err := idma.Elaborate(engine)
			require.NoError(t, err)
			e, err := sim.New(d, sim.Options{})
			require.NoError(t, err)
			c := engine
			tc.wrong(&c)
			list := &job.List{Name: "list", Jobs: []job.Job{job.New(500, 0x1003, 0x8000), job.New(100, 0x3000, 0x9040)}}
			res, err := tb.Run(t.Context(), e, list, tb.RunConfig{Software: target(c), Keep: 100})
			require.NoError(t, err)
			if tc.find == "" {
				require.NoError(t, res.Err())
				require.Len(t, res.Backends, 2)
				return
			}
			require.Error(t, res.Err())
			require.Contains(t, strings.Join(res.Findings, "\n"), tc.find)
		})
	}
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
		{"stream", idma.PULPOpen(), func(j *job.Job) { j.Stream = 1 }, "list: transfer 0: stream is 1; 0…0; that is how many streams the engine has"},
		{"what another back-end reads", idma.MemPool(), func(j *job.Job) { j.Length, j.Src.Addr, j.Dst.Addr = 8192, 0x10_2000, 0x10_1000 },
			"list: transfer 0: dst is 0x101000; bytes that no back-end writes and another reads or writes, since they do not wait for each other"},
		{"an error that two parts meet", handling(idma.MemPool()), func(j *job.Job) {
			j.Length, j.Src.Addr, j.Dst.Addr, j.Errors = 8192, 0x20_0001, 0x40_0000, []job.BusError{{Addr: 0x20_1000}}
		}, "list: transfer 0: errors is 0x201000; a bus word that only one of the linear transfers that this one is made of accesses"},
		{"errors over a stream", edit(idma.Reg32, func(c *idma.Config) {
			*c = handling(*c)
			ports(c, "axi4", "axi_stream")
		}), func(j *job.Job) { j.Dst.Protocol, j.Errors = job.AXI4Stream, []job.BusError{{}} },
			"list: transfer 0: errors is 1 injected errors; none from or to a stream, of which the bench does not know how much was taken or sent before an error"},
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
		{edit(idma.Desc64, func(c *idma.Config) { c.Descriptors.Heads, c.Backend.LengthWidth = 65, 31 }),
			"Descriptors.Heads is 65; allowed: 1 to 64\nLengthWidth is 31; allowed: 32 or more, which descriptors have"},
		{edit(idma.Inst64, func(c *idma.Config) { c.Instructions.Channels = 9 }), "Instructions.Channels is 9; allowed: 1 to 8"},
		{edit(idma.Reg32, func(c *idma.Config) { c.Midends = idma.MidendsOf(idma.TensorND) }), "in Midends: in tensor_nd: Dims is 1; allowed: 2 to 8"},
		{edit(idma.Reg32x2D, func(c *idma.Config) { c.Midends = idma.MidendsOf(idma.MPSplit) }),
			"mp_split cannot follow reg_32_2d: the link has requests of 2 dimensions, counted in 32 bits, for a back-end from axi4 to axi4 with addresses of 32 and lengths of 32 bits above and " +
				"requests of 1 dimension, for a back-end from axi4 to axi4 with addresses of 32 and lengths of 32 bits below; they differ in Dims (2, 1), RepsWidths (32, ); give both stages the same"},
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
