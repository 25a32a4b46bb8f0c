package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
)

// counters has a counter in each of three domains, two of them below, where their
// names are crossed, and one that passes values between domains.
const counters = `(design top)
	(module leaf (domain fast "fast_clk" "fast_rst") (input d u8) (output n u8) (output f u8)
		(reg a u8 (init 1:u8)) (reg b u8 (init 2:u8) (on fast))
		(body (set a (add a d)) (set b (add b d)) (set n a) (set f b)))
	(module mid (domain x "x_clk" "x_rst") (domain y "y_clk" "y_rst") (input d u8) (output n u8) (output f u8)
		(inst_in u_d u8) (inst_out u_n u8) (inst_out u_f u8)
		(instance u leaf (on y) (clock fast x) (port d u_d) (port n u_n) (port f u_f))
		(body (set u_d d) (set n u_n) (set f u_f)))
	(module top (domain p "p_clk" "p_rst") (domain q "q_clk" "q_rst" falling async_low)
		(input d u8) (input en u1) (output n u8) (output f u8) (output own u8) (output s u8)
		(inst_in m_d u8) (inst_out m_n u8) (inst_out m_f u8)
		(reg c u8 (init 7:u8)) (reg sync u8 (init 0:u8) (on q) (crossing "first stage")) (reg held u8 (on p))
		(instance m mid (clock x q) (clock y p) (port d m_d) (port n m_n) (port f m_f))
		(body (set m_d d) (set n m_n) (set f m_f) (set c (add c d)) (if (when en (set held d))) (set own c) (set sync c) (set s (xor sync held))))`

func TestDomains(t *testing.T) { against(t, counters) }

// TestTick: bit 0 is the implicit domain, and the others follow in order.
func TestTick(t *testing.T) {
	m := newModel(t, counters, sim.Options{})
	require.Equal(t, []string{"", "p", "q"}, m.Layout().Domains)
	require.NoError(t, m.Reset(2))
	want := map[string]uint64{"c": 7, "m.u.a": 1, "m.u.b": 2, "sync": 0}
	see := func() {
		t.Helper()
		for path, v := range want {
			require.Equal(t, v, value(t, m, path), path)
		}
	}
	see()
	drive(t, m, map[string]uint64{"d": 10})
	require.NoError(t, m.Tick(1))
	want["c"] = 17
	see()
	require.NoError(t, m.Tick(2)) // p is y of mid and the implicit domain of leaf
	want["m.u.a"] = 11
	see()
	require.NoError(t, m.Tick(4))
	want["m.u.b"], want["sync"] = 12, 17
	see()
	require.NoError(t, m.Tick(5)) // sync takes what c was before
	want["c"], want["m.u.b"] = 27, 22
	see()
	require.Equal(t, uint64(17), value(t, m, "sync"))
	require.NoError(t, m.Tick(0))
	see()
	require.NoError(t, m.Step())
	want = map[string]uint64{"c": 37, "m.u.a": 21, "m.u.b": 32, "sync": 27}
	see()
	require.Equal(t, uint64(8), m.Cycle())
	require.ErrorContains(t, m.Tick(8), "tick 0b1000: the bits that name clock domains of this design are 0b111")
	require.Equal(t, uint64(8), m.Cycle())
	require.NoError(t, m.Reset(1))
	want = map[string]uint64{"c": 7, "m.u.a": 1, "m.u.b": 2, "sync": 0}
	see()
}

// TestOneDomain: a domain that is the only one with state costs nothing, whatever
// its name; others may tick.
func TestOneDomain(t *testing.T) {
	text := `(design top) (module top %s (input d u8) (output y u8) (reg r u8 (init 1:u8) %s) (body (set r (add r d)) (set y r)))`
	plain := newModel(t, fmt.Sprintf(text, "", ""), sim.Options{Kind: sim.Interpreter})
	m := newModel(t, fmt.Sprintf(text, `(domain p "p_clk" "p_rst") (domain q "q_clk" "q_rst")`, "(on q)"), sim.Options{Kind: sim.Interpreter})
	require.Equal(t, plain.Listing(), m.Listing())
	drive(t, m, map[string]uint64{"d": 3})
	require.NoError(t, m.Tick(3))
	require.Equal(t, uint64(1), value(t, m, "r"))
	require.NoError(t, m.Tick(4))
	require.Equal(t, uint64(4), value(t, m, "r"))
	require.NoError(t, m.Tick(0))
	require.NoError(t, m.Tick(7))
	require.Equal(t, uint64(7), value(t, m, "r"))
	require.Equal(t, uint64(7-3), out(t, m, "y"))
	require.Equal(t, uint64(4), m.Cycle())
	require.NoError(t, plain.Tick(0))
	require.NoError(t, plain.Tick(1))
	require.ErrorContains(t, plain.Tick(2), "tick 0b10: the bits that name clock domains of this design are 0b1")
}

// TestDomainsShareBranches: all that happens at the edges of a domain lies under
// one condition.
func TestDomainsShareBranches(t *testing.T) {
	var regs, body strings.Builder
	for i := range 12 {
		fmt.Fprintf(&regs, "(reg r%d u8 (init 0:u8) %s)", i, []string{"", "(on p)"}[i%2])
		fmt.Fprintf(&body, "(if (when (eq r%d d) (set r%[1]d (add r%[1]d (xor d 3:u8)))))", i)
	}
	m := newModel(t, `(design top) (module top (domain p "p_clk" "p_rst") (input d u8) (output y u8)`+regs.String()+"(body"+body.String()+" (set y r0)))", sim.Options{Kind: sim.Interpreter})
	require.Equal(t, 1, strings.Count(m.Listing(), "tick.,"))
	require.Equal(t, 1, strings.Count(m.Listing(), "tick.p,"))
}

func TestTooManyDomains(t *testing.T) {
	var domains strings.Builder
	for i := range 64 {
		fmt.Fprintf(&domains, `(domain d%d "c%[1]d" "r%[1]d")`, i)
	}
	_, err := simNew(t, "(design top) (module top "+domains.String()+"(input a u1) (output y u1) (body (set y a)))")
	require.ErrorContains(t, err, "the design has 65 clock domains; at most 64 are simulated")
}

// TestTraceOfTicks: a trace samples every tick, before its edge.
func TestTraceOfTicks(t *testing.T) {
	m := newModel(t, counters, sim.Options{})
	rec := wave.NewRecorder("top", m, 10, nil)
	e := wave.Trace(m, rec)
	require.NoError(t, e.Tick(1))
	require.NoError(t, e.Tick(6))
	var b strings.Builder
	require.NoError(t, rec.WriteVCD(&b))
	require.Contains(t, b.String(), "#10\n")
	require.Equal(t, m, e.(interface{ Unwrap() sim.Engine }).Unwrap())
}
