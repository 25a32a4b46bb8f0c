package floors

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/millrace-hdl/millrace"

func TestModuleKeepsTheFloors(t *testing.T) {
	packages := listPackages(t)
	require.Greater(t, len(packages), 3, "the listing of packages is too short to be the module")
	require.Empty(t, Check(House, module, packages), "see docs/architecture.md for the floors")
}

func TestPlanHasNoCycle(t *testing.T) {
	for _, r := range House {
		for _, b := range r.Beside {
			to := roomOf(House, module, module+"/"+b)
			require.NotNil(t, to, "%s names the room %s, which is not in the plan", r.Path, b)
			require.Equal(t, b, to.Path)
			require.Equal(t, r.Floor, to.Floor, "%s names %s, which is on another floor", r.Path, b)
			require.False(t, to.mayImport(&r), "%s and %s may import each other", r.Path, b)
		}
	}
}

func TestCheckFindsViolations(t *testing.T) {
	house := []Room{
		{Path: "low", Floor: 0, Beside: []string{"low/data"}},
		{Path: "low/data", Floor: 0},
		{Path: "mid", Floor: 1},
		{Path: "side", Floor: 1},
		{Path: "top", Floor: 2},
	}
	for _, c := range []struct {
		name, from, to string
		want           string // part of the finding, empty if the import is fine
	}{
		{"from above", "m/top", "m/low", ""},
		{"from two above", "m/mid", "m/low/data", ""},
		{"upward", "m/low", "m/mid", "m/low (low, floor 0) imports m/mid (mid, floor 1)"},
		{"upward from an inner room", "m/low/data", "m/top", "imports m/top"},
		{"next door", "m/mid", "m/side", "imports m/side"},
		{"next door, allowed", "m/low", "m/low/data", ""},
		{"next door, the other way", "m/low/data", "m/low", "imports m/low"},
		{"within a room", "m/mid/a", "m/mid/b", ""},
		{"from a sub-package upward", "m/mid/a", "m/top/b", "m/mid/a (mid, floor 1) imports m/top/b (top, floor 2)"},
		{"name that only starts like a room", "m/lower", "m/low", "m/lower is in no room"},
		{"no room", "m/attic", "m/low", "m/attic is in no room"},
		{"the module's root", "m", "m/low", "m is in no room"},
		{"standard library", "m/low", "fmt", ""},
		{"a module whose name starts alike", "m/low", "mother/top", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := Check(house, "m", []Package{{Path: c.from, Imports: []string{c.to}}})
			if c.want == "" {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			require.Contains(t, found[0], c.want)
		})
	}
}

func TestCheckReportsEveryImport(t *testing.T) {
	house := []Room{{Path: "a", Floor: 0}, {Path: "b", Floor: 1}, {Path: "c", Floor: 1}}
	found := Check(house, "m", []Package{
		{Path: "m/a", Imports: []string{"m/b", "m/c"}},
		{Path: "m/b", Imports: []string{"m/c"}},
	})
	require.Len(t, found, 3)
}

func listPackages(t *testing.T) []Package {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = moduleRoot(t)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	var packages []Package
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		require.NoError(t, err)
		packages = append(packages, Package{p.ImportPath, p.Imports})
	}
}
