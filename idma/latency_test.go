package idma_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
)

// watched is an engine of which some moments are noted: the first cycle in which all of
// the signals that make it are one.
type watched struct {
	sim.Engine
	moments map[string]func(get func(string) uint64) bool
	first   map[string]int
	cycle   int
}

func (w *watched) Reset(n int) error {
	w.cycle, w.first = 0, map[string]int{}
	return w.Engine.Reset(n)
}

func (w *watched) Step() error {
	err := w.Engine.Step()
	get := func(name string) uint64 {
		p, err := w.Layout().Port(name)
		if err != nil {
			panic(err)
		}
		if p.Input {
			return w.In()[p.Offset]
		}
		return w.Out()[p.Offset]
	}
	for name, is := range w.moments {
		if _, was := w.first[name]; !was && is(get) {
			w.first[name] = w.cycle
		}
	}
	w.cycle++
	return err
}

// When software has asked: the access or instruction that launches is taken.
func asked(c idma.Config) func(get func(string) uint64) bool {
	all := func(names ...string) func(get func(string) uint64) bool {
		return func(get func(string) uint64) bool {
			for _, n := range names {
				if get(n) == 0 {
					return false
				}
			}
			return true
		}
	}
	const nextID, copies = 0x44, 0x0400002b
	switch {
	case c.Frontend == idma.Inst64:
		taken := all("instr_valid", "instr_ready")
		return func(get func(string) uint64) bool { return taken(get) && get("instr_op") == copies }
	case c.Frontend == idma.Desc64:
		return all("s_apb_psel", "s_apb_penable", "s_apb_pwrite", "s_apb_pready")
	case c.Registers.Bus == frontend.AXILite:
		taken := all("s_axil_arvalid", "s_axil_arready")
		return func(get func(string) uint64) bool { return taken(get) && get("s_axil_araddr") == nextID }
	case c.Registers.Bus == frontend.OBI:
		taken := all("s_obi_req", "s_obi_gnt")
		return func(get func(string) uint64) bool {
			return taken(get) && get("s_obi_addr") == nextID && get("s_obi_we") == 0
		}
	}
	taken := all("s_apb_psel", "s_apb_penable", "s_apb_pready")
	return func(get func(string) uint64) bool { return taken(get) && get("s_apb_paddr") == nextID }
}

// Cycles from when the launch is taken, at the bus of registers or of instructions, to when
// a descriptor is asked for, and to the first read. The mid-ends add nothing, but for a
// register that is asked for.
func TestLatencies(t *testing.T) {
	onBus := func(b frontend.Bus) func(*idma.Config) { return func(c *idma.Config) { c.Registers.Bus = b } }
	through := func(s ...idma.Midend) func(*idma.Config) {
		return func(c *idma.Config) { c.Midends = idma.MidendsOf(s...) }
	}
	for _, x := range []struct {
		name       string
		c          idma.Config
		descriptor int // -1 where there is none
		read       int
	}{
		{"reg_32, APB", idma.Default(idma.Reg32), -1, 2},
		{"reg_32, AXI4-Lite", edit(idma.Reg32, onBus(frontend.AXILite)), -1, 1},
		{"reg_32, OBI", edit(idma.Reg32, onBus(frontend.OBI)), -1, 2},
		{"reg_32, mp_split", edit(idma.Reg32, through(idma.MPSplit)), -1, 2},
		{"reg_32_2d, tensor_nd", idma.Default(idma.Reg32x2D), -1, 2},
		{"reg_32_2d, tensor_nd, mp_split", edit(idma.Reg32x2D, through(idma.TensorND, idma.MPSplit)), -1, 2},
		{"reg_32_3d, tensor_nd", idma.Default(idma.Reg32x3D), -1, 2},
		{"reg_32_3d, tensor_nd registered", edit(idma.Reg32x3D, func(c *idma.Config) { c.Tensor.Registered = true }), -1, 3},
		{"reg_32_rt_3d, rt_3d, tensor_nd", idma.Default(idma.Reg32RT3D), -1, 2},
		{"reg_64_2d, tensor_nd", idma.Default(idma.Reg64x2D), -1, 2},
		{"desc_64", idma.Default(idma.Desc64), 2, 8},
		{"inst_64, tensor_nd", idma.Default(idma.Inst64), -1, 2},
	} {
		d, err := idma.Elaborate(x.c)
		require.NoError(t, err)
		m, err := sim.New(d, sim.Options{})
		require.NoError(t, err)
		valid := func(name string) func(func(string) uint64) bool {
			return func(get func(string) uint64) bool { return get(name) == 1 }
		}
		w := &watched{Engine: m, moments: map[string]func(func(string) uint64) bool{"asked": asked(x.c), "read": valid("m_axi_arvalid")}}
		if x.descriptor >= 0 {
			w.moments["descriptor"] = valid("m_axi_desc_arvalid")
		}
		_, err = tb.Run(t.Context(), w, &job.List{Name: "one", Jobs: []job.Job{job.New(64, 0, 0x1000)}}, tb.RunConfig{Software: target(x.c), ReadyCheck: -1})
		require.NoError(t, err)
		require.Equal(t, x.read, w.first["read"]-w.first["asked"], x.name)
		if x.descriptor >= 0 {
			require.Equal(t, x.descriptor, w.first["descriptor"]-w.first["asked"], x.name)
		}
	}
}
