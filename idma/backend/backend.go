// Package backend is the iDMA back-end for AXI4 (specification §2): it moves
// linear byte ranges. A request is split into its source and its destination side.
// The read manager legalizes the source into bursts, issues them, and rotates the
// data to the destination's alignment; the row buffer assembles bus words; the
// write manager legalizes the destination, issues addresses and data; completion
// collects write responses and answers each request once, in order.
//
// The subordinate must return read data, and write responses, in the order of the
// bursts. AXI4 guarantees that for bursts of one ID.
package backend

import (
	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// Ports is the interface of the back-end.
type Ports struct {
	Req  hdl.Stream[Request] `hdl:"in"`
	Rsp  hdl.Stream[Response]
	Bus  bus.AXI4 `hdl:"name=m_axi"`
	Busy hdl.Var
}

// Bits of Ports.Busy. All zero means that everything written was acknowledged.
const (
	BusyWaitingAW   = 0 // an AW waits for its data
	BusyResponses   = 1 // a write burst awaits its response, or a request its answer
	BusyQueued      = 2 // a request waits for the write manager
	BusyWriteBursts = 3 // the write manager has a burst to issue
	BusyReadBursts  = 4 // the read manager has a burst to issue; without legalizers also while a request is offered
	BusyWriteData   = 5 // a write burst has data to send
	BusyReadData    = 6 // a read burst awaits data
	BusyBuffer      = 7 // the buffer holds data
)

// rows is the buffer: its depth in bus words, and those that are being assembled,
// one for each rotation.
func (c Config) rows() rowsParams {
	p := rowsParams{DataWidth: c.DataWidth, Depth: c.BufferDepth + 1}
	if !c.CombinedShifter {
		p.Realign = true
		p.Depth++
	}
	return p
}

// Elaborate builds and checks the back-end.
func Elaborate(c Config) (*ir.Design, error) {
	return hdl.Elaborate(Backend, c, hdl.Named("idma_backend"), hdl.Prefix("idma_"))
}

// Backend describes the engine.
func Backend(m *hdl.Module, c Config) Ports {
	m.Doc("iDMA back-end: moves linear byte ranges from AXI4 to AXI4.")
	axi := bus.NewAXI4(bus.AXI4Params{DataWidth: c.DataWidth, AddrWidth: c.AddrWidth, IDWidth: c.IDWidth, UserWidth: c.UserWidth})
	io := hdl.Ports(m, "", hdl.Source, Ports{
		Req: hdl.StreamOf(requestType(c)), Rsp: hdl.StreamOf(responseType()), Bus: axi, Busy: hdl.U(8),
	}, hdl.MayBeUnused())
	req := io.Req.Data

	read := hdl.Inst(m, "u_read", readManager, c)
	rows := hdl.Inst(m, "u_rows", rowBuffer, c.rows())
	write := hdl.Inst(m, "u_write", writeManager, c)
	done := hdl.Inst(m, "u_completion", completion, c)

	m.Note("A refused request skips the read side; its answer keeps its place in the order.")
	badBurst := m.Let("bad_burst", req.Src.Burst.Ne(hdl.K(bus.BurstINCR)).Or(req.Dst.Burst.Ne(hdl.K(bus.BurstINCR))))
	refused := m.Let("refused", req.Length.None().Or(badBurst))
	queue := hdl.Wires(m, "queue", hdl.StreamOf(writeTransferType(c)))
	readReady := m.Let("read_ready", refused.Or(read.In.Ready))
	io.Req.Ready.Set(readReady.And(queue.Ready))
	read.In.Valid.Set(io.Req.Valid.And(queue.Ready).AndNot(refused))
	queue.Valid.Set(io.Req.Valid.And(readReady))

	off := c.offsetBits()
	dstOffset := hdl.Const(off, 0)
	if c.CombinedShifter {
		dstOffset = req.DstAddr.Bits(off-1, 0)
	}
	hdl.Assign(read.In.Data, readTransfer{
		Span: span{Addr: req.SrcAddr, Length: req.Length, Limit: req.Src.Limit},
		Attr: attributesOf(req.ID, req.Src), DstOffset: hdl.V(dstOffset), Coupled: hdl.V(req.DecoupleRW.Not()),
	})
	hdl.Assign(queue.Data, writeTransfer{
		Piece: piece{Span: span{Addr: req.DstAddr, Length: req.Length, Limit: req.Dst.Limit}, Skip: hdl.V(refused)},
		Tags: tags{
			Attr: attributesOf(req.ID, req.Dst), User: req.User, Early: req.DecoupleAW, Last: req.Last,
			Refused: hdl.V(req.Length.Any()), // RefusedBurstType, else RefusedZeroLength
		},
	})
	queued, waiting := lib.Queue(m, "u_queue", lib.FIFOParams{Depth: c.Outstanding, Block: true}, queue)
	hdl.Connect(write.In, queued)

	hdl.Connect(rows.In, read.Out)
	hdl.Connect(write.Row, rows.Out)
	hdl.Connect(done.In, write.Done)
	hdl.Connect(io.Rsp, done.Rsp)
	read.Blocked.Set(write.Blocked)
	if c.ReserveBuffer {
		read.Used[0].Set(rows.Used)
	}
	if !c.CombinedShifter {
		hdl.Connect(write.Realign[0], rows.Realign[0])
	}

	hdl.Connect(io.Bus.AR, read.AR)
	hdl.Connect(io.Bus.AW, write.AW)
	hdl.Connect(io.Bus.W, write.W)
	hdl.Connect(read.R, hdl.Stream[readData]{Valid: io.Bus.R.Valid, Ready: io.Bus.R.Ready, Data: readData{
		Data: io.Bus.R.Data.Data, Resp: io.Bus.R.Data.Resp, Last: io.Bus.R.Data.Last,
	}})
	hdl.Connect(done.B, hdl.Stream[writeResp]{Valid: io.Bus.B.Valid, Ready: io.Bus.B.Ready, Data: writeResp{io.Bus.B.Data.Resp}})

	io.Busy.Set(hdl.Cat(
		rows.Used.Any(), read.Drained.Not(), write.Drained.Not(), read.Idle.Not(), write.Idle.Not(),
		waiting, done.Idle.Not(), write.Waiting,
	))
	return io
}
