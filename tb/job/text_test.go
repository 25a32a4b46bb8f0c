package job

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// lines is a text with one value a line.
func lines(values string) string { return strings.ReplaceAll(values, " ", "\n") + "\n" }

func TestReadText(t *testing.T) {
	l, err := ReadText(strings.NewReader(lines("100 0x4000 0x43ff 0 1 256 4 0 1 0")+
		lines("8092 0x5000 0x15000 5 0 2 256 1 0 3 rc0x1004 wa0xFF rp0x10")), "jobs.txt", 1)
	require.NoError(t, err)
	first := New(100, 0x4000, 0x43ff)
	first.Dst.Protocol, first.Dst.MaxBeats, first.DecoupleRW, first.Line = OBI, 4, true, 1
	second := New(8092, 0x5000, 0x15000)
	second.Src.Protocol, second.Src.MaxBeats, second.DecoupleAW, second.Line = AXI4Stream, 2, true, 11
	second.Errors = []BusError{{false, Continue, 0x1004}, {true, Abort, 0xff}, {false, Replay, 0x10}}
	require.Empty(t, cmp.Diff(&List{Name: "jobs.txt", Jobs: []Job{first, second}}, l, inside))
	require.EqualValues(t, 8192, l.Bytes())
}

func TestReadTextND(t *testing.T) {
	l, err := ReadText(strings.NewReader(lines("4 0x0 0x1000 0 0 256 256 0 0 2 0x100 0x200 3 0x1 0x2 1 0x0 0x0 0")), "nd.txt", 4)
	require.NoError(t, err)
	require.Equal(t, []Dim{{2, 0x100, 0x200}, {3, 1, 2}, {1, 0, 0}}, l.Jobs[0].Dims)
	require.ErrorContains(t, l.Check(Limits{AddrWidth: 32, LengthWidth: 32, Read: []Protocol{AXI4}, Write: []Protocol{AXI4}}),
		"nd.txt:1: transfer 0: dims is 4 dimensions; not by this engine")
}

func TestTextToleratesBlanksAndCarriageReturns(t *testing.T) {
	l, err := ReadText(strings.NewReader(" 1 \r\n\t0x0\r\n0X10\r\n0\r\n0\r\n256\r\n256\r\n0\r\n0\r\n0\r\n\r\n \n"), "dos.txt", 1)
	require.NoError(t, err)
	require.EqualValues(t, 0x10, l.Jobs[0].Dst.Addr)
}

