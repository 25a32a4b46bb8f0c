package lib_test

import (
	"context"
	"flag"
	"math/big"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

var inferred = flag.Bool("inferred", false, "check what Yosys makes of the memories")

// partly is a value of which only some bits are defined.
type partly struct{ v, known uint64 }

// access is what a port does in one cycle.
type access struct {
	read, write      bool
	addr, data, mask uint64 // mask of bits
}

// ramPort is one port of the reference and of the memory under test.
type ramPort struct {
	edge                          uint64 // its clock domain
	en, we, addr, data, mask, out string // ports; empty where it has none
	q, late                       partly // the read register and the one behind it
	now                           access
}

// ramBench holds a memory to its contract. The reference is an array with the bits
// that are defined.
type ramBench struct {
	pins
	p     lib.RAMParams
	r     *rand.Rand
	elems []partly
	ports []*ramPort
	read  int // reads that gave a defined value
}

func newRAMBench(t testing.TB, e sim.Engine, p lib.RAMParams, seed uint64, ports ...*ramPort) *ramBench {
	t.Helper()
	t.Logf("%s, seed %d", p.Suffix(), seed)
	b := &ramBench{pins: pins{t, e}, p: p, r: rand.New(rand.NewPCG(seed, 11)), ports: ports}
	b.elems = make([]partly, p.Depth)
	for i, v := range p.Contents {
		b.elems[i] = partly{v.Uint64(), ^uint64(0) >> (64 - p.Width)}
	}
	require.NoError(t, e.Reset(1)) // with no port in use
	return b
}

// drive puts a random access to the port.
func (b *ramBench) drive(p *ramPort) {
	all := ^uint64(0) >> (64 - b.p.Width)
	p.now = access{addr: b.r.Uint64N(uint64(1) << hdl.AddrBits(b.p.Depth)), data: b.r.Uint64() & all, mask: all}
	en, we := b.r.IntN(4) > 0, b.r.IntN(2) == 0
	p.now.write = en && p.data != "" && (p.we == "" || we)
	p.now.read = en && p.out != "" && !(b.p.KeepOnWrite && p.now.write)
	b.set(p.en, bit(en))
	b.set(p.addr, p.now.addr)
	if p.we != "" {
		b.set(p.we, bit(we))
	}
	if p.data == "" {
		return
	}
	b.set(p.data, p.now.data)
	if b.p.Lane > 0 {
		lanes := b.r.Uint64N(uint64(1) << (b.p.Width / b.p.Lane))
		b.set(p.mask, lanes)
		p.now.mask = 0
		for i := range b.p.Width / b.p.Lane {
			if lanes>>i&1 == 1 {
				p.now.mask |= (1<<b.p.Lane - 1) << (i * b.p.Lane)
			}
		}
	}
}

// merged is an element after a write.
func (a access) merged(e partly) partly {
	return partly{e.v&^a.mask | a.data&a.mask, e.known | a.mask}
}

// reads is what the port's register takes, where the writes of ws come at the same
// instant.
func (b *ramBench) reads(p *ramPort, ws []*ramPort) partly {
	if p.now.addr >= uint64(b.p.Depth) {
		return partly{0, ^uint64(0)}
	}
	e := b.elems[p.now.addr]
	for _, w := range ws {
		if !w.now.write || w.now.addr != p.now.addr {
			continue
		}
		own := w == p || len(ws) == 2 && ws[0].out == "" // the one port that writes
		switch {
		case w.edge != p.edge || !own || b.p.During == hdl.Undefined:
			e.known &^= w.now.mask
		case b.p.During == hdl.NewData:
			e = w.now.merged(e)
		}
	}
	return e
}

// instant is one edge of the domains.
func (b *ramBench) instant(edges uint64) {
	var ticking []*ramPort
	for {
		ticking = ticking[:0]
		for _, p := range b.ports {
			b.drive(p)
			if edges&p.edge != 0 {
				ticking = append(ticking, p)
			}
		}
		if len(ticking) < 2 || !ticking[0].now.write || !ticking[1].now.write || ticking[0].now.addr != ticking[1].now.addr {
			break // what is not allowed has not come up
		}
	}
	b.tick(edges)
	for _, p := range ticking {
		if p.out == "" {
			continue
		}
		want := p.q
		if b.p.Register {
			want = p.late
		}
		require.Equal(b.t, want.v&want.known, b.get(p.out)&want.known, "%s, defined bits %#x", p.out, want.known)
		if want.known != 0 && p.now.read {
			b.read++
		}
	}
	for _, p := range ticking {
		if p.late = p.q; p.now.read {
			p.q = b.reads(p, ticking)
		}
	}
	for _, p := range ticking {
		if p.now.write && p.now.addr < uint64(b.p.Depth) {
			b.elems[p.now.addr] = p.now.merged(b.elems[p.now.addr])
		}
	}
}

func (b *ramBench) random(instants int) {
	b.t.Helper()
	edges := []uint64{1}
	if b.p.TwoClocks {
		edges = []uint64{1, 2, 3, 3}
	}
	for range instants {
		b.instant(edges[b.r.IntN(len(edges))])
	}
	require.Greater(b.t, b.read, instants/10)
	require.NoError(b.t, sim.Violations(b.Engine))
}

// ramKinds are the three memories with the ports that the bench drives.
var ramKinds = []struct {
	name  string
	build func(t testing.TB, p lib.RAMParams) *ir.Design
	ports func(p lib.RAMParams) []*ramPort
}{
	{"single", func(t testing.TB, p lib.RAMParams) *ir.Design { return built(t, lib.SinglePortRAM, p) }, func(lib.RAMParams) []*ramPort {
		return []*ramPort{{edge: 1, en: "en", we: "we", addr: "addr", data: "wdata", mask: "mask", out: "rdata"}}
	}},
	{"simple", func(t testing.TB, p lib.RAMParams) *ir.Design { return built(t, lib.SimpleDualPortRAM, p) }, func(p lib.RAMParams) []*ramPort {
		return []*ramPort{{edge: 1, en: "w_en", addr: "w_addr", data: "w_data", mask: "w_mask"}, {edge: second(p), en: "r_en", addr: "r_addr", out: "r_data"}}
	}},
	{"dual", func(t testing.TB, p lib.RAMParams) *ir.Design { return built(t, lib.TrueDualPortRAM, p) }, func(p lib.RAMParams) []*ramPort {
		return []*ramPort{
			{edge: 1, en: "a_en", we: "a_we", addr: "a_addr", data: "a_wdata", mask: "a_mask", out: "a_rdata"},
			{edge: second(p), en: "b_en", we: "b_we", addr: "b_addr", data: "b_wdata", mask: "b_mask", out: "b_rdata"},
		}
	}},
}

// second is the clock domain of a second port.
func second(p lib.RAMParams) uint64 {
	if p.TwoClocks {
		return 2
	}
	return 1
}

func TestRAMsKeepTheirContract(t *testing.T) {
	contents := []*big.Int{big.NewInt(0x1234), big.NewInt(7), big.NewInt(0xffff)}
	for _, k := range ramKinds {
		for _, p := range []lib.RAMParams{
			{Width: 16, Depth: 8},
			{Width: 16, Depth: 8, During: hdl.NewData, Lane: 8},
			{Width: 16, Depth: 5, During: hdl.Undefined, Lane: 4, Register: true, Contents: contents},
			{Width: 16, Depth: 8, Lane: 8, KeepOnWrite: k.name != "simple", Style: "block", Contents: contents},
			{Width: 16, Depth: 8, Lane: 16, TwoClocks: true, Register: true},
			{Width: 16, Depth: 8, TwoClocks: true, During: hdl.NewData, KeepOnWrite: k.name == "dual"},
			{Width: 1, Depth: 1, During: hdl.NewData},
		} {
			if k.name == "single" && p.TwoClocks {
				continue
			}
			t.Run(k.name+"_"+p.Suffix(), func(t *testing.T) {
				newRAMBench(t, model(t, k.build(t, p), 4), p, 2, k.ports(p)...).random(2000)
			})
		}
	}
}

// Both ports may not write one element at once.
func TestTrueDualPortRAMAssumesNoCollision(t *testing.T) {
	e := pinsOf(t, model(t, built(t, lib.TrueDualPortRAM, lib.RAMParams{Width: 8, Depth: 4}), 1))
	for _, n := range []string{"a_en", "a_we", "b_en", "b_we"} {
		e.set(n, 1)
	}
	e.set("a_addr", 1)
	require.NoError(t, e.Step())
	require.NoError(t, sim.Violations(e.Engine))
	e.set("b_addr", 1)
	require.NoError(t, e.Step())
	require.ErrorContains(t, sim.Violations(e.Engine), "one_writes_an_element")
}

func TestRAMParams(t *testing.T) {
	for _, c := range []struct {
		p    lib.RAMParams
		want string
	}{
		{lib.RAMParams{Width: 0, Depth: 4}, "Depth 4 and Width 0: both must be at least 1"},
		{lib.RAMParams{Width: 8, Depth: 0}, "Depth 0"},
		{lib.RAMParams{Width: 8, Depth: 4, Lane: 3}, "Lane 3: it must divide the width"},
		{lib.RAMParams{Width: 8, Depth: 4, Lane: -8}, "Lane -8"},
		{lib.RAMParams{Width: 8, Depth: 4, During: 3}, "During 3: it must be OldData, NewData or Undefined"},
		{lib.RAMParams{Width: 8, Depth: 4, Style: "fast"}, `Style "fast": it must be block, distributed, registers or empty`},
		{lib.RAMParams{Width: 8, Depth: 1, Contents: []*big.Int{new(big.Int), new(big.Int)}}, "Contents for 2"},
		{lib.RAMParams{Width: 8, Depth: 4, TwoClocks: true}, "TwoClocks, and no second port"},
	} {
		_, err := hdl.Elaborate(lib.SinglePortRAM, c.p)
		require.ErrorContains(t, err, c.want)
	}
	_, err := hdl.Elaborate(lib.SimpleDualPortRAM, lib.RAMParams{Width: 8, Depth: 4, KeepOnWrite: true})
	require.ErrorContains(t, err, "KeepOnWrite, and no port that reads and writes")
	require.Equal(t, "4x8_l8_new_reg_2clk_block", lib.RAMParams{Width: 8, Depth: 4, Lane: 8, During: hdl.NewData, Register: true, TwoClocks: true, Style: "block"}.Suffix())
	one, other := lib.RAMParams{Width: 8, Depth: 4, Contents: []*big.Int{big.NewInt(1)}}, lib.RAMParams{Width: 8, Depth: 4, Contents: []*big.Int{big.NewInt(2)}}
	require.NotEqual(t, one.Suffix(), other.Suffix())
}

func TestRAMsInRTL(t *testing.T) {
	for i, p := range []lib.RAMParams{
		{Width: 16, Depth: 8, Lane: 8, During: hdl.NewData, Register: true},
		{Width: 16, Depth: 6, Contents: []*big.Int{big.NewInt(3)}},
		{Width: 16, Depth: 8, Lane: 8, KeepOnWrite: true},
	} {
		k := ramKinds[i]
		t.Run(k.name, func(t *testing.T) {
			newRAMBench(t, couple(t, k.build(t, p)), p, 6, k.ports(p)...).random(300)
		})
	}
}

// What Yosys makes of a memory of each kind.
func TestInferredRAMs(t *testing.T) {
	if !*inferred {
		t.Skip("slow; -inferred runs it")
	}
	blocks := regexp.MustCompile(`(SB_RAM40_4K|DP16KD)\s+(\d+)`)
	for _, c := range []struct {
		kind        int
		twoClocks   bool
		ice40, ecp5 string
	}{
		{0, false, "SB_RAM40_4K 1", "DP16KD 1"},
		{1, false, "SB_RAM40_4K 1", "DP16KD 1"},
		{1, true, "SB_RAM40_4K 1", "DP16KD 1"},
		{2, false, "", "DP16KD 1"},
		{2, true, "", "DP16KD 1"},
	} {
		k := ramKinds[c.kind]
		p := lib.RAMParams{Width: 8, Depth: 512, During: hdl.Undefined, TwoClocks: c.twoClocks}
		d := k.build(t, p)
		dir := t.TempDir()
		files, err := gen.Emit(d, gen.Options{})
		require.NoError(t, err)
		require.NoError(t, gen.WriteDir(dir, files))
		for family, want := range map[string]string{"ice40": c.ice40, "ecp5": c.ecp5} {
			if want == "" {
				continue
			}
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "yosys", "-p", "read_verilog -sv "+d.Top.Name+".sv; synth_"+family+" -run begin:map_ffram -top "+d.Top.Name+"; stat")
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			text := string(out)
			found := blocks.FindStringSubmatch(text[strings.LastIndex(text, "Printing statistics"):])
			require.NotNil(t, found, "no block in %s for %s: %s", k.name, family, filepath.Base(dir))
			require.Equal(t, want, found[1]+" "+found[2], "%s for %s", k.name, family)
		}
	}
}
