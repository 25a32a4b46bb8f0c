package verilator_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
	"github.com/millrace-hdl/millrace/verilator"
)

func TestOutputsAreThoseBeforeTheEdge(t *testing.T) {
	e := start(t, build(t, elaborate(t, counter, width{8}), verilator.Options{}), 0)
	require.NoError(t, e.Reset(3))
	require.EqualValues(t, 3, e.Cycle())
	set(t, e, "en", 1)
	for i := range uint64(4) {
		require.NoError(t, e.Step())
		require.Equal(t, 5+i, get(t, e, "count"))
		require.Equal(t, 4+i, e.Cycle())
	}
	require.NoError(t, e.Eval())
	require.EqualValues(t, 9, get(t, e, "count"), "Eval shows the state after the last edge")
	require.EqualValues(t, 7, e.Cycle(), "and is none itself")
	require.NoError(t, e.Run(10))
	require.EqualValues(t, 18, get(t, e, "count"), "that of the last cycle")
	require.EqualValues(t, 17, e.Cycle())
	require.NoError(t, e.Run(0))
	require.EqualValues(t, 17, e.Cycle())
	require.ErrorContains(t, e.Run(-1), "run -1 cycles")
	require.ErrorContains(t, e.Reset(0), "reset for 0 cycles")
}

func TestCombinationalDesign(t *testing.T) {
	e := start(t, build(t, elaborate(t, adder, width{65}), verilator.Options{}), 0)
	a, b, sum := port(t, e, "a"), port(t, e, "b"), port(t, e, "sum")
	copy(e.In()[a.Offset:], []uint64{^uint64(0), 0})
	copy(e.In()[b.Offset:], []uint64{1, 1})
	require.NoError(t, e.Eval())
	require.Equal(t, []uint64{0, 0}, e.Out()[sum.Offset:][:2])
	require.NoError(t, e.Reset(1))
	copy(e.In()[b.Offset:], []uint64{1, 0})
	require.NoError(t, e.Step())
	require.Equal(t, []uint64{0, 1}, e.Out()[sum.Offset:][:2])
}

func TestStateWithoutResetStartsFromTheSeed(t *testing.T) {
	lib := build(t, elaborate(t, counter, width{60}), verilator.Options{})
	first := func(seed uint64) uint64 {
		e := start(t, lib, seed)
		require.NoError(t, e.Reset(1))
		require.NoError(t, e.Step())
		return get(t, e, "last")
	}
	require.Zero(t, first(0))
	require.NotZero(t, first(1))
	require.Equal(t, first(1), first(1))
	require.NotEqual(t, first(1), first(2))
	require.NotEqual(t, first(1), first(1<<40+1), "all 64 bits of the seed count")
}

func TestStateIsReadAndWritten(t *testing.T) {
	e := start(t, build(t, elaborate(t, manyPorts, noParams{}), verilator.Options{State: true}), 5)
	require.Len(t, e.Vars(), 2*len(portWidths))
	require.Len(t, e.Mems(), len(portWidths))
	r := rand.New(rand.NewPCG(1, 2))
	random := func(t ir.Type) (raw, clean []uint64) {
		for range t.Words() {
			raw = append(raw, r.Uint64())
		}
		clean = append(clean, raw...)
		if top := t.Width % 64; top != 0 {
			clean[len(clean)-1] &= 1<<top - 1
		}
		return raw, clean
	}
	require.NoError(t, e.Reset(1))
	want := map[string][]uint64{}
	for _, v := range e.Vars() {
		raw, clean := random(v.Type)
		if strings.HasPrefix(v.Path, "at") {
			raw, clean = []uint64{1}, []uint64{1}
		}
		e.Write(v, raw)
		want[v.Path] = clean
	}
	for _, m := range e.Mems() {
		for addr := range m.Depth {
			raw, clean := random(m.Type)
			e.WriteMem(m, addr, raw)
			if addr == 1 {
				want[m.Path] = clean
			}
		}
	}
	for _, v := range e.Vars() {
		got := make([]uint64, v.Type.Words())
		e.Read(v, got)
		require.Equal(t, want[v.Path], got, v.Path)
		require.Equal(t, got, e.State()[e.StateOffset(v):][:len(got)])
	}
	require.NoError(t, e.Eval())
	outs := e.Layout().Outputs
	for i, m := range e.Mems() {
		got := make([]uint64, m.Type.Words())
		e.ReadMem(m, 1, got)
		require.Equal(t, want[m.Path], got, m.Path)
		q, stored := outs[3*i+1], outs[3*i+2]
		require.Equal(t, want[strings.Replace(m.Path, "mem", "q", 1)], e.Out()[q.Offset:][:q.Words()], "logic follows at Eval")
		require.Equal(t, got, e.Out()[stored.Offset:][:stored.Words()], "behind memories too")
		all := make([]uint64, m.Depth*m.Type.Words())
		e.ReadMem(m, 0, all)
		require.Equal(t, got, all[len(got):2*len(got)])
		require.Panics(t, func() { e.ReadMem(m, 1, all) })
	}
}

