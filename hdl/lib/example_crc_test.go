package lib_test

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// The check value of a header of 11 bits, as in a token of USB, without a clock.
func ExampleCRCNext() {
	d, err := hdl.Elaborate(func(m *hdl.Module, _ struct{}) []hdl.Var {
		token, check := m.In("token", hdl.U(11)), m.Out("check", hdl.U(5))
		c := lib.CRC5USB()
		check.Set(lib.CRCEnd(c, lib.CRCNext(m, "all", c, lib.CRCStart(c), token.Signal)))
		return []hdl.Var{token, check}
	}, struct{}{}, hdl.Named("token_check"))
	if err != nil {
		fmt.Println(err)
		return
	}
	e, _ := sim.New(d, sim.Options{})
	e.In()[0] = 0x710 // endpoint 14 of address 16
	_ = e.Eval()
	fmt.Printf("%05b\n", e.Out()[0])
	// Output: 00101
}

// A register of 8 bits goes through 255 states.
func ExampleLFSR() {
	d, err := hdl.Elaborate(lib.LFSR, lib.LFSRParams{Width: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, _ := sim.New(d, sim.Options{})
	_ = e.Reset(1)
	e.In()[0] = 1 // en
	steps := 0
	for {
		_ = e.Step()
		if e.Out()[0] == 1 && steps > 0 {
			break
		}
		steps++
	}
	fmt.Println(steps)
	// Output: 255
}
