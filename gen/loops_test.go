package gen

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// blockLoop looks at an emitted hierarchy as event-driven tools do, block by
// block, and returns a cycle of signals, or "" if there is none.
func blockLoop(units map[*ir.Module]*unit, top *ir.Module) string {
	edges := map[string][]string{}
	add := func(from, to string) { edges[from] = append(edges[from], to) }
	var visit func(m *ir.Module, path string)
	visit = func(m *ir.Module, path string) {
		u := units[m]
		reads := func(e ir.Expr, node string) {
			ir.WalkExpr(e, func(e ir.Expr) bool {
				if r, ok := e.(*ir.Ref); ok && (r.Signal.Kind != ir.Reg && r.Signal.Kind != ir.SyncRead || u.comb[r.Signal]) {
					add(path+r.Signal.Name, node)
				}
				return true
			})
		}
		for i, b := range u.blocks {
			node := fmt.Sprintf("%sblock%d", path, i)
			switch b := b.(type) {
			case *assign:
				reads(b.value, node)
				add(node, path+b.target.Name)
			case *comb:
				u.blockExprs(b, func(e ir.Expr, _ string, _ bool) ir.Expr {
					reads(e, node)
					return e
				})
				eachAssign(b.body, nil, func(a *ir.Assign, _ []ir.Expr) { add(node, path+a.Target.Name) })
			}
		}
		for _, in := range u.insts {
			for _, c := range in.conns {
				port := path + in.of.Name + "." + c.port.Name
				if c.port.Kind == ir.Input {
					reads(c.value, port)
				} else {
					add(port, path+c.value.(*ir.Ref).Signal.Name)
				}
			}
			visit(in.of.Of, path+in.of.Name+".")
		}
	}
	visit(top, "")
	state := map[string]int{}
	var stack []string
	var dfs func(n string) string
	dfs = func(n string) string {
		state[n] = 1
		stack = append(stack, n)
		for _, to := range edges[n] {
			if state[to] == 1 {
				for i, s := range stack {
					if s == to {
						return strings.Join(append(stack[i:len(stack):len(stack)], to), " -> ")
					}
				}
			}
			if state[to] == 0 {
				if c := dfs(to); c != "" {
					return c
				}
			}
		}
		stack = stack[:len(stack)-1]
		state[n] = 2
		return ""
	}
	for n := range edges {
		if state[n] == 0 {
			stack = nil
			if c := dfs(n); c != "" {
				return c
			}
		}
	}
	return ""
}
