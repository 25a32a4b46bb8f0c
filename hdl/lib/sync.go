package lib

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// defaultStages is the depth of synchronisers that are asked for 0 stages.
const defaultStages = 2

// stagesOf is the number of stages that 0 stands for, or n itself.
func stagesOf(n int) int {
	if n == 0 {
		return defaultStages
	}
	return n
}

// checkStages accepts 0, which is the default, and the numbers that make sense.
func checkStages(what string, n int) error {
	if n != 0 && (n < 2 || n > 8) {
		return fmt.Errorf("%s has %d Stages: they are 2 to 8, or 0 for %d", what, n, defaultStages)
	}
	return nil
}

// Sync brings a level into another clock domain: x through 2 to 8 registers of
// the domain to, called name_1_q and so on, of which the last is the result; 0
// stages stand for 2. A change of x appears after the stages-th edge that sees it,
// or one edge later where it comes too close to an edge. x comes as it is from a
// register of its own domain, or from an asynchronous input.
//
// Each bit is synchronised by itself, so the bits of a vector that change together
// may arrive apart: it has to be Gray code, or bits that have nothing to do with
// each other. For words there is [SyncWord], for pulses [SyncPulse]. Options are
// those of the registers, such as a reset value; without one they reset to 0.
func Sync(m *hdl.Module, name string, to *hdl.Domain, x hdl.Signal, stages int, opts ...hdl.Option) hdl.Signal {
	if err := checkStages("Sync "+name, stages); err != nil {
		panic(err) // elaboration reports it
	}
	opts = append([]hdl.Option{hdl.On(to), hdl.WithAttr("ASYNC_REG", "TRUE")}, opts...)
	for i := range stagesOf(stages) {
		o := opts
		if i == 0 {
			o = append([]hdl.Option{hdl.Crosses("First stage of a synchroniser: it may become metastable and has a cycle to settle.")}, opts...)
		}
		x = m.RegNext(fmt.Sprintf("%s_%d_q", name, i+1), x, o...)
	}
	return x
}

// PulseSyncParams are the parameters of [PulseSync].
type PulseSyncParams struct {
	Stages int // of the synchronisers of either way, 2 to 8; 0 stands for 2
}

// Validate requires a number of stages that makes sense.
func (p PulseSyncParams) Validate() error { return checkStages("PulseSync", p.Stages) }

// Suffix names the variant.
func (p PulseSyncParams) Suffix() string { return fmt.Sprintf("%d", stagesOf(p.Stages)) }

// PulseSyncIO is the interface of [PulseSync].
type PulseSyncIO struct {
	In   hdl.Var `hdl:"in"` // of domain from
	Busy hdl.Var // of domain from
	Out  hdl.Var // of domain to
}

// PulseSync brings pulses from the clock domain from into the domain to: for each
// cycle of from with In there is one cycle of to with Out. A pulse turns a level
// over, the level is synchronised, and each of its changes is a pulse again; on the
// way back it tells that the change has been seen.
//
// Out follows In after Stages+1 edges of to at the latest: it is one in the cycle
// that the edge after the Stages-th ends. Busy is one from the cycle after a pulse
// until the level is back, which takes Stages edges of to and then Stages of from,
// each plus one where clocks are not aligned. A pulse while Busy is one breaks the
// contract, and is dropped. The two domains are reset together.
func PulseSync(m *hdl.Module, p PulseSyncParams) PulseSyncIO {
	m.Doc("Brings pulses from one clock domain into another.")
	from, to := m.Domain("from"), m.Domain("to")
	io := PulseSyncIO{
		In:   m.In("in", hdl.Bool(), hdl.On(from)),
		Busy: m.Out("busy", hdl.Bool(), hdl.On(from), hdl.MayBeUnused()),
		Out:  m.Out("out", hdl.Bool(), hdl.On(to)),
	}
	level := m.Reg("level_q", hdl.Bool(), hdl.On(from), hdl.Doc("Turned over by each pulse."))
	there := Sync(m, "there", to, level.Signal, p.Stages)
	back := Sync(m, "back", from, there, p.Stages)
	io.Busy.Set(level.Ne(back))
	m.If(io.In.AndNot(io.Busy), func() { level.Set(level.Not()) })
	seen := m.RegNext("seen_q", there, hdl.On(to))
	io.Out.Set(there.Ne(seen))
	m.Assert("pulse_not_while_busy", hdl.Implies(io.In.Signal, io.Busy.Not()), hdl.On(from))
	m.Cover("pulse_arrives", io.Out, hdl.On(to))
	return io
}

