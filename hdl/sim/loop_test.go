package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

func TestLoops(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"of one wire", `(design top) (module top (input a u1) (output y u1) (wire w u1)
			(body
			(set w (and w a))
			(set y w)))`,
			"design:3: combinational loop: w → w; break it with a register [loop]\n    design:3: w is assigned here"},
		{"of single bits, found among others", `(design top) (module top (input a u2) (output y u2) (wire v u2) (wire w u2)
			(body
			(set v (cat a[0] w[1]))
			(set w (cat v[0] v[1]))
			(set y w)))`,
			"design:3: combinational loop: v[0] → w[1] → v[0]; break it with a register [loop]\n    design:3: v[0] is assigned here\n    design:4: w[1] is assigned here"},
		{"through an instance", `(design top)
			(module buf (input a u1) (output y u1)
				(body (set y a)))
			(module top (input a u1) (output y u1) (inst_in u_a u1) (inst_out u_y u1)
				(instance u buf (port a u_a) (port y u_y))
				(body
				(set u_a (or u_y a))
				(set y u_y)))`,
			"design:7: combinational loop: u_a → u.y → u_a; break it with a register [loop]\n    design:7: u_a is assigned here\n    design:3: u.y is assigned here"},
		{"the shorter of two", `(design top) (module top (input a u1) (output y u1) (wire u u1) (wire v u1) (wire w u1)
			(body
			(set u (and v a))
			(set v (or u a))
			(set w (xor u w))
			(set y w)))`,
			"design:5: combinational loop: w → w; break it with a register [loop]\n    design:5: w is assigned here"},
		{"that no output needs", `(design top) (module top (input a u1) (output y u1) (wire w u1)
			(body (set w (and w a)) (set y a)))`,
			"design:2: combinational loop: w → w; break it with a register [loop]\n    design:2: w is assigned here"},
		{"through a condition", `(design top) (module top (input a u1) (output y u1) (wire w u1 (default 0:u1))
			(body (if (when w (set w a)))
			(set y w)))`,
			"design:2: combinational loop: w → w; break it with a register [loop]\n    design:2: w is assigned here"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := parse(t, tt.text)
			_, err := sim.New(d, sim.Options{})
			require.EqualError(t, err, tt.want)
			var list diag.List
			require.ErrorAs(t, err, &list)
			require.Equal(t, diag.Loop, list[0].Code)
		})
	}
}

// TestFalseLoops: designs whose vectors depend on themselves, but no bit of
// which does, run.
func TestFalseLoops(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       func(a, b uint64) uint64
	}{
		{"ripple by parts", `(set y[0] a[0]) (set y[7:1] (xor y[6:0] a[7:1]))`, func(a, b uint64) uint64 {
			y := a & 1
			for i := 1; i < 8; i++ {
				y |= (y>>(i-1) ^ a>>i) & 1 << i
			}
			return y
		}},
		{"a sum one bit up", `(set y (cat (add y[6:0] b[6:0]) a[0]))`, func(a, b uint64) uint64 {
			y := a & 1
			for i := 1; i < 8; i++ {
				y = a&1 | (y+b)<<1&(2<<i-1)
			}
			return y & 255
		}},
		{"shifts by literals", `(set y (or (and (shl y 3:u2) 248:u8) (shr a 5:u3)))`, func(a, b uint64) uint64 {
			y := a >> 5
			y |= y << 3
			y |= y << 3
			return y & 255
		}},
		{"negation", `(set y (cat (neg y[6:0]) a[0]))`, func(a, b uint64) uint64 {
			y := a & 1
			for i := 1; i < 8; i++ {
				y = a&1 | -y<<1&(2<<i-1)
			}
			return y & 255
		}},
		{"conditions on lower bits", `(set y a) (if (when y[0] (set y[7:4] b[7:4])) (else (set y[7] y[4])))`, func(a, b uint64) uint64 {
			if a&1 == 1 {
				return a&15 | b&240
			}
			return a&127 | a>>4&1<<7
		}},
		{"a literal decides", `(set y (cat b[7] (and y[7:1] 0:u7)))`, func(a, b uint64) uint64 { return b >> 7 << 7 }},
		{"a literal selects", `(set y (mux 1:u1 a y))`, func(a, b uint64) uint64 { return a }},
		{"hidden by a later assignment", `(set y (not y)) (if (when 1:u1 (set y a)) (else (set y b)))`, func(a, b uint64) uint64 { return a }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := parse(t, `(design top) (module top (input a u8) (input b u8) (output y u8) (body `+tt.body+`))`)
			for _, e := range check.Design(d) {
				require.NotEqual(t, diag.Loop, e.Code, "the checks and the model agree: %s", e)
			}
			m, err := sim.New(d, sim.Options{})
			require.NoError(t, err)
			for a := range uint64(256) {
				for b := uint64(0); b < 256; b += 5 {
					drive(t, m, map[string]uint64{"a": a, "b": b})
					require.NoError(t, m.Eval())
					require.Equal(t, tt.want(a, b), out(t, m, "y"), "a=%d b=%d", a, b)
				}
			}
		})
	}
}
