package backend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// The ports of one side of the back-end work on different transfers at a time, and
// what they do is put into the order of the requests: the words that reads bring,
// the words that writes take, and the responses. With one port a side none of this
// is there.

// portName is the name of a port in instances and bus prefixes: its protocol, with
// the head where there are several.
func (s PortSet) portName(i int) string {
	ps := s.list()
	p := ps[i]
	short := [protocols]string{"axi", "obi", "axil", "tl", "init", "axis"}[p]
	if s[p] > 1 {
		short += fmt.Sprint(i - s.number(p, 0))
	}
	return short
}

// chosen is the number of the port that a side's options name, and whether there is
// such a port.
func chosen(m *hdl.Module, name string, s PortSet, o SideOptions) (port, exists hdl.Signal) {
	bits := ir.AddrBits(s.count())
	port, exists = hdl.Const(bits, 0), hdl.Const(1, 1)
	if s.count() == 1 {
		return port, exists
	}
	head := hdl.Const(max(s.headBits(), 1), 0)
	if len(o.Head) > 0 {
		head = o.Head[0].Signal
	}
	exists = hdl.Const(1, 0)
	for p, n := range s {
		if n == 0 {
			continue
		}
		here := hdl.Const(1, 1)
		if len(o.Protocol) > 0 {
			here = o.Protocol[0].Eq(hdl.K(p))
		}
		fits := hdl.Const(1, 1)
		if len(o.Head) > 0 && int(n) < 1<<head.Width() {
			fits = head.Lt(hdl.K(n))
		}
		first := s.number(Protocol(p), 0)
		port = hdl.Mux(here, head.Resize(bits).Add(hdl.K(first)), port)
		exists = exists.Or(here.And(fits))
	}
	return m.Let(name+"_port", port), m.Let(name+"_exists", exists)
}

// order remembers, first in first out, which port has its turn.
type order struct {
	turn hdl.Stream[lib.Word] // the oldest entry
	in   hdl.Stream[lib.Word]
}

func newOrder(m *hdl.Module, name string, depth, ports int) order {
	in := hdl.Wires(m, name+"_in", hdl.StreamOf(lib.Word{Data: hdl.U(ir.AddrBits(ports))}))
	out, _ := lib.Queue(m, "u_"+name, lib.FIFOParams{Depth: depth}, in)
	return order{turn: out, in: in}
}

// has is one bit: the port has its turn.
func (o order) has(port int) hdl.Signal {
	return o.turn.Valid.And(o.turn.Data.Data.Eq(hdl.K(port)))
}

// inTurn is the stream of the port that has its turn; the others wait.
func inTurn[T any](m *hdl.Module, name string, o order, streams []hdl.Stream[T]) hdl.Stream[T] {
	out := hdl.Wires(m, name, streams[0])
	var valids []hdl.Signal
	var datas []T
	for i, s := range streams {
		s.Ready.Set(out.Ready.And(o.has(i)))
		valids = append(valids, s.Valid.Signal)
		datas = append(datas, s.Data)
	}
	out.Valid.Set(o.turn.Valid.And(hdl.Select(o.turn.Data.Data, valids...)))
	hdl.Assign(out.Data, hdl.SelectOf(o.turn.Data.Data, datas...))
	return out
}
