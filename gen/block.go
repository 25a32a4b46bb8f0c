package gen

import "github.com/millrace-hdl/millrace/hdl/ir"

// block is an item of a module's body: one of the types of this file.
type block interface{ block() }

type (
	// assign is a continuous assignment, or a wire declared with its value.
	assign struct {
		target  *ir.Signal
		value   ir.Expr
		declare bool
		notes   []string
		pos     ir.Pos
	}
	// comb is a combinational always block.
	comb struct {
		body []ir.Stmt
		pos  ir.Pos
	}
	// seq is a block of registers of one clock domain that are all reset or all not, or
	// of the ports of a memory.
	seq struct {
		domain *ir.Domain
		regs   []*ir.Signal
		reset  bool
		shared bool // what it assigns is also assigned elsewhere, which always_ff forbids
		body   []ir.Stmt
		pos    ir.Pos
	}
)

func (*assign) block() {}
func (*comb) block()   {}
func (*seq) block()    {}

// instance is a child with what its ports connect to.
type instance struct {
	of    *ir.Instance
	conns []conn
}

type conn struct {
	port  *ir.Signal
	value ir.Expr
	pos   ir.Pos // of the assignment that the connection stands for
}
