package frontend_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/regbus"
)

// bench is a front-end with software at its ports and engines, made of Go, behind its
// streams.
type bench struct {
	pins
	c       frontend.Config
	rng     *rand.Rand
	ports   []*regbus.Port
	streams []*engine
	others  []agent
	cycle   int
}

// agent is something else at the ports: drive before a step, edge after it.
type agent interface {
	drive()
	edge()
}

// engine takes requests at a rate and answers them in order.
type engine struct {
	name    func(string) string
	percent int // of the cycles in which it is ready, and in which it answers
	got     []request
	open    int // requests without their answer
	errors  []reply
	answers int
	waiting *request // offered and not taken
	replied bool     // an answer is offered
	actions []uint64
	holds   bool // an error awaits its action
}

// request is what came out of a stream, by the names of the ports.
type request struct {
	cycle  int
	fields map[string]uint64
}

// reply is an error that the next answer is to have; asks makes it one that awaits an
// action before the transfer ends.
type reply struct {
	cause, kind, addr uint64
	asks              bool
}

func newBench(t testing.TB, e sim.Engine, c frontend.Config, seed uint64, idle int) *bench {
	t.Helper()
	t.Logf("seed %d", seed)
	b := &bench{pins: pins{t, e}, c: c, rng: rand.New(rand.NewPCG(seed, 3))}
	prefix := map[frontend.Bus]string{frontend.APB: "s_apb", frontend.AXILite: "s_axil", frontend.OBI: "s_obi"}[c.Bus]
	for i := range c.Ports {
		p, err := regbus.New(e, c.Bus.String(), numbered(prefix, i, c.Ports)+"_", regbus.Options{Idle: idle, Seed: seed + uint64(i)})
		require.NoError(t, err)
		b.ports = append(b.ports, p)
	}
	for i := range c.Streams {
		b.streams = append(b.streams, &engine{percent: 100, name: func(n string) string {
			prefix, rest := n, ""
			for k := range n {
				if n[k] == '_' {
					prefix, rest = n[:k], n[k:]
					break
				}
			}
			return numbered(prefix, i, c.Streams) + rest
		}})
	}
	require.NoError(t, e.Reset(2))
	return b
}

// step is a cycle of everything.
func (b *bench) step() {
	b.t.Helper()
	for _, s := range b.streams {
		s.drive(b)
	}
	for _, p := range b.ports {
		p.Drive()
	}
	for _, o := range b.others {
		o.drive()
	}
	require.NoError(b.t, b.Step())
	require.NoError(b.t, sim.Violations(b.Engine))
	for _, p := range b.ports {
		require.NoError(b.t, p.Edge())
	}
	for _, o := range b.others {
		o.edge()
	}
	for _, s := range b.streams {
		s.edge(b)
	}
	b.cycle++
}

func (s *engine) drive(b *bench) {
	chance := func() bool { return b.rng.IntN(100) < s.percent }
	b.set(s.name("req_ready"), bit(chance()))
	s.replied = s.open > 0 && !s.holds && chance()
	b.set(s.name("rsp_valid"), bit(s.replied))
	failed := reply{}
	if len(s.errors) > 0 {
		failed = s.errors[0]
	}
	b.set(s.name("rsp_error"), bit(failed != reply{}))
	b.set(s.name("rsp_cause"), failed.cause)
	b.set(s.name("rsp_err_type"), failed.kind)
	if b.c.Backend.ErrorHandling {
		b.set(s.name("rsp_burst_addr"), failed.addr)
		b.set(s.name("rsp_asks"), bit(failed.asks))
		b.set(s.name("action_ready"), bit(chance()))
	}
}

func (s *engine) edge(b *bench) {
	valid, ready := b.on(s.name("req_valid")), b.on(s.name("req_ready"))
	now := request{b.cycle, map[string]uint64{}}
	for _, p := range b.Layout().Outputs {
		if rest, ok := cut(p.Name, s.name("req")+"_"); ok && rest != "valid" {
			now.fields[rest] = b.Out()[p.Offset]
		}
	}
	if s.waiting != nil {
		require.True(b.t, valid, "cycle %d: %s fell", b.cycle, s.name("req_valid"))
		require.Equal(b.t, s.waiting.fields, now.fields, "cycle %d: a request changed while it waited", b.cycle)
		now.cycle = s.waiting.cycle
	}
	s.waiting = nil
	if s.replied {
		require.True(b.t, b.on(s.name("rsp_ready")), "responses are taken at once")
		asked := false
		if len(s.errors) > 0 {
			asked = s.errors[0].asks
			s.errors = s.errors[1:]
		}
		if s.holds = asked; !asked {
			s.open--
			s.answers++
		}
	}
	if b.c.Backend.ErrorHandling && b.on(s.name("action_valid")) && b.on(s.name("action_ready")) {
		require.True(b.t, s.holds, "cycle %d: an action that nothing awaits", b.cycle)
		s.actions, s.holds = append(s.actions, b.get(s.name("action_kind"))), false
	}
	switch {
	case valid && ready:
		s.got = append(s.got, now)
		s.open++
	case valid:
		s.waiting = &now
	}
}

func cut(name, prefix string) (string, bool) {
	if len(name) > len(prefix) && name[:len(prefix)] == prefix {
		return name[len(prefix):], true
	}
	return "", false
}

// until steps until the condition holds.
func (b *bench) until(what string, cycles int, done func() bool) {
	b.t.Helper()
	for range cycles {
		if done() {
			return
		}
		b.step()
	}
	require.True(b.t, done(), "%s: not within %d cycles", what, cycles)
}

// access is an access of a port, with the answer.
func (b *bench) access(port int, a regbus.Access) regbus.Result {
	b.t.Helper()
	var got *regbus.Result
	b.ports[port].Do(a, func(r regbus.Result) { got = &r })
	b.until(fmt.Sprintf("access %+v", a), 500, func() bool { return got != nil })
	return *got
}

func (b *bench) write(port int, at, data uint64) {
	b.t.Helper()
	require.False(b.t, b.access(port, regbus.Access{Write: true, Addr: at, Data: data, Strb: 15}).Err)
}

func (b *bench) read(port int, at uint64) uint64 {
	b.t.Helper()
	r := b.access(port, regbus.Access{Addr: at, Strb: 15})
	require.False(b.t, r.Err)
	return r.Read
}

// Offsets of specification §4.1.
const (
	conf   = 0x00
	status = 0x04
	nextID = 0x44
	doneID = 0x84
)
