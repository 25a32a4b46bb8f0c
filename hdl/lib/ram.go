package lib

import (
	"fmt"
	"hash/fnv"
	"math/big"
	"slices"

	"github.com/millrace-hdl/millrace/hdl"
)

// RAMParams are the parameters of [SinglePortRAM], [SimpleDualPortRAM] and
// [TrueDualPortRAM].
type RAMParams struct {
	Width int // bits of an element, at least 1
	Depth int // elements, at least 1
	Lane  int // bits that each bit of the mask of a write lets through, such as 8; 0: no mask
	// During is what is read of an element that the same edge writes through the same
	// port, or in [SimpleDualPortRAM] through the other one. Where the clocks differ
	// that is undefined.
	During hdl.ReadDuringWrite
	// KeepOnWrite lets a port that writes keep what it read before, in place of During.
	// Not for [SimpleDualPortRAM].
	KeepOnWrite bool
	Register    bool // one more register at the output: a cycle later, and a faster clock
	TwoClocks   bool // the second port has a clock of its own; not for [SinglePortRAM]
	// Style is "block", "distributed" or "registers", or empty to leave the choice to
	// the tool.
	Style string
	// Contents are the first elements before any write; those beyond are undefined.
	Contents []*big.Int
}

// Validate requires the bounds above.
func (p RAMParams) Validate() error {
	switch {
	case p.Width < 1 || p.Depth < 1:
		return fmt.Errorf("RAM of Depth %d and Width %d: both must be at least 1", p.Depth, p.Width)
	case p.Lane < 0 || p.Lane > 0 && p.Width%p.Lane != 0:
		return fmt.Errorf("RAM of Width %d with Lane %d: it must divide the width, or be 0 for no mask", p.Width, p.Lane)
	case p.During > hdl.Undefined:
		return fmt.Errorf("RAM with During %d: it must be OldData, NewData or Undefined", p.During)
	case !slices.Contains([]string{"", "block", "distributed", "registers"}, p.Style):
		return fmt.Errorf("RAM with Style %q: it must be block, distributed, registers or empty", p.Style)
	case len(p.Contents) > p.Depth:
		return fmt.Errorf("RAM of Depth %d with Contents for %d: there must be no more than elements", p.Depth, len(p.Contents))
	}
	return nil
}

// Suffix names the variant; contents are told apart by a hash.
func (p RAMParams) Suffix() string {
	s := fmt.Sprintf("%dx%d", p.Depth, p.Width)
	if p.Lane > 0 {
		s += fmt.Sprintf("_l%d", p.Lane)
	}
	if p.KeepOnWrite {
		s += "_keep"
	} else {
		s += "_" + [...]string{"old", "new", "any"}[min(p.During, hdl.Undefined)]
	}
	if p.Register {
		s += "_reg"
	}
	if p.TwoClocks {
		s += "_2clk"
	}
	if p.Style != "" {
		s += "_" + p.Style
	}
	if len(p.Contents) > 0 {
		h := fnv.New32a()
		fmt.Fprint(h, p.Contents)
		s += fmt.Sprintf("_c%08x", h.Sum32())
	}
	return s
}

// latency is in words how long a read takes.
func (p RAMParams) latency() string {
	if p.Register {
		return "two cycles"
	}
	return "one cycle"
}

// RAMPort is a port that reads and writes, seen by the one who uses it.
type RAMPort struct {
	En    hdl.Var   // use the port in this cycle
	We    hdl.Var   // and write
	Addr  hdl.Var   // an element; beyond the last one nothing is written and 0 is read
	Wdata hdl.Var   // what is written
	Mask  []hdl.Var `hdl:"opt"` // a bit for each lane; only with Lane
	Rdata hdl.Var   `hdl:"in"`  // what an earlier cycle has read
}

// RAMWritePort is a port that writes, seen by the one who uses it.
type RAMWritePort struct {
	En   hdl.Var // write in this cycle
	Addr hdl.Var
	Data hdl.Var
	Mask []hdl.Var `hdl:"opt"` // a bit for each lane; only with Lane
}

// RAMReadPort is a port that reads, seen by the one who uses it.
type RAMReadPort struct {
	En   hdl.Var // read in this cycle; else Data stays
	Addr hdl.Var
	Data hdl.Var `hdl:"in"` // what an earlier cycle has read
}

func (p RAMParams) mask() []hdl.Var {
	if p.Lane == 0 {
		return nil
	}
	return []hdl.Var{hdl.U(p.Width / p.Lane)}
}

func (p RAMParams) address() hdl.Var { return hdl.U(hdl.AddrBits(p.Depth)) }

// port is the type of a port that reads and writes.
func (p RAMParams) port() RAMPort {
	return RAMPort{hdl.Bool(), hdl.Bool(), p.address(), hdl.U(p.Width), p.mask(), hdl.U(p.Width)}
}

func (p RAMParams) mem(m *hdl.Module) *hdl.Mem {
	opts := []hdl.Option{hdl.ContentsOf(p.Contents...)}
	if p.Style != "" {
		opts = append(opts, hdl.Style(p.Style))
	}
	return m.Mem("ram", hdl.U(p.Width), p.Depth, opts...)
}

// second is the clock domain of the second port, called name if it has its own.
func (p RAMParams) second(m *hdl.Module, name string) *hdl.Domain {
	if !p.TwoClocks {
		return m.DefaultDomain()
	}
	return m.Domain(name, hdl.WithoutReset())
}

