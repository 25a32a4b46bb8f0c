package midend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/midend"
)

// arbitrated is an arbiter above tensor_ND.
func arbitrated() midend.Chain {
	a, n := midend.DefaultArbiter(), midend.DefaultTensor()
	return midend.Chain{{Name: "arbiter", Stage: a}, {Name: "loops", Stage: n}}
}

// A chain has the links of its ends, and does what its stages do one after the other.
func TestChain(t *testing.T) {
	d, err := arbitrated().Elaborate("arbitrated")
	require.NoError(t, err)
	for _, e := range []pins{{t, model(t, d, 1)}, {t, both(t, d, 1)}} {
		require.NoError(t, e.Reset(2))
		for _, up := range []string{"up0_", "up1_"} {
			for name, v := range map[string]uint64{"req_length": 4, "req_src_addr": 0x100, "req_dim_0_reps": 3, "req_dim_1_reps": 1, "req_dim_0_src_stride": 8, "req_valid": 1, "rsp_ready": 1} {
				e.set(up+name, v)
			}
		}
		e.set("down_req_ready", 1)
		var got []uint64
		for range 12 {
			require.NoError(t, e.Step())
			if e.on("down_req_valid") {
				got = append(got, e.get("down_req_src_addr"))
			}
			for _, up := range []string{"up0_", "up1_"} {
				if e.on(up + "req_ready") {
					e.set(up+"req_valid", 0)
				}
			}
		}
		require.Equal(t, []uint64{0x100, 0x108, 0x110, 0x100, 0x108, 0x110}, got)
		require.True(t, e.on("busy"))
	}
}

func TestStagesThatDoNotJoin(t *testing.T) {
	arbiter, loops := midend.DefaultArbiter(), midend.DefaultTensor()
	wide := loops
	wide.Backend.AddrWidth = 40
	few, lone := arbiter, arbiter
	lone.Inputs = 1
	few.Dims = 1
	for name, tc := range map[string]struct {
		chain midend.Chain
		want  string
	}{
		"none":     {midend.Chain{}, "the chain of mid-ends has no stages; it needs at least one"},
		"no name":  {midend.Chain{{Stage: arbiter}}, "stage 0 of the chain of mid-ends has no name or no stage; give it both"},
		"one name": {midend.Chain{{"a", arbiter}, {"a", loops}}, "two stages of the chain of mid-ends are called a; give each a name of its own"},
		"inside":   {midend.Chain{{"a", lone}}, "in a: Inputs is 1; allowed: 2 to 64"},
		"turned around": {midend.Chain{{"loops", loops}, {"arbiter", arbiter}},
			"loops has 1 link below, and arbiter, which follows, 2 links above; put a stage between them, or several in a Row, so that each has its counterpart"},
		"dimensions": {midend.Chain{{"arbiter", few}, {"loops", loops}}, "loops's up cannot follow arbiter's down: the link has requests of 1 dimension, " +
			"for a back-end from axi4 to axi4 with addresses of 32 and lengths of 32 bits above and requests of 3 dimensions, counted in 32, 32 bits, " +
			"for a back-end from axi4 to axi4 with addresses of 32 and lengths of 32 bits below; they differ in Dims (1, 3), RepsWidths (, 32 32); give both stages the same"},
		"addresses": {midend.Chain{{"arbiter", arbiter}, {"loops", wide}}, "loops's up cannot follow arbiter's down: the link has requests of 3 dimensions, counted in 32, 32 bits, " +
			"for a back-end from axi4 to axi4 with addresses of 32 and lengths of 32 bits above and requests of 3 dimensions, counted in 32, 32 bits, " +
			"for a back-end from axi4 to axi4 with addresses of 40 and lengths of 32 bits below; they differ in AddrWidth (32, 40); give both stages the same"},
	} {
		require.EqualError(t, tc.chain.Validate(), tc.want, name)
		_, err := tc.chain.Elaborate("x")
		require.Error(t, err)
	}
	few.Dims, few.RepsWidths = 0, midend.Widths{}
	require.EqualError(t, few.Validate(), "Dims is 0; allowed: 1 to 8", "how many widths there must be is not known then")
	a, b := midend.Linear(backend.Default()), midend.Linear(backend.Default())
	b.Backend.BufferDepth = 17
	require.NoError(t, midend.Joins(a, b), "the buffer is nobody else's business")
	require.NoError(t, b.Backend.Compute.UnmarshalText([]byte("byte_swap")))
	require.ErrorContains(t, midend.Joins(a, b), "they differ in Compute (, byte_swap)")
}

// Stages beside each other have the links of all.
func TestRow(t *testing.T) {
	n := midend.DefaultTensor()
	c := midend.Chain{{Name: "both", Stage: midend.Row{{Name: "a", Stage: n}, {Name: "b", Stage: n}}}, {Name: "arbiter", Stage: func() midend.ArbiterConfig {
		a := midend.DefaultArbiter()
		a.Dims = 1
		return a
	}()}}
	require.NoError(t, c.Validate())
	require.Len(t, c.Up(), 2)
	d, err := c.Elaborate("beside")
	require.NoError(t, err)
	_, err = model(t, d, 1).Layout().Port("up1_req_dim_1_reps")
	require.NoError(t, err)
}
