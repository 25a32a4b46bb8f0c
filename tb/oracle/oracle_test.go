package oracle

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

func list(jobs ...job.Job) *job.List { return &job.List{Name: "list", Jobs: jobs} }

var opt = Options{Bytes: 4, Guard: 16, Seed: 1}

// copied does what the list asks for on the memory itself, first job first, with
// every byte read before it is overwritten.
func copied(l *job.List, from, to *mem.Store) {
	for _, j := range l.Jobs {
		if j.Refused() {
			continue
		}
		var data []byte
		for k := range j.Length {
			data = append(data, from.Byte(j.Src.Addr+k))
		}
		for k, v := range data {
			to.SetByte(j.Dst.Addr+uint64(k), v)
		}
	}
}

func TestSharedMemoryAgainstPlainCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	compared := 0
	for range 500 {
		l := list()
		for range 6 {
			l.Jobs = append(l.Jobs, job.New(rng.Uint64N(40), 0x100+rng.Uint64N(200), 0x100+rng.Uint64N(200)))
		}
		s := mem.NewStore(9)
		o, err := New(l, s, s, opt)
		if err != nil {
			require.Error(t, l.CheckOverlap())
			continue
		}
		copied(l, s, s)
		first, n := o.Compare(s, 10)
		require.Zero(t, n, "%v", first)
		compared++
	}
	require.Greater(t, compared, 20)
}

func TestSeparateMemoriesAllowAnyOverlap(t *testing.T) {
	// Upward into itself, and reading what an earlier one wrote: reads see neither.
	l := list(job.New(64, 0x100, 0x104), job.New(32, 0x104, 0x200))
	from, to := mem.NewStore(1), mem.NewStore(2)
	o, err := New(l, from, to, opt)
	require.NoError(t, err)
	copied(l, from, to)
	_, n := o.Compare(to, 1)
	require.Zero(t, n)
	require.Equal(t, from.Byte(0x107), to.Byte(0x203))
}

func TestUpwardOverlapIsRefused(t *testing.T) {
	s := mem.NewStore(1)
	_, err := New(list(job.New(64, 0x100, 0x104)), s, s, opt)
	require.ErrorContains(t, err, "the result would depend on timing")
	_, err = New(list(job.New(64, 0x104, 0x100)), s, s, opt)
	require.NoError(t, err)
}

func TestTooMuchIsRefused(t *testing.T) {
	s := mem.NewStore(1)
	_, err := New(list(job.New(1<<30, 0, 1<<40), job.New(1, 0, 0)), s, s, opt)
	require.EqualError(t, err, "list: the transfers move 1073741825 bytes together; the bench keeps all of them in memory and takes at most 1073741824")
	require.ErrorAs(t, err, new(*job.Error), "the list is at fault")
}

func TestCanariesSurroundDestinations(t *testing.T) {
	s := mem.NewStore(1)
	_, err := New(list(job.New(10, 0x1000, 0x2005)), s, s, opt)
	require.NoError(t, err)
	for a := uint64(0x1fd0); a < 0x2040; a++ {
		want := mem.SourceWord(1, a&^7)
		if a >= 0x2005-16 && a < 0x2005+10+16 {
			want = mem.CanaryWord(1, a&^7)
		}
		require.Equal(t, byte(want>>(a%8*8)), s.Byte(a), "%#x", a)
	}
}

func TestCompareTellsWhatIsWrong(t *testing.T) {
	l := list(job.New(32, 0x1000, 0x2000), job.New(0, 0, 0x5000), job.New(8, 0x1100, 0x2010), job.New(4, 0x1200, 0x3000))
	for _, c := range []struct {
		name   string
		damage func(s *mem.Store)
		bytes  int
		want   string
	}{
		{"nothing", func(*mem.Store) {}, 0, ""},
		{"wrong byte", func(s *mem.Store) { s.Page(0x2003).Data[3] ^= 1 }, 1, "0x2003 (byte 3 of transfer 0) holds "},
		{"last writer", func(s *mem.Store) { s.Page(0x2011).Data[0x11] ^= 1 }, 1, "0x2011 (byte 1 of transfer 2) holds "},
		{"written again with the same value", func(s *mem.Store) { s.SetByte(0x3001, s.Byte(0x3001)) }, 1,
			"0x3001 (byte 1 of transfer 3) was written 2 times instead of once"},
		{"once too few", func(s *mem.Store) { s.Page(0x2011).Writes[0x11] = 1 }, 1, "0x2011 (byte 1 of transfer 2) was written once instead of 2 times"},
		{"past the end", func(s *mem.Store) { s.SetByte(0x2021, 7) }, 1, "0x2021 (0x2 bytes past the end of transfer 0's destination) was written once and belongs to no destination: it holds 0x07 and held "},
		{"before the start", func(s *mem.Store) { s.SetByte(0x2fff, s.Byte(0x2fff)) }, 1, "0x2fff (0x1 bytes before transfer 3's destination) was written once and belongs"},
		{"far away", func(s *mem.Store) { s.SetByte(0x7777_0000, 7) }, 1, "0x77770000 (0x7776cffd bytes past the end of transfer 3's destination) was written once"},
		{"a run", func(s *mem.Store) { s.WriteWord(0x2040, 1, 0xff) }, 8, "0x2040 (0x21 bytes past the end of transfer 0's destination) was written once and belongs to no destination: it holds 0x01 and held "},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mem.NewStore(1)
			o, err := New(l, s, s, opt)
			require.NoError(t, err)
			copied(l, s, s)
			c.damage(s)
			first, n := o.Compare(s, 10)
			require.Equal(t, c.bytes, n)
			if n == 0 {
				return
			}
			require.Len(t, first, 1)
			require.Contains(t, first[0].String(), c.want)
			if n > 1 {
				require.Contains(t, first[0].String(), fmt.Sprintf("; likewise the next %d bytes", n-1))
			}
		})
	}
}

