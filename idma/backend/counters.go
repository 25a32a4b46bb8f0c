package backend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// Counts is what the engine has counted since reset. Counts wrap, so software takes
// differences. Stalls are cycles, counted for each port; ports of Init have no bus and are
// not counted.
type Counts struct {
	Busy       hdl.Var // cycles in which Ports.Busy was not zero
	Transfers  hdl.Var // transfers that ended, with an error or without
	Errors     hdl.Var // responses that told of an error
	Bytes      hdl.Var // bytes written: strobes of the beats that went out
	Reads      hdl.Var // read bursts requested
	ReadStalls hdl.Var // a read request was not taken
	ReadBeats  hdl.Var // beats of data read
	ReadWaits  hdl.Var // no data came, though some were asked for and there was room
	ReadHolds  hdl.Var // data came and were not taken: there was no room, or, on a stream, no transfer yet
	Writes     hdl.Var // write bursts requested
	AddrStalls hdl.Var // a write request was not taken
	WriteBeats hdl.Var // beats of data written
	DataStalls hdl.Var // write data were not taken
	Responses  hdl.Var // write responses
}

// countDocs are the names of the counts and what they count, in the order of [Counts].
var countDocs = [...][2]string{
	{"busy", "Cycles in which the engine was busy."},
	{"transfers", "Transfers that ended, with an error or without."},
	{"errors", "Responses that told of an error."},
	{"bytes", "Bytes written."},
	{"reads", "Read bursts requested."},
	{"read_stalls", "Cycles in which a read request was not taken."},
	{"read_beats", "Beats of data read."},
	{"read_waits", "Cycles in which no data came, though some were asked for and there was room."},
	{"read_holds", "Cycles in which data came and were not taken: there was no room, or, on a stream, no transfer yet."},
	{"writes", "Write bursts requested."},
	{"addr_stalls", "Cycles in which a write request was not taken."},
	{"write_beats", "Beats of data written."},
	{"data_stalls", "Cycles in which write data were not taken."},
	{"responses", "Write responses."},
}

// Each calls f with each count, its name and what it counts, in order.
func (c Counts) Each(f func(name, doc string, count hdl.Var)) {
	for i, v := range []hdl.Var{c.Busy, c.Transfers, c.Errors, c.Bytes, c.Reads, c.ReadStalls, c.ReadBeats, c.ReadWaits, c.ReadHolds,
		c.Writes, c.AddrStalls, c.WriteBeats, c.DataStalls, c.Responses} {
		f(countDocs[i][0], countDocs[i][1], v)
	}
}

// CountsType is the type of the counts, with the width of the configuration.
func (c Config) CountsType() Counts {
	u := hdl.U(c.CounterWidth)
	return Counts{u, u, u, u, u, u, u, u, u, u, u, u, u, u}
}

// happened is how often, and for bytes how many, each event of [Counts] took place in a
// cycle: the sums over all ports. The events of each port are kept apart until then.
type happened struct{ reads, readStalls, readBeats, readWaits, readHolds, writes, addrStalls, writeBeats, dataStalls, responses, bytes []hdl.Signal }

func (h *happened) request(valid, ready hdl.Var, calls, stalls *[]hdl.Signal) {
	*calls, *stalls = append(*calls, valid.And(ready)), append(*stalls, valid.AndNot(ready.Signal))
}

// data counts beats that come; asked says that some are to come.
func (h *happened) data(valid, ready, asked hdl.Signal) {
	h.readBeats = append(h.readBeats, valid.And(ready))
	h.readWaits = append(h.readWaits, ready.AndNot(valid).And(asked))
	h.readHolds = append(h.readHolds, valid.AndNot(ready))
}

func (h *happened) written(valid, ready hdl.Var, lanes hdl.Signal) {
	h.request(valid, ready, &h.writeBeats, &h.dataStalls)
	h.bytes = append(h.bytes, lanes.And(hdl.Repeat(valid.And(ready), lanes.Width())))
}

