package gen

import (
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// enum is an enumeration that the module declares.
type enum struct {
	of    *ir.Enum
	typ   ir.Type
	name  string   // of the typedef
	names []string // of the values
}

// constant is the name of a literal of the enumeration, if it has one.
func (n *enum) constant(c *ir.Const) (string, bool) {
	v, ok := c.Uint64()
	for i, k := range n.of.Values {
		if ok && k.Value == v {
			return n.names[i], true
		}
	}
	return "", false
}

func sameEnum(a, b *ir.Enum) bool {
	if a == b {
		return true
	}
	if a.Name != b.Name || len(a.Values) != len(b.Values) {
		return false
	}
	for i := range a.Values {
		if a.Values[i] != b.Values[i] {
			return false
		}
	}
	return true
}

// findEnums lists the enumerations whose values the module names, gives the
// values names that are free, and finds the signals that can have the enumeration
// as their type: those that only ever take named values.
func (u *unit) findEnums() {
	u.typed = map[*ir.Signal]*enum{}
	for _, b := range u.blocks {
		u.blockExprs(b, func(e ir.Expr, _ string, _ bool) ir.Expr {
			u.enumsIn(e)
			return e
		})
		switch b := b.(type) {
		case *comb:
			u.enumCases(b.body)
		case *seq:
			u.enumCases(b.body)
			for _, r := range b.regs {
				if r.Init != nil {
					u.enumsIn(r.Init)
				}
			}
		}
	}
	for _, in := range u.insts {
		for _, c := range in.conns {
			u.enumsIn(c.value)
		}
	}
	values := map[*ir.Signal][]ir.Expr{}
	for _, b := range u.blocks {
		switch b := b.(type) {
		case *assign:
			values[b.target] = append(values[b.target], b.value)
		case *comb:
			collectValues(b.body, values)
		case *seq:
			collectValues(b.body, values)
			for _, r := range b.regs {
				if r.Init != nil {
					values[r] = append(values[r], r.Init)
				}
			}
		}
	}
	for _, s := range u.signals() {
		if s.Type.Enum == nil || s.Kind != ir.Wire && s.Kind != ir.Reg {
			continue
		}
		n := u.enumOf(s.Type)
		named := n != nil && len(values[s]) > 0
		for _, v := range values[s] {
			c, ok := v.(*ir.Const)
			named = named && ok && c.Typ.Enum != nil && u.enumOf(c.Typ) == n
			if named {
				_, named = n.constant(c)
			}
		}
		if named {
			u.typed[s] = n
		}
	}
}

// collectValues lists what each signal is assigned; a part counts as an unnamed
// value.
func collectValues(list []ir.Stmt, values map[*ir.Signal][]ir.Expr) {
	eachAssign(list, nil, func(a *ir.Assign, _ []ir.Expr) {
		values[a.Target] = append(values[a.Target], a.Value)
	})
}

func (u *unit) enumCases(list []ir.Stmt) {
	ir.WalkStmts(list, func(s ir.Stmt) bool {
		if s, ok := s.(*ir.Switch); ok {
			for _, k := range s.Cases {
				for _, v := range k.Values {
					u.enumsIn(v)
				}
			}
		}
		return true
	})
}

func (u *unit) enumsIn(e ir.Expr) {
	ir.WalkExpr(e, func(e ir.Expr) bool {
		if c, ok := e.(*ir.Const); ok && c.Typ.Enum != nil && u.enumOf(c.Typ) == nil {
			u.addEnum(c.Typ)
		}
		return true
	})
}

func (u *unit) enumOf(t ir.Type) *enum {
	for _, n := range u.enums {
		if n.typ.Same(t) && sameEnum(n.of, t.Enum) {
			return n
		}
	}
	return nil
}

func (u *unit) addEnum(t ir.Type) {
	n := &enum{of: t.Enum, typ: t, name: u.names.derive(t.Enum.Name + "_t")}
	for _, v := range t.Enum.Values {
		name := v.Name
		if !u.names.take(name) {
			name = u.names.derive(strings.ToUpper(t.Enum.Name) + "_" + v.Name)
		}
		n.names = append(n.names, name)
	}
	u.enums = append(u.enums, n)
}
