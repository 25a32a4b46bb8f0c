package sim_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
)

const toggling = `(design top) (module top (input a u8) (output y u8) (reg n u8 (init 0:u8)) (body (set n (add n a)) (set y n)))`

// TestKinds: a model tells how it computes, and why it is not compiled if it is not.
func TestKinds(t *testing.T) {
	for _, k := range []sim.Kind{sim.Auto, sim.Compiled} {
		kind, why := newModel(t, toggling, sim.Options{Kind: k}).Kind()
		require.Equal(t, sim.Compiled, kind)
		require.Empty(t, why)
	}
	kind, why := newModel(t, toggling, sim.Options{Kind: sim.Interpreter}).Kind()
	require.Equal(t, sim.Interpreter, kind)
	require.Empty(t, why)
	long := `(design top) (module top (input i u10) (input v u8) (output y u8) (reg r u8192) (body (set r (lane i 8) v) (set y (select r i 8 8))))`
	kind, why = newModel(t, long, sim.Options{}).Kind()
	require.Equal(t, sim.Interpreter, kind)
	require.Equal(t, "most of the work is to select from long registers by computed indices, which the interpreter does faster", why)
	kind, _ = newModel(t, long, sim.Options{Kind: sim.Compiled}).Kind()
	require.Equal(t, sim.Compiled, kind)
	_, err := sim.New(parse(t, toggling), sim.Options{Kind: "quantum"})
	require.EqualError(t, err, `there is no kind of model "quantum"; the kinds are "interpreter" and "compiled"`)
}

// TestManyFunctions: a design whose code is cut into many functions, so that values
// and old register values cross between them.
func TestManyFunctions(t *testing.T) {
	const n = 3000
	var regs, body strings.Builder
	r := rand.New(rand.NewPCG(4, 4))
	for i := range n {
		fmt.Fprintf(&regs, "(reg r%d u%d (init %d:u%[2]d))", i, 40, i)
		fmt.Fprintf(&body, "(set r%d (add r%d (xor r%d (mux (lt r%d r%d) %%1 9:u40))))", i, r.IntN(n), r.IntN(n), r.IntN(n), r.IntN(n))
	}
	text := "(design top) (module top (input a u40) (output y u40)" + regs.String() +
		"(body (let %1 (mul a r7))" + body.String() + "(set y (xor %1 r9))))"
	d := parse(t, text)
	a, err := sim.New(d, sim.Options{Kind: sim.Compiled})
	require.NoError(t, err)
	b, err := sim.New(d, sim.Options{Kind: sim.Interpreter})
	require.NoError(t, err)
	for i := range uint64(20) {
		a.In()[0], b.In()[0] = i*0x1234567, i*0x1234567
		require.NoError(t, a.Step())
		require.NoError(t, b.Step())
		require.Equal(t, b.Out(), a.Out())
		require.Equal(t, b.State(), a.State())
	}
	require.NoError(t, a.Run(777))
	require.NoError(t, b.Run(777))
	require.Equal(t, b.State(), a.State())
	require.Equal(t, b.Cycle(), a.Cycle())
}

// TestMemoryOfCodeStays: models live as long as their arrays are in use.
func TestMemoryOfCodeStays(t *testing.T) {
	ins, outs := make([][]uint64, 50), make([][]uint64, 50)
	models := make([]*sim.Model, 50)
	for i := range models {
		models[i] = newModel(t, toggling, sim.Options{Kind: sim.Compiled})
		ins[i], outs[i] = models[i].In(), models[i].Out()
	}
	runtime.GC()
	for i, m := range models {
		ins[i][0] = uint64(i)
		require.NoError(t, m.Run(3))
		require.Equal(t, uint64(2*i), outs[i][0])
		require.NoError(t, m.Close())
	}
}
