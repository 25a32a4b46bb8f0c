package backend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// guardedAddress is a write request.
type guardedAddress struct {
	Payload hdl.Var
	Len     hdl.Var // AxLEN
}

// guardedWord is a beat of write data. The payload has the strobes.
type guardedWord struct {
	Payload hdl.Var
	Last    hdl.Var
}

// writeReply is a response on its way to the manager.
type writeReply struct {
	Lost hdl.Var // made by the guard
}

type writeGuardIO struct {
	In     hdl.Stream[guardedAddress] `hdl:"in"` // from the manager
	Words  hdl.Stream[guardedWord]    `hdl:"in"` // its data
	Out    hdl.Stream[lib.Word]       // addresses to the bus
	Data   hdl.Stream[guardedWord]    // data to the bus
	Answer hdl.Stream[nothing]        `hdl:"in"` // from the bus
	Reply  hdl.Stream[writeReply]     // to the manager
}

// sides counts the bursts on one side of the guard that are not answered: those whose
// address went, those whose data went, and whether some data of one more did.
type sides struct {
	addrs, words hdl.Var
	inside       hdl.Var
}

// owes is whether a whole burst waits for its answer.
func (s sides) owes() hdl.Signal { return s.addrs.Any().And(s.words.Any()) }

// clear is whether nothing is under way.
func (s sides) clear() hdl.Signal {
	return s.addrs.None().And(s.words.None()).AndNot(s.inside.Signal)
}

func newSides(m *hdl.Module, name, where string, p guardParams) sides {
	n := hdl.AddrBits(p.Depth + 1)
	return sides{
		addrs:  m.Reg(name+"_addresses_q", hdl.U(n), hdl.Doc("Bursts without an answer whose address was taken "+where+".")),
		words:  m.Reg(name+"_data_q", hdl.U(n), hdl.Doc("Bursts without an answer whose data were taken "+where+".")),
		inside: m.Reg(name+"_inside_q", hdl.Bool(), hdl.Doc("Some data of one more were.")),
	}
}

// count follows what was taken in this cycle: an address, a beat of data, an answer.
func (s sides) count(m *hdl.Module, addr, word, last, answered hdl.Signal) {
	n := s.addrs.Width()
	s.addrs.Set(s.addrs.Add(addr.Ext(n)).Sub(answered.Ext(n)))
	s.words.Set(s.words.Add(word.And(last).Ext(n)).Sub(answered.Ext(n)))
	m.If(word, func() { s.inside.Set(last.Not()) })
}

