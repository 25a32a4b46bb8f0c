package frontend_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/regs"
)

// The header of every map compiles as C and as C++, with every option and without.
func TestHeadersCompile(t *testing.T) {
	maps := []*regs.Map{
		editDesc().Map(), editDesc(func(c *frontend.DescConfig) { c.RegWidth = 32 }).Map(), editDesc(handled).Map(), editDesc(handled, func(c *frontend.DescConfig) { c.RegWidth = 32 }).Map(),
	}
	for _, l := range append(layouts, frontend.Reg32RT3D) {
		maps = append(maps, edit(l).Map(), edit(l, everything, sized(1, 16), choices).Map())
	}
	for i, m := range maps {
		dir := t.TempDir()
		files, err := m.Facts()
		require.NoError(t, err)
		require.NoError(t, gen.WriteDir(dir, files))
		source := filepath.Join(dir, "use.c")
		require.NoError(t, os.WriteFile(source, fmt.Appendf(nil, "#include \"%s.h\"\nint main(void) { return 0; }\n", m.Name), 0o600))
		for _, cc := range [][]string{{"gcc", "-std=c99"}, {"g++", "-std=c++11", "-x", "c++"}} {
			args := append(append([]string{}, cc[1:]...), "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", source)
			out, err := exec.CommandContext(t.Context(), cc[0], args...).CombinedOutput()
			require.NoError(t, err, "%s %d: %s", m.Name, i, out)
		}
	}
}

// The driver compiles with the layout of every front-end that has registers.
func TestLayoutHeadersCompile(t *testing.T) {
	for _, l := range append(layouts, frontend.Reg32RT3D) {
		for _, c := range []frontend.Config{edit(l), edit(l, everything, sized(1, 16), choices)} {
			files, err := c.Facts()
			require.NoError(t, err)
			dir := t.TempDir()
			require.NoError(t, gen.WriteDir(dir, files))
			source := filepath.Join(dir, "use.c")
			text := fmt.Sprintf("#include \"%[1]s.h\"\n#include \"%[1]s_layout.h\"\nint main(void) { return %[1]s_layout.conf; }\n", l)
			require.NoError(t, os.WriteFile(source, []byte(text), 0o600))
			out, err := exec.CommandContext(t.Context(), "gcc", "-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-I", filepath.Join(dir, "sw"),
				"-o", source+".out", source, filepath.Join(dir, "sw", "idma.c")).CombinedOutput()
			require.NoError(t, err, "%s: %s", l, out)
		}
	}
}

// TestSystemRDL has the reference compiler read the maps and looks for the places of
// specification §4.1. It runs where python3 has it: `make rdl` sees to that.
func TestSystemRDL(t *testing.T) {
	python := os.Getenv("SYSTEMRDL_PYTHON")
	if python == "" {
		t.Skip("SYSTEMRDL_PYTHON names no python3 with systemrdl-compiler: the SystemRDL was NOT compiled by the reference compiler; make rdl does it")
	}
	read := func(m *regs.Map) string {
		files, err := m.Facts()
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, gen.WriteDir(dir, files))
		out, err := exec.CommandContext(t.Context(), python, filepath.Join("..", "..", "regs", "testdata", "places.py"), filepath.Join(dir, m.Name+".rdl")).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	require.Equal(t, `desc_addr 0x0 0 0x0
  desc_addr 0xffffffffffffffff 0x0 w
status 0x8 0 0x0
  busy 0x1 none r
  full 0x2 none r
  transfer_error 0x4 0x0 rw woclr
  desc_error 0x8 0x0 rw woclr
error_addr 0x10 0 0x0
  error_addr 0xffffffffffffffff none r
`, read(editDesc().Map()))
	for _, l := range append(layouts, frontend.Reg32RT3D) {
		out := read(edit(l, everything, choices).Map())
		for _, line := range []string{
			"conf 0x0 0 0x0\n  decouple_aw 0x1 0x0 rw\n  decouple_rw 0x2 0x0 rw\n  src_reduce_len 0x4 0x0 rw\n  dst_reduce_len 0x8 0x0 rw\n  src_max_llen 0x70 0x0 rw\n  dst_max_llen 0x380 0x0 rw\n",
			"status 0x4 16 0x4\n", "next_id 0x44 16 0x4\n  next_id 0xffffffff none r\n", "done_id 0x84 16 0x4\n  done_id 0xffffffff none r\n",
			fmt.Sprintf("compute_cfg %#x 0 0x0\n", written[l].cfg),
			fmt.Sprintf("  src_protocol %#x 0x0 rw axi4=0 obi=1 init=4\n  dst_protocol %#x 0x0 rw axi4=0 obi=1\n", 7<<(10+written[l].nd), 7<<(13+written[l].nd)),
		} {
			require.Contains(t, out, line, l)
		}
		for name, at := range written[l].at {
			name = strings.ReplaceAll(name, "dim_", "dim")
			if written[l].wide {
				name += "_low"
			}
			require.Contains(t, out, fmt.Sprintf("%s %#x 0 0x0\n", name, at), l)
		}
	}
}
