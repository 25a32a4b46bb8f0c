package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// accumulator is a black box with a path from its inputs to sum, and the two
// registers that count the edges of its domains.
type accumulator struct {
	c, d   *ir.Domain
	total  uint64
	edges  uint64
	evals  *int
	resets *int
}

func (a *accumulator) Reset(d *ir.Domain) {
	*a.resets++
	if d == a.c {
		a.total = 5
	} else {
		a.edges = 0
	}
}

func (a *accumulator) Eval(in, out [][]uint64) {
	*a.evals++
	out[0][0] = a.total + in[0][0]
	out[1][0], out[1][1] = a.total, a.edges
	out[2][0] = in[1][1] // more bits than the port has
}

func (a *accumulator) Edge(d *ir.Domain, in [][]uint64) {
	if d == a.c {
		a.total += in[0][0]
	} else {
		a.edges++
	}
}

// boxes has two instances of the black box in a chain that only registered outputs
// close to a ring.
const boxes = `(design top)
	(module acc (domain c "c_clk" "c_rst") (domain d "d_clk" "d_rst") (input a u8) (input w u100) (output sum u16) (output total u70 registered) (output top u3) (extern))
	(module mid (domain e "e_clk" "e_rst") (input a u8) (output y u70) (output t u3) (output fb u8)
		(inst_in u_a u8) (inst_in u_w u100) (inst_out u_sum u16) (inst_out u_total u70) (inst_out u_top u3)
		(instance u acc (clock c e) (clock d e) (port a u_a) (port w u_w) (port sum u_sum) (port total u_total) (port top u_top))
		(body (set u_a (add a u_total[7:0])) (set u_w (cat u_total[35:0] 0:u56 a)) (set y u_total) (set t u_top) (set fb u_sum[7:0])))
	(module top (domain p "p_clk" "p_rst") (domain q "q_clk" "q_rst") (input a u8) (input w u100) (output sum u16) (output y u70) (output t u3) (output fb u8)
		(inst_in u_a u8) (inst_in u_w u100) (inst_out u_sum u16) (inst_out u_total u70) (inst_out u_top u3)
		(inst_in m_a u8) (inst_out m_y u70) (inst_out m_t u3) (inst_out m_fb u8) (reg r u8 (init 0:u8))
		(instance u acc (clock c p) (clock d q) (port a u_a) (port w u_w) (port sum u_sum) (port total u_total) (port top u_top))
		(instance m mid (clock e q) (port a m_a) (port y m_y) (port t m_t) (port fb m_fb))
		(body (set u_a (xor (add a m_y[7:0]) r)) (set u_w w) (set m_a u_sum[7:0]) (set sum u_sum) (set y (xor m_y u_total)) (set t m_t) (set fb m_fb) (set r m_fb)))`

// parseBoxes reads a design and gives its black boxes their model.
func parseBoxes(t *testing.T, text string) (d *ir.Design, evals, resets *int) {
	d = parse(t, text)
	evals, resets = new(int), new(int)
	for _, m := range d.Modules {
		if m.Extern != nil {
			m.Extern.Model = func() ir.ExternModel {
				return &accumulator{c: m.Domains[0], d: m.Domains[1], evals: evals, resets: resets}
			}
		}
	}
	return d, evals, resets
}

func TestBlackBoxes(t *testing.T) {
	d, _, _ := parseBoxes(t, boxes)
	for seed := range uint64(10) {
		compare(t, d, seed)
	}
	m, err := sim.New(d, sim.Options{})
	require.NoError(t, err)
	kind, why := m.Kind()
	require.Equal(t, sim.Interpreter, kind)
	require.Equal(t, "black boxes are called by the interpreter only", why)
	_, err = sim.New(d, sim.Options{Kind: sim.Compiled})
	require.EqualError(t, err, "this design cannot be compiled: black boxes are called by the interpreter only")
}

func TestBlackBoxAsTop(t *testing.T) {
	text := `(design acc) (module acc (domain c "c_clk" "c_rst") (domain d "d_clk" "d_rst") (input a u8) (input w u100) (output sum u16) (output total u70 registered) (output top u3) (extern))`
	d, _, _ := parseBoxes(t, text)
	for seed := range uint64(4) {
		compare(t, d, seed)
	}
	_, err := simNew(t, text)
	require.ErrorContains(t, err, "the top: black box acc has no model in Go")
}

// TestBlackBoxCalls: a box is evaluated once where its inputs are known, and once
// after the edge for its registered outputs.
func TestBlackBoxCalls(t *testing.T) {
	d, evals, resets := parseBoxes(t, boxes)
	m, err := sim.New(d, sim.Options{})
	require.NoError(t, err)
	require.Equal(t, 4, *resets, "at the start, as registers with a reset value")
	*evals = 0
	require.NoError(t, m.Run(10))
	require.Equal(t, 2*2*10, *evals)
	require.Equal(t, 4, *resets)
	require.NoError(t, m.Reset(2))
	require.Equal(t, 12, *resets)
}

func TestBlackBoxWithoutModel(t *testing.T) {
	_, err := simNew(t, boxes)
	require.EqualError(t, err, "instance u: black box acc has no model in Go; give it one, or simulate the emitted RTL together with the black box's own")
}

// TestLoopThroughBlackBox: what is not marked as registered depends on all inputs.
func TestLoopThroughBlackBox(t *testing.T) {
	d, _, _ := parseBoxes(t, `(design top)
		(module acc (domain c "c_clk" "c_rst") (domain d "d_clk" "d_rst") (input a u8) (input w u100) (output sum u16) (output total u70 registered) (output top u3) (extern))
		(module top (domain p "p_clk" "p_rst") (input a u8) (output y u16)
			(inst_in u_a u8) (inst_in u_w u100) (inst_out u_sum u16) (inst_out u_total u70) (inst_out u_top u3)
			(instance u acc (clock c p) (clock d p) (port a u_a) (port w u_w) (port sum u_sum) (port total u_total) (port top u_top))
			(body (set u_a a) (set u_w (cat 0:u97 u_top)) (set y u_sum)))`)
	_, err := sim.New(d, sim.Options{})
	require.ErrorContains(t, err, "combinational loop: u.top[0] → u_w[0] → u.top[0]")
}
