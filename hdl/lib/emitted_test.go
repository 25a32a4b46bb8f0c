package lib_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// TestEmitted holds the RTL of one variant of each module to a golden file.
func TestEmitted(t *testing.T) {
	for _, c := range []struct {
		name   string
		design *ir.Design
	}{
		{"pulse_sync", built(t, lib.PulseSync, lib.PulseSyncParams{})},
		{"word_sync", built(t, lib.WordSync, lib.WordSyncParams{Width: 8})},
		{"reset_sync", built(t, lib.ResetSync, lib.ResetSyncParams{ActiveLow: true})},
		{"async_fifo", built(t, lib.AsyncFIFO, lib.AsyncFIFOParams{Width: 8, Depth: 16, Block: true})},
		{"crc_stream", built(t, lib.CRCStream, lib.CRCParams{CRC: lib.CRC16CCITTFalse(), Data: 16})},
		{"fifo_fall", built(t, lib.FIFO, lib.FIFOParams{Width: 8, Depth: 4, FallThrough: true})},
		{"spill", built(t, lib.Spill, lib.SpillParams{Width: 8})},
		{"stream_fork", built(t, lib.StreamFork, lib.ForkParams{Width: 8, Outputs: 2})},
		{"stream_arbiter", built(t, lib.StreamArbiter, lib.ArbiterParams{Width: 8, Inputs: 3, Packets: true})},
		{"counter", built(t, lib.Counter, lib.CounterParams{Min: 3, Max: 12})},
		{"lfsr", built(t, lib.LFSR, lib.LFSRParams{Width: 16, Steps: 2})},
		{"single_port_ram", built(t, lib.SinglePortRAM, lib.RAMParams{Width: 16, Depth: 64, Lane: 8, During: hdl.Undefined, KeepOnWrite: true})},
		{"simple_dual_port_ram", built(t, lib.SimpleDualPortRAM, lib.RAMParams{Width: 8, Depth: 64, TwoClocks: true, Register: true})},
		{"true_dual_port_ram", built(t, lib.TrueDualPortRAM, lib.RAMParams{Width: 8, Depth: 64, During: hdl.NewData})},
	} {
		files, err := gen.Emit(c.design, gen.Options{})
		require.NoError(t, err)
		var text strings.Builder
		for _, f := range files {
			if filepath.Base(f.Name) == c.design.Top.Name+".sv" && !f.Checks {
				text.Write(f.Data)
			}
		}
		require.NotZero(t, text.Len(), "no file of %s", c.design.Top.Name)
		file := filepath.Join("testdata", c.name+".sv.golden")
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(string(want), text.String()), c.name)
	}
}
