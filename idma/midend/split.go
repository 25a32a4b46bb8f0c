package midend

import (
	"fmt"
	"math/bits"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/compute"
)

// Region is memory that is divided into parts of one size. A transfer is cut where its
// source, if that begins in the region, or else its destination goes from one part to the
// next.
type Region struct {
	// Size is the bytes of a part: a power of two, at least a bus word.
	Size uint64
	// Start is the first address of the region in which sources count.
	Start uint64
	// End is the first address behind it; the same as Start for none, so that
	// destinations always count.
	End uint64
}

func (v *validation) region(r Region, b backend.Config) {
	word := uint64(b.DataWidth / 8)
	v.check(r.Size >= word && bits.OnesCount64(r.Size) == 1 && bits.Len64(r.Size) <= b.AddrWidth, "Region.Size", r.Size,
		"a power of two from a bus word, %d, to half of what %d bits of address hold", word, b.AddrWidth)
	v.check(r.Start <= r.End, "Region.End", fmt.Sprintf("%#x", r.End), "Region.Start, %#x, or more", r.Start)
	v.check(bits.Len64(r.End) <= b.AddrWidth, "Region.End", fmt.Sprintf("%#x", r.End), "what %d bits of address hold", b.AddrWidth)
}

// SplitConfig holds the parameters of mp_split. Start from [DefaultSplit].
type SplitConfig struct {
	// Region says where transfers are cut.
	Region Region
	// Registered puts a register between requests and their pieces, for the sake of the
	// clock, which costs a cycle.
	Registered bool
	// InFlight is how many requests may be issued in whole and not answered, 1 to 1024; 0
	// stands for three times the reads that the back-end may have outstanding, and 16.
	InFlight int
	// Backend is the configuration of the back-end.
	Backend backend.Config
}

// DefaultSplit cuts at every 4 KiB of the destination.
func DefaultSplit() SplitConfig {
	return SplitConfig{Region: Region{Size: 4096}, Backend: backend.Default()}
}

// Validate returns every parameter out of range, each a [*backend.FieldError].
func (c SplitConfig) Validate() error {
	v := validation{}
	v.region(c.Region, c.Backend)
	v.check(c.Backend.Compute == compute.Set{}, "Backend.Compute", c.Backend.Compute, "none: what an operation makes of a piece is no piece of what it makes of the whole")
	v.between("InFlight", c.InFlight, 0, 1024)
	return v.with(c.Backend)
}

// Suffix names the variant in module names.
func (c SplitConfig) Suffix() string { return fmt.Sprint(c.Region.Size) }

// Up is the link of the stage above: linear, as that below.
func (c SplitConfig) Up() []LinkConfig { return []LinkConfig{Linear(c.Backend)} }

// Down is the link of the stage below.
func (c SplitConfig) Down() []LinkConfig { return []LinkConfig{Linear(c.Backend)} }

// Place places a [Split].
func (c SplitConfig) Place(m *hdl.Module, name string) Ports { return hdl.Inst(m, name, Split, c) }

// ElaborateSplit builds and checks mp_split.
func ElaborateSplit(c SplitConfig) (*ir.Design, error) {
	return hdl.Elaborate(Split, c, hdl.Named("idma_mp_split"), hdl.Prefix("idma_"))
}

// Split describes mp_split (specification §3.3): it cuts transfers where they go from one
// part of a region to the next. The first piece goes down in the cycle in which the request
// comes, the others follow one a cycle; there is one response.
func Split(m *hdl.Module, c SplitConfig) Ports {
	m.Doc(fmt.Sprintf("mp_split: no piece of a transfer crosses %d bytes.", c.Region.Size))
	l := Linear(c.Backend).Type()
	io := twoLinks(m, l, l)
	piece := downOf(m, io.Down[0], c.Registered)
	k := newCutter(m, io.Up[0].Req.Data.Transfer, c.Region)
	hdl.Assign(piece.Data, Request{Transfer: k.piece})
	join(m, answersParams{c.Backend, inFlight(c.InFlight, c.Backend)}, io, piece, hdl.Const(1, 0), k.final, k.first.Not())
	k.follow(piece)
	return io
}

// cutter makes the pieces of the transfer that is offered.
type cutter struct {
	m                *hdl.Module
	piece            backend.Request // the present one
	source           hdl.Signal      // the source counts
	reference        hdl.Signal      // its address in the region
	final            hdl.Signal      // it is the last one
	room             hdl.Signal      // bytes up to the next part
	left             hdl.Signal      // its bytes, and of those behind it
	first            hdl.Var
	src, dst, length hdl.Var // of what follows the piece
}

// newCutter cuts the transfer. Whether its source counts may be given.
func newCutter(m *hdl.Module, transfer backend.Request, r Region, source ...hdl.Var) *cutter {
	k := &cutter{m: m, piece: transfer, source: hdl.Const(1, 0)}
	k.first = m.Reg("first_q", hdl.Bool(), hdl.Init(1), hdl.Doc("The next piece is the first one of a request."))
	next := func(name string, given hdl.Var) (q hdl.Var, now hdl.Signal) {
		q = m.Reg(name+"_q", given, hdl.NoReset())
		return q, m.Let(name, hdl.Mux(k.first, given, q))
	}
	var srcAddr, dstAddr hdl.Signal
	k.src, srcAddr = next("src_addr", transfer.SrcAddr)
	k.dst, dstAddr = next("dst_addr", transfer.DstAddr)
	k.length, k.left = next("left", transfer.Length)
	k.reference = dstAddr
	if r.Start < r.End {
		if len(source) > 0 {
			k.source = source[0].Signal
		} else {
			m.Note("The source counts if the transfer begins in the region, or else the destination.")
			at := func(a uint64) hdl.Signal { return hdl.Const(transfer.SrcAddr.Width(), a) }
			k.source = m.Let("src_inside", transfer.SrcAddr.Ge(at(r.Start)).And(transfer.SrcAddr.Lt(at(r.End))))
		}
		k.reference = m.Let("reference", hdl.Mux(k.source, srcAddr, dstAddr))
	}
	low := bits.TrailingZeros64(r.Size)
	offset := k.reference.Bits(low-1, 0)
	k.room = m.Let("room", hdl.Const(low+1, r.Size).Sub(offset.Ext(low+1)), hdl.Doc("Bytes up to the next part."))
	w := max(low+1, k.left.Width())
	k.final = m.Let("is_final", k.left.Ext(w).Le(k.room.Ext(w)))
	k.piece.SrcAddr, k.piece.DstAddr, k.piece.Last = hdl.V(srcAddr), hdl.V(dstAddr), hdl.V(k.final)
	k.piece.Length = hdl.V(hdl.Mux(k.final, k.left, k.room.Resize(k.left.Width())))
	return k
}

// follow goes to the next piece when one is taken.
func (k *cutter) follow(piece hdl.Stream[Request]) {
	k.m.If(piece.Fire(), func() {
		k.first.Set(k.final)
		k.src.Set(k.piece.SrcAddr.Add(k.room.Resize(k.src.Width())))
		k.dst.Set(k.piece.DstAddr.Add(k.room.Resize(k.dst.Width())))
		k.length.Set(k.left.Sub(k.room.Resize(k.length.Width())))
	})
}
