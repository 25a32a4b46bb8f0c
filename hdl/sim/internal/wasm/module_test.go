package wasm_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"

	"github.com/millrace-hdl/millrace/hdl/sim/internal/wasm"
)

// TestModule runs a module that uses all forms of instructions.
func TestModule(t *testing.T) {
	m := &wasm.Module{Pages: 2}
	store := wasm.NewBody(1) // memory[arg+8] = constant of full length, or 5 where memory[arg] is odd
	x := store.Local(wasm.I64)
	y := store.Local(wasm.I32)
	store.Get(0)
	store.Load(wasm.I32, 0)
	store.Tee(y)
	store.Const32(1)
	store.Op(wasm.I32And)
	store.If(wasm.I64)
	store.Const64(5)
	store.Op(wasm.Else)
	store.Const64(0xfedcba9876543210)
	store.Op(wasm.End)
	store.Set(x)
	store.Get(0)
	store.Get(x)
	store.Store(wasm.I64, 8)
	require.Equal(t, 14, store.Count())
	f := m.Add("", []wasm.Type{wasm.I32}, store)
	loop := wasm.NewBody(1) // memory[0] counts down from the argument
	loop.Loop()
	loop.Const32(0)
	loop.Get(0)
	loop.Store(wasm.I32, 0)
	loop.Const32(0)
	loop.Call(f)
	loop.Get(0)
	loop.Const32(0xffffffff)
	loop.Op(wasm.I32Add)
	loop.Tee(0)
	loop.BranchIf(0)
	loop.Op(wasm.End)
	m.Add("count", []wasm.Type{wasm.I32}, loop)

	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer func() { require.NoError(t, r.Close(ctx)) }()
	got, err := r.Instantiate(ctx, m.Bytes())
	require.NoError(t, err)
	require.EqualValues(t, 2*wasm.PageSize, got.Memory().Size())
	_, err = got.ExportedFunction("count").Call(ctx, 300)
	require.NoError(t, err)
	v, _ := got.Memory().ReadUint32Le(0)
	require.EqualValues(t, 1, v)
	w, _ := got.Memory().ReadUint64Le(8)
	require.EqualValues(t, 5, w)
	require.True(t, got.Memory().WriteUint32Le(0, 2))
	_, err = got.ExportedFunction("count").Call(ctx, 2)
	require.NoError(t, err)
}

// TestConstants: every constant arrives as it is.
func TestConstants(t *testing.T) {
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer func() { require.NoError(t, r.Close(ctx)) }()
	m := &wasm.Module{Pages: 1}
	b := wasm.NewBody(0)
	var want []uint64
	for i := range 64 {
		for _, v := range []uint64{1 << i, 1<<i - 1, ^uint64(0) << i, -(uint64(1) << i) - 1} {
			b.Const32(0)
			b.Const64(v)
			b.Store(wasm.I64, uint32(8*len(want)))
			want = append(want, v)
		}
	}
	m.Add("store", nil, b)
	got, err := r.Instantiate(ctx, m.Bytes())
	require.NoError(t, err)
	_, err = got.ExportedFunction("store").Call(ctx)
	require.NoError(t, err)
	for i, w := range want {
		v, _ := got.Memory().ReadUint64Le(uint32(8 * i))
		require.Equal(t, w, v)
	}
}
