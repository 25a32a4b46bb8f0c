package job

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func of(jobs ...Job) *List { return &List{Name: "list", Jobs: jobs} }

var axi32 = Limits{AddrWidth: 32, LengthWidth: 16, Read: []Protocol{AXI4}, Write: []Protocol{AXI4, OBI}}

func TestCheck(t *testing.T) {
	edit := func(f func(*Job)) Job {
		j := New(16, 0x100, 0x200)
		f(&j)
		return j
	}
	for _, c := range []struct {
		name string
		job  Job
		want string // empty: allowed
	}{
		{"plain", New(16, 0x100, 0x200), ""},
		{"longest", New(0xffff, 0x100, 0x200_0000), ""},
		{"too long", New(0x10000, 0x100, 0x200_0000), "list: transfer 0: length is 65536; at most 65535 with 16 length bits"},
		{"up to the top", New(16, 0x100, 0xffff_fff0), ""},
		{"around the top", New(17, 0x100, 0xffff_fff0), "length is 17; from dst 0xfffffff0 it wraps around the 32-bit address space; at most 16 bytes fit"},
		{"source around the top", New(2, 0xffff_ffff, 0), "length is 2; from src 0xffffffff it wraps around the 32-bit address space; at most 1 bytes fit"},
		{"nothing at the top", New(0, 0xffff_ffff, 0xffff_ffff), ""},
		{"address too wide", New(1, 0x1_0000_0000, 0), "src is 0x100000000; at most 0xffffffff with 32 address bits"},
		{"read protocol", edit(func(j *Job) { j.Src.Protocol = OBI }), "src_protocol is obi; not by this engine; it offers [axi4] here"},
		{"write protocol", edit(func(j *Job) { j.Dst.Protocol = OBI }), ""},
		{"unknown protocol", edit(func(j *Job) { j.Dst.Protocol = 9 }), "dst_protocol is protocol 9; not by this engine; it offers [axi4 obi] here"},
		{"beats", edit(func(j *Job) { j.Dst.MaxBeats = 0 }), "dst_max_beats is 0; expected a power of two"},
		{"stream", edit(func(j *Job) { j.Stream = 1 }), "stream is 1; expected 0…0; that is how many streams the engine has"},
		{"ND", edit(func(j *Job) { j.Dims = []Dim{{2, 1, 1}} }), "dims is 2 dimensions; not by this engine; it moves 1D transfers only"},
		{"errors", edit(func(j *Job) { j.Errors = []BusError{{}} }), "errors is 1 injected errors; not by this engine; it is built without error handling, which error_handling=true adds"},
	} {
		err := of(c.job).Check(axi32)
		if c.want == "" {
			require.NoError(t, err, c.name)
			continue
		}
		require.ErrorContains(t, err, c.want, c.name)
	}
	wide := Limits{AddrWidth: 64, LengthWidth: 64, Read: []Protocol{AXI4}, Write: []Protocol{AXI4}, Errors: true, ND: true}
	require.NoError(t, of(New(1<<63, 1<<63, 0), edit(func(j *Job) { j.Errors, j.Dims = []BusError{{}}, []Dim{{}} })).Check(wide))
	require.ErrorContains(t, of(New(1<<63+1, 1<<63, 0)).Check(wide), "at most 9223372036854775808 bytes fit")
	require.NoError(t, of(New(^uint64(0), 1, 0)).Check(wide))
	j := New(1, 0x1_0000_0000, 0)
	j.Line = 7
	require.ErrorContains(t, of(New(1, 0, 1), j).Check(axi32), "list:7: transfer 1: src is")
}

// touches is the bytes of a transfer, the slow way.
func touches(a, n, x uint64) bool { return x >= a && x-a < n }

func TestOverlapAgainstBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	fixed := New(16, 0, 8)
	fixed.Src.Burst = 0
	for range 20000 {
		var js []Job
		for range 4 {
			js = append(js, New(rng.Uint64N(6), rng.Uint64N(60), rng.Uint64N(60)))
		}
		if rng.IntN(10) == 0 {
			js = append(js, fixed) // moves nothing, and so disturbs nobody
		}
		depends := func(j, e *Job) bool {
			for x := range uint64(80) {
				if touches(j.Src.Addr, j.Reads(), x) && touches(e.Dst.Addr, e.Reads(), x) || touches(j.Dst.Addr, j.Reads(), x) && touches(e.Src.Addr, e.Reads(), x) {
					return true
				}
			}
			return false
		}
		anywhere := false
		for i := range js {
			for k := range i {
				d := depends(&js[i], &js[k])
				require.Equal(t, d, js[i].DependsOn(&js[k]), "%+v %+v", js[i], js[k])
				anywhere = anywhere || d
			}
			up := js[i].Dst.Addr > js[i].Src.Addr && depends(&js[i], &js[i])
			require.Equal(t, up, js[i].OverlapsUpward(), "%+v", js[i])
		}
		require.Equal(t, anywhere, of(js...).CheckIndependent() != nil, "%+v", js)
	}
}

func TestOverlapMessages(t *testing.T) {
	require.NoError(t, of(New(16, 8, 0), New(16, 0x100, 0x100)).CheckOverlap())
	require.ErrorContains(t, of(New(1, 0, 9), New(16, 0x100, 0x104)).CheckOverlap(),
		"list: transfer 1: dst is 0x104; it overlaps the transfer's own source from 4 bytes above, and the engine reads ahead of its writes: the result would depend on timing; copy downward")
	require.ErrorContains(t, of(New(16, 0, 0x100), New(4, 0x500, 0x600), New(16, 0x10c, 0x200)).CheckIndependent(),
		"list: transfer 2: it reads what transfer 0 writes or writes what that one reads, at 0x10c: launched back to back, the result would depend on timing; wait on overlap")
	top := ^uint64(0)
	require.True(t, overlap(top-1, 2, top, 1))
	require.False(t, overlap(top, 1, 0, 1))
}

func TestWritesThroughTwoPortsDependOnEachOther(t *testing.T) {
	a, b := New(16, 0, 0x1000), New(16, 0x100, 0x1008)
	require.False(t, b.DependsOn(&a), "through one port they are in order")
	require.NoError(t, (&List{Jobs: []Job{a, b}}).CheckIndependent())
	b.Dst.Head = 1
	require.True(t, b.DependsOn(&a))
	require.ErrorContains(t, (&List{Jobs: []Job{a, b}}).CheckIndependent(), "writes what transfer 0 writes through another port, at 0x1008")
	b.Dst.Addr = 0x1010
	require.False(t, b.DependsOn(&a))
	require.NoError(t, (&List{Jobs: []Job{a, b}}).CheckIndependent())
	b.Dst.Addr, b.Dst.Protocol = 0x1008, AXI4Stream
	require.False(t, b.DependsOn(&a), "a stream lies in no memory")
}
