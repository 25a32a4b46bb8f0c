package verilator_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/verilator"
)

// swapText is two registers in different domains that take each other's value, and
// a counter in a child with its own idea of edge and reset.
const swapText = `(design swap)
(module child
  (domain ck "ck" "clear_n" falling async_low)
  (output n u8 (on ck))
  (reg count u8 (init 3:u8) (on ck))
  (body
    (set count (add count 1:u8))
    (set n count)))
(module swap
  (domain b "b_clk" "b_rst" falling sync_high)
  (domain free "free_clk" "")
  (output x u8)
  (output y u8 (on b))
  (output n u8 (on b))
  (output z u8 (on free))
  (reg p u8 (init 1:u8) (crossing "Sampled at once."))
  (reg q u8 (init 2:u8) (on b) (crossing "Sampled at once."))
  (reg r u8 (on free) (crossing "Sampled at once."))
  (inst_out u_n u8)
  (instance u child (clock ck b) (port n u_n))
  (body
    (set p q)
    (set q p)
    (set r p)
    (set x p)
    (set y q)
    (set z r)
    (set n u_n)))`

func TestTickMovesTheDomainsItNames(t *testing.T) {
	d, err := ir.Parse("swap.ir", swapText)
	require.NoError(t, err)
	for _, style := range allStyles {
		t.Run(style.String(), func(t *testing.T) {
			e := start(t, build(t, d, verilator.Options{Quick: true, Gen: gen.Options{Reset: style}}), 0)
			require.Equal(t, []string{"", "b", "free"}, e.Layout().Domains)
			require.NoError(t, e.Reset(1))
			see := func(x, y, n uint64) {
				t.Helper()
				require.NoError(t, e.Eval())
				require.Equal(t, []uint64{x, y, n}, []uint64{get(t, e, "x"), get(t, e, "y"), get(t, e, "n")})
			}
			see(1, 2, 3)
			require.NoError(t, e.Tick(1))
			see(2, 2, 3)
			require.NoError(t, e.Reset(1))
			require.NoError(t, e.Tick(2))
			see(1, 1, 4)
			require.NoError(t, e.Reset(2))
			require.NoError(t, e.Tick(3))
			see(2, 1, 4)
			require.NoError(t, e.Tick(4))
			require.NoError(t, e.Eval())
			require.EqualValues(t, 2, get(t, e, "z"))
			require.NoError(t, e.Tick(0))
			see(2, 1, 4)
			require.NoError(t, e.Step())
			see(1, 2, 5)
			require.EqualValues(t, 10, e.Cycle())
			require.ErrorContains(t, e.Tick(8), "tick 0b1000")
			require.NoError(t, e.Close())
			require.ErrorContains(t, e.Tick(1), "closed")
		})
	}
}

func TestLockstepTicks(t *testing.T) {
	d, err := ir.Parse("swap.ir", swapText)
	require.NoError(t, err)
	l := couple(t, d, 3, verilator.Options{Quick: true, Gen: gen.Options{Reset: gen.SyncLow}})
	registers, _ := l.Compared()
	require.Equal(t, 4, registers)
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		require.NoError(t, l.Tick(r.Uint64N(8)))
		if r.IntN(20) == 0 {
			require.NoError(t, l.Reset(1))
		}
	}
}

// TestSourceOfABlackBoxIsBuilt places a box whose text is no part of the emission.
func TestSourceOfABlackBoxIsBuilt(t *testing.T) {
	d, err := ir.Parse("boxed.ir", `(design boxed)
(module TWICE
  (extern (param BY "3") (source "module TWICE #(parameter BY = 1) (input wire [7:0] a, output wire [7:0] y);\n  assign y = a * BY;\nendmodule\n"))
  (input a u8)
  (output y u8)
  (body))
(module boxed
  (input a u8)
  (output y u8)
  (inst_in u_a u8)
  (inst_out u_y u8)
  (instance u TWICE (port a u_a) (port y u_y))
  (body
    (set u_a a)
    (set y u_y)))`)
	require.NoError(t, err)
	e := start(t, build(t, d, verilator.Options{Quick: true}), 0)
	set(t, e, "a", 5)
	require.NoError(t, e.Eval())
	require.EqualValues(t, 15, get(t, e, "y"))
}
