package backend

import (
	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// axi4 is the AXI4 bundle of the configuration.
func (c Config) axi4() bus.AXI4 {
	return bus.NewAXI4(bus.AXI4Params{DataWidth: c.DataWidth, AddrWidth: c.AddrWidth, IDWidth: c.IDWidth, UserWidth: c.UserWidth})
}

// axiLite is the AXI4-Lite bundle of the configuration.
func (c Config) axiLite() bus.AXILite {
	return bus.NewAXILite(bus.AXILiteParams{DataWidth: c.DataWidth, AddrWidth: c.AddrWidth})
}

// obi is the OBI bundle of the configuration.
func (c Config) obi() bus.OBI {
	return bus.NewOBI(bus.OBIParams{DataWidth: c.DataWidth, AddrWidth: c.AddrWidth, IDWidth: c.IDWidth, RReady: c.OBIReady})
}

// axiReads is the reading half of AXI4, as far as a manager uses it.
type axiReads struct {
	AR hdl.Stream[bus.AXI4Addr] `hdl:"name=ar,glue"`
	R  hdl.Stream[readData]     `hdl:"in,name=r,glue"`
}

// readAXI4 is the read manager of AXI4.
func readAXI4(m *hdl.Module, c Config) readIO[axiReads] {
	m.Doc("AXI4 read manager: legalizes the source side, issues AR, receives R.")
	io, b := readPorts(m, c, AXI4, axiReads{AR: c.axi4().AR, R: hdl.StreamOf(readDataType(c))})
	a := askAndReceive(m, c, AXI4, c.maxReadLen(), io, b.AR.Valid, b.AR.Ready, b.R)
	axiAddress(b.AR.Data, c, a.burst, a.attr, hdl.Const(c.UserWidth, 0))
	return readIO[axiReads]{io, b}
}

// readAXILite is the read manager of AXI4-Lite: one beat a request.
func readAXILite(m *hdl.Module, c Config) readIO[bus.AXILiteReads] {
	m.Doc("AXI4-Lite read manager: cuts the source side into bus words, issues AR, receives R.")
	io, b := readPorts(m, c, AXILite, c.axiLite().AXILiteReads)
	a := askAndReceive(m, c, AXILite, 0, io, b.AR.Valid, b.AR.Ready, hdl.Stream[readData]{
		Valid: b.R.Valid, Ready: b.R.Ready, Data: readData{Data: b.R.Data.Data, Resp: b.R.Data.Resp, Last: always(true)},
	})
	hdl.Assign(b.AR.Data, bus.AXILiteAddr{Addr: c.byteAddress(a.burst.Word), Prot: a.attr.Prot[0]})
	return readIO[bus.AXILiteReads]{io, b}
}

// obiCame is what a manager uses of a response of OBI.
type obiCame struct {
	RData, Err hdl.Var
	Lost       []hdl.Var `hdl:"opt"` // with a watchdog
}

// readOBI is the read manager of OBI: one beat a request. Responses cannot be held
// up unless the bus has rready, so they go through a queue that has room for all
// that were asked for.
func readOBI(m *hdl.Module, c Config) readIO[bus.OBI] {
	m.Doc("OBI read manager: cuts the source side into bus words, issues requests, receives responses.")
	io, b := readPorts(m, c, OBI, c.obi())
	came := hdl.Wires(m, "came", hdl.StreamOf(obiCame{hdl.U(c.DataWidth), hdl.Bool(), optional(c.Watchdog > 0, hdl.Bool())}), hdl.MayBeUnused())
	came.Valid.Set(b.RValid)
	hdl.Assign(came.Data, obiCame{b.R.RData, b.R.Err, io.Lost})
	kept := came
	if c.OBIReady {
		b.RReady[0].Set(came.Ready)
	} else {
		kept, _ = lib.Queue(m, "u_responses", lib.FIFOParams{Depth: c.Outstanding, FallThrough: true}, came)
	}
	a := askAndReceive(m, c, OBI, 0, io, b.Req, b.Gnt, hdl.Stream[readData]{
		Valid: kept.Valid, Ready: kept.Ready, Data: readData{Data: kept.Data.RData, Resp: obiResponse(kept.Data.Err, kept.Data.Lost), Last: always(true)},
	})
	hdl.Assign(b.A, bus.OBIAddr{
		Addr: c.byteAddress(a.burst.Word), WE: always(false), BE: hdl.V(hdl.Ones(c.lanes())),
		WData: hdl.V(hdl.Const(c.DataWidth, 0)), AID: a.attr.ID[0],
	})
	return readIO[bus.OBI]{io, b}
}

// obiResponse is the response code that an error of OBI counts as: SLVERR, or that of
// the guard.
func obiResponse(err hdl.Var, lost []hdl.Var) hdl.Var {
	resp := hdl.V(hdl.Cat(err, hdl.Const(1, 0)))
	if len(lost) > 0 {
		return guarded(resp, lost[0])
	}
	return resp
}

// always is a constant bit.
func always(b bool) hdl.Var {
	if b {
		return hdl.V(hdl.Const(1, 1))
	}
	return hdl.V(hdl.Const(1, 0))
}

// byteAddress is the address of a bus word in bytes.
func (c Config) byteAddress(word hdl.Var) hdl.Var {
	return hdl.V(hdl.Cat(word, hdl.Const(c.offsetBits(), 0)))
}

// axiAddress assigns the payload of AR or AW.
func axiAddress(to bus.AXI4Addr, c Config, b burst, a attributes, user hdl.Signal) {
	off := c.offsetBits()
	hdl.Assign(to, bus.AXI4Addr{
		ID: a.ID[0], Addr: hdl.V(hdl.Cat(b.Word, hdl.Const(off, 0))), Len: b.Len,
		Size: hdl.V(hdl.Const(3, uint64(off))), Burst: hdl.V(hdl.Const(2, bus.BurstINCR)),
		Lock: hdl.V(hdl.Const(1, 0)), Cache: a.AXI[0].Cache, Prot: a.Prot[0], QoS: a.AXI[0].QoS, Region: a.AXI[0].Region, User: hdl.V(user),
	})
}
