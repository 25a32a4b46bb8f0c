package verilator_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/irtest"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/verilator"
)

func couple(t testing.TB, d *ir.Design, seed uint64, o verilator.Options) *verilator.Lockstep {
	t.Helper()
	if o.Cache == nil {
		o.Cache = sharedCache
	}
	l, err := verilator.Couple(context.Background(), d, seed, o, verilator.LockstepOptions{Dir: t.TempDir()})
	require.NoError(t, err)
	return l
}

var allStyles = []gen.ResetStyle{gen.AsyncLow, gen.AsyncHigh, gen.SyncLow, gen.SyncHigh}

// exercise runs random cycles with resets among them.
func exercise(t testing.TB, l *verilator.Lockstep, seed uint64, cycles int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	randomise(r, l)
	require.NoError(t, l.Step(), "before any reset")
	require.NoError(t, l.Reset(2))
	for range cycles {
		randomise(r, l)
		switch r.IntN(16) {
		case 0:
			require.NoError(t, l.Reset(1+r.IntN(3)))
		case 1:
			require.NoError(t, l.Eval())
		case 2:
			require.NoError(t, l.Run(r.IntN(4)))
		default:
			require.NoError(t, l.Step())
		}
	}
	require.NoError(t, l.Check())
	require.NoError(t, l.Close())
}

func TestModelAndRTLAgree(t *testing.T) {
	designs := []struct {
		name                string
		d                   *ir.Design
		registers, memories int
	}{
		{"counter", elaborate(t, counter, width{12}), 3, 0},
		{"fifo", elaborate(t, fifo, width{70}), 3, 1},
		{"ram", elaborate(t, ram, ramParams{72, 9, 10, int(ir.OldData)}), 1, 1},
		{"ram_new", elaborate(t, ram, ramParams{16, 2, 8, int(ir.NewData)}), 1, 1},
		{"pipe", elaborate(t, pipe, width{33}), 2, 0},
		{"ports", elaborate(t, manyPorts, noParams{}), 2 * len(portWidths), len(portWidths)},
		{"adder", elaborate(t, adder, width{65}), 0, 0},
	}
	for _, c := range designs {
		t.Run(c.name, func(t *testing.T) {
			l := couple(t, c.d, 3, verilator.Options{})
			registers, memories := l.Compared()
			require.Equal(t, c.registers, registers)
			require.Equal(t, c.memories, memories)
			exercise(t, l, 7, 400)
		})
	}
}

func TestEveryResetStyle(t *testing.T) {
	d := elaborate(t, counter, width{8})
	for _, style := range allStyles {
		t.Run(style.String(), func(t *testing.T) {
			exercise(t, couple(t, d, 5, verilator.Options{Quick: true, Gen: gen.Options{Reset: style}}), 11, 200)
		})
	}
}

func TestRandomDesignsAgree(t *testing.T) {
	n := uint64(4)
	if testing.Short() {
		n = 1
	}
	for seed := range n {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Logf("design seed %d", seed)
			exercise(t, couple(t, irtest.Random(seed, irtest.Options{MaxWidth: 80, Signals: 4, Levels: 1, ExprDepth: 2}), seed, verilator.Options{Quick: true}), seed, 300)
		})
	}
}

// mismatchOf steps until a mismatch and returns it and the cycle of that Step.
func mismatchOf(t *testing.T, l *verilator.Lockstep, cycles int) *verilator.Mismatch {
	t.Helper()
	for range cycles {
		if err := l.Step(); err != nil {
			var m *verilator.Mismatch
			require.ErrorAs(t, err, &m)
			require.ErrorIs(t, l.Step(), err, "the mismatch stays")
			require.ErrorIs(t, l.Eval(), err)
			require.ErrorIs(t, l.Reset(1), err)
			require.NoError(t, l.Close(), "it was reported before")
			return m
		}
	}
	require.Fail(t, "no mismatch")
	return nil
}

func TestMutatedRegisterIsFoundInItsCycle(t *testing.T) {
	d := elaborate(t, counter, width{8})
	l := couple(t, d, 0, verilator.Options{Quick: true, Patch: replaceIn(t, "counter.sv", func(s string) string {
		return strings.Replace(s, "count_q + 8'd1", "count_q + 8'd1 + 8'(count_q == 8'd9)", 1)
	})})
	require.NoError(t, l.Reset(2))
	set(t, l, "en", 1)
	m := mismatchOf(t, l, 20)
	// Two cycles of reset; the count is 5 in cycle 2, 9 in cycle 6.
	require.EqualValues(t, 7, m.Cycle)
	require.Equal(t, "count_q", m.Path)
	require.Equal(t, []uint64{10}, m.A)
	require.Equal(t, []uint64{11}, m.B)
	require.Contains(t, m.Error(), "cycle 7: count_q is 0x0a in the model and 0x0b in the rtl; waves: ")
}

