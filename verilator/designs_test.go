package verilator_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/verilator"
)

// sharedCache holds the builds of the package's tests that are not about the
// cache, so that each design is built once in a run. MILLRACE_CACHE moves it to
// where it outlasts the run.
var sharedCache *verilator.Cache

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir := os.Getenv("MILLRACE_CACHE")
		if dir == "" {
			var err error
			if dir, err = os.MkdirTemp("", "millrace-verilator-"); err != nil {
				panic(err)
			}
			defer os.RemoveAll(dir)
		}
		var err error
		if sharedCache, err = verilator.OpenCache(dir); err != nil {
			panic(err)
		}
		return m.Run()
	}())
}

// build builds a design with the package's shared cache.
func build(t testing.TB, d *ir.Design, o verilator.Options) *verilator.Library {
	t.Helper()
	if o.Cache == nil {
		o.Cache = sharedCache
	}
	lib, err := verilator.Build(context.Background(), d, o)
	require.NoError(t, err)
	return lib
}

func start(t testing.TB, lib *verilator.Library, seed uint64) *verilator.Engine {
	t.Helper()
	e, err := lib.New(seed)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

func elaborate[P, IO any](t testing.TB, b hdl.Build[P, IO], p P) *ir.Design {
	t.Helper()
	d, err := hdl.Elaborate(b, p)
	require.NoError(t, err)
	return d
}

// randomise gives every input random bits.
func randomise(r *rand.Rand, e sim.Engine) {
	for _, p := range e.Layout().Inputs {
		words := e.In()[p.Offset : p.Offset+p.Words()]
		for i := range words {
			words[i] = r.Uint64()
		}
		if top := p.Type.Width % 64; top != 0 {
			words[len(words)-1] &= 1<<top - 1
		}
	}
}

func port(t testing.TB, e sim.Engine, name string) sim.Port {
	t.Helper()
	p, err := e.Layout().Port(name)
	require.NoError(t, err)
	return p
}

func set(t testing.TB, e sim.Engine, name string, v uint64) {
	t.Helper()
	e.In()[port(t, e, name).Offset] = v
}

func get(t testing.TB, e sim.Engine, name string) uint64 {
	t.Helper()
	return e.Out()[port(t, e, name).Offset]
}

// replaceIn returns a patch that changes text in one emitted file, and fails
// the test if the text is not there.
func replaceIn(t testing.TB, file string, edit func(string) string) func([]gen.File) []gen.File {
	return func(files []gen.File) []gen.File {
		for i, f := range files {
			if f.Name == file {
				text := edit(string(f.Data))
				require.NotEqual(t, string(f.Data), text, "the patch changes nothing in %s:\n%s", file, f.Data)
				files[i].Data = []byte(text)
				return files
			}
		}
		require.Fail(t, "no file "+filepath.Base(file))
		return nil
	}
}

type width struct{ Width int }

type counterIO struct {
	En    hdl.Var `hdl:"in"`
	Count hdl.Var `hdl:"out"`
	Mode  hdl.Var `hdl:"out"`
	Last  hdl.Var `hdl:"out"`
}

var modes = hdl.NewEnum("mode_t", "IDLE", "RUN", "FULL")

// counter has registers with and without reset, and an enumeration.
func counter(m *hdl.Module, p width) counterIO {
	io := hdl.Ports(m, "", hdl.Source, counterIO{
		En: hdl.Bool(), Count: hdl.U(p.Width), Mode: modes.Type(), Last: hdl.U(p.Width),
	})
	count := m.Reg("count_q", hdl.U(p.Width), hdl.Init(5))
	mode := m.Reg("mode_q", modes.Type())
	last := m.Reg("last_q", hdl.U(p.Width), hdl.NoReset())
	m.If(io.En, func() {
		count.Set(count.Add(hdl.K(1)))
		mode.Set(modes.K("RUN"))
		last.Set(count)
	}).Else(func() {
		mode.Set(modes.K("IDLE"))
	})
	io.Count.Set(count)
	io.Mode.Set(mode)
	io.Last.Set(last)
	return io
}

type fifoIO struct {
	Push     hdl.Var `hdl:"in"`
	Pop      hdl.Var `hdl:"in"`
	DataIn   hdl.Var `hdl:"in"`
	DataOut  hdl.Var `hdl:"out"`
	NotEmpty hdl.Var `hdl:"out"`
}

// fifo has a memory of a depth that is no power of two, read asynchronously.
func fifo(m *hdl.Module, p width) fifoIO {
	const depth = 5
	io := hdl.Ports(m, "", hdl.Source, fifoIO{
		Push: hdl.Bool(), Pop: hdl.Bool(), DataIn: hdl.U(p.Width), DataOut: hdl.U(p.Width), NotEmpty: hdl.Bool(),
	})
	mem := m.Mem("mem", hdl.U(p.Width), depth)
	head := m.Reg("head_q", hdl.U(3))
	tail := m.Reg("tail_q", hdl.U(3))
	level := m.Reg("level_q", hdl.U(3))
	push := m.Let("do_push", io.Push.And(level.Ne(hdl.K(depth))))
	pop := m.Let("do_pop", io.Pop.And(level.Ne(hdl.K(0))))
	next := func(x hdl.Var) hdl.Signal { return hdl.Mux(x.Eq(hdl.K(depth-1)), hdl.Const(3, 0), x.Add(hdl.K(1))) }
	m.If(push, func() {
		mem.Write(tail, io.DataIn)
		tail.Set(next(tail))
	})
	m.If(pop, func() { head.Set(next(head)) })
	m.If(push.AndNot(pop), func() { level.Set(level.Add(hdl.K(1))) }).
		ElseIf(pop.AndNot(push), func() { level.Set(level.Sub(hdl.K(1))) })
	io.DataOut.Set(mem.Read(head))
	io.NotEmpty.Set(level.Ne(hdl.K(0)))
	return io
}

type ramIO struct {
	We    hdl.Var `hdl:"in"`
	Re    hdl.Var `hdl:"in"`
	Waddr hdl.Var `hdl:"in"`
	Raddr hdl.Var `hdl:"in"`
	Wdata hdl.Var `hdl:"in"`
	Wmask hdl.Var `hdl:"in"`
	Rdata hdl.Var `hdl:"out"`
}

type ramParams struct{ Width, Lanes, Depth, During int }

// ram has a synchronous read port and lanes.
func ram(m *hdl.Module, p ramParams) ramIO {
	a := ir.AddrBits(p.Depth)
	io := hdl.Ports(m, "", hdl.Source, ramIO{
		We: hdl.Bool(), Re: hdl.Bool(), Waddr: hdl.U(a), Raddr: hdl.U(a),
		Wdata: hdl.U(p.Width), Wmask: hdl.U(p.Lanes), Rdata: hdl.U(p.Width),
	})
	mem := m.Mem("mem", hdl.U(p.Width), p.Depth)
	m.If(io.We, func() { mem.WriteMask(io.Waddr, io.Wdata, io.Wmask) })
	io.Rdata.Set(mem.SyncRead("rdata_q", io.Raddr, io.Re, ir.ReadDuringWrite(p.During)))
	return io
}

type passIO struct {
	In  hdl.Var `hdl:"in"`
	Out hdl.Var `hdl:"out"`
}

// stage is a register and an inverter.
func stage(m *hdl.Module, p width) passIO {
	io := hdl.Ports(m, "", hdl.Source, passIO{In: hdl.U(p.Width), Out: hdl.U(p.Width)})
	q := m.Reg("data_q", hdl.U(p.Width))
	q.Set(io.In)
	io.Out.Set(q.Not())
	return io
}

// pipe is two stages, one of them a level deeper.
func pipe(m *hdl.Module, p width) passIO {
	io := hdl.Ports(m, "", hdl.Source, passIO{In: hdl.U(p.Width), Out: hdl.U(p.Width)})
	first := hdl.Inst(m, "u_first", stage, p)
	second := hdl.Inst(m, "u_second", deeper, p)
	first.In.Set(io.In)
	second.In.Set(first.Out)
	io.Out.Set(second.Out)
	return io
}

func deeper(m *hdl.Module, p width) passIO {
	io := hdl.Ports(m, "", hdl.Source, passIO{In: hdl.U(p.Width), Out: hdl.U(p.Width)})
	inner := hdl.Inst(m, "u_inner", stage, p)
	inner.In.Set(io.In)
	io.Out.Set(inner.Out)
	return io
}

type combIO struct {
	A   hdl.Var `hdl:"in"`
	B   hdl.Var `hdl:"in"`
	Sum hdl.Var `hdl:"out"`
}

// adder has no state, hence neither clock nor reset.
func adder(m *hdl.Module, p width) combIO {
	io := hdl.Ports(m, "", hdl.Source, combIO{A: hdl.U(p.Width), B: hdl.U(p.Width), Sum: hdl.U(p.Width)})
	io.Sum.Set(io.A.Add(io.B))
	return io
}

// portWidths are around every size at which the C++ side changes its type.
var portWidths = []int{1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129, 512, 1000, 1024}

type noParams struct{}

type manyIO struct {
	In  []hdl.Var `hdl:"in"`
	Out []hdl.Var `hdl:"out"`
}

// manyPorts passes ports of all portWidths through a register, a memory and
// straight.
func manyPorts(m *hdl.Module, _ noParams) manyIO {
	var io manyIO
	for _, w := range portWidths {
		io.In = append(io.In, hdl.U(w))
		io.Out = append(io.Out, hdl.U(w), hdl.U(w), hdl.U(w))
	}
	io = hdl.Ports(m, "", hdl.Source, io)
	for i, in := range io.In {
		w := in.Width()
		q := m.Reg(fmt.Sprintf("q%d", w), hdl.U(w))
		q.Set(in)
		mem := m.Mem(fmt.Sprintf("mem%d", w), hdl.U(w), 3)
		at := m.Reg(fmt.Sprintf("at%d", w), hdl.U(2))
		at.Set(at.Add(hdl.K(1)))
		mem.Write(at, q)
		io.Out[3*i].Set(in.Not())
		io.Out[3*i+1].Set(q)
		io.Out[3*i+2].Set(mem.Read(at))
	}
	return io
}
