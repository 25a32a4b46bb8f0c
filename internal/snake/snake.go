// Package snake turns Go names into the names of ports and configuration keys.
package snake

import (
	"strings"
	"unicode"
)

// Case is a Go name in lower case, its words joined by underscores. An acronym is
// one word: IDWidth is id_width, AXIPort is axi_port.
func Case(name string) string {
	rs := []rune(name)
	var b strings.Builder
	for i, r := range rs {
		if unicode.IsUpper(r) && i > 0 && rs[i-1] != '_' {
			afterLower := !unicode.IsUpper(rs[i-1])
			beforeLower := i+1 < len(rs) && unicode.IsLower(rs[i+1])
			if afterLower || beforeLower {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
