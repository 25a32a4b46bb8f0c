package midend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/backend"
)

// TensorConfig holds the parameters of tensor_ND. Start from [DefaultTensor].
type TensorConfig struct {
	// Dims is the number of dimensions of requests, the linear one among them, 2 to 8.
	Dims int
	// RepsWidths are the widths of the repetition counts, 1 to 32 bits: one for each loop, the
	// innermost first, or one for all.
	RepsWidths Widths
	// Registered puts a register between requests and the linear ones, for the sake of the
	// clock, which costs a cycle.
	Registered bool
	// InFlight is how many requests may be issued in whole and not answered, 1 to 1024; 0
	// stands for three times the reads that the back-end may have outstanding, and 16.
	InFlight int
	// Backend is the configuration of the back-end.
	Backend backend.Config
}

// DefaultTensor has three dimensions.
func DefaultTensor() TensorConfig {
	return TensorConfig{Dims: 3, RepsWidths: WidthsOf(32), Backend: backend.Default()}
}

// Validate returns every parameter out of range, each a [*backend.FieldError].
func (c TensorConfig) Validate() error {
	v := validation{}
	v.dims(c.Dims, 2, c.RepsWidths)
	v.between("InFlight", c.InFlight, 0, 1024)
	return v.with(c.Backend)
}

// Suffix names the variant in module names.
func (c TensorConfig) Suffix() string { return fmt.Sprintf("%dd", c.Dims) }

func (c TensorConfig) link() LinkConfig { return LinkConfig{c.Backend, c.Dims, c.RepsWidths} }

// Up is the link of the stage above.
func (c TensorConfig) Up() []LinkConfig { return []LinkConfig{c.link()} }

// Down is the link of the stage below: linear.
func (c TensorConfig) Down() []LinkConfig { return []LinkConfig{Linear(c.Backend)} }

// Place places a [Tensor].
func (c TensorConfig) Place(m *hdl.Module, name string) Ports { return hdl.Inst(m, name, Tensor, c) }

// ElaborateTensor builds and checks tensor_ND.
func ElaborateTensor(c TensorConfig) (*ir.Design, error) {
	return hdl.Elaborate(Tensor, c, hdl.Named("idma_tensor_nd"), hdl.Prefix("idma_"))
}

// Tensor describes tensor_ND (specification §3.2): loops around linear transfers. The first one
// of a request goes down in the cycle in which the request comes, the others follow one a
// cycle, and the next request without a gap.
func Tensor(m *hdl.Module, c TensorConfig) Ports {
	m.Doc(fmt.Sprintf("tensor_ND: makes linear transfers of those with %d dimensions.", c.Dims))
	io := twoLinks(m, c.link().Type(), Linear(c.Backend).Type())
	up := io.Up[0]
	req := up.Req.Data
	first := m.Reg("first_q", hdl.Bool(), hdl.Init(1), hdl.Doc("The next linear transfer is the first one of a request."))
	src, dst := m.Reg("src_addr_q", req.Transfer.SrcAddr, hdl.NoReset()), m.Reg("dst_addr_q", req.Transfer.DstAddr, hdl.NoReset())
	srcAddr := m.Let("src_addr", hdl.Mux(first, req.Transfer.SrcAddr, src))
	dstAddr := m.Let("dst_addr", hdl.Mux(first, req.Transfer.DstAddr, dst))

	m.Note("A loop ends with its last repetition. One with none is done once, unless all are so.")
	var none, ends []hdl.Signal
	var turns []hdl.Var
	for i, d := range req.Dims {
		turn := m.Reg(fmt.Sprintf("turn%d_q", i), d.Reps, hdl.Init(1), hdl.Doc("Which repetition of the loop it is, from 1."))
		turns = append(turns, turn)
		none = append(none, m.Let(fmt.Sprintf("none%d", i), d.Reps.None()))
		ends = append(ends, m.Let(fmt.Sprintf("ends%d", i), turn.Eq(d.Reps).Or(none[i])))
	}
	refused := m.Let("refused", hdl.AllOf(none...))
	m.Note("Transfers of no bytes need only be refused once.")
	final := m.Let("is_final", hdl.AllOf(ends...).Or(req.Transfer.Length.None()))

	piece := downOf(m, io.Down[0], c.Registered)
	transfer := req.Transfer
	transfer.SrcAddr, transfer.DstAddr, transfer.Last = hdl.V(srcAddr), hdl.V(dstAddr), hdl.V(final)
	hdl.Assign(piece.Data, Request{Transfer: transfer})
	join(m, answersParams{c.Backend, inFlight(c.InFlight, c.Backend)}, io, piece, refused, final, first.Not())

	m.If(piece.Fire(), func() {
		first.Set(final)
		m.Note("The innermost loop that goes on adds its strides; those inside it begin anew.")
		srcStride, dstStride := req.Dims[len(req.Dims)-1].SrcStride.Signal, req.Dims[len(req.Dims)-1].DstStride.Signal
		for i := len(req.Dims) - 2; i >= 0; i-- {
			srcStride = hdl.Mux(ends[i], srcStride, req.Dims[i].SrcStride)
			dstStride = hdl.Mux(ends[i], dstStride, req.Dims[i].DstStride)
		}
		for i := range req.Dims {
			m.If(hdl.AllOf(ends[:i+1]...).Or(final), func() { turns[i].Set(hdl.K(1)) }).
				ElseIf(hdl.AllOf(ends[:i]...), func() { turns[i].Set(turns[i].Add(hdl.K(1))) })
		}
		src.Set(srcAddr.Add(srcStride))
		dst.Set(dstAddr.Add(dstStride))
	})
	return io
}
