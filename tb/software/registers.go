package software

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/regs"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/regbus"
)

// registers is software for a register front-end: a core at each of its ports, which take
// turns. They describe transfers at the same time, and launch those of a stream one after
// the other.
type registers struct {
	c       frontend.Config
	table   map[string]regs.Register
	cores   []*core
	streams []*stream
	turn    int // core that launches next
	err     error
}

// core is what is at a register port.
type core struct {
	port  *regbus.Port
	holds map[uint64]uint64 // what registers hold, by offset
	busy  bool              // a transfer is described, and not launched yet
}

// stream is what software knows of one.
type stream struct {
	waiting  []*core // that have described a transfer, the next to launch first
	ids      []uint64
	ended    int
	rest     int  // cycles until it is looked at again
	polls    bool // it is
	refused  bool // a read of next_id launched nothing
	question *Question
}

// pollPause is how many cycles software does something else between two looks.
const pollPause = 4

func newRegisters(e sim.Engine, c frontend.Config, seed uint64) (*registers, error) {
	s := &registers{c: c, table: map[string]regs.Register{}}
	name := [...]string{frontend.APB: "s_apb", frontend.AXILite: "s_axil", frontend.OBI: "s_obi"}[c.Bus]
	for i := range c.Ports {
		no := ""
		if c.Ports > 1 {
			no = fmt.Sprint(i)
		}
		port, err := regbus.New(e, c.Bus.String(), name+no+"_", regbus.Options{Seed: seed + uint64(i)})
		if err != nil {
			return nil, err
		}
		s.cores = append(s.cores, &core{port: port, holds: map[uint64]uint64{}})
	}
	for range c.Streams {
		s.streams = append(s.streams, &stream{})
	}
	for _, r := range c.Map().Registers {
		s.table[r.Name] = r
	}
	return s, nil
}

func (s *registers) Check(j *job.Job) *job.Error { return onlyINCR(j) }
func (s *registers) Ended(stream int) int        { return s.streams[stream].ended }

// Idle reports whether the core whose turn it is has nothing to do.
func (s *registers) Idle() bool {
	c := s.cores[s.turn]
	return !c.busy && c.port.Open() == 0
}

func (s *registers) Drive() {
	for _, c := range s.cores {
		c.port.Drive()
	}
}

func (s *registers) Finish() error {
	for _, c := range s.cores {
		if err := c.port.Finish(); err != nil {
			return err
		}
	}
	return nil
}

// offset is where a register lies; of an array that of an element.
func (s *registers) offset(name string, element int) uint64 {
	return s.table[name].Offset + 4*uint64(element)
}

// do carries out an access.
func (s *registers) do(c *core, a regbus.Access, then func(v uint64)) {
	a.Strb = 15
	c.port.Do(a, func(r regbus.Result) {
		if r.Err && s.err == nil {
			s.err = fmt.Errorf("the access to register %#x was answered with an error", r.Addr)
		}
		if then != nil {
			then(r.Read)
		}
	})
}

func (s *registers) read(c *core, name string, element int, then func(v uint64)) {
	s.do(c, regbus.Access{Addr: s.offset(name, element)}, then)
}

// write sets a register, if it does not hold the value already.
func (s *registers) write(c *core, name string, v uint64) {
	at := s.offset(name, 0)
	if held, known := c.holds[at]; known && held == v {
		return
	}
	c.holds[at] = v
	s.do(c, regbus.Access{Write: true, Addr: at, Data: v}, nil)
}

// value sets a value of one register, or of two in wide layouts.
func (s *registers) value(c *core, name string, v uint64) {
	if _, one := s.table[name]; one {
		s.write(c, name, v&(1<<32-1))
		return
	}
	s.write(c, name+"_low", v&(1<<32-1))
	s.write(c, name+"_high", v>>32)
}

// fields sets a register from its fields.
func (s *registers) fields(c *core, name string, values map[string]uint64) {
	r, has := s.table[name]
	if !has {
		return
	}
	v := uint64(0)
	for _, f := range r.Fields {
		v |= values[f.Name] << f.Lo
	}
	s.write(c, name, v)
}