func TestPlainBuildHasNoState(t *testing.T) {
	e := start(t, build(t, elaborate(t, fifo, width{8}), verilator.Options{}), 0)
	require.Empty(t, e.Vars())
	require.Empty(t, e.Mems())
	require.Empty(t, e.State())
}

func TestNamesThatClashWithCxx(t *testing.T) {
	u := ir.Type{Width: 8}
	m := &ir.Module{Name: "clash"}
	for _, name := range []string{"name", "eval", "trace", "double", "errno", "rootp", "a__b___c"} {
		in := &ir.Signal{Name: name, Kind: ir.Input, Type: u}
		q := &ir.Signal{Name: name + "_q", Kind: ir.Reg, Type: u, Init: ir.NewConst(u, 0)}
		out := &ir.Signal{Name: name + "_o", Kind: ir.Output, Type: u}
		m.Signals = append(m.Signals, in, q, out)
		m.Body = append(m.Body,
			&ir.Assign{Target: q, Width: 8, Value: &ir.Ref{Signal: in}},
			&ir.Assign{Target: out, Width: 8, Value: &ir.Ref{Signal: q}})
	}
	for _, name := range []string{"friend", "x__y", "mutable"} {
		q := &ir.Signal{Name: name, Kind: ir.Reg, Type: u, Init: ir.NewConst(u, 0)}
		out := &ir.Signal{Name: name + "_o", Kind: ir.Output, Type: u}
		m.Signals = append(m.Signals, q, out)
		m.Body = append(m.Body,
			&ir.Assign{Target: q, Width: 8, Value: &ir.Ref{Signal: m.Signals[0]}},
			&ir.Assign{Target: out, Width: 8, Value: &ir.Ref{Signal: q}})
	}
	for _, s := range m.Signals {
		s.Module = m
	}
	exercise(t, couple(t, &ir.Design{Top: m, Modules: []*ir.Module{m}}, 1, verilator.Options{}), 3, 50)
}

func TestInstancesShareNothing(t *testing.T) {
	lib := build(t, elaborate(t, counter, width{8}), verilator.Options{})
	var all sync.WaitGroup
	for n := range uint64(4) {
		e := start(t, lib, n)
		all.Go(func() {
			if e.Reset(1) != nil {
				return
			}
			e.In()[0] = 1
			for range n * 1000 {
				if e.Step() != nil {
					return
				}
			}
			_ = e.Eval()
		})
		defer func() { require.Equal(t, (5+n*1000)%256, get(t, e, "count")) }()
	}
	all.Wait()
}

func TestTwoLibrariesInOneProcess(t *testing.T) {
	a := start(t, build(t, elaborate(t, counter, width{8}), verilator.Options{}), 0)
	b := start(t, build(t, elaborate(t, counter, width{60}), verilator.Options{}), 0)
	for _, e := range []*verilator.Engine{a, b} {
		require.NoError(t, e.Reset(1))
		set(t, e, "en", 1)
		require.NoError(t, e.Run(300))
	}
	require.EqualValues(t, (5+299)%256, get(t, a, "count"))
	require.EqualValues(t, 5+299, get(t, b, "count"))
}

func TestClosedEngineSaysSo(t *testing.T) {
	e, err := build(t, elaborate(t, counter, width{8}), verilator.Options{}).New(0)
	require.NoError(t, err)
	require.NoError(t, e.Close())
	require.NoError(t, e.Close())
	for _, err := range []error{e.Step(), e.Eval(), e.Run(1), e.Reset(1)} {
		require.EqualError(t, err, "the model is closed")
	}
	require.Len(t, e.In(), 1, "its arrays stay valid")
}