func TestLostWritesShowThroughTheCanary(t *testing.T) {
	s := mem.NewStore(1)
	o, err := New(list(job.New(300, 0x1000, 0x2001)), s, s, opt)
	require.NoError(t, err)
	first, n := o.Compare(s, 10)
	require.Equal(t, 300, n)
	require.Equal(t, NotWritten, first[0].Kind)
	for a := uint64(0x2001); a < 0x2001+300; a++ {
		require.NotEqual(t, o.spaces[0].want.Byte(a), s.Byte(a), "by value alone, at %#x", a)
	}
	require.Contains(t, first[0].String(), "0x2001 (byte 0 of transfer 0) was never written")
}

func TestKeepLimitsTextNotCount(t *testing.T) {
	s := mem.NewStore(1)
	o, err := New(list(job.New(4, 0x1000, 0x2000), job.New(4, 0x1000, 0x3000), job.New(4, 0x1000, 0x4000)), s, s, opt)
	require.NoError(t, err)
	first, n := o.Compare(s, 2)
	require.Len(t, first, 2)
	require.Equal(t, 12, n)
}

func TestResponses(t *testing.T) {
	fixed := job.New(4, 0, 0x100)
	fixed.Src.Burst = 0
	quiet := job.New(4, 0, 0x200)
	quiet.Last = false
	s := mem.NewStore(1)
	o, err := New(list(job.New(0, 0, 0), fixed, quiet), s, s, opt)
	require.NoError(t, err)
	require.Equal(t, []Response{{Last: true, Refused: true, Cause: job.RefusedZeroLength}, {Last: true, Refused: true, Cause: job.RefusedBurst}, {}}, o.Expect)
	require.True(t, o.Expect[0].Error())
	require.True(t, o.Expect[0].Allows(ErrTypeEngine))
	require.False(t, o.Expect[0].Allows(ErrTypeRead))
	require.False(t, o.Expect[2].Error())
	first, n := o.Compare(s, 10)
	require.Equal(t, 4, n, "a refused transfer writes nothing: %v", first)
}

func TestFaults(t *testing.T) {
	o2 := opt
	o2.Faults = []mem.Fault{
		{Lo: 0x1042, Hi: 0x1042, Resp: axi4.SlvErr},
		{Write: true, Lo: 0x3003, Hi: 0x3004, Resp: axi4.DecErr},
	}
	s := mem.NewStore(1)
	l := list(job.New(32, 0x1010, 0x2000), job.New(49, 0x1010, 0x2100), job.New(1, 0x1041, 0x2200), job.New(3, 0x1100, 0x3000), job.New(4, 0x1100, 0x3008))
	o, err := New(l, s, s, o2)
	require.NoError(t, err)
	require.Equal(t, []Response{{Last: true}, {Last: true, ReadFails: true}, {Last: true, ReadFails: true}, {Last: true, WriteFails: true}, {Last: true}}, o.Expect)
	require.True(t, o.Expect[1].Allows(ErrTypeRead))
	require.False(t, o.Expect[1].Allows(ErrTypeWrite))
	require.True(t, o.Expect[3].Allows(ErrTypeWrite))
	_, n := o.Compare(s, 10)
	require.Equal(t, 32+49+1+4, n, "bytes read with an error are written all the same; those of a failing write may be missing")
}

func TestUndefinedBytesSpreadAndSettle(t *testing.T) {
	o2 := opt
	o2.Faults = []mem.Fault{{Lo: 0x1000, Hi: 0x1000, Resp: axi4.SlvErr}, {Write: true, Lo: 0x4000, Hi: 0x4000, Resp: axi4.SlvErr}}
	l := list(
		job.New(8, 0x1000, 0x2000), // undefined
		job.New(4, 0x2004, 0x3000), // so is its copy
		job.New(4, 0x1100, 0x2000), // half of it is settled
		job.New(4, 0x1100, 0x4000), // may not be stored
	)
	run := func(damage func(s *mem.Store)) int {
		s := mem.NewStore(1)
		o, err := New(l, s, s, o2)
		require.NoError(t, err)
		copied(l, s, s)
		damage(s)
		_, n := o.Compare(s, 10)
		return n
	}
	for _, c := range []struct {
		a     uint64
		wrong int
	}{{0x2004, 0}, {0x3000, 0}, {0x2000, 1}, {0x4000, 0}} {
		require.Equal(t, c.wrong, run(func(s *mem.Store) { s.Page(c.a).Data[c.a%mem.PageBytes] ^= 1 }), "another value at %#x", c.a)
	}
	require.Equal(t, 0, run(func(s *mem.Store) { s.Page(0x4001).Writes[1] = 0 }), "not stored")
	require.Equal(t, 1, run(func(s *mem.Store) { s.Page(0x3001).Writes[1] = 0 }), "not written")
	require.Equal(t, 1, run(func(s *mem.Store) { s.SetByte(0x4005, 1) }), "outside")
}