// field is a field of a register's value.
func (s *registers) field(name, field string, v uint64) uint64 {
	for _, f := range s.table[name].Fields {
		if f.Name == field {
			return v >> f.Lo & (1<<(f.Hi-f.Lo+1) - 1)
		}
	}
	return 0
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// limit is the bits of reduce_len and max_llen.
func limit(s *job.Side) (reduce, llen uint64) {
	if s.MaxBeats == job.NoBeatLimit {
		return 0, 0
	}
	return 1, uint64(bits.TrailingZeros(uint(s.MaxBeats)))
}

// Launch writes what is new, and reads next_id when all that were described before for the
// stream are launched.
func (s *registers) Launch(j *job.Job, stream int) {
	c := s.cores[s.turn]
	s.turn = (s.turn + 1) % len(s.cores)
	srcReduce, srcLen := limit(&j.Src)
	dstReduce, dstLen := limit(&j.Dst)
	s.fields(c, "conf", map[string]uint64{
		"decouple_aw": bit(j.DecoupleAW), "decouple_rw": bit(j.DecoupleRW),
		"src_reduce_len": srcReduce, "src_max_llen": srcLen, "dst_reduce_len": dstReduce, "dst_max_llen": dstLen,
		"enable_nd": uint64(len(j.Dims)), "src_protocol": uint64(j.Src.Protocol), "dst_protocol": uint64(j.Dst.Protocol),
	})
	s.fields(c, "options", map[string]uint64{"src_head": uint64(j.Src.Head), "dst_head": uint64(j.Dst.Head), "init_mode": uint64(j.Src.Mode)})
	s.value(c, "dst_addr", j.Dst.Addr)
	s.value(c, "src_addr", j.Src.Addr)
	s.value(c, "length", j.Length)
	for i, d := range j.Dims {
		name := fmt.Sprintf("dim%d_", i)
		s.value(c, name+"dst_stride", d.DstStride)
		s.value(c, name+"src_stride", d.SrcStride)
		s.value(c, name+"reps", d.Reps)
	}
	c.busy = true
	st := s.streams[stream]
	if st.waiting = append(st.waiting, c); len(st.waiting) == 1 {
		s.next(stream)
	}
}

// next reads next_id for the transfer of a stream that is next. While the stream asks a
// question and its queue is full that launches nothing, and is done again when it was looked
// at.
func (s *registers) next(stream int) {
	st := s.streams[stream]
	c := st.waiting[0]
	s.read(c, "next_id", stream, func(id uint64) {
		if id == 0 {
			st.refused, st.rest = true, 0
			return
		}
		c.busy = false
		st.ids, st.waiting = append(st.ids, id), st.waiting[1:]
		if len(st.waiting) > 0 {
			s.next(stream)
		}
	})
}

// Edge looks at the buses, and at streams from time to time.
func (s *registers) Edge() error {
	for _, c := range s.cores {
		if err := c.port.Edge(); err != nil {
			return err
		}
	}
	for i, st := range s.streams {
		if st.rest--; st.rest > 0 || st.polls || st.question != nil || st.ended == len(st.ids) {
			continue
		}
		if n := slices.IndexFunc(s.cores, func(c *core) bool { return c.port.Open() == 0 }); n >= 0 {
			st.polls = true
			s.look(i, s.cores[n])
		}
	}
	return s.err
}

// look reads what a stream has done.
func (s *registers) look(stream int, c *core) {
	st := s.streams[stream]
	s.read(c, "done_id", stream, func(done uint64) {
		st.ended = endedBy(done, st.ids, st.ended, s.c.TransferIDBits)
		if !s.c.Backend.ErrorHandling {
			s.looked(stream)
			return
		}
		s.read(c, "error_info", stream, func(info uint64) {
			if s.field("error_info", "awaits", info) == 0 {
				s.looked(stream)
				return
			}
			s.asked(stream, c, &Question{Type: s.field("error_info", "err_type", info), Cause: s.field("error_info", "cause", info)})
		})
	})
}

// looked ends a look at a stream, which waits for nothing.
func (s *registers) looked(stream int) {
	st := s.streams[stream]
	if st.polls, st.rest = false, pollPause; st.refused {
		st.refused = false
		s.next(stream)
	}
}

// endedBy is how many transfers have ended when that with the number done has. Numbers
// have so many bits, and wrap.
func endedBy(done uint64, ids []uint64, ended, width int) int {
	for ended < len(ids) && (done-ids[ended])<<(64-width)>>63 == 0 {
		ended++
	}
	return ended
}

// asked reads the rest of a question. What it is about has not ended, and all before it has.
func (s *registers) asked(stream int, c *core, q *Question) {
	st := s.streams[stream]
	id := uint64(0)
	s.read(c, "error_id", stream, func(v uint64) { id = v })
	if s.table["error_addr"].Name != "" {
		s.read(c, "error_addr", stream, func(v uint64) { q.Addr = v })
	} else {
		s.read(c, "error_addr_low", stream, func(v uint64) { q.Addr = v })
		s.read(c, "error_addr_high", stream, func(v uint64) { q.Addr |= v << 32 })
	}
	s.read(c, "done_id", stream, func(done uint64) {
		st.polls, st.rest, st.ended = false, 0, endedBy(done, st.ids, st.ended, s.c.TransferIDBits)
		q.Transfer = slices.Index(st.ids, id)
		switch {
		case q.Transfer < 0: // its launch is not answered yet
		case q.Transfer == st.ended:
			st.question = q
		case s.err == nil:
			s.err = fmt.Errorf("stream %d: error_id is %d, of transfer %d, while done_id is %d, so that transfer %d is the one that can have failed", stream, id, q.Transfer, done, st.ended)
		}
	})
}

// Question is what a stream waits to be told.
func (s *registers) Question(stream int) *Question { return s.streams[stream].question }

// Answer writes error_action at the first port that is free, or else will be.
func (s *registers) Answer(stream int, action job.Action) {
	st := s.streams[stream]
	c := s.cores[max(0, slices.IndexFunc(s.cores, func(c *core) bool { return c.port.Open() == 0 }))]
	st.question, st.polls = nil, true
	s.do(c, regbus.Access{Write: true, Addr: s.offset("error_action", stream), Data: uint64(action)}, func(uint64) { s.looked(stream) })
}
