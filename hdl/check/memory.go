package check

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/diag"
)

// most is how many write ports the storage of a style can have: a block has two
// ports in all, and cells that serve as memory are written through one.
var most = map[string]int{"block": 2, "distributed": 1}

// memories reports memories whose style cannot be what is asked for, on any target.
func (c *checker) memories(n *netlist) {
	for _, x := range n.m.Mems {
		if r := n.memReads[x]; x.Style == "block" && r != nil {
			c.report(diag.Misuse, x.Pos, fmt.Sprintf("memory %s has style block and is read in the same cycle, which blocks cannot do", x.Name),
				"use SyncRead, or the style distributed or registers", diag.Related{Pos: r.Pos, Message: "it is read here"})
		}
		if writes := n.writes[x]; most[x.Style] > 0 && len(writes) > most[x.Style] {
			c.report(diag.Misuse, x.Pos, fmt.Sprintf("memory %s has style %s and %s; there is no such storage with more than %d", x.Name, x.Style, count(len(writes), "write port"), most[x.Style]),
				"join write ports that exclude each other into one, or use the style registers", diag.Related{Pos: writes[most[x.Style]].stmt.Pos, Message: "the port that is too many"})
		}
	}
}
