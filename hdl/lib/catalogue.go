package lib

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Entry is a module of the library in a list of all.
type Entry struct {
	Name       string // as in lib.Name
	Summary    string // what it does
	Latency    string // cycles from input to output
	Throughput string // elements a cycle
	// Defaults returns a pointer to fresh parameters of a typical configuration.
	Defaults func() any
	// Check says what is out of range in parameters that Defaults returned.
	Check func(params any) error
	// Elaborate builds the module for them as the top of a design.
	Elaborate func(params any) (*ir.Design, error)
}

func entry[P hdl.Validator, IO any](name, summary, latency, throughput string, build hdl.Build[P, IO], defaults P) Entry {
	return Entry{
		Name: name, Summary: summary, Latency: latency, Throughput: throughput,
		Defaults:  func() any { p := defaults; return &p },
		Check:     func(p any) error { return (*p.(*P)).Validate() },
		Elaborate: func(p any) (*ir.Design, error) { return hdl.Elaborate(build, *p.(*P)) },
	}
}

// Catalogue is every module of the library, in the order of the documentation.
func Catalogue() []Entry {
	return []Entry{
		entry("fifo", "queue of registers or memory, with block memory, or falling through when empty", "1; 2 with Block, 0 with FallThrough", "1", FIFO, FIFOParams{Width: 32, Depth: 8}),
		entry("spill", "register that interrupts valid, ready or both paths of a stream", "1; 0 where only ready is cut", "1", Spill, SpillParams{Width: 32}),
		entry("stream_fork", "gives each element to several outputs, once, each when it is ready", "0", "1", StreamFork, ForkParams{Width: 32, Outputs: 2}),
		entry("stream_join", "pairs the elements of two streams", "0", "1", StreamJoin, JoinParams{Left: 16, Right: 16}),
		entry("stream_mux", "passes the stream that an input names", "0", "1", StreamMux, MuxParams{Width: 32, Inputs: 4}),
		entry("stream_demux", "passes a stream to the output that an input names", "0", "1", StreamDemux, DemuxParams{Width: 32, Outputs: 4}),
		entry("stream_arbiter", "merges streams, fairly or by priority, by elements or by packets", "0", "1", StreamArbiter, ArbiterParams{Width: 32, Inputs: 4}),
		entry("credits", "counts the free places of a receiver on the sender's side", "1", "1", Credits, CreditParams{Credits: 8}),
		entry("counter", "counts up and down between limits, wraps or stays, can be loaded", "1", "1", Counter, CounterParams{Max: 99}),
		entry("async_fifo", "queue between two clock domains, with Gray pointers", "stages + 1, in cycles of the taking side", "1", AsyncFIFO, AsyncFIFOParams{Width: 32, Depth: 8}),
		entry("word_sync", "brings words into another clock domain by a handshake", "stages + 1", "a word each round trip", WordSync, WordSyncParams{Width: 32}),
		entry("pulse_sync", "brings pulses into another clock domain", "stages + 1", "a pulse each round trip", PulseSync, PulseSyncParams{}),
		entry("reset_sync", "asserts a reset at once and releases it with the clock", "0 to assert, stages to release", "", ResetSync, ResetSyncParams{}),
		entry("crc_stream", "computes a CRC of any polynomial over packets of words", "1", "1", CRCStream, CRCParams{CRC: CRC32IEEE(), Data: 32}),
		entry("lfsr", "maximal pseudorandom sequence, by the form of Fibonacci or of Galois", "1", "1", LFSR, LFSRParams{Width: 32}),
		entry("single_port_ram", "memory of one port that reads or writes", "1; 2 with Register", "1", SinglePortRAM, RAMParams{Width: 32, Depth: 256}),
		entry("simple_dual_port_ram", "memory of a port that writes and one that reads", "1; 2 with Register", "1", SimpleDualPortRAM, RAMParams{Width: 32, Depth: 256}),
		entry("true_dual_port_ram", "memory of two ports that read or write, of one clock or two", "1; 2 with Register", "1 each", TrueDualPortRAM, RAMParams{Width: 32, Depth: 16}),
	}
}
