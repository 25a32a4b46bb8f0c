package tb

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// errorsOver is random transfers with errors between ports of an engine with so many bytes
// a word.
func errorsOver(seed uint64, bytes int, read, write []job.Side, actions ...job.Action) *job.List {
	l := Random(seed, RandomConfig{Jobs: 60, Bytes: bytes, AddrWidth: 32, LengthWidth: 32, MaxLength: uint64(40 * bytes), Zero: 4})
	rng := rand.New(rand.NewPCG(seed, 77))
	on := func(s *job.Side, ports []job.Side) {
		p := ports[rng.IntN(len(ports))]
		s.Protocol, s.Head, s.Mode = p.Protocol, p.Head, uint8(rng.IntN(3))
	}
	keep := l.Jobs[:0]
	for _, j := range l.Jobs {
		on(&j.Src, read)
		on(&j.Dst, write)
		if !j.OverlapsUpward() {
			keep = append(keep, j)
		}
	}
	l.Jobs = keep
	AddErrors(seed, l, ErrorConfig{Bytes: bytes, Percent: 40, Most: 3, Actions: actions})
	return l
}

func sidesOf(ps ...job.Protocol) (all []job.Side) {
	n := map[job.Protocol]int{}
	for _, p := range ps {
		all = append(all, job.Side{Protocol: p, Head: n[p]})
		n[p]++
	}
	return all
}

// Every action about errors on every port whose errors the bench knows, between each two of
// them and all together.
func TestErrorsOnEveryPort(t *testing.T) {
	for _, c := range []struct {
		read, write string
		from, to    []job.Side
	}{
		{"axi4, obi", "axi4, obi", sidesOf(job.AXI4, job.OBI), sidesOf(job.AXI4, job.OBI)},
		{"obi", "obi", sidesOf(job.OBI), sidesOf(job.OBI)},
		{"axi_lite", "axi_lite", sidesOf(job.AXI4Lite), sidesOf(job.AXI4Lite)},
		{"obi", "axi4", sidesOf(job.OBI), sidesOf(job.AXI4)},
		{"init", "axi4, obi", sidesOf(job.Init), sidesOf(job.AXI4, job.OBI)},
		{"axi4, axi4, obi, obi", "axi_lite, axi4, axi4, init", sidesOf(job.AXI4, job.AXI4, job.OBI, job.OBI), sidesOf(job.AXI4Lite, job.AXI4, job.AXI4, job.Init)},
		{"tilelink", "tilelink", sidesOf(job.TileLink), sidesOf(job.TileLink)},
		{"axi4, tilelink", "obi, tilelink", sidesOf(job.AXI4, job.TileLink), sidesOf(job.OBI, job.TileLink)},
		{everyPort, everyPort, sidesOf(job.AXI4, job.OBI, job.AXI4Lite, job.Init, job.AXI4Stream), sidesOf(job.AXI4, job.OBI, job.AXI4Lite, job.Init, job.AXI4Stream)},
	} {
		t.Run(c.read+" to "+c.write, func(t *testing.T) {
			for seed := uint64(1); seed <= 6; seed++ {
				width := 32 << (seed % 3)
				eng := backendWith(t, c.read, c.write, func(b *backend.Config) {
					b.DataWidth, b.ErrorHandling, b.OBIReady, b.TLMaxSize = width, true, seed%2 == 0, width/8<<(seed%4)
				})
				l := errorsOver(seed, width/8, c.from, c.to, job.Action(seed%3), job.Action(seed/2%3))
				cfg := RunConfig{ReadLatency: 1 + int(seed*5), WriteLatency: 1 + int(seed*3), Stalls: mem.AllStalls(int(seed%3) * 20), ActionStall: int(seed%2) * 80, Seed: seed}
				res, err := Run(context.Background(), eng, l, cfg)
				require.NoError(t, err, "seed %d", seed)
				require.NoError(t, res.Err(), "seed %d", seed)
				require.Positive(t, res.ErrorResponses)
			}
		})
	}
}

