package diag

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// place is a position for people: a path that a terminal or an editor opens, which
// is relative to the working directory where that is shorter. Where the source is
// not at hand, as after a build with -trimpath, it is the position's own text.
func place(p ir.Pos) string {
	fs := p.Frames()
	if len(fs) == 0 {
		return p.String()
	}
	return framePlace(fs[0])
}

func framePlace(f ir.Frame) string {
	if !filepath.IsAbs(f.File) {
		return f.String()
	}
	if _, err := os.Stat(f.File); err != nil {
		return f.String()
	}
	path := f.File
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, path); err == nil && len(rel) < len(path) {
			path = rel
		}
	}
	return fmt.Sprintf("%s:%d", path, f.Line)
}
