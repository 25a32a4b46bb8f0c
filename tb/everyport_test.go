package tb

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

const everyPort = "axi4, obi, axi_lite, init, axi_stream"

// backendWith is an engine with the given ports.
func backendWith(t *testing.T, read, write string, edits ...func(*backend.Config)) *sim.Model {
	t.Helper()
	c := backend.Default()
	require.NoError(t, c.ReadProtocols.UnmarshalText([]byte(read)))
	require.NoError(t, c.WriteProtocols.UnmarshalText([]byte(write)))
	for _, e := range edits {
		e(&c)
	}
	d, err := backend.Elaborate(c)
	require.NoError(t, err)
	eng, err := sim.New(d, sim.Options{Seed: 1})
	require.NoError(t, err)
	return eng
}

// from and to make a transfer between protocols.
func between(from, to job.Protocol, length, src, dst uint64) job.Job {
	j := job.New(length, src, dst)
	j.Src.Protocol, j.Dst.Protocol = from, to
	return j
}

// pairs is a transfer between each two protocols of [everyPort].
func pairs() *job.List {
	l := list()
	for _, from := range []job.Protocol{job.AXI4, job.OBI, job.AXI4Lite, job.Init, job.AXI4Stream} {
		for _, to := range []job.Protocol{job.AXI4, job.OBI, job.AXI4Lite, job.Init, job.AXI4Stream} {
			at := 0x100 * uint64(len(l.Jobs)+1)
			j := between(from, to, 61, at+3, 0x1_0005+at)
			j.Src.Mode = uint8(len(l.Jobs) % 3)
			l.Jobs = append(l.Jobs, j)
		}
	}
	return l
}

// touched is an engine whose outputs are changed after each step.
type touched struct {
	sim.Engine
	t     *testing.T
	cycle int
	touch func(e *touched)
}

func (e *touched) settle(err error) error {
	if err == nil {
		e.touch(e)
	}
	return err
}

func (e *touched) Step() error { e.cycle++; return e.settle(e.Engine.Step()) }
func (e *touched) Eval() error { return e.settle(e.Engine.Eval()) }

// at is the lowest word of a port.
func (e *touched) at(name string) *uint64 {
	p, err := e.Layout().Port(name)
	require.NoError(e.t, err)
	if p.Input {
		return &e.In()[p.Offset]
	}
	return &e.Out()[p.Offset]
}

func (e *touched) on(names ...string) bool {
	for _, n := range names {
		if *e.at(n) == 0 {
			return false
		}
	}
	return true
}

