package lib_test

import (
	"fmt"
	"math/big"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// A memory with contents, of which one element is written and another read.
func ExampleSimpleDualPortRAM() {
	p := lib.RAMParams{Width: 8, Depth: 4, Contents: []*big.Int{big.NewInt(10), big.NewInt(11), big.NewInt(12)}}
	d, err := hdl.Elaborate(lib.SimpleDualPortRAM, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	e, _ := sim.New(d, sim.Options{})
	in := e.In()
	in[0], in[1], in[2] = 1, 2, 99 // w_en, w_addr, w_data: write 99 to element 2
	in[3], in[4] = 1, 2            // r_en, r_addr: and read it, as it was before
	_ = e.Step()
	in[0] = 0
	_ = e.Step()
	fmt.Println(e.Out()[0])
	_ = e.Step()
	fmt.Println(e.Out()[0])
	// Output:
	// 12
	// 99
}
