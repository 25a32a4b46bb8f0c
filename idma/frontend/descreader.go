package frontend

import (
	"math/bits"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// Layout of a descriptor (specification §4.2), in bits.
const (
	descBytes = 32
	descBits  = 8 * descBytes
	atLength  = 0
	atFlags   = 32
	atNext    = 64
	atSource  = 128
	atDest    = 192
)

// place is the address of a descriptor, in bytes.
type place struct{ Addr hdl.Var }

// reading is what is common to the readers of descriptors: addresses in, descriptors
// out in their order. Descriptors cannot be held up.
type reading struct {
	Fetch  hdl.Stream[place] `hdl:"in"`
	Came   hdl.Var           // a descriptor is here in this cycle
	Desc   hdl.Var
	Failed hdl.Var // with Came: the bus had an error
	Begun  hdl.Var // the first words of a descriptor are here
}

func (c DescConfig) readingType() reading {
	return reading{hdl.StreamOf(place{hdl.U(c.Backend.AddrWidth)}), hdl.Bool(), hdl.U(descBits), hdl.Bool(), hdl.Bool()}
}

func (c DescConfig) lanes() int { return c.FetchWidth / 8 }

// words is how many bus words a descriptor takes.
func (c DescConfig) words() int { return max(descBytes/c.lanes(), 1) }

// gather puts the words of a descriptor together, the first one lowest.
func gather(m *hdl.Module, c DescConfig, io reading, valid, word, failed hdl.Signal) {
	n := c.words()
	if n == 1 {
		io.Came.Set(valid)
		io.Desc.Set(word)
		io.Failed.Set(failed)
		io.Begun.Set(hdl.K(0))
		return
	}
	count := m.Reg("count_q", hdl.U(hdl.AddrBits(n)), hdl.Doc("Words of the descriptor that are here."))
	io.Begun.Set(count.Any())
	kept := m.Reg("words_q", hdl.U(descBits-c.FetchWidth), hdl.NoReset())
	bad := m.Reg("failed_q", hdl.Bool(), hdl.Doc("One of them came with an error."))
	last := m.Let("last", count.Eq(hdl.K(n-1)))
	m.If(valid, func() {
		count.Set(count.Add(hdl.K(1))) // n is a power of two
		kept.Set(hdl.Cat(word, kept).Bits(descBits-1, c.FetchWidth))
		bad.Set(last.Not().And(bad.Or(failed)))
	})
	io.Came.Set(valid.And(last))
	io.Desc.Set(hdl.Cat(word, kept))
	io.Failed.Set(failed.Or(bad))
}

type axi4ReaderIO struct {
	Side reading `hdl:"name="`
	Bus  bus.AXI4Reads
}

func (c DescConfig) axi4() bus.AXI4 {
	return bus.NewAXI4(bus.AXI4Params{DataWidth: c.FetchWidth, AddrWidth: c.Backend.AddrWidth, IDWidth: c.FetchIDWidth, UserWidth: 1})
}

// axi4Address is a request for so many beats of 2^size bytes.
func (c DescConfig) axi4Address(addr hdl.Var, beats, size int) bus.AXI4Addr {
	return bus.AXI4Addr{
		ID: zero(c.FetchIDWidth), Addr: addr, Len: hdl.V(hdl.Const(8, uint64(beats-1))), Size: hdl.V(hdl.Const(3, uint64(size))),
		Burst: hdl.V(hdl.Const(2, bus.BurstINCR)), Lock: zero(1), Cache: hdl.V(hdl.Const(4, modifiable)), Prot: zero(3), QoS: zero(4), Region: zero(4), User: zero(1),
	}
}

// descReadAXI4 fetches each descriptor as one INCR burst.
func descReadAXI4(m *hdl.Module, c DescConfig) axi4ReaderIO {
	m.Doc("Fetches descriptors over AXI4, a burst each.")
	io := hdl.Ports(m, "", hdl.Source, axi4ReaderIO{c.readingType(), c.axi4().AXI4Reads}, hdl.MayBeUnused())
	size := bits.TrailingZeros(uint(min(c.lanes(), descBytes)))
	io.Bus.AR.Valid.Set(io.Side.Fetch.Valid)
	hdl.Assign(io.Bus.AR.Data, c.axi4Address(io.Side.Fetch.Data.Addr, c.words(), size))
	word := io.Bus.R.Data.Data.Signal
	if c.lanes() <= descBytes {
		io.Side.Fetch.Ready.Set(io.Bus.AR.Ready)
	} else {
		top := bits.TrailingZeros(uint(c.lanes())) - 1
		lane := hdl.Wires(m, "lane", hdl.StreamOf(lib.Word{Data: hdl.U(top - 4)}), hdl.MayBeUnused())
		lane.Valid.Set(io.Side.Fetch.Fire())
		lane.Data.Data.Set(io.Side.Fetch.Data.Addr.Bits(top, 5))
		m.Note("No more descriptors are on their way than there are places for their lanes.")
		lanes, _ := lib.Queue(m, "u_lanes", lib.FIFOParams{Depth: c.fetches()}, lane)
		lanes.Ready.Set(io.Bus.R.Valid)
		word = word.Lane(lanes.Data.Data, descBits)
		io.Side.Fetch.Ready.Set(io.Bus.AR.Ready)
	}
	io.Bus.R.Ready.Set(hdl.K(1))
	gather(m, c, io.Side, io.Bus.R.Valid.Signal, word, io.Bus.R.Data.Resp.Bit(1))
	return io
}

// words offers the words of a descriptor one by one: valid, address, and the handshake
// of the last one.
func wordwise(m *hdl.Module, c DescConfig, fetch hdl.Stream[place], words int, taken hdl.Signal) (addr hdl.Signal) {
	low := bits.TrailingZeros(uint(c.lanes()))
	if words == 1 {
		fetch.Ready.Set(taken)
		return fetch.Data.Addr.Signal
	}
	n := m.Reg("word_q", hdl.U(hdl.AddrBits(words)), hdl.Doc("Word that is asked for."))
	m.If(taken, func() { n.Set(n.Add(hdl.K(1))) })
	fetch.Ready.Set(taken.And(n.All()))
	top := low + hdl.AddrBits(words)
	return hdl.Cat(fetch.Data.Addr.Bits(c.Backend.AddrWidth-1, top), n, hdl.Const(low, 0))
}

type liteReaderIO struct {
	Side reading `hdl:"name="`
	Bus  bus.AXILiteReads
}

func (c DescConfig) lite() bus.AXILite {
	return bus.NewAXILite(bus.AXILiteParams{DataWidth: c.FetchWidth, AddrWidth: c.Backend.AddrWidth})
}

// descReadLite fetches descriptors word by word.
func descReadLite(m *hdl.Module, c DescConfig) liteReaderIO {
	m.Doc("Fetches descriptors over AXI4-Lite, word by word.")
	io := hdl.Ports(m, "", hdl.Source, liteReaderIO{c.readingType(), c.lite().AXILiteReads}, hdl.MayBeUnused())
	io.Bus.AR.Valid.Set(io.Side.Fetch.Valid)
	io.Bus.AR.Data.Addr.Set(wordwise(m, c, io.Side.Fetch, c.words(), io.Bus.AR.Valid.And(io.Bus.AR.Ready)))
	io.Bus.AR.Data.Prot.Set(hdl.K(0))
	io.Bus.R.Ready.Set(hdl.K(1))
	gather(m, c, io.Side, io.Bus.R.Valid.Signal, io.Bus.R.Data.Data.Signal, io.Bus.R.Data.Resp.Bit(1))
	return io
}

type obiReaderIO struct {
	Side reading `hdl:"name="`
	Bus  bus.OBI
}

func (c DescConfig) obi() bus.OBI {
	return bus.NewOBI(bus.OBIParams{DataWidth: c.FetchWidth, AddrWidth: c.Backend.AddrWidth, IDWidth: c.FetchIDWidth})
}

// descReadOBI fetches descriptors word by word.
func descReadOBI(m *hdl.Module, c DescConfig) obiReaderIO {
	m.Doc("Fetches descriptors over OBI, word by word.")
	io := hdl.Ports(m, "", hdl.Source, obiReaderIO{c.readingType(), c.obi()}, hdl.MayBeUnused())
	io.Bus.Req.Set(io.Side.Fetch.Valid)
	hdl.Assign(io.Bus.A, bus.OBIAddr{
		Addr: hdl.V(wordwise(m, c, io.Side.Fetch, c.words(), io.Bus.Req.And(io.Bus.Gnt))), WE: zero(1), BE: hdl.V(hdl.Ones(c.lanes())),
		WData: zero(c.FetchWidth), AID: zero(c.FetchIDWidth),
	})
	gather(m, c, io.Side, io.Bus.RValid.Signal, io.Bus.R.RData.Signal, io.Bus.R.Err.Signal)
	return io
}
