package backend_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/verilator"
)

// handlerMutations are mistakes in the emitted RTL that show only where errors are
// handled.
var handlerMutations = []mutation{
	{"strobes on while writes are dropped", "idma_write_axi4_32.sv", "    & ~{{4{blank}}};", "    & {4{1'b1}};"},
	{"strobe lost", "idma_write_axi4_32.sv", "wstrb = ((4'd15 << now_offset)", "wstrb = ((4'd14 << now_offset)"},
	{"data that wait become blank", "idma_write_axi4_32.sv", "assign blank = data_waits_q ? blank_q : halt_drop;", "assign blank = halt_drop;"},
	{"data that wait are withdrawn", "idma_write_axi4_32.sv", "(row_ready && (data_waits_q || !halt_stop))", "(row_ready && !halt_stop)"},
	{"address that waits is withdrawn", "idma_write_axi4_32.sv", " || address_waits_q\n", "\n"},
	{"read address that waits is withdrawn", "idma_read_axi4_32.sv", "(offered_q || !(hold || drop))", "!(hold || drop)"},
	{"error passed over without an action", "idma_backend.sv", "assign bad_word = u_rows_out_ready && (|u_rows_out_cause) && !passed_q;", "assign bad_word = u_rows_out_ready && u_rows_out_cause == 2'd3 && !passed_q;"},
	{"told of before older writes are acknowledged", "idma_backend.sv", "u_write_next_wanted && u_completion_idle;", "u_write_next_wanted;"},
	{"replay begins at the start", "idma_backend.sv", "& {{32{|byte_at_mux}}};", "& 32'd0;"},
	{"replay begins a word late", "idma_backend.sv", "- 32'(kept_q[53:52]))", "- 32'(kept_q[53:52]) + 32'd4)"},
	{"error in the last burst before a replay ignored", "idma_backend.sv", "if (partial_q && (|u_completion_oldest_cause)) begin", "if (1'b0) begin"},
	{"younger transfers are forgotten", "idma_backend.sv", "fed_q <= oldest_q + 6'd1;", "fed_q <= head_q;"},
	{"aborted transfer starts again", "idma_backend.sv", "fed_q <= oldest_q + 6'd1;", "fed_q <= oldest_q;"},
	{"write error told of twice", "idma_completion_32.sv", "assign tells = failed && !told_q;", "assign tells = failed;"},
	{"error leaks into the next row", "idma_row_buffer_4x32_index31.sv", "cause1_q <= in_cause & {{2{in_skip}}};", "cause1_q <= in_cause;"},
	{"burst address of the burst before", "idma_read_axi4_32.sv", "burst_index = started_q ? burst_index_q : index_q", "burst_index = burst_index_q"},
	{"written burst counted short", "idma_completion_32.sv", "(index_q + 31'd1 + 31'(u_written_out_data[7:0]))", "(index_q + 31'(u_written_out_data[7:0]))"},
	{"rows keep what was dropped", "idma_backend.sv", "assign rewind = drop && quiet;", "assign rewind = 1'b0;"},
}

// TestMutationsOfTheErrorHandlerAreFound requires the bench alone to find each of them,
// without the model beside it.
func TestMutationsOfTheErrorHandlerAreFound(t *testing.T) {
	c := handling()
	d := elaborate(t, c)
	search := func(eng sim.Engine) error {
		for seed := range uint64(12) {
			list, cfg := randomErrors(rand.New(rand.NewPCG(seed, 6)), seed, c, 60, allActions...)
			cfg.Stalls = []mem.Stalls{{W: 60, AW: 60, AR: 50}, {W: 80}, {AW: 80, B: 30}, {R: 30}}[seed%4]
			cfg.WriteOrder, cfg.ReadsFirst, cfg.WriteLatency, cfg.Launch, cfg.Memory = mem.AnyOrder, false, 1+int(seed*3), tb.BackToBack, tb.Separate
			res, err := tb.Run(t.Context(), eng, list, cfg)
			if err := errors.Join(err, res.Err()); err != nil {
				return err
			}
		}
		return nil
	}
	require.NoError(t, search(startWith(t, rtl, d, 1, verilator.Options{Quick: true})))
	each(t, handlerMutations, func(t *testing.T, m mutation) {
		err := search(startWith(t, rtl, d, 1, verilator.Options{Quick: true, Patch: m.patch(t)}))
		require.Error(t, err)
		t.Log(err)
	})
}
