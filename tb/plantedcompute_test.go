package tb

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/tb/job"
)

// spoilt is an operation with a mistake in its unit or in its rules.
type spoilt struct {
	compute.Op
	mistake mistake
}

type mistake int

const (
	noMistake      mistake = iota
	lastByteWrong          // of a transfer
	oneByteLess            // is written
	oneByteMore            // is written
	patternTurned          // M and N are exchanged
	otherMode              // the lowest bit of the mode is inverted
	rulesIgnored           // nothing is refused
	allRefused             // for a rule that is none
	causeForgotten         // what the unit finds is not told
)

// spoiltTile is one of tiles.
type spoiltTile struct{ spoilt }

func (o spoiltTile) Most(dataWidth int) int { return o.Op.(compute.Grouped).Most(dataWidth) }
func (o spoiltTile) Place(t compute.Transfer, before hdl.Signal) (violated, last hdl.Signal) {
	return o.Op.(compute.Grouped).Place(t, before)
}

func spoil(o compute.Op, how mistake) compute.Op {
	if _, ok := o.(compute.Grouped); ok {
		return spoiltTile{spoilt{o, how}}
	}
	return spoilt{o, how}
}

func (o spoilt) Name() string { return "spoilt_" + o.Op.Name() }

func (o spoilt) OutLength(t compute.Transfer) hdl.Signal {
	n := o.Op.OutLength(t)
	switch o.mistake {
	case oneByteLess:
		return n.Sub(hdl.K(1))
	case oneByteMore:
		return n.Add(hdl.K(1))
	}
	return n
}

func (o spoilt) Violated(t compute.Transfer, dataWidth int) hdl.Signal {
	switch o.mistake {
	case rulesIgnored:
		return hdl.Const(1, 0)
	case allRefused:
		return hdl.Const(1, 1)
	}
	return o.Op.Violated(t, dataWidth)
}

// Describe puts the sound unit into another one that spoils what it takes and gives.
func (o spoilt) Describe(m *hdl.Module, dataWidth int) compute.Unit {
	io := hdl.Ports(m, "", hdl.Source, compute.UnitType(dataWidth))
	u := hdl.Inst(m, "u_sound", compute.Compute, compute.Params{Op: o.Op, DataWidth: dataWidth})
	hdl.Connect(u.In, io.In)
	opt := io.Options
	switch o.mistake {
	case patternTurned:
		opt.M, opt.N = opt.N, opt.M
	case otherMode:
		opt.Mode = hdl.V(opt.Mode.Xor(hdl.Const(2, 1)))
	}
	hdl.Assign(u.Options, opt)
	out := u.Out
	last := out.Data.Last.Signal
	switch o.mistake {
	case lastByteWrong:
		at := out.Data.Bytes.Sub(hdl.K(1))
		out.Data.Data = hdl.V(out.Data.Data.Xor(last.Ext(dataWidth).Shl(hdl.Cat(at, hdl.Const(3, 0)))))
	case oneByteLess:
		out.Data.Bytes = hdl.V(out.Data.Bytes.Sub(last.Ext(out.Data.Bytes.Width())))
	case oneByteMore:
		out.Data.Bytes = hdl.V(out.Data.Bytes.Add(last.Ext(out.Data.Bytes.Width())))
	case causeForgotten:
		out.Data.Cause = hdl.V(hdl.Const(2, 0))
	}
	hdl.Connect(io.Out, out)
	return io
}

func setOf(o compute.Op) (s compute.Set) {
	s[o.Code()] = o
	return s
}

