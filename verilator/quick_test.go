package verilator_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/verilator"
)

func TestQuickModelsAgree(t *testing.T) {
	exercise(t, couple(t, elaborate(t, fifo, width{70}), 3, verilator.Options{Quick: true}), 7, 400)
	exercise(t, couple(t, elaborate(t, manyPorts, noParams{}), 3, verilator.Options{Quick: true}), 7, 100)
}

func TestQuickBuildCompilesHeadersOnceAndOneFileAModel(t *testing.T) {
	cache := privateCache(t)
	w := wrapTools(t, "", "")
	compilations := func(d width) int {
		build(t, elaborate(t, counter, d), verilator.Options{Quick: true, Cache: cache})
		all, _ := w.calls(t)
		n := 0
		for _, c := range all {
			if strings.HasPrefix(c, "g++") && strings.Contains(c, "-c -o unit") {
				n++
			}
			if strings.Contains(c, "c++-header") {
				n += 100
			}
		}
		return n
	}
	require.Equal(t, 101, compilations(width{8}))
	require.Equal(t, 1, compilations(width{9}))
}