func TestMutatedEnumIsNamed(t *testing.T) {
	d := elaborate(t, counter, width{8})
	l := couple(t, d, 0, verilator.Options{Quick: true, Patch: replaceIn(t, "counter.sv", func(s string) string {
		return strings.Replace(s, "assign mode = mode_q", "assign mode = mode_q ^ 2'(count_q == 8'd6)", 1)
	})})
	require.NoError(t, l.Reset(1))
	set(t, l, "en", 1)
	m := mismatchOf(t, l, 20)
	require.EqualValues(t, 2, m.Cycle)
	require.Contains(t, m.Error(), "cycle 2: mode is 0x1 (RUN) in the model and 0x0 (IDLE) in the rtl")
}

func TestMutatedHierarchyIsFoundAtThePath(t *testing.T) {
	d := elaborate(t, pipe, width{33})
	l := couple(t, d, 0, verilator.Options{Quick: true, Patch: replaceIn(t, d.Modules[0].Name+".sv", func(s string) string {
		return strings.Replace(s, "data_q <= in;", "data_q <= in ^ 33'(in == 33'd3);", 1)
	})})
	require.NoError(t, l.Reset(1))
	set(t, l, "in", 3)
	m := mismatchOf(t, l, 1)
	require.EqualValues(t, 2, m.Cycle)
	require.Equal(t, "u_first.data_q", m.Path)
}

func TestMutatedMemoryIsFoundBeforeItIsRead(t *testing.T) {
	d := elaborate(t, ram, ramParams{72, 9, 10, int(ir.OldData)})
	l := couple(t, d, 9, verilator.Options{Quick: true, Patch: replaceIn(t, "ram.sv", func(s string) string {
		return strings.Replace(s, "if (we)", "if (we && waddr != 4'd7)", 1)
	})})
	require.NoError(t, l.Reset(1))
	set(t, l, "we", 1)
	set(t, l, "waddr", 7)
	set(t, l, "wmask", 1)
	set(t, l, "wdata", 0x55)
	m := mismatchOf(t, l, 3)
	require.Equal(t, "mem[7]", m.Path)
	require.EqualValues(t, 0x55, m.A[0]&0xff)
	require.LessOrEqual(t, m.Cycle-m.Within, uint64(2))
	require.GreaterOrEqual(t, m.Cycle, uint64(2))
}

func TestCloseComparesMemories(t *testing.T) {
	d := elaborate(t, ram, ramParams{72, 9, 1000, int(ir.OldData)})
	l := couple(t, d, 9, verilator.Options{Quick: true, Patch: replaceIn(t, "ram.sv", func(s string) string {
		return strings.Replace(s, "if (we)", "if (we && waddr != 10'd7)", 1)
	})})
	set(t, l, "we", 1)
	set(t, l, "waddr", 7)
	set(t, l, "wmask", 1)
	require.NoError(t, l.Step(), "too early for memories")
	var m *verilator.Mismatch
	require.ErrorAs(t, l.Close(), &m)
	require.Equal(t, "mem[7]", m.Path)
}

func TestMismatchHasWavesOfBoth(t *testing.T) {
	d := elaborate(t, counter, width{8})
	l := couple(t, d, 0, verilator.Options{Quick: true, Patch: replaceIn(t, "counter.sv", func(s string) string {
		return strings.Replace(s, "count_q + 8'd1", "count_q + 8'd1 + 8'(count_q == 8'd9)", 1)
	})})
	require.NoError(t, l.Reset(2))
	set(t, l, "en", 1)
	m := mismatchOf(t, l, 20)
	require.NoError(t, m.WavesErr)
	data, err := os.ReadFile(m.Waves)
	require.NoError(t, err)
	text := string(data)
	require.Contains(t, text, "$scope module model")
	require.Contains(t, text, "$scope module rtl")
	values := lastValues(t, text)
	require.Equal(t, "1010", values["model.count_q"])
	require.Equal(t, "1011", values["rtl.count_q"])
	require.Equal(t, "1010", values["model.count"])
	require.Equal(t, "1011", values["rtl.count"])
	require.Equal(t, "1001", values["model.last_q"])
	require.Equal(t, "1001", values["rtl.last_q"])
	require.Contains(t, text, "$comment enum mode_t 0=IDLE 1=RUN 2=FULL $end")
}

// lastValues reads a VCD file: the last value of each variable by its path.
func lastValues(t *testing.T, text string) map[string]string {
	t.Helper()
	paths, values := map[string][]string{}, map[string]string{}
	var scope []string
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
		case f[0] == "$scope":
			scope = append(scope, f[2])
		case f[0] == "$upscope":
			scope = scope[:len(scope)-1]
		case f[0] == "$var":
			paths[f[3]] = append(paths[f[3]], strings.Join(append(scope[:len(scope):len(scope)], f[4]), "."))
		case line[0] == 'b' && len(f) == 2:
			for _, p := range paths[f[1]] {
				values[p] = f[0][1:]
			}
		}
	}
	return values
}

