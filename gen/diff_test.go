package gen

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/irtest"
)

func TestDesignFuzz(t *testing.T) {
	from, n := uint64(1), uint64(40)
	if s := os.Getenv("FUZZ"); s != "" {
		fmt.Sscanf(s, "%d,%d", &from, &n)
	}
	w, _ := strconv.Atoi(os.Getenv("W"))
	for seed := from; seed < from+n; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			d := irtest.Random(seed, irtest.Options{MaxWidth: w, FalseLoops: os.Getenv("LOOPS") != ""})
			r := rand.New(rand.NewPCG(seed, 1))
			style := ResetStyle(r.IntN(4))
			require.Empty(t, blockLoop(unitsOf(t, d, Options{}), d.Top))
			files, err := Emit(d, Options{Reset: style})
			require.NoError(t, err)
			st := randomStimulus(d, r, style, 30)
			want := expected(t, d, st)
			dir := t.TempDir()
			if k := os.Getenv("KEEP"); k != "" {
				dir = k
			}
			writeBench(t, dir, d, files, style, st)
			got := icarus(t, dir, svNames(files))
			if x := cmp.Diff(want, got); x != "" {
				t.Fatal(x)
			}
		})
	}
}
