package frontend

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/regs"
)

// Values of error_policy.policy: stop until software answers, or one more than the action.
const (
	PolicyStop   = 0
	PolicyGoOn   = 1 + backend.ActionContinue
	PolicyAbort  = 1 + backend.ActionAbort
	PolicyReplay = 1 + backend.ActionReplay
)

// waitingFields are the fields of status with error handling.
func (c DescConfig) waitingFields() []regs.Field {
	return []regs.Field{
		{Name: "awaits", Doc: "The engine waits for error_action.", Hi: 4, Lo: 4, Access: regs.RO},
		{Name: "dropped", Doc: "A write of desc_addr would have had to wait while the engine waited for error_action, and launched nothing. A one clears it.", Hi: 5, Lo: 5, Access: regs.W1C},
	}
}

// errorRegisters adds those of error handling.
func (c DescConfig) errorRegisters(m *regs.Map) {
	policy := regs.Field{Name: "policy", Doc: "What is done.", Hi: 1, Lo: 0, Values: []regs.Value{
		{Name: "stop", Value: PolicyStop, Doc: "wait for error_action"}, {Name: "go_on", Value: PolicyGoOn, Doc: "as if there were no error"},
		{Name: "abort", Value: PolicyAbort, Doc: "end the transfer, and go on with the next descriptor"},
		{Name: "replay", Value: PolicyReplay, Doc: "repeat it from its first byte that is not surely written"},
	}}
	action := regs.Field{Name: "action", Doc: "What is to be done.", Hi: 1, Lo: 0, Access: regs.Pulse, Values: []regs.Value{
		{Name: "go_on", Value: backend.ActionContinue}, {Name: "abort", Value: backend.ActionAbort}, {Name: "replay", Value: backend.ActionReplay},
	}}
	m.Registers = append(m.Registers,
		regs.Register{Name: "error_policy", Doc: "What is done about bus errors of transfers.", Offset: 0x18, Fields: []regs.Field{
			policy, {Name: "replays", Doc: "How often a transfer is repeated by the policy; then it is ended.", Hi: 15, Lo: 8},
		}},
		regs.Register{Name: "error_action", Doc: "A write answers an error that awaits it. Otherwise it does nothing.", Offset: 0x20, OnWrite: true, Fields: []regs.Field{action}},
		regs.Register{Name: "error_info", Doc: "The latest error of a transfer.", Offset: 0x28, Fields: []regs.Field{
			{Name: "cause", Doc: "As in the response of the engine.", Hi: 1, Lo: 0, Access: regs.RO},
			{Name: "err_type", Doc: "What failed.", Hi: 3, Lo: 2, Access: regs.RO, Values: []regs.Value{
				{Name: "read", Value: backend.ErrBusRead}, {Name: "write", Value: backend.ErrBusWrite}, {Name: "refused", Value: backend.ErrRefused}}},
		}})
	c.address(m, "error_burst", "Address of the first bus word of the burst that failed.", 0x30)
}

// ending is a response that waits to be dealt with.
type ending struct {
	Failed hdl.Var
	Code   []hdl.Var `hdl:"opt"` // cause and error type, where they are told
	Asks   []hdl.Var `hdl:"opt"` // with error handling: the transfer goes on after an action
}

// codeBits are those of cause and error type.
const codeBits = 4

func (c DescConfig) tells() bool { return c.ErrorMarks || c.Backend.ErrorHandling }

func (c DescConfig) endingType() ending {
	return ending{hdl.Bool(), optional(c.tells(), hdl.U(codeBits)), optional(c.Backend.ErrorHandling, hdl.Bool())}
}

// endings queues what the engine answers, the oldest first. It is taken at once.
func (c DescConfig) endings(m *hdl.Module, rsp hdl.Stream[backend.Response]) hdl.Stream[ending] {
	in := hdl.Wires(m, "end", hdl.StreamOf(c.endingType()), hdl.MayBeUnused())
	in.Valid.Set(rsp.Valid)
	in.Data.Failed.Set(rsp.Data.Error)
	for _, code := range in.Data.Code {
		code.Set(hdl.Cat(rsp.Data.ErrType, rsp.Data.Cause))
	}
	for i, asks := range in.Data.Asks {
		asks.Set(rsp.Data.Asks[i])
	}
	rsp.Ready.Set(hdl.K(1))
	m.Note("A queue in a block holds one more than its depth; beside all ends there may be one question.")
	out, _ := lib.Queue(m, "u_ended", lib.FIFOParams{Depth: c.inFlight() + 1 + len(in.Data.Asks)}, in)
	return out
}

