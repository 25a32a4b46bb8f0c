package frontend_test

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/regbus"
)

// faulty is from where on reads answer with an error.
const faulty = 0x800000

// computer is a whole engine with a memory, and a program of the host that plays the
// processor: its register accesses go over the bus of the engine.
type computer struct {
	*system
	memories []*axiMemory
	last     string // test that the program is in
	failures []string
	accesses int
}

func newComputer(t testing.TB, e sim.Engine, seed uint64, widths map[string]int) *computer {
	t.Helper()
	p := pins{t, e}
	c := &computer{system: &system{pins: p, store: mem.NewStore(seed)}}
	timing := mem.Config{ReadLatency: 5, WriteLatency: 9, Stalls: mem.AllStalls(20), Faults: []mem.Fault{{Lo: faulty, Hi: faulty + 0xffff, Resp: axi4.SlvErr}}}
	for _, prefix := range []string{"m_axi_", "m_axi_desc_"} {
		if bits := widths[prefix]; bits > 0 {
			c.memories = append(c.memories, newAXIMemory(t, e, prefix, c.store, seed, timing))
		}
	}
	var err error
	c.port, err = regbus.New(e, "apb", "s_apb_", regbus.Options{Idle: 10, Seed: seed})
	require.NoError(t, err)
	require.NoError(t, e.Reset(2))
	return c
}

func (c *computer) step() {
	c.t.Helper()
	for _, m := range c.memories {
		m.drive()
	}
	c.port.Drive()
	require.NoError(c.t, c.Step())
	require.NoError(c.t, c.port.Edge())
	for _, m := range c.memories {
		m.edge()
	}
}

func (c *computer) access(a regbus.Access) uint64 {
	c.t.Helper()
	var got *regbus.Result
	c.port.Do(a, func(r regbus.Result) { got = &r })
	for i := 0; got == nil; i++ {
		require.Less(c.t, i, 20000, "%s: %+v hangs", c.last, a)
		c.step()
	}
	require.False(c.t, got.Err, "%s: %+v is answered with an error", c.last, a)
	c.accesses++
	return got.Read
}

// do is what the program asks for in a line, and the answer.
func (c *computer) do(line string) (answer string, over bool) {
	c.t.Helper()
	word, rest, _ := strings.Cut(line, " ")
	var addr, n, v uint64
	scan := func(format string, args ...any) {
		_, err := fmt.Sscanf(rest, format, args...)
		require.NoError(c.t, err, "%q", line)
	}
	switch word {
	case "read":
		scan("%x %d", &addr, &n)
		return fmt.Sprintf("%x", c.access(regbus.Access{Addr: addr, Strb: 1<<n - 1})), false
	case "write":
		scan("%x %d %x", &addr, &n, &v)
		c.access(regbus.Access{Write: true, Addr: addr, Data: v, Strb: 1<<n - 1})
		return "0", false
	case "put":
		var text string
		scan("%x %s", &addr, &text)
		data, err := hex.DecodeString(text)
		require.NoError(c.t, err)
		for i, b := range data {
			c.store.SetByte(addr+uint64(i), b)
		}
		return "0", false
	case "get":
		scan("%x %d", &addr, &n)
		data := make([]byte, n)
		for i := range data {
			data[i] = c.store.Byte(addr + uint64(i))
		}
		c.step() // time passes for a processor that only looks at memory
		return hex.EncodeToString(data), false
	case "test":
		c.last = rest
	case "fail":
		c.failures = append(c.failures, rest)
	case "end":
		return "", true
	default:
		require.Fail(c.t, "the program says something else", "%q", line)
	}
	return "", false
}

// run runs the program until it ends and requires that all its tests pass.
func (c *computer) run(program string) {
	c.t.Helper()
	c.play(program)
	require.Empty(c.t, c.failures)
	for _, m := range c.memories {
		m.finish()
	}
	require.NoError(c.t, sim.Violations(c.Engine))
}

// play runs the program until it ends, whatever its tests say.
func (c *computer) play(program string) {
	t := c.t
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	over := false
	for !over && lines.Scan() {
		var answer string
		answer, over = c.do(lines.Text())
		if answer != "" {
			_, err := fmt.Fprintln(in, answer)
			require.NoError(t, err, "%s: the program is gone", c.last)
		}
	}
	require.True(t, over, "the program ended in test %q", c.last)
}

// compiled is the test program of a driver, built with the driver that comes with the
// front-end and no warning.
func compiled(t testing.TB, facts []gen.File, source, driver string, defines ...string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, gen.WriteDir(dir, facts))
	here, err := filepath.Abs(filepath.Join("testdata", "driver"))
	require.NoError(t, err)
	program := filepath.Join(dir, "program")
	args := []string{"-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I", dir, "-I", filepath.Join(dir, "sw"), "-I", here,
		`-DIDMA_REGISTER_ACCESS="remote.h"`, "-o", program}
	args = append(append(args, defines...), filepath.Join(dir, "sw", driver), filepath.Join(here, source), filepath.Join(here, "remote.c"))
	out, err := exec.CommandContext(t.Context(), "gcc", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, string(out))
	return program
}

