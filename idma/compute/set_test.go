package compute_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/compute"
)

func TestSetsInText(t *testing.T) {
	for _, o := range compute.Standard() {
		var want compute.Set
		want[o.Code()] = o
		var got compute.Set
		require.NoError(t, got.UnmarshalText([]byte("["+o.Name()+"]")))
		require.Empty(t, cmp.Diff(want, got))
		require.NoError(t, got.Validate(64))
	}
	var s compute.Set
	require.NoError(t, s.UnmarshalText([]byte("byte_swap, transpose")))
	require.Equal(t, "transpose, byte_swap", s.String())
	require.True(t, s.NeedsDstLength())
	require.NoError(t, s.UnmarshalText(nil))
	require.Empty(t, s.Ops())
	require.False(t, s.NeedsDstLength())

	require.ErrorContains(t, s.UnmarshalText([]byte("byte_swop")), `"byte_swop" is none of transpose, `)
	require.EqualError(t, s.UnmarshalText([]byte("transpose transpose_one_bank")),
		"transpose and transpose_one_bank have the same code, 1; only one of them can be in an engine")
	require.EqualError(t, compute.Set{0: compute.ByteSwap{}}.Validate(64), "byte_swap is at the place of code 0, which means no operation; allowed: 1 to 15")
	require.EqualError(t, compute.Set{1: compute.ByteSwap{}}.Validate(64), "byte_swap is at the place of code 1, but has the code 7")
	require.ErrorContains(t, compute.Set{2: compute.MXQuantise{From: 9}}.Validate(64), "From is 9")
}
