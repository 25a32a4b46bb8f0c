// Package floors holds the order in which packages of this module may import
// each other, and checks it. Packages live in rooms, rooms on floors; a package
// imports only from floors below its own. Next door, on the same floor, it may
// import only the rooms that its own names. Tests of a package are free: they may
// use whatever the Go tool allows.
package floors

import (
	"fmt"
	"strings"
)

// Room is a folder of the module with all packages below it that have no room of
// their own.
type Room struct {
	Path   string // folder relative to the module's root
	Floor  int
	Beside []string // rooms on the same floor that it may import
}

// House is the plan of this module.
var House = []Room{
	{Path: "hdl", Floor: 0, Beside: []string{"hdl/ir", "hdl/diag", "hdl/check", "internal/snake"}},
	{Path: "hdl/ir", Floor: 0},
	{Path: "hdl/diag", Floor: 0, Beside: []string{"hdl/ir"}},
	{Path: "hdl/check", Floor: 0, Beside: []string{"hdl/ir", "hdl/diag"}},

	{Path: "gen", Floor: 1},
	{Path: "hdl/sim", Floor: 1},
	{Path: "hdl/lib", Floor: 1},

	{Path: "bus", Floor: 2},
	{Path: "regs", Floor: 2, Beside: []string{"bus"}},
	{Path: "sw", Floor: 2},

	{Path: "idma", Floor: 3, Beside: []string{"idma/compute", "idma/backend", "idma/midend", "idma/frontend"}},
	{Path: "idma/compute", Floor: 3},
	{Path: "idma/backend", Floor: 3, Beside: []string{"idma/compute"}},
	{Path: "idma/midend", Floor: 3, Beside: []string{"idma/compute", "idma/backend"}},
	{Path: "idma/frontend", Floor: 3, Beside: []string{"idma/compute", "idma/backend", "idma/midend"}},
	{Path: "dsa", Floor: 3, Beside: []string{"idma/backend"}},
	{Path: "verilator", Floor: 3},

	{Path: "tb", Floor: 4},
	{Path: "systems", Floor: 5},
	{Path: "cmd", Floor: 6},
	{Path: "examples", Floor: 6},

	{Path: "internal/differ", Floor: 4},
	{Path: "internal/prove", Floor: 2},
	{Path: "internal/floors", Floor: 0},
	{Path: "internal/near", Floor: 0},
	{Path: "internal/snake", Floor: 0},
}

// Package is a package of the module and what it imports.
type Package struct {
	Path    string   // import path
	Imports []string // import paths, tests left out
}

// Check returns one line for each import that the plan forbids and each package
// that has no room in it, in the order given. Imports from outside the module do
// not count.
func Check(house []Room, module string, packages []Package) []string {
	var found []string
	for _, p := range packages {
		from := roomOf(house, module, p.Path)
		if from == nil {
			found = append(found, p.Path+" is in no room of the plan; put it into one, or give it a room and a floor in internal/floors")
			continue
		}
		for _, path := range p.Imports {
			if path != module && !strings.HasPrefix(path, module+"/") {
				continue
			}
			if to := roomOf(house, module, path); to != nil && !from.mayImport(to) {
				found = append(found, fmt.Sprintf("%s (%s, floor %d) imports %s (%s, floor %d); only floors below are open to it%s",
					p.Path, from.Path, from.Floor, path, to.Path, to.Floor, from.neighbours()))
			}
		}
	}
	return found
}

// roomOf is the innermost room that holds the package, nil if none does.
func roomOf(house []Room, module, path string) *Room {
	folder := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
	var best *Room
	for i, r := range house {
		inside := folder == r.Path || strings.HasPrefix(folder, r.Path+"/")
		if inside && (best == nil || len(r.Path) > len(best.Path)) {
			best = &house[i]
		}
	}
	return best
}

func (r *Room) mayImport(to *Room) bool {
	if to.Floor != r.Floor {
		return to.Floor < r.Floor
	}
	if to.Path == r.Path {
		return true
	}
	for _, b := range r.Beside {
		if b == to.Path {
			return true
		}
	}
	return false
}

func (r *Room) neighbours() string {
	if len(r.Beside) == 0 {
		return ""
	}
	return ", and beside it " + strings.Join(r.Beside, ", ")
}
