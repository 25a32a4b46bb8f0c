package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
)

const claims = `(design top)
	(module leaf (domain f "f_clk" "f_rst") (input a u4) (output y u4) (wire small u1 ghost (default 1:u1)) (reg last u4 ghost (init 0:u4) (on f)) (wire rises u1 ghost)
		(assert "no_nine" small (on f) (note "nine is not a digit here")) (assume "rising" rises (on f))
		(body (set y a) (set last a) (set rises (ge a last)) (if (when (eq a 9:u4) (set small 0:u1)))))
	(module top (domain g "g_clk" "g_rst") (input a u4) (output y u4) (inst_in u_a u4) (inst_out u_y u4) (inst_in v_a u4) (inst_out v_y u4)
		(wire seven u1 ghost (default 0:u1)) (wire never u1 ghost (default 0:u1)) (cover "seven_seen" seven) (cover "never_seen" never)
		(instance u leaf (clock f g) (port a u_a) (port y u_y)) (instance v leaf (port a v_a) (port y v_y))
		(body (set u_a a) (set v_a (add a 1:u4)) (set y (xor u_y v_y)) (if (when (eq a 7:u4) (set seven 1:u1)))))`

func TestProperties(t *testing.T) {
	against(t, claims)
	m := newModel(t, claims, sim.Options{})
	a := func(v, domains uint64) {
		drive(t, m, map[string]uint64{"a": v})
		require.NoError(t, m.Tick(domains))
	}
	drive(t, m, map[string]uint64{"a": 9})
	require.NoError(t, m.Reset(2))
	require.Zero(t, m.Violated(), "nothing is checked in reset")
	require.NoError(t, sim.Violations(m))
	a(9, 1)
	require.Zero(t, m.Violated(), "the domain has no edge")
	a(8, 1) // v.a is 9 and falls from 10
	require.Equal(t, 2, m.Violated())
	a(7, 3)
	a(7, 2)
	a(9, 3)
	a(9, 3)
	a(8, 3)
	require.Equal(t, 4, m.Violated())
	require.Equal(t, []string{
		"cycle 4: cover seven_seen happened", "cover never_seen never happened",
		"cycle 6: assert u.no_nine is violated: nine is not a digit here", "cycle 8: assume u.rising is violated",
		"cycle 3: assert v.no_nine is violated: nine is not a digit here", "cycle 3: assume v.rising is violated",
	}, texts(m.Checks()))
	err := sim.Violations(wave.Trace(m, wave.NewRecorder("top", m, 1, nil)))
	require.EqualError(t, err, `cycle 3: assert v.no_nine is violated: nine is not a digit here
cycle 3: assume v.rising is violated
cycle 6: assert u.no_nine is violated: nine is not a digit here
cycle 8: assume u.rising is violated`)
	var v *sim.ViolationError
	require.ErrorAs(t, err, &v)
	require.Equal(t, ir.Assume, v.Checks[3].Kind)
	require.True(t, variable(t, m, "u.last").Ghost)
	require.True(t, variable(t, m, "u.small").Ghost)
	require.False(t, variable(t, m, "u.a").Ghost)
}

func texts(cs []sim.Check) []string {
	var all []string
	for _, c := range cs {
		all = append(all, c.String())
	}
	return all
}

// TestPropertiesOfOneDomain: run with the design whose state lies in one domain.
func TestPropertiesOfOneDomain(t *testing.T) {
	m := newModel(t, `(design top) (module top (input a u8) (output y u8) (reg r u8 (init 0:u8)) (wire low u1 ghost) (assert "low" low)
		(body (set r (add r a)) (set low (lt r 100:u8)) (set y r)))`, sim.Options{})
	require.NoError(t, m.Reset(1))
	drive(t, m, map[string]uint64{"a": 1})
	require.NoError(t, m.Run(90))
	require.Equal(t, "assert low holds", m.Checks()[0].String())
	require.NoError(t, m.Run(60))
	require.Equal(t, "cycle 101: assert low is violated", m.Checks()[0].String())
	require.Equal(t, 1, m.Violated())
}

// TestUncheckedModelsHaveNothingOfProperties computes a design with and without its
// properties: the outputs are equal, and nothing that serves properties is left.
func TestUncheckedModelsHaveNothingOfProperties(t *testing.T) {
	checked, bare := newModel(t, claims, sim.Options{}), newModel(t, claims, sim.Options{Unchecked: true})
	for _, v := range bare.Vars() {
		require.False(t, v.Ghost, v.Path)
	}
	require.Less(t, len(bare.Vars()), len(checked.Vars()))
	require.NoError(t, checked.Reset(1))
	require.NoError(t, bare.Reset(1))
	for v := range uint64(40) {
		for _, m := range []*sim.Model{checked, bare} {
			drive(t, m, map[string]uint64{"a": v * 7 % 16})
			require.NoError(t, m.Step())
		}
		require.Equal(t, checked.Out(), bare.Out())
	}
	require.Positive(t, checked.Violated())
	require.Zero(t, bare.Violated())
	require.NoError(t, sim.Violations(bare))
}
