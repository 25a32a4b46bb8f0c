package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
)

// TestStatements checks the meaning of statements on one output y of 4 bits, for
// inputs a and b of 4 bits and the bits c and d.
func TestStatements(t *testing.T) {
	type in struct{ a, b, c, d uint64 }
	tests := []struct {
		name, body string
		want       func(in) uint64
	}{
		{"the last assignment wins", `(set y a) (if (when c (set y b)))`, func(i in) uint64 {
			if i.c == 1 {
				return i.b
			}
			return i.a
		}},
		{"bits are assigned one by one", `(set y a) (set y[2:1] b[1:0])`, func(i in) uint64 {
			return i.a&0b1001 | i.b&3<<1
		}},
		{"a later condition overrides bits of an earlier one", `(set y 0:u4) (if (when c (set y a))) (if (when d (set y[3:2] b[1:0])))`, func(i in) uint64 {
			y := uint64(0)
			if i.c == 1 {
				y = i.a
			}
			if i.d == 1 {
				y = y&3 | i.b&3<<2
			}
			return y
		}},
		{"the first true arm runs", `(if (when c (set y a)) (when d (set y b)) (else (set y 9:u4)))`, func(i in) uint64 {
			switch {
			case i.c == 1:
				return i.a
			case i.d == 1:
				return i.b
			}
			return 9
		}},
		{"an empty arm shadows the arms below", `(set y 5:u4) (if (when c) (when d (set y b)))`, func(i in) uint64 {
			if i.c == 0 && i.d == 1 {
				return i.b
			}
			return 5
		}},
		{"nested conditions", `(set y a) (if (when c (if (when d (set y b)) (else (set y[0] 1:u1)))) (else (set y[3] 0:u1)))`, func(i in) uint64 {
			switch {
			case i.c == 1 && i.d == 1:
				return i.b
			case i.c == 1:
				return i.a | 1
			}
			return i.a & 7
		}},
		{"a statement after a nested one overrides it", `(set y 0:u4) (if (when c (set y a) (if (when d (set y b)))))`, func(i in) uint64 {
			switch {
			case i.c == 0:
				return 0
			case i.d == 1:
				return i.b
			}
			return i.a
		}},
		{"switch with default", `(switch a (case 1:u4 (set y b)) (case 2:u4 7:u4 (set y 3:u4)) (default (set y a)))`, func(i in) uint64 {
			switch i.a {
			case 1:
				return i.b
			case 2, 7:
				return 3
			}
			return i.a
		}},
		{"switch without default keeps what was", `(set y 6:u4) (switch a (case 1:u4 (set y b)) (case 3:u4))`, func(i in) uint64 {
			if i.a == 1 {
				return i.b
			}
			return 6
		}},
		{"switch over every value", `(switch c (case 1:u1 (set y a)) (case 0:u1 (set y b)))`, func(i in) uint64 {
			if i.c == 1 {
				return i.a
			}
			return i.b
		}},
		{"a wire has its final value wherever it is read", `(set y w) (set w a) (if (when c (set w b)))`, func(i in) uint64 {
			if i.c == 1 {
				return i.b
			}
			return i.a
		}},
		{"a default where nothing assigns", `(set y z) (if (when c (set z[1:0] b[1:0])))`, func(i in) uint64 {
			if i.c == 1 {
				return i.a&^3 | i.b&3
			}
			return i.a
		}},
		{"a default under an empty body", `(set y z)`, func(i in) uint64 { return i.a }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newModel(t, `(design top) (module top (input a u4) (input b u4) (input c u1) (input d u1)
				(output y u4) (wire w u4 (default 0:u4)) (wire z u4 (default a)) (body `+tt.body+`))`, sim.Options{})
			for a := range uint64(16) {
				for b := range uint64(16) {
					for cd := range uint64(4) {
						i := in{a, b, cd & 1, cd >> 1}
						drive(t, m, map[string]uint64{"a": i.a, "b": i.b, "c": i.c, "d": i.d})
						require.NoError(t, m.Eval())
						require.Equal(t, tt.want(i), out(t, m, "y"), "%+v", i)
					}
				}
			}
		})
	}
}

// TestRegistersHold: bits that no executed statement assigns keep their value,
// and statements read the value before the edge.
func TestRegistersHold(t *testing.T) {
	m := newModel(t, `(design top) (module top (input c u1) (input d u1) (input a u4) (output y u8)
		(reg r u4 (init 1:u4)) (reg s u4 (init 2:u4))
		(body (if (when c (set r s) (set s r))) (if (when d (set s[3:2] a[1:0]))) (set y (cat r s))))`, sim.Options{})
	r, s := uint64(1), uint64(2)
	for i := range uint64(64) {
		c, d, a := i&1, i>>1&1, i>>2
		drive(t, m, map[string]uint64{"c": c, "d": d, "a": a & 15})
		require.NoError(t, m.Step())
		require.Equal(t, r<<4|s, out(t, m, "y"), "outputs are those before the edge")
		if c == 1 {
			r, s = s, r
		}
		if d == 1 {
			s = s&3 | a&3<<2
		}
		require.Equal(t, r, value(t, m, "r"))
		require.Equal(t, s, value(t, m, "s"))
	}
}

// TestUnassigned: a wire that nothing assigns is zero, and paths that the checks
// would refuse take what the others assign.
func TestUnassigned(t *testing.T) {
	m := newModel(t, `(design top) (module top (input a u4) (input c u1) (output y u4) (wire spare u4 unused) (wire latch u4)
		(body (if (when c) (else (set latch a))) (set y latch)))`, sim.Options{})
	drive(t, m, map[string]uint64{"a": 5, "c": 1})
	require.NoError(t, m.Step())
	require.Equal(t, uint64(5), out(t, m, "y"))
	require.Zero(t, value(t, m, "spare"))
}