// SyncPulse places a [PulseSync] for the one-bit pulse of domain from. It returns
// the pulse in domain to, and in domain from whether one is under way, while which
// there may be no other.
func SyncPulse(m *hdl.Module, name string, from, to *hdl.Domain, pulse hdl.Value, stages int) (out, busy hdl.Signal) {
	u := hdl.Inst(m, name, PulseSync, PulseSyncParams{stagesOf(stages)}, hdl.Bind("from", from), hdl.Bind("to", to))
	u.In.Set(pulse)
	return u.Out.Signal, u.Busy.Signal
}

// WordSyncParams are the parameters of [WordSync].
type WordSyncParams struct {
	Width  int // bits of a word, at least 1
	Stages int // of the synchronisers of either way, 2 to 8; 0 stands for 2
}

// Validate requires at least one bit and a number of stages that makes sense.
func (p WordSyncParams) Validate() error {
	if p.Width < 1 {
		return fmt.Errorf("WordSync of Width %d: it must be at least 1", p.Width)
	}
	return checkStages("WordSync", p.Stages)
}

// Suffix names the variant.
func (p WordSyncParams) Suffix() string { return fmt.Sprintf("%dx%d", p.Width, stagesOf(p.Stages)) }

// WordSyncIO is the interface of [WordSync].
type WordSyncIO struct {
	In  hdl.Stream[Word] `hdl:"in"` // of domain from
	Out hdl.Stream[Word] // of domain to
}

// WordSync brings words from the clock domain from into the domain to, one at a
// time: the word waits in a register while a request crosses, and stays until the
// acknowledgement has come back. Out is valid in the cycle of to after Stages+1
// edges of to from the one that took the word. The next word is taken Stages edges
// of from after the out register took this one: with equal clocks there is one word
// in 2·Stages+2 cycles. It costs two words of registers and no memory; for more
// throughput there is [AsyncFIFO]. The two domains are reset together.
func WordSync(m *hdl.Module, p WordSyncParams) WordSyncIO {
	m.Doc(fmt.Sprintf("Brings words of %d bits from one clock domain into another, one at a time.", p.Width))
	from, to := m.Domain("from"), m.Domain("to")
	t := hdl.StreamOf(Word{hdl.U(p.Width)})
	io := WordSyncIO{In: hdl.Ports(m, "in", hdl.Sink, t, hdl.On(from)), Out: hdl.Ports(m, "out", hdl.Source, t, hdl.On(to))}

	request := m.Reg("request_q", hdl.Bool(), hdl.On(from), hdl.Doc("Turned over by each word taken."))
	taken := m.Reg("taken_q", hdl.Bool(), hdl.On(to), hdl.Doc("What request was when its word was passed on."))
	word := m.Reg("word_q", hdl.U(p.Width), hdl.On(from), hdl.NoReset())
	requested := Sync(m, "requested", to, request.Signal, p.Stages)
	acknowledged := Sync(m, "acknowledged", from, taken.Signal, p.Stages)

	io.In.Ready.Set(request.Eq(acknowledged))
	m.If(io.In.Fire(), func() {
		request.Set(request.Not())
		word.Set(io.In.Data.Data)
	})

	valid := m.Reg("out_valid_q", hdl.Bool(), hdl.On(to))
	data := m.Reg("out_data_q", hdl.U(p.Width), hdl.On(to), hdl.NoReset(), hdl.Crosses("The word stays from before its request until the acknowledgement."))
	pass := m.Let("pass", requested.Ne(taken).And(valid.Not().Or(io.Out.Ready)))
	m.If(pass, func() {
		taken.Set(requested)
		valid.Set(hdl.K(1))
		data.Set(word)
	}).ElseIf(io.Out.Ready, func() { valid.Set(hdl.K(0)) })
	io.Out.Valid.Set(valid)
	io.Out.Data.Data.Set(data)
	m.Within(from, func() { hdl.Obey(m, "in", hdl.Sink, io.In) })
	m.Within(to, func() { hdl.Obey(m, "out", hdl.Source, io.Out) })
	return io
}

// SyncWord places a [WordSync] behind a stream of any payload in domain from, and
// returns the stream that leaves it in domain to.
func SyncWord[T any](m *hdl.Module, name string, from, to *hdl.Domain, in hdl.Stream[T], stages int) hdl.Stream[T] {
	p := WordSyncParams{Width: hdl.WidthOf(in.Data), Stages: stagesOf(stages)}
	u := hdl.Inst(m, name, WordSync, p, hdl.Bind("from", from), hdl.Bind("to", to))
	return throughWords(in, u.In, u.Out)
}

// throughWords puts a module of words into a stream of any payload.
func throughWords[T any](in hdl.Stream[T], words, out hdl.Stream[Word]) hdl.Stream[T] {
	words.Valid.Set(in.Valid)
	words.Data.Data.Set(hdl.Pack(in.Data))
	in.Ready.Set(words.Ready)
	return hdl.Stream[T]{Valid: out.Valid, Ready: out.Ready, Data: hdl.Unpack(in.Data, out.Data.Data.Signal)}
}
