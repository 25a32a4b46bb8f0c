package software

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/job"
)

// instructions is software on a core with inst_64. Streams are its channels.
type instructions struct {
	silent
	c     frontend.InstConfig
	pins  map[string]*uint64
	todo  []instruction
	asked []func(data uint64) // what waits for results, in order; nil for one of no use
	// channels are their launched copies.
	channels []channel
}

// channel is what software knows of the copies of one.
type channel struct {
	ids   []uint64 // of those launched
	ended int
	rest  int // cycles until the status is asked for again
	polls bool
}

// instruction is one with its operands. Those with a result name who takes it.
type instruction struct {
	op, rs1, rs2 uint64
	then         func(data uint64)
}

func newInstructions(e sim.Engine, c frontend.InstConfig) (*instructions, error) {
	s := &instructions{c: c, pins: map[string]*uint64{}, channels: make([]channel, c.Channels)}
	for _, name := range []string{"instr_valid", "instr_ready", "instr_op", "instr_rs1", "instr_rs2", "result_valid", "result_ready", "result_data", "result_error"} {
		p, err := e.Layout().Port(name)
		if err != nil {
			return nil, fmt.Errorf("port of instructions: %w", err)
		}
		array := e.Out()
		if p.Input {
			array = e.In()
		}
		s.pins[name] = &array[p.Offset]
	}
	return s, nil
}

// Check: addresses choose the protocol, and fills repeat a byte.
func (s *instructions) Check(j *job.Job) *job.Error {
	if e := onlyINCR(j); e != nil {
		return e
	}
	b := s.c.Backend
	if j.Src.Protocol == job.Init {
		v := j.Src.Addr & (1<<32 - 1)
		if b.ReadProtocols[backend.Init] == 0 || j.Src.Mode != backend.InitRepeat || v != v&0xff*0x01010101 {
			return refuse("src_protocol", fmt.Sprintf("init of mode %d from %#x", j.Src.Mode, j.Src.Addr), "a byte four times and mode 0, in an engine that reads init, with instructions")
		}
		if len(j.Dims) > 0 {
			return refuse("dims", len(j.Dims)+1, "one dimension for fills")
		}
	} else if e := only("src", &j.Src, s.over(b.ReadProtocols, j.Src.Addr)); e != nil {
		return e
	}
	if e := only("dst", &j.Dst, s.over(b.WriteProtocols, j.Dst.Addr)); e != nil {
		return e
	}
	if j.Src.MaxBeats != job.NoBeatLimit || j.Dst.MaxBeats != job.NoBeatLimit {
		return refuse("src_max_beats", min(j.Src.MaxBeats, j.Dst.MaxBeats), fmt.Sprintf("%d on both sides with instructions", job.NoBeatLimit))
	}
	if j.Length>>32 != 0 {
		return refuse("length", j.Length, "at most 4294967295 with instructions")
	}
	return nil
}

// over is the protocol that an address is reached over: OBI in the window, else that with
// the lowest number that makes no data.
func (s *instructions) over(set backend.PortSet, addr uint64) backend.Protocol {
	if set[backend.OBI] > 0 && addr >= s.c.WindowStart && addr < s.c.WindowEnd {
		return backend.OBI
	}
	for p, n := range set {
		if n > 0 && backend.Protocol(p) != backend.Init {
			return backend.Protocol(p)
		}
	}
	return backend.Init
}

func (s *instructions) Idle() bool            { return len(s.todo) == 0 }
func (s *instructions) Ended(channel int) int { return s.channels[channel].ended }

// Finish requires that every result has come.
func (s *instructions) Finish() error {
	if n := len(s.todo) + len(s.asked); n > 0 {
		return fmt.Errorf("%d instructions have no result", n)
	}
	return nil
}

// Settings of DMCPYI and DMINIT, and selector of DMSTATI. The channel stands above either.
const (
	channelShift   = 2
	twoDimensional = 2
	fillZeros      = 0
	fillOnes       = 1
	fillByte       = 2
	statDone       = 0
)

// Launch is the instructions of a copy: at most six.
func (s *instructions) Launch(j *job.Job, channel int) {
	do := func(funct7, imm uint32, rs1, rs2 uint64, then func(uint64)) {
		s.todo = append(s.todo, instruction{uint64(frontend.Encode(funct7, 0, 0, imm)), rs1, rs2, then})
	}
	halves := func(funct7 uint32, v uint64) { do(funct7, 0, v&(1<<32-1), v>>32, nil) }
	copies, settings := uint32(frontend.DMCPYI), uint32(0)
	if j.Src.Protocol == job.Init {
		copies = frontend.DMINIT
		switch v := j.Src.Addr & 0xff; v {
		case 0:
			settings = fillZeros
		case 0xff:
			settings = fillOnes
		default:
			settings = fillByte
			halves(frontend.DMSRC, v)
		}
	} else {
		halves(frontend.DMSRC, j.Src.Addr)
	}
	halves(frontend.DMDST, j.Dst.Addr)
	if len(j.Dims) > 0 {
		settings = twoDimensional
		do(frontend.DMSTR, 0, j.Dims[0].SrcStride&(1<<32-1), j.Dims[0].DstStride&(1<<32-1), nil)
		do(frontend.DMREP, 0, j.Dims[0].Reps, 0, nil)
	}
	ch := &s.channels[channel]
	do(copies, settings|uint32(channel)<<channelShift, j.Length, 0, func(id uint64) { ch.ids = append(ch.ids, id) })
}

// Drive offers the oldest instruction.
func (s *instructions) Drive() {
	*s.pins["instr_valid"] = bit(len(s.todo) > 0)
	if len(s.todo) > 0 {
		i := s.todo[0]
		*s.pins["instr_op"], *s.pins["instr_rs1"], *s.pins["instr_rs2"] = i.op, i.rs1, i.rs2
	}
	*s.pins["result_ready"] = 1
}

// Edge takes what has happened, and asks which copy ended last from time to time.
func (s *instructions) Edge() error {
	if *s.pins["result_valid"] == 1 {
		switch {
		case len(s.asked) == 0:
			return fmt.Errorf("a result of no instruction")
		case *s.pins["result_error"] == 1:
			return fmt.Errorf("an instruction was refused")
		}
		s.asked[0](*s.pins["result_data"])
		s.asked = s.asked[1:]
	}
	if *s.pins["instr_valid"]&*s.pins["instr_ready"] == 1 {
		if then := s.todo[0].then; then != nil {
			s.asked = append(s.asked, then)
		}
		s.todo = s.todo[1:]
	}
	for i := range s.channels {
		ch := &s.channels[i]
		if ch.rest--; ch.rest > 0 || len(s.todo) > 0 || ch.polls || ch.ended == len(ch.ids) {
			continue
		}
		ch.polls = true
		op := frontend.Encode(frontend.DMSTATI, 0, 0, statDone|uint32(i)<<channelShift)
		s.todo = append(s.todo, instruction{op: uint64(op), then: func(done uint64) {
			ch.ended = endedBy(done, ch.ids, ch.ended, s.c.TransferIDBits)
			ch.polls, ch.rest = false, pollPause
		}})
	}
	return nil
}
