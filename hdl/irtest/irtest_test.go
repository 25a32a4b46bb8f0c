package irtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/check"
)

func TestRandomDesignsPassAllChecks(t *testing.T) {
	for seed := range uint64(100) {
		d := Random(seed, Options{FalseLoops: seed%3 == 0})
		require.NoError(t, check.Design(d).Err(), "seed %d", seed)
	}
}

func TestRandomIsAFunctionOfTheSeed(t *testing.T) {
	for seed := range uint64(20) {
		require.Equal(t, Random(seed, Options{}).String(), Random(seed, Options{}).String(), "seed %d", seed)
	}
	require.NotEqual(t, Random(1, Options{}).String(), Random(2, Options{}).String())
}
