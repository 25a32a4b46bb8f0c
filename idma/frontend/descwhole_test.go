package frontend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// wholeDescIO is a descriptor front-end with a back-end behind it.
type wholeDescIO struct {
	S        bus.APB        `hdl:"in,name=s_apb"`
	DescRead bus.AXI4Reads  `hdl:"name=m_axi_desc"`
	DescMark bus.AXI4Writes `hdl:"name=m_axi_desc"`
	Read     bus.AXI4Reads  `hdl:"name=m_axi"`
	Write    bus.AXI4Writes `hdl:"name=m_axi"`
	IRQ      hdl.Var        `hdl:"name=irq"`
}

func wholeDesc(t testing.TB, c frontend.DescConfig) *ir.Design {
	t.Helper()
	d, err := hdl.Elaborate(func(m *hdl.Module, c frontend.DescConfig) wholeDescIO {
		front, back := hdl.Inst(m, "u_front", frontend.Desc, c), hdl.Inst(m, "u_back", backend.Backend, c.Backend)
		w := c.Map().Widths()
		desc := bus.NewAXI4(bus.AXI4Params{DataWidth: c.FetchWidth, AddrWidth: c.Backend.AddrWidth, IDWidth: c.FetchIDWidth, UserWidth: 1})
		data := bus.NewAXI4(bus.AXI4Params{DataWidth: c.Backend.DataWidth, AddrWidth: c.Backend.AddrWidth, IDWidth: c.Backend.IDWidth, UserWidth: c.Backend.UserWidth})
		io := hdl.Ports(m, "", hdl.Source, wholeDescIO{
			bus.NewAPB(bus.APBParams{DataWidth: w.DataWidth, AddrWidth: w.AddrWidth}), desc.AXI4Reads, desc.AXI4Writes, data.AXI4Reads, data.AXI4Writes, hdl.Bool(),
		}, hdl.MayBeUnused())
		hdl.Connect(front.APB[0], io.S)
		hdl.Connect(io.DescRead, front.AXIReads[0])
		hdl.Connect(io.DescMark, front.AXIWrites[0])
		hdl.Connect(io.Read, back.AXIReads[0])
		hdl.Connect(io.Write, back.AXIWrites[0])
		hdl.Connect(back.Req, front.Req)
		hdl.Connect(front.Rsp, back.Rsp)
		io.IRQ.Set(front.IRQ)
		return io
	}, c, hdl.Named("whole_desc"), hdl.Prefix("idma_"))
	require.NoError(t, err)
	return d
}

// The whole path: chains of descriptors in memory move memory.
func TestDescriptorsMoveMemory(t *testing.T) {
	c := editDesc()
	d := wholeDesc(t, c)
	for seed := uint64(1); seed <= 3; seed++ {
		p := pins{t, model(t, d, seed)}
		b := &descBench{cfg: c, mem: newDescMemory(t, p, c, seed, 10, 9)}
		b.bench = newBench(t, p.Engine, frontend.Config{Options: frontend.Options{Bus: c.Bus, Ports: 1}, Backend: c.Backend}, seed, 0)
		store := mem.NewStore(seed)
		data := newAXIMemory(t, p.Engine, "m_axi_", store, seed, mem.Config{ReadLatency: 5, WriteLatency: 9, Stalls: mem.AllStalls(10)})
		b.others = []agent{b.mem, b, data}
		want := map[uint64]byte{}
		at := uint64(0x8000)
		for i := range uint64(40) {
			next := at + 32*(1+b.rng.Uint64N(3))
			src, dst, length := 0x100000+b.rng.Uint64N(0x10000), 0x200000+0x800*i+b.rng.Uint64N(64), 1+b.rng.Uint64N(700)
			if i%8 == 7 {
				b.put(at, endOfChain, uint32(length), 0x0b|uint32(b.rng.IntN(8))<<5, src, dst)
			} else {
				b.put(at, next, uint32(length), 0x0a|uint32(b.rng.IntN(8))<<5, src, dst)
			}
			for k := range length {
				want[dst+k] = store.Byte(src + k)
			}
			at = next
		}
		for i := range b.at {
			if i%8 == 0 {
				b.start(b.at[i])
			}
		}
		b.until("all marks", 50000, func() bool { return len(b.mem.marks) == len(b.at) })
		require.Equal(t, b.at, b.mem.marks)
		require.Equal(t, 5, b.irqs)
		require.Zero(t, b.status())
		data.finish()
		b.mem.axi.finish()
		store.Pages(func(base uint64, page *mem.Page) bool {
			for i := range page.Data {
				v, moved := want[base+uint64(i)]
				require.Equal(t, moved, page.Writes[i] > 0, "byte %#x", base+uint64(i))
				if moved {
					require.Equal(t, v, page.Data[i], "byte %#x", base+uint64(i))
				}
			}
			return true
		})
	}
}
