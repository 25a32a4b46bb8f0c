package software

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/regbus"
)

// descriptors is software for desc_64: each transfer is a chain of its own, its
// descriptor behind that of the one before.
type descriptors struct {
	silent
	c      frontend.DescConfig
	memory *mem.Store
	port   *regbus.Port
	places []uint64 // of descriptors whose chain was launched
	next   uint64   // place of the next one
	ended  int
	err    error
}

const (
	firstDescriptor = 0x1000
	descriptorBytes = 32
	lastOfChain     = ^uint64(0)
	marked          = ^uint64(0) // what an ended transfer leaves in the first eight bytes
)

func newDescriptors(e sim.Engine, c frontend.DescConfig, memory *mem.Store, seed uint64) (*descriptors, error) {
	name := [...]string{frontend.APB: "s_apb_", frontend.AXILite: "s_axil_", frontend.OBI: "s_obi_"}[c.Bus]
	port, err := regbus.New(e, c.Bus.String(), name, regbus.Options{Seed: seed})
	return &descriptors{c: c, memory: memory, port: port, next: firstDescriptor}, err
}

// Check: descriptors know burst types and caches of both sides, one limit to single beats,
// and no protocols.
func (s *descriptors) Check(j *job.Job) *job.Error {
	if e := only("src", &j.Src, firstOf(s.c.Backend.ReadProtocols)); e != nil {
		return e
	}
	if e := only("dst", &j.Dst, firstOf(s.c.Backend.WriteProtocols)); e != nil {
		return e
	}
	switch {
	case j.Src.MaxBeats != j.Dst.MaxBeats || j.Src.MaxBeats != job.NoBeatLimit && j.Src.MaxBeats != 1:
		return refuse("src_max_beats", j.Src.MaxBeats, fmt.Sprintf("1 or %d on both sides with descriptors", job.NoBeatLimit))
	case j.Src.Lock || j.Dst.Lock:
		return refuse("src_lock", true, "false with descriptors")
	case j.Length>>32 != 0:
		return refuse("length", j.Length, "at most 4294967295 with descriptors")
	}
	return nil
}

// firstOf is the protocol with the lowest number.
func firstOf(set backend.PortSet) backend.Protocol {
	for p, n := range set {
		if n > 0 {
			return backend.Protocol(p)
		}
	}
	return backend.AXI4
}

func (s *descriptors) Idle() bool    { return s.port.Open() == 0 }
func (s *descriptors) Ended(int) int { return s.ended }
func (s *descriptors) Drive()        { s.port.Drive() }
func (s *descriptors) Finish() error { return s.port.Finish() }

// Launch puts the descriptor into memory and writes its address.
func (s *descriptors) Launch(j *job.Job, _ int) {
	flags := uint64(j.Src.Burst)<<1 | uint64(j.Dst.Burst)<<3 | bit(j.DecoupleRW)<<5 | bit(j.DecoupleAW)<<6 |
		bit(j.Src.MaxBeats == 1)<<7 | uint64(j.Src.Cache)<<8 | uint64(j.Dst.Cache)<<12
	at := s.next
	s.next += descriptorBytes
	for i, w := range []uint64{j.Length | flags<<32, lastOfChain, j.Src.Addr, j.Dst.Addr} {
		s.memory.WriteWord(at+8*uint64(i), w, 0xff)
	}
	then := func(r regbus.Result) {
		if r.Err && s.err == nil {
			s.err = fmt.Errorf("the access to register %#x was answered with an error", r.Addr)
		}
	}
	if s.c.RegWidth == 64 {
		s.port.Do(regbus.Access{Write: true, Data: at, Strb: 0xff}, then)
	} else {
		s.port.Do(regbus.Access{Write: true, Data: at & (1<<32 - 1), Strb: 15}, then)
		s.port.Do(regbus.Access{Write: true, Addr: 4, Data: at >> 32, Strb: 15}, then)
	}
	s.places = append(s.places, at)
}

// Edge looks at the bus and for marks in memory.
func (s *descriptors) Edge() error {
	for s.ended < len(s.places) && s.memory.ReadWord(s.places[s.ended]) == marked {
		s.ended++
	}
	if err := s.port.Edge(); err != nil {
		return err
	}
	return s.err
}
