package config

import (
	"strings"
	"testing"
)

// FuzzConfig: no file and no pair makes reading panic.
func FuzzConfig(f *testing.F) {
	for _, s := range []string{
		"data_width: 64\n", "inner: {depth: 3, kinds: [a, b]}\n", "colour: green\n---\n", "a: &x [*x]\n", "? - :\n", "data_width=1", "kinds=[a,", "count=-1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var a, b settings
		_ = Decode(&a, "fuzz.yaml", strings.NewReader(text))
		_ = Load(&b, "", []string{text, "data_width=" + text})
	})
}