// Each mistake is made on a port of a sound engine, and must be named.
func TestMistakesOnEveryPortAreFound(t *testing.T) {
	flip := func(port string, bits uint64, when ...string) func(e *touched) {
		return func(e *touched) {
			if e.on(when...) {
				*e.at(port) ^= bits
			}
		}
	}
	stalls := RunConfig{Memory: Separate, Stalls: mem.AllStalls(40), NullBytes: 20}
	for _, c := range []struct {
		name  string
		touch func(e *touched)
		cfg   RunConfig
		find  string
	}{
		{"OBI, wrong data", flip("m_obi_write_wdata", 0x100, "m_obi_write_req"), RunConfig{}, "should hold"},
		{"OBI, lost byte", flip("m_obi_write_be", 2, "m_obi_write_req"), RunConfig{}, "should hold"},
		{"OBI, wrong address", flip("m_obi_write_addr", 0x1000, "m_obi_write_req"), RunConfig{}, "AW burst of 1 beats at 0x11204 where transfer 1"},
		{"OBI, read of another word", flip("m_obi_read_addr", 0x1000, "m_obi_read_req"), RunConfig{}, "AR burst"},
		{"OBI, wrong identifier", flip("m_obi_read_aid", 1, "m_obi_read_req"), RunConfig{}, "ARID of the burst"},
		{"OBI, we of a read", flip("m_obi_read_we", 1, "m_obi_read_req"), RunConfig{}, "we is not that of the bus [request-changed]"},
		{"OBI, changing byte enables", func(e *touched) {
			if e.cycle%2 == 0 {
				*e.at("m_obi_write_be") = 15
			}
		}, stalls, "be changed"},
		{"OBI, req from gnt", func(e *touched) { *e.at("m_obi_read_req") &= *e.at("m_obi_read_gnt") }, RunConfig{ReadyCheck: 1}, "[req-from-gnt]"},
		{"AXI4-Lite, wrong data", flip("m_axil_wdata", 1, "m_axil_wvalid"), RunConfig{}, "should hold"},
		{"AXI4-Lite, wrong strobes", flip("m_axil_wstrb", 4, "m_axil_wvalid"), RunConfig{}, "should hold"},
		{"AXI4-Lite, changing data", func(e *touched) {
			if e.on("m_axil_wvalid") {
				*e.at("m_axil_wdata") ^= uint64(e.cycle & 1)
			}
		}, stalls, "m_axil: cycle"},
		{"AXI4-Lite, ARVALID from ARREADY", func(e *touched) { *e.at("m_axil_arvalid") &= *e.at("m_axil_arready") }, RunConfig{ReadyCheck: 1}, "ARVALID is 0 with every READY low"},
		{"stream, wrong data", flip("m_axis_tdata", 1, "m_axis_tvalid"), RunConfig{}, "should hold"},
		{"stream, lost byte", func(e *touched) {
			if e.on("m_axis_tvalid", "m_axis_tlast") {
				*e.at("m_axis_tkeep") &^= 1
				*e.at("m_axis_tstrb") &^= 1
			}
		}, RunConfig{}, "has 60 bytes"},
		{"stream, strobe where no byte is", func(e *touched) {
			if e.on("m_axis_tvalid") {
				*e.at("m_axis_tstrb") = 15
			}
		}, RunConfig{}, "[strobe-reserved]"},
		{"stream, early end", flip("m_axis_tlast", 1, "m_axis_tvalid"), RunConfig{}, "the packet of transfer 4"},
		{"stream, wrong TDEST", flip("m_axis_tdest", 1, "m_axis_tvalid"), RunConfig{}, "TDEST"},
		{"stream, TID changes", func(e *touched) {
			if e.on("m_axis_tvalid") {
				*e.at("m_axis_tid") ^= uint64(e.cycle & 1)
			}
		}, RunConfig{}, "[interleaved]"},
		{"stream, TVALID falls", func(e *touched) {
			if !e.on("m_axis_tready") && e.cycle%2 == 0 {
				*e.at("m_axis_tvalid") = 0
			}
		}, stalls, "[valid-dropped]"},
		{"stream, TVALID from TREADY", func(e *touched) { *e.at("m_axis_tvalid") &= *e.at("m_axis_tready") }, RunConfig{ReadyCheck: 1}, "[valid-from-ready]"},
		{"busy too early", func(e *touched) { *e.at("busy") = 0 }, RunConfig{WriteLatency: 20}, "busy is zero with"},
	} {
		t.Run(c.name, func(t *testing.T) {
			eng := backendWith(t, everyPort, everyPort)
			c.cfg.Keep = 1000
			require.NoError(t, func() error {
				res, err := Run(context.Background(), eng, pairs(), c.cfg)
				require.NoError(t, err)
				return res.Err()
			}(), "nothing is wrong without the mistake")
			res, err := Run(context.Background(), &touched{Engine: eng, t: t, touch: c.touch}, pairs(), c.cfg)
			if err != nil {
				require.ErrorAs(t, err, new(*HangError))
			}
			text := strings.Join(res.Findings, "\n")
			for _, v := range res.Violations {
				text += "\n" + v.String()
			}
			require.Error(t, res.Err())
			require.Contains(t, text, c.find)
		})
	}
}

// A port writes where another should: with a memory for each, that is found.
func TestEachPortHasItsMemory(t *testing.T) {
	eng := backendWith(t, "axi4, axi4", "obi, obi, obi")
	l := list()
	for i := range 6 {
		j := between(job.AXI4, job.OBI, 40, 0x100*uint64(i), 0x100*uint64(i))
		j.Src.Head, j.Dst.Head = i%2, i%3
		l.Jobs = append(l.Jobs, j)
	}
	for _, m := range []Sharing{Separate, PerPort} {
		res, err := Run(context.Background(), eng, l, RunConfig{Memory: m})
		require.NoError(t, err)
		require.NoError(t, res.Err())
	}
	swap := &touched{Engine: eng, t: t, touch: func(e *touched) {}}
	head := &headSwap{touched: swap}
	res, err := Run(context.Background(), head, l, RunConfig{Memory: PerPort})
	require.NoError(t, err)
	require.ErrorContains(t, res.Err(), "AW burst")
	require.Contains(t, strings.Join(res.Findings, "\n"), "was never written")
	_, err = Run(context.Background(), eng, list(edited(l.Jobs[0], func(j *job.Job) { j.Dst.Head = 3 })), RunConfig{})
	require.ErrorContains(t, err, "dst_head is 3; expected 0…2; that is how many ports of obi the engine has here")
}

