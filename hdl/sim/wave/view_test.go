package wave_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
)

// piped has streams, one with a name that begins like another's, an enumeration, a
// signed value, an element of a memory and two domains.
const piped = `(design top)
	(enum state (IDLE 0) (BUSY 1) (LAST 2))
	(module stage (input in_valid u1) (output in_ready u1) (input in_data u8) (output out_valid u1) (input out_ready u1) (output out_data u8)
		(reg full u1 (init 0:u1)) (reg in_held u8)
		(body (set in_ready (not full)) (set out_valid full) (set out_data in_held)
			(if (when (and in_valid (not full)) (set in_held in_data) (set full 1:u1)))
			(if (when (and full out_ready) (set full 0:u1)))))
	(module top (domain slow "slow_clk" "slow_rst_n" falling async_low)
		(input a_valid u1) (output a_ready u1) (input a_data u8) (input a_b_valid u1) (output a_b_ready u1) (input a_b_data u8)
		(output y_valid u1) (input y_ready u1) (output y_data u8) (output level s5) (output now u2/state) (output rest u8)
		(inst_in u_iv u1) (inst_out u_ir u1) (inst_in u_id u8) (inst_out u_ov u1) (inst_in u_or u1) (inst_out u_od u8)
		(reg sum s5 (init 0:s5)) (reg st u2/state (init 0:u2)) (reg tick u8 (init 0:u8) (on slow))
		(mem store u8 4)
		(instance u stage (port in_valid u_iv) (port in_ready u_ir) (port in_data u_id) (port out_valid u_ov) (port out_ready u_or) (port out_data u_od))
		(body (set u_iv a_valid) (set u_id a_data) (set a_ready u_ir) (set u_or y_ready) (set y_valid u_ov) (set y_data u_od)
			(set a_b_ready a_b_valid) (set level sum) (set now st) (set tick (add tick 1:u8)) (set rest (and (read store 0:u2) a_b_data))
			(if (when a_valid (write store a_data[1:0] a_data) (set sum (sub sum 1:s5)) (set st (add st 1:u2))))))`

func runPiped(t *testing.T, e sim.Engine) {
	t.Helper()
	require.NoError(t, e.Reset(1))
	for i := range uint64(8) {
		drive(t, e, map[string]uint64{"a_valid": (i / 2) & 1, "a_data": 0x30 + i, "y_ready": i & 1, "a_b_data": 1})
		require.NoError(t, e.Tick(1|i&2))
	}
}

// create runs a design with waves in a file of a new folder.
func create(t *testing.T, name string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	m := newModel(t, piped, sim.Options{})
	f, err := wave.Create(filepath.Join(dir, name), "top", m, nil)
	require.NoError(t, err)
	runPiped(t, wave.Trace(m, f))
	require.NoError(t, f.Close())
	return dir
}

// files are all files below a folder.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	}))
	return names
}

func TestViews(t *testing.T) {
	dir := create(t, "run.vcd")
	require.Equal(t, []string{".surfer/mappings/run_state_2", "run.gtkw", "run.sucl", "run.vcd"}, files(t, dir))
	for _, n := range []string{".surfer/mappings/run_state_2", "run.gtkw", "run.sucl", "run.vcd"} {
		text, err := os.ReadFile(filepath.Join(dir, n))
		require.NoError(t, err)
		golden(t, strings.ReplaceAll(filepath.Base(n), "run", "piped"), string(text))
	}
}

// TestViewsNameWhatIsThere: each signal of the wave file is in each view, once, and
// nothing else is; Surfer's formats go to the items meant.
func TestViewsNameWhatIsThere(t *testing.T) {
	dir := create(t, "run.vcd")
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(b)
	}
	want := map[string]int{}
	for p, w := range read(t, text("run.vcd")).widths {
		if w > 1 {
			p += fmt.Sprintf("[%d:0]", w-1)
		}
		want[p] = 1
	}
	shown := map[string]int{}
	for line := range strings.Lines(text("run.gtkw")) {
		if strings.HasPrefix(line, "top.") {
			shown[strings.TrimSpace(line)]++
		}
	}
	require.Equal(t, want, shown)

	shown = map[string]int{}
	var items []string
	focus := regexp.MustCompile(`^item_focus ([a-z]+)_(\S+)\n$`)
	formats := 0
	for line := range strings.Lines(text("run.sucl")) {
		if p, ok := strings.CutPrefix(line, "variable_add "); ok {
			items = append(items, strings.TrimSpace(p))
			shown[strings.TrimSpace(p)]++
		} else if strings.HasPrefix(line, "divider_add ") {
			items = append(items, "")
		} else if m := focus.FindStringSubmatch(line); m != nil {
			n := 0
			for _, c := range m[1] {
				n = n*26 + int(c-'a')
			}
			require.Equal(t, m[2], items[n])
			formats++
		}
	}
	require.Equal(t, 2, formats)
	require.Greater(t, len(items), 26, "numbers of two letters")
	plain := map[string]int{}
	for p := range want {
		plain[strings.Split(p, "[")[0]] = 1
	}
	require.Equal(t, plain, shown)
}

// TestGTKWave opens the view in GTKWave, which tells what it shows at a time.
func TestGTKWave(t *testing.T) {
	for _, tool := range []string{"gtkwave", "xvfb-run"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not there")
		}
	}
	for _, ext := range []string{"vcd", "fst"} {
		dir := create(t, "run."+ext)
		script := filepath.Join(dir, "show.tcl")
		require.NoError(t, os.WriteFile(script, []byte(`gtkwave::setMarker 65
for {set i 0} {$i < [gtkwave::getTotalNumTraces]} {incr i} {
	puts "SHOWN [gtkwave::getTraceNameFromIndex $i] [gtkwave::getTraceValueAtMarkerFromIndex $i]"
}
gtkwave::/File/Quit
`), 0o600))
		// From another folder: the view finds its files.
		c := exec.CommandContext(t.Context(), "xvfb-run", "-a", "gtkwave", "-S", script, filepath.Join(filepath.Base(dir), "run.gtkw"))
		c.Dir = filepath.Dir(dir)
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		var shown strings.Builder
		for line := range strings.Lines(string(out)) {
			if s, ok := strings.CutPrefix(line, "SHOWN "); ok {
				shown.WriteString(strings.TrimSpace(s) + "\n")
			}
		}
		golden(t, "piped.shown", shown.String())
	}
}
