package gen

import (
	"strconv"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// names hands out identifiers of one module. Names of the description are taken
// first and never change; a derived name that is taken gets the next free number.
type names struct{ taken map[string]bool }

func newNames() *names { return &names{map[string]bool{}} }

// take claims a name of the description and reports whether it was free.
func (n *names) take(name string) bool {
	key := strings.ToLower(name)
	if n.taken[key] {
		return false
	}
	n.taken[key] = true
	return true
}

// derive claims base, or base_2, base_3 and so on.
func (n *names) derive(base string) string {
	name := base
	for i := 2; !n.take(name); i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	return name
}

// operation is the last part of the name of a wire that holds e.
func operation(e ir.Expr) string {
	switch e := e.(type) {
	case *ir.Unary:
		return [...]string{"not", "neg", "all", "any", "parity"}[e.Op]
	case *ir.Binary:
		return [...]string{"and", "or", "xor", "sum", "diff", "product", "eq", "ne", "lt", "le", "gt", "ge", "shl", "shr"}[e.Op]
	case *ir.Mux:
		return "mux"
	case *ir.Cat:
		return "cat"
	case *ir.Slice:
		return "bits"
	case *ir.Select:
		return "lane"
	case *ir.Extend:
		return "ext"
	case *ir.MemRead:
		return "read"
	}
	return "value"
}
