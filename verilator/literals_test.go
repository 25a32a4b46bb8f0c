package verilator_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/verilator"
)

// wideLiterals takes literals of many lengths into vectors of one width, which hold
// all ones where they do not.
func wideLiterals(m *hdl.Module, p width) struct {
	Which hdl.Var `hdl:"in"`
	Low   hdl.Var `hdl:"in"`
	Y, Q  hdl.Var
} {
	type io = struct {
		Which hdl.Var `hdl:"in"`
		Low   hdl.Var `hdl:"in"`
		Y, Q  hdl.Var
	}
	v := hdl.Ports(m, "", hdl.Source, io{Which: hdl.U(4), Low: hdl.U(8), Y: hdl.U(p.Width), Q: hdl.U(p.Width)})
	before := m.Reg("before_q", hdl.U(p.Width), hdl.InitTo(hdl.Ones(p.Width)), hdl.MayBeUnused())
	q := m.Reg("q_q", hdl.U(p.Width), hdl.InitTo(hdl.BigConst(p.Width, pattern(p.Width, 300))))
	after := m.Reg("after_q", hdl.U(p.Width), hdl.InitTo(hdl.Ones(p.Width)))
	before.Set(after)
	after.Set(before)
	v.Y.Set(after)
	q.Set(before)
	which := m.Switch(v.Which)
	for i, long := range literalLengths {
		which.Case(hdl.K(i), func() {
			v.Y.Set(hdl.BigConst(p.Width, pattern(p.Width, long)))
			q.Set(hdl.BigConst(p.Width, pattern(p.Width, long)))
			m.If(v.Low.Any(), func() { v.Y.Part(0, 8).Set(v.Low) })
		})
	}
	which.Default(func() {})
	v.Q.Set(q)
	return v
}

var literalLengths = []int{1, 40, 255, 256, 257, 300, 480, 511, 512, 513, 700, 1025}

// pattern has so many bits, cut to a width.
func pattern(width, bits int) *big.Int {
	v := new(big.Int)
	for v.BitLen() < bits {
		v.Or(new(big.Int).Lsh(v, 16), big.NewInt(0xc3a5))
	}
	return v.Rsh(v, uint(v.BitLen()-min(bits, width)))
}

// TestWideLiterals: what Verilator's headers do with literals of several parts is wrong
// in 5.006, without its optimiser and for signals of more than 2048 bits.
func TestWideLiterals(t *testing.T) {
	for w, flags := range map[int][]string{513: {"-O0"}, 4096: nil} {
		t.Run(fmt.Sprint(w, flags), func(t *testing.T) {
			o := verilator.Options{Quick: true, Flags: flags}
			exercise(t, couple(t, elaborate(t, wideLiterals, width{w}), 1, o), 7, 300)
		})
	}
}
