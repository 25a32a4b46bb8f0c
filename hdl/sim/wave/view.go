package wave

import (
	"fmt"
	"path/filepath"
	"strings"
)

// A view is what a viewer opens a wave file with: which signals, grouped by instance
// and, within one, by stream; enumerations by name. Names of values are in one file
// for each enumeration that both viewers read, in the folder where Surfer looks for
// such files below the one it runs in.

const namesFolder = ".surfer/mappings"

// views are the files beside a wave file, by their paths relative to its folder.
func views(file string, e *encoder, top *branch) map[string]string {
	base := strings.TrimSuffix(file, filepath.Ext(file))
	v := &viewer{base: base}
	files := map[string]string{}
	for _, s := range enumerations(e.vars) {
		var b strings.Builder
		fmt.Fprintf(&b, "Bits = %d\n", s.width)
		for _, x := range s.enum.Values {
			fmt.Fprintf(&b, "%d %s\n", x.Value, x.Name)
		}
		files[v.names(s)] = b.String()
	}
	v.gtkw.WriteString("[*] Open with: gtkwave " + base + ".gtkw\n")
	fmt.Fprintf(&v.gtkw, "[dumpfile] %q\n[savefile] %q\n[timestart] 0\n[sst_expanded] 1\n", file, base+".gtkw")
	v.sucl.WriteString("# Open with: surfer " + file + " --command-file " + base + ".sucl\n")
	for _, c := range e.clocks {
		for _, name := range []string{c.name, c.reset} {
			if name != "" {
				v.bit(top.name + "." + name)
			}
		}
	}
	v.scope(top, top.name)
	v.sucl.WriteString(v.formats.String() + "item_unfocus\nzoom_fit\n")
	files[base+".gtkw"] = v.gtkw.String()
	files[base+".sucl"] = v.sucl.String()
	return files
}

type viewer struct {
	base       string
	gtkw, sucl strings.Builder
	formats    strings.Builder // commands at the end
	items      int             // of Surfer's list so far
}

// names is the file of an enumeration. Its last part is the name of the format.
func (v *viewer) names(s sized) string {
	return fmt.Sprintf("%s/%s_%s_%d", namesFolder, filepath.Base(v.base), s.enum.Name, s.width)
}

// Flags of a trace, as GTKWave's save files have them.
const (
	asHex    = 0x22 // and right-justified, like the others
	asBinary = 0x28
	asSigned = 0x424
	asNamed  = 0x2024 // decimal, translated by a file
	opening  = 0x800200
	closing  = 0x1000200
	closed   = 0x400000 // of a group
	hidden   = 0x1000   // of what is in a closed group
)

func (v *viewer) bit(path string) {
	fmt.Fprintf(&v.gtkw, "@%x\n%s\n", asBinary, path)
	v.item("variable_add " + path)
}

func (v *viewer) item(command string) {
	v.sucl.WriteString(command + "\n")
	v.items++
}

func (v *viewer) signal(scope string, x variable) {
	path := scope + "." + x.name
	t := x.Type
	switch {
	case t.Enum != nil && t.Width > 1:
		file := v.names(sized{t.Enum, t.Width})
		fmt.Fprintf(&v.gtkw, "@%x\n^1 %s\n", asNamed, file)
		fmt.Fprintf(&v.formats, "item_focus %s_%s\nitem_set_format %s\n", letters(v.items), path, filepath.Base(file))
	case t.Width == 1:
		v.bit(path)
		return
	case t.Signed:
		fmt.Fprintf(&v.gtkw, "@%x\n", asSigned)
	default:
		fmt.Fprintf(&v.gtkw, "@%x\n", asHex)
	}
	v.gtkw.WriteString(path + strings.TrimPrefix(bounds(t), " ") + "\n")
	v.item("variable_add " + path)
}

// letters is the number of an item as Surfer writes it.
func letters(n int) string {
	s := ""
	for {
		s = string(rune('a'+n%26)) + s
		if n /= 26; n == 0 {
			return s
		}
	}
}

// scope shows the signals of an instance, streams first, then the instances in it.
func (v *viewer) scope(b *branch, path string) {
	groups, rest := streams(b.vars)
	for _, g := range groups {
		fmt.Fprintf(&v.gtkw, "@%x\n-%s\n", opening, g.name)
		v.item("divider_add " + path + "." + g.name)
		for _, x := range g.vars {
			v.signal(path, x)
		}
		fmt.Fprintf(&v.gtkw, "@%x\n-%s\n", closing, g.name)
	}
	if len(groups) > 0 && len(rest) > 0 {
		v.item("divider_add " + path)
	}
	for _, x := range rest {
		v.signal(path, x)
	}
	for _, c := range b.below {
		fmt.Fprintf(&v.gtkw, "@%x\n-%s\n", opening|closed, c.name)
		v.item("divider_add " + path + "." + c.name)
		v.scope(c, path+"."+c.name)
		fmt.Fprintf(&v.gtkw, "@%x\n-%s\n", closing|closed|hidden, c.name)
	}
}

// stream is a handshake with its payload.
type stream struct {
	name, prefix string
	vars         []variable // valid, ready, payload
}

// streams finds pairs of valid and ready by their names. Wires whose names begin like
// a pair's are its payload. Everything else is the rest.
func streams(vars []variable) (found []stream, rest []variable) {
	bit := map[string]variable{}
	for _, x := range vars {
		if x.Type.Width == 1 {
			bit[x.name] = x
		}
	}
	control := map[string]bool{}
	for _, x := range vars {
		p, ok := strings.CutSuffix(x.name, "valid")
		valid, isBit := bit[x.name]
		ready, pair := bit[p+"ready"]
		if ok && isBit && pair && p != "" {
			control[valid.name], control[ready.name] = true, true
			found = append(found, stream{strings.TrimSuffix(p, "_"), p, []variable{valid, ready}})
		}
	}
	for _, x := range vars {
		best := -1 // the longest prefix
		for i, s := range found {
			if strings.HasPrefix(x.name, s.prefix) && (best < 0 || len(s.prefix) > len(found[best].prefix)) {
				best = i
			}
		}
		switch {
		case control[x.name]:
		case best >= 0 && !x.State:
			found[best].vars = append(found[best].vars, x)
		default:
			rest = append(rest, x)
		}
	}
	return found, rest
}
