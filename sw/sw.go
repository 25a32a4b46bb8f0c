// Package sw holds the driver of the engines: C99 for programs on the processor beside
// them, which needs no operating system and no library. Sources are in the folder
// driver; here they are files that generation writes beside the RTL. Where registers
// are, the driver is told by headers that come from the register map.
package sw

import (
	"embed"
	"fmt"

	"github.com/millrace-hdl/millrace/gen"
)

//go:embed driver
var sources embed.FS

// Registers is the driver of the register front-ends.
func Registers() []gen.File { return files("idma") }

// Descriptors is the driver of the descriptor front-end.
func Descriptors() []gen.File { return files("idma_desc") }

func files(name string) []gen.File {
	var all []gen.File
	for _, ext := range []string{".h", ".c"} {
		text, err := sources.ReadFile("driver/" + name + ext)
		if err != nil {
			panic(fmt.Sprintf("a file of the driver is not in the program: %v", err))
		}
		all = append(all, gen.File{Name: "sw/" + name + ext, Data: text})
	}
	return all
}
