package hdl_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

type running struct {
	t testing.TB
	e sim.Engine
}

// run elaborates a module, has the tools read its RTL, and starts its model.
func run(t *testing.T, b hdl.Build[none, ports]) running {
	t.Helper()
	d := elaborate(t, b, none{}, hdl.Named("m"))
	dir := t.TempDir()
	files, err := gen.Emit(d, gen.Options{})
	require.NoError(t, err)
	require.NoError(t, gen.WriteDir(dir, files))
	for _, r := range lint.Lint(context.Background(), dir, "m", []lint.Tool{lint.Verilator, lint.Icarus}) {
		require.NoError(t, r.Err, "%s", r.Tool)
		require.Empty(t, r.Output, "%s", r.Tool)
	}
	e, err := sim.New(d, sim.Options{Seed: 5})
	require.NoError(t, err)
	require.NoError(t, e.Reset(1))
	return running{t, e}
}

// step sets the inputs in order, and returns the outputs before the edge.
func (r running) step(in ...uint64) []uint64 {
	r.t.Helper()
	copy(r.e.In(), in)
	require.NoError(r.t, r.e.Step())
	return r.e.Out()
}

func TestRegisters(t *testing.T) {
	r := run(t, func(m *hdl.Module, _ none) ports {
		en, d := m.In("en", hdl.Bool()), m.In("d", hdl.U(8))
		held, enabled, reset := m.Reg("held_q", hdl.U(8), hdl.Init(3)), m.Reg("enabled_q", hdl.U(8), hdl.Enable(en)), m.Reg("reset_q", hdl.U(8), hdl.Init(-1))
		m.If(d.Bit(0), func() { held.Set(d) })
		enabled.Set(d)
		reset.Set(hdl.K(0))
		y := m.Out("y", hdl.U(32))
		y.Set(hdl.Cat(held, enabled, reset, m.RegNext("next_q", d)))
		return ports{en, d, y}
	})
	require.Equal(t, uint64(0x0300ff00), r.step(0, 0x20)[0], "after reset")
	require.Equal(t, uint64(0x03000020), r.step(1, 0x21)[0], "neither condition nor enable held")
	require.Equal(t, uint64(0x21210021), r.step(0, 0x40)[0], "both held")
	require.Equal(t, uint64(0x21210040), r.step(0, 0x40)[0])
}

// A later assignment wins, the first condition that holds decides, and nesting is
// conjunction.
func TestPriority(t *testing.T) {
	r := run(t, func(m *hdl.Module, _ none) ports {
		a, b, c := m.In("a", hdl.Bool()), m.In("b", hdl.Bool()), m.In("c", hdl.U(2))
		y, z := m.Out("y", hdl.U(4)), m.Out("z", hdl.U(4), hdl.Default(hdl.K(9)))
		y.Set(hdl.K(0))
		m.If(a, func() {
			y.Set(hdl.K(1))
			m.If(b, func() { y.Set(hdl.K(2)) }).Else(func() { y.Part(3, 1).Set(hdl.K(1)) })
		}).ElseIf(b, func() { y.Set(hdl.K(3)) })
		m.Switch(c).
			Case(hdl.K(0), func() { z.Set(hdl.K(4)) }).
			CaseIn([]hdl.Value{hdl.K(1), hdl.K(3)}, func() { m.If(a, func() { z.Set(hdl.K(5)) }) })
		return ports{a, b, c, y, z}
	})
	for _, x := range []struct{ a, b, c, y, z uint64 }{
		{0, 0, 0, 0, 4}, {0, 1, 1, 3, 9}, {1, 0, 1, 9, 5}, {1, 1, 2, 2, 9}, {1, 1, 3, 2, 5},
	} {
		require.Equal(t, []uint64{x.y, x.z}, r.step(x.a, x.b, x.c)[:2], "%+v", x)
	}
}

// Let and RegNext inside a branch do not depend on whether it is taken.
func TestNamesInsideBranches(t *testing.T) {
	r := run(t, func(m *hdl.Module, _ none) ports {
		a, y, z := m.In("a", hdl.U(4)), m.Out("y", hdl.U(4), hdl.Default(hdl.K(0))), m.Out("z", hdl.U(4))
		var named, next hdl.Signal
		m.If(a.Bit(3), func() {
			named, next = m.Let("named", a.Add(hdl.K(1))), m.RegNext("next_q", a)
			y.Set(named)
		})
		z.Set(named.Xor(next))
		return ports{a, y, z}
	})
	require.Equal(t, []uint64{0, 3}, r.step(2)[:2])
	require.Equal(t, []uint64{10, 10 ^ 2}, r.step(9)[:2])
	require.Equal(t, []uint64{0, 1 ^ 9}, r.step(0)[:2])
}

func TestMemories(t *testing.T) {
	for _, c := range []struct {
		during hdl.ReadDuringWrite
		want   []uint64 // where the read meets the write: the second and the third cycle
	}{
		{hdl.OldData, []uint64{0x1234, 0x1256}},
		{hdl.NewData, []uint64{0x1256, 0x1278}},
	} {
		r := run(t, func(m *hdl.Module, _ none) ports {
			at, data, mask, en := m.In("at", hdl.U(2)), m.In("data", hdl.U(16)), m.In("mask", hdl.U(2)), m.In("en", hdl.Bool())
			mem := m.Mem("ram", hdl.U(16), 3)
			mem.WriteMask(at, data, mask)
			y := m.Out("y", hdl.U(16))
			y.Set(mem.SyncRead("y_q", at, en, c.during))
			return ports{at, data, mask, en, y}
		})
		r.step(2, 0x1234, 3, 0)
		r.step(2, 0xff56, 1, 1) // the low lane is written and the element read
		require.Equal(t, c.want[0], r.step(2, 0xff78, 1, 1)[0])
		require.Equal(t, c.want[1], r.step(2, 0, 0, 0)[0])
		require.Equal(t, c.want[1], r.step(1, 0, 0, 0)[0], "without enable the register holds")
	}
	r := run(t, func(m *hdl.Module, _ none) ports {
		at, data, we := m.In("at", hdl.U(2)), m.In("data", hdl.U(8)), m.In("we", hdl.Bool())
		mem := m.Mem("ram", hdl.U(8), 4)
		m.If(we, func() { mem.Write(at, data) })
		y := m.Out("y", hdl.U(8))
		y.Set(mem.Read(at))
		return ports{at, data, we, y}
	})
	r.step(1, 7, 1)
	require.Equal(t, uint64(7), r.step(1, 8, 1)[0], "an asynchronous read yields what was there before the write")
	require.Equal(t, uint64(8), r.step(1, 9, 0)[0])
	require.Equal(t, uint64(8), r.step(1, 0, 0)[0])
}
