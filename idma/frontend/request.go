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

// request is what the registers of a port describe (specification §4.1): INCR bursts
// that may be modified, identifier, protection, quality and user zero.
func (f *frontend) request(r regs.Registers) midend.Request {
	c := f.c
	b := c.Backend
	q := midend.Request{Transfer: backend.Request{
		Length: f.value(r, "length", b.LengthWidth, false), SrcAddr: f.value(r, "src_addr", b.AddrWidth, false), DstAddr: f.value(r, "dst_addr", b.AddrWidth, false),
		ID: zero(b.IDWidth), User: zero(b.UserWidth), Last: zero(1),
		Src: f.side(r, "src", b.ReadProtocols), Dst: f.side(r, "dst", b.WriteProtocols),
		DecoupleRW: hdl.V(r.Get("conf.decouple_rw", 0)),
	}}
	if b.Coupler {
		q.Transfer.DecoupleAW = []hdl.Var{hdl.V(r.Get("conf.decouple_aw", 0))}
	}
	if c.hasInit() {
		q.Transfer.Src.Mode = []hdl.Var{hdl.V(r.Get("options.init_mode", 0))}
	}
	for i := range c.Layout.loops() {
		name := fmt.Sprintf("dim%d_", i)
		used := r.Get("conf.enable_nd", 0).Gt(hdl.K(i))
		reps := f.value(r, name+"reps", c.RepsWidth, false)
		q.Dims = append(q.Dims, midend.Dim{
			Reps:      hdl.V(hdl.Mux(used, reps, hdl.K(1))),
			SrcStride: f.value(r, name+"src_stride", b.AddrWidth, true), DstStride: f.value(r, name+"dst_stride", b.AddrWidth, true),
		})
	}
	return q
}

func zero(width int) hdl.Var { return hdl.V(hdl.Const(width, 0)) }

// side are the options of one side.
func (f *frontend) side(r regs.Registers, side string, set backend.PortSet) backend.SideOptions {
	t := f.c.Backend.RequestType().Src
	if side == "dst" {
		t = f.c.Backend.RequestType().Dst
	}
	o := backend.SideOptions{
		Burst: hdl.V(hdl.Const(2, bus.BurstINCR)), Cache: hdl.V(hdl.Const(4, modifiable)), Lock: zero(1), Prot: zero(3), QoS: zero(4), Region: zero(4),
	}
	if len(t.Protocol) > 0 {
		o.Protocol = []hdl.Var{hdl.V(r.Get("conf."+side+"_protocol", 0))}
	}
	if len(t.Head) > 0 {
		o.Head = []hdl.Var{hdl.V(r.Get("options."+side+"_head", 0).Trunc(t.Head[0].Width()))}
	}
	if len(t.Limit) > 0 {
		o.Limit = []backend.BurstLimit{{
			MaxLLen:   hdl.V(r.Get("conf."+side+"_max_llen", 0)),
			ReduceLen: hdl.V(r.Get("conf."+side+"_reduce_len", 0)),
		}}
	}
	return o
}

// value is what one register holds, or two in wide layouts, in so many bits. Strides
// have a sign.
func (f *frontend) value(r regs.Registers, name string, width int, signed bool) hdl.Var {
	var v hdl.Signal
	switch {
	case f.c.Layout.wide() && width > 32:
		v = hdl.Cat(r.Get(name+"_high", 0), r.Get(name+"_low", 0))
	case f.c.Layout.wide():
		v = r.Get(name+"_low", 0)
	default:
		v = r.Get(name, 0)
	}
	if signed {
		v = v.AsSigned().Ext(width).AsUnsigned()
	}
	return hdl.V(v.Ext(width))
}
