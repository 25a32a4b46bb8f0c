package midend

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/backend"
)

// maxLoops is how many loops a request may have.
const maxLoops = 7

// Widths are the widths of the repetition counts of loops, the innermost first. In text
// they are separated by commas.
type Widths [maxLoops]uint8

// WidthsOf is a width for each loop, or one for all.
func WidthsOf(widths ...int) (w Widths) {
	for i, x := range widths {
		w[i] = uint8(x)
	}
	return w
}

// count is how many widths there are.
func (w Widths) count() int {
	for i, x := range w {
		if x == 0 {
			return i
		}
	}
	return maxLoops
}

func (w Widths) String() string {
	var all []string
	for _, x := range w[:w.count()] {
		all = append(all, strconv.Itoa(int(x)))
	}
	return strings.Join(all, ", ")
}

// MarshalText implements [encoding.TextMarshaler].
func (w Widths) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (w *Widths) UnmarshalText(text []byte) error {
	var all Widths
	fields := strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(", []", r) })
	if len(fields) > maxLoops {
		return fmt.Errorf("%d widths; there are at most %d loops", len(fields), maxLoops)
	}
	for i, f := range fields {
		n, err := strconv.ParseUint(f, 10, 8)
		if err != nil || n < 1 || n > 32 {
			return fmt.Errorf("%q is no width of repetitions, 1 to 32", f)
		}
		all[i] = uint8(n)
	}
	*w = all
	return nil
}

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
	v.between("Dims", c.Dims, 2, maxLoops+1)
	n := c.RepsWidths.count()
	v.check(n == 1 || n == c.Dims-1, "RepsWidths", c.RepsWidths, "one width, or one for each loop, %d", c.Dims-1)
	for _, w := range c.RepsWidths[:n] {
		v.between("RepsWidths", int(w), 1, 32)
	}
	v.between("InFlight", c.InFlight, 0, 1024)
	return v.with(c.Backend)
}

// Suffix names the variant in module names.
func (c TensorConfig) Suffix() string { return fmt.Sprintf("tensor_%dd", c.Dims) }

// requestType is that of requests with all dimensions.
func (c TensorConfig) requestType() Request {
	var widths []int
	for i := range c.Dims - 1 {
		widths = append(widths, int(c.RepsWidths[min(i, c.RepsWidths.count()-1)]))
	}
	return requestType(c.Backend, widths...)
}

// inFlight is n, or what it stands for where it is 0.
func inFlight(n int, b backend.Config) int {
	if n > 0 {
		return n
	}
	return min(3*b.Outstanding+16, 1024)
}

// validation collects parameters out of range.
type validation struct{ errs []error }

func (v *validation) check(ok bool, field string, value any, format string, args ...any) {
	if !ok {
		v.errs = append(v.errs, &backend.FieldError{Field: field, Value: value, Allowed: fmt.Sprintf(format, args...)})
	}
}

func (v *validation) between(field string, x, lo, hi int) {
	v.check(lo <= x && x <= hi, field, x, "%d to %d", lo, hi)
}

// with adds those of the back-end, and is the error of all.
func (v *validation) with(b backend.Config) error {
	if err := b.Validate(); err != nil {
		v.errs = append(v.errs, fmt.Errorf("in Backend: %w", err))
	}
	return errors.Join(v.errs...)
}

// ElaborateTensor builds and checks tensor_ND.
func ElaborateTensor(c TensorConfig) (*ir.Design, error) {
	return hdl.Elaborate(Tensor, c, hdl.Named("idma_tensor_nd"), hdl.Prefix("idma_"))
}

// Tensor describes tensor_ND (specification §3.2): loops around linear transfers. The first one
// of a request goes down in the cycle in which the request comes, the others follow one a
// cycle, and the next request without a gap.
func Tensor(m *hdl.Module, c TensorConfig) Ports {
	m.Doc(fmt.Sprintf("tensor_ND: makes linear transfers of those with %d dimensions.", c.Dims))
	io := twoLinks(m, linkOf(c.Backend, c.requestType()), linkOf(c.Backend, requestType(c.Backend)))
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
