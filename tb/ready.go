package tb

import (
	"fmt"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// readyCheck finds VALIDs that depend on READY within a cycle: it settles the
// design twice with the inputs of the present cycle, once with every READY low
// and once with every READY high, and compares.
type readyCheck struct {
	eng     sim.Engine
	readies []field
	valids  []field
	names   []string
	chans   []axi4.Channel
	saved   []uint64
	low     []uint64
}

func newReadyCheck(eng sim.Engine, p *ports) *readyCheck {
	c := &readyCheck{
		eng:     eng,
		readies: []field{p.ar.ready, p.aw.ready, p.wReady, p.rspReady},
		valids:  []field{p.ar.valid, p.aw.valid, p.wValid, p.rspValid},
		names:   []string{"ARVALID", "AWVALID", "WVALID", "rsp_valid"},
		chans:   []axi4.Channel{axi4.AR, axi4.AW, axi4.W, axi4.B},
	}
	c.saved = make([]uint64, len(c.readies))
	c.low = make([]uint64, len(c.valids))
	return c
}

// run checks the present inputs and restores them. report is called for each
// VALID that differs.
func (c *readyCheck) run(report func(ch axi4.Channel, message string)) error {
	for i, f := range c.readies {
		c.saved[i] = f.get()
		f.set(0)
	}
	if err := c.eng.Eval(); err != nil {
		return err
	}
	for i, f := range c.valids {
		c.low[i] = f.get()
	}
	for _, f := range c.readies {
		f.set(1)
	}
	if err := c.eng.Eval(); err != nil {
		return err
	}
	for i, f := range c.valids {
		if high := f.get(); high != c.low[i] {
			report(c.chans[i], fmt.Sprintf("%s is %d with every READY low and %d with every READY high in the same cycle", c.names[i], c.low[i], high))
		}
	}
	for i, f := range c.readies {
		f.set(c.saved[i])
	}
	return nil
}
