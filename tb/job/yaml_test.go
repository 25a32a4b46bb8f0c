package job

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestReadYAML(t *testing.T) {
	l, err := ReadYAML(strings.NewReader(`
defaults:
  decouple_aw: true
  src_max_beats: 16
  dst_attributes: {qos: 3}
transfers:
  - {length: 64, src: 0x1000, dst: 0x8000_2003}
  - length: 0x10
    src: 0
    dst: 5
    src_protocol: obi
    dst_protocol: 5
    src_max_beats: 256
    dst_max_beats: 1
    decouple_aw: false
    decouple_rw: 1
    last: false
    user: 7
    src_attributes: {burst: 0, cache: 15, lock: true, prot: 7, qos: 15, region: 15}
    dims: [{reps: 2, src_stride: 0x10, dst_stride: 0x20}]
    errors: [rc0x4, wa0x10]
    stream: 3
  - {length: 8, src: 0x10, dst: 0x20, repeat: {count: 3, src_step: 8, dst_step: 0x10}}
`), "jobs.yaml")
	require.NoError(t, err)
	start := func(length, src, dst uint64, line int) Job {
		j := New(length, src, dst)
		j.DecoupleAW, j.Src.MaxBeats, j.Dst.QoS, j.Line = true, 16, 3, line
		return j
	}
	second := start(16, 0, 5, 8)
	second.Src.Protocol, second.Dst.Protocol, second.Src.MaxBeats, second.Dst.MaxBeats = OBI, AXI4Stream, 256, 1
	second.DecoupleAW, second.DecoupleRW, second.Last, second.User = false, true, false, 7
	second.Src.Attributes = Attributes{Burst: 0, Cache: 15, Lock: true, Prot: 7, QoS: 15, Region: 15}
	second.Dims = []Dim{{2, 0x10, 0x20}}
	second.Stream = 3
	second.Errors = []BusError{{false, Continue, 4}, {true, Abort, 16}}
	want := &List{Name: "jobs.yaml", Jobs: []Job{
		start(64, 0x1000, 0x80002003, 7), second,
		start(8, 0x10, 0x20, 23), start(8, 0x18, 0x30, 23), start(8, 0x20, 0x40, 23),
	}}
	require.Empty(t, cmp.Diff(want, l, inside))
}

func TestYAMLAnchors(t *testing.T) {
	l, err := ReadYAML(strings.NewReader("transfers: [&a {length: 1, src: 2, dst: 3}, *a]"), "f")
	require.NoError(t, err)
	require.Len(t, l.Jobs, 2)
	require.Equal(t, l.Jobs[0].Dst, l.Jobs[1].Dst)
}

