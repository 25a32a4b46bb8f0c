package frontend

import (
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/regs"
)

// What is beyond the layouts of the specification: options of back-ends with several
// ports of a protocol or with Init, interrupts, and errors.

func several(s backend.PortSet) bool {
	for _, n := range s {
		if n > 1 {
			return true
		}
	}
	return false
}

func (c Config) hasInit() bool { return c.Backend.ReadProtocols[backend.Init] > 0 }

func (c Config) hasOptions() bool {
	return several(c.Backend.ReadProtocols) || several(c.Backend.WriteProtocols) || c.hasInit()
}

// options are a register where the engine has a choice that conf does not know.
func (c Config) options() []regs.Field {
	mode := field("init_mode", "What reads of Init give.", 9, 8, c.hasInit(), 0)
	mode.Values = []regs.Value{
		{Name: "repeat", Value: backend.InitRepeat, Doc: "src_addr again and again"},
		{Name: "increment", Value: backend.InitIncrement, Doc: "words from src_addr up"},
		{Name: "random", Value: backend.InitRandom, Doc: "pseudorandom from src_addr on"},
	}
	return []regs.Field{
		field("src_head", "Which of several source ports of the protocol.", 2, 0, several(c.Backend.ReadProtocols), 0),
		field("dst_head", "Which of several destination ports of the protocol.", 6, 4, several(c.Backend.WriteProtocols), 0),
		mode,
	}
}

// interrupts are two bits a stream. Each port has its own.
func (c Config) interrupts() []regs.Register {
	fields := func(access regs.Access, done, failed string) []regs.Field {
		return []regs.Field{
			{Name: "done", Doc: done, Hi: c.Streams - 1, Lo: 0, Access: access},
			{Name: "failed", Doc: failed, Hi: 15 + c.Streams, Lo: 16, Access: access},
		}
	}
	return []regs.Register{
		{Name: "irq_enable", Doc: "What raises the interrupt of this port.", Offset: atIRQEnable,
			Fields: fields(regs.RW, "Transfers that ended, a bit a stream.", "Errors, a bit a stream.")},
		{Name: "irq_pending", Doc: "What has happened; a one clears the bit.", Offset: atIRQPending,
			Fields: fields(regs.W1C, "A transfer of the stream has ended, with an error or without.", "An error of the stream was reported.")},
	}
}

// errors tell of the latest error of each stream.
func (c Config) errors(array func(name, doc string, at uint64, fields ...regs.Field) regs.Register) []regs.Register {
	ro := func(name, doc string, hi, lo int) regs.Field {
		return regs.Field{Name: name, Doc: doc, Hi: hi, Lo: lo, Access: regs.RO}
	}
	kind := ro("err_type", "What failed.", 5, 4)
	kind.Values = []regs.Value{{Name: "read", Value: backend.ErrBusRead}, {Name: "write", Value: backend.ErrBusWrite},
		{Name: "refused", Value: backend.ErrRefused, Doc: "by the back-end"}, {Name: "midend", Value: 3, Doc: "refused by the mid-end: no repetitions"}}
	waits := ro("awaits", "The stream waits for error_action.", 1, 1)
	if !c.Backend.ErrorHandling {
		waits.Hardware = regs.Unseen
	}
	rs := []regs.Register{
		array("error_info", "The latest error of stream s.", atErrorInfo,
			regs.Field{Name: "failed", Doc: "There was an error since this was cleared. Each port has its own.", Hi: 0, Lo: 0, Access: regs.W1C},
			waits, ro("cause", "Bus errors: the AXI response code, or 1 for no answer at all. Refused requests: 0 zero length, 1 burst type, 2 no such port.", 3, 2), kind),
		array("error_id", "The number of the transfer that failed.", atErrorID,
			ro("error_id", "As next_id returned it.", c.TransferIDBits-1, 0)),
	}
	if !c.Backend.ErrorHandling {
		return rs
	}
	width := c.Backend.AddrWidth
	low, doc := "error_addr", "Address of the first bus word of the burst that failed."
	if c.Layout.wide() {
		low = "error_addr_low"
	}
	rs = append(rs, array(low, doc, atErrorLow, ro(low, "Its bits from 0 up.", min(width, 32)-1, 0)))
	if c.Layout.wide() {
		high := field("error_addr_high", "Its bits from 32 up.", max(width-32, 1)-1, 0, false, 0)
		if width > 32 {
			high = ro("error_addr_high", "Its bits from 32 up.", width-33, 0)
		}
		rs = append(rs, array("error_addr_high", doc, atErrorHigh, high))
	}
	action := regs.Field{Name: "action", Doc: "What is to be done.", Hi: 1, Lo: 0, Access: regs.Pulse, Values: []regs.Value{
		{Name: "go_on", Value: backend.ActionContinue, Doc: "as if there were no error"},
		{Name: "abort", Value: backend.ActionAbort, Doc: "end the transfer"},
		{Name: "replay", Value: backend.ActionReplay, Doc: "repeat it from its first byte that is not surely written"}}}
	act := array("error_action", "A write answers an error of stream s that awaits it. Otherwise it does nothing.", atErrorAction, action)
	act.OnWrite = true
	return append(rs, act)
}
