package tb

import (
	"fmt"

	"github.com/millrace-hdl/millrace/tb/job"
)

// StreamConfig describes a stream: transfers of one size, one after the other,
// contiguous on both sides.
type StreamConfig struct {
	Size       uint64 // bytes a transfer
	Bytes      int    // data bus width in bytes
	AddrWidth  int    // bits; the destination begins in the middle of the space
	Misaligned bool   // source +3 and destination +5, else both aligned
	DecoupleAW bool
	DecoupleRW bool
}

// Offsets of misaligned streams, in bytes.
const (
	misalignedSrc = 3
	misalignedDst = 5
)

// Transfers is how many transfers the stream has: at least 4 and 64 KiB in all, and
// for transfers of 4 beats or more at least 4096 beats in all.
func (c *StreamConfig) Transfers() uint64 {
	bytes := uint64(64 << 10)
	if beat := uint64(c.Bytes); c.Size >= 4*beat {
		bytes = max(bytes, 4096*beat)
	}
	return max(4, (bytes-1)/c.Size+1)
}

// Stream makes the list.
func Stream(c StreamConfig) (*job.List, error) {
	if c.Size == 0 || c.Bytes == 0 {
		return nil, fmt.Errorf("stream: transfers of %d bytes on a bus of %d bytes; both must be at least 1", c.Size, c.Bytes)
	}
	if c.AddrWidth < 12 || c.AddrWidth > 64 {
		return nil, fmt.Errorf("stream: %d address bits; 12…64", c.AddrWidth)
	}
	n := c.Transfers()
	dst := uint64(1) << (c.AddrWidth - 1)
	if c.Size > dst || n > (dst-misalignedDst)/c.Size || n > job.MaxJobs {
		return nil, fmt.Errorf("stream: %d transfers of %d bytes do not fit into half of a %d-bit address space", n, c.Size, c.AddrWidth)
	}
	kind := "aligned"
	src := uint64(0)
	if c.Misaligned {
		kind = "misaligned"
		src += misalignedSrc
		dst += misalignedDst
	}
	list := &job.List{Name: fmt.Sprintf("stream of %d-byte transfers, %s", c.Size, kind)}
	for i := range n {
		j := job.New(c.Size, src+i*c.Size, dst+i*c.Size)
		j.DecoupleAW, j.DecoupleRW = c.DecoupleAW, c.DecoupleRW
		list.Jobs = append(list.Jobs, j)
	}
	return list, nil
}
