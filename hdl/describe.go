package hdl

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// describe names an expression in messages.
func describe(e ir.Expr) string {
	switch e := e.(type) {
	case *ir.Ref:
		return e.Signal.Name
	case *ir.Slice:
		if r, ok := e.X.(*ir.Ref); ok {
			return fmt.Sprintf("%s[%d:%d]", r.Signal.Name, e.Lo+e.Width-1, e.Lo)
		}
	case *ir.Const:
		if v, ok := e.Uint64(); ok {
			return fmt.Sprintf("the constant %d", v)
		}
		return "the constant"
	}
	return "the value"
}

// kindOf says what a signal is, in messages.
func kindOf(s *ir.Signal) string {
	switch s.Kind {
	case ir.Input:
		return "an input"
	case ir.InstOut:
		return "an output of instance " + s.Inst.Name
	case ir.SyncRead:
		if s.Mem == nil {
			return "a read port"
		}
		return "what memory " + s.Mem.Name + " reads"
	}
	return "a " + s.Kind.String()
}

// counted is a number with its noun: 1 bit, 2 bits.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
