package frontend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/idma/backend"
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

// request is what registers describe (specification §4.1): INCR bursts that may be
// modified, identifier, protection, quality and user zero.
func (d description) request() midend.Request {
	c := d.c
	b := c.Backend
	q := midend.Request{Transfer: backend.Request{
		Length: d.value("length", b.LengthWidth, false), SrcAddr: d.value("src_addr", b.AddrWidth, false), DstAddr: d.value("dst_addr", b.AddrWidth, false),
		ID: zero(b.IDWidth), User: zero(b.UserWidth), Last: zero(1),
		Src: d.side("src", b.ReadProtocols), Dst: d.side("dst", b.WriteProtocols),
		DecoupleRW: hdl.V(d.get("conf.decouple_rw")),
	}}
	if b.Coupler {
		q.Transfer.DecoupleAW = []hdl.Var{hdl.V(d.get("conf.decouple_aw"))}
	}
	if c.hasInit() {
		q.Transfer.Src.Mode = []hdl.Var{hdl.V(d.get("options.init_mode"))}
	}
	for i := range c.Layout.loops() {
		name := fmt.Sprintf("dim%d_", i)
		used := d.get("conf.enable_nd").Gt(hdl.K(i))
		reps := d.value(name+"reps", c.RepsWidth, false)
		q.Dims = append(q.Dims, midend.Dim{
			Reps:      hdl.V(hdl.Mux(used, reps, hdl.K(1))),
			SrcStride: d.value(name+"src_stride", b.AddrWidth, true), DstStride: d.value(name+"dst_stride", b.AddrWidth, true),
		})
	}
	return q
}

func zero(width int) hdl.Var { return hdl.V(hdl.Const(width, 0)) }

// side are the options of one side.
func (d description) side(side string, set backend.PortSet) backend.SideOptions {
	t := d.c.Backend.RequestType().Src
	if side == "dst" {
		t = d.c.Backend.RequestType().Dst
	}
	o := backend.SideOptions{
		Burst: hdl.V(hdl.Const(2, bus.BurstINCR)), Cache: hdl.V(hdl.Const(4, modifiable)), Lock: zero(1), Prot: zero(3), QoS: zero(4), Region: zero(4),
	}
	if len(t.Protocol) > 0 {
		o.Protocol = []hdl.Var{hdl.V(d.get("conf." + side + "_protocol"))}
	}
	if len(t.Head) > 0 {
		o.Head = []hdl.Var{hdl.V(d.get("options." + side + "_head").Trunc(t.Head[0].Width()))}
	}
	if len(t.Limit) > 0 {
		o.Limit = []backend.BurstLimit{{
			MaxLLen:   hdl.V(d.get("conf." + side + "_max_llen")),
			ReduceLen: hdl.V(d.get("conf." + side + "_reduce_len")),
		}}
	}
	return o
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