// failing is how a transfer ends.
type failing struct {
	now   hdl.Signal // the oldest has failed
	code  hdl.Signal // how, where that is told
	asked hdl.Signal // it is asked about in this cycle
	stops hdl.Signal // the engine waits for software, which has not been told
}

// handleErrors sees to what is asked about the oldest transfer, by the policy or as
// software answers. A transfer that went on after an error, or was ended, has failed. Told is one
// when software can be interrupted.
func (c DescConfig) handleErrors(m *hdl.Module, io DescPorts, r regs.Registers, awaiting []hdl.Var, end hdl.Stream[ending], asked, marks, told hdl.Signal) failing {
	never := hdl.Const(1, 0)
	f := failing{now: end.Data.Failed.Signal, asked: never, stops: never}
	if c.tells() {
		f.code = end.Data.Code[0].Signal
	}
	if !c.Backend.ErrorHandling {
		return f
	}
	f.asked = asked
	awaits := awaiting[0]
	valid, kind := m.Reg("action_valid_q", hdl.Bool()), m.Reg("action_q", hdl.U(2), hdl.NoReset())
	replays := m.Reg("replays_q", hdl.U(8), hdl.Doc("How often the transfer was repeated by the policy."))
	policy := r.Get("error_policy.policy", 0)
	failed := m.Reg("failed_q", hdl.Bool(), hdl.Doc("The oldest transfer has failed, though it goes on or was ended."))
	code := m.Reg("code_q", hdl.U(codeBits), hdl.Doc("The latest error."))
	again := m.Let("again", policy.Eq(hdl.K(PolicyReplay)).And(replays.Lt(r.Get("error_policy.replays", 0))))
	stops := m.Let("stops", asked.And(policy.Eq(hdl.K(PolicyStop))))
	untold := m.Reg("untold_q", hdl.Bool(), hdl.Doc("The interrupt for that is still to come."))
	m.If(stops, func() { untold.Set(hdl.K(1)) }).ElseIf(told, func() { untold.Set(hdl.K(0)) })
	f.stops = untold.Signal
	answered := m.Let("answered", awaits.And(r.Word("error_action", 0).WasWritten[0]))
	byPolicy := m.Let("by_policy", asked.AndNot(stops))
	action := io.Action[0]
	m.If(action.Ready, func() { valid.Set(hdl.K(0)) })
	m.If(byPolicy.Or(answered), func() {
		valid.Set(hdl.K(1))
		kind.Set(hdl.Mux(answered, r.Get("error_action", 0), hdl.Mux(again, hdl.K(backend.ActionReplay),
			hdl.Mux(policy.Eq(hdl.K(PolicyGoOn)), hdl.Const(2, backend.ActionContinue), hdl.K(backend.ActionAbort)))))
	})
	m.If(stops, func() { awaits.Set(hdl.K(1)) }).ElseIf(answered, func() { awaits.Set(hdl.K(0)) })
	m.If(marks, func() { replays.Set(hdl.K(0)) }).ElseIf(byPolicy.And(again), func() { replays.Set(replays.Add(hdl.K(1))) })
	action.Valid.Set(valid)
	action.Data.Kind.Set(kind)
	settled := m.Let("settled", action.Fire().And(kind.Ne(hdl.K(backend.ActionReplay))))
	m.If(marks, func() { failed.Set(hdl.K(0)) }).ElseIf(settled, func() { failed.Set(hdl.K(1)) })
	burst := m.Reg("burst_q", hdl.U(c.Backend.AddrWidth), hdl.Doc("The burst that failed, of the latest error."))
	m.If(io.Rsp.Valid.And(io.Rsp.Data.Asks[0]), func() { burst.Set(io.Rsp.Data.BurstAddr[0]) })
	m.If(asked.Or(marks.And(f.now)), func() { code.Set(f.code) })
	r.Give("status.awaits", 0, awaits)
	r.Give("error_info.cause", 0, code.Bits(1, 0))
	r.Give("error_info.err_type", 0, code.Bits(3, 2))
	c.give(r, "error_burst", burst)
	if c.ErrorMarks {
		first := m.Reg("failed_code_q", hdl.U(codeBits), hdl.NoReset(), hdl.Doc("Its first error."))
		m.If(settled.AndNot(failed), func() { first.Set(code) })
		f.code = hdl.Mux(failed, first, f.code)
	}
	f.now = f.now.Or(failed)
	return f
}

// give shows software an address.
func (c DescConfig) give(r regs.Registers, name string, addr hdl.Var) {
	if c.RegWidth == 64 {
		r.Give(name, 0, addr)
		return
	}
	r.Give(name+"_low", 0, addr.Bits(31, 0))
	if c.Backend.AddrWidth > 32 {
		r.Give(name+"_high", 0, addr.Bits(c.Backend.AddrWidth-1, 32))
	}
}
