package frontend_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
)

// randomInstruction is a good one, mostly.
func randomInstruction(rng *rand.Rand, c frontend.InstConfig) instruction {
	op := frontend.Encode(uint32(rng.IntN(11)), rng.Uint32(), rng.Uint32(), rng.Uint32())
	switch rng.IntN(20) {
	case 0:
		op = rng.Uint32()
	case 1:
		op ^= 1 << rng.IntN(32)
	}
	i := instruction{op, rng.Uint32(), rng.Uint32(), rng.Uint32() & (1<<c.TagWidth - 1)}
	switch rng.IntN(3) {
	case 0: // into the window, or to its edges
		a := c.WindowStart + rng.Uint64N(c.WindowEnd-c.WindowStart+1)
		if rng.IntN(2) == 0 {
			a = []uint64{c.WindowStart - 1, c.WindowStart, c.WindowEnd - 1, c.WindowEnd}[rng.IntN(4)]
		}
		i.rs1, i.rs2 = uint32(a), uint32(a>>32)
	case 1:
		i.rs2 &= 31
	}
	return i
}

func randomInstructions(t *testing.T, e sim.Engine, c frontend.InstConfig, seed uint64, n, stall int) {
	t.Helper()
	b := newInstBench(t, e, c, seed, stall)
	for range n {
		b.todo = append(b.todo, randomInstruction(b.rng, c))
	}
	b.run()
}

// instSpread is configurations from all over the parameter space.
func instSpread() []frontend.InstConfig {
	return []frontend.InstConfig{
		editInst(), editInst(channelsOf(2)), editInst(channelsOf(8), func(c *frontend.InstConfig) { c.Queue, c.TagWidth = 1, 1 }),
		editInst(channelsOf(3), func(c *frontend.InstConfig) {
			c.Backend.AddrWidth, c.Backend.LengthWidth, c.RepsWidth, c.TransferIDBits = 32, 16, 5, 8
			c.Backend.UserWidth, c.Backend.Coupler = 40, true
			c.Backend.Outstanding = 2
		}),
		editInst(func(c *frontend.InstConfig) {
			c.Backend.ReadProtocols, c.Backend.WriteProtocols = backend.PortsOf(backend.AXI4), backend.PortsOf(backend.AXI4)
			c.Backend.Legalizer = false
		}),
		editInst(func(c *frontend.InstConfig) {
			c.Backend.AddrWidth, c.Queue = 64, 64
			c.Backend.ReadProtocols, c.Backend.WriteProtocols = backend.PortsOf(backend.OBI, backend.Init), backend.PortsOf(backend.AXI4, backend.AXI4, backend.OBI)
			c.WindowStart, c.WindowEnd = 0xfff, 0x1_0000_0000_1000
		}),
	}
}

func TestInstructionsMeanWhatTheySay(t *testing.T) {
	for i, c := range instSpread() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			d := elaborateInst(t, c)
			for seed := uint64(1); seed <= 6; seed++ {
				randomInstructions(t, model(t, d, seed), c, seed, 1500, []int{0, 20, 70}[seed%3])
			}
		})
	}
}

func TestInstructionsInLockstep(t *testing.T) {
	c := editInst(channelsOf(2))
	randomInstructions(t, both(t, elaborateInst(t, c), 9), c, 9, 1000, 30)
}

func TestToolsAcceptTheInstructionFrontEnd(t *testing.T) {
	for i, c := range instSpread() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			d := elaborateInst(t, c)
			files, err := gen.Emit(d, gen.Options{})
			require.NoError(t, err)
			dir := t.TempDir()
			require.NoError(t, gen.WriteDir(dir, files))
			for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, lint.All()) {
				require.NoError(t, r.Err, "%s: %s", r.Tool, r.Output)
				require.Empty(t, r.Output, r.Tool)
			}
		})
	}
}

// No request and no result depends on an input within a cycle.
func TestNoPathsThroughTheInstructionFrontEnd(t *testing.T) {
	for _, c := range instSpread() {
		paths, err := check.CombPaths(elaborateInst(t, c))
		require.NoError(t, err)
		for _, p := range paths {
			in, out := p.Input.Name, p.Output.Name
			require.True(t, out == "instr_ready" && len(in) > 6 && in[:6] == "instr_" || len(out) > 5 && out[:6] == "failed", "%s depends on %s", out, in)
		}
	}
}