func TestMalformedYAML(t *testing.T) {
	one := func(fields string) string { return "transfers:\n  - {" + fields + "}\n" }
	full := func(fields string) string { return one("length: 1, src: 0, dst: 8, " + fields) }
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "f: the file is empty; expected the key transfers"},
		{"comment only", "# nothing\n", "expected the key transfers"},
		{"no mapping", "- 1\n", "f:1: the file is a list; expected a mapping with keys among defaults, transfers"},
		{"syntax", "transfers:\n  - {length: 1\n", "f:1: not readable as YAML: did not find expected ',' or '}'"},
		{"tab", "transfers:\n\t- a\n", "f:2: not readable as YAML: found character that cannot start any token"},
		{"bad UTF-8", "transfers: \xff\xfe", "not readable as YAML"},
		{"two documents", one("length: 1, src: 0, dst: 0") + "---\na: 1\n", "more than one YAML document"},
		{"no transfers", "defaults: {}\n", "f:1: transfers is missing; expected a list of transfers"},
		{"transfers null", "transfers:\n", "transfers is empty; expected a list of transfers"},
		{"transfers empty", "transfers: []\n", "transfers is empty; expected at least one transfer"},
		{"transfers mapping", "transfers: {}\n", "transfers is a mapping; expected a list of transfers"},
		{"unknown section", "transfer: []\n", `f:1: key is "transfer"; unknown in the file; did you mean transfers?`},
		{"unknown key", full("lenght: 2"), `f:2: transfer 0: key is "lenght"; unknown in the transfer; did you mean length?`},
		{"unknown attribute", full("src_attributes: {cach: 1}"), `unknown in src_attributes; did you mean cache?`},
		{"unknown key far from all", full("zzzzzzzz: 2"), `there are length, src, dst`},
		{"key no scalar", "transfers:\n  - {[1]: 2}\n", "key is a list; unknown in the transfer"},
		{"repeat in defaults", "defaults: {repeat: {count: 2}}\ntransfers: []\n", `f:1: key is "repeat"; unknown in defaults`},
		{"twice", one("length: 1, src: 0, dst: 8, src: 1"), "src is given twice; give it once"},
		{"missing length", one("src: 0, dst: 8"), "f:2: transfer 0: length is missing; every transfer needs length, src and dst"},
		{"missing dst", one("length: 1, src: 8"), "transfer 0: dst is missing"},
		{"length word", one("length: many, src: 0, dst: 8"), `f:2: transfer 0: length is "many"; expected a number from 0 to 0xffffffffffffffff, decimal or hexadecimal with 0x`},
		{"negative", one("length: -1, src: 0, dst: 8"), `length is "-1"`},
		{"fraction", one("length: 1.5, src: 0, dst: 8"), `length is "1.5"`},
		{"octal", one("length: 010, src: 0, dst: 8"), `length is "010"`},
		{"quoted number", one("length: '1', src: 0, dst: 8"), `length is "1"; expected a number`},
		{"beyond 64 bits", one("length: 1, src: 0x1_0000_0000_0000_0000, dst: 8"), `src is "0x1_0000_0000_0000_0000"`},
		{"underscores only", one("length: 1, src: 0x__, dst: 8"), `src is "0x__"`},
		{"length list", one("length: [1], src: 0, dst: 8"), "length is a list"},
		{"length null", one("length: , src: 0, dst: 8"), "length is empty"},
		{"protocol", full("src_protocol: axi5"), `src_protocol is "axi5"; expected one of axi4, obi, axi4_lite, tilelink, init, axi4_stream`},
		{"beats", full("dst_max_beats: 24"), `dst_max_beats is "24"; expected a power of two from 1 to 256`},
		{"beats word", full("dst_max_beats: all"), `dst_max_beats is "all"; expected a power of two`},
		{"boolean", full("decouple_rw: maybe"), `decouple_rw is "maybe"; expected true or false`},
		{"burst", full("src_attributes: {burst: 2}"), `src_attributes.burst is "2"; expected 0 for FIXED or 1 for INCR`},
		{"cache", full("dst_attributes: {cache: 16}"), `dst_attributes.cache is "16"; expected a number from 0 to 0xf`},
		{"cache reserved", full("dst_attributes: {cache: 4}"), "the combination is reserved"},
		{"prot", full("dst_attributes: {prot: 8}"), `dst_attributes.prot is "8"; expected a number from 0 to 0x7`},
		{"attributes scalar", full("src_attributes: 3"), `src_attributes is "3"; expected a mapping`},
		{"error entry", full("errors: [rc4]"), `errors is "rc4"; expected r or w`},
		{"errors scalar", full("errors: 3"), `errors is "3"; expected a list`},
		{"too many errors", full("errors: [" + strings.Repeat("rc0x4,", 1025) + "]"), "expected a list of at most 1024 entries"},
		{"stream", full("stream: 16"), `stream is "16"; expected a number from 0 to 0xf`},
		{"dims", full("dims: 3"), `dims is "3"; expected a list of at most 15 dimensions`},
		{"dim entry", full("dims: [3]"), `dims is "3"; expected a mapping`},
		{"repeat zero", full("repeat: {count: 0}"), `repeat.count is "0"; expected 1…1048576`},
		{"repeat too often", full("repeat: {count: 5000000}"), `repeat.count is "5000000"`},
		{"too many transfers", full("repeat: {count: 1048576}") + "  - {length: 1, src: 0, dst: 1}\n", "more than 1048576 transfers"},
		{"second transfer", full("last: true") + "  - {length: x, src: 0, dst: 1}\n", "f:3: transfer 1: length is"},
		{"alias of itself", "transfers: &a [*a]\n", "f:1: transfer 0: the transfer is a list; expected a mapping"},
		{"deep", strings.Repeat("[", 20000), "not readable as YAML"},
		{"deep mapping", "transfers: " + strings.Repeat("{a: ", 20000), "not readable as YAML"},
		{"merge key", "defaults: &d {last: true}\ntransfers: [{<<: *d, length: 1, src: 0, dst: 0}]\n", `key is "<<"; unknown in the transfer`},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := ReadYAML(strings.NewReader(c.text), "f")
			require.Nil(t, l)
			require.ErrorContains(t, err, c.want)
			require.ErrorAs(t, err, new(*Error))
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func FuzzYAML(f *testing.F) {
	f.Add([]byte("defaults: {last: true}\ntransfers:\n  - {length: 64, src: 0x1000, dst: 0x2003, repeat: {count: 3, src_step: 8}}\n"))
	f.Add([]byte("transfers: [&a {length: 1, src: 2, dst: 3, errors: [rc0x4], dims: [{reps: 2}]}, *a]"))
	f.Add([]byte("transfers: [{length: 1, src: 2, dst: 3, src_attributes: {cache: 3, lock: true}}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkRead(t, func() (*List, error) { return ReadYAML(bytes.NewReader(data), "f") })
	})
}
