package backend_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/verilator"
)

// tileLinkMutations are mistakes in the emitted RTL of the TileLink managers.
var tileLinkMutations = []mutation{
	{"accesses longer than what is left", "idma_natural_legalizer_32_max64.sv", "(|next_left[31:4]) &&", "(|next_left[31:3]) &&"},
	{"accesses not aligned", "idma_natural_legalizer_32_max64.sv", "(next_addr[3:0] == 4'd0)", "(next_addr[2:0] == 3'd0)"},
	{"a needlessly short access", "idma_natural_legalizer_32_max64.sv", "(next_addr[3:0] == 4'd0)", "(next_addr[4:0] == 5'd0)"},
	{"limit ignored", "idma_natural_legalizer_32_max64.sv", "&& next_limit[0];", "&& 1'b1;"},
	{"last bus word not known", "idma_natural_legalizer_32_max16.sv", "burst_final <= (next", "burst_final <= 1'b0 && (next"},
	{"first bus word ends with its first access", "idma_natural_legalizer_32_max64.sv", "burst_opens && !closes", "1'b0"},
	{"part goes as a bus word", "idma_read_tile_link_32.sv", "assign out_valid = u_pending_out_valid && u_answers_out_valid && u_pending_out_data[1];", "assign out_valid = u_pending_out_valid && u_answers_out_valid;"},
	{"parts not joined", "idma_read_tile_link_32.sv", "| (kept_q & ~fresh)", "| 32'd0"},
	{"beats counted short", "idma_read_tile_link_32.sv", "last_of_burst ? 8'd0 : (beat_q + 8'd1)", "last_of_burst ? 8'd0 : (beat_q + 8'd2)"},
	{"denied data pass", "idma_read_tile_link_32.sv", "{d_denied || d_corrupt, d_denied}", "{d_corrupt && !d_denied, d_denied}"},
	{"every lane asked for", "idma_read_tile_link_32.sv", "assign a_mask = (4'd15 << u_legalizer_out_low)", "assign a_mask = 4'd15"},
	{"one source", "idma_read_tile_link_32.sv", "source_q <= source_q + 3'd1;", "source_q <= source_q;"},
	{"source changes within a Put", "idma_write_tile_link_32.sv", "a_valid && a_ready && last_beat", "a_valid && a_ready"},
	{"Put begins too early", "idma_write_tile_link_32.sv", "&& row_ready && all_there;", "&& row_ready;"},
	{"last row of a turned Put forgotten", "idma_write_tile_link_32.sv", "(|u_legalizer_out_offset) && !(u_legalizer_out_last", "1'b0 && !(u_legalizer_out_last"},
	{"row leaves with its first Put", "idma_write_tile_link_32.sv", "taken && u_legalizer_out_closes", "taken"},
	{"denied Put passes", "idma_backend.sv", "{m_tl_write_d_denied || m_tl_write_d_corrupt, m_tl_write_d_denied}", "2'd0"},
}

// TestMutationsOfTileLinkAreFound requires the bench alone to find each of them.
func TestMutationsOfTileLinkAreFound(t *testing.T) {
	c := edit(func(c *backend.Config) {
		c.ReadProtocols, c.WriteProtocols = backend.PortsOf(backend.TileLink), backend.PortsOf(backend.TileLink)
		c.TLMaxSize, c.BufferDepth, c.CombinedShifter = 64, 5, false
	})
	d := elaborate(t, c)
	search := func(o verilator.Options) string {
		return found(t, func(f testing.TB) {
			for seed := range uint64(6) {
				rng := rand.New(rand.NewPCG(seed, 5))
				b := portBenchOf(f, startWith(t, rtl, d, seed, o), c, seed)
				b.stall, b.wait, b.faults, b.shared = int(seed%2)*30, 1+rng.IntN(12), seed%3 == 1, true
				b.pin("req_src_reduce_len").setBool(seed == 2)
				moves := b.random(60)
				if seed == 3 { // each alone
					require.NoError(f, b.eng.Reset(2))
					for _, v := range moves {
						v.refused = false
						b.through([]move{v})
					}
					b.compare(moves)
				} else {
					b.move(moves)
				}
				limit := uint64(64)
				if seed == 2 {
					limit = 4
				}
				var reads []accessOf
				for _, v := range moves {
					if !v.refused {
						reads = append(reads, accesses(v.src, v.length, limit)...)
					}
				}
				require.Equal(f, reads, seen(b.links[0]))
			}
		})
	}
	require.Empty(t, search(verilator.Options{Quick: true}))
	each(t, tileLinkMutations, func(t *testing.T, m mutation) {
		why := search(verilator.Options{Quick: true, Patch: m.patch(t)})
		require.NotEmpty(t, why)
		t.Log(why)
	})
}
