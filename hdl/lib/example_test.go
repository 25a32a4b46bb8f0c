package lib_test

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// A FIFO is a module like any other: here it is the whole design.
func ExampleFIFO() {
	d, err := hdl.Elaborate(lib.FIFO, lib.FIFOParams{Width: 8, Depth: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, _ := sim.New(d, sim.Options{})
	fmt.Println("in: valid, data; out: ready")
	for _, p := range e.Layout().Outputs {
		fmt.Println(p.Name)
	}
	_ = e.Reset(1)
	in, out := e.In(), e.Out()
	for _, data := range []uint64{10, 20, 30} {
		in[0], in[1], in[2] = 1, data, 0 // offered, not taken
		_ = e.Step()
		fmt.Println("ready", out[0], "valid", out[1])
	}
	// Output:
	// in: valid, data; out: ready
	// in_ready
	// out_valid
	// out_data
	// busy
	// ready 1 valid 0
	// ready 1 valid 1
	// ready 0 valid 1
}

type pixel struct{ X, Y, Level hdl.Var }

type pathIO struct {
	In   hdl.Stream[pixel] `hdl:"in"`
	Out  hdl.Stream[pixel]
	Busy hdl.Var
}

// Queue puts a FIFO into a stream of any payload.
func ExampleQueue() {
	path := func(m *hdl.Module, depth int) pathIO {
		t := hdl.StreamOf(pixel{X: hdl.U(10), Y: hdl.U(10), Level: hdl.U(8)})
		io := hdl.Ports(m, "", hdl.Source, pathIO{In: t, Out: t, Busy: hdl.Bool()})
		queued, busy := lib.Queue(m, "u_queue", lib.FIFOParams{Depth: depth}, io.In)
		hdl.Connect(io.Out, queued)
		io.Busy.Set(busy)
		return io
	}
	d, err := hdl.Elaborate(path, 16, hdl.Named("path"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range d.Modules {
		fmt.Println(m.Name)
	}
	// Output:
	// fifo_16x28
	// path
}

// The lanes of a 4-byte word that a write of 3 bytes from address 5 covers in its
// first beat: 1, 2 and 3.
func ExampleFromLane() {
	d, err := hdl.Elaborate(func(m *hdl.Module, _ struct{}) []hdl.Var {
		from, to, strobe := m.In("from", hdl.U(2)), m.In("to", hdl.U(2)), m.Out("strobe", hdl.U(4))
		strobe.Set(lib.FromLane(from.Signal, 1).And(lib.UpToLane(to.Signal, 1)))
		return []hdl.Var{from, to, strobe}
	}, struct{}{})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, _ := sim.New(d, sim.Options{})
	e.In()[0], e.In()[1] = 1, 3
	_ = e.Eval()
	fmt.Printf("%04b\n", e.Out()[0])
	// Output: 1110
}
