package tb

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// mix is a list that gives every planted mistake an opportunity.
func mix() *job.List {
	capped := job.New(300, 0x4001, 0x1_4002)
	capped.Src.MaxBeats, capped.Dst.MaxBeats = 4, 8
	middle := job.New(64, 0x6000, 0x1_6000)
	middle.Last = false
	return list(
		job.New(100, 0x1ffd, 0x1_1ff3), // both sides cross a page
		job.New(7, 0x3001, 0x1_3002),
		job.New(0, 0x100, 0x200),
		capped, middle,
		job.New(33, 0x7003, 0x1_7001),
		job.New(0, 0, 0),
		job.New(16, 0x8000, 0x1_8000),
	)
}

func runMix(t *testing.T, f fault, cfg RunConfig) (Result, error) {
	t.Helper()
	res, err := Run(context.Background(), newFake(32, 4, f), mix(), cfg)
	return res, err
}

func TestSoundEngineIsFoundSound(t *testing.T) {
	for _, width := range []int{8, 16, 32, 64, 128, 256, 512, 1024} {
		for _, cfg := range []RunConfig{
			{}, {ReadLatency: 13, WriteLatency: 7, Seed: 5}, {Stalls: mem.AllStalls(40), RspStall: 50, ReqGap: 30, Seed: 9},
			{Memory: Separate, Launch: BackToBack, Seed: 2, ReadyCheck: 1},
			{Stalls: mem.Stalls{AW: 90}, Outstanding: 2, ReadLatency: 3}, {Stalls: mem.Stalls{W: 80, R: 20}},
		} {
			res, err := Run(context.Background(), newFake(width, 4, sound), mix(), cfg)
			require.NoError(t, err)
			require.NoError(t, res.Err(), "width %d, %+v", width, cfg)
			require.Equal(t, 2, res.ErrorResponses)
			require.Equal(t, res.FewestWriteBeats, res.WriteBeats)
		}
	}
}

func TestPlantedMistakesAreFound(t *testing.T) {
	stalls := RunConfig{Stalls: mem.AllStalls(30), RspStall: 30, ReadyCheck: 1}
	for _, c := range []struct {
		name  string
		fault fault
		cfg   RunConfig
		find  string    // in a finding
		rule  axi4.Rule // or a protocol violation
	}{
		{"lost write", lostWrite, RunConfig{}, "was never written", ""},
		{"wrong strobe", wrongStrobe, RunConfig{}, "was never written", ""},
		{"duplicate write", duplicateWrite, RunConfig{}, "written 2 times instead of once", ""},
		{"extra byte", extraByte, RunConfig{}, "belongs to no destination", ""},
		{"wrong byte", wrongByte, RunConfig{}, "should hold", ""},
		{"extra response", extraResponse, RunConfig{ReadLatency: 50}, "a response without a transfer", ""},
		{"response before the write landed", responseTooEarly, RunConfig{WriteLatency: 50}, "ended before all its writes were requested", ""},
		{"response before the last write response", extraResponse, RunConfig{WriteLatency: 50}, "write responses still to come", ""},
		{"zero length overtakes", reorderedZero, RunConfig{WriteLatency: 20}, "ended with error true, expected false", ""},
		{"last mark lost", lostLastMark, RunConfig{}, "ended with last false, expected true", ""},
		{"unstable valid", unstableValid, stalls, "", axi4.ValidDropped},
		{"unstable payload", unstablePayload, stalls, "", axi4.PayloadChanged},
		{"valid from ready", validFromReady, RunConfig{ReadyCheck: 1}, "", axi4.ValidOnReady},
		{"page crossing", pageCrossing, RunConfig{}, "", axi4.CrossesPage},
		{"read beyond the source", overRead, RunConfig{}, "goes beyond transfer 0", ""},
		{"wrong attribute", wrongAttribute, RunConfig{}, "QOS of the burst", ""},
		{"cap ignored", ignoredCap, RunConfig{}, "beats at 0x4000; transfer 3 allows 4", ""},
		{"early WLAST", earlyLast, RunConfig{}, "", axi4.LastEarly},
		{"busy too early", busyTooEarly, RunConfig{WriteLatency: 30}, "busy is zero with", ""},
		{"valid after reset", validAfterReset, RunConfig{}, "", axi4.ValidInReset},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.cfg.Keep = 1000
			res, err := runMix(t, c.fault, c.cfg)
			if err != nil {
				require.ErrorAs(t, err, new(*HangError)) // some mistakes also stop the engine
			}
			require.Error(t, res.Err())
			if c.find != "" {
				found := false
				for _, f := range res.Findings {
					found = found || contains(f, c.find)
				}
				require.True(t, found, "%q in %v", c.find, res.Err())
				require.Positive(t, res.Mismatches)
			}
			if c.rule != "" {
				found := false
				for _, v := range res.Violations {
					found = found || v.Rule == string(c.rule)
				}
				require.True(t, found, "%s in %v", c.rule, res.Err())
			}
			t.Log(res.Err())
		})
	}
}

func contains(s, sub string) bool { return strings.Contains(s, sub) }
