package frontend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/idma/midend"
	"github.com/millrace-hdl/millrace/regs"
)

// modifiable is AxCACHE of all transfers.
const modifiable = 2

// description is the registers that describe a transfer: those of a port, or of one of
// its events.
type description struct {
	regs.Registers
	c       Config
	prefix  string // of their names
	element int    // of arrays
}

func (d description) get(name string) hdl.Signal { return d.Get(d.prefix+name, d.element) }

// variable is what of a request software can choose. The rest is constant, and need not
// be kept in queues.
type variable struct {
	Length     hdl.Var
	SrcAddr    hdl.Var
	DstAddr    hdl.Var
	Src        choice
	Dst        choice
	DecoupleAW []hdl.Var         `hdl:"opt,name=decouple_aw"`
	DecoupleRW hdl.Var           `hdl:"name=decouple_rw"`
	Compute    []compute.Options `hdl:"opt"`
	Dims       []midend.Dim      `hdl:"name=dim"`
}

// choice is that of one side.
type choice struct {
	Protocol []hdl.Var            `hdl:"opt"`
	Head     []hdl.Var            `hdl:"opt"`
	Mode     []hdl.Var            `hdl:"opt"`
	Limit    []backend.BurstLimit `hdl:"opt,name="`
}

// variableType is the type of what can be chosen with this back-end.
func (c Config) variableType() variable {
	t := c.requestType()
	side := func(o backend.SideOptions) choice { return choice{o.Protocol, o.Head, o.Mode, o.Limit} }
	return variable{
		t.Transfer.Length, t.Transfer.SrcAddr, t.Transfer.DstAddr, side(t.Transfer.Src), side(t.Transfer.Dst),
		t.Transfer.DecoupleAW, t.Transfer.DecoupleRW, t.Transfer.Compute, t.Dims,
	}
}

func (c Config) requestType() midend.Request {
	return midend.RequestType(c.Backend, c.Layout.loops(), c.RepsWidth)
}

// request adds what is constant (specification §4.1): INCR bursts that may be modified,
// identifier, protection, quality and user zero.
func (c Config) request(v variable) midend.Request {
	side := func(x choice) backend.SideOptions {
		return backend.SideOptions{
			Protocol: x.Protocol, Head: x.Head, Mode: x.Mode, Limit: x.Limit,
			Burst: hdl.V(hdl.Const(2, bus.BurstINCR)), Cache: hdl.V(hdl.Const(4, modifiable)), Lock: zero(1), Prot: zero(3), QoS: zero(4), Region: zero(4),
		}
	}
	_, dstLength := c.Backend.NoOperation()
	return midend.Request{Dims: v.Dims, Transfer: backend.Request{
		Length: v.Length, SrcAddr: v.SrcAddr, DstAddr: v.DstAddr, ID: zero(c.Backend.IDWidth), User: zero(c.Backend.UserWidth), Last: zero(1),
		Src: side(v.Src), Dst: side(v.Dst), DecoupleAW: v.DecoupleAW, DecoupleRW: v.DecoupleRW,
		Compute: v.Compute, DstLength: dstLength,
	}}
}

// transfer is what the registers describe.
func (d description) transfer() variable {
	c, b := d.c, d.c.Backend
	v := variable{
		Length: d.value("length", b.LengthWidth, false), SrcAddr: d.value("src_addr", b.AddrWidth, false), DstAddr: d.value("dst_addr", b.AddrWidth, false),
		Src: d.side("src"), Dst: d.side("dst"), DecoupleRW: hdl.V(d.get("conf.decouple_rw")),
	}
	if b.Coupler {
		v.DecoupleAW = []hdl.Var{hdl.V(d.get("conf.decouple_aw"))}
	}
	if c.hasInit() {
		v.Src.Mode = []hdl.Var{hdl.V(d.get("options.init_mode"))}
	}
	v.Compute = d.compute()
	for i := range c.Layout.loops() {
		name := fmt.Sprintf("dim%d_", i)
		used := d.get("conf.enable_nd").Gt(hdl.K(i))
		reps := d.value(name+"reps", c.RepsWidth, false)
		v.Dims = append(v.Dims, midend.Dim{
			Reps:      hdl.V(hdl.Mux(used, reps, hdl.K(1))),
			SrcStride: d.value(name+"src_stride", b.AddrWidth, true), DstStride: d.value(name+"dst_stride", b.AddrWidth, true),
		})
	}
	return v
}

// compute is what compute_cfg asks for. Events move bytes as they are.
func (d description) compute() []compute.Options {
	none, _ := d.c.Backend.NoOperation()
	if len(none) == 0 || d.prefix != "" {
		return none
	}
	get := func(field string) hdl.Var { return hdl.V(d.get("compute_cfg." + field)) }
	return []compute.Options{{Enable: get("enable"), Op: get("op"), Mode: get("mode"), M: get("m"), N: get("n")}}
}

func zero(width int) hdl.Var { return hdl.V(hdl.Const(width, 0)) }

// side is what is chosen for one side, but for the mode.
func (d description) side(side string) (x choice) {
	t := d.c.variableType().Src
	if side == "dst" {
		t = d.c.variableType().Dst
	}
	if len(t.Protocol) > 0 {
		x.Protocol = []hdl.Var{hdl.V(d.get("conf." + side + "_protocol"))}
	}
	if len(t.Head) > 0 {
		x.Head = []hdl.Var{hdl.V(d.get("options." + side + "_head").Trunc(t.Head[0].Width()))}
	}
	if len(t.Limit) > 0 {
		x.Limit = []backend.BurstLimit{{
			MaxLLen:   hdl.V(d.get("conf." + side + "_max_llen")),
			ReduceLen: hdl.V(d.get("conf." + side + "_reduce_len")),
		}}
	}
	return x
}

// value is what one register holds, or two in wide layouts, in so many bits. Strides
// have a sign.
func (d description) value(name string, width int, signed bool) hdl.Var {
	var v hdl.Signal
	switch {
	case d.c.Layout.wide() && width > 32:
		v = hdl.Cat(d.get(name+"_high"), d.get(name+"_low"))
	case d.c.Layout.wide():
		v = d.get(name + "_low")
	default:
		v = d.get(name)
	}
	if signed {
		v = v.AsSigned().Ext(width).AsUnsigned()
	}
	return hdl.V(v.Ext(width))
}