// TestPlantedMistakesOfOperationsAreFound puts a mistake into each operation of an engine on
// its own. That the units are sound without it, the first one shows.
func TestPlantedMistakesOfOperationsAreFound(t *testing.T) {
	fill := job.Compute{Op: job.FillMask, Mode: 0, M: 0x12, N: 0x34}
	quantise, dequantise := job.Compute{Op: job.MXQuantiseFP32}, job.Compute{Op: job.MXDequantiseFP16, Mode: 1}
	swap, check := job.Compute{Op: job.ByteSwap, Mode: 1}, job.Compute{Op: job.CRC32C, Mode: 3}
	one := func(length uint64, c job.Compute) *job.List {
		return list(job.New(9, 0x900, 0x1_0900), computing(length, 0x1003, 0x1_1001, c), computing(length, 0x2001, 0x1_2002, c), job.New(9, 0x3000, 0x1_3000))
	}
	tile := list()
	for i := range uint64(4) {
		tile.Jobs = append(tile.Jobs, computing(4, 0x1003+8*i, 0x1_1001+16*i, job.Compute{Op: job.Transpose, M: 4, N: 4, DstLength: 4}))
	}
	for _, c := range []struct {
		name string
		op   compute.Op
		how  mistake
		list *job.List
		find string
	}{
		{"wrong byte, quantised", compute.MXQuantise{}, lastByteWrong, one(256, quantise), "0x11042 (byte 65 of transfer 1) holds "},
		{"wrong byte, dequantised", compute.MXDequantise{To: compute.FP16}, lastByteWrong, one(66, dequantise), "0x11080 (byte 127 of transfer 1) holds "},
		{"wrong byte, swapped", compute.ByteSwap{}, lastByteWrong, one(10, swap), "0x1100a (byte 9 of transfer 1) holds "},
		{"wrong byte, of a column", compute.Transpose{}, lastByteWrong, tile, "0x11004 (byte 3 of transfer 0) holds "},
		{"byte too few, quantised", compute.MXQuantise{}, oneByteLess, one(256, quantise), "0x11042 (byte 65 of transfer 1) was never written"},
		{"byte too few, dequantised", compute.MXDequantise{To: compute.FP16}, oneByteLess, one(66, dequantise), "0x11080 (byte 127 of transfer 1) was never written"},
		{"byte too few, filled", compute.FillMask{}, oneByteLess, one(10, fill), "0x1100a (byte 9 of transfer 1) was never written"},
		{"byte too many, quantised", compute.MXQuantise{}, oneByteMore, one(256, quantise), "0x11043 (0x1 bytes past the end of transfer 1's destination) was written once and belongs to no destination"},
		{"byte too many, filled", compute.FillMask{}, oneByteMore, one(10, fill), "0x1100b (0x1 bytes past the end of transfer 1's destination) was written once and belongs to no destination"},
		{"bytes of the pattern exchanged", compute.FillMask{}, patternTurned, one(10, fill), "holds 0x34 and should hold 0x12; likewise the next 9 bytes"},
		{"other elements", compute.MXQuantise{}, otherMode, one(256, quantise), "of transfer 1) holds "},
		{"other scales", compute.MXQuantise{SignedScale: true}, noMistake, one(256, quantise), "0x11001 (byte 0 of transfer 1) holds "},
		{"rule ignored", compute.ByteSwap{}, rulesIgnored, one(9, swap), "transfer 1 (9 bytes from 0x1003, through byte_swap, 0 to 0x11001) ended with error false, expected true"},
		{"rule that is none", compute.ByteSwap{}, allRefused, one(10, swap), "ended with error true, expected false"},
		{"wrong check value not told", compute.CRC32C{}, causeForgotten, one(10, check), "ended with error false, expected true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sounds := c.op
			if c.how == noMistake {
				sounds = compute.MXQuantise{}
			}
			for _, op := range []compute.Op{spoil(sounds, noMistake), spoil(c.op, c.how)} {
				eng := withOperations(t, "axi4", setOf(op))
				res, err := Run(context.Background(), eng, c.list, RunConfig{Compute: setOf(sounds), Keep: 1000})
				if op == spoil(sounds, noMistake) {
					require.NoError(t, err)
					require.NoError(t, res.Err(), "without the mistake")
					continue
				}
				if err != nil {
					require.ErrorAs(t, err, new(*HangError))
				}
				require.Contains(t, strings.Join(res.Findings, "\n"), c.find)
				require.Positive(t, res.Mismatches)
			}
		})
	}
}
