package wave

import (
	"slices"
	"strconv"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// branch is a scope of a file: an instance.
type branch struct {
	name  string
	vars  []variable
	below []*branch
}

// add puts a variable below the branch and returns its name in its scope.
func (b *branch) add(path string, v variable) string {
	scope, name, nested := strings.Cut(path, ".")
	if !nested {
		v.name = scope
		b.vars = append(b.vars, v)
		return scope
	}
	i := slices.IndexFunc(b.below, func(c *branch) bool { return c.name == scope })
	if i < 0 {
		i = len(b.below)
		b.below = append(b.below, &branch{name: scope})
	}
	return b.below[i].add(name, v)
}

// bounds is the range behind the name of a vector: " [7:0]".
func bounds(t ir.Type) string {
	if t.Width == 1 {
		return ""
	}
	return " [" + strconv.Itoa(t.Width-1) + ":0]"
}

// header declares everything: the tops, each with the clocks.
func (e *encoder) header() {
	e.printf("$version millrace $end\n$timescale 1ns $end\n")
	for _, en := range enumerations(e.vars) {
		e.printf("$comment enum %s", en.enum.Name)
		for _, v := range en.enum.Values {
			e.printf(" %d=%s", v.Value, v.Name)
		}
		e.printf(" $end\n")
	}
	for _, b := range e.tops {
		e.scope(b, e.clocks)
	}
	e.printf("$enddefinitions $end\n")
}

func (e *encoder) scope(b *branch, clocks []clock) {
	e.printf("$scope module %s $end\n", b.name)
	for _, c := range clocks {
		e.printf("$var wire 1 %s %s $end\n", c.id, c.name)
		if c.resetID != "" {
			e.printf("$var wire 1 %s %s $end\n", c.resetID, c.reset)
		}
	}
	for _, v := range b.vars {
		kind := "wire"
		if v.State {
			kind = "reg"
		}
		e.printf("$var %s %d %s %s%s $end\n", kind, v.Type.Width, v.id, v.name, bounds(v.Type))
	}
	for _, c := range b.below {
		e.scope(c, nil)
	}
	e.printf("$upscope $end\n")
}

// sized is an enumeration as values of some width.
type sized struct {
	enum  *ir.Enum
	width int
}

// enumerations are those of variables, each once, in order of appearance.
func enumerations(vars []variable) (all []sized) {
	for _, v := range vars {
		if s := (sized{v.Type.Enum, v.Type.Width}); s.enum != nil && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// enumName is the name of a value, or its number after a question mark.
func enumName(e *ir.Enum, x []uint64) string {
	if length(x) <= 64 {
		for _, v := range e.Values {
			if v.Value == x[0] {
				return v.Name
			}
		}
	}
	return "?" + hex(x)
}

// hex is a value without leading zeros.
func hex(x []uint64) string {
	var b []byte
	for i := max(length(x)+3, 4)/4 - 1; i >= 0; i-- {
		b = append(b, "0123456789abcdef"[x[i/16]>>(i%16*4)&15])
	}
	return string(b)
}