// write makes a write port.
func (p RAMParams) write(m *hdl.Module, mem *hdl.Mem, w RAMWritePort, d *hdl.Domain) (port *hdl.WritePort) {
	m.If(w.En, func() {
		if p.Lane == 0 {
			port = mem.Write(w.Addr, w.Data, hdl.On(d))
		} else {
			port = mem.WriteMask(w.Addr, w.Data, w.Mask[0], hdl.On(d))
		}
	})
	return port
}

// read makes a read port with its output register.
func (p RAMParams) read(m *hdl.Module, mem *hdl.Mem, name string, r RAMReadPort, during hdl.ReadDuringWrite, d *hdl.Domain, opts ...hdl.Option) {
	opts = append(opts, hdl.On(d))
	if p.TwoClocks {
		opts = append(opts, hdl.Crosses("What is read while the other clock writes it is undefined, as the contract says."))
	}
	data := mem.SyncRead(name+"_q", r.Addr, r.En, during, opts...)
	if p.Register {
		data = m.RegNext(name+"_out_q", data, hdl.NoReset(), hdl.On(d))
	}
	r.Data.Set(data)
}

// writeSide and readSide are what a port does on either side.
func (a RAMPort) writeSide() RAMWritePort {
	return RAMWritePort{hdl.V(a.En.And(a.We)), a.Addr, a.Wdata, a.Mask}
}

func (a RAMPort) readSide(p RAMParams) RAMReadPort {
	en := a.En
	if p.KeepOnWrite {
		en = hdl.V(a.En.AndNot(a.We))
	}
	return RAMReadPort{en, a.Addr, a.Rdata}
}

// SinglePortRAM is a memory of one port, which in each cycle can read, and write the
// same element. What a cycle with En reads is at the output one cycle later, two
// with Register, and stays until the next one. There is no reset: outputs are
// undefined until something was read, and elements until they were written or by
// Contents. A block of iCE40 and ECP5 does it.
func SinglePortRAM(m *hdl.Module, p RAMParams) RAMPort {
	if p.TwoClocks {
		panic("a SinglePortRAM has TwoClocks, and no second port") // elaboration reports it
	}
	m.Doc(fmt.Sprintf("Memory of %d elements of %d bits with one port; reads take %s.", p.Depth, p.Width, p.latency()))
	a := hdl.Ports(m, "", hdl.Sink, p.port())
	mem := p.mem(m)
	p.write(m, mem, a.writeSide(), m.DefaultDomain())
	p.read(m, mem, "rdata", a.readSide(p), p.During, m.DefaultDomain())
	return a
}

// SimpleDualPortRAMIO is the interface of [SimpleDualPortRAM].
type SimpleDualPortRAMIO struct {
	W RAMWritePort `hdl:"in"`
	R RAMReadPort  `hdl:"in"`
}

// SimpleDualPortRAM is a memory of one port that writes and one that reads, which
// with TwoClocks has the clock r_clk. Times and undefined values are those of
// [SinglePortRAM]. A block of iCE40 and ECP5 does it, also with two clocks.
func SimpleDualPortRAM(m *hdl.Module, p RAMParams) SimpleDualPortRAMIO {
	if p.KeepOnWrite {
		panic("a SimpleDualPortRAM has KeepOnWrite, and no port that reads and writes") // elaboration reports it
	}
	m.Doc(fmt.Sprintf("Memory of %d elements of %d bits with a port that writes and one that reads; reads take %s.", p.Depth, p.Width, p.latency()))
	d := p.second(m, "r")
	io := SimpleDualPortRAMIO{
		W: hdl.Ports(m, "w", hdl.Sink, RAMWritePort{hdl.Bool(), p.address(), hdl.U(p.Width), p.mask()}),
		R: hdl.Ports(m, "r", hdl.Sink, RAMReadPort{hdl.Bool(), p.address(), hdl.U(p.Width)}, hdl.On(d)),
	}
	mem := p.mem(m)
	p.write(m, mem, io.W, m.DefaultDomain())
	p.read(m, mem, "r_data", io.R, p.During, d)
	return io
}

// TrueDualPortRAMIO is the interface of [TrueDualPortRAM].
type TrueDualPortRAMIO struct {
	A RAMPort `hdl:"in"`
	B RAMPort `hdl:"in"`
}

// TrueDualPortRAM is a memory of two ports that both read and write; with TwoClocks
// port b has the clock b_clk. Times and undefined values are those of
// [SinglePortRAM]. What one port reads of an element that the other writes at the
// same time is undefined, and both may not write one element at the same time. A
// block of ECP5 does it, also with two clocks; iCE40 has none.
func TrueDualPortRAM(m *hdl.Module, p RAMParams) TrueDualPortRAMIO {
	m.Doc(fmt.Sprintf("Memory of %d elements of %d bits with two ports that read and write; reads take %s.", p.Depth, p.Width, p.latency()))
	main, d := m.DefaultDomain(), p.second(m, "b")
	io := TrueDualPortRAMIO{
		A: hdl.Ports(m, "a", hdl.Sink, p.port()),
		B: hdl.Ports(m, "b", hdl.Sink, p.port(), hdl.On(d)),
	}
	mem := p.mem(m)
	a := p.write(m, mem, io.A.writeSide(), main)
	b := p.write(m, mem, io.B.writeSide(), d)
	p.read(m, mem, "a_rdata", io.A.readSide(p), p.During, main, hdl.During(b, hdl.Undefined))
	p.read(m, mem, "b_rdata", io.B.readSide(p), p.During, d, hdl.During(a, hdl.Undefined))
	if !p.TwoClocks {
		both := hdl.AllOf(io.A.En.Signal, io.A.We.Signal, io.B.En.Signal, io.B.We.Signal, io.A.Addr.Eq(io.B.Addr))
		m.Assume("one_writes_an_element", both.Not())
	}
	return io
}
