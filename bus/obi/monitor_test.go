package obi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func req(gnt bool, addr uint64, edits ...func(*Sample)) Sample {
	s := Sample{Req: true, Gnt: gnt, Request: Request{Addr: addr, BE: []uint64{15}, WData: []uint64{7}, AID: addr >> 2 & 3}}
	for _, e := range edits {
		e(&s)
	}
	return s
}

func write(s *Sample)              { s.Write = true }
func be(v uint64) func(*Sample)    { return func(s *Sample) { s.BE = []uint64{v} } }
func wdata(v uint64) func(*Sample) { return func(s *Sample) { s.WData = []uint64{v} } }
func aid(v uint64) func(*Sample)   { return func(s *Sample) { s.AID = v } }

func rsp(ready bool, rid, data uint64) Sample {
	return Sample{RValid: true, RReady: ready, Response: Response{RData: []uint64{data}, RID: rid}}
}

func both(a, b Sample) Sample {
	a.RValid, a.RReady, a.Response = b.RValid, b.RReady, b.Response
	return a
}

func fails(s Sample) Sample { s.Err = true; return s }

func watch(cfg Config, samples ...Sample) *Monitor {
	cfg.Bytes = 4
	m := NewMonitor(cfg)
	for i := range samples {
		m.Cycle(uint64(i), &samples[i])
	}
	m.Finish(uint64(len(samples)))
	return m
}

func TestRules(t *testing.T) {
	var idle Sample
	ready := Config{RReady: true, MaxOutstanding: 2}
	for _, c := range []struct {
		name    string
		cfg     Config
		trace   []Sample
		rule    Rule // empty: nothing is wrong
		message string
	}{
		{"reads back to back", ready, []Sample{req(false, 4), req(true, 4), both(req(true, 8), rsp(true, 1, 5)), rsp(false, 2, 6), rsp(true, 2, 6)}, "", ""},
		{"without rready", Config{}, []Sample{req(true, 4), req(true, 8), rsp(false, 1, 5), rsp(false, 2, 6)}, "", ""},
		{"wdata of a read is free", ready, []Sample{req(false, 4), req(true, 4, wdata(1)), rsp(true, 1, 5)}, "", ""},
		{"rdata of a write is free", ready, []Sample{req(true, 4, write), rsp(false, 1, 5), rsp(true, 1, 6)}, "", ""},
		{"gnt without req", ready, []Sample{{Gnt: true}}, "", ""},
		{"lanes from the address up", ready, []Sample{req(true, 6, be(12)), rsp(true, 1, 5)}, "", ""},
		{"req falls", ready, []Sample{req(false, 4), idle}, ReqDropped, "req of 0x4 fell before gnt"},
		{"addr changes", ready, []Sample{req(false, 4), req(true, 20), rsp(true, 1, 5)}, RequestChanged, "addr changed from 0x4 to 0x14"},
		{"we changes", ready, []Sample{req(false, 4), req(true, 4, write), rsp(true, 1, 5)}, RequestChanged, "we changed from 0x0 to 0x1"},
		{"be changes", ready, []Sample{req(false, 4), req(true, 4, be(3)), rsp(true, 1, 5)}, RequestChanged, "be changed"},
		{"aid changes", ready, []Sample{req(false, 4), req(true, 4, aid(2)), rsp(true, 2, 5)}, RequestChanged, "aid changed from 0x1 to 0x2"},
		{"wdata changes", ready, []Sample{req(false, 4, write), req(true, 4, write, wdata(1)), rsp(true, 1, 5)}, RequestChanged, "wdata changed"},
		{"lane below the address", ready, []Sample{req(true, 6), rsp(true, 1, 5)}, Misaligned, "be enables lane 0, below the address 0x6"},
		{"rvalid falls", ready, []Sample{req(true, 4), rsp(false, 1, 5), idle, rsp(true, 1, 5)}, RValidDropped, "rvalid fell"},
		{"rdata changes", ready, []Sample{req(true, 4), rsp(false, 1, 5), rsp(true, 1, 6)}, ResponseChanged, "rdata changed"},
		{"err changes", ready, []Sample{req(true, 4), rsp(false, 1, 5), fails(rsp(true, 1, 5))}, ResponseChanged, "err changed from 0x0 to 0x1"},
		{"rid changes", ready, []Sample{req(true, 4), rsp(false, 1, 5), rsp(true, 2, 5)}, ResponseChanged, "rid changed"},
		{"no request", ready, []Sample{rsp(true, 0, 5)}, NoRequest, "rvalid without a request"},
		{"in the cycle of the grant", ready, []Sample{both(req(true, 4), rsp(true, 1, 5))}, NoRequest, "granted before"},
		{"twice, without rready", Config{}, []Sample{req(true, 4), rsp(false, 1, 5), rsp(false, 1, 5)}, NoRequest, "rvalid without"},
		{"out of order", ready, []Sample{req(true, 4), req(true, 8), rsp(true, 2, 5), rsp(true, 1, 5)}, WrongID, "rid is 0x2; the oldest request, of 0x4, has aid 0x1"},
		{"too many", ready, []Sample{req(true, 4), req(true, 8), req(true, 12), rsp(true, 1, 0), rsp(true, 2, 0), rsp(true, 3, 0)}, Outstanding, "3 requests outstanding, 2 allowed"},
		{"unanswered", ready, []Sample{req(true, 4)}, Unanswered, "0x4, aid 0x1, was never answered"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := watch(c.cfg, c.trace...)
			if c.rule == "" {
				require.Empty(t, m.Violations())
				return
			}
			require.NotEmpty(t, m.Violations())
			require.Equal(t, c.rule, m.Violations()[0].Rule)
			require.Contains(t, m.Violations()[0].String(), c.message)
		})
	}
}

func TestResetStatsAndKeep(t *testing.T) {
	m := watch(Config{RReady: true, Keep: 1}, req(true, 4), req(true, 8, write), fails(rsp(true, 1, 0)), rsp(true, 2, 0), rsp(true, 0, 0), rsp(true, 0, 0))
	require.Equal(t, Stats{Reads: 1, Writes: 1, Errors: 1, MaxOutstanding: 2}, m.Stats())
	require.Equal(t, 2, m.Count())
	require.Len(t, m.Violations(), 1, "no more than Keep are stored")

	m = NewMonitor(Config{Bytes: 4})
	s := req(true, 4)
	m.Cycle(0, &s)
	m.Reset(1, &Sample{})
	m.Finish(2)
	require.Zero(t, m.Count(), "a request before the reset needs no answer")
	m.Reset(3, &s)
	require.Equal(t, ReqInReset, m.Violations()[0].Rule)
}
