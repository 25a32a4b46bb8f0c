package hdl

// Stream carries a payload with the valid/ready handshake. A transfer happens in
// each cycle in which both are one. Once Valid is one, it and Data stay until the
// transfer. Valid never waits for Ready, neither combinationally nor over time;
// Ready may wait for Valid.
type Stream[T any] struct {
	Valid Var `hdl:"out"`
	Ready Var `hdl:"in"`
	Data  T   `hdl:"out,name="`
}

// StreamOf is the type of a stream of the payload type t.
func StreamOf[T any](t T) Stream[T] { return Stream[T]{Valid: Bool(), Ready: Bool(), Data: t} }

// Fire is one bit: a transfer happens in this cycle.
func (s Stream[T]) Fire() Signal { return s.Valid.And(s.Ready) }
