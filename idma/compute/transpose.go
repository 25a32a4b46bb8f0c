package compute

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// Transpose makes columns of the rows of matrices, a tile at a time (specification §2.7): a
// tile has at most as many rows and columns as elements fit into a bus word. The mode is the
// logarithm of the bytes of an element, 0 to 3; M and N are the rows and the columns of the
// tile. Its rows are read by transfers of their own, and so are its columns written: the
// transfers of a tile are as many as the larger of M and N, of which the first M
// read N elements each, and the first N write M elements.
type Transpose struct {
	OneBank bool // half the memory: a tile is taken when the one before has gone
}

// Name is transpose, or transpose_one_bank.
func (o Transpose) Name() string {
	if o.OneBank {
		return "transpose_one_bank"
	}
	return "transpose"
}

// Code implements [Op].
func (Transpose) Code() int { return CodeTranspose }

// Validate implements [Op]: all widths are allowed.
func (Transpose) Validate(int) error { return nil }

// NeedsDstLength implements [Op].
func (Transpose) NeedsDstLength() bool { return true }

// OutLength implements [Op]: what the request says.
func (Transpose) OutLength(t Transfer) hdl.Signal { return t.DstLength }

// Violated implements [Op]: an element does not fit into a bus word, the tile is empty or too
// large, or a length is neither zero nor that of a row or a column.
func (Transpose) Violated(t Transfer, dataWidth int) hdl.Signal {
	o := t.Options
	var wrong []hdl.Signal
	for _, d := range []struct{ count, length hdl.Signal }{{o.N.Signal, t.Length}, {o.M.Signal, t.DstLength}} {
		bytes := d.count.Ext(15).Shl(o.Mode)
		most := max(15, d.length.Width())
		wrong = append(wrong, d.count.None(), bytes.Gt(hdl.K(dataWidth/8)),
			d.length.Any().And(d.length.Ext(most).Ne(bytes.Ext(most))))
	}
	return hdl.AnyOf(wrong...)
}

// Most implements [Grouped].
func (Transpose) Most(dataWidth int) int { return dataWidth / 8 }

// Place implements [Grouped]: a tile has as many transfers as the larger of M and N, of which
// the first M read a row and the first N write a column.
func (Transpose) Place(t Transfer, before hdl.Signal) (violated, last hdl.Signal) {
	is := func(count hdl.Var, length hdl.Signal) (wrong, lastOne hdl.Signal) {
		w := max(before.Width(), count.Width()) + 1
		return before.Ext(w).Lt(count.Ext(w)).Xor(length.Any()), before.Ext(w).Add(hdl.K(1)).Ge(count.Ext(w))
	}
	noRow, lastRow := is(t.Options.M, t.Length)
	noColumn, lastColumn := is(t.Options.N, t.DstLength)
	return noRow.Or(noColumn), lastRow.And(lastColumn)
}

// Describe implements [Op].
func (o Transpose) Describe(m *hdl.Module, dataWidth int) Unit {
	p := transposeParams{dataWidth, 2}
	if o.OneBank {
		p.Banks = 1
	}
	return transpose(m, p)
}

// transposeParams are the parameters of a unit.
type transposeParams struct{ DataWidth, Banks int }

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
	io := UnitPorts(m, p.DataWidth)
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
