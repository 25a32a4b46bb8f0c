package idma_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/verilator"
)

// inWindow is a copy between addresses of the memory that inst_64 reaches over OBI.
func inWindow(c idma.Config, length, src, dst uint64) job.Job {
	j := job.New(length, c.Instructions.WindowStart+src, c.Instructions.WindowStart+dst)
	j.Src.Protocol, j.Dst.Protocol = job.OBI, job.OBI
	return j
}

// tightlyCoupled is copies within that memory, into it, out of it and past it, one behind
// the other.
func tightlyCoupled(c idma.Config) *job.List {
	list := &job.List{Name: "tightly coupled"}
	for i := range uint64(40) {
		j := inWindow(c, 1+i*53%400, 0x400*i+i%11, 0x1_0000+0x400*i+i*7%13)
		if i%4 == 1 || i%4 == 3 {
			j.Src.Protocol, j.Src.Addr = job.AXI4, 0x4000_0000+0x400*i+i%5
		}
		if i%4 == 2 || i%4 == 3 {
			j.Dst.Protocol, j.Dst.Addr = job.AXI4, 0x5000_0000+0x400*i+i%3
		}
		list.Jobs = append(list.Jobs, j)
	}
	return list
}

// Hazard 40: responses of OBI are taken to be those of the cycle before. Data of a whole engine
// come and go over OBI here, and its memory answers in the second cycle: still a word
// a cycle, and each word a cycle later than with one that answers in the first.
func TestHazard40MemoryOnOBIThatAnswersInTheSecondCycle(t *testing.T) {
	c := idma.Default(idma.Inst64)
	d, err := idma.Elaborate(c)
	require.NoError(t, err)
	for latency := 1; latency <= 3; latency++ {
		m, err := sim.New(d, sim.Options{})
		require.NoError(t, err)
		is := func(names ...string) func(func(string) uint64) bool {
			return func(get func(string) uint64) bool { return get(names[0])&get(names[len(names)-1]) == 1 }
		}
		w := &watched{Engine: m, moments: map[string]func(func(string) uint64) bool{
			"asked": is("m_obi_read_req", "m_obi_read_gnt"), "came": is("m_obi_read_rvalid"), "written": is("m_obi_write_req"), "ended": is("m_obi_write_rvalid"),
		}}
		res, err := tb.Run(t.Context(), w, &job.List{Name: "one", Jobs: []job.Job{inWindow(c, 4096, 0, 0x1_0000)}},
			tb.RunConfig{Software: target(c), ReadLatency: latency, WriteLatency: latency, ReadyCheck: -1})
		require.NoError(t, err)
		require.NoError(t, res.Err())
		require.EqualValues(t, []uint64{512, 512}, []uint64{res.ReadBeats, res.WriteBeats})
		require.Equal(t, 1.0, res.Utilisation, "latency %d", latency)
		require.Equal(t, []int{latency, latency + 1, 2*latency + 1}, []int{w.first["came"] - w.first["asked"], w.first["written"] - w.first["asked"], w.first["ended"] - w.first["asked"]})
	}
	for stall := 0; stall <= 60; stall += 20 {
		m, err := sim.New(d, sim.Options{})
		require.NoError(t, err)
		require.NoError(t, copyTightly(t, m, c, 2, stall))
	}
}

// copyTightly is what the bench finds wrong.
func copyTightly(t *testing.T, e sim.Engine, c idma.Config, latency, stall int) error {
	t.Helper()
	res, err := tb.Run(t.Context(), e, tightlyCoupled(c), tb.RunConfig{
		Software: target(c), ReadLatency: latency, WriteLatency: latency, Stalls: mem.AllStalls(stall), Seed: uint64(stall), ReadyCheck: -1,
	})
	if err != nil {
		return err
	}
	return res.Err()
}

// The same finds an engine that has the hazard, and its memory must answer in the second
// cycle for it.
func TestHazard40IsFound(t *testing.T) {
	c := idma.Default(idma.Inst64)
	d, err := idma.Elaborate(c)
	require.NoError(t, err)
	for _, x := range []struct{ file, taken, bus string }{
		{"idma_read_obi_64.sv", "assign came_valid = rvalid;", ""},
		{"idma_backend_64.sv", "assign obi_came_obi_valid = m_obi_write_rvalid;", "m_obi_write_"},
	} {
		t.Run(x.file, func(t *testing.T) {
			t.Parallel()
			just := fmt.Sprintf("logic just_q; always_ff @(posedge clk) just_q <= %[1]sreq && %[1]sgnt; ", x.bus)
			m := mutant(t, d, x.file, x.taken, just+x.taken[:len(x.taken)-1]+" && just_q;")
			require.NoError(t, copyTightly(t, m, c, 1, 0))
			require.Error(t, copyTightly(t, m, c, 2, 0))
		})
	}
}

// mutant is the RTL with a mistake in one place.
func mutant(t *testing.T, d *ir.Design, file, from, to string) sim.Engine {
	t.Helper()
	lib, err := verilator.Build(t.Context(), d, verilator.Options{Quick: true, Patch: func(files []gen.File) []gen.File {
		places := 0
		for i, f := range files {
			if f.Name == file {
				places = bytes.Count(f.Data, []byte(from))
				files[i].Data = bytes.Replace(f.Data, []byte(from), []byte(to), 1)
			}
		}
		require.Equal(t, 1, places, "%q in %s", from, file)
		return files
	}})
	require.NoError(t, err)
	m, err := lib.New(1)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}
