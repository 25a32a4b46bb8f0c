package regs_test

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/regs"
)

// wide is a map of 64-bit registers, and narrow one of bytes.
func wide() *regs.Map {
	return &regs.Map{Name: "wide", DataWidth: 64, AddrWidth: 12, Registers: []regs.Register{
		{Name: "pointer", Offset: 0xff0, Fields: []regs.Field{{Name: "pointer", Hi: 63, Lo: 0, Reset: 0x8000000000000001,
			Values: []regs.Value{{Name: "end", Value: 1<<64 - 1, Doc: "no more"}}}}},
		{Name: "state", Fields: []regs.Field{{Name: "upper", Hi: 63, Lo: 33}, {Name: "busy", Hi: 0, Lo: 0, Access: regs.RO}}},
	}}
}

func narrow() *regs.Map {
	return &regs.Map{Name: "narrow", DataWidth: 8, AddrWidth: 4, Registers: []regs.Register{
		{Name: "reg", Offset: 3, Count: 2, Stride: 2, Fields: []regs.Field{{Name: "field", Hi: 5, Lo: 2, Values: []regs.Value{{Name: "all", Value: 15}}}}},
	}}
}

func TestFacts(t *testing.T) {
	for _, m := range []*regs.Map{sample(), wide(), narrow()} {
		files, err := m.Facts()
		require.NoError(t, err)
		again, err := m.Facts()
		require.NoError(t, err)
		require.Empty(t, gocmp.Diff(files, again))
		for _, f := range files {
			golden(t, f.Name+".golden", string(f.Data))
		}
	}
}

func TestFactsOfAWrongMapAreAnError(t *testing.T) {
	m := sample()
	m.Registers[0].Offset = 2
	_, err := m.Facts()
	require.ErrorContains(t, err, "misaligned")
}

// A program that uses the header of the sample map on memory, and prints what it
// computes. It is C and C++ at once.
const program = `
#include <stdio.h>
#include "sample.h"
#include "wide.h"
#include "narrow.h"

static uint32_t words[64];

int main(void) {
  uintptr_t base = (uintptr_t)words;
  uint32_t word = 0;
  uint64_t pointer = WIDE_POINTER_POINTER_END;
  word = sample_control_mode_set(word, SAMPLE_CONTROL_MODE_FAST);
  word = sample_control_limit_set(word, 0x12345);
  word = sample_control_mode_set(word, SAMPLE_CONTROL_MODE_SLOW);
  word = sample_control_go_set(word, 1);
  sample_control_write(base, word);
  sample_slot_write(base, 3, sample_slot_high_set(0, 0xabc));
  printf("%x %x %x\n", (unsigned)words[0], (unsigned)sample_control_limit_get(sample_control_read(base)),
         (unsigned)sample_control_mode_get(sample_control_read(base)));
  printf("%x %x\n", (unsigned)words[SAMPLE_SLOT_OFFSET(3) / 4], (unsigned)sample_slot_high_get(words[22]));
  printf("%x %x %d %d\n", (unsigned)SAMPLE_VERSION_VERSION_RESET, (unsigned)SAMPLE_SLOT_OFFSET(1), SAMPLE_SLOT_COUNT, SAMPLE_SLOT_PRESENT);
  printf("%x %x\n", (unsigned)(wide_pointer_pointer_get(pointer) >> 32), (unsigned)(wide_state_upper_set(0, 0x7fffffff) >> 33));
  sample_base_write(base, UINT64_C(0x123456789abcdef0));
  printf("%x %x %d\n", (unsigned)words[8], (unsigned)words[9], sample_base_read(base) == UINT64_C(0x123456789abcdef0));
  printf("%x\n", (unsigned)narrow_reg_field_set(0xff, NARROW_REG_FIELD_ALL - 5));
  return 0;
}
`

func TestHeadersInCAndCPlusPlus(t *testing.T) {
	dir := t.TempDir()
	for _, m := range []*regs.Map{sample(), wide(), narrow()} {
		files, err := m.Facts()
		require.NoError(t, err)
		require.NoError(t, gen.WriteDir(dir, files))
	}
	source := filepath.Join(dir, "program.c")
	require.NoError(t, os.WriteFile(source, []byte(program), 0o600))
	for _, c := range [][]string{{"gcc", "-std=c99"}, {"g++", "-std=c++11", "-x", "c++"}} {
		binary := filepath.Join(dir, c[0]+".out")
		args := append(append([]string{}, c[1:]...), "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-o", binary, source)
		out, err := exec.CommandContext(t.Context(), c[0], args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		out, err = exec.CommandContext(t.Context(), binary).Output()
		require.NoError(t, err)
		require.Equal(t, "8048d141 12345 1\nabc00000 abc\ncafe0102 48 4 3\nffffffff 7fffffff\n9abcdef0 12345678 1\neb\n", string(out), c[0])
	}
}

// TestSystemRDL has the reference compiler read the maps and compares every place with
// ours. It runs where python3 has it: `make rdl` sees to that.
func TestSystemRDL(t *testing.T) {
	python := os.Getenv("SYSTEMRDL_PYTHON")
	if python == "" {
		t.Skip("SYSTEMRDL_PYTHON names no python3 with systemrdl-compiler: the SystemRDL was NOT compiled by the reference compiler; make rdl does it")
	}
	for _, m := range []*regs.Map{sample(), wide(), narrow()} {
		files, err := m.Facts()
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, gen.WriteDir(dir, files))
		out, err := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "places.py"), filepath.Join(dir, m.Name+".rdl")).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Empty(t, gocmp.Diff(places(m), string(out)), m.Name)
	}
}

// places are what the script prints, in the order of places: registers with offset,
// count and stride, fields with mask, reset, rights and values.
func places(m *regs.Map) string {
	var b strings.Builder
	rights := map[regs.Access]string{regs.RW: "rw", regs.RO: "r", regs.WO: "w", regs.W1C: "rw woclr", regs.RC: "r rclr", regs.Pulse: "w"}
	byOffset := slices.SortedFunc(slices.Values(m.Registers), func(a, b regs.Register) int { return cmp.Compare(a.Offset, b.Offset) })
	for _, r := range byOffset {
		if r.Count > 0 && r.Stride == 0 {
			r.Stride = uint64(m.DataWidth / 8)
		}
		fmt.Fprintf(&b, "%s %#x %d %#x\n", r.Name, r.Offset, r.Count, r.Stride)
		for _, f := range slices.SortedFunc(slices.Values(r.Fields), func(a, b regs.Field) int { return cmp.Compare(a.Lo, b.Lo) }) {
			reset := fmt.Sprintf("%#x", f.Reset)
			if f.Access == regs.RO && f.Hardware != regs.Unseen {
				reset = "none"
			}
			fmt.Fprintf(&b, "  %s %#x %s %s", f.Name, ^uint64(0)>>(63-(f.Hi-f.Lo))<<f.Lo, reset, rights[f.Access])
			for _, v := range f.Values {
				fmt.Fprintf(&b, " %s=%d", v.Name, v.Value)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}
