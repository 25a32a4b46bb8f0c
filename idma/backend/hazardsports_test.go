package backend_test

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// between is the engine with these ports.
func between(t testing.TB, read, write string) backend.Config {
	t.Helper()
	return edit(func(c *backend.Config) {
		require.NoError(t, c.ReadProtocols.UnmarshalText([]byte(read)))
		require.NoError(t, c.WriteProtocols.UnmarshalText([]byte(write)))
	})
}

// transfer is one between protocols.
func transfer(from, to backend.Protocol, length, src, dst uint64) job.Job {
	j := job.New(length, src, dst)
	j.Src.Protocol, j.Dst.Protocol = job.Protocol(from), job.Protocol(to)
	return j
}

// Hazard 14: a port that has no bursts keeps all others from having any.
func TestHazard14AXI4HasBurstsBesideOtherPorts(t *testing.T) {
	const all = "axi4, obi, axi_lite, tilelink, init, axi_stream"
	c := between(t, all, all)
	res := run(t, start(t, goModel, elaborate(t, c), 1), jobs(transfer(backend.AXI4, backend.AXI4, 4096, 0x1_0000, 0x2_0000)), tb.RunConfig{Memory: tb.PerPort})
	require.EqualValues(t, 4, res.ReadBursts, "of 256 beats")
	require.EqualValues(t, 4, res.WriteBursts)
	require.EqualValues(t, 1024, res.ReadBeats)
}

// Hazard 15: bursts to a fixed address are taken, and the address advances. They are
// refused here, on either side, and nothing is on a bus.
func TestHazard15FixedBurstsAreRefused(t *testing.T) {
	for _, side := range []func(*job.Job) *job.Side{func(j *job.Job) *job.Side { return &j.Src }, func(j *job.Job) *job.Side { return &j.Dst }} {
		j := job.New(64, 0x1000, 0x2000)
		side(&j).Burst = 0
		require.Equal(t, []answer{burstType, fine}, answers(t, elaborate(t, edit()), jobs(j, job.New(64, 0x1000, 0x2000)), latency(3)))
	}
}

// Hazard 18: a stream loses beats while no transfer wants them, and writes to a stream
// have a dead cycle. TVALID is held all the time here.
func TestHazard18StreamsLoseNoBeat(t *testing.T) {
	c := between(t, "axi_stream", "axi_stream")
	list := jobs()
	for i := range uint64(8) {
		list.Jobs = append(list.Jobs, transfer(backend.AXIStream, backend.AXIStream, 64, 0, i))
	}
	idle, beats := 0, []uint64{}
	eng := watch(t, start(t, goModel, elaborate(t, c), 1), func(cycle uint64, p *watched) {
		if p.on("s_axis_tready") {
			require.NotZero(t, p.get("busy"), "a beat is taken for nobody in cycle %d", cycle)
		}
		if !p.on("s_axis_tvalid") {
			idle++
		}
		if p.fires("m_axis_t") {
			beats = append(beats, cycle)
		}
	})
	res := run(t, eng, list, tb.RunConfig{})
	require.EqualValues(t, 8*16, res.ReadBeats)
	require.Len(t, beats, 8*16)
	require.EqualValues(t, 8*16-1, beats[len(beats)-1]-beats[0], "a beat each cycle")
	require.Less(t, idle, 40, "the source held TVALID")
}

// Hazard 19: TSTRB is set where TKEEP is not, which is reserved, and TKEEP of what comes
// in is not looked at.
func TestHazard19NullBytesOfStreams(t *testing.T) {
	c := between(t, "axi_stream", "axi_stream")
	list := jobs()
	for i := range uint64(60) {
		list.Jobs = append(list.Jobs, transfer(backend.AXIStream, backend.AXIStream, 1+i*7%90, 0, i))
	}
	nulls, partial := 0, 0
	eng := watch(t, start(t, goModel, elaborate(t, c), 1), func(cycle uint64, p *watched) {
		if p.fires("s_axis_t") && p.get("s_axis_tkeep") != 15 {
			nulls++
		}
		if p.on("m_axis_tvalid") {
			require.Zero(t, p.get("m_axis_tstrb")&^p.get("m_axis_tkeep"), "cycle %d", cycle)
			if bits.OnesCount64(p.get("m_axis_tkeep")) < 4 {
				partial++
			}
		}
	})
	run(t, eng, list, tb.RunConfig{NullBytes: 50, Stalls: mem.AllStalls(20), Seed: 2})
	require.Greater(t, nulls, 50)
	require.Greater(t, partial, 20)
}

