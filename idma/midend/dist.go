package midend

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/idma/backend"
)

// DistConfig holds the parameters of mp_dist. Start from [DefaultDist].
type DistConfig struct {
	// Outputs is how many links go down: a power of two, 2 to 32.
	Outputs int
	// Region is divided among the outputs: part k belongs to output k modulo Outputs,
	// counted from address zero.
	Region Region
	// Tree makes a binary tree of nodes with two outputs of it, which cut transfers at the
	// same time. Each level but the first has a register in front, which costs a cycle.
	Tree bool
	// InFlight is how many requests may be issued in whole and not answered, and how
	// many pieces may not be, 1 to 1024; 0 stands for Outputs times the reads that a
	// back-end may have outstanding, and 16. In a tree it counts for each node, by the
	// outputs below that.
	InFlight int
	// Backend is the configuration of the back-ends.
	Backend backend.Config
}

// DefaultDist has two outputs, with parts of 1 KiB of the destination.
func DefaultDist() DistConfig {
	return DistConfig{Outputs: 2, Region: Region{Size: 1024}, Backend: backend.Default()}
}

// Validate returns every parameter out of range, each a [*backend.FieldError].
func (c DistConfig) Validate() error {
	v := validation{}
	v.check(c.Outputs >= 2 && c.Outputs <= 32 && c.Outputs&(c.Outputs-1) == 0, "Outputs", c.Outputs, "2, 4, 8, 16 or 32")
	v.region(c.Region, c.Backend)
	if c.Outputs > 0 {
		low := bits.Len64(c.Region.Size) - 1 + bits.Len(uint(c.Outputs)) - 1
		v.check(low <= c.Backend.AddrWidth, "Region.Size", c.Region.Size, "so little that a part for each of %d outputs fits into %d bits of address", c.Outputs, c.Backend.AddrWidth)
	}
	v.between("InFlight", c.InFlight, 0, 1024)
	return v.with(c.Backend)
}

// Suffix names the variant in module names.
func (c DistConfig) Suffix() string { return fmt.Sprintf("%dx%d", c.Outputs, c.Region.Size) }

// Up is the link of the stage above: linear, as those below.
func (c DistConfig) Up() []LinkConfig { return []LinkConfig{Linear(c.Backend)} }

// Down are the links of the stages below.
func (c DistConfig) Down() []LinkConfig {
	return slices.Repeat([]LinkConfig{Linear(c.Backend)}, c.Outputs)
}

// Place places a [Dist].
func (c DistConfig) Place(m *hdl.Module, name string) Ports { return hdl.Inst(m, name, Dist, c) }

func (c DistConfig) inFlight() int {
	if c.InFlight > 0 {
		return c.InFlight
	}
	return min(c.Outputs*c.Backend.Outstanding+16, 1024)
}

// ElaborateDist builds and checks mp_dist.
func ElaborateDist(c DistConfig) (*ir.Design, error) {
	return hdl.Elaborate(Dist, c, hdl.Named("idma_mp_dist"), hdl.Prefix("idma_"))
}

// Dist describes mp_dist (specification §3.4): it cuts transfers as [Split] does, and gives
// each piece to the output that the part belongs to. Pieces go one a cycle, the first in
// the cycle in which the request comes, and several requests are under way. The responses
// of the pieces are taken in the order of these, so that each request is answered once
// and in order, and an action goes where the question came from. For a tree see
// [DistConfig].
func Dist(m *hdl.Module, c DistConfig) Ports {
	m.Doc(fmt.Sprintf("mp_dist: parts of %d bytes, in turn over %d outputs.", c.Region.Size, c.Outputs))
	l := Linear(c.Backend).Type()
	io := links(m, []Link{l}, slices.Repeat([]Link{l}, c.Outputs))
	c.place(m, io, nil)
	return io
}

// place makes one stage or a tree. Whether the source counts may be given.
func (c DistConfig) place(m *hdl.Module, io Ports, source []hdl.Var) {
	if c.Tree && c.Outputs > 2 {
		c.tree(m, io, source)
	} else {
		c.distribute(m, io, c.Region.Size, source)
	}
}

// distribute cuts the request into parts of that size and gives them to the outputs in turn.
// It returns whether the source counts.
func (c DistConfig) distribute(m *hdl.Module, io Ports, part uint64, source []hdl.Var) hdl.Signal {
	up := io.Up[0]
	k := newCutter(m, up.Req.Data.Transfer, Region{part, c.Region.Start, c.Region.End}, source...)
	low := bits.TrailingZeros64(part)
	to := m.Let("to", k.reference.Bits(low+bits.TrailingZeros(uint(len(io.Down)))-1, low), hdl.Doc("The output of the piece."))

	piece := hdl.Wires(m, "piece", hdl.StreamOf(Request{Transfer: k.piece}))
	hdl.Assign(piece.Data, Request{Transfer: k.piece})
	order := hdl.Wires(m, "order", hdl.StreamOf(lib.Word{Data: hdl.V(to)}))
	head, waiting := lib.Queue(m, "u_order", lib.FIFOParams{Depth: c.inFlight()}, order)
	m.Note("A piece goes when there is a place to remember where.")
	var ready, valid []hdl.Signal
	var rsps []backend.Response
	for i, down := range io.Down {
		down.Req.Valid.Set(piece.Valid.And(order.Ready).And(to.Eq(hdl.K(i))))
		hdl.Assign(down.Req.Data, piece.Data)
		ready, valid, rsps = append(ready, down.Req.Ready.Signal), append(valid, down.Rsp.Valid.Signal), append(rsps, down.Rsp.Data)
		hdl.Obey(m, fmt.Sprintf("down%d_req", i), hdl.Source, down.Req)
		hdl.Obey(m, fmt.Sprintf("down%d_rsp", i), hdl.Sink, down.Rsp)
	}
	piece.Ready.Set(order.Ready.And(hdl.Select(to, ready...)))
	order.Valid.Set(piece.Fire())
	order.Data.Data.Set(to)

	from := head.Data.Data.Signal
	joined := hdl.Wires(m, "joined", hdl.StreamOf(c.Backend.ResponseType()))
	joined.Valid.Set(head.Valid.And(hdl.Select(from, valid...)))
	hdl.Assign(joined.Data, hdl.SelectOf(from, rsps...))
	asks := hdl.Const(1, 0)
	if c.Backend.ErrorHandling {
		asks = joined.Data.Asks[0].Signal
	}
	head.Ready.Set(joined.Fire().AndNot(asks))
	var acts []hdl.Signal
	for i, down := range io.Down {
		mine := m.Let(fmt.Sprintf("mine%d", i), head.Valid.And(from.Eq(hdl.K(i))), hdl.Doc("The oldest piece is there."))
		down.Rsp.Ready.Set(mine.And(joined.Ready))
		for n, a := range down.Action {
			a.Valid.Set(mine.And(up.Action[n].Valid))
			a.Data.Kind.Set(up.Action[n].Data.Kind)
			acts = append(acts, mine.And(a.Ready))
		}
	}
	for _, a := range up.Action {
		a.Ready.Set(hdl.AnyOf(acts...))
	}
	below := Link{Req: piece, Rsp: joined}
	join(m, answersParams{c.Backend, c.inFlight()}, Ports{io.Up, []Link{below}, io.Busy}, piece, hdl.Const(1, 0), k.final, hdl.AnyOf(k.first.Not(), waiting))
	k.follow(piece)
	return k.source
}
