// Package regbus drives register ports of APB4, AXI4-Lite and OBI from Go: accesses are
// queued and carried out over the bus, with pauses at random, and what comes back is
// held to the rules of the protocol. A bench calls [Port.Drive] before each step of its
// engine and [Port.Edge] after it.
package regbus

import (
	"fmt"
	"math/rand/v2"

	"github.com/millrace-hdl/millrace/hdl/sim"
)

// Access is a read or a write of a word.
type Access struct {
	Write bool
	Addr  uint64 // bytes
	Data  uint64 // of writes
	Strb  uint64 // of writes: one bit a byte
}

// Result is what an access brought.
type Result struct {
	Access
	Read uint64
	Err  bool
	// Offered, Accepted and Answered are the cycles in which the bus first carried the
	// request, took it, and answered; the first step is cycle 0.
	Offered, Accepted, Answered int
}

// Options shape a [Port].
type Options struct {
	// Idle is the percentage of the cycles in which nothing new begins, and in which an
	// answer is not taken where the bus lets it wait.
	Idle   int
	Seed   uint64
	RReady bool // OBI: the port has rready
	// Accepted, where it is not nil, is told of every access in the order in which the bus
	// takes them. On AXI4-Lite reads and writes may pass each other.
	Accepted func(Access)
}

// Port drives one register port.
type Port struct {
	pins
	o     Options
	rng   *rand.Rand
	bus   protocol
	queue []*job
	cycle int
	open  int // accesses without their answer
}

// job is an access under way.
type job struct {
	Result
	then func(Result)
	id   uint64
}

// protocol is the part of a port that knows the bus.
type protocol interface {
	drive()
	edge() error
	finish() error
}

// New is a port of the engine whose signals begin with the prefix, such as s_apb_. The
// bus is apb, axi_lite or obi.
func New(e sim.Engine, bus, prefix string, o Options) (*Port, error) {
	p := &Port{pins: pins{e: e, prefix: prefix}, o: o, rng: rand.New(rand.NewPCG(o.Seed, 0xb05))}
	switch bus {
	case "apb":
		p.bus = newAPB(p)
	case "axi_lite":
		p.bus = newLite(p)
	case "obi":
		p.bus = newOBI(p)
	default:
		return nil, fmt.Errorf("register bus %q; choose from apb, axi_lite and obi", bus)
	}
	return p, p.err
}

// Do queues an access. Then, where it is not nil, is called with the result.
func (p *Port) Do(a Access, then func(Result)) {
	p.open++
	p.queue = append(p.queue, &job{Result: Result{Access: a}, then: then})
}

// Open is the number of accesses that were queued and have not been answered.
func (p *Port) Open() int { return p.open }

// Drive sets the bus for the next step.
func (p *Port) Drive() { p.bus.drive() }

// Edge looks at the bus after a step. The error is a breach of the protocol by the
// engine.
func (p *Port) Edge() error {
	err := p.bus.edge()
	p.cycle++
	if err == nil {
		err = p.err
	}
	return err
}

// Finish requires that every access was answered.
func (p *Port) Finish() error {
	if p.open > 0 {
		return fmt.Errorf("%s: %d accesses were not answered", p.prefix, p.open)
	}
	return p.bus.finish()
}

func (p *Port) pauses() bool { return p.o.Idle > 0 && p.rng.IntN(100) < p.o.Idle }

// next takes the oldest access from the queue, nil if there is none or a pause.
func (p *Port) next() *job {
	if len(p.queue) == 0 || p.pauses() {
		return nil
	}
	j := p.queue[0]
	p.queue = p.queue[1:]
	j.Offered = p.cycle
	return j
}

func (p *Port) accepted(j *job) {
	j.Accepted = p.cycle
	if p.o.Accepted != nil {
		p.o.Accepted(j.Access)
	}
}

func (p *Port) answered(j *job, data uint64, err bool) {
	p.open--
	j.Read, j.Err, j.Answered = data, err, p.cycle
	if j.then != nil {
		j.then(j.Result)
	}
}

// pins are the signals of a bus by name. The first name that the engine does not have
// is kept as an error.
type pins struct {
	e      sim.Engine
	prefix string
	err    error
}

func (p *pins) find(name string) (sim.Port, bool) {
	port, err := p.e.Layout().Port(p.prefix + name)
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("register port: %w", err)
	}
	return port, err == nil
}

func (p *pins) set(name string, v uint64) {
	if port, ok := p.find(name); ok {
		p.e.In()[port.Offset] = v & (^uint64(0) >> (64 - port.Type.Width))
	}
}

func (p *pins) setBool(name string, b bool) {
	v := uint64(0)
	if b {
		v = 1
	}
	p.set(name, v)
}

func (p *pins) get(name string) uint64 {
	port, ok := p.find(name)
	switch {
	case !ok:
		return 0
	case port.Input:
		return p.e.In()[port.Offset]
	}
	return p.e.Out()[port.Offset]
}

func (p *pins) on(name string) bool { return p.get(name) == 1 }
