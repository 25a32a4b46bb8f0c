package tb

import (
	"math/bits"
	"math/rand/v2"

	"github.com/millrace-hdl/millrace/tb/job"
)

// driver offers requests in order and takes responses.
type driver struct {
	*course
	p       *ports
	cfg     *RunConfig
	rng     *rand.Rand
	offered bool // the next transfer is on the request port
	act     *actions
	noise   *rand.Rand
}

// drive sets the request and rsp_ready for this cycle.
func (d *driver) drive() {
	if !d.offered && d.accepted < len(d.jobs) && !chance(d.rng, d.cfg.ReqGap) && d.mayLaunch() {
		d.offer(d.accepted)
		d.offered = true
	}
	d.p.reqValid.setBool(d.offered)
	d.p.rspReady.setBool(!chance(d.rng, d.cfg.RspStall))
}

// chance is true in so many percent of calls.
func chance(rng *rand.Rand, percent int) bool {
	return percent > 0 && rng.IntN(100) < percent
}

// mayLaunch reports whether nothing that runs stands in the next transfer's way.
func (d *driver) mayLaunch() bool {
	if d.act != nil && !d.act.mayLaunch(d.accepted, d.accepted+1) {
		return false
	}
	if d.cfg.Memory != Shared || d.cfg.Launch == BackToBack {
		return true
	}
	j := &d.jobs[d.accepted]
	for i := d.done; i < d.accepted; i++ {
		if j.DependsOn(&d.jobs[i]) {
			return false
		}
	}
	return true
}

func (d *driver) offer(i int) {
	j, p := &d.jobs[i], d.p
	p.length.set(j.Length)
	p.srcAddr.set(j.Src.Addr)
	p.dstAddr.set(j.Dst.Addr)
	p.id.set(uint64(i))
	p.user.set(j.User)
	p.src.set(&j.Src)
	p.dst.set(&j.Dst)
	p.decoupleAW.setBool(j.DecoupleAW)
	p.decoupleRW.setBool(j.DecoupleRW)
	p.last.setBool(j.Last)
	if p.compute.enable.has {
		p.compute.set(&j.Compute, d.noise)
	}
}

// set asks for an operation. What has no meaning then is noise.
func (p *computePorts) set(c *job.Compute, noise *rand.Rand) {
	for _, f := range []field{p.enable, p.op, p.mode, p.m, p.n, p.dstLength} {
		f.set(noise.Uint64())
	}
	if c.Op != job.NoOperation || p.enable.on() {
		p.op.set(uint64(c.Op))
	}
	if c.Op == job.NoOperation {
		return
	}
	p.enable.set(1)
	p.mode.set(uint64(c.Mode))
	p.m.set(uint64(c.M))
	p.n.set(uint64(c.N))
	if c.Op == job.Transpose {
		p.dstLength.set(c.DstLength)
	}
}

func (p *sidePorts) set(s *job.Side) {
	p.burst.set(uint64(s.Burst))
	p.cache.set(uint64(s.Cache))
	p.lock.setBool(s.Lock)
	p.prot.set(uint64(s.Prot))
	p.qos.set(uint64(s.QoS))
	p.region.set(uint64(s.Region))
	p.protocol.set(uint64(s.Protocol))
	p.head.set(uint64(s.Head))
	p.mode.set(uint64(s.Mode))
	p.reduceLen.setBool(s.MaxBeats < job.NoBeatLimit)
	if s.MaxBeats < job.NoBeatLimit {
		p.maxLLen.set(uint64(bits.TrailingZeros(uint(s.MaxBeats))))
	} else {
		p.maxLLen.set(0)
	}
}

// accept takes the request handshake of the cycle and reports whether it
// happened.
func (d *driver) accept() bool {
	if !d.offered || !d.p.reqReady.on() {
		return false
	}
	d.offered = false
	d.accepted++
	return true
}
