package compute

import (
	"strconv"

	"github.com/millrace-hdl/millrace/hdl"
)

// mxScale is the scale of a block.
type mxScale struct {
	Byte  hdl.Var // as it is stored
	Floor hdl.Var // as [mxEncodeIO] takes it
}

func mxScaleType() mxScale { return mxScale{Byte: hdl.U(8), Floor: hdl.S(floorBits)} }

// scaleFor is the scale of a block whose largest finite number has that exponent: such
// that this number just fits, if the scale can be so small (specification §2.7).
func (p mxParams) scaleFor(m *hdl.Module, name string, top, e4m3Mode hdl.Signal) mxScale {
	lowest := 0 // of the unsigned scale, −127; both are kept with a bias of 127
	if p.SignedScale {
		lowest = -1
	}
	wanted := m.Let(name+"_wanted", top.Ext(floorBits).AsSigned().Sub(byMode(e4m3Mode, floorBits, e5m2.emax, e4m3.emax).AsSigned()))
	biased := m.Let(name+"_biased", hdl.Mux(wanted.Lt(hdl.K(lowest)), hdl.K(lowest), wanted))
	stored := biased.AsUnsigned().Trunc(8)
	if p.SignedScale {
		stored = stored.Sub(hdl.K(127))
	}
	return mxScale{hdl.V(stored), hdl.V(biased.Add(byMode(e4m3Mode, floorBits, 1-e5m2.bias, 1-e4m3.bias).AsSigned()))}
}

// search is the largest of some values at the end of a pipeline, of which each stage
// compares three levels.
type search struct {
	stages int
	top    []hdl.Signal // of each group
	meta   hdl.Signal   // what came with the values, as many cycles later
}

// searchStages is the stages that as many values need, at least one.
func searchStages(n int) int { return max(1, (hdl.AddrBits(n)+2)/3) }

// searchTop finds the largest values of groups of equal size. It takes a set of values
// in every cycle; meta goes beside them and is zero after reset.
func searchTop(m *hdl.Module, groups [][]hdl.Signal, meta hdl.Signal) search {
	s := search{stages: searchStages(len(groups[0])), top: make([]hdl.Signal, len(groups)), meta: meta}
	for i := range s.stages {
		s.meta = m.RegNext("search"+strconv.Itoa(i)+"_meta_q", s.meta)
	}
	for g, values := range groups {
		for i := range s.stages {
			for range 3 {
				values = larger(values)
			}
			for k, v := range values {
				values[k] = m.RegNext("search"+strconv.Itoa(i)+"_group"+strconv.Itoa(g)+"_"+strconv.Itoa(k)+"_q", v, hdl.NoReset())
			}
		}
		s.top[g] = values[0]
	}
	return s
}

// larger is the larger of each two neighbours.
func larger(values []hdl.Signal) []hdl.Signal {
	var out []hdl.Signal
	for i := 0; i+1 < len(values); i += 2 {
		out = append(out, hdl.Mux(values[i].Gt(values[i+1]), values[i], values[i+1]))
	}
	if len(values)%2 == 1 {
		out = append(out, values[len(values)-1])
	}
	return out
}
