package lib_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

func TestResetSyncReleasesLate(t *testing.T) {
	for _, low := range []bool{false, true} {
		for _, stages := range []int{2, 5} {
			p := pinsOf(t, model(t, built(t, lib.ResetSync, lib.ResetSyncParams{Stages: stages, ActiveLow: low}), 1))
			for i := range 10 {
				p.tick(2)
				require.Equal(t, i < stages, (p.get("out") == 1) != low, "edge %d", i)
			}
		}
	}
}

// Between clock edges, which engines do not look at, Icarus tells that the reset
// begins at once and does not end.
func TestResetSyncBeginsAtOnce(t *testing.T) {
	for _, low := range []bool{false, true} {
		d, err := hdl.Elaborate(lib.ResetSync, lib.ResetSyncParams{Stages: 3, ActiveLow: low})
		require.NoError(t, err)
		files, err := gen.Emit(d, gen.Options{})
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, gen.WriteDir(dir, files))
		port, invert := "sync_rst", ""
		if low {
			port, invert = "sync_rst_n", "~"
		}
		bench := strings.NewReplacer("PORT", port, "~", invert).Replace(`
module bench;
  reg clk = 0, rst = 0;
  wire out;
  reset_sync dut (.sync_clk(clk), .PORT(~rst), .out(out));
  task edges(input integer n);
    repeat (n) begin #1 clk = 1; #1 clk = 0; end
  endtask
  initial begin
    edges(4); $write("%b", ~out);
    rst = 1; #1 $write("%b", ~out);
    rst = 0; #1 $write("%b", ~out);
    edges(2); $write("%b", ~out);
    edges(1); $write("%b", ~out);
  end
endmodule
`)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "bench.v"), []byte(bench), 0o644))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for _, args := range [][]string{{"iverilog", "-g2012", "-o", "bench", "bench.v", "reset_sync.sv"}, {"vvp", "-N", "bench"}} {
			cmd := exec.CommandContext(ctx, args[0], args[1:]...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			if args[0] == "vvp" {
				require.Equal(t, "01110", strings.TrimSpace(string(out)), "before, at once, after the end, two edges on, three")
			}
		}
	}
}
