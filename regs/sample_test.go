package regs_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/regs"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sample is a map with everything that a map can have.
func sample() *regs.Map {
	return &regs.Map{
		Name: "sample", Doc: "A map with everything that a map can have.", DataWidth: 32, AddrWidth: 8,
		Registers: []regs.Register{
			{Name: "control", Doc: "Switches.", Offset: 0, OnWrite: true, Fields: []regs.Field{
				{Name: "mode", Doc: "What it does.", Hi: 1, Lo: 0, Reset: 1, Values: []regs.Value{
					{Name: "off", Value: 0}, {Name: "slow", Value: 1, Doc: "half the speed"}, {Name: "fast", Value: 3}}},
				{Name: "limit", Doc: "Over three bytes, with \"quotes\" & a | bar.", Hi: 25, Lo: 6, Reset: 0x8001},
				{Name: "go", Doc: "Starts.", Hi: 31, Lo: 31, Access: regs.Pulse},
				{Name: "steps", Hi: 30, Lo: 28, Access: regs.Pulse},
			}},
			{Name: "version", Doc: "Which one it is.", Offset: 4, Fields: []regs.Field{
				{Name: "version", Hi: 31, Lo: 0, Access: regs.RO, Hardware: regs.Unseen, Reset: 0xcafe0102}}},
			{Name: "level", Offset: 8, OnRead: true, StallRead: true, Fields: []regs.Field{
				{Name: "value", Hi: 15, Lo: 0, Access: regs.RO},
				{Name: "scratch", Doc: "For software alone.", Hi: 31, Lo: 16, Hardware: regs.Unseen}}},
			{Name: "events", Offset: 12, Fields: []regs.Field{
				{Name: "pending", Hi: 9, Lo: 4, Access: regs.W1C, Reset: 0x21},
				{Name: "seen", Hi: 31, Lo: 12, Access: regs.RC}}},
			{Name: "loaded", Offset: 0x10, StallRead: true, StallWrite: true, OnRead: true, OnWrite: true, Fields: []regs.Field{
				{Name: "loaded", Doc: "Software and hardware write it.", Hi: 31, Lo: 0, Hardware: regs.Both, Reset: 7}}},
			{Name: "secret", Offset: 0x14, StallWrite: true, Fields: []regs.Field{{Name: "secret", Hi: 23, Lo: 8, Access: regs.WO}}},
			{Name: "base_low", Offset: 0x20, Fields: []regs.Field{{Name: "base_low", Hi: 31, Lo: 0}}},
			{Name: "base_high", Offset: 0x24, Fields: []regs.Field{{Name: "base_high", Hi: 31, Lo: 0}}},
			{Name: "slot", Doc: "An array.", Offset: 0x40, Count: 4, Stride: 8, Present: 3, OnWrite: true, Fields: []regs.Field{
				{Name: "high", Hi: 31, Lo: 20}, {Name: "low", Hi: 19, Lo: 0, Access: regs.RO}}},
		},
	}
}

// golden compares the text with a file below testdata.
func golden(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update to make it")
	require.Empty(t, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")), "%s: run with -update if the change is wanted", path)
}
