package backend

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/internal/prove"
)

// TestFormalFindsBugs has mistakes put into the RTL found by the property that forbids them.
func TestFormalFindsBugs(t *testing.T) {
	for _, b := range []struct{ name, module, from, to, property string }{
		{"read address withdrawn", "read axi4", "(offered_q || !hold)", "!hold", "ar_valid_stays"},
		{"page ends a word late", "read axi4", "page_left = ~next_word[10:0]", "page_left = ~(next_word[10:0] - 11'd1)", "ar_within_4k"},
		{"transfer a beat long", "read axi4", "12'(burst_len)) - 12'd1", "12'(burst_len))", "ar_no_more_than_asked"},
		{"write address twice", "write axi4", "addressed_q <= (addressed_q || (awvalid && awready))", "addressed_q <= (awvalid && awready)", "at_most_two_apart"},
		{"answer before the write response", "completion", "answers = u_written_out_data[2] || bvalid", "answers = 1'b1", "acknowledged_before_answered"},
	} {
		t.Run(b.name, func(t *testing.T) {
			places := 0
			edit := func(files []gen.File) []gen.File {
				for i, f := range files {
					if !strings.HasSuffix(f.Name, "_props.sv") && strings.Contains(string(f.Data), b.from) {
						places++
						files[i].Data = []byte(strings.Replace(string(f.Data), b.from, b.to, 1))
					}
				}
				return files
			}
			for _, p := range proofs {
				if p.module != b.module {
					continue
				}
				r := p.check(t, strings.Fields(p.configs)[0], prove.Options{Depth: 8, Prove: time.Second, Search: 10 * time.Second, Only: b.property, Edit: edit})
				require.Positive(t, places, "%q in the RTL", b.from)
				require.Len(t, r.Properties, 1)
				found := r.Properties[0]
				require.Equal(t, prove.Failed, found.Status)
				trace, err := os.ReadFile(found.Trace)
				require.NoError(t, err)
				require.Contains(t, string(trace), found.Name+"_holds")
			}
		})
	}
}
