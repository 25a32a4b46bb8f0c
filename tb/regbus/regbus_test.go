package regbus_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/tb/regbus"
)

type fault int

// The ways in which a subordinate can be wrong.
const (
	none      fault = iota
	unasked         // it answers what was not asked
	withdrawn       // an answer goes away before it was taken
	changed         // an answer changes before it was taken
	code            // a response that register files do not give
	wrongID         // the answer has another identifier
	outside         // an error outside an access
	silent          // it never answers
)

type liteIO struct {
	S bus.AXILite `hdl:"in,name=s"`
}

// lite answers reads in the next cycle and takes no writes.
func lite(m *hdl.Module, f fault) liteIO {
	s := hdl.Ports(m, "s", hdl.Sink, bus.NewAXILite(bus.AXILiteParams{DataWidth: 32, AddrWidth: 8}), hdl.MayBeUnused())
	valid, count := m.Reg("valid_q", hdl.Bool()), m.Reg("count_q", hdl.U(32), hdl.MayBeUnused())
	count.Set(count.Add(hdl.K(1)))
	data := m.Reg("data_q", hdl.U(32))
	m.If(s.R.Ready, func() { valid.Set(hdl.K(0)) })
	m.If(s.AR.Valid.And(s.AR.Ready), func() {
		valid.Set(hdl.K(1))
		data.Set(count)
	})
	s.AR.Ready.Set(valid.Not())
	shown, word := valid.Signal, data.Signal
	s.R.Data.Resp.Set(hdl.K(map[fault]int{code: 1}[f]))
	switch f {
	case unasked:
		shown = shown.Or(count.Eq(hdl.K(1)))
	case withdrawn:
		shown = shown.AndNot(count.Bit(1))
	case changed:
		word = hdl.Mux(count.Bit(1), count, data)
	case silent:
		shown = shown.And(count.None())
	}
	s.R.Valid.Set(shown)
	s.R.Data.Data.Set(word)
	s.AW.Ready.Set(hdl.K(0))
	s.W.Ready.Set(hdl.K(0))
	s.B.Valid.Set(hdl.K(0))
	s.B.Data.Resp.Set(hdl.K(0))
	return liteIO{s}
}

type obiIO struct {
	S bus.OBI `hdl:"in,name=s"`
}

// obi answers in the next cycle, as long as the manager is ready.
func obi(m *hdl.Module, f fault) obiIO {
	s := hdl.Ports(m, "s", hdl.Sink, bus.NewOBI(bus.OBIParams{DataWidth: 32, AddrWidth: 8, IDWidth: 2, RReady: true}), hdl.MayBeUnused())
	valid, count, id := m.Reg("valid_q", hdl.Bool()), m.Reg("count_q", hdl.U(32), hdl.MayBeUnused()), m.Reg("id_q", hdl.U(2))
	count.Set(count.Add(hdl.K(1)))
	s.Gnt.Set(valid.Not())
	shown, word, rid := valid.Signal, hdl.Const(32, 7), id.Signal
	switch f {
	case unasked:
		shown = shown.Or(count.Eq(hdl.K(1)))
	case withdrawn:
		shown = shown.AndNot(count.Bit(1))
	case changed:
		word = count.Signal
	case wrongID:
		rid = id.Add(hdl.K(1))
	case silent:
		shown = shown.And(count.None())
	}
	m.If(s.RReady[0].And(shown), func() { valid.Set(hdl.K(0)) })
	m.If(s.Req.And(s.Gnt), func() {
		valid.Set(hdl.K(1))
		id.Set(s.A.AID)
	})
	s.RValid.Set(shown)
	hdl.Assign(s.R, bus.OBIResp{RData: hdl.V(word), Err: hdl.V(hdl.Const(1, 0)), RID: hdl.V(rid)})
	return obiIO{s}
}

type apbIO struct {
	S bus.APB `hdl:"in,name=s"`
}

// apb answers at once.
func apb(m *hdl.Module, f fault) apbIO {
	s := hdl.Ports(m, "s", hdl.Sink, bus.NewAPB(bus.APBParams{DataWidth: 32, AddrWidth: 8}), hdl.MayBeUnused())
	s.PReady.Set(hdl.Const(1, map[bool]uint64{f != silent: 1}[true]))
	s.PRData.Set(hdl.K(3))
	s.PSlvErr.Set(hdl.Const(1, map[bool]uint64{f == outside: 1}[true]))
	return apbIO{s}
}

func start[IO any](t *testing.T, build hdl.Build[fault, IO], f fault) sim.Engine {
	t.Helper()
	d, err := hdl.Elaborate(build, f)
	require.NoError(t, err)
	m, err := sim.New(d, sim.Options{})
	require.NoError(t, err)
	require.NoError(t, m.Reset(1))
	return m
}

// drive reads some words, and returns the first error.
func drive(t *testing.T, e sim.Engine, bus string) error {
	t.Helper()
	p, err := regbus.New(e, bus, "s_", regbus.Options{Idle: 50, Seed: 1, RReady: true})
	require.NoError(t, err)
	answers := 0
	for i := range 20 {
		p.Do(regbus.Access{Addr: uint64(4 * (i % 8)), Strb: 15}, func(regbus.Result) { answers++ })
	}
	for range 400 {
		p.Drive()
		require.NoError(t, e.Step())
		if err := p.Edge(); err != nil {
			return err
		}
	}
	if err := p.Finish(); err != nil {
		return err
	}
	require.Equal(t, 20, answers)
	return nil
}

func TestBreachesAreFound(t *testing.T) {
	engines := map[string]func(f fault) sim.Engine{
		"axi_lite": func(f fault) sim.Engine { return start(t, lite, f) },
		"obi":      func(f fault) sim.Engine { return start(t, obi, f) },
		"apb":      func(f fault) sim.Engine { return start(t, apb, f) },
	}
	for _, c := range []struct {
		bus  string
		f    fault
		want string
	}{
		{"axi_lite", none, ""},
		{"axi_lite", unasked, "[no-request]"},
		{"axi_lite", withdrawn, "[valid-dropped]"},
		{"axi_lite", changed, "[payload-changed]"},
		{"axi_lite", code, "[response-code]"},
		{"axi_lite", silent, "accesses were not answered"},
		{"obi", none, ""},
		{"obi", unasked, "[no-request]"},
		{"obi", withdrawn, "[rvalid-dropped]"},
		{"obi", changed, "[response-changed]"},
		{"obi", wrongID, "[wrong-id]"},
		{"obi", silent, "accesses were not answered"},
		{"apb", none, ""},
		{"apb", outside, "[error-outside]"},
		{"apb", silent, "accesses were not answered"},
	} {
		err := drive(t, engines[c.bus](c.f), c.bus)
		if c.want == "" {
			require.NoError(t, err, c.bus)
			continue
		}
		require.ErrorContains(t, err, c.want, "%s %d", c.bus, c.f)
	}
}

func TestWrongPortsAreErrors(t *testing.T) {
	e := start(t, apb, none)
	_, err := regbus.New(e, "ahb", "s_", regbus.Options{})
	require.EqualError(t, err, `register bus "ahb"; choose from apb, axi_lite and obi`)
	_, err = regbus.New(e, "obi", "s_", regbus.Options{})
	require.EqualError(t, err, `register port: the design has no port "s_wdata"`)
}
