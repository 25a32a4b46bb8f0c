package backend_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/verilator"
)

// mutation is a mistake put into the emitted RTL of the default engine.
type mutation struct{ name, file, from, to string }

func (m mutation) String() string { return m.name }

var mutations = []mutation{
	{"lost strobe", "idma_write_axi4_32.sv", "wstrb = ((4'd15 << now_offset)", "wstrb = ((4'd14 << now_offset)"},
	{"strobe of a byte too many", "idma_write_axi4_32.sv", "(4'd15 >> ~now_tail)", "((4'd15 >> ~now_tail) | 4'd2)"},
	{"wrong row", "idma_row_buffer_4x32.sv", "high_row = (open_q || in_skip)", "high_row = open_q"},
	{"row complete too early", "idma_row_buffer_4x32.sv", "write_low ^ (write_high && in_last)", "write_low ^ write_high"},
	{"wrong rotation", "idma_read_axi4_32.sv", "rotate = transfer_dst_offset - u_legalizer_out_offset", "rotate = transfer_dst_offset"},
	{"page ends a word late", "idma_legalizer_32_max256.sv", "page_left = ~next_word[9:0]", "page_left = ~(next_word[9:0] - 10'd1)"},
	{"page ends a word early", "idma_legalizer_32_max256.sv", "page_left = ~next_word[9:0]", "page_left = ~(next_word[9:0] | 10'd1)"},
	{"cap forgotten after the first burst", "idma_legalizer_32_max256.sv", "8'd255) : limit_q", "8'd255) : 8'd255"},
	{"transfer a beat short", "idma_legalizer_32_max256.sv", "left_q - 31'(burst_len)) - 31'd1", "left_q - 31'(burst_len)) - 31'd2"},
	{"answers to refusals vanish", "idma_completion_32.sv", "rsp_valid = u_written_out_valid && u_written_out_data[4] && answers", "rsp_valid = u_written_out_valid && u_written_out_data[4] && bvalid"},
	{"answer before the write response", "idma_completion_32.sv", "answers = u_written_out_data[2] || bvalid", "answers = 1'b1"},
	{"write error forgotten", "idma_completion_32.sv", "write_cause = |failed_q ? failed_q : ", "write_cause = "},
	{"read error forgotten", "idma_read_axi4_32.sv", "cause_q <= cause & ", "cause_q <= 2'd0 & "},
	{"read error leaks into the next transfer", "idma_read_axi4_32.sv", "cause_q <= cause & {{2{!last_beat}}}", "cause_q <= cause"},
	{"read address withdrawn", "idma_read_axi4_32.sv", "(offered_q || !hold)", "!hold"},
	{"write address twice", "idma_write_axi4_32.sv", "addressed_q <= (addressed_q || (awvalid && awready))", "addressed_q <= (awvalid && awready)"},
	{"last beat marked only at the end of a transfer", "idma_write_axi4_32.sv", "wlast = last_beat", "wlast = last_of_transfer"},
	{"one attribute for another", "idma_write_axi4_32.sv", "awqos = transfer_attr_qos", "awqos = transfer_attr_region"},
	{"queue overflows", "idma_fifo_8x5.sv", "in_ready = count_q != 4'd8", "in_ready = 1'b1"},
	{"idle while data are pending", "idma_fifo_16x5.sv", "busy = out_valid", "busy = 1'b0"},
}

// patch makes the change, which must have exactly one place to go.
func (m mutation) patch(t testing.TB) func([]gen.File) []gen.File {
	return func(files []gen.File) []gen.File {
		places := 0
		for i, f := range files {
			if f.Name == m.file {
				places = strings.Count(string(f.Data), m.from)
				files[i].Data = []byte(strings.Replace(string(f.Data), m.from, m.to, 1))
			}
		}
		require.Equal(t, 1, places, "%q in %s", m.from, m.file)
		return files
	}
}

// searching is a list and a memory that give every mutation an opportunity.
func searching() (*job.List, tb.RunConfig) {
	list := tb.Random(7, tb.RandomConfig{Jobs: 150, Bytes: 4, AddrWidth: 32, LengthWidth: 32, MaxLength: 3000, Zero: 4, Refused: 4})
	list.Jobs = append(list.Jobs, tiny(60, 4).Jobs...)
	cfg := tb.RunConfig{
		ReadLatency: 20, WriteLatency: 30, RspStall: 20, ReadyCheck: 16, Seed: 1,
		Stalls: mem.Stalls{AR: 20, AW: 20, W: 30},
	}
	for i := 3; i < 60; i += 8 {
		j := &list.Jobs[i]
		cfg.Faults = append(cfg.Faults,
			mem.Fault{Lo: j.Src.Addr, Hi: j.Src.Addr, Resp: axi4.SlvErr},
			mem.Fault{Write: true, Lo: j.Dst.Addr + j.Length/2, Hi: j.Dst.Addr + j.Length/2, Resp: axi4.DecErr})
	}
	return list, cfg
}

func TestMutationsAreFound(t *testing.T) {
	d := elaborate(t, backend.Default())
	list, cfg := searching()
	run(t, startWith(t, lockstep, d, 1, verilator.Options{Quick: true}), list, cfg)
	each(t, mutations, func(t *testing.T, m mutation) {
		lib, err := verilator.Build(t.Context(), d, verilator.Options{State: true, Quick: true, Patch: m.patch(t)})
		require.NoError(t, err)

		model, err := sim.New(d, sim.Options{Seed: 1})
		require.NoError(t, err)
		mutant, err := lib.New(1)
		require.NoError(t, err)
		both, err := verilator.NewLockstep(model, mutant, verilator.LockstepOptions{Window: -1})
		require.NoError(t, err)
		_, err = tb.Run(t.Context(), both, list, cfg)
		var found *verilator.Mismatch
		require.ErrorAs(t, err, &found, "lockstep")
		require.NoError(t, both.Close())

		mutant, err = lib.New(1)
		require.NoError(t, err)
		res, err := tb.Run(t.Context(), mutant, list, cfg)
		if err != nil {
			require.ErrorAs(t, err, new(*tb.HangError))
		} else if res.WriteBursts == writeBursts(list, 4) {
			require.Error(t, res.Err(), "the bench alone")
		}
		require.NoError(t, mutant.Close())
	})
}
