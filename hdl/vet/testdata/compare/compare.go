package compare

import (
	"reflect"
	"slices"

	"github.com/millrace-hdl/millrace/hdl"
)

func build(m *hdl.Module, v, w hdl.Value, s hdl.Signal, a *hdl.Var, b *hdl.Var, list []hdl.Value, p int) {
	if v == w { // want `== compares v while hardware is described, not what it carries; use Eq or Ne, and m.If or hdl.Mux on the result`
		return
	}
	if any(s) != any(3) { // want `!= compares s while hardware is described`
		return
	}
	if a == b { // want `== compares the pointer a while hardware is described`
		return
	}
	if v == hdl.K(3) { // want `== compares v while`
		return
	}
	switch v { // want `a Go switch compares v while hardware is described, not what it carries; use m.Switch`
	case hdl.K(1):
	}
	if reflect.DeepEqual(s, *a) { // want `DeepEqual compares how s was described`
		return
	}
	if slices.Contains(list, v) { // want `Contains compares hdl.Values in Go, which panics for signals`
		return
	}
	seen := map[hdl.Value]bool{} // want `a map with hdl.Value as key panics for signals, which Go cannot compare; use a name or an index as key`
	seen[v] = true
	any1 := map[any]int{}
	any1[s] = 1                      // want `s as a map key panics`
	if s.Eq(hdl.K(3)).Width() == 1 { // want `Width of Eq says nothing of its result, which only hardware knows; use m.If or hdl.Mux on it`
		return
	}
	for s.Any().Signed() { // want `Signed of Any says nothing`
	}

	if v == nil || a == nil { // optional
		return
	}
	if s.Width() == 8 && s.Signed() && hdl.K(p) == 3 {
		return
	}
	switch v.(type) {
	case hdl.K:
	case hdl.Signal:
	}
	if k, ok := v.(hdl.K); ok && k == 3 {
		return
	}
	if p == 3 && slices.Contains([]int{1}, p) && reflect.DeepEqual(p, 3) {
		return
	}
	byName := map[string]hdl.Signal{"s": s}
	byName["t"] = s
	m.If(s.Eq(hdl.K(3)), func() {})
}
