package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/tb/job"
)

func TestBeatTimes(t *testing.T) {
	for _, c := range []struct {
		bytes            int
		length, src, dst uint64
		want             int
		why              string
	}{
		{4, 8, 0, 0, 2, "aligned: a beat in, a beat out"},
		{4, 8, 3, 1, 4, "the first word written needs two words read, then three words follow one another"},
		{4, 8, 1, 3, 3, "the first word written needs one byte"},
		{8, 8, 3, 5, 2, "the first word written needs one word"},
		{4, 1, 3, 1, 1, "one byte"},
		{4, 6, 3, 0, 3, "three words read, two written"},
	} {
		j := job.New(c.length, c.src, c.dst)
		require.Equal(t, c.want, beatTimes(c.bytes, &j), c.why)
	}
}
