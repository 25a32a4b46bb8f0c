// Package near finds the names that somebody probably meant.
package near

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// all is up to how many names are listed when none is near.
const all = 24

// Names returns up to five of the known names that look like name, nearest first.
func Names(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var cs []candidate
	low := strings.ToLower(name)
	for _, k := range known {
		dist := levenshtein.ComputeDistance(low, strings.ToLower(k))
		part := len(low) >= 2 && (strings.Contains(strings.ToLower(k), low) || strings.Contains(low, strings.ToLower(k)))
		if dist <= max(2, len(low)/3) || part {
			cs = append(cs, candidate{k, dist})
		}
	}
	slices.SortStableFunc(cs, func(a, b candidate) int { return a.distance - b.distance })
	cs = cs[:min(5, len(cs))]
	names := make([]string, len(cs))
	for i, c := range cs {
		names[i] = c.name
	}
	return names
}

// Hint is the end of an error about an unknown name: the names near it, or all
// that there are. what is "key", "design", ….
func Hint(what, name string, known []string) string {
	if ns := Names(name, known); len(ns) > 0 {
		return "did you mean " + strings.Join(ns, ", ") + "?"
	}
	if len(known) == 0 {
		return "there is no " + what + " to choose from"
	}
	if len(known) > all {
		return "there are " + strings.Join(known[:all], ", ") + ", …"
	}
	return "there are " + strings.Join(known, ", ")
}