// writeGuard is the [guard] of a bus whose write addresses and data go apart. Bursts
// that the bus has seen in part when it is cut off are ended with beats without
// strobes, as soon as the subordinate takes them.
func writeGuard(m *hdl.Module, p guardParams) writeGuardIO {
	m.Doc(fmt.Sprintf("Isolates the writes of a port whose subordinate makes no progress for %d cycles.", p.Cycles))
	word := guardedWord{hdl.U(p.Data), hdl.Bool()}
	io := hdl.Ports(m, "", hdl.Source, writeGuardIO{
		In: hdl.StreamOf(guardedAddress{hdl.U(p.Request), hdl.U(p.Len)}), Words: hdl.StreamOf(word),
		Out: hdl.StreamOf(lib.Word{Data: hdl.U(p.Request)}), Data: hdl.StreamOf(word),
		Answer: hdl.StreamOf(nothing{}), Reply: hdl.StreamOf(writeReply{hdl.Bool()}),
	})
	isolated := m.Reg("isolated_q", hdl.Bool(), hdl.Doc("The bus is cut off."))
	own, bus := newSides(m, "own", "from the manager", p), newSides(m, "bus", "by the bus", p)
	data := newHeld(m, "data", io.Words.Valid.Signal, hdl.Pack(io.Words.Data), io.Data.Ready, isolated)
	m.Note("A subordinate may wait for data before it takes their address, so an address alone does not count.")
	begun := m.Let("begun", own.words.Add(own.inside.Ext(own.words.Width())))
	waiting := io.Words.Valid.Or(bus.owes()).Or(io.In.Valid.And(begun.Gt(own.addrs)))
	expired := watch(m, p.Cycles, waiting.AndNot(isolated.Signal), io.Out.Fire().Or(io.Data.Fire()).Or(io.Answer.Valid))
	data.keep(expired)

	m.Note("Bursts whose data the bus awaits: those whose address it has taken, or is offered when it is cut off.")
	debts := hdl.Wires(m, "debt", hdl.StreamOf(lib.Word{Data: hdl.U(p.Len)}))
	debt, _ := lib.Queue(m, "u_debts", lib.FIFOParams{Depth: 3}, debts) // addresses are never further ahead
	offers := m.Let("offers_address", io.In.Valid.And(debts.Ready))
	addr := newHeld(m, "address", offers, io.In.Data.Payload.Signal, io.Out.Ready, isolated)
	addr.keep(expired)
	ends := m.Let("ends_data", io.Data.Fire().And(io.Data.Data.Last))
	whole := m.Let("whole", bus.words.Gt(bus.addrs).Or(ends.AndNot(debt.Valid.Signal)), hdl.Doc("The data of the burst at hand have gone already."))
	debts.Valid.Set(isolated.Not().And(io.Out.Fire().Or(expired.And(offers))).AndNot(whole))
	debts.Data.Data.Set(io.In.Data.Len)
	debt.Ready.Set(ends)
	beat := m.Reg("beat_q", hdl.U(p.Len), hdl.Doc("Beats of the burst at hand that the bus has taken."))
	m.If(io.Data.Fire(), func() { beat.Set(hdl.Mux(io.Data.Data.Last, hdl.K(0), beat.Add(hdl.K(1)))) })

	m.Note("Nothing is owed any more: once the manager's bursts are answered, the port is open again. Until then it only ends what it has begun.")
	returns := m.Let("returns", isolated.And(bus.clear()).AndNot(debt.Valid.Or(addr.held).Or(data.held)))
	takesAddr := m.Let("takes_address", returns.Not().Or(begun.Gt(own.addrs)))
	takesData := m.Let("takes_data", returns.Not().Or(own.inside).Or(own.addrs.Gt(own.words)))
	io.In.Ready.Set(hdl.Mux(isolated, takesAddr, io.Out.Ready.And(debts.Ready)))
	io.Words.Ready.Set(hdl.Mux(isolated, takesData, io.Data.Ready))
	io.Out.Valid.Set(hdl.Mux(isolated, addr.held, offers))
	io.Out.Data.Data.Set(addr.payload)
	io.Data.Valid.Set(hdl.Mux(isolated, data.held.Or(debt.Valid), io.Words.Valid))
	filler := guardedWord{hdl.V(hdl.Const(p.Data, 0)), hdl.V(beat.Eq(debt.Data.Data))}
	hdl.Assign(io.Data.Data, hdl.MuxOf(isolated.AndNot(data.held.Signal), filler, hdl.Unpack(word, data.payload)))
	io.Answer.Ready.Set(isolated.Or(io.Reply.Ready))
	io.Reply.Valid.Set(hdl.Mux(isolated, own.owes(), io.Answer.Valid))
	io.Reply.Data.Lost.Set(isolated)

	own.count(m, io.In.Fire(), io.Words.Fire(), io.Words.Data.Last.Signal, io.Reply.Fire())
	bus.count(m, io.Out.Fire(), io.Data.Fire(), io.Data.Data.Last.Signal, io.Answer.Fire().And(bus.owes()))
	m.If(expired, func() { isolated.Set(hdl.K(1)) }).
		ElseIf(returns.And(own.clear()), func() { isolated.Set(hdl.K(0)) })
	return io
}