// events are those of all ports.
func (e *engine) events() (h happened) {
	for i, b := range e.io.AXIReads {
		h.request(b.AR.Valid, b.AR.Ready, &h.reads, &h.readStalls)
		h.data(b.R.Valid.Signal, b.R.Ready.Signal, e.asked(fmt.Sprintf("axi%d", i), b.AR.Fire(), b.R.Fire().And(b.R.Data.Last)))
	}
	for i, b := range e.io.LiteReads {
		h.request(b.AR.Valid, b.AR.Ready, &h.reads, &h.readStalls)
		h.data(b.R.Valid.Signal, b.R.Ready.Signal, e.asked(fmt.Sprintf("axil%d", i), b.AR.Fire(), b.R.Fire()))
	}
	for i, b := range e.io.OBIReads {
		h.request(b.Req, b.Gnt, &h.reads, &h.readStalls)
		ready := hdl.Const(1, 1)
		if len(b.RReady) > 0 {
			ready = b.RReady[0].Signal
		}
		h.data(b.RValid.Signal, ready, e.asked(fmt.Sprintf("obi%d", i), b.Req.And(b.Gnt), b.RValid.And(ready)))
	}
	for i, b := range e.io.TLReads {
		h.request(b.A.Valid, b.A.Ready, &h.reads, &h.readStalls)
		name := fmt.Sprintf("tl_read%d", i)
		_, last := e.beats(name, b.D.Fire(), b.D.Data.Size.Signal)
		h.data(b.D.Valid.Signal, b.D.Ready.Signal, e.asked(name, b.A.Fire(), b.D.Fire().And(last)))
	}
	for _, b := range e.io.StreamReads {
		h.data(b.T.Valid.Signal, b.T.Ready.Signal, b.T.Ready.Signal)
	}
	for _, b := range e.io.AXIWrites {
		h.request(b.AW.Valid, b.AW.Ready, &h.writes, &h.addrStalls)
		h.written(b.W.Valid, b.W.Ready, b.W.Data.Strb.Signal)
		h.responses = append(h.responses, b.B.Fire())
	}
	for _, b := range e.io.LiteWrites {
		h.request(b.AW.Valid, b.AW.Ready, &h.writes, &h.addrStalls)
		h.written(b.W.Valid, b.W.Ready, b.W.Data.Strb.Signal)
		h.responses = append(h.responses, b.B.Fire())
	}
	for _, b := range e.io.OBIWrites {
		h.request(b.Req, b.Gnt, &h.writes, &h.addrStalls)
		h.written(b.Req, b.Gnt, b.A.BE.Signal)
		came := b.RValid.Signal
		if len(b.RReady) > 0 {
			came = came.And(b.RReady[0])
		}
		h.responses = append(h.responses, came)
	}
	for i, b := range e.io.TLWrites {
		first, _ := e.beats(fmt.Sprintf("tl_write%d", i), b.A.Fire(), b.A.Data.Size.Signal)
		h.request(hdl.V(b.A.Valid.And(first)), b.A.Ready, &h.writes, &h.addrStalls)
		h.written(b.A.Valid, b.A.Ready, b.A.Data.Mask.Signal)
		h.responses = append(h.responses, b.D.Fire())
	}
	for _, b := range e.io.StreamWrites {
		h.written(b.T.Valid, b.T.Ready, b.T.Data.Strb.Signal)
	}
	return h
}

// asked tells whether reads of a port are under way.
func (e *engine) asked(name string, begins, ends hdl.Signal) hdl.Signal {
	n := e.m.Reg("counted_"+name+"_q", hdl.U(hdl.AddrBits(e.c.Outstanding+2)), hdl.Doc("Reads of the port that are under way."))
	e.m.If(begins.AndNot(ends), func() { n.Set(n.Add(hdl.K(1))) }).ElseIf(ends.AndNot(begins), func() { n.Set(n.Sub(hdl.K(1))) })
	return n.Any()
}

// beats tells which beat of a TileLink message the present one is, the first or the last;
// now is when it passes, and size that of the message.
func (e *engine) beats(name string, now, size hdl.Signal) (first, last hdl.Signal) {
	longest := e.c.tlBeats()
	if longest == 1 {
		return hdl.Const(1, 1), hdl.Const(1, 1)
	}
	width := hdl.AddrBits(longest)
	left := e.m.Reg("counted_"+name+"_beats_q", hdl.U(width), hdl.Doc("Beats of the message that are still to come."))
	var others []hdl.Signal // beats behind the first, by size
	for s := range 1 << size.Width() {
		others = append(others, hdl.Const(width, uint64(min(max((1<<min(s, 30))/e.c.lanes(), 1), longest)-1)))
	}
	first = left.None()
	after := hdl.Select(size, others...)
	e.m.If(now, func() { left.Set(hdl.Mux(first, after, left.Sub(hdl.K(1)))) })
	return first, hdl.Mux(first, after.None(), left.Eq(hdl.K(1)))
}

// countersParams is the shape of [counters]: how many ports have each event.
type countersParams struct {
	Width, Lanes                        int
	Reads, Data, Writes, Beats, Answers int
}

func (p countersParams) Suffix() string {
	return fmt.Sprintf("%d_%dx%d_%d_%d_%d_%d", p.Width, p.Lanes, p.Beats, p.Reads, p.Data, p.Writes, p.Answers)
}

// countersIO is the interface of [counters]: events, a bit a port, and their counts.
type countersIO struct {
	Busy      hdl.Var   `hdl:"in"`
	Ended     hdl.Var   `hdl:"in"`
	Failed    hdl.Var   `hdl:"in"`
	Lanes     []hdl.Var `hdl:"in"` // bytes that are written, of each port
	Read      hdl.Var   `hdl:"in"`
	ReadStall hdl.Var   `hdl:"in"`
	ReadBeat  hdl.Var   `hdl:"in"`
	ReadWait  hdl.Var   `hdl:"in"`
	ReadHold  hdl.Var   `hdl:"in"`
	Write     hdl.Var   `hdl:"in"`
	AddrStall hdl.Var   `hdl:"in"`
	WriteBeat hdl.Var   `hdl:"in"`
	DataStall hdl.Var   `hdl:"in"`
	Response  hdl.Var   `hdl:"in"`
	Counts    Counts    `hdl:"name=count"`
}

