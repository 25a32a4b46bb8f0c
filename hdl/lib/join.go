package lib

import (
	"cmp"
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// JoinParams are the parameters of [StreamJoin].
type JoinParams struct {
	Left, Right int // bits of the payloads, at least 1 each
}

// Validate requires what the fields say.
func (p JoinParams) Validate() error {
	return cmp.Or(atLeast("stream join", "Left", p.Left, 1), atLeast("stream join", "Right", p.Right, 1))
}

// Suffix names the variant.
func (p JoinParams) Suffix() string { return fmt.Sprintf("%d_%d", p.Left, p.Right) }

// Both is a payload of two.
type Both[A, B any] struct {
	Left  A
	Right B
}

// JoinIO is the interface of [StreamJoin].
type JoinIO struct {
	Left  hdl.Stream[Word] `hdl:"in"`
	Right hdl.Stream[Word] `hdl:"in"`
	Out   hdl.Stream[Both[Word, Word]]
}

// StreamJoin pairs the elements of two streams: one leaves both, in the same cycle,
// when the pair is taken. It has no latency and no state. The readys of its inputs
// wait for both valids.
func StreamJoin(m *hdl.Module, p JoinParams) JoinIO {
	m.Doc(fmt.Sprintf("Pairs the elements of two streams of %d and %d bits.", p.Left, p.Right))
	left, right := hdl.Ports(m, "left", hdl.Sink, streamType(p.Left)), hdl.Ports(m, "right", hdl.Sink, streamType(p.Right))
	out := hdl.Ports(m, "out", hdl.Source, hdl.StreamOf(Both[Word, Word]{left.Data, right.Data}))
	out.Valid.Set(left.Valid.And(right.Valid))
	fire := m.Let("fire", out.Fire())
	left.Ready.Set(fire)
	right.Ready.Set(fire)
	hdl.Assign(out.Data, Both[Word, Word]{left.Data, right.Data})
	obey(m, "left", hdl.Sink, left)
	obey(m, "right", hdl.Sink, right)
	hdl.Obey(m, "out", hdl.Source, out)
	m.Cover("pairs", fire)
	return JoinIO{left, right, out}
}

// Join places a [StreamJoin] behind two streams of any payloads. More streams are
// joined by joins of joins.
func Join[A, B any](m *hdl.Module, name string, a hdl.Stream[A], b hdl.Stream[B]) hdl.Stream[Both[A, B]] {
	u := hdl.Inst(m, name, StreamJoin, JoinParams{Left: hdl.WidthOf(a.Data), Right: hdl.WidthOf(b.Data)})
	feed(u.Left, a)
	feed(u.Right, b)
	return hdl.Stream[Both[A, B]]{Valid: u.Out.Valid, Ready: u.Out.Ready, Data: Both[A, B]{
		hdl.Unpack(a.Data, u.Out.Data.Left.Data), hdl.Unpack(b.Data, u.Out.Data.Right.Data)}}
}
