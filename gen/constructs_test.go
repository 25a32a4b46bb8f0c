package gen_test

import "github.com/millrace-hdl/millrace/hdl"

type lanesIO struct {
	Word, Value, Index hdl.Var `hdl:"in"`
	Got                hdl.Var
	One                hdl.Var
	Third              hdl.Var
	Held               hdl.Var
	Masked             hdl.Var
}

// byteLanes selects and assigns by index: exactly, and with indices that can go
// beyond.
func byteLanes(m *hdl.Module, _ none) lanesIO {
	io := hdl.Ports(m, "", hdl.Source, lanesIO{Word: hdl.U(24), Value: hdl.U(8), Index: hdl.U(2),
		Got: hdl.U(8), One: hdl.Bool(), Third: hdl.U(8), Held: hdl.U(32), Masked: hdl.U(24)})
	m.Note("There is no fourth byte.")
	io.Got.Set(io.Word.Lane(io.Index, 8))
	io.One.Set(io.Word.Lane(io.Index, 1).Bit(0))
	io.Third.Set(io.Word.Ext(32).Lane(io.Index, 8))
	held := m.Reg("held_q", hdl.U(32))
	m.If(io.Value.Any(), func() { held.Lane(io.Index, 8).Set(io.Value) })
	io.Held.Set(held)
	io.Masked.Set(io.Word)
	io.Masked.Lane(io.Index, 8).Set(io.Value)
	return io
}

type dualIO struct {
	AEn, AWr, AAddr, AData hdl.Var `hdl:"in"`
	BEn, BWr, BAddr, BData hdl.Var `hdl:"in"`
	AQ                     hdl.Var `hdl:"name=a_q"`
	BQ                     hdl.Var `hdl:"name=b_q"`
}

// dualPort has two ports that read and write; the second one wins, and each sees its
// own writes only.
func dualPort(m *hdl.Module, _ none) dualIO {
	io := hdl.Ports(m, "", hdl.Source, dualIO{
		AEn: hdl.Bool(), AWr: hdl.Bool(), AAddr: hdl.U(4), AData: hdl.U(8), BEn: hdl.Bool(), BWr: hdl.Bool(), BAddr: hdl.U(4), BData: hdl.U(8),
		AQ: hdl.U(8), BQ: hdl.U(8)})
	mem := m.Mem("ram", hdl.U(8), 16, hdl.Style("block"), hdl.Contents(0x11, 0x22, 0x33))
	var a, b *hdl.WritePort
	m.If(io.AEn.And(io.AWr), func() { a = mem.Write(io.AAddr, io.AData) })
	m.If(io.BEn.And(io.BWr), func() { b = mem.Write(io.BAddr, io.BData) })
	io.AQ.Set(mem.SyncRead("a_word_q", io.AAddr, io.AEn, hdl.OldData, hdl.During(a, hdl.NewData)))
	io.BQ.Set(mem.SyncRead("b_word_q", io.BAddr, io.BEn, hdl.OldData, hdl.During(b, hdl.NewData)))
	return io
}

type logIO struct {
	Clear, Put, Addr, Data hdl.Var `hdl:"in"`
	RdAddr                 hdl.Var `hdl:"in"`
	Out                    hdl.Var
}

// exclusiveWrites never writes twice at once, so one port will do; what a read of
// the word being written gives does not matter.
func exclusiveWrites(m *hdl.Module, _ none) logIO {
	io := hdl.Ports(m, "", hdl.Source, logIO{Clear: hdl.Bool(), Put: hdl.Bool(), Addr: hdl.U(5), Data: hdl.U(16), RdAddr: hdl.U(5), Out: hdl.U(16)})
	mem := m.Mem("entries", hdl.U(16), 32)
	at := m.Reg("at_q", hdl.U(5))
	m.If(io.Clear, func() {
		mem.Write(at, hdl.K(0))
		at.Set(at.Add(hdl.K(1)))
	}).ElseIf(io.Put, func() {
		mem.WriteMask(io.Addr, io.Data, hdl.Cat(io.Data.Any(), hdl.Const(1, 1)))
	})
	io.Out.Set(mem.SyncRead("out_q", io.RdAddr, hdl.Const(1, 1), hdl.Undefined))
	return io
}

type romIO struct {
	Addr  hdl.Var `hdl:"in"`
	Now   hdl.Var
	Later hdl.Var
}

// sineTable is a memory that is never written.
func sineTable(m *hdl.Module, _ none) romIO {
	io := hdl.Ports(m, "", hdl.Source, romIO{Addr: hdl.U(3), Now: hdl.U(8), Later: hdl.U(8)})
	rom := m.Mem("sine", hdl.U(8), 8, hdl.Contents(128, 217, 255, 217, 128, 38, 0, 38), hdl.Style("distributed"), hdl.Doc("One period."))
	io.Now.Set(rom.Read(io.Addr))
	io.Later.Set(rom.SyncRead("later_q", io.Addr, hdl.Const(1, 1), hdl.OldData))
	return io
}

