package compute

import "github.com/millrace-hdl/millrace/hdl"

// Word is a bus word of a transfer, aligned to the transfer's first byte.
type Word struct {
	Data  hdl.Var
	Bytes hdl.Var
	Last  hdl.Var
	Cause hdl.Var
}

func WordType(dataWidth int) Word {
	return Word{Data: hdl.U(dataWidth), Bytes: hdl.U(hdl.AddrBits(dataWidth/8 + 1)), Last: hdl.Bool(), Cause: hdl.U(2)}
}

type Options struct {
	Mode, M, N hdl.Var
}

func OptionsType() Options { return Options{hdl.U(2), hdl.U(12), hdl.U(12)} }

type Unit struct {
	In      hdl.Stream[Word] `hdl:"in"`
	Options Options          `hdl:"in,name=opt"`
	Out     hdl.Stream[Word]
}

func UnitType(dataWidth int) Unit {
	return Unit{In: hdl.StreamOf(WordType(dataWidth)), Options: OptionsType(), Out: hdl.StreamOf(WordType(dataWidth))}
}