// A model that goes must not look for its scopes in another's context, which may
// be gone as well.
func TestModelsCloseInAnyOrderOnAnyThread(t *testing.T) {
	lib := build(t, elaborate(t, counter, width{8}), verilator.Options{State: true})
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		var err error
		for range 20 {
			var es []*verilator.Engine
			for range 3 {
				e, failed := lib.New(0)
				err = errors.Join(err, failed)
				es = append(es, e)
			}
			for _, i := range []int{2, 0, 1} {
				err = errors.Join(err, es[i].Close())
			}
		}
		done <- err
	}()
	select {
	case err := <-done:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		t.Fatal("closing a model hangs")
	}
}

func TestForgottenEnginesAreFreed(t *testing.T) {
	lib := build(t, elaborate(t, counter, width{8}), verilator.Options{})
	for range 100 {
		e, err := lib.New(0)
		require.NoError(t, err)
		require.NoError(t, e.Reset(1))
	}
	for range 5 {
		runtime.GC() // a leak of what is shared with the model would end the process here
		time.Sleep(10 * time.Millisecond)
	}
}

func TestFailingAssertionIsAnError(t *testing.T) {
	patch := replaceIn(t, "counter.sv", func(s string) string {
		return strings.Replace(s, "endmodule", `always @(posedge clk) if (count_q == 8'd8) $error("count is %0d", count_q);
always @(posedge clk) if (count_q == 8'd9) $stop;
always @(posedge clk) if (count_q == 8'd10) $finish;
always @(posedge clk) if (count_q == 8'd11) $fatal(1, "too far");
endmodule`, 1)
	})
	e := start(t, build(t, elaborate(t, counter, width{8}), verilator.Options{Quick: true, Assertions: true, Patch: patch}), 0)
	require.NoError(t, e.Reset(1))
	set(t, e, "en", 1)
	require.NoError(t, e.Run(3))
	err := e.Run(100)
	require.ErrorContains(t, err, "cycle 5: the RTL stopped")
	require.ErrorContains(t, err, "count is 8")
	require.ErrorContains(t, err, "counter.sv:")
	require.EqualValues(t, 5, e.Cycle(), "the run ends there")
	require.ErrorContains(t, e.Step(), "stop at")
	require.ErrorContains(t, e.Step(), "finish at")
	require.ErrorContains(t, e.Step(), "too far")
	require.NoError(t, e.Step(), "each is told once")
}

func TestWavesOfTheRTL(t *testing.T) {
	e := start(t, build(t, elaborate(t, pipe, width{33}), verilator.Options{Quick: true, State: true, Gen: gen.Options{Reset: gen.SyncHigh}}), 0)
	var b strings.Builder
	v := wave.NewVCD(&b, "pipe", e, nil)
	traced := wave.Trace(e, v)
	require.NoError(t, traced.Reset(1))
	set(t, e, "in", 5)
	require.NoError(t, traced.Run(3))
	require.NoError(t, v.Close())
	values := lastValues(t, b.String())
	require.Equal(t, "101", values["pipe.u_first.data_q"])
	require.Len(t, values["pipe.u_second.u_inner.data_q"], 33)
}

// A property of the design is checked where that is asked for, at the edge at which
// the model in Go finds it.
func TestFailingPropertyIsAnError(t *testing.T) {
	d, err := ir.Parse("design", `(design top) (module top (input a u8) (output y u8) (reg r u8 (init 0:u8)) (wire low u1 ghost) (assert "below" low)
		(body (set r (add r a)) (set low (lt r 3:u8)) (set y r)))`)
	require.NoError(t, err)
	for _, on := range []bool{false, true} {
		e := start(t, build(t, d, verilator.Options{Quick: true, Assertions: on}), 0)
		require.NoError(t, e.Reset(1))
		set(t, e, "a", 1)
		err := e.Run(10)
		if !on {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "u_props.below")
		m, err := sim.New(d, sim.Options{})
		require.NoError(t, err)
		require.NoError(t, m.Reset(1))
		m.In()[0] = 1
		require.NoError(t, m.Run(10))
		require.EqualValues(t, m.Checks()[0].Cycle+1, e.Cycle(), "the run ends there")
	}
}
