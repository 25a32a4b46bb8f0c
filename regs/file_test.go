package regs_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
)

// drawInputs are what hardware gives, often at its extremes.
func drawInputs(r *rand.Rand) inputs {
	in := inputs{through: map[uint32]uint32{}, ready: map[uint32][2]bool{}, load: r.IntN(4) == 0, loaded: r.Uint32()}
	if r.IntN(2) == 0 {
		in.sets = r.Uint32() & r.Uint32() & 0xfffff3f0
	}
	for _, at := range []uint32{0x08, 0x40, 0x48, 0x50} {
		in.through[at] = r.Uint32()
	}
	for _, at := range []uint32{0x08, 0x10, 0x14} {
		in.ready[at] = [2]bool{r.IntN(3) > 0, r.IntN(3) > 0}
	}
	return in
}

func (p pins) give(in inputs) {
	p.set("level_value_in", uint64(in.through[0x08]&0xffff))
	for i, at := range []uint32{0x40, 0x48, 0x50} {
		p.set([]string{"slot_0_low_in", "slot_1_low_in", "slot_2_low_in"}[i], uint64(in.through[at]&0xfffff))
	}
	p.set("events_pending_in", uint64(in.sets>>4&0x3f))
	p.set("events_seen_in", uint64(in.sets>>12))
	p.setBool("loaded_load", in.load)
	p.set("loaded_in", uint64(in.loaded))
	p.setBool("level_read_ready", in.ready[0x08][0])
	p.setBool("loaded_read_ready", in.ready[0x10][0])
	p.setBool("loaded_write_ready", in.ready[0x10][1])
	p.setBool("secret_write_ready", in.ready[0x14][1])
}

func drawAccess(r *rand.Rand) access {
	a := access{valid: r.IntN(8) > 0, write: r.IntN(2) == 0, data: r.Uint32(), strb: 15}
	a.addr = []uint32{0, 4, 8, 12, 0x10, 0x14, 0x18, 0x20, 0x24, 0x40, 0x44, 0x48, 0x50, 0x58, 0xfc}[r.IntN(15)] + uint32(r.IntN(4))
	if r.IntN(2) == 0 {
		a.strb = r.Uint32() & 15
	}
	return a
}

// held are the outputs that show what a word holds, with the bits that they have.
var held = []struct {
	port   string
	at     uint32
	lo, hi int
}{
	{"control_mode", 0, 0, 1}, {"control_limit", 0, 6, 25}, {"events_pending", 12, 4, 9}, {"events_seen", 12, 12, 31},
	{"base_low", 0x20, 0, 31}, {"base_high", 0x24, 0, 31}, {"loaded", 0x10, 0, 31}, {"secret", 0x14, 8, 23}, {"slot_0_high", 0x40, 20, 31}, {"slot_1_high", 0x48, 20, 31}, {"slot_2_high", 0x50, 20, 31},
}

// strobes are the outputs that tell hardware of accesses.
var strobes = []struct {
	port  string
	at    uint32
	write bool
}{
	{"control_written", 0, true}, {"level_read", 8, false}, {"loaded_read", 0x10, false}, {"loaded_written", 0x10, true},
	{"slot_0_written", 0x40, true}, {"slot_1_written", 0x48, true}, {"slot_2_written", 0x50, true},
}

func againstOracle(t *testing.T, e sim.Engine, seed uint64, cycles int) {
	t.Helper()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 5))
	p, o := pins{t, e}, newOracle()
	require.NoError(t, e.Reset(2))
	for cycle := range cycles {
		in, a := drawInputs(r), drawAccess(r)
		p.give(in)
		p.setBool("bus_valid", a.valid)
		p.setBool("bus_write", a.write)
		p.set("bus_addr", uint64(a.addr))
		p.set("bus_wdata", uint64(a.data))
		p.set("bus_strb", uint64(a.strb))
		before := o.held
		want := o.cycle(a, in)
		p.step()
		if a.valid {
			require.Equal(t, want.ready, p.on("bus_ready"), "cycle %d: ready of %+v", cycle, a)
			require.Equal(t, want.err, p.on("bus_err"), "cycle %d: err of %+v", cycle, a)
		}
		if a.valid && !a.write {
			require.Equal(t, want.data, uint32(p.get("bus_rdata")), "cycle %d: %+v", cycle, a)
		}
		for _, h := range held {
			require.Equal(t, before[h.at]>>h.lo&(1<<(h.hi-h.lo+1)-1), uint32(p.get(h.port)), "cycle %d: %s", cycle, h.port)
		}
		for _, s := range strobes {
			expected := a.addr&^3 == s.at && (s.write && want.write || !s.write && want.read)
			require.Equal(t, expected, p.on(s.port), "cycle %d: %s after %+v", cycle, s.port, a)
		}
		for _, x := range []struct {
			port  string
			at    uint32
			write bool
		}{{"level_read_asked", 8, false}, {"loaded_read_asked", 16, false}, {"loaded_write_asked", 16, true}, {"secret_write_asked", 20, true}} {
			require.Equal(t, a.valid && a.write == x.write && a.addr&^3 == x.at, p.on(x.port), "cycle %d: %s with %+v", cycle, x.port, a)
		}
		require.Equal(t, want.pulse>>31, uint32(p.get("control_go")), "cycle %d", cycle)
		require.Equal(t, want.pulse>>28&7, uint32(p.get("control_steps")), "cycle %d", cycle)
	}
}

func TestFileDoesWhatTheOracleSays(t *testing.T) {
	for seed := uint64(1); seed <= 4; seed++ {
		againstOracle(t, model(t, fileDesign(t), seed), seed, 3000)
	}
}

func TestFileInLockstep(t *testing.T) {
	againstOracle(t, both(t, fileDesign(t), 9), 9, 3000)
}
