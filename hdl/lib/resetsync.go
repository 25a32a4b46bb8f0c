package lib

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// ResetSyncParams are the parameters of [ResetSync].
type ResetSyncParams struct {
	Stages    int  // registers in a row, 2 to 8; 0 stands for 2
	ActiveLow bool // both the reset that comes in and the one that goes out
}

// Validate requires a number of stages that makes sense.
func (p ResetSyncParams) Validate() error { return checkStages("ResetSync", p.Stages) }

// Suffix names the variant.
func (p ResetSyncParams) Suffix() string {
	s := fmt.Sprintf("%d", stagesOf(p.Stages))
	if p.ActiveLow {
		s += "_n"
	}
	return s
}

// ResetSyncIO is the interface of [ResetSync].
type ResetSyncIO struct {
	Out hdl.Var // the reset to be used; any clock domain may look at it
}

// ResetSync makes of a reset that comes at any time one that begins at once and ends
// at a clock edge: Out is active from the instant at which the reset input is, and
// until the Stages-th edge after that has gone. It has one clock domain, called
// sync, with the inputs sync_clk and sync_rst (sync_rst_n if it is active low),
// whose reset acts asynchronously.
//
// Resets are inputs of a design and no signals of it: no module below can be reset
// by Out. So ResetSync stands beside the design that it resets, as a top of its own
// or in one that hands Out to the outside, and the project's own top connects it to
// the reset input. Engines hold and release all resets at edges: there Out shows
// the release alone.
func ResetSync(m *hdl.Module, p ResetSyncParams) ResetSyncIO {
	m.Doc("A reset that begins at once and ends at a clock edge.")
	kind, active := hdl.AsyncHigh, hdl.K(1)
	if p.ActiveLow {
		kind, active = hdl.AsyncLow, 0
	}
	d := m.Domain("sync", hdl.WithReset(kind))
	io := ResetSyncIO{m.Out("out", hdl.Bool(), hdl.Async())}
	x := hdl.Const(1, uint64(1-active))
	for i := range stagesOf(p.Stages) {
		x = m.RegNext(fmt.Sprintf("stage_%d_q", i+1), x, hdl.On(d), hdl.Init(active), hdl.WithAttr("ASYNC_REG", "TRUE"))
	}
	io.Out.Set(x)
	return io
}
