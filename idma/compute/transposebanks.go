package compute

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// tile is what a bank knows of its tile.
type tile struct {
	M, N, Mode hdl.Var
	Cause      hdl.Var // a bus error in any of its rows
}

// banks are the halves of the memories of a [transpose], of which one fills while the
// other drains, or the whole as the only one.
type banks struct {
	full          []hdl.Var
	tiles         []tile
	fills, drains bankIndex
}

// bankIndex says which bank it is, and nothing where there is one.
type bankIndex []hdl.Var

func newBanks(m *hdl.Module, p transposeParams) banks {
	var b banks
	for i := range p.Banks {
		n := fmt.Sprintf("bank%d", i)
		b.full = append(b.full, m.Reg(n+"_full_q", hdl.Bool(), hdl.Doc("The bank holds a whole tile.")))
		b.tiles = append(b.tiles, hdl.Regs(m, n+"_q", tile{hdl.U(p.offBits() + 1), hdl.U(p.offBits() + 1), hdl.U(2), hdl.U(2)}, hdl.NoReset()))
	}
	if p.Banks == 2 {
		b.fills = bankIndex{m.Reg("fills_q", hdl.Bool(), hdl.Doc("Bank that fills."))}
		b.drains = bankIndex{m.Reg("drains_q", hdl.Bool(), hdl.Doc("Bank that drains, or will when it is full."))}
	}
	return b
}

// of is the bit of the bank that the index names.
func (x bankIndex) of(bits []hdl.Var) hdl.Signal {
	if len(x) == 0 {
		return bits[0].Signal
	}
	return hdl.Mux(x[0], bits[1], bits[0])
}

// is tells whether the index names bank i.
func (x bankIndex) is(i int) hdl.Signal {
	if len(x) == 0 {
		return hdl.Const(1, 1)
	}
	return x[0].Eq(hdl.K(i))
}

// address is where a row of the bank lies in the memories.
func (x bankIndex) address(row hdl.Signal) hdl.Signal {
	if len(x) == 0 {
		return row
	}
	return hdl.Cat(x[0], row)
}

func (x bankIndex) next() {
	if len(x) > 0 {
		x[0].Set(x[0].Not())
	}
}

// drained is the tile of the bank that drains.
func (b banks) drained(m *hdl.Module) tile {
	if len(b.tiles) == 1 {
		return b.tiles[0]
	}
	now := hdl.Wires(m, "drained", b.tiles[0])
	hdl.Assign(now, hdl.MuxOf(b.drains[0], b.tiles[1], b.tiles[0]))
	return now
}

// advance goes on to the other bank where one has been filled or drained.
func (b banks) advance(m *hdl.Module, filled, drained hdl.Signal) {
	for i, full := range b.full {
		full.Set(full.AndNot(drained.And(b.drains.is(i))).Or(filled.And(b.fills.is(i))))
	}
	m.If(filled, b.fills.next)
	m.If(drained, b.drains.next)
}

// note keeps what comes with a row.
func (b banks) note(m *hdl.Module, comes, first hdl.Signal, io Unit) {
	cause := io.In.Data.Cause
	for i, t := range b.tiles {
		m.If(comes.And(b.fills.is(i)), func() {
			t.M.Set(io.Options.M.Resize(t.M.Width()))
			t.N.Set(io.Options.N.Resize(t.N.Width()))
			t.Mode.Set(io.Options.Mode)
			m.If(first.Or(cause.Any()), func() { t.Cause.Set(cause) })
		})
	}
}
