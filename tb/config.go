package tb

import (
	"fmt"

	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/software"
)

// Sharing says whether reads see writes.
type Sharing uint8

const (
	// Shared is one memory behind both sides of the bus.
	Shared Sharing = iota
	// Separate is a memory to read and another to write, in one address space:
	// what is read never depends on what was written before.
	Separate
	// PerPort is a memory of its own for each port and direction: what goes to the wrong
	// port is found.
	PerPort
)

// Launch says when the next request is offered.
type Launch uint8

const (
	// WaitOnOverlap offers each request as soon as no transfer still running
	// writes what it reads or reads what it writes.
	WaitOnOverlap Launch = iota
	// BackToBack never waits. With Shared memory, a list that would need to wait is
	// refused, since its result would depend on timing.
	BackToBack
)

// RunConfig is how a list is run. Its zero value is one shared memory with
// latencies of one cycle, no stalls and no faults.
type RunConfig struct {
	ReadLatency  int // cycles, see mem.Config; 0 for 1
	WriteLatency int // cycles; 0 for 1
	Outstanding  int // bursts that the memory holds in each direction; 0 for mem.DefaultOutstanding
	Stalls       mem.Stalls
	ReadsFirst   bool // the memory refuses writes while a read is pending
	WriteOrder   mem.WriteOrder
	RspStall     int // percent of cycles in which the response is not taken
	ReqGap       int // percent of cycles in which the next request is not offered yet
	Seed         uint64
	Memory       Sharing
	Launch       Launch
	Faults       []mem.Fault
	NullBytes    int  // percent of the bytes of beats of stream sources that are null bytes
	Errors       bool // the engine tells of bus errors beside the response; one with an action port always does

	// ActionStall is in percent of cycles in which the action that an engine with an
	// error handler waits for is not offered yet.
	ActionStall int

	// Software, if set, says that the engine is a whole one, and which front-end launches its
	// transfers. These may have dimensions then, and go to streams.
	Software *software.Target

	// Compute is the operations of a back-end that has some, which transfers may then use.
	Compute compute.Set

	// Guard is how many bytes around each destination hold canaries; 0 for twice
	// the bus width, at least 16.
	Guard int
	// Watchdog is how many cycles may pass without a transfer on any channel; 0
	// for 1000 and some more for long latencies and heavy stalls.
	Watchdog int
	// MaxCycles ends a run that stays busy without ending; 0 for many times what
	// the list needs.
	MaxCycles uint64
	// ReadyCheck is how often, once in so many cycles on average, VALID is checked
	// not to depend on READY; 0 for 64, negative for never.
	ReadyCheck int
	// IgnoreBusy leaves the busy word unchecked.
	IgnoreBusy bool
	// Keep is how many findings of each kind are kept as text; 0 for 20.
	Keep int
	// Progress, if set, is called now and then.
	Progress func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	Done, Total int // transfers
	Cycles      uint64
}

// complete checks the configuration and fills in defaults.
func (c RunConfig) complete(bytes int) (RunConfig, error) {
	orDefault := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	orDefault(&c.ReadLatency, 1)
	orDefault(&c.WriteLatency, 1)
	orDefault(&c.Guard, max(16, 2*bytes))
	orDefault(&c.ReadyCheck, 64)
	orDefault(&c.Keep, 20)
	for _, f := range []struct {
		name      string
		v, lo, hi int
	}{
		{"response stalls", c.RspStall, 0, 99}, {"request gaps", c.ReqGap, 0, 99}, {"action stalls", c.ActionStall, 0, 99},
		{"null bytes", c.NullBytes, 0, 90},
		{"guard bytes", c.Guard, 0, 1 << 16}, {"watchdog", c.Watchdog, 0, 1 << 30}, {"findings kept", c.Keep, 1, 1 << 20},
	} {
		if f.v < f.lo || f.v > f.hi {
			return c, fmt.Errorf("run: %s is %d; %d…%d", f.name, f.v, f.lo, f.hi)
		}
	}
	m := c.memory(bytes)
	if err := m.Validate(); err != nil {
		return c, err
	}
	orDefault(&c.Watchdog, 1000+40*(c.ReadLatency+c.WriteLatency)*100/(100-c.worstStall()))
	return c, nil
}

// worstStall is the highest stall percentage of any channel.
func (c *RunConfig) worstStall() int {
	s := c.Stalls
	return max(s.AR, s.R, s.AW, s.W, s.B, c.RspStall, c.ReqGap, c.ActionStall)
}

// maxCycles is a bound that no sound run comes near.
func (c *RunConfig) maxCycles(list *job.List, bytes int) uint64 {
	if c.MaxCycles > 0 {
		return c.MaxCycles
	}
	var n uint64
	for i := range list.Jobs {
		length := max(list.Jobs[i].Length, list.Jobs[i].Writes())
		n += 256 + 8*(length/uint64(bytes)) + 8*uint64(c.ReadLatency+c.WriteLatency)
		if b := uint64(min(list.Jobs[i].Src.Beats(), list.Jobs[i].Dst.Beats()) * bytes); b > 0 {
			n += length / b * uint64(c.ReadLatency+c.WriteLatency+8) * 4
		}
	}
	return 100_000 + n*100/uint64(100-c.worstStall())*100/uint64(100-c.NullBytes)*4
}

func (c *RunConfig) memory(bytes int) mem.Config {
	return mem.Config{
		Bytes: bytes, ReadLatency: c.ReadLatency, WriteLatency: c.WriteLatency,
		Reads: c.Outstanding, Writes: c.Outstanding, Stalls: c.Stalls, ReadsFirst: c.ReadsFirst, WriteOrder: c.WriteOrder, Seed: c.Seed, Faults: c.Faults,
	}
}
