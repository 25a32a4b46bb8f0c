package software

import (
	"fmt"
	"math/bits"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/regs"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/regbus"
)

// registers is software for a register front-end, on its first port and stream.
type registers struct {
	c     frontend.Config
	table map[string]regs.Register
	port  *regbus.Port
	holds map[uint64]uint64 // what registers hold, by offset
	ids   []uint64          // of launched transfers
	ended int
	rest  int // cycles until done_id is read again
	err   error
}

// pollPause is how many cycles software does something else between two looks.
const pollPause = 4

func newRegisters(e sim.Engine, c frontend.Config, seed uint64) (*registers, error) {
	name := [...]string{frontend.APB: "s_apb", frontend.AXILite: "s_axil", frontend.OBI: "s_obi"}[c.Bus]
	if c.Ports > 1 {
		name += "0"
	}
	port, err := regbus.New(e, c.Bus.String(), name+"_", regbus.Options{Seed: seed})
	if err != nil {
		return nil, err
	}
	s := &registers{c: c, table: map[string]regs.Register{}, port: port, holds: map[uint64]uint64{}}
	for _, r := range c.Map().Registers {
		s.table[r.Name] = r
	}
	return s, nil
}

func (s *registers) Check(j *job.Job) *job.Error { return onlyINCR(j) }
func (s *registers) Idle() bool                  { return s.port.Open() == 0 }
func (s *registers) Ended() int                  { return s.ended }
func (s *registers) Drive()                      { s.port.Drive() }
func (s *registers) Finish() error               { return s.port.Finish() }

// write sets a register, if it does not hold the value already.
func (s *registers) write(name string, v uint64) {
	at := s.table[name].Offset
	if held, known := s.holds[at]; known && held == v {
		return
	}
	s.holds[at] = v
	s.port.Do(regbus.Access{Write: true, Addr: at, Data: v, Strb: 15}, func(r regbus.Result) { s.failed(r) })
}

// value sets a value of one register, or of two in wide layouts.
func (s *registers) value(name string, v uint64) {
	if _, one := s.table[name]; one {
		s.write(name, v&(1<<32-1))
		return
	}
	s.write(name+"_low", v&(1<<32-1))
	s.write(name+"_high", v>>32)
}

// fields sets a register from its fields.
func (s *registers) fields(name string, values map[string]uint64) {
	r, has := s.table[name]
	if !has {
		return
	}
	v := uint64(0)
	for _, f := range r.Fields {
		v |= values[f.Name] << f.Lo
	}
	s.write(name, v)
}

func (s *registers) failed(r regbus.Result) {
	if r.Err && s.err == nil {
		s.err = fmt.Errorf("the access to register %#x was answered with an error", r.Addr)
	}
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

// Launch writes what is new, and reads next_id.
func (s *registers) Launch(j *job.Job) {
	srcReduce, srcLen := limit(&j.Src)
	dstReduce, dstLen := limit(&j.Dst)
	s.fields("conf", map[string]uint64{
		"decouple_aw": bit(j.DecoupleAW), "decouple_rw": bit(j.DecoupleRW),
		"src_reduce_len": srcReduce, "src_max_llen": srcLen, "dst_reduce_len": dstReduce, "dst_max_llen": dstLen,
		"enable_nd": uint64(len(j.Dims)), "src_protocol": uint64(j.Src.Protocol), "dst_protocol": uint64(j.Dst.Protocol),
	})
	s.fields("options", map[string]uint64{"src_head": uint64(j.Src.Head), "dst_head": uint64(j.Dst.Head), "init_mode": uint64(j.Src.Mode)})
	s.value("dst_addr", j.Dst.Addr)
	s.value("src_addr", j.Src.Addr)
	s.value("length", j.Length)
	for i, d := range j.Dims {
		name := fmt.Sprintf("dim%d_", i)
		s.value(name+"dst_stride", d.DstStride)
		s.value(name+"src_stride", d.SrcStride)
		s.value(name+"reps", d.Reps)
	}
	s.port.Do(regbus.Access{Addr: s.table["next_id"].Offset, Strb: 15}, func(r regbus.Result) {
		s.failed(r)
		s.ids = append(s.ids, r.Read)
	})
}

// Edge looks at the bus, and reads done_id from time to time.
func (s *registers) Edge() error {
	if err := s.port.Edge(); err != nil {
		return err
	}
	if s.rest--; s.rest <= 0 && s.port.Open() == 0 && s.ended < len(s.ids) {
		s.port.Do(regbus.Access{Addr: s.table["done_id"].Offset, Strb: 15}, func(r regbus.Result) {
			s.failed(r)
			for s.ended < len(s.ids) && (r.Read-s.ids[s.ended])<<(64-s.c.TransferIDBits)>>63 == 0 {
				s.ended++
			}
			s.rest = pollPause
		})
	}
	return s.err
}
