package backend

import "github.com/millrace-hdl/millrace/hdl"

// What the error handler does to the streams of the engine. Without one, a nil handler,
// they stay as they are.

// unlessDropped is a stream that is thrown away while everything is dropped.
func unlessDropped[T any](h *handler, m *hdl.Module, name string, s hdl.Stream[T]) hdl.Stream[T] {
	if h == nil {
		return s
	}
	out := hdl.Wires(m, name, s)
	out.Valid.Set(s.Valid.AndNot(h.drop))
	s.Ready.Set(out.Ready.Or(h.drop))
	hdl.Assign(out.Data, s.Data)
	return out
}

// withRoomOf is a stream whose valid may be withdrawn, see withRoom.
func withRoomOf[T any](h *handler, m *hdl.Module, name string, s hdl.Stream[T]) hdl.Stream[T] {
	if h == nil {
		return s
	}
	out := hdl.Wires(m, name, s)
	out.Valid.Set(s.Valid.And(out.Ready))
	s.Ready.Set(out.Ready)
	hdl.Assign(out.Data, s.Data)
	return out
}

// orDropped is the ready of an order whose entries go when they are done, or while
// everything is dropped.
func (h *handler) orDropped(done hdl.Signal) hdl.Signal {
	if h == nil {
		return done
	}
	return done.Or(h.drop)
}

// orWritesDropped is the same for orders that the write managers need until nothing of
// them is under way.
func (h *handler) orWritesDropped(done hdl.Signal) hdl.Signal {
	if h == nil {
		return done
	}
	return done.Or(h.drop.And(h.written))
}

// withRoom is a valid that may be withdrawn, and so is not shown before there is room.
func (h *handler) withRoom(valid hdl.Signal, ready hdl.Var) hdl.Signal {
	if h == nil {
		return valid
	}
	return valid.And(ready)
}
