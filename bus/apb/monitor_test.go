package apb_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/apb"
)

// The cycles of an access: setup, access, and the answer.
func begin(r apb.Request) apb.Sample { return apb.Sample{Sel: true, Request: r} }

func wait(r apb.Request) apb.Sample { return apb.Sample{Sel: true, Enable: true, Request: r} }

func end(r apb.Request) apb.Sample {
	return apb.Sample{Sel: true, Enable: true, Request: r, Ready: true}
}

func watch(samples ...apb.Sample) *apb.Monitor {
	m := apb.NewMonitor(apb.Config{Bytes: 4, MaxWaits: 2})
	for i := range samples {
		m.Cycle(uint64(i), &samples[i])
	}
	m.Finish(uint64(len(samples)))
	return m
}

func TestLegalAccessesPass(t *testing.T) {
	w, r := apb.Request{Write: true, Addr: 8, Data: 5, Strb: 3}, apb.Request{Addr: 4, Prot: 2}
	failed, other := end(r), wait(r)
	failed.Error = true
	other.Data = 99 // PWDATA of a read is free
	m := watch(apb.Sample{}, begin(w), end(w), begin(r), wait(r), other, end(r), apb.Sample{Request: w}, begin(r), failed)
	require.Empty(t, m.Violations())
	require.Equal(t, apb.Stats{Reads: 2, Writes: 1, Errors: 1, MostWaits: 2}, m.Stats())
}

func TestEachRuleIsFound(t *testing.T) {
	w, r := apb.Request{Write: true, Addr: 8, Data: 5, Strb: 3}, apb.Request{Addr: 4}
	change := func(f func(*apb.Request)) apb.Request { c := w; f(&c); return c }
	stray := begin(r)
	stray.Error = true
	for _, c := range []struct {
		rule    apb.Rule
		samples []apb.Sample
	}{
		{apb.NoSetup, []apb.Sample{wait(w)}},
		{apb.NoSetup, []apb.Sample{begin(w), end(w), wait(w)}},
		{apb.NoAccess, []apb.Sample{begin(w), {}}},
		{apb.NoAccess, []apb.Sample{begin(w), begin(w), end(w)}},
		{apb.Dropped, []apb.Sample{begin(w), wait(w), {}}},
		{apb.RequestChanged, []apb.Sample{begin(w), end(change(func(r *apb.Request) { r.Data++ }))}},
		{apb.RequestChanged, []apb.Sample{begin(w), wait(change(func(r *apb.Request) { r.Addr = 4 })), end(w)}},
		{apb.RequestChanged, []apb.Sample{begin(w), end(change(func(r *apb.Request) { r.Strb = 15 }))}},
		{apb.StrobesOnRead, []apb.Sample{begin(apb.Request{Strb: 1}), end(apb.Request{Strb: 1})}},
		{apb.Misaligned, []apb.Sample{begin(apb.Request{Addr: 6}), end(apb.Request{Addr: 6})}},
		{apb.ErrorOutside, []apb.Sample{stray, end(r)}},
		{apb.Waits, []apb.Sample{begin(r), wait(r), wait(r), wait(r), end(r)}},
		{apb.Unfinished, []apb.Sample{begin(r), wait(r)}},
	} {
		m := watch(c.samples...)
		var found []apb.Rule
		for _, v := range m.Violations() {
			found = append(found, v.Rule)
		}
		require.Contains(t, found, c.rule)
		require.Contains(t, m.Violations()[0].String(), "cycle ")
		require.Equal(t, len(found), m.Count())
	}
}

func TestResetForgetsTheAccess(t *testing.T) {
	m := apb.NewMonitor(apb.Config{Bytes: 4, Keep: 1})
	s := begin(apb.Request{})
	m.Cycle(0, &s)
	m.Reset()
	m.Cycle(1, &apb.Sample{})
	m.Finish(2)
	require.Zero(t, m.Count())
	for cycle := range uint64(3) {
		s := wait(apb.Request{})
		m.Cycle(cycle, &s)
	}
	require.Len(t, m.Violations(), 1, "no more than Keep are stored")
	require.Equal(t, 3, m.Count())
}
