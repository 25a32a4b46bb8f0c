package gen

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

func TestResetStyleAsText(t *testing.T) {
	for _, c := range []struct {
		style       ResetStyle
		text, port  string
		high, async bool
	}{
		{AsyncLow, "async_low", "rst_n", false, true},
		{AsyncHigh, "async_high", "rst", true, true},
		{SyncLow, "sync_low", "rst_n", false, false},
		{SyncHigh, "sync_high", "rst", true, false},
	} {
		require.Equal(t, c.text, c.style.String())
		require.Equal(t, c.port, c.style.Port())
		require.Equal(t, c.high, c.style.High())
		require.Equal(t, c.async, c.style.Async())
		parsed, err := ParseResetStyle(c.text)
		require.NoError(t, err)
		require.Equal(t, c.style, parsed)
		data, err := json.Marshal(map[string]ResetStyle{"reset": c.style})
		require.NoError(t, err)
		require.JSONEq(t, `{"reset":"`+c.text+`"}`, string(data))
		var back map[string]ResetStyle
		require.NoError(t, json.Unmarshal(data, &back))
		require.Equal(t, c.style, back["reset"])
	}
	_, err := ParseResetStyle("low")
	require.EqualError(t, err, `unknown reset style "low"; choose one of async_low, async_high, sync_low, sync_high`)
	_, err = ResetStyle(7).MarshalText()
	require.ErrorContains(t, err, "unknown reset style 7")
	require.Equal(t, "reset style 7", ResetStyle(7).String())
}

// The name of a reset whose level the emission chooses tells that level, as the
// implicit domain's does; a name that comes with its kind stays.
func TestNamesOfResetsTellTheirLevel(t *testing.T) {
	chosen, said := &ir.Domain{Name: "io", Clock: "io_clk", Reset: "io_rst"}, &ir.Domain{Name: "x", Clock: "x_clk", Reset: "x_reset", Style: ir.AsyncLow}
	for _, c := range []struct {
		style ResetStyle
		want  string
	}{{SyncHigh, "io_rst"}, {AsyncHigh, "io_rst"}, {SyncLow, "io_rst_n"}, {AsyncLow, "io_rst_n"}} {
		o := Options{Reset: c.style}
		require.Equal(t, c.want, o.ResetPort(chosen))
		require.Equal(t, "x_reset", o.ResetPort(said))
		require.Equal(t, c.style.Port(), o.ResetPort(nil))
	}
	require.Empty(t, Options{}.ResetPort(&ir.Domain{Name: "n", Clock: "n_clk"}))
}
