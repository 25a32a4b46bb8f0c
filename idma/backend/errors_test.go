package backend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// answer is a response.
type answer struct{ err, cause, typ uint64 }

var (
	fine      = answer{}
	readSlv   = answer{1, uint64(axi4.SlvErr), backend.ErrBusRead}
	readDec   = answer{1, uint64(axi4.DecErr), backend.ErrBusRead}
	writeSlv  = answer{1, uint64(axi4.SlvErr), backend.ErrBusWrite}
	writeDec  = answer{1, uint64(axi4.DecErr), backend.ErrBusWrite}
	zero      = answer{1, backend.RefusedZeroLength, backend.ErrRefused}
	burstType = answer{1, backend.RefusedBurst, backend.ErrRefused}
)

// answers runs the list and returns its responses.
func answers(t *testing.T, d *ir.Design, list *job.List, cfg tb.RunConfig) []answer {
	t.Helper()
	var got []answer
	eng := watch(t, start(t, goModel, d, 1), func(_ uint64, p *watched) {
		if p.fires("rsp_") {
			got = append(got, answer{p.get("rsp_error"), p.get("rsp_cause"), p.get("rsp_err_type")})
		}
	})
	run(t, eng, list, cfg)
	return got
}

func TestBusErrorsAreAnsweredInTheirTransfer(t *testing.T) {
	const src, dst = 0x10_0000, 0x80_0000
	// Five transfers of 4, 100, 5000, 100 and 4 bytes; faults are at bytes of the
	// third, counted from its first.
	list := func(srcOff, dstOff uint64) *job.List {
		l := jobs()
		for i, n := range []uint64{4, 100, 5000, 100, 4} {
			l.Jobs = append(l.Jobs, job.New(n, src+srcOff+0x1_0000*uint64(i), dst+dstOff+0x1_0000*uint64(i)))
		}
		return l
	}
	read := func(at uint64, r axi4.Resp) mem.Fault {
		return mem.Fault{Lo: src + 0x2_0000 + at, Hi: src + 0x2_0000 + at, Resp: r}
	}
	write := func(at uint64, r axi4.Resp) mem.Fault {
		return mem.Fault{Write: true, Lo: dst + 0x2_0000 + at, Hi: dst + 0x2_0000 + at, Resp: r}
	}
	for _, c := range []struct {
		name   string
		faults []mem.Fault
		want   answer
	}{
		{"read, first beat", []mem.Fault{read(8, axi4.SlvErr)}, readSlv},
		{"read, later burst", []mem.Fault{read(4500, axi4.DecErr)}, readDec},
		{"read, last beat", []mem.Fault{read(4999, axi4.DecErr)}, readDec},
		{"the first of two read errors", []mem.Fault{read(100, axi4.SlvErr), read(3000, axi4.DecErr)}, readSlv},
		{"the first of two read errors, other codes", []mem.Fault{read(100, axi4.DecErr), read(4200, axi4.SlvErr)}, readDec},
		{"write, first burst", []mem.Fault{write(10, axi4.SlvErr)}, writeSlv},
		{"write, last burst", []mem.Fault{write(4999, axi4.DecErr)}, writeDec},
		{"the first of two write errors", []mem.Fault{write(10, axi4.DecErr), write(4500, axi4.SlvErr)}, writeDec},
		{"read before write", []mem.Fault{read(4900, axi4.SlvErr), write(10, axi4.DecErr)}, readSlv},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachVariant(t, func(t *testing.T, cfg backend.Config) {
				if !cfg.Legalizer {
					t.Skip("the transfer is more than one burst")
				}
				d := elaborate(t, cfg)
				for _, off := range [][2]uint64{{0, 0}, {3, 5}, {6, 1}} {
					for _, r := range []tb.RunConfig{
						{}, {Memory: tb.Separate, Launch: tb.BackToBack, WriteLatency: 60},
						{Stalls: mem.AllStalls(30), RspStall: 60, Seed: 3},
					} {
						for _, f := range c.faults {
							at := off[0]
							if f.Write {
								at = off[1]
							}
							f.Lo, f.Hi = f.Lo+at, f.Hi+at
							r.Faults = append(r.Faults, f)
						}
						require.Equal(t, []answer{fine, fine, c.want, fine, fine}, answers(t, d, list(off[0], off[1]), r))
					}
				}
			})
		})
	}
}

func TestRefusalsAndErrorsKeepTheirOrder(t *testing.T) {
	bad := job.New(8, 0x2000, 0x9000)
	bad.Src.Burst = 0
	wrap := job.New(8, 0x2000, 0x9000)
	wrap.Dst.Burst = 2
	both := job.New(0, 0x2000, 0x9000)
	both.Dst.Burst = 0
	list := jobs(job.New(16, 0x1000, 0x8000), job.New(0, 0, 0), bad, job.New(16, 0x3000, 0xa000), wrap, job.New(16, 0x4000, 0xb000), both, job.New(4, 0x1000, 0xc000))
	faults := []mem.Fault{{Lo: 0x3008, Hi: 0x3008, Resp: axi4.DecErr}, {Write: true, Lo: 0xb000, Hi: 0xb000, Resp: axi4.SlvErr}}
	eachVariant(t, func(t *testing.T, c backend.Config) {
		d := elaborate(t, c)
		for _, r := range []tb.RunConfig{{}, {WriteLatency: 50}, {RspStall: 80, Seed: 1}} {
			r.Faults = faults
			require.Equal(t, []answer{fine, zero, burstType, readDec, burstType, writeSlv, zero, fine}, answers(t, d, list, r))
		}
	})
}

// EXOKAY is how a memory answers an exclusive access that it granted.
func TestExclusiveOkayIsNoError(t *testing.T) {
	for i, port := range []string{"m_axi_rresp", "m_axi_bresp", "m_axi_rresp", "m_axi_bresp"} {
		t.Run(port, func(t *testing.T) {
			responses := 0
			c := edit(func(c *backend.Config) { c.Watchdog = 1000 * (i / 2) })
			eng := watch(t, start(t, goModel, elaborate(t, c), 1), func(_ uint64, p *watched) {
				if p.fires("rsp_") {
					require.Zero(t, p.get("rsp_error"))
					responses++
				}
			})
			eng.drive = func(p *watched) { p.words(port)[0] = uint64(axi4.ExOkay) }
			run(t, eng, jobs(job.New(64, 0x1000, 0x8000), job.New(64, 0x1040, 0x8040)), tb.RunConfig{})
			require.Equal(t, 2, responses)
		})
	}
}