// counters counts events a cycle after they happen, so that no path of a bus ends in an
// adder.
func counters(m *hdl.Module, p countersParams) countersIO {
	m.Doc("Counts what happens on the buses of the engine.")
	bits := func(n int) hdl.Var { return hdl.U(max(n, 1)) }
	t := countersIO{
		Busy: hdl.Bool(), Ended: hdl.Bool(), Failed: hdl.Bool(), Read: bits(p.Reads), ReadStall: bits(p.Reads), ReadBeat: bits(p.Data), ReadWait: bits(p.Data), ReadHold: bits(p.Data),
		Write: bits(p.Writes), AddrStall: bits(p.Writes), WriteBeat: bits(p.Beats), DataStall: bits(p.Beats), Response: bits(p.Answers), Counts: Config{CounterWidth: p.Width}.CountsType(),
	}
	for range p.Beats {
		t.Lanes = append(t.Lanes, hdl.U(p.Lanes))
	}
	io := hdl.Ports(m, "", hdl.Source, t)
	bytes := hdl.Const(1, 0)
	if p.Beats > 0 {
		sum := lib.PopCount(io.Lanes[0].Signal)
		for _, l := range io.Lanes[1:] {
			n := lib.PopCount(l.Signal)
			w := max(n.Width(), sum.Width())
			sum = sum.Ext(w).AddX(n.Ext(w))
		}
		bytes = sum
	}
	of := map[string]hdl.Signal{
		"busy": io.Busy.Signal, "transfers": io.Ended.Signal, "errors": io.Failed.Signal, "bytes": bytes, "reads": lib.PopCount(io.Read.Signal), "read_stalls": lib.PopCount(io.ReadStall.Signal),
		"read_beats": lib.PopCount(io.ReadBeat.Signal), "read_waits": lib.PopCount(io.ReadWait.Signal), "read_holds": lib.PopCount(io.ReadHold.Signal), "writes": lib.PopCount(io.Write.Signal),
		"addr_stalls": lib.PopCount(io.AddrStall.Signal), "write_beats": lib.PopCount(io.WriteBeat.Signal), "data_stalls": lib.PopCount(io.DataStall.Signal), "responses": lib.PopCount(io.Response.Signal),
	}
	io.Counts.Each(func(name, _ string, count hdl.Var) {
		n := m.Reg(name+"_now_q", hdl.U(of[name].Width()))
		n.Set(of[name])
		q := m.Reg(name+"_q", hdl.U(p.Width))
		q.Set(q.Add(n.Resize(p.Width)))
		count.Set(q)
	})
	return io
}

// count places the counters, if there are any.
func (e *engine) count() {
	if e.c.CounterWidth == 0 {
		return
	}
	m, h := e.m, e.events()
	u := hdl.Inst(m, "u_counters", counters, countersParams{
		Width: e.c.CounterWidth, Lanes: e.c.DataWidth / 8, Reads: len(h.reads), Data: len(h.readBeats), Writes: len(h.writes), Beats: len(h.writeBeats), Answers: len(h.responses),
	})
	e.io.Counts = []Counts{hdl.Ports(m, "count", hdl.Source, e.c.CountsType())}
	hdl.Connect(e.io.Counts[0], u.Counts)
	for _, x := range []struct {
		in hdl.Var
		of []hdl.Signal
	}{{u.Read, h.reads}, {u.ReadStall, h.readStalls}, {u.ReadBeat, h.readBeats}, {u.ReadWait, h.readWaits}, {u.ReadHold, h.readHolds}, {u.Write, h.writes}, {u.AddrStall, h.addrStalls},
		{u.WriteBeat, h.writeBeats}, {u.DataStall, h.dataStalls}, {u.Response, h.responses}} {
		if len(x.of) == 0 {
			x.in.Set(hdl.K(0))
			continue
		}
		var bits []hdl.Value
		for _, s := range x.of {
			bits = append(bits, s)
		}
		x.in.Set(hdl.Cat(bits...))
	}
	for i, l := range h.bytes {
		u.Lanes[i].Set(l)
	}
	asks := hdl.Const(1, 0)
	if e.c.ErrorHandling {
		asks = e.io.Rsp.Data.Asks[0].Signal
	}
	u.Busy.Set(e.io.Busy.Any())
	u.Ended.Set(e.io.Rsp.Fire().AndNot(asks))
	u.Failed.Set(e.io.Rsp.Fire().And(e.io.Rsp.Data.Error.Or(asks)))
}
