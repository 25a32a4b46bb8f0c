package midend

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/compute"
)

// WalkConfig holds the parameters of the transpose walk. Start from [DefaultWalk].
type WalkConfig struct {
	// InFlight is how many requests may be issued in whole and not answered, 1 to 1024; 0
	// stands for three times the reads that the back-end may have outstanding, and 16.
	InFlight int
	// Backend is the configuration of the back-end, which transposes.
	Backend backend.Config
}

// DefaultWalk is above a back-end that transposes and does nothing else.
func DefaultWalk() WalkConfig {
	c := WalkConfig{Backend: backend.Default()}
	c.Backend.Compute[compute.CodeTranspose] = compute.Transpose{}
	return c
}

// Validate returns every parameter out of range, each a [*backend.FieldError].
func (c WalkConfig) Validate() error {
	v := validation{}
	v.check(c.Backend.Compute[compute.CodeTranspose] != nil, "Backend.Compute", c.Backend.Compute, "what has transpose among it")
	v.between("InFlight", c.InFlight, 0, 1024)
	return v.with(c.Backend)
}

// Suffix names the variant in module names.
func (c WalkConfig) Suffix() string { return c.Backend.Suffix() }

// Up is the link of the stage above: linear, as that below.
func (c WalkConfig) Up() []LinkConfig { return []LinkConfig{Linear(c.Backend)} }

// Down is the link of the stage below.
func (c WalkConfig) Down() []LinkConfig { return []LinkConfig{Linear(c.Backend)} }

// Place places a [TransposeWalk].
func (c WalkConfig) Place(m *hdl.Module, name string) Ports {
	return hdl.Inst(m, name, TransposeWalk, c)
}

// ElaborateWalk builds and checks the transpose walk.
func ElaborateWalk(c WalkConfig) (*ir.Design, error) {
	return hdl.Elaborate(TransposeWalk, c, hdl.Named("idma_transpose_walk"), hdl.Prefix("idma_"))
}

// TransposeWalk describes the transpose walk (specification §2.7): of a request that transposes a whole
// matrix it makes the transfers of its tiles. The source is M rows of N elements without
// gaps, as is the destination: N rows of M elements. Tiles at the edges have only the
// rows and columns that there are, so nothing is read or written outside the matrices. The
// length of the request is that of a matrix; where it is not, or the matrix is empty, the
// back-end is left to refuse the request as a whole.
//
// Other requests pass in the cycle in which they come. The first transfer of a matrix goes a
// cycle later, the others follow one a cycle, down the tiles of a column of tiles. Nothing may
// come between them, so this stage is the last above a back-end.
func TransposeWalk(m *hdl.Module, c WalkConfig) Ports {
	m.Doc("Transpose walk: makes the rows of tiles of whole matrices.")
	l := Linear(c.Backend).Type()
	io := twoLinks(m, l, l)
	up, piece := io.Up[0].Req, io.Down[0].Req
	w := newWalker(m, up.Data.Transfer, c.Backend.DataWidth/8)

	m.Note("A matrix waits for a cycle, in which it is looked at.")
	transposes := m.Let("transposes", w.opt.Enable.And(w.opt.Op.Eq(hdl.K(compute.CodeTranspose))))
	walking := m.Reg("walking_q", hdl.Bool(), hdl.Doc("The tiles of a matrix go."))
	goes := m.Let("goes", transposes.Not().Or(walking))
	begins := m.Let("begins", up.Valid.And(transposes).AndNot(walking.Signal))
	let := hdl.Wires(m, "let", hdl.StreamOf(l.Req.Data))
	let.Valid.Set(up.Valid.And(goes))
	up.Ready.Set(let.Ready.And(goes))
	hdl.Assign(let.Data, up.Data)
	final := m.Let("is_final", walking.Not().Or(w.final))
	transfer := hdl.MuxOf(walking, w.row(), up.Data.Transfer)
	transfer.Last = hdl.V(final)
	hdl.Assign(piece.Data, Request{Transfer: transfer})

	inner := io
	inner.Up = []Link{{Req: let, Rsp: io.Up[0].Rsp}}
	inner.Busy = m.Wire("walks", hdl.Bool())
	join(m, answersParams{c.Backend, inFlight(c.InFlight, c.Backend)}, inner, piece, hdl.Const(1, 0), final, walking.Signal)
	io.Busy.Set(inner.Busy.Or(up.Valid))
	m.If(begins, func() { walking.Set(hdl.K(1)) }).
		ElseIf(let.Fire(), func() { walking.Set(hdl.K(0)) })
	w.follow(begins, m.Let("steps", piece.Fire().And(walking)))
	return io
}

// walker is where the walk through a matrix is.
type walker struct {
	m        *hdl.Module
	request  backend.Request
	opt      compute.Options
	lanes    int
	bad      hdl.Var // the matrix is none
	rows     hdl.Var // rows of the source that the tiles from here down have
	columns  hdl.Var // columns that the tiles from here to the right have
	at       hdl.Var // transfers before of the tile
	src      hdl.Var // of the next row
	firstSrc hdl.Var // of the column of tiles
	dst      hdl.Var // of the next column
	tileDst  hdl.Var // of the tile
	firstDst hdl.Var // of the column of tiles

	tileRows, tileColumns, side            hdl.Signal // of the tile, and of whole tiles
	reads, writes                          hdl.Signal
	lastOfTile, lastDown, lastRight, final hdl.Signal
}

