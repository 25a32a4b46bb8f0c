package verilator

import (
	"errors"
	"os"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
)

// history keeps the last cycles of a lockstep for the waves of a difference.
// Until there is one, both engines have the same values, so one copy is kept.
type history struct {
	moments []moment
	count   int
}

// moment is one cycle: the registers before the edge, and the outputs they gave.
type moment struct {
	cycle          uint64
	next           wave.Edge
	in, out, state []uint64
}

func newHistory(window int) *history { return &history{moments: make([]moment, max(window, 0))} }

// record copies a moment over the oldest one. Its outputs may come later.
func (h *history) record(m moment) {
	if len(h.moments) == 0 {
		return
	}
	slot := &h.moments[h.count%len(h.moments)]
	slot.cycle, slot.next = m.cycle, m.next
	slot.in = append(slot.in[:0], m.in...)
	slot.out = append(slot.out[:0], m.out...)
	slot.state = append(slot.state[:0], m.state...)
	h.count++
}

// amend gives the moment recorded last its outputs.
func (h *history) amend(out []uint64) {
	if len(h.moments) > 0 {
		copy(h.moments[(h.count-1)%len(h.moments)].out, out)
	}
}

// last returns the moments, oldest first.
func (h *history) last() []moment {
	n := min(h.count, len(h.moments))
	ms := make([]moment, n)
	for i := range ms {
		ms[i] = h.moments[(h.count-n+i)%len(h.moments)]
	}
	return ms
}

// replay shows moments as an engine would, for a recorder.
type replay struct {
	sim.Engine
	moment  moment
	offsets map[string]int // of registers in the moment's state
}

func (r *replay) In() []uint64  { return r.moment.in }
func (r *replay) Out() []uint64 { return r.moment.out }
func (r *replay) Cycle() uint64 { return r.moment.cycle }
func (r *replay) Read(v sim.Var, dst []uint64) {
	copy(dst[:v.Type.Words()], r.moment.state[r.offsets[v.Path]:])
}

// waves writes the moments of both engines to a new file and returns its path.
func (l *Lockstep) waves(a, b []moment) (path string, err error) {
	vars, offsets := []sim.Var{}, map[string]int{}
	if l.sa != nil {
		vars = registers(l.sa)
	}
	for _, p := range l.regs.registers {
		offsets[p.path] = p.a
	}
	record := func(name string, ms []moment) (*wave.Recorder, error) {
		// A replay is not Stateful: the recorder reads its variables one by one.
		r := &replay{Engine: l.a, offsets: offsets}
		rec := wave.NewRecorder(name, r, len(ms), append(wave.Ports(r), wave.Vars(vars)...))
		for _, r.moment = range ms {
			if err := rec.Sample(r.moment.next); err != nil {
				return nil, err
			}
		}
		return rec, nil
	}
	ra, err := record(l.opt.NameA, a)
	if err != nil {
		return "", err
	}
	rb, err := record(l.opt.NameB, b)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(l.opt.Dir, "lockstep-*.vcd")
	if err != nil {
		return "", err
	}
	if err := errors.Join(wave.WriteVCD(f, ra, rb), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}
