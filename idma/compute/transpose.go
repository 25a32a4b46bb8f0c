package compute

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// transposeParams select a [transpose].
type transposeParams struct{ DataWidth, Banks int }

func (p transposeParams) Suffix() string {
	if p.Banks == 1 {
		return fmt.Sprintf("%d_one_bank", p.DataWidth)
	}
	return fmt.Sprint(p.DataWidth)
}

func (p transposeParams) lanes() int   { return p.DataWidth / 8 }
func (p transposeParams) offBits() int { return hdl.AddrBits(p.lanes()) }

// transpose gives the rows of a tile, one bus word each, as its columns (specification
// §2.7). Options.M and N are rows and elements of a row of the tile, Mode the logarithm
// of the bytes of an element; each row in and out is a transfer of its own. The first
// column is offered two cycles after the last row was taken.
//
// There is a memory for each byte lane. Row i goes in turned by i elements, to address i
// of every lane, so that the elements of a column lie in different lanes: element i of
// column j in the place of element i + j, at address i.
func transpose(m *hdl.Module, p transposeParams) Unit {
	m.Doc(fmt.Sprintf("Transposes tiles of up to %d rows of %d bytes.", p.lanes(), p.lanes()))
	io := hdl.Ports(m, "", hdl.Source, UnitType(p.DataWidth), hdl.MayBeUnused())
	b := newBanks(m, p)
	opt, off := io.Options, p.offBits()

	row := m.Reg("row_q", hdl.U(off), hdl.Doc("Row of the tile that comes."))
	io.In.Ready.Set(b.fills.of(b.full).Not())
	comes := m.Let("comes", io.In.Fire())
	lastRow := m.Let("last_row", isLast(row.Signal, opt.M.Signal))
	m.If(comes, func() { row.Set(hdl.Mux(lastRow, hdl.K(0), row.Add(hdl.K(1)))) })
	filled := m.Let("filled", comes.And(lastRow))
	turned := lib.RotateBytes(m, "turned", io.In.Data.Data.Signal, row.Shl(opt.Mode))

	column := m.Reg("column_q", hdl.U(off), hdl.Doc("Column of the tile that goes."))
	offered := m.Reg("out_valid_q", hdl.Bool())
	now := b.drained(m)
	free := m.Let("free", offered.Not().Or(io.Out.Ready))
	goes := m.Let("goes", b.drains.of(b.full).And(free))
	lastColumn := m.Let("last_column", isLast(column.Signal, now.N.Signal))
	m.If(goes, func() { column.Set(hdl.Mux(lastColumn, hdl.K(0), column.Add(hdl.K(1)))) })
	m.If(free, func() { offered.Set(goes) })
	b.advance(m, filled, goes.And(lastColumn))
	b.note(m, comes, row.None(), io)

	start := m.Let("start", column.Shl(now.Mode), hdl.Doc("Lane of the column's first element."))
	read := make([]hdl.Value, p.lanes())
	for i := range read {
		mem := m.Mem(fmt.Sprintf("lane%d", i), hdl.U(8), p.Banks*p.lanes())
		m.If(comes, func() { mem.Write(b.fills.address(row.Signal), turned.Bits(8*i+7, 8*i)) })
		at := m.Let(fmt.Sprintf("lane%d_row", i), hdl.Const(off, uint64(i)).Sub(start).Shr(now.Mode))
		read[len(read)-1-i] = mem.SyncRead(fmt.Sprintf("lane%d_q", i), b.drains.address(at), goes, hdl.Undefined)
	}
	back := m.Reg("back_q", hdl.U(off), hdl.NoReset(), hdl.Doc("Lanes to turn up so that the first element comes to lane 0."))
	bytes := m.Reg("out_bytes_q", io.Out.Data.Bytes, hdl.NoReset())
	cause := m.Reg("out_cause_q", hdl.U(2), hdl.NoReset())
	m.If(goes, func() {
		back.Set(start.Neg())
		bytes.Set(now.M.Resize(bytes.Width()).Shl(now.Mode))
		cause.Set(now.Cause)
	})
	io.Out.Valid.Set(offered)
	hdl.Assign(io.Out.Data, Word{Data: hdl.V(lib.RotateBytes(m, "back", hdl.Cat(read...), back.Signal)),
		Bytes: bytes, Last: hdl.V(hdl.Const(1, 1)), Cause: cause})
	return io
}

// isLast is whether place i is the last of n ≥ 1.
func isLast(i, n hdl.Signal) hdl.Signal { return i.Ext(n.Width()).Eq(n.Sub(hdl.K(1))) }