// The encodings of the specification, §4.3.
func TestEncodings(t *testing.T) {
	for f, match := range map[uint32]uint32{
		frontend.DMSRC: 0x0000002b, frontend.DMDST: 0x0200002b, frontend.DMCPYI: 0x0400002b, frontend.DMCPY: 0x0600002b, frontend.DMSTATI: 0x0800002b,
		frontend.DMSTAT: 0x0a00002b, frontend.DMSTR: 0x0c00002b, frontend.DMREP: 0x0e00002b, frontend.DMUSER: 0x1000002b, frontend.DMINIT: 0x1200002b,
	} {
		require.Equal(t, match, frontend.Encode(f, 0, 0, 0))
		require.Equal(t, match|0x01f28480, frontend.Encode(f, 9, 5, 31))
	}
}

// plain is a sequence that launches a copy or a fill.
func plain(op uint32, length, settings uint32) instruction {
	return instruction{op: frontend.Encode(op, 1, 2, settings), rs1: length, rs2: settings}
}

// A linear copy is three instructions, its request is offered within three cycles of the
// first; one of two dimensions is six.
func TestLaunchLatency(t *testing.T) {
	for _, n := range []int{3, 6} {
		c := editInst()
		b := newInstBench(t, model(t, elaborateInst(t, c), 1), c, 1, 0)
		b.todo = []instruction{{op: frontend.Encode(frontend.DMSRC, 0, 1, 2), rs1: 0x100}, {op: frontend.Encode(frontend.DMDST, 0, 1, 2), rs1: 0x200}}
		if n == 6 {
			b.todo = append(b.todo, instruction{op: frontend.Encode(frontend.DMSTR, 0, 1, 2), rs1: 64, rs2: 32}, instruction{op: frontend.Encode(frontend.DMREP, 0, 1, 0), rs1: 4})
		}
		settings := uint32(0)
		if n == 6 {
			settings = 2
			b.todo = append(b.todo, instruction{op: frontend.Encode(frontend.DMUSER, 0, 1, 2)})
		}
		b.todo = append(b.todo, plain(frontend.DMCPYI, 16, settings))
		b.run()
		require.Len(t, b.took, n)
		require.Equal(t, n, b.offered-b.took[0], "cycles from the first instruction to the request")
		require.Equal(t, 1, b.offered-b.took[n-1])
	}
}

// hazard37: copies that wait behind an engine that takes nothing have numbers of their
// own.
func TestHazard37NumbersAreDistinctWhileQueued(t *testing.T) {
	c := editInst()
	b := newInstBench(t, model(t, elaborateInst(t, c), 1), c, 1, 0)
	b.blocked = true
	for range 3 {
		b.todo = append(b.todo, plain(frontend.DMCPYI, 8, 0))
	}
	b.todo = append(b.todo, plain(frontend.DMSTATI, 0, frontend.StatBlocks), plain(frontend.DMSTATI, 0, frontend.StatDone), plain(frontend.DMSTATI, 0, frontend.StatBusy))
	for range 12 {
		b.step()
	}
	require.Equal(t, []answer{{data: 2}, {data: 3}, {data: 4}, {data: 1}, {data: 1}, {data: 1}}, b.got)
	b.blocked = false
	b.run()
}

// hazard38: each channel has numbers of its own, and a copy returns that of its channel.
func TestHazard38ChannelsHaveTheirOwnNumbers(t *testing.T) {
	c := editInst(channelsOf(2))
	b := newInstBench(t, model(t, elaborateInst(t, c), 1), c, 1, 0)
	b.todo = []instruction{plain(frontend.DMCPYI, 8, 0), plain(frontend.DMCPYI, 8, 0), plain(frontend.DMCPYI, 8, 1<<2), plain(frontend.DMCPY, 8, 1<<2), plain(frontend.DMCPY, 8, 0)}
	b.run()
	require.Equal(t, []answer{{data: 2}, {data: 3}, {data: 2}, {data: 3}, {data: 4}}, b.got)
}