type mailboxIO struct {
	Put, Data hdl.Var `hdl:"in"`
	Busy      hdl.Var
	Got       hdl.Var
	GotData   hdl.Var
}

// mailbox hands words from one clock to another, whose falling edge is the active
// one and whose reset is of another style.
func mailbox(m *hdl.Module, _ none) mailboxIO {
	far := m.Domain("far", hdl.Falling(), hdl.WithReset(hdl.SyncHigh))
	io := mailboxIO{
		Put: m.In("put", hdl.Bool()), Data: m.In("data", hdl.U(8)), Busy: m.Out("busy", hdl.Bool()),
		Got: m.Out("got", hdl.Bool(), hdl.On(far)), GotData: m.Out("got_data", hdl.U(8), hdl.On(far)),
	}
	full := m.Reg("full_q", hdl.Bool())
	word := m.Reg("word_q", hdl.U(8), hdl.NoReset())
	seen := hdl.Inst(m, "u_seen", twoStages, none{}, hdl.On(far), hdl.Doc("Tells the far side."))
	back := hdl.Inst(m, "u_back", twoStages, none{}, hdl.Doc("Tells the near side."))
	seen.In.Set(full)
	taken := m.Reg("taken_q", hdl.Bool(), hdl.On(far))
	taken.Set(seen.Out)
	back.In.Set(taken)
	m.If(io.Put.And(full.Not()), func() {
		full.Set(hdl.K(1))
		word.Set(io.Data)
	}).ElseIf(back.Out, func() { full.Set(hdl.K(0)) })
	copied := m.Reg("copied_q", hdl.U(8), hdl.On(far), hdl.NoReset(), hdl.Crosses("the word is stable while it is full"))
	m.If(seen.Out, func() { copied.Set(word) })
	io.Busy.Set(full.Or(back.Out))
	io.Got.Set(taken)
	io.GotData.Set(copied)
	return io
}

type stagesIO struct {
	In  hdl.Var `hdl:"in"`
	Out hdl.Var
}

func twoStages(m *hdl.Module, _ none) stagesIO {
	io := stagesIO{In: m.In("in", hdl.Bool(), hdl.Async()), Out: m.Out("out", hdl.Bool())}
	first := m.Reg("first_q", hdl.Bool(), hdl.Crosses("first of two stages"), hdl.WithAttr("ASYNC_REG", "TRUE"))
	second := m.Reg("second_q", hdl.Bool(), hdl.WithAttr("ASYNC_REG", "TRUE"))
	first.Set(io.In)
	second.Set(first)
	io.Out.Set(second)
	return io
}

type boxIO struct {
	In  hdl.Var `hdl:"in"`
	Out hdl.Var
}

// delay is a black box; with a source or without.
func delay(source string) func(m *hdl.Module, _ none) boxIO {
	return func(m *hdl.Module, _ none) boxIO {
		m.External(hdl.External{Name: "VENDOR_DELAY", Source: source, Params: []hdl.ExternParam{{Name: "STAGES", Value: "2"}, {Name: "KIND", Value: `"SRL"`}}})
		d := m.Domain("ck", hdl.ClockName("CK"), hdl.WithoutReset())
		return boxIO{In: m.In("D", hdl.U(4), hdl.On(d)), Out: m.Out("Q", hdl.U(4), hdl.On(d), hdl.Registered())}
	}
}

// delayed places it.
func delayed(source string) func(m *hdl.Module, _ none) boxIO {
	return func(m *hdl.Module, _ none) boxIO {
		io := hdl.Ports(m, "", hdl.Source, boxIO{In: hdl.U(4), Out: hdl.U(4)})
		box := hdl.Inst(m, "u_delay", delay(source), none{}, hdl.Bind("ck", m.DefaultDomain()))
		box.In.Set(io.In)
		io.Out.Set(box.Out)
		return io
	}
}

const delaySource = `module VENDOR_DELAY #(
  parameter STAGES = 1,
  parameter KIND = "NONE"
) (
  input  logic       CK,
  input  logic [3:0] D,
  output logic [3:0] Q
);

  logic [4*STAGES-1:0] shift_q;

  always_ff @(posedge CK) begin
    shift_q <= (4*STAGES)'({shift_q, D});
  end

  assign Q = shift_q[4*STAGES-1 -: 4];

  wire unused_ok = &{1'b0, KIND == "SRL"};

endmodule
`
