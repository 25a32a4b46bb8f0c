package idma

import (
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/idma/midend"
)

// Preset is a configuration with a name.
type Preset struct {
	Name    string // dotted
	Summary string
	Config  Config
}

// Catalogue is the engine with its defaults, and as the published systems have it
// (specification §5).
func Catalogue() []Preset {
	return []Preset{
		{"idma", "a whole engine: front-end, mid-ends and back-ends from one configuration", Default(Reg32x3D)},
		{"system.pulp_open", "the engine of PULP-open: registers for eight cores and two host ports, three dimensions, AXI4 and OBI", PULPOpen()},
		{"system.controlpulp", "the engine of ControlPULP: registers with eight events that are launched again and again", ControlPULP()},
		{"system.cheshire", "the engine of Cheshire: descriptors, AXI4 of 64 bits", Cheshire()},
		{"system.mempool", "the engine of MemPool: one front-end, split and distributed over four back-ends, AXI4 and OBI", MemPool()},
		{"system.manticore", "the engine of Manticore: instructions, two dimensions, AXI4 and OBI of 512 bits", Manticore()},
	}
}

// PULPOpen is the engine of the PULP-open cluster: eight cores and two ports of the host
// share it, each with registers of its own. It moves between the AXI4 of the system and
// the cluster's memory on OBI.
func PULPOpen() Config {
	c := Default(Reg32x3D)
	c.Registers.Ports, c.Registers.Bus, c.Registers.Interrupts = 10, frontend.OBI, true
	betweenSystemAndCluster(&c.Backend, 64, 8)
	return c
}

// ControlPULP is the engine that fetches the sensors of ControlPULP: eight events, whose
// transfers are launched again and again without the core.
func ControlPULP() Config {
	c := Default(Reg32RT3D)
	c.Registers.Events, c.Registers.Interrupts = 8, true
	betweenSystemAndCluster(&c.Backend, 64, 16)
	return c
}

// Cheshire is the engine of the Cheshire host: Linux chains descriptors in memory.
func Cheshire() Config {
	c := Default(Desc64)
	c.Backend.DataWidth, c.Backend.AddrWidth, c.Backend.Outstanding = 64, 64, 8
	return c
}

// MemPool is the engine of MemPool: one front-end for all cores, whose transfers are split
// and distributed over four back-ends. All reach the system over AXI4; each has its own
// part of the cluster's memory, from address zero up, on OBI.
func MemPool() Config {
	c := Default(Reg32)
	c.Midends, c.Outputs = MidendsOf(MPSplit, MPDist), 4
	c.Region = midend.Region{Size: 4096, Start: 0, End: 1 << 20}
	betweenSystemAndCluster(&c.Backend, 512, 8)
	return c
}

// Manticore is the engine of a Manticore cluster: a core launches transfers by
// instructions, between HBM on AXI4 and the cluster's memory on OBI.
func Manticore() Config {
	c := Default(Inst64)
	b := &c.Backend
	b.DataWidth, b.AddrWidth, b.Outstanding = 512, 48, 32
	return c
}

// betweenSystemAndCluster makes a back-end that moves between the AXI4 of a system and the
// memory of a cluster on OBI.
func betweenSystemAndCluster(b *backend.Config, dataWidth, outstanding int) {
	b.DataWidth, b.Outstanding, b.Coupler = dataWidth, outstanding, false
	b.ReadProtocols, b.WriteProtocols = backend.PortsOf(backend.AXI4, backend.OBI), backend.PortsOf(backend.AXI4, backend.OBI)
}