func edited(j job.Job, f func(*job.Job)) job.Job { f(&j); return j }

// headSwap asks for the first port instead of the second.
type headSwap struct{ *touched }

func (e *headSwap) Step() error {
	if h := e.at("req_dst_head"); *h == 1 {
		*h = 0
	}
	return e.touched.Step()
}

// A word that fails is told of on every bus that can.
func TestFaultsOnEveryPort(t *testing.T) {
	for _, p := range []job.Protocol{job.AXI4, job.OBI, job.AXI4Lite} {
		eng := backendWith(t, everyPort, everyPort)
		l := list(between(p, job.AXI4, 64, 0x1000, 0x8000), between(job.Init, p, 64, 7, 0x9000), between(job.AXI4Stream, p, 64, 7, 0xa000))
		res, err := Run(context.Background(), eng, l, RunConfig{Faults: []mem.Fault{{Lo: 0x1010, Hi: 0x1010, Resp: axi4.SlvErr}, {Write: true, Lo: 0x9004, Hi: 0x9004, Resp: axi4.DecErr}}})
		require.NoError(t, err)
		require.NoError(t, res.Err())
		require.Equal(t, 2, res.ErrorResponses, "%v", p)
	}
}

// What is made in the engine and dropped there shows on no bus, however long it takes.
func TestNothingSeenIsNoHang(t *testing.T) {
	eng := backendWith(t, "init", "init")
	res, err := Run(context.Background(), eng, list(between(job.Init, job.Init, 100_000, 1, 0)), RunConfig{Watchdog: 50})
	require.NoError(t, err)
	require.NoError(t, res.Err())
	require.Zero(t, res.FewestWriteBeats)
	require.Zero(t, res.Utilisation)
	require.Greater(t, res.Cycles, uint64(25_000))
}

// A memory that refuses writes while a read waits does not stop a copy from a port to
// itself, if the engine asks for no more than it has room for (hazard 16).
func TestHazard16CopyWithinOnePortWhoseMemoryPrefersReads(t *testing.T) {
	for _, p := range []job.Protocol{job.OBI, job.AXI4Lite, job.AXI4} {
		name := map[job.Protocol]string{job.OBI: "obi", job.AXI4Lite: "axi_lite", job.AXI4: "axi4"}[p]
		for _, ready := range []bool{false, true} {
			eng := backendWith(t, name, name, func(c *backend.Config) { c.ReserveBuffer, c.OBIReady = true, ready })
			res, err := Run(context.Background(), eng, list(between(p, p, 400, 0x103, 0x1001), between(p, p, 9, 0x2000, 0x3003)), RunConfig{ReadsFirst: true, ReadLatency: 5})
			require.NoError(t, err)
			require.NoError(t, res.Err())
		}
	}
}

// Without rready the engine takes each response in the cycle in which it comes, however
// its writes are held up (hazard 17).
func TestHazard17OBIWithoutReady(t *testing.T) {
	for _, ready := range []bool{false, true} {
		eng := backendWith(t, "obi", "obi", func(c *backend.Config) { c.OBIReady = ready })
		_, err := eng.Layout().Port("m_obi_read_rready")
		require.Equal(t, ready, err == nil)
		for seed := range uint64(5) {
			res, err := Run(context.Background(), eng, list(between(job.OBI, job.OBI, 900, 3, 0x1001), between(job.OBI, job.OBI, 9, 0x2000, 0x3003)),
				RunConfig{Stalls: mem.Stalls{AW: 90}, ReadLatency: 1 + int(seed)*7, RspStall: 50, Seed: seed})
			require.NoError(t, err)
			require.NoError(t, res.Err())
		}
	}
}