func TestLockstepOfOutputsAlone(t *testing.T) {
	d := elaborate(t, counter, width{8})
	model, err := sim.New(d, sim.Options{})
	require.NoError(t, err)
	e, err := build(t, d, verilator.Options{Quick: true, Patch: replaceIn(t, "counter.sv", func(s string) string {
		return strings.Replace(s, "assign last = last_q", "assign last = last_q | 8'(last_q == 8'd8)", 1)
	})}).New(0)
	require.NoError(t, err)
	l, err := verilator.NewLockstep(model, e, verilator.LockstepOptions{NameA: "go", NameB: "plain", Window: -1})
	require.NoError(t, err)
	registers, memories := l.Compared()
	require.Zero(t, registers+memories)
	require.NoError(t, l.Reset(1))
	set(t, l, "en", 1)
	m := mismatchOf(t, l, 20)
	// The count is 5 in cycle 1 and 8 in cycle 4; its copy comes out a cycle later.
	require.Equal(t, "cycle 5: last is 0x08 in the go and 0x09 in the plain", m.Error())
}

func TestLockstepRefusesDifferentDesigns(t *testing.T) {
	a, err := sim.New(elaborate(t, counter, width{8}), sim.Options{})
	require.NoError(t, err)
	b, err := sim.New(elaborate(t, counter, width{9}), sim.Options{})
	require.NoError(t, err)
	_, err = verilator.NewLockstep(a, b, verilator.LockstepOptions{})
	require.ErrorContains(t, err, "different ports")

	c, err := sim.New(elaborate(t, counter, width{8}), sim.Options{})
	require.NoError(t, err)
	require.NoError(t, c.Step())
	_, err = verilator.NewLockstep(a, c, verilator.LockstepOptions{})
	require.ErrorContains(t, err, "model is at cycle 0 and rtl at 1")

	_, err = verilator.NewLockstep(a, renamed{c}, verilator.LockstepOptions{})
	require.ErrorContains(t, err, "rtl has no register count_q")
}

// renamed is an engine at cycle 0 whose first register has another name.
type renamed struct{ *sim.Model }

func (r renamed) Cycle() uint64 { return 0 }
func (r renamed) Vars() []sim.Var {
	vs := r.Model.Vars()
	vs[0].Path = "other"
	return vs
}

// TestLockstepFailsOnViolations: what an engine finds of the design's properties is
// an error of the coupled ones, in that cycle and from then on.
func TestLockstepFailsOnViolations(t *testing.T) {
	d, err := ir.Parse("design", `(design top) (module top (input a u8) (output y u8) (reg r u8 (init 0:u8)) (reg n u8 ghost (init 0:u8)) (wire low u1 ghost) (assert "low" low)
		(body (set r (add r a)) (set n (add n 1:u8)) (set low (lt r 3:u8)) (set y r)))`)
	require.NoError(t, err)
	model := func() *sim.Model {
		m, err := sim.New(d, sim.Options{})
		require.NoError(t, err)
		return m
	}
	l, err := verilator.NewLockstep(model(), model(), verilator.LockstepOptions{Dir: t.TempDir()})
	require.NoError(t, err)
	registers, _ := l.Compared()
	require.Equal(t, 1, registers, "ghosts are no part of the RTL")
	require.NoError(t, l.Reset(1))
	l.In()[0] = 1
	require.NoError(t, l.Tick(1))
	require.NoError(t, l.Run(2))
	require.EqualError(t, l.Step(), "model: cycle 4: assert low is violated")
	require.EqualError(t, l.Step(), "model: cycle 4: assert low is violated")
	require.NoError(t, l.Close())
}

func TestLockstepTicksBoth(t *testing.T) {
	d, err := ir.Parse("design", `(design top) (module top (domain f "f_clk" "f_rst") (input a u8) (output y u8) (reg r u8 (init 0:u8)) (reg s u8 (init 0:u8) (on f))
		(body (set r (add r a)) (set s (add s a)) (set y (xor r s))))`)
	require.NoError(t, err)
	model := func() *sim.Model {
		m, err := sim.New(d, sim.Options{})
		require.NoError(t, err)
		return m
	}
	a, b := model(), model()
	l, err := verilator.NewLockstep(a, b, verilator.LockstepOptions{Dir: t.TempDir()})
	require.NoError(t, err)
	l.In()[0] = 3
	require.NoError(t, l.Tick(2))
	require.Equal(t, b.State(), a.State())
	require.Equal(t, []uint64{0, 3}, a.State())
	require.Equal(t, uint64(1), l.Cycle())
	var m *verilator.Mismatch
	b.Write(b.StateVars()[1], []uint64{9})
	require.ErrorAs(t, l.Tick(1), &m)
	require.Equal(t, "y", m.Path)
}
