package midend

import (
	"fmt"
	"slices"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// distHalfIO is the interface of what is below an output of a node of a tree. What a
// transfer is cut by is decided at the root, for a piece may begin elsewhere.
type distHalfIO struct {
	Ports
	Source []hdl.Var `hdl:"in,opt"` // with a region: the source counts
}

// distHalf describes mp_dist, or a tree of it, below a node.
func distHalf(m *hdl.Module, c DistConfig) distHalfIO {
	m.Doc(fmt.Sprintf("Half of mp_dist: parts of %d bytes, in turn over %d outputs.", c.Region.Size, c.Outputs))
	l := Linear(c.Backend).Type()
	io := distHalfIO{Ports: links(m, []Link{l}, slices.Repeat([]Link{l}, c.Outputs))}
	if c.regional() {
		io.Source = []hdl.Var{m.In("source", hdl.Bool())}
	}
	c.place(m, io.Ports, io.Source)
	return io
}

func (c DistConfig) regional() bool { return c.Region.Start < c.Region.End }

// halfRequest is what a node hands down.
type halfRequest struct {
	Request Request   `hdl:"name="`
	Source  []hdl.Var `hdl:"opt"`
}

// tree gives the two halves of all parts, in turn, to a tree for half of the outputs each, with
// a register in between.
func (c DistConfig) tree(m *hdl.Module, io Ports, source []hdl.Var) {
	half := c
	half.Outputs /= 2
	l := Linear(c.Backend).Type()
	root := Ports{Up: io.Up, Down: []Link{hdl.Wires(m, "half0", l), hdl.Wires(m, "half1", l)}, Busy: m.Wire("node_busy", hdl.Bool())}
	bySource := c.distribute(m, root, c.Region.Size*uint64(half.Outputs), source)
	busy := []hdl.Signal{root.Busy.Signal}
	for i, below := range root.Down {
		u := hdl.Inst(m, fmt.Sprintf("u_half%d", i), distHalf, half)
		t := halfRequest{Request: below.Req.Data}
		if c.regional() {
			t.Source = []hdl.Var{hdl.Bool()}
		}
		in := hdl.Wires(m, fmt.Sprintf("to_half%d", i), hdl.StreamOf(t))
		in.Valid.Set(below.Req.Valid)
		below.Req.Ready.Set(in.Ready)
		hdl.Assign(in.Data.Request, below.Req.Data)
		for _, s := range in.Data.Source {
			s.Set(bySource)
		}
		kept, waits := lib.Queue(m, fmt.Sprintf("u_register%d", i), lib.FIFOParams{Depth: 2}, in)
		u.Up[0].Req.Valid.Set(kept.Valid)
		kept.Ready.Set(u.Up[0].Req.Ready)
		hdl.Assign(u.Up[0].Req.Data, kept.Data.Request)
		for k, s := range u.Source {
			s.Set(kept.Data.Source[k])
		}
		hdl.Connect(below.Rsp, u.Up[0].Rsp)
		for k, a := range u.Up[0].Action {
			hdl.Connect(a, below.Action[k])
		}
		for k, d := range u.Down {
			hdl.Connect(io.Down[i*half.Outputs+k], d)
		}
		busy = append(busy, waits, u.Busy.Signal)
	}
	io.Busy.Set(hdl.AnyOf(busy...))
}
