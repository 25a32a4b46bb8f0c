package idma_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma"
	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/regs"
	"github.com/millrace-hdl/millrace/tb/axibus"
	"github.com/millrace-hdl/millrace/tb/computed"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/regbus"
	"github.com/millrace-hdl/millrace/verilator"
)

// operationBench is software that has operations done, and a memory.
type operationBench struct {
	sim.Engine
	t        testing.TB
	port     *regbus.Port
	table    map[string]regs.Register
	data     *axibus.Memory
	from, to *mem.Store
	want     map[uint64]byte
	rng      *rand.Rand
	last     uint64
}

// withOperations has every operation.
func withOperations(layout idma.Frontend, width int) idma.Config {
	return edit(layout, func(c *idma.Config) {
		c.Backend.DataWidth = width
		for _, o := range []compute.Op{
			compute.Transpose{}, compute.MXQuantise{From: compute.FP32}, compute.MXQuantise{From: compute.FP16},
			compute.MXDequantise{To: compute.FP32}, compute.MXDequantise{To: compute.FP16}, compute.CRC32C{}, compute.ByteSwap{}, compute.FillMask{},
		} {
			c.Backend.Compute[o.Code()] = o
		}
	})
}

func newOperationBench(t testing.TB, e sim.Engine, c idma.Config, seed uint64) *operationBench {
	t.Helper()
	t.Logf("seed %d", seed)
	b := &operationBench{Engine: e, t: t, from: mem.NewStore(seed), to: mem.NewStore(seed), table: map[string]regs.Register{}, want: map[uint64]byte{}, rng: rand.New(rand.NewPCG(seed, 23))}
	front, _, _ := c.Frontends()
	for _, r := range front.Map().Registers {
		b.table[r.Name] = r
	}
	var err error
	b.port, err = regbus.New(e, "apb", "s_apb_", regbus.Options{Seed: seed})
	require.NoError(t, err)
	b.data, err = axibus.New(e, "m_axi_", mem.Config{ReadLatency: 7, WriteLatency: 9, Seed: seed}, b.from, b.to)
	require.NoError(t, err)
	require.NoError(t, e.Reset(2))
	return b
}

func (b *operationBench) step() {
	b.data.Drive()
	b.port.Drive()
	require.NoError(b.t, b.Step())
	require.NoError(b.t, b.port.Edge())
	b.data.Edge()
}

func (b *operationBench) access(a regbus.Access) uint64 {
	b.t.Helper()
	var got *regbus.Result
	b.port.Do(a, func(r regbus.Result) { got = &r })
	for i := 0; got == nil; i++ {
		require.Less(b.t, i, 50000, "%+v hangs", a)
		b.step()
	}
	require.False(b.t, got.Err, "%+v", a)
	return got.Read
}

func (b *operationBench) write(name string, v uint64) {
	b.t.Helper()
	require.Contains(b.t, b.table, name)
	b.access(regbus.Access{Write: true, Addr: b.table[name].Offset, Data: v, Strb: 15})
}

func (b *operationBench) read(name string) uint64 {
	b.t.Helper()
	return b.access(regbus.Access{Addr: b.table[name].Offset, Strb: 15})
}

// launch has an operation done on bytes that lie in memory.
func (b *operationBench) launch(src, dst, length uint64, op, mode, m, n int) {
	b.t.Helper()
	b.write("conf", 3)
	b.write("src_addr", src)
	b.write("dst_addr", dst)
	b.write("length", length)
	enable := uint64(0)
	if op > 0 {
		enable = 1
	}
	b.write("compute_cfg", enable|uint64(op)<<1|uint64(mode)<<5|uint64(m)<<7|uint64(n)<<19)
	b.last = b.read("next_id")
}

// expect says what is to be written.
func (b *operationBench) expect(dst uint64, bytes []byte) {
	b.to.Paint(7, dst-64, uint64(len(bytes)+128))
	for i, x := range bytes {
		b.want[dst+uint64(i)] = x
	}
}

func (b *operationBench) bytes(src, n uint64) (all []byte) {
	for i := range n {
		all = append(all, b.from.Byte(src+i))
	}
	return all
}

// finish waits for all and compares: what is to be written was, once, and nothing else.
func (b *operationBench) finish() {
	b.t.Helper()
	for i := 0; int32(b.read("done_id")-b.last) < 0; i++ {
		require.Less(b.t, i, 5000, "hangs")
	}
	require.Zero(b.t, b.read("status"))
	require.NoError(b.t, b.data.Finish())
	require.NoError(b.t, b.port.Finish())
	require.NoError(b.t, sim.Violations(b.Engine))
	for a, x := range b.want {
		require.Equal(b.t, x, b.to.Byte(a), "%#x", a)
	}
	b.to.Pages(func(base uint64, p *mem.Page) bool {
		for i := range uint64(mem.PageBytes) {
			if _, due := b.want[base+i]; due != (p.Writes[i] == 1) {
				b.t.Fatalf("%#x was written %d times", base+i, p.Writes[i])
			}
		}
		return true
	})
}

