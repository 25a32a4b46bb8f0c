package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// after is what an engine did with bytes of a transfer.
type after struct {
	name     string
	out      Outcome
	written  uint64            // bytes from the first, once each
	again    uint64            // of these from the first, twice
	skipped  [2]uint64         // of these bytes a…b−1 are not written
	wrong    map[uint64]string // byte with another value: what that is
	findings int
}

func TestWhatHandledErrorsLeave(t *testing.T) {
	const n = 6000
	read := uint64(0x1_0000 + 3000) // in word 0x1_0bb8, byte 2999 of the transfer
	write := uint64(0x8_1000 + 100) // in the second page of the destination
	for _, c := range []after{
		{name: "nothing happened", written: n},
		{name: "a byte is missing", written: n, skipped: [2]uint64{17, 18}, findings: 1},
		{name: "the end is missing", written: n - 1, findings: 1},
		{name: "written twice", written: n, again: 5, findings: 5},
		{name: "written twice as may be", out: Outcome{Repeated: true}, written: n, again: 5},
		{name: "not written though it may be twice", out: Outcome{Repeated: true}, written: n, skipped: [2]uint64{8, 12}, findings: 4},

		{name: "continued", out: Outcome{Reads: []uint64{read}}, written: n, wrong: map[uint64]string{2999: "", 3002: ""}},
		{name: "continued, wrong elsewhere", out: Outcome{Reads: []uint64{read}}, written: n, wrong: map[uint64]string{2998: "before", 3003: "after"}, findings: 2},
		{name: "continued, not written", out: Outcome{Reads: []uint64{read}}, written: n, skipped: [2]uint64{2999, 3001}, findings: 2},

		{name: "aborted", out: Outcome{Aborted: true, Address: read}, written: 2999},
		{name: "aborted a word early", out: Outcome{Aborted: true, Address: read}, written: 2995},
		{name: "aborted two words early", out: Outcome{Aborted: true, Address: read}, written: 2991, findings: 4},
		{name: "aborted too late", out: Outcome{Aborted: true, Address: read}, written: 3003, findings: 4},
		{name: "aborted, written before", out: Outcome{Aborted: true, Address: read, Repeated: true}, written: 3002},

		{name: "write failed", out: Outcome{Writes: []uint64{write}}, written: n, skipped: [2]uint64{4095, 5219}},
		{name: "write failed, others missing", out: Outcome{Writes: []uint64{write}}, written: n, skipped: [2]uint64{4091, 5221}, findings: 6},
		{name: "write aborted", out: Outcome{Aborted: true, AbortedWrite: true, Address: write}, written: n, skipped: [2]uint64{4095, n}},
		{name: "write aborted, others missing", out: Outcome{Aborted: true, AbortedWrite: true, Address: write}, written: n, skipped: [2]uint64{4090, n}, findings: 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := list(job.New(n, 0x1_0001, 0x8_0001))
			from, to := mem.NewStore(1), mem.NewStore(2)
			o, err := New(l, from, to, Options{Bytes: 4, Guard: 16, Seed: 1, Handled: true})
			require.NoError(t, err)
			require.Equal(t, []Response{{Last: true}}, o.Expect)
			for k := range c.written {
				if k >= c.skipped[0] && k < c.skipped[1] {
					continue
				}
				v := from.Byte(0x1_0001 + k)
				if _, ok := c.wrong[k]; ok {
					v = ^v
				}
				to.SetByte(0x8_0001+k, v)
				if k < c.again {
					to.SetByte(0x8_0001+k, v)
				}
			}
			o.End(0, c.out)
			first, found := o.Compare(to, 10)
			require.Equal(t, c.findings, found, "%v", first)
		})
	}
}

// A transfer that copies what another has read with an error may have any value there.
func TestErrorsSpreadThroughSharedMemory(t *testing.T) {
	s := mem.NewStore(1)
	l := list(job.New(16, 0x1000, 0x2000), job.New(16, 0x2000, 0x3000))
	o, err := New(l, s, s, Options{Bytes: 4, Guard: 16, Seed: 1, Handled: true})
	require.NoError(t, err)
	for k := range uint64(16) {
		v := s.Byte(0x1000 + k)
		if k >= 4 && k < 8 {
			v = ^v
		}
		s.SetByte(0x2000+k, v)
		s.SetByte(0x3000+k, v)
	}
	o.End(0, Outcome{Reads: []uint64{0x1005}})
	o.End(1, Outcome{})
	first, found := o.Compare(s, 10)
	require.Zero(t, found, "%v", first)
}
