package lib

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// FixedPriority grants the lowest request: a vector with at most one bit set.
func FixedPriority(req hdl.Signal) hdl.Signal { return Lowest(req) }

// RoundRobin grants one of the requests, a vector with at most one bit set. The
// request above the one last served comes first, then upwards and around, so that a
// lasting request of n waits for at most n−1 others. A grant is served where the
// one-bit served holds. The state is the register name_below_q.
func RoundRobin(m *hdl.Module, name string, req, served hdl.Signal) hdl.Signal {
	n := req.Width()
	if n == 1 {
		return req
	}
	below := m.Reg(name+"_below_q", hdl.U(n), hdl.Doc("Ones up to the request that was served last."))
	next := m.Let(name+"_next", req.AndNot(below))
	grant := m.Let(name+"_grant", Lowest(hdl.Mux(next.Any(), next, req)))
	m.If(served.And(req.Any()), func() { below.Set(UpTo(grant)) })
	m.Assert(name+"_grants_at_most_one", AtMostOne(grant))
	m.Assert(name+"_grants_a_request", grant.Any().Eq(req.Any()).And(grant.AndNot(req).None()))
	return grant
}

// Policy says whom an arbiter serves.
type Policy uint8

const (
	Round Policy = iota // the one above the last served first, and around
	Fixed               // the lowest first
)

var policyNames = []string{"round", "fixed"}

// String is round or fixed.
func (p Policy) String() string {
	if int(p) >= len(policyNames) {
		return fmt.Sprintf("Policy(%d)", uint8(p))
	}
	return policyNames[p]
}

// MarshalText is [Policy.String].
func (p Policy) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText is the inverse of [Policy.MarshalText].
func (p *Policy) UnmarshalText(b []byte) error {
	for i, n := range policyNames {
		if n == string(b) {
			*p = Policy(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no policy of an arbiter; choose from round and fixed", b)
}

// ArbiterParams are the parameters of [StreamArbiter].
type ArbiterParams struct {
	Width  int    // bits of the payload, at least 1
	Inputs int    // at least 2
	Policy Policy // whom it serves
	// Packets keeps the grant until an element with last was transferred. Without it
	// the grant is kept for one transfer.
	Packets bool
}

// Validate requires what the fields say.
func (p ArbiterParams) Validate() error {
	if int(p.Policy) >= len(policyNames) {
		return fmt.Errorf("stream arbiter: Policy is %d; choose Round or Fixed", p.Policy)
	}
	return streamsParams("stream arbiter", p.Width, p.Inputs, "Inputs")
}

// Suffix names the variant.
func (p ArbiterParams) Suffix() string {
	s := fmt.Sprintf("%s_%dx%d", p.Policy, p.Inputs, p.Width)
	if p.Packets {
		s += "_packets"
	}
	return s
}

// ArbiterIO is the interface of [StreamArbiter].
type ArbiterIO struct {
	In   []hdl.Stream[Word] `hdl:"in"`
	Last []hdl.Var          `hdl:"in,opt"` // a bit for each input, with Packets
	Out  hdl.Stream[Word]
	From hdl.Var // number of the input whose element is offered
}

// StreamArbiter merges streams into one. The choice is made in the cycle in which
// elements are offered, without latency, and an element moves every cycle. What is
// offered stays until it was taken, also where a better request arrives.
func StreamArbiter(m *hdl.Module, p ArbiterParams) ArbiterIO {
	m.Doc(fmt.Sprintf("Merges %d streams of %d bits.", p.Inputs, p.Width))
	in := streamPorts(m, "in", hdl.Sink, p.Width, p.Inputs)
	var last []hdl.Var
	if p.Packets {
		last = []hdl.Var{m.In("last", hdl.U(p.Inputs), hdl.Doc("The offered elements end their packets."))}
	}
	out, from := hdl.Ports(m, "out", hdl.Source, streamType(p.Width)), m.Out("from", hdl.U(hdl.AddrBits(p.Inputs)))

	locked := m.Reg("locked_q", hdl.Bool(), hdl.Doc("The grant stays."))
	held := m.Reg("held_q", hdl.U(p.Inputs), hdl.NoReset(), hdl.Doc("The grant that stays."))
	req := m.Let("req", valids(in))
	fresh := m.Let("chosen", req.Any().AndNot(locked)) // the choice is made now
	var choice hdl.Signal
	if p.Policy == Round {
		choice = RoundRobin(m, "turn", req, fresh)
	} else {
		choice = m.Let("choice", FixedPriority(req))
	}
	grant := m.Let("grant", hdl.Mux(locked, held, choice))

	var data []hdl.Signal
	for i, s := range in {
		s.Ready.Set(grant.Bit(i).And(out.Ready))
		data = append(data, s.Data.Data.Signal)
	}
	out.Valid.Set(grant.And(req).Any())
	out.Data.Data.Set(OneHotMux(grant, data...))
	from.Set(Index(grant))

	ends := out.Ready.Signal // with this transfer the grant is free
	if p.Packets {
		ends = ends.And(grant.And(last[0]).Any())
	}
	m.If(out.Valid, func() { locked.Set(ends.Not()) })
	m.If(fresh, func() { held.Set(choice) })

	obey(m, "in", hdl.Sink, in...)
	obey(m, "out", hdl.Source, out)
	m.Assert("one_grant", AtMostOne(grant))
	m.Cover("waits_for_another", req.AndNot(grant).Any())
	return ArbiterIO{in, last, out, from}
}

// Arbitrate places a [StreamArbiter] without packets behind streams of one payload;
// from is the number of the one whose element is offered.
func Arbitrate[T any](m *hdl.Module, name string, policy Policy, in ...hdl.Stream[T]) (out hdl.Stream[T], from hdl.Signal) {
	if len(in) == 0 {
		panic("Arbitrate of no streams; it needs at least two")
	}
	u := hdl.Inst(m, name, StreamArbiter, ArbiterParams{Width: hdl.WidthOf(in[0].Data), Inputs: len(in), Policy: policy})
	for i := range u.In {
		feed(u.In[i], in[i])
	}
	return as(u.Out, in[0].Data), u.From.Signal
}