func TestMalformedText(t *testing.T) {
	good := lines("1 0x0 0x3ff 0 0 256 256 0 0 0")
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "f: no transfer in the file"},
		{"blank", "\n \n", "f: no transfer in the file"},
		{"truncated", "1\n0x0\n", "f:3: transfer 0: dst is missing; the file ends inside a transfer; expected a hexadecimal address, such as 0x1000"},
		{"truncated errors", lines("1 0x0 0x3ff 0 0 256 256 0 0 2 rc0x4"), "f:12: transfer 0: error is missing; the file ends inside a transfer; expected r or w, then c, a or p, then a hexadecimal address"},
		{"second truncated", good + "7\n", "f:12: transfer 1: src is missing"},
		{"not a number", lines("x 0x0"), `f:1: transfer 0: length is "x"; expected a decimal number of bytes`},
		{"negative", lines("-1 0x0"), `f:1: transfer 0: length is "-1"; expected a decimal`},
		{"too large", lines("18446744073709551616 0x0"), `length is "18446744073709551616"`},
		{"hexadecimal length", lines("0x10 0x0"), `length is "0x10"`},
		{"decimal address", lines("1 16"), `f:2: transfer 0: src is "16"; expected a hexadecimal address`},
		{"no digits", lines("1 0x"), `src is "0x"`},
		{"address beyond 64 bits", lines("1 0x10000000000000000"), `src is "0x10000000000000000"`},
		{"negative address", lines("1 -0x1"), `src is "-0x1"`},
		{"two values on a line", "1 2\n0x0\n", `length is "1 2"`},
		{"unknown protocol", lines("1 0x0 0x0 6 0"), `f:4: transfer 0: src_protocol is "6"; expected 0 AXI4, 1 OBI, 2 AXI4-Lite, 3 TileLink, 4 Init or 5 AXI4-Stream`},
		{"beats", lines("1 0x0 0x0 0 0 3 256"), `f:6: transfer 0: src_max_beats is "3"; expected a power of two from 1 to 256, 256 for no limit`},
		{"no beats", lines("1 0x0 0x0 0 0 256 0"), `f:7: transfer 0: dst_max_beats is "0"`},
		{"too many beats", lines("1 0x0 0x0 0 0 256 512"), `dst_max_beats is "512"`},
		{"flag", lines("1 0x0 0x0 0 0 256 256 2 0"), `f:8: transfer 0: decouple_aw is "2"; expected 0 or 1`},
		{"flag as a word", lines("1 0x0 0x0 0 0 256 256 0 yes"), `f:9: transfer 0: decouple_rw is "yes"`},
		{"too many errors", lines("1 0x0 0x0 0 0 256 256 0 0 1025"), `f:10: transfer 0: errors is "1025"; expected the number of injected errors, 0…1024`},
		{"error without action", lines("1 0x0 0x0 0 0 256 256 0 0 1 r0x4"), `f:11: transfer 0: error is "r0x4"; expected r or w, then c, a or p`},
		{"error kind", lines("1 0x0 0x0 0 0 256 256 0 0 1 xc0x4"), `error is "xc0x4"`},
		{"error action", lines("1 0x0 0x0 0 0 256 256 0 0 1 rx0x4"), `error is "rx0x4"; expected r or w, then c, a or p`},
		{"error address", lines("1 0x0 0x0 0 0 256 256 0 0 1 rc0xg"), `error is "rc0xg"`},
		{"blank line inside", "1\n\n0x0\n", `f:2: transfer 0: src is ""`},
		{"trailing garbage", good + "garbage\n", `f:11: transfer 1: length is "garbage"`},
		{"ND file read as 1D", lines("4 0x0 0x1000 0 0 256 256 0 0 2 0x100 0x200 1"), `f:11: transfer 0: error is "0x100"`},
		{"binary", "\x00\xff\xfe", `length is "\x00\xff\xfe"`},
		{"long line", strings.Repeat("9", 100_000), `length is "9999999999999999999999999999999999999999…"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadText(strings.NewReader(c.text), "f", 1)
			require.ErrorContains(t, err, c.want)
			require.ErrorAs(t, err, new(*Error))
			require.NotContains(t, err.Error(), "\n")
			require.Less(t, len(err.Error()), 300)
		})
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadFile(filepath.Join(dir, "none.txt"), 1)
	require.ErrorContains(t, err, "none.txt: cannot read the transfer list: no such file or directory")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = ReadFile(dir, 1)
	require.ErrorContains(t, err, "cannot read the transfer list")
	for _, c := range []struct{ name, text string }{
		{"a.txt", lines("1 0x2 0x3 0 0 256 256 0 0 0")}, {"a.yaml", "transfers: [{length: 1, src: 2, dst: 3}]"}, {"a.YML", "transfers: [{length: 1, src: 2, dst: 3}]"},
	} {
		path := filepath.Join(dir, c.name)
		require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
		l, err := ReadFile(path, 1)
		require.NoError(t, err)
		want := New(1, 2, 3)
		want.Line = 1
		require.Empty(t, cmp.Diff([]Job{want}, l.Jobs, inside))
	}
	_, err = ReadText(strings.NewReader("1"), "f", 0)
	require.ErrorContains(t, err, "0 dimensions asked for; 1…16")
}

func TestHugeFiles(t *testing.T) {
	_, err := ReadText(&endless{}, "big.txt", 1)
	require.ErrorContains(t, err, "big.txt: the file is larger than 64 MiB; split it")
	_, err = ReadYAML(bytes.NewReader(bytes.Repeat([]byte("# \n"), MaxYAMLBytes/3+1)), "big.yaml")
	require.ErrorContains(t, err, "big.yaml: the file is larger than 8 MiB")
	_, err = ReadText(failing{}, "bad.txt", 1)
	require.ErrorContains(t, err, "bad.txt: cannot read the transfer list: the disk is on fire")
	// Blank space without end costs nothing but its reading.
	_, err = ReadText(strings.NewReader(lines("1 0x0 0x3ff 0 0 256 256 0 0 0")+strings.Repeat("\n\f\v ", 1<<22)), "blank.txt", 1)
	require.NoError(t, err)
}

type endless struct{}

func (*endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '1'
	}
	return len(p), nil
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the disk is on fire") }

func FuzzText(f *testing.F) {
	f.Add([]byte(lines("100 0x4000 0x43ff 0 0 256 4 0 1 0")), uint8(1))
	f.Add([]byte(lines("4 0x0 0x1000 0 0 256 256 0 0 2 0x100 0x200 3 0x1 0x2 1 0x0 0x0 0")), uint8(4))
	f.Add([]byte(lines("1 0x0 0x3ff 0 0 256 256 0 0 2 rc0x4 wa0x5")), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, dims uint8) {
		checkRead(t, func() (*List, error) { return ReadText(bytes.NewReader(data), "f", int(dims%6)) })
	})
}

// checkRead requires that reading yields either a list within bounds, which all
// further checks digest, or an error in one line.
func checkRead(t *testing.T, read func() (*List, error)) {
	l, err := read()
	if err != nil {
		if l != nil || strings.ContainsRune(err.Error(), '\n') {
			t.Fatalf("list %v, error %q", l, err)
		}
		return
	}
	if len(l.Jobs) == 0 {
		t.Fatal("no transfers and no error")
	}
	for i := range l.Jobs {
		j := &l.Jobs[i]
		if !goodBeats(uint64(j.Src.MaxBeats)) || !goodBeats(uint64(j.Dst.MaxBeats)) || j.Src.Protocol > AXI4Stream || j.Line == 0 || len(j.Errors) > MaxErrors {
			t.Fatalf("transfer %d: %+v", i, j)
		}
	}
	if l.Check(Limits{AddrWidth: 64, LengthWidth: 64, Read: []Protocol{AXI4}, Write: []Protocol{AXI4}, Errors: true, ND: true}) == nil {
		_ = l.CheckOverlap()
		_ = l.CheckIndependent()
	}
}
