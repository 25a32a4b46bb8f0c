package gen

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
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
