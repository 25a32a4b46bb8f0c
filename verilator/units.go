package verilator

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// unit is a C++ file that includes others: most of the time to compile one of
// Verilator's small files goes into its headers.
type unit struct {
	name string
	slow bool // holds what runs once, at the start
	text strings.Builder
	size int64 // of what it includes
}

// unitSize is how many bytes of C++ a unit may include before another is begun.
const unitSize int64 = 150_000

// unite writes units for the C++ files of the model and for the shim, and returns
// their names. A unit includes no more than so many bytes of C++; 0 is for one
// unit that holds everything and is compiled as what runs once is.
func unite(dir string, most int64) ([]*unit, error) {
	files, err := filepath.Glob(filepath.Join(dir, "obj", "*.cpp"))
	if err != nil {
		return nil, err
	}
	var units []*unit
	open := map[bool]*unit{} // by slow
	for _, f := range append(files, filepath.Join(dir, shimName)) {
		info, err := os.Stat(f)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(dir, f)
		if err != nil {
			return nil, err
		}
		slow := most == 0 || strings.HasSuffix(f, "__Slow.cpp") || strings.HasSuffix(f, "__Syms.cpp")
		u := open[slow]
		if u == nil || most > 0 && u.size+info.Size() > most {
			u = &unit{name: fmt.Sprintf("unit%d.cpp", len(units)), slow: slow}
			fmt.Fprintf(&u.text, "#include %q\n", fixesName)
			open[slow] = u
			units = append(units, u)
		}
		fmt.Fprintf(&u.text, "#include %q\n", rel)
		u.size += info.Size()
	}
	var texts []source
	for _, u := range units {
		texts = append(texts, source{u.name, u.text.String()})
	}
	return units, writeAll(dir, texts)
}
