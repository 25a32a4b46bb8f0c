package lib_test

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// A level from outside counts in a domain only behind a synchroniser.
func ExampleSync() {
	d, err := hdl.Elaborate(func(m *hdl.Module, _ struct{}) []hdl.Var {
		button := m.In("button", hdl.Bool(), hdl.Async())
		lamp := m.Out("lamp", hdl.Bool())
		lamp.Set(lib.Sync(m, "button", m.DefaultDomain(), button.Signal, 2))
		return []hdl.Var{button, lamp}
	}, struct{}{}, hdl.Named("panel"))
	if err != nil {
		fmt.Println(err)
		return
	}
	e, _ := sim.New(d, sim.Options{})
	_ = e.Reset(1)
	e.In()[0] = 1
	for range 4 {
		_ = e.Step()
		fmt.Print(e.Out()[0], " ")
	}
	// Output: 0 0 1 1
}

type samplesIO struct {
	In  hdl.Stream[pixel] `hdl:"in"`
	Out hdl.Stream[pixel]
}

// AsyncQueue takes a stream of any payload from one clock to another.
func ExampleAsyncQueue() {
	build := func(m *hdl.Module, depth int) samplesIO {
		camera, t := m.Domain("camera"), hdl.StreamOf(pixel{X: hdl.U(10), Y: hdl.U(10), Level: hdl.U(8)})
		io := samplesIO{
			In:  hdl.Ports(m, "in", hdl.Sink, t, hdl.On(camera)),
			Out: hdl.Ports(m, "out", hdl.Source, t),
		}
		p := lib.AsyncFIFOParams{Depth: depth}
		hdl.Connect(io.Out, lib.AsyncQueue(m, "u_queue", p, camera, m.DefaultDomain(), io.In))
		return io
	}
	d, err := hdl.Elaborate(build, 16, hdl.Named("samples"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range d.Modules {
		fmt.Println(m.Name)
	}
	// Output:
	// async_fifo_16x28_2
	// samples
}

// SyncPulse and SyncWord stand between two domains of the module.
func ExampleSyncWord() {
	type io struct {
		Go, Done hdl.Var
		In, Out  hdl.Stream[lib.Word]
	}
	d, err := hdl.Elaborate(func(m *hdl.Module, _ struct{}) io {
		fast, t := m.Domain("fast"), hdl.StreamOf(lib.Word{Data: hdl.U(32)})
		ports := io{
			m.In("go", hdl.Bool()), m.Out("done", hdl.Bool(), hdl.On(fast)),
			hdl.Ports(m, "in", hdl.Sink, t), hdl.Ports(m, "out", hdl.Source, t, hdl.On(fast)),
		}
		done, _ := lib.SyncPulse(m, "u_go", m.DefaultDomain(), fast, ports.Go, 2)
		ports.Done.Set(done)
		hdl.Connect(ports.Out, lib.SyncWord(m, "u_word", m.DefaultDomain(), fast, ports.In, 2))
		return ports
	}, struct{}{}, hdl.Named("both"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range d.Modules {
		fmt.Println(m.Name)
	}
	// Output:
	// pulse_sync_2
	// word_sync_32x2
	// both
}
