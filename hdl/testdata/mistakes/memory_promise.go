package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// QueueIO is the interface of [Queue].
type QueueIO struct {
	Address hdl.Var `hdl:"in"`
	Data    hdl.Var `hdl:"in"`
	Back    hdl.Var
}

// Queue writes a memory at one clock and reads it at another. No memory can promise
// what a read takes that meets a write of another clock.
func Queue(m *hdl.Module, _ none) QueueIO {
	reader := m.Domain("reader")
	io := QueueIO{Address: m.In("address", hdl.U(4)), Data: m.In("data", hdl.U(8)), Back: m.Out("back", hdl.U(8), hdl.On(reader))}
	at := m.Reg("at_q", hdl.U(4), hdl.On(reader))
	at.Set(at.Add(hdl.K(1)))
	words := m.Mem("words", hdl.U(8), 16) // mistake
	write := words.Write(io.Address, io.Data)
	io.Back.Set(words.SyncRead("back_q", at, hdl.Const(1, 1), hdl.Undefined, hdl.On(reader), hdl.During(write, hdl.NewData)))
	return io
}
