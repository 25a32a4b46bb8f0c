package midend

import (
	"fmt"
	"slices"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/idma/backend"
)

// ArbiterConfig holds the parameters of the arbiter. Start from [DefaultArbiter].
type ArbiterConfig struct {
	// Inputs is how many links come from above, 2 to 64.
	Inputs int
	// Policy says whom it serves: round, each in turn, or fixed, the lowest first.
	Policy lib.Policy
	// Dims is the number of dimensions of requests, 1 to 8; 1 for linear ones.
	Dims int
	// RepsWidths are the widths of the repetition counts, 1 to 32 bits: one for each loop, the
	// innermost first, or one for all.
	RepsWidths Widths
	// InFlight is how many requests may have passed and not be answered, 1 to 1024; 0
	// stands for three times the reads that the back-end may have outstanding, and 16.
	InFlight int
	// Backend is the configuration of the back-end.
	Backend backend.Config
}

// DefaultArbiter joins two links with requests of three dimensions.
func DefaultArbiter() ArbiterConfig {
	return ArbiterConfig{Inputs: 2, Dims: 3, RepsWidths: WidthsOf(32), Backend: backend.Default()}
}

// Validate returns every parameter out of range, each a [*backend.FieldError].
func (c ArbiterConfig) Validate() error {
	v := validation{}
	v.between("Inputs", c.Inputs, 2, 64)
	v.check(c.Policy <= lib.Fixed, "Policy", c.Policy, "round, fixed")
	v.dims(c.Dims, 1, c.RepsWidths)
	v.between("InFlight", c.InFlight, 0, 1024)
	return v.with(c.Backend)
}

// Suffix names the variant in module names.
func (c ArbiterConfig) Suffix() string { return fmt.Sprintf("%s_%dx%dd", c.Policy, c.Inputs, c.Dims) }

func (c ArbiterConfig) link() LinkConfig { return LinkConfig{c.Backend, c.Dims, c.RepsWidths} }

// Up are the links of the stages above.
func (c ArbiterConfig) Up() []LinkConfig { return slices.Repeat([]LinkConfig{c.link()}, c.Inputs) }

// Down is the link of the stage below.
func (c ArbiterConfig) Down() []LinkConfig { return []LinkConfig{c.link()} }

// Place places an [Arbiter].
func (c ArbiterConfig) Place(m *hdl.Module, name string) Ports { return hdl.Inst(m, name, Arbiter, c) }

// ElaborateArbiter builds and checks the arbiter.
func ElaborateArbiter(c ArbiterConfig) (*ir.Design, error) {
	return hdl.Elaborate(Arbiter, c, hdl.Named("idma_arbiter"), hdl.Prefix("idma_"))
}

// Arbiter describes the mid-end that joins links from above (specification §3.6): requests
// pass whole, in the cycle in which they come, one a cycle. Each response goes to where
// its request came from, and so with error handling does the question what to do; the
// action is taken from there. By turns, a request waits for at most one of each other
// link; by priority, as long as lower ones come.
func Arbiter(m *hdl.Module, c ArbiterConfig) Ports {
	m.Doc(fmt.Sprintf("Joins %d links from above into one.", c.Inputs))
	link := c.link().Type()
	io := links(m, slices.Repeat([]Link{link}, c.Inputs), []Link{link})
	down := io.Down[0]

	var reqs []hdl.Stream[Request]
	offered := []hdl.Signal{}
	for _, up := range io.Up {
		reqs, offered = append(reqs, up.Req), append(offered, up.Req.Valid.Signal)
	}
	chosen, from := lib.Arbitrate(m, "u_arbiter", c.Policy, reqs...)
	origin := hdl.Wires(m, "origin", hdl.StreamOf(lib.Word{Data: hdl.V(from)}))
	head, waiting := lib.Queue(m, "u_origins", lib.FIFOParams{Depth: inFlight(c.InFlight, c.Backend)}, origin)
	m.Note("A request is offered when there is a place to remember where it came from, and remembered from then on: " +
		"the stage below may take it only with its last piece, and ask about the first one before.")
	noted := m.Reg("noted_q", hdl.Bool(), hdl.Doc("The request on offer is remembered."))
	m.If(down.Req.Valid, func() { noted.Set(down.Req.Ready.Not()) })
	room := m.Let("room", origin.Ready.Or(noted.Signal))
	down.Req.Valid.Set(chosen.Valid.And(room))
	chosen.Ready.Set(down.Req.Ready.And(room))
	hdl.Assign(down.Req.Data, chosen.Data)
	origin.Valid.Set(chosen.Valid.AndNot(noted.Signal))
	origin.Data.Data.Set(from)

	asks := hdl.Const(1, 0)
	if c.Backend.ErrorHandling {
		asks = down.Rsp.Data.Asks[0].Signal
	}
	to := m.Let("to", lib.OneHot(head.Data.Data.Signal, c.Inputs), hdl.Doc("Whose request is the oldest."))
	var ready, acts, kinds []hdl.Signal
	for i, up := range io.Up {
		up.Rsp.Valid.Set(down.Rsp.Valid.And(to.Bit(i)))
		hdl.Assign(up.Rsp.Data, down.Rsp.Data)
		ready = append(ready, to.Bit(i).And(up.Rsp.Ready))
		for _, a := range up.Action {
			a.Ready.Set(head.Valid.And(to.Bit(i)).And(down.Action[0].Ready))
			acts, kinds = append(acts, to.Bit(i).And(a.Valid)), append(kinds, a.Data.Kind.Signal)
		}
		hdl.Obey(m, fmt.Sprintf("up%d_req", i), hdl.Sink, up.Req)
		hdl.Obey(m, fmt.Sprintf("up%d_rsp", i), hdl.Source, up.Rsp)
	}
	down.Rsp.Ready.Set(hdl.AnyOf(ready...))
	for _, a := range down.Action {
		a.Valid.Set(head.Valid.And(hdl.AnyOf(acts...)))
		a.Data.Kind.Set(lib.OneHotMux(to, kinds...))
	}
	head.Ready.Set(down.Rsp.Fire().AndNot(asks))
	io.Busy.Set(waiting.Or(hdl.AnyOf(offered...)))
	hdl.Obey(m, "down_req", hdl.Source, down.Req)
	hdl.Obey(m, "down_rsp", hdl.Sink, down.Rsp)
	m.Assume("nothing_ends_that_did_not_pass", hdl.Implies(down.Rsp.Valid.Signal, head.Valid.Signal))
	return io
}
