package check

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// what names a signal with its role, for messages.
func what(s *ir.Signal) string {
	switch s.Kind {
	case ir.Input:
		return "input " + s.Name
	case ir.Output:
		return "output " + s.Name
	case ir.Reg:
		return "register " + s.Name
	case ir.InstIn, ir.InstOut:
		side := "input"
		if s.Kind == ir.InstOut {
			side = "output"
		}
		if s.Inst != nil && s.Port != nil {
			return fmt.Sprintf("%s %s of instance %s", side, s.Port.Name, s.Inst.Name)
		}
		return side + " " + s.Name + " of an instance"
	case ir.SyncRead:
		return "read data " + s.Name
	}
	return "wire " + s.Name
}

// ranged is the name of width bits of a signal from bit lo up.
func ranged(name string, lo, width, of int) string {
	switch {
	case lo == 0 && width == of:
		return name
	case width == 1:
		return fmt.Sprintf("%s[%d]", name, lo)
	}
	return fmt.Sprintf("%s[%d:%d]", name, lo+width-1, lo)
}

func bitsWord(n int) string {
	if n == 1 {
		return "1 bit"
	}
	return fmt.Sprintf("%d bits", n)
}

// typeWord is a type in words: "8 bits", "8 bits signed".
func typeWord(t ir.Type) string {
	if t.Signed {
		return bitsWord(t.Width) + " signed"
	}
	return bitsWord(t.Width)
}

func signWord(signed bool) string {
	if signed {
		return "signed"
	}
	return "unsigned"
}

func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// brief describes an expression in a few characters: a name where it has one,
// else its operator.
func brief(e ir.Expr) string {
	switch e := e.(type) {
	case nil:
		return "nothing"
	case *ir.Ref:
		if e.Signal != nil {
			return e.Signal.Name
		}
	case *ir.Const:
		if v, ok := e.Uint64(); ok {
			return fmt.Sprint(v)
		}
		return "the literal"
	case *ir.Slice:
		if r, ok := e.X.(*ir.Ref); ok && r.Signal != nil {
			return ranged(r.Signal.Name, e.Lo, e.Width, -1)
		}
		return "the slice"
	case *ir.Unary:
		return e.Op.String() + " of " + leaf(e.X)
	case *ir.Binary:
		return leaf(e.X) + " " + e.Op.String() + " " + leaf(e.Y)
	case *ir.Mux:
		return "the mux"
	case *ir.Cat:
		return "the concatenation"
	case *ir.Extend:
		return leaf(e.X)
	case *ir.Cast:
		return leaf(e.X)
	case *ir.MemRead:
		if e.Mem != nil {
			return "the read of " + e.Mem.Name
		}
	}
	return "the value"
}

// leaf is brief for what has a name, and dots for the rest.
func leaf(e ir.Expr) string {
	switch e := e.(type) {
	case *ir.Ref, *ir.Const:
		return brief(e)
	case *ir.Slice:
		if _, ok := e.X.(*ir.Ref); ok {
			return brief(e)
		}
	}
	return "(…)"
}
