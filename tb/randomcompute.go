package tb

import (
	"math/rand/v2"

	"github.com/millrace-hdl/millrace/tb/job"
)

// OperationConfig describes random operations.
type OperationConfig struct {
	Bytes      int // data bus width in bytes
	AddrWidth  int // bits
	Operations []job.Operation
	Percent    int // of the transfers that get one
	Broken     int // percent of these that break a rule
}

// AddOperations gives transfers of a list random operations, and lengths that these can
// have. For a transposition there come the transfers of a tile. The list runs on a shared
// memory, if it did before.
func AddOperations(seed uint64, list *job.List, c OperationConfig) {
	rng := rand.New(rand.NewPCG(seed, 0x6f707321))
	before := list.Jobs
	list.Jobs = nil
	for _, j := range before {
		all := []job.Job{j}
		if !j.Refused() && len(c.Operations) > 0 && chance(rng, c.Percent) {
			all = c.operation(rng, j)
		}
		for i := range all {
			if all[i].OverlapsUpward() {
				all = []job.Job{j}
				break
			}
		}
		list.Jobs = append(list.Jobs, all...)
	}
}

// operation is transfers with an operation in the place of one without.
func (c *OperationConfig) operation(rng *rand.Rand, j job.Job) []job.Job {
	o := &j.Compute
	*o = job.Compute{Op: c.Operations[rng.IntN(len(c.Operations))], Mode: uint8(rng.IntN(4)), M: uint16(rng.IntN(4096)), N: uint16(rng.IntN(4096))}
	broken := chance(rng, c.Broken)
	for ; (o.Op == job.ByteSwap || o.Op == job.Transpose) && 1<<o.Mode > c.Bytes; o.Mode-- {
		if broken && o.Op == job.ByteSwap {
			return []job.Job{j}
		}
	}
	if o.Op == job.Transpose {
		return c.tile(rng, j, broken)
	}
	unit := map[job.Operation]uint64{job.MXQuantiseFP32: 128, job.MXQuantiseFP16: 64, job.MXDequantiseFP32: 33, job.MXDequantiseFP16: 33,
		job.ByteSwap: 1 << o.Mode}[o.Op]
	if unit > 0 {
		j.Length = (j.Length/4/unit + 1) * unit
	}
	if o.Op == job.CRC32C && o.Mode == 2 {
		j.Length = max(j.Length, 5)
	}
	if o.Op == job.CRC32C && o.Mode == 3 {
		j.Length = max(j.Length, 4)
	}
	if broken {
		switch {
		case unit > 1 && flip(rng):
			j.Length -= 1 + rng.Uint64N(unit-1)
		case o.Op == job.CRC32C && o.Mode >= 2 && flip(rng):
			j.Length = 1 + rng.Uint64N(3)
		default:
			o.Op = job.FillMask + 1 + job.Operation(rng.IntN(int(job.MaxOperation-job.FillMask)))
		}
	}
	c.fit(&j.Src, j.Reads())
	c.fit(&j.Dst, j.Writes())
	return []job.Job{j}
}

// fit moves a side so that so many bytes from its address lie in the address space.
func (c *OperationConfig) fit(s *job.Side, n uint64) {
	if last, space := max(n, 1)-1, ^uint64(0)>>(64-c.AddrWidth); s.Addr > space-last {
		s.Addr = space - last
	}
}

// tile is the transfers of a tile with the options of a transfer, with something in
// between that does not belong there if it is to be broken.
func (c *OperationConfig) tile(rng *rand.Rand, j job.Job, broken bool) []job.Job {
	element := uint64(1) << j.Compute.Mode
	most := uint64(c.Bytes) / element
	rows, columns := most, most
	if flip(rng) {
		rows, columns = 1+rng.Uint64N(most), 1+rng.Uint64N(most)
	}
	j.Compute.M, j.Compute.N = uint16(rows), uint16(columns)
	pitch, outPitch := columns*element+rng.Uint64N(2*uint64(c.Bytes)), rows*element+rng.Uint64N(2)*rng.Uint64N(9)
	if space := ^uint64(0) >> (64 - c.AddrWidth); rows*pitch > space || columns*outPitch > space {
		pitch, outPitch = 0, 0 // one row again and again
	}
	c.fit(&j.Src, rows*pitch+columns*element)
	c.fit(&j.Dst, columns*outPitch+rows*element)
	var all []job.Job
	for i := range max(rows, columns) {
		if broken && i > 0 && i == max(rows, columns)/2 {
			other := j
			if other.Length = element; flip(rng) {
				other.Compute = job.Compute{} // else a tile of another size
			} else {
				other.Compute.M, other.Compute.N, other.Compute.DstLength = 1, 1, element
			}
			all = append(all, other)
		}
		w := j
		w.Length, w.Compute.DstLength = 0, 0
		if i < rows {
			w.Length, w.Src.Addr = columns*element, j.Src.Addr+i*pitch
		}
		if i < columns {
			w.Compute.DstLength, w.Dst.Addr = rows*element, j.Dst.Addr+i*outPitch
		}
		all = append(all, w)
	}
	return all
}
