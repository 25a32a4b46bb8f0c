package midend

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/backend"
)

// RowsRequest is a transfer in rows (specification §3.1).
type RowsRequest struct {
	Transfer  backend.Request `hdl:"name="` // its Length is that of all rows together
	RowLength hdl.Var         // bytes of a row, as wide as Length; the last row has what is left
	SrcStride hdl.Var         // bytes from the start of a row to that of the next, two's complement
	DstStride hdl.Var
}

// RowsLink is a [Link] with such requests.
type RowsLink struct {
	Req    hdl.Stream[RowsRequest]
	Rsp    hdl.Stream[backend.Response] `hdl:"in"`
	Action []hdl.Stream[backend.Action] `hdl:"opt"` // with error handling
}

// RowsLinkType is the type of links to a back-end with requests in rows.
func RowsLinkType(c backend.Config) RowsLink {
	l := Linear(c).Type()
	addr := hdl.U(c.AddrWidth)
	return RowsLink{Req: hdl.StreamOf(RowsRequest{c.RequestType(), hdl.U(c.LengthWidth), addr, addr}), Rsp: l.Rsp, Action: l.Action}
}

// link is the same as one with linear requests.
func (l RowsLink) link() Link {
	req := hdl.Stream[Request]{Valid: l.Req.Valid, Ready: l.Req.Ready, Data: Request{Transfer: l.Req.Data.Transfer}}
	return Link{Req: req, Rsp: l.Rsp, Action: l.Action}
}

// RowsPorts is the interface of tensor_2D.
type RowsPorts struct {
	Up   RowsLink `hdl:"in"`
	Down Link     // linear
	Busy hdl.Var  // it holds a request, or awaits a response
}

// RowsConfig holds the parameters of tensor_2D. Start from [DefaultRows].
type RowsConfig struct {
	// Registered puts a register between requests and the linear ones, for the sake of the
	// clock, which costs a cycle.
	Registered bool
	// InFlight is how many requests may be issued in whole and not answered, 1 to 1024; 0
	// stands for three times the reads that the back-end may have outstanding, and 16.
	InFlight int
	// Backend is the configuration of the back-end.
	Backend backend.Config
}

// DefaultRows is for the default back-end.
func DefaultRows() RowsConfig { return RowsConfig{Backend: backend.Default()} }

// Validate returns every parameter out of range, each a [*backend.FieldError].
func (c RowsConfig) Validate() error {
	v := validation{}
	v.between("InFlight", c.InFlight, 0, 1024)
	return v.with(c.Backend)
}

// ElaborateRows builds and checks tensor_2D.
func ElaborateRows(c RowsConfig) (*ir.Design, error) {
	return hdl.Elaborate(Rows, c, hdl.Named("idma_tensor_2d"), hdl.Prefix("idma_"))
}

// Rows describes tensor_2D (specification §3.1): it makes a linear transfer of each row of
// a transfer that is told by the length of all and that of a row. The last row has what is
// left; a row longer than all is the whole transfer. With rows of no bytes there is nothing
// to do, and the request is refused with error type [backend.ErrMidend]. Latency and
// throughput are those of [Tensor].
func Rows(m *hdl.Module, c RowsConfig) RowsPorts {
	m.Doc("tensor_2D: makes linear transfers of those in rows.")
	io := RowsPorts{
		Up:   hdl.Ports(m, "up", hdl.Sink, RowsLinkType(c.Backend), hdl.MayBeUnused()),
		Down: hdl.Ports(m, "down", hdl.Source, Linear(c.Backend).Type(), hdl.MayBeUnused()),
		Busy: m.Out("busy", hdl.Bool()),
	}
	req, up := io.Up.Req.Data, io.Up.link()
	for i, a := range io.Down.Action {
		hdl.Connect(a, up.Action[i])
	}
	first := m.Reg("first_q", hdl.Bool(), hdl.Init(1), hdl.Doc("The next row is the first one of a request."))
	// next is what changes from row to row.
	next := func(name string, given hdl.Var) (q hdl.Var, now hdl.Signal) {
		q = m.Reg(name+"_q", given, hdl.NoReset())
		return q, m.Let(name, hdl.Mux(first, given, q))
	}
	src, srcAddr := next("src_addr", req.Transfer.SrcAddr)
	dst, dstAddr := next("dst_addr", req.Transfer.DstAddr)
	rest, left := next("left", req.Transfer.Length)
	final := m.Let("is_final", left.Le(req.RowLength))
	refused := m.Let("refused", req.RowLength.None())

	piece := downOf(m, io.Down, c.Registered)
	transfer := req.Transfer
	transfer.SrcAddr, transfer.DstAddr, transfer.Last = hdl.V(srcAddr), hdl.V(dstAddr), hdl.V(final)
	transfer.Length = hdl.V(hdl.Mux(final, left, req.RowLength))
	hdl.Assign(piece.Data, Request{Transfer: transfer})
	join(m, answersParams{c.Backend, inFlight(c.InFlight, c.Backend)}, Ports{[]Link{up}, []Link{io.Down}, io.Busy}, piece, refused, final, first.Not())
	m.If(piece.Fire(), func() {
		first.Set(final)
		src.Set(srcAddr.Add(req.SrcStride))
		dst.Set(dstAddr.Add(req.DstStride))
		rest.Set(left.Sub(req.RowLength))
	})
	return io
}