// Hazard 20: what belongs to a transfer of Init is taken from the next one. Modes, values
// and identifiers alternate here from one short transfer to the next.
func TestHazard20GeneratedDataAreThoseOfTheirTransfer(t *testing.T) {
	c := between(t, "axi4, init", "axi4")
	list := jobs()
	var want []uint64
	for i := range uint64(60) {
		j := transfer(backend.Init, backend.AXI4, 1+i%11, 0x1111_1111*(i%15+1)+i, 0x1000+0x40*i)
		if i%5 == 4 {
			j = transfer(backend.AXI4, backend.AXI4, 1+i%11, 0x9000+0x40*i, 0x1000+0x40*i)
		}
		j.Src.Mode = uint8(i % 3)
		want = append(want, i%16) // the bench numbers transfers
		list.Jobs = append(list.Jobs, j)
	}
	var ids []uint64
	eng := watch(t, start(t, goModel, elaborate(t, c), 1), func(_ uint64, p *watched) {
		if p.fires("m_axi_aw") {
			ids = append(ids, p.get("m_axi_awid"))
		}
	})
	run(t, eng, list, tb.RunConfig{Memory: tb.Separate, Stalls: mem.AllStalls(30), Seed: 4})
	require.Equal(t, want, ids)
}

// Hazard 24: variants that nobody built: several ports of a protocol, each with a memory of
// its own, and back-ends without legalizers.
func TestHazard24SeveralPortsAndNoLegalizer(t *testing.T) {
	c := between(t, "axi4, axi4, axi4, obi, obi", "axi4, axi4, obi, obi, obi")
	list := jobs()
	for i := range 40 {
		j := job.New(1+uint64(i*37%200), 0x1000*uint64(i+1), 0x10_0000+0x1000*uint64(i))
		if j.Src.Head = i % 3; i%4 == 3 {
			j.Src.Protocol, j.Src.Head = job.Protocol(backend.OBI), i/4%2
		}
		if j.Dst.Head = i % 2; i%3 == 2 {
			j.Dst.Protocol, j.Dst.Head = job.Protocol(backend.OBI), i/3%3
		}
		list.Jobs = append(list.Jobs, j)
	}
	used := map[string]bool{}
	eng := watch(t, start(t, goModel, elaborate(t, c), 1), func(_ uint64, p *watched) {
		for _, port := range []string{"m_axi0_ar", "m_axi1_ar", "m_axi2_ar", "m_axi0_aw", "m_axi1_aw"} {
			used[port] = used[port] || p.fires(port)
		}
		for _, port := range []string{"m_obi0_read", "m_obi1_read", "m_obi0_write", "m_obi1_write", "m_obi2_write"} {
			used[port] = used[port] || p.on(port+"_req") && p.on(port+"_gnt")
		}
	})
	run(t, eng, list, tb.RunConfig{Memory: tb.PerPort, Stalls: mem.AllStalls(20), Seed: 5})
	require.Len(t, used, 10)
	for port, yes := range used {
		require.True(t, yes, port)
	}

	c = edit(func(c *backend.Config) { c.Legalizer = false })
	list = jobs()
	for i := range uint64(40) {
		j := job.New(1+i*97%900, 0x1_0000*i+i%4, 0x100_0000+0x1_0000*i+i*3%4)
		oneBurst(&j, c)
		list.Jobs = append(list.Jobs, j)
	}
	res := run(t, start(t, goModel, elaborate(t, c), 1), list, tb.RunConfig{Stalls: mem.AllStalls(20), Seed: 6})
	require.EqualValues(t, 40, res.WriteBursts)
}

// Without legalizers it is the caller's duty to ask for legal bursts only. Who does not is
// told.
func TestHazard24CallersDutyIsChecked(t *testing.T) {
	c := edit(func(c *backend.Config) { c.Legalizer = false })
	for name, j := range map[string]job.Job{
		"a_transfer_is_one_legal_burst": job.New(100, 0x1fd0, 0x8000), "in the destination": job.New(100, 0x1000, 0x8fd0),
		"longer than a burst": job.New(1025, 0x1000, 0x8000), "longer by its offset": job.New(1022, 0x1003, 0x8000),
	} {
		eng := start(t, goModel, elaborate(t, c), 1)
		res, err := tb.Run(t.Context(), eng, jobs(j), tb.RunConfig{})
		require.True(t, err != nil || res.Err() != nil, name)
		require.ErrorContains(t, sim.Violations(eng), "a_transfer_is_one_legal_burst", name)
	}
	run(t, start(t, goModel, elaborate(t, c), 1), jobs(job.New(1024, 0x1000, 0x8000), job.New(1021, 0x1003, 0x8000), job.New(0, 0x1fff, 0x8fff)), latency(3))
}
