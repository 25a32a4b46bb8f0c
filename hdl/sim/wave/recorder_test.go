package wave_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
)

// TestRecorder: what a recorder holds is the end of the full file.
func TestRecorder(t *testing.T) {
	m := newModel(t, waved, sim.Options{})
	rec := wave.NewRecorder("top", m, 5, nil)
	traceRun(t, wave.Trace(m, rec), 0, 12)
	var window bytes.Buffer
	require.NoError(t, rec.WriteVCD(&window))
	got := read(t, window.String())

	full := newModel(t, waved, sim.Options{})
	var b bytes.Buffer
	v := wave.NewVCD(&b, "top", full, nil)
	traceRun(t, wave.Trace(full, v), 0, 12)
	require.NoError(t, v.Close())
	all := read(t, b.String())
	last := map[string]string{}
	for k, v := range all.values {
		var at int
		_, err := fmt.Sscan(k, &at)
		require.NoError(t, err)
		if at >= 90 {
			last[k] = v
		}
	}
	require.Equal(t, last, got.values)
	require.Equal(t, 140, got.end)
}

func TestRecordersShareAFile(t *testing.T) {
	a, b := newModel(t, waved, sim.Options{}), newModel(t, waved, sim.Options{})
	ra, rb := wave.NewRecorder("go", a, 3, wave.Registers(a)), wave.NewRecorder("rtl", b, 3, wave.Registers(b))
	var out bytes.Buffer
	require.NoError(t, wave.WriteVCD(&out, ra, rb), "nothing recorded yet")
	traceRun(t, wave.Trace(a, ra), 0, 9)
	require.ErrorContains(t, wave.WriteVCD(&out, ra, rb), "go holds 3 cycles and rtl 0; sample them together")
	traceRun(t, wave.Trace(b, rb), 0, 8)
	require.ErrorContains(t, wave.WriteVCD(&out, ra, rb), "go was sampled in cycle 8 and rtl in 7; sample them together")
	traceRun(t, wave.Trace(b, rb), 8, 9)
	out.Reset()
	require.NoError(t, wave.WriteVCD(&out, ra, rb))
	values := read(t, out.String())
	for _, top := range []string{"go", "rtl"} {
		require.Equal(t, []string{"101", "110", "111"}, []string{values.at(8, top+".a.count"), values.at(9, top+".a.count"), values.at(10, top+".a.count")})
		require.Equal(t, "1", values.at(9, top+".clk"), "each has the clock")
	}
	require.NotContains(t, values.widths, "go.a.next", "only the variables asked for")
	require.ErrorContains(t, wave.WriteVCD(&out), "no recorder given")
}