// hazard39: a fill leaves the source address for the copies after it.
func TestHazard39FillsKeepTheSource(t *testing.T) {
	c := editInst()
	b := newInstBench(t, model(t, elaborateInst(t, c), 1), c, 1, 0)
	b.blocked = true
	b.todo = []instruction{{op: frontend.Encode(frontend.DMSRC, 0, 1, 2), rs1: 0x1234}, plain(frontend.DMINIT, 8, frontend.FillOnes), plain(frontend.DMCPYI, 8, 0)}
	for range 8 {
		b.step()
	}
	require.Len(t, b.copies[0], 2)
	require.EqualValues(t, 0xffffffff, b.copies[0][0].src)
	require.EqualValues(t, 0x1234, b.copies[0][1].src)
	b.blocked = false
	b.run()
}

// hazard41: a copy has ended once the difference to the number that ended last is not
// negative, also where numbers wrap.
func TestHazard41WaitingWraps(t *testing.T) {
	c := editInst(func(c *frontend.InstConfig) { c.TransferIDBits = 8 })
	b := newInstBench(t, model(t, elaborateInst(t, c), 1), c, 1, 10)
	ended := func(done, id uint64) bool { return int8(uint8(done)-uint8(id)) >= 0 }
	last := uint64(1)
	for range 700 {
		b.todo = append(b.todo, plain(frontend.DMCPYI, 8, 0))
		n := len(b.got)
		for len(b.got) == n {
			b.step()
		}
		id := uint64(b.got[n].data)
		require.NotZero(t, id)
		require.NotEqual(t, last, id)
		last = id
		for i := 0; ; i++ {
			require.Less(t, i, 1000)
			inFlight := len(b.copies[0])+b.engine[0] > 0
			b.todo = append(b.todo, plain(frontend.DMSTATI, 0, frontend.StatDone))
			n := len(b.got)
			for len(b.got) == n {
				b.step()
			}
			if ended(uint64(b.got[n].data), id) {
				break
			}
			require.True(t, inFlight, "it has ended, and its number does not say so")
		}
		require.Zero(t, len(b.copies[0])+b.engine[0], "it has not ended")
	}
}

func TestInstConfigIsChecked(t *testing.T) {
	for _, c := range []struct {
		edit func(*frontend.InstConfig)
		want string
	}{
		{channelsOf(0), "Channels is 0; allowed: 1 to 8"},
		{channelsOf(9), "Channels is 9; allowed: 1 to 8"},
		{func(c *frontend.InstConfig) { c.Queue = 65 }, "Queue is 65; allowed: 1 to 64"},
		{func(c *frontend.InstConfig) { c.TransferIDBits = 7 }, "TransferIDBits is 7; allowed: 8 to 32"},
		{func(c *frontend.InstConfig) { c.RepsWidth = 33 }, "RepsWidth is 33; allowed: 1 to 32"},
		{func(c *frontend.InstConfig) { c.TagWidth = 0 }, "TagWidth is 0; allowed: 1 to 32"},
		{func(c *frontend.InstConfig) { c.WindowEnd = 1 }, "WindowEnd is 0x1; allowed: WindowStart, 0x10000000, or more"},
		{func(c *frontend.InstConfig) { c.WindowEnd = 1 << 48 }, "WindowEnd is 0x1000000000000; allowed: what 48 bits of address hold"},
		{func(c *frontend.InstConfig) { c.Channels, c.Backend.IDWidth = 5, 2 }, "Backend.IDWidth is 2; allowed: enough bits for the number of a channel"},
		{func(c *frontend.InstConfig) { c.Backend.ErrorHandling = true }, "Backend.ErrorHandling is true; allowed: false"},
		{func(c *frontend.InstConfig) { c.Backend.DataWidth = 24 }, "in Backend: DataWidth is 24"},
	} {
		require.ErrorContains(t, editInst(c.edit).Validate(), c.want)
	}
	require.NoError(t, editInst().Validate())
}
