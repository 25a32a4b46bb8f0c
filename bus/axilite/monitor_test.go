package axilite

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
)

func aw(ready bool, addr uint64) Sample {
	return Sample{AW: AddrChannel{Valid: true, Ready: ready, Addr: addr}}
}

func ar(ready bool, addr uint64) Sample {
	return Sample{AR: AddrChannel{Valid: true, Ready: ready, Addr: addr}}
}

func w(ready bool, data uint64) Sample {
	return Sample{W: DataChannel{Valid: true, Ready: ready, Data: []uint64{data}, Strb: []uint64{15}}}
}

func b(ready bool, r axi4.Resp) Sample {
	return Sample{B: RespChannel{Valid: true, Ready: ready, Resp: r}}
}

func r(ready bool, data uint64, resp axi4.Resp) Sample {
	return Sample{R: ReadChannel{Valid: true, Ready: ready, Data: []uint64{data}, Resp: resp}}
}

func watch(samples ...Sample) *Monitor {
	m := NewMonitor(axi4.Config{Bytes: 4, MaxReads: 2, MaxWrites: 2})
	for i := range samples {
		m.Cycle(uint64(i), &samples[i])
	}
	m.Finish(uint64(len(samples)))
	return m
}

func TestRules(t *testing.T) {
	var idle Sample
	for _, c := range []struct {
		name    string
		trace   []Sample
		rule    axi4.Rule // empty: nothing is wrong
		message string
	}{
		{"a write", []Sample{aw(false, 4), aw(true, 4), w(true, 1), b(false, axi4.Okay), b(true, axi4.Okay)}, "", ""},
		{"data before the address", []Sample{w(true, 1), aw(true, 4), b(true, axi4.SlvErr)}, "", ""},
		{"reads in flight", []Sample{ar(true, 4), ar(true, 0xffc), r(true, 1, axi4.Okay), r(true, 2, axi4.DecErr)}, "", ""},
		{"AWVALID falls", []Sample{aw(false, 4), idle}, axi4.ValidDropped, "AWVALID fell"},
		{"ARADDR changes", []Sample{ar(false, 4), ar(true, 8), r(true, 1, axi4.Okay)}, axi4.PayloadChanged, "ARADDR changed from 0x4 to 0x8"},
		{"WDATA changes", []Sample{aw(true, 4), w(false, 1), w(true, 2), b(true, axi4.Okay)}, axi4.PayloadChanged, "WDATA changed from 0x1 to 0x2"},
		{"BRESP changes", []Sample{aw(true, 4), w(true, 1), b(false, axi4.Okay), b(true, axi4.SlvErr)}, axi4.PayloadChanged, "BRESP changed"},
		{"RVALID falls", []Sample{ar(true, 4), r(false, 1, axi4.Okay), idle, r(true, 1, axi4.Okay)}, axi4.ValidDropped, "RVALID fell"},
		{"no request", []Sample{r(true, 1, axi4.Okay)}, axi4.NoRequest, "read data"},
		{"B without data", []Sample{aw(true, 4), b(true, axi4.Okay)}, axi4.EarlyResponse, "after 0 of 1 beats"},
		{"EXOKAY", []Sample{ar(true, 4), r(true, 1, axi4.ExOkay)}, axi4.RespCode, "EXOKAY"},
		{"too many", []Sample{ar(true, 4), ar(true, 8), ar(true, 12), r(true, 1, 0), r(true, 1, 0), r(true, 1, 0)}, axi4.Outstanding, "3 reads outstanding, 2 allowed"},
		{"unanswered", []Sample{ar(true, 4)}, axi4.Unanswered, "1 beats never came"},
		{"data left", []Sample{w(true, 4)}, axi4.DataLeft, "belong to no request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := watch(c.trace...)
			if c.rule == "" {
				require.Empty(t, m.Violations())
				return
			}
			require.NotEmpty(t, m.Violations())
			require.Equal(t, c.rule, m.Violations()[0].Rule)
			require.Contains(t, m.Violations()[0].Message, c.message)
		})
	}
}

func TestReset(t *testing.T) {
	m := NewMonitor(axi4.Config{Bytes: 4})
	s := ar(true, 4)
	m.Cycle(0, &s)
	m.Reset(1, &Sample{})
	m.Finish(2)
	require.Zero(t, m.Count(), "a read before the reset needs no answer")
	m.Reset(3, &s)
	require.Equal(t, axi4.ValidInReset, m.Violations()[0].Rule)
	require.EqualValues(t, 1, m.Stats().Accepted[axi4.AR])
}
