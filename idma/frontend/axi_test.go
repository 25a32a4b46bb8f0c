package frontend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/tb/axibus"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// axiMemory is a memory at an AXI4 port of the design.
type axiMemory struct {
	*axibus.Memory
	t testing.TB
}

func newAXIMemory(t testing.TB, e sim.Engine, prefix string, store *mem.Store, seed uint64, c mem.Config) *axiMemory {
	t.Helper()
	c.Seed = seed
	m, err := axibus.New(e, prefix, c, store, store)
	require.NoError(t, err)
	return &axiMemory{m, t}
}

func (m *axiMemory) drive() { m.Drive() }
func (m *axiMemory) edge()  { m.Edge() }

// finish requires that nothing was wrong on the bus, and nothing is open.
func (m *axiMemory) finish() {
	m.t.Helper()
	require.NoError(m.t, m.Finish())
}
