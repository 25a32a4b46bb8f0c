package backend

import (
	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// judged is a request of which it is known whether it is refused, and which ports it takes.
type judged struct {
	Request  Request `hdl:"name="`
	From, To hdl.Var // numbers of its ports
	Refused  hdl.Var
	Why      hdl.Var // a Refused code
	Use      []use   `hdl:"opt"` // with operations
}

// judge decides which requests are refused. With operations this takes a cycle: their
// lengths follow from each other by some arithmetic.
func (e *engine) judge(requests hdl.Stream[Request]) hdl.Stream[judged] {
	m, c, req := e.m, e.c, requests.Data
	m.Note("A refused request skips the read side; its answer keeps its place in the order.")
	from, fromExists := chosen(m, "read", c.ReadProtocols, req.Src)
	to, toExists := chosen(m, "write", c.WriteProtocols, req.Dst)
	badBurst := m.Let("bad_burst", isPlain(c.ReadProtocols, req.Src).And(isPlain(c.WriteProtocols, req.Dst)).Not())
	badPort := fromExists.And(toExists).Not()
	none := req.Length.None()
	if !c.computes() {
		refused := m.Let("refused", none.Or(badBurst).Or(badPort))
		why := hdl.FirstOf(hdl.Const(2, RefusedPort),
			hdl.Choice{When: none, Then: hdl.K(RefusedZeroLength)}, hdl.Choice{When: badBurst, Then: hdl.K(RefusedBurst)})
		return hdl.Stream[judged]{Valid: requests.Valid, Ready: requests.Ready, Data: judged{
			Request: req, From: hdl.V(from), To: hdl.V(to), Refused: hdl.V(refused), Why: hdl.V(why),
		}}
	}
	o := e.operation(req)
	none = m.Let("no_length", none.And(o.dstLength.None()))
	refused := m.Let("refused", none.Or(badBurst).Or(badPort).Or(o.violated))
	o.follow(e, requests.Fire().AndNot(refused))
	why := hdl.FirstOf(hdl.Const(2, RefusedCompute), hdl.Choice{When: none, Then: hdl.K(RefusedZeroLength)},
		hdl.Choice{When: badBurst, Then: hdl.K(RefusedBurst)}, hdl.Choice{When: badPort, Then: hdl.K(RefusedPort)})
	return lib.CutStream(m, "u_judged", lib.CutValid, hdl.Stream[judged]{Valid: requests.Valid, Ready: requests.Ready, Data: judged{
		Request: req, From: hdl.V(from), To: hdl.V(to), Refused: hdl.V(refused), Why: hdl.V(why.And(hdl.Repeat(refused, 2))),
		Use: []use{{
			Unit: hdl.V(o.unit), OutLength: hdl.V(o.outLength),
			Reads: hdl.V(req.Length.Any().AndNot(refused)), Empty: hdl.V(o.outLength.None().AndNot(refused)),
		}},
	}})
}

// isPlain is whether the options of a side ask for nothing that its protocol refuses.
func isPlain(set PortSet, o SideOptions) hdl.Signal {
	plain := o.Burst.Eq(hdl.K(bus.BurstINCR)).AndNot(o.Lock.Signal)
	switch {
	case !set.any(AXI4):
		return hdl.Const(1, 1)
	case len(o.Protocol) > 0:
		return plain.Or(o.Protocol[0].Ne(hdl.K(int(AXI4))))
	}
	return plain
}
