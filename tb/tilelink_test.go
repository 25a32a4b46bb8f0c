package tb

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

func overTileLink() *job.List {
	return list(between(job.TileLink, job.TileLink, 300, 0x103, 0x2001), between(job.AXI4, job.TileLink, 61, 0x1003, 0x3005),
		between(job.TileLink, job.AXI4, 61, 0x4003, 0x5005), between(job.TileLink, job.TileLink, 64, 0x6000, 0x7000))
}

func tileLinkEngine(t *testing.T, longest int) *touched {
	t.Helper()
	eng := backendWith(t, "axi4, tilelink", "axi4, tilelink", func(c *backend.Config) { c.TLMaxSize = longest })
	return &touched{Engine: eng, t: t, touch: func(*touched) {}}
}

func TestMistakesOnTileLinkAreFound(t *testing.T) {
	flip := func(port string, bits uint64, valid string) func(e *touched) {
		return func(e *touched) {
			if e.on(valid) {
				*e.at(port) ^= bits
			}
		}
	}
	for _, c := range []struct {
		name  string
		touch func(e *touched)
		cfg   RunConfig
		find  string
	}{
		{"wrong data", flip("m_tl_write_a_data", 0x01010101, "m_tl_write_a_valid"), RunConfig{}, "should hold"},
		{"lost bytes", flip("m_tl_write_a_mask", 15, "m_tl_write_a_valid"), RunConfig{}, "[mask]"},
		{"read of another place", flip("m_tl_read_a_address", 0x10000, "m_tl_read_a_valid"), RunConfig{}, "belongs to no transfer that runs"},
		{"write of another place", flip("m_tl_write_a_address", 0x10000, "m_tl_write_a_valid"), RunConfig{}, "belongs to no destination"},
		{"valid from ready", func(e *touched) { *e.at("m_tl_read_a_valid") &= *e.at("m_tl_read_a_ready") }, RunConfig{ReadyCheck: 1}, "m_tl_read_a_valid is 0 with every READY low"},
		{"answer before the Puts'", func(e *touched) { *e.at("rsp_valid") |= truth(e.cycle == 150) }, RunConfig{WriteLatency: 100}, "answers of its Puts still to come"},
	} {
		t.Run(c.name, func(t *testing.T) {
			eng := tileLinkEngine(t, 16)
			c.cfg.Keep = 1000
			res, err := Run(context.Background(), eng, overTileLink(), c.cfg)
			require.NoError(t, err)
			require.NoError(t, res.Err(), "nothing is wrong without the mistake")
			eng.touch, eng.cycle = c.touch, 0
			res, err = Run(context.Background(), eng, overTileLink(), c.cfg)
			if err != nil {
				require.ErrorAs(t, err, new(*HangError))
			}
			text := strings.Join(res.Findings, "\n")
			for _, v := range res.Violations {
				text += "\n" + v.String()
			}
			require.Contains(t, text, c.find)
		})
	}
}

func TestFaultsOnTileLink(t *testing.T) {
	for _, longest := range []int{0, 64} {
		cfg := RunConfig{Faults: []mem.Fault{{Lo: 0x4010, Hi: 0x4010, Resp: axi4.SlvErr}, {Write: true, Lo: 0x3010, Hi: 0x3010, Resp: axi4.DecErr},
			{Lo: 0x102, Hi: 0x102, Resp: axi4.DecErr}}} // the last is beside what is read
		res, err := Run(context.Background(), tileLinkEngine(t, longest), overTileLink(), cfg)
		require.NoError(t, err)
		require.NoError(t, res.Err())
		require.Equal(t, 2, res.ErrorResponses)
	}
}

func TestPiecesOfTileLink(t *testing.T) {
	l := list(between(job.TileLink, job.TileLink, 12, 1, 2))
	require.EqualValues(t, 1+2+1, FewestWriteBeats(l, 4), "2 bytes, 4, 4, 2")
	require.Len(t, ReadBursts(&l.Jobs[0], 4), 5, "1, 2, 4, 4 and 1")
}