// Each mistake is made on a port of a sound engine, and must be named.
func TestMistakesAboutErrorsAreFound(t *testing.T) {
	read, write := job.BusError{Addr: 0x1010, Action: job.Continue}, job.BusError{Write: true, Addr: 0x9004, Action: job.Replay}
	l := list()
	for i, p := range []job.Protocol{job.OBI, job.AXI4Lite, job.TileLink, job.AXI4} {
		j := between(p, p, 64, 0x1000+0x100*uint64(i), 0x9000+0x100*uint64(i))
		for _, e := range []job.BusError{read, write} {
			e.Addr += 0x100 * uint64(i)
			j.Errors = append(j.Errors, e)
		}
		l.Jobs = append(l.Jobs, j)
	}
	const ports = "axi4, obi, axi_lite, tilelink"
	flip := func(port string, bits uint64, when ...string) func(e *touched) {
		return func(e *touched) {
			if e.on(when...) {
				*e.at(port) ^= bits
			}
		}
	}
	for _, c := range []struct {
		name   string
		hide   map[string]uint64 // inputs that the engine is given instead of what the memory says
		touch  func(e *touched)
		finds  string
		sounds bool
	}{
		{name: "none", touch: func(*touched) {}, sounds: true},
		{name: "wrong address", touch: flip("rsp_burst_addr", 0x40, "rsp_valid", "rsp_asks"), finds: "was told of as"},
		{name: "wrong cause", touch: flip("rsp_cause", 1, "rsp_valid", "rsp_asks"), finds: "was told of as"},
		{name: "wrong type", touch: flip("rsp_err_type", 1, "rsp_valid", "rsp_asks"), finds: "an error is told of that did not come"},
		{name: "OBI, read error not told", hide: map[string]uint64{"m_obi_read_err": 0}, touch: func(*touched) {}, finds: "transfer 0 (64 bytes from 0x1000 to 0x9000) ended without a word of the read error at 0x1010"},
		{name: "OBI, write error not told", hide: map[string]uint64{"m_obi_write_err": 0}, touch: func(*touched) {}, finds: "ended without a word of the write error at 0x9004"},
		{name: "AXI4-Lite, read error not told", hide: map[string]uint64{"m_axil_rresp": 0}, touch: func(*touched) {}, finds: "ended without a word of the read error at 0x1110"},
		{name: "AXI4-Lite, write error not told", hide: map[string]uint64{"m_axil_bresp": 0}, touch: func(*touched) {}, finds: "ended without a word of the write error at 0x9104"},
		{name: "TileLink, read error not told", hide: map[string]uint64{"m_tl_read_d_corrupt": 0}, touch: func(*touched) {}, finds: "ended without a word of the read error at 0x1210"},
		{name: "TileLink, write error not told", hide: map[string]uint64{"m_tl_write_d_denied": 0}, touch: func(*touched) {}, finds: "ended without a word of the write error at 0x9204"},
		{name: "AXI4, read error not told", hide: map[string]uint64{"m_axi_rresp": 0}, touch: func(*touched) {}, finds: "ended without a word of the read error at 0x1310"},
		{name: "AXI4, write error not told", hide: map[string]uint64{"m_axi_bresp": 0}, touch: func(*touched) {}, finds: "ended without a word of the write error at 0x9304"},
	} {
		t.Run(c.name, func(t *testing.T) {
			eng := backendWith(t, ports, ports, func(b *backend.Config) { b.ErrorHandling = true })
			e := &deaf{&touched{Engine: eng, t: t, touch: c.touch}, c.hide}
			res, err := Run(context.Background(), e, l, RunConfig{ReadyCheck: -1})
			require.NoError(t, err)
			if c.sounds {
				require.NoError(t, res.Err())
				require.Equal(t, 9, res.ErrorResponses, "AXI4 repeats the whole burst, and meets its read error again")
				return
			}
			require.Error(t, res.Err())
			require.Contains(t, strings.Join(res.Findings, "\n"), c.finds)
		})
	}
}

// deaf is an engine that does not get some of its inputs.
type deaf struct {
	*touched
	hide map[string]uint64
}

func (e *deaf) Step() error {
	for name, v := range e.hide {
		*e.at(name) = v
	}
	return e.touched.Step()
}
