package compute_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/compute"
)

var update = flag.Bool("update", false, "measure the areas in docs/compute.md")

var page = filepath.Join("..", "..", "docs", "compute.md")

// The table of the operations has all of them, under their codes.
func TestDocumentedOperations(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	rows := map[string][]string{} // the columns after the type, by the type
	designs := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 9 && strings.HasPrefix(line, "| `") {
			rows[strings.Trim(cells[1], " `")] = cells[2:]
			designs[strings.Trim(cells[2], " `")] = true
		}
	}
	for _, o := range compute.Standard() {
		row := rows[reflect.TypeOf(o).Name()]
		require.NotEmpty(t, row, "%s is not in the table", o.Name())
		require.Contains(t, regexp.MustCompile(`\d+`).FindAllString(regexp.MustCompile(`FP\d+`).ReplaceAllString(row[1], ""), -1), strconv.Itoa(o.Code()), o.Name())
	}
	for _, e := range compute.Catalogue() {
		require.True(t, designs["compute."+e.Name], "%s is not in the table", e.Name)
	}
}

var cellCount = regexp.MustCompile(`(?m)^\s+(SB_\w+)\s+(\d+)$`)

// area is the columns of a unit in the table of areas: what it takes of an iCE40.
func area(t *testing.T, d *ir.Design) string {
	t.Helper()
	dir := t.TempDir()
	files, err := gen.Emit(d, gen.Options{})
	require.NoError(t, err)
	require.NoError(t, gen.WriteDir(dir, files))
	names, err := lint.Files(filepath.Join(dir, d.Top.Name+".f"))
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "yosys", "-p",
		fmt.Sprintf("read_verilog -sv %s; synth_ice40 -top %s; tee -o cells.txt stat", strings.Join(names, " "), d.Top.Name))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	cells, err := os.ReadFile(filepath.Join(dir, "cells.txt"))
	require.NoError(t, err)
	count := map[string]int{}
	for _, m := range cellCount.FindAllStringSubmatch(string(cells), -1) {
		n, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		for _, kind := range []string{"SB_LUT4", "SB_DFF", "SB_RAM40"} {
			if strings.HasPrefix(m[1], kind) {
				count[kind] += n
			}
		}
	}
	return fmt.Sprintf("%d | %d | %d", count["SB_LUT4"], count["SB_DFF"], count["SB_RAM40"])
}

// The areas are those that Yosys finds: all are measured with -update, and otherwise the
// smallest.
func TestDocumentedAreas(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, u := range []struct {
		label string
		op    compute.Op
	}{
		{"`mx_quantise` from FP32", compute.MXQuantise{From: compute.FP32}}, {"`mx_quantise` from FP16", compute.MXQuantise{From: compute.FP16}},
		{"`mx_dequantise` to FP32", compute.MXDequantise{To: compute.FP32}}, {"`mx_dequantise` to FP16", compute.MXDequantise{To: compute.FP16}},
		{"`transpose`", compute.Transpose{}}, {"`crc32c`", compute.CRC32C{}}, {"`byte_swap`", compute.ByteSwap{}}, {"`fill_mask`", compute.FillMask{}},
	} {
		row := regexp.MustCompile(`(?m)^\| ` + u.label + ` \| (\d+ \| \d+ \| \d+) \|$`)
		m := row.FindSubmatchIndex(text)
		require.NotNil(t, m, "%s has no areas", u.label)
		if !*update && u.op != (compute.FillMask{}) {
			continue
		}
		got := area(t, unitDesign(t, u.op, 64))
		if !*update {
			require.Equal(t, string(text[m[2]:m[3]]), got, "%s; run with -update", u.label)
			continue
		}
		text = append(append(append([]byte{}, text[:m[2]]...), got...), text[m[3]:]...)
	}
	if *update {
		require.NoError(t, os.WriteFile(page, text, 0o600))
	}
}