func registerProgram(t testing.TB, c frontend.Config) string {
	t.Helper()
	facts, err := c.Facts()
	require.NoError(t, err)
	name := c.Layout.String() + "_layout"
	return compiled(t, facts, "registers.c", "idma.c", `-DLAYOUT_HEADER="`+name+`.h"`, "-DLAYOUT="+name)
}

// driven are the configurations that the driver is run on.
func driven() map[string]frontend.Config {
	errors := func(c *frontend.Config) { c.Interrupts, c.ErrorInfo = true, true }
	handling := func(c *frontend.Config) { c.Interrupts, c.ErrorInfo, c.Backend.ErrorHandling = true, true, true }
	short := func(c *frontend.Config) { c.Interrupts, c.TransferIDBits = true, 8 }
	return map[string]frontend.Config{
		"reg_32 short numbers": edit(frontend.Reg32, short), "reg_32 errors": edit(frontend.Reg32, errors), "reg_32 error handling": edit(frontend.Reg32, handling),
		"reg_64 error handling": edit(frontend.Reg64, handling), "reg_32_2d": edit(frontend.Reg32x2D, errors), "reg_32_3d": edit(frontend.Reg32x3D, handling), "reg_64_2d": edit(frontend.Reg64x2D, errors),
	}
}

func driveRegisters(t *testing.T, c frontend.Config, e sim.Engine, seed uint64) {
	t.Helper()
	newComputer(t, e, seed, map[string]int{"m_axi_": c.Backend.DataWidth}).run(registerProgram(t, c))
}

func TestDriverOfRegisters(t *testing.T) {
	for name, c := range driven() {
		t.Run(name, func(t *testing.T) {
			d := whole(t, c)
			for seed := uint64(1); seed <= 2; seed++ {
				driveRegisters(t, c, model(t, d, seed), seed)
			}
		})
	}
}

func TestDriverOfRegistersOnRTL(t *testing.T) {
	for _, name := range []string{"reg_32_3d", "reg_64_2d"} {
		t.Run(name, func(t *testing.T) {
			c := driven()[name]
			driveRegisters(t, c, both(t, whole(t, c), 3), 3)
		})
	}
}

func driveDescriptors(t *testing.T, c frontend.DescConfig, e sim.Engine, seed uint64) {
	t.Helper()
	facts, err := c.Facts()
	require.NoError(t, err)
	marks := 0
	if c.ErrorMarks {
		marks = 1
	}
	program := compiled(t, facts, "descriptors.c", "idma_desc.c", fmt.Sprintf("-DERROR_MARKS=%d", marks))
	newComputer(t, e, seed, map[string]int{"m_axi_": c.Backend.DataWidth, "m_axi_desc_": c.FetchWidth}).run(program)
}

func TestDriverOfDescriptors(t *testing.T) {
	for name, c := range map[string]frontend.DescConfig{
		"wide registers": editDesc(), "narrow registers": editDesc(func(c *frontend.DescConfig) { c.RegWidth = 32 }),
		"errors in marks": editDesc(func(c *frontend.DescConfig) { c.ErrorMarks = true }),
		"nothing ahead":   editDesc(func(c *frontend.DescConfig) { c.Speculation, c.FetchWidth = 0, 128 }),
	} {
		t.Run(name, func(t *testing.T) { driveDescriptors(t, c, model(t, wholeDesc(t, c), 4), 4) })
	}
}

func TestDriverOfDescriptorsOnRTL(t *testing.T) {
	c := editDesc()
	driveDescriptors(t, c, both(t, wholeDesc(t, c), 5), 5)
}

// A driver that is wrong in one place is found by its tests.
func TestDriverTestsFindFaults(t *testing.T) {
	c := driven()["reg_32 errors"]
	d := whole(t, c)
	facts, err := c.Facts()
	require.NoError(t, err)
	for _, change := range [][2]string{
		{"put_value(dma, at->length, length)", "put_value(dma, at->length, length + 1)"},
		{"length == 0 || ", ""},
		{">> 31 == 0", ">> 31 != 2"},
		{"UINT32_C(1) << at->failed", "0"},
		{"put_value(dma, at->src_addr, src)", "put_value(dma, at->src_addr, src ^ 4)"},
	} {
		wrong := append([]gen.File{}, facts...)
		for i, f := range wrong {
			if f.Name == "sw/idma.c" {
				require.Contains(t, string(f.Data), change[0])
				wrong[i].Data = []byte(strings.Replace(string(f.Data), change[0], change[1], 1))
			}
		}
		m := newComputer(t, model(t, d, 1), 1, map[string]int{"m_axi_": c.Backend.DataWidth})
		m.play(compiled(t, wrong, "registers.c", "idma.c", `-DLAYOUT_HEADER="reg_32_layout.h"`, "-DLAYOUT=reg_32_layout"))
		require.NotEmpty(t, m.failures, "%q is not found", change[1])
	}
}