func newWalker(m *hdl.Module, r backend.Request, lanes int) *walker {
	w := &walker{m: m, request: r, opt: r.Compute[0], lanes: lanes}
	addr := func(name, doc string) hdl.Var { return m.Reg(name, r.SrcAddr, hdl.NoReset(), hdl.Doc(doc)) }
	w.bad = m.Reg("bad_q", hdl.Bool(), hdl.NoReset(), hdl.Doc("The matrix is empty, or its length is another."))
	w.rows = m.Reg("rows_q", w.opt.M, hdl.NoReset(), hdl.Doc("Rows from the tile down."))
	w.columns = m.Reg("columns_q", w.opt.N, hdl.NoReset(), hdl.Doc("Columns from the tile to the right."))
	w.at = m.Reg("at_q", hdl.U(ir.AddrBits(lanes)), hdl.NoReset(), hdl.Doc("Transfers before of the tile."))
	w.src, w.firstSrc = addr("src_q", "Row that is read next."), addr("first_src_q", "First row of the column of tiles.")
	w.dst, w.tileDst, w.firstDst = addr("dst_q", "Column that is written next."), addr("tile_dst_q", "First column of the tile."), addr("first_dst_q", "First column of the column of tiles.")

	bits := w.opt.M.Width()
	w.side = m.Let("side", hdl.Const(bits, uint64(lanes)).Shr(w.opt.Mode), hdl.Doc("Rows and columns of a whole tile."))
	least := func(name string, n hdl.Var) (size, last hdl.Signal) {
		last = m.Let("last_"+name, n.Le(w.side))
		return m.Let("tile_"+name, hdl.Mux(last, n, w.side)), last
	}
	w.tileRows, w.lastDown = least("rows", w.rows)
	w.tileColumns, w.lastRight = least("columns", w.columns)
	at := w.at.Ext(bits)
	w.reads = m.Let("reads", at.Lt(w.tileRows))
	w.writes = m.Let("writes", at.Lt(w.tileColumns))
	next := at.Add(hdl.K(1))
	w.lastOfTile = m.Let("last_of_tile", next.Ge(w.tileRows).And(next.Ge(w.tileColumns)).Or(w.bad))
	w.final = m.Let("last_of_matrix", w.lastOfTile.And(w.lastDown.And(w.lastRight).Or(w.bad)))
	return w
}

// bytes is so many elements as a length.
func (w *walker) bytes(elements hdl.Signal, width int) hdl.Signal {
	return elements.Ext(max(width, elements.Width())).Shl(w.opt.Mode).Resize(width)
}

// row is the transfer at hand. One without a matrix is that of a tile without rows, which the
// back-end refuses.
func (w *walker) row() backend.Request {
	m, r := w.m, w.request
	length := r.Length.Width()
	bits := w.opt.M.Width()
	rows := m.Let("rows", w.tileRows.And(hdl.Repeat(w.bad.Not(), bits)))
	r.DstLength = []hdl.Var{hdl.V(w.bytes(rows, length).And(hdl.Repeat(w.writes, length)))}
	read := w.bytes(w.tileColumns, length).And(hdl.Repeat(w.reads, length))
	r.SrcAddr, r.DstAddr = w.src, w.dst
	r.Length = hdl.V(hdl.Mux(w.bad, w.request.Length, read))
	r.Compute = []compute.Options{{
		Enable: w.opt.Enable, Op: w.opt.Op, Mode: w.opt.Mode, N: hdl.V(w.tileColumns), M: hdl.V(rows),
	}}
	return r
}

// follow goes to the next transfer, or to the first of a matrix.
func (w *walker) follow(begins, steps hdl.Signal) {
	m, r := w.m, w.request
	addr, length := r.SrcAddr.Width(), r.Length.Width()
	m.Note("Elements of the matrix, times the bytes of one.")
	bits := w.opt.M.Width() + w.opt.N.Width()
	size := m.Let("matrix_bytes", w.opt.M.Ext(bits).Mul(w.opt.N.Ext(bits)).Resize(bits+3).Shl(w.opt.Mode))
	wide := max(size.Width(), length)
	wrong := size.None().Or(size.Ext(wide).Ne(r.Length.Ext(wide))).Or(w.side.None())
	down := m.Let("src_down", w.src.Add(w.bytes(w.opt.N.Signal, addr).And(hdl.Repeat(w.reads, addr))))
	right := m.Let("src_right", w.firstSrc.Add(hdl.K(w.lanes)))
	nextColumn := w.dst.Add(w.bytes(w.opt.M.Signal, addr))
	nextTile := m.Let("dst_down", w.tileDst.Add(hdl.K(w.lanes)))
	bytesRight := w.opt.M.Ext(addr).Shl(hdl.Const(4, uint64(ir.AddrBits(w.lanes))))
	nextRight := m.Let("dst_right", w.firstDst.Add(bytesRight))
	m.If(begins, func() {
		w.bad.Set(wrong)
		w.rows.Set(w.opt.M)
		w.columns.Set(w.opt.N)
		w.at.Set(hdl.K(0))
		w.src.Set(r.SrcAddr)
		w.firstSrc.Set(r.SrcAddr)
		w.dst.Set(r.DstAddr)
		w.tileDst.Set(r.DstAddr)
		w.firstDst.Set(r.DstAddr)
	}).ElseIf(steps, func() {
		w.at.Set(w.at.Add(hdl.K(1)))
		w.src.Set(down)
		w.dst.Set(nextColumn)
		m.If(w.lastOfTile, func() {
			w.at.Set(hdl.K(0))
			w.rows.Set(w.rows.Sub(w.side))
			w.tileDst.Set(nextTile)
			w.dst.Set(nextTile)
			m.If(w.lastDown, func() {
				w.rows.Set(w.opt.M)
				w.columns.Set(w.columns.Sub(w.side))
				w.src.Set(right)
				w.firstSrc.Set(right)
				w.dst.Set(nextRight)
				w.tileDst.Set(nextRight)
				w.firstDst.Set(nextRight)
			})
		})
	})
}