// transposedMatrix is the transposed matrix of m rows and n columns of elements of size bytes.
func transposedMatrix(in []byte, n, size int) (out []byte) {
	var rows [][]byte
	for at := 0; at < len(in); at += n * size {
		rows = append(rows, in[at:at+n*size])
	}
	for _, column := range computed.Transpose(rows, size) {
		out = append(out, column...)
	}
	return out
}

// operations has every operation done, matrices of many shapes among them, with ordinary transfers
// between.
func operations(t testing.TB, e sim.Engine, c idma.Config, seed uint64, rounds int) {
	t.Helper()
	b := newOperationBench(t, e, c, seed)
	at := uint64(0x10_0000)
	do := func(length uint64, op, mode, m, n int, out func([]byte) []byte) {
		src, dst := 0x1000+b.rng.Uint64N(0x8000), at+b.rng.Uint64N(64)+64
		bytes := out(b.bytes(src, length))
		b.expect(dst, bytes)
		b.launch(src, dst, length, op, mode, m, n)
		at = dst + uint64(len(bytes)) + 64
	}
	for range rounds {
		mode := b.rng.IntN(4)
		for 8<<mode > c.Backend.DataWidth {
			mode--
		}
		m, n := 1+b.rng.IntN(40), 1+b.rng.IntN(40)
		do(uint64(m*n<<mode), compute.CodeTranspose, mode, m, n, func(in []byte) []byte { return transposedMatrix(in, n, 1<<mode) })
		do(1+b.rng.Uint64N(300), 0, 0, 0, 0, func(in []byte) []byte { return in })
		format := b.rng.IntN(2)
		mx := computed.MX{E4M3: format == 1}
		half := computed.MX{E4M3: format == 1, Half: true}
		blocks := 1 + b.rng.Uint64N(4)
		do(128*blocks, compute.CodeMXQuantiseFP32, format, 0, 0, mx.Quantise)
		do(33*blocks, compute.CodeMXDequantiseFP32, format, 0, 0, mx.Dequantise)
		do(64*blocks, compute.CodeMXQuantiseFP16, format, 0, 0, half.Quantise)
		do(33*blocks, compute.CodeMXDequantiseFP16, format, 0, 0, half.Dequantise)
		do(1+b.rng.Uint64N(300), compute.CodeCRC32C, compute.CRCModeAppend, 0, 0, func(in []byte) []byte {
			out, _ := computed.CRC32C{}.Apply(compute.CRCModeAppend, in)
			return out
		})
		do(8*(1+b.rng.Uint64N(30)), compute.CodeByteSwap, mode, 0, 0, func(in []byte) []byte { return computed.ByteSwap(in, 1<<mode) })
		do(1+b.rng.Uint64N(300), compute.CodeFillMask, 3, 0x5a, 0xc3, func(in []byte) []byte { return computed.FillMask(in, 3, [2]byte{0x5a, 0xc3}) })
	}
	b.finish()
}

func TestSoftwareHasOperationsDone(t *testing.T) {
	for _, width := range []int{32, 64, 512} {
		c := withOperations(idma.Reg32, width)
		operations(t, goEngine(t, c, 1), c, uint64(width), 6)
	}
}

func TestSoftwareHasOperationsDoneInLockstep(t *testing.T) {
	c := withOperations(idma.Reg32, 64)
	d, err := idma.Elaborate(c)
	require.NoError(t, err)
	e, err := verilator.Couple(t.Context(), d, 2, verilator.Options{Quick: true}, verilator.LockstepOptions{Dir: t.TempDir()})
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	operations(t, e, c, 2, 2)
}

// A matrix takes as many cycles as it has words to write, and those of its first tile and of
// the way.
func TestTransposingAMatrixTakesItsWords(t *testing.T) {
	c := withOperations(idma.Reg32, 64)
	c.Backend.Outstanding = 16
	b := newOperationBench(t, goEngine(t, c, 1), c, 1)
	const m, n = 96, 64
	in := b.bytes(0x10000, m*n*4)
	b.expect(0x90000, transposedMatrix(in, n, 4))
	b.launch(0x10000, 0x90000, m*n*4, compute.CodeTranspose, 2, m, n)
	cycles := 0
	for b.data.Count().WriteBeats < m*n/2 {
		b.step()
		cycles++
	}
	require.Equal(t, m*n/2+15, cycles)
	b.finish()
}
