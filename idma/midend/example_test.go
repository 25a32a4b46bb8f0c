package midend_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/midend"
)

func ExampleJumps() {
	// Rows of a matrix, 0x40 bytes apart, and matrices 0x200 bytes apart.
	for _, l := range midend.Jumps([]midend.Loop{{Reps: 3, SrcStride: 0x40}, {Reps: 2, SrcStride: 0x200}}) {
		fmt.Printf("%d times %#x\n", l.Reps, l.SrcStride)
	}
	// Output:
	// 3 times 0x40
	// 2 times 0x180
}

func ExampleChain() {
	engine := backend.Default()
	loops := midend.DefaultTensor()
	loops.Backend = engine
	split := midend.DefaultSplit()
	split.Backend = engine
	chain := midend.Chain{{Name: "loops", Stage: loops}, {Name: "split", Stage: split}}
	design, err := chain.Elaborate("loops_and_split")
	fmt.Println(design.Top.Name, err)

	split.Backend.AddrWidth = 40
	chain[1].Stage = split
	fmt.Println(chain.Validate())
	// Output:
	// idma_loops_and_split <nil>
	// split's up cannot follow loops's down: the link has requests of 1 dimension, for a back-end from axi4 to axi4 with addresses of 32 and lengths of 32 bits above and requests of 1 dimension, for a back-end from axi4 to axi4 with addresses of 40 and lengths of 32 bits below; they differ in AddrWidth (32, 40); give both stages the same
}

// The page in the documentation shows these examples.
func TestThePageShowsTheExamples(t *testing.T) {
	page, err := os.ReadFile("../../docs/midends.md")
	require.NoError(t, err)
	source, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	for _, name := range []string{"ExampleJumps", "ExampleChain"} {
		_, body, found := strings.Cut(string(source), "func "+name+"() {\n")
		require.True(t, found)
		body, _, _ = strings.Cut(body, "\n}\n")
		require.Contains(t, string(page), strings.ReplaceAll("\n"+body, "\n\t", "\n"), name)
	}
}
