package irtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// FuzzTextReadsBack: the text of any design reads back as itself.
func FuzzTextReadsBack(f *testing.F) {
	for seed := range uint64(30) {
		f.Add(seed, uint16(1+seed*20), seed%2 == 0, seed%3 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, width uint16, full, loops bool) {
		o := Options{MaxWidth: 1 + int(width%600), Levels: 1, Signals: 4, FalseLoops: loops}
		if full {
			o = o.Full()
		}
		text := Random(seed, o).String()
		d, err := ir.Parse("random", text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(text, d.String()); diff != "" {
			t.Error(diff)
		}
	})
}
