package tb

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/sim"
)

// readyCheck finds VALIDs that depend on READY within a cycle: it settles the
// design twice with the inputs of the present cycle, once with every READY low
// and once with every READY high, and compares.
type readyCheck struct {
	eng   sim.Engine
	hs    []handshake
	saved []uint64
	low   []uint64
}

// newReadyCheck checks every bus and the responses, of which report is told.
func newReadyCheck(eng sim.Engine, b *buses, report func(cycle uint64, message string)) *readyCheck {
	c := &readyCheck{eng: eng, hs: []handshake{{"rsp_valid", b.rspValid, b.rspReady, report}}}
	for _, p := range b.all {
		c.hs = append(c.hs, p.handshakes()...)
	}
	c.saved, c.low = make([]uint64, len(c.hs)), make([]uint64, len(c.hs))
	return c
}

// run checks the present inputs, restores them, and reports each VALID that differs.
func (c *readyCheck) run(cycle uint64) error {
	for i, h := range c.hs {
		c.saved[i] = h.ready.get()
		h.ready.set(0)
	}
	if err := c.eng.Eval(); err != nil {
		return err
	}
	for i, h := range c.hs {
		c.low[i] = h.valid.get()
	}
	for _, h := range c.hs {
		h.ready.set(1)
	}
	if err := c.eng.Eval(); err != nil {
		return err
	}
	for i, h := range c.hs {
		if high := h.valid.get(); high != c.low[i] {
			h.report(cycle, fmt.Sprintf("%s is %d with every READY low and %d with every READY high in the same cycle", h.name, c.low[i], high))
		}
	}
	for i, h := range c.hs {
		h.ready.set(c.saved[i])
	}
	return nil
}
