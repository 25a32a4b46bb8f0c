package tb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/oracle"
)

// run is one run under way.
type run struct {
	eng    sim.Engine
	p      *ports
	b      *buses
	cfg    RunConfig
	course *course
	drv    driver
	mems   []*memPort
	score  scoreboard
	act    *actions // with an error handler
	ready  *readyCheck
	front  *front // of a whole engine
	every  []port // the buses, and that of descriptors
	rng    *rand.Rand
	cycle  uint64
	stamp  stamps
	units  []span // the write beats of each back-end
	idle   uint64 // cycles since the last transfer on any channel
}

// span is the cycles of the first and the last of something.
type span struct{ first, last uint64 }

// at is one in a cycle.
func (s *span) at(cycle uint64) {
	if s.first == never {
		s.first = cycle
	}
	s.last = cycle
}

// cycles is how long it takes, both counted.
func (s *span) cycles() uint64 {
	if s.first == never {
		return 0
	}
	return s.last - s.first + 1
}

// stamps is the cycles of first and last events; never is "has not happened".
type stamps struct {
	accept, response, arValid, wValid uint64
	reads, writes                     span // beats
}

const never = ^uint64(0)

// Run resets the engine, a back-end with any buses or a whole engine, runs the list
// through it and judges the result. A run that could not be made or did not end
// is an error: a list that the engine cannot do ([job.Error]), a hang
// ([HangError], with what was measured until then), a failure of the engine, the
// end of the context. What the engine did wrong is in the result; see [Result.Err].
func Run(ctx context.Context, eng sim.Engine, list *job.List, cfg RunConfig) (Result, error) {
	b, err := bind(eng, cfg.Software)
	if err != nil {
		return Result{}, err
	}
	whole, part := list, &parts{}
	if cfg.Software != nil {
		if part, err = apart(whole, cfg.Software); err != nil {
			return Result{}, err
		}
		list = part.list
	}
	p := b.ports
	if cfg, err = cfg.complete(p.bytes); err != nil {
		return Result{}, err
	}
	if list, err = checkList(list, b, &cfg); err != nil {
		return Result{}, err
	}
	if err := part.checkLaunch(whole, &cfg); err != nil {
		return Result{}, err
	}
	cfg.Watchdog += unseen(list, p.bytes)
	r := &run{eng: eng, p: p, b: b, cfg: cfg, course: newCourse(list.Jobs, part.units), rng: rand.New(rand.NewPCG(cfg.Seed, 2))}
	r.drv = driver{course: r.course, p: p, cfg: &r.cfg, rng: rand.New(rand.NewPCG(cfg.Seed, 1)), noise: rand.New(rand.NewPCG(cfg.Seed, 4))}
	if err := r.connect(); err != nil {
		return Result{}, err
	}
	r.every = b.all
	if cfg.Software != nil {
		if r.front, err = newFront(eng, whole, part, r.course, &r.cfg); err != nil {
			return Result{}, err
		}
		if r.front.bus != nil {
			r.every = append(slices.Clone(b.all), r.front.bus)
		}
	}
	orc, err := oracle.NewEnds(list, r.ends(), oracle.Options{Bytes: p.bytes, Guard: uint64(cfg.Guard), Seed: cfg.Seed, Faults: cfg.Faults, Handled: p.actionValid.has})
	if err != nil {
		return Result{}, err
	}
	r.score = scoreboard{course: r.course, p: p, b: b, oracle: orc, handler: cfg.Errors, keep: cfg.Keep}
	if p.actionValid.has {
		act := newActions(r.course, p, b, &r.cfg, func(format string, args ...any) { r.score.bad(r.cycle, format, args...) })
		r.act, r.drv.act, r.score.act = act, act, act
		if r.front != nil {
			r.front.act = act
		}
	}
	if cfg.ReadyCheck > 0 {
		r.ready = newReadyCheck(eng, b, func(cycle uint64, message string) {
			r.score.bad(cycle, "%s", message)
		})
	}
	r.stamp = stamps{never, never, never, never, span{first: never}, span{first: never}}
	r.units = slices.Repeat([]span{{first: never}}, b.units)

	start := time.Now()
	err = r.all(ctx)
	seconds := time.Since(start).Seconds()
	if err != nil && !errors.As(err, new(*HangError)) {
		return Result{}, err
	}
	res := r.result(list, seconds)
	res.Jobs = len(whole.Jobs)
	return res, err
}

// checkList refuses what this engine or this configuration cannot do, and judges the
// operations of the list.
func checkList(list *job.List, b *buses, cfg *RunConfig) (*job.List, error) {
	if b.actionValid.has && len(cfg.Faults) > 0 {
		return nil, fmt.Errorf("run: the engine has an error handler; errors belong to the transfers of the list, not into the configuration, so that there is an action for each")
	}
	limits, err := b.limits(cfg.Compute)
	if err != nil {
		return nil, err
	}
	if list, err = list.For(limits); err != nil {
		return nil, err
	}
	for i := range list.Jobs {
		if e := checkErrors(&list.Jobs[i]); e != nil {
			e.File, e.Line, e.Job = list.Name, list.Jobs[i].Line, i
			return nil, e
		}
	}
	if cfg.Memory != Shared || cfg.Launch == WaitOnOverlap {
		return list, nil
	}
	return list, list.CheckIndependent()
}

// checkErrors refuses errors of which the bench does not know what becomes of the bytes.
func checkErrors(j *job.Job) *job.Error {
	if len(j.Errors) == 0 || j.Src.Protocol != job.AXI4Stream && j.Dst.Protocol != job.AXI4Stream {
		return nil
	}
	return &job.Error{Field: "errors", Value: fmt.Sprintf("%d injected errors", len(j.Errors)),
		Want: "none from or to a stream, of which the bench does not know how much was taken or sent before an error"}
}

// pending is what is outstanding on all buses.
func (r *run) pending() (reads, writes int) {
	for _, p := range r.b.all {
		a, b := p.pending()
		reads, writes = reads+a, writes+b
	}
	return reads, writes
}

// all is the run: reset, the transfers, and some cycles in which nothing more may
// happen.
func (r *run) all(ctx context.Context) error {
	if err := r.reset(); err != nil {
		return err
	}
	limit := r.cfg.maxCycles(&job.List{Jobs: r.course.jobs}, r.p.bytes)
	for !r.course.finished() {
		if err := r.step(); err != nil {
			return err
		}
		if r.idle > uint64(r.cfg.Watchdog) {
			return &HangError{Cycle: r.cycle, Idle: r.idle, Detail: r.outstanding()}
		}
		if r.cycle > limit {
			return &HangError{Cycle: r.cycle, Detail: r.outstanding()}
		}
		if r.cycle%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("the run was stopped in cycle %d: %w", r.cycle, err)
			}
			r.progress()
		}
	}
	for range 32 + r.cfg.ReadLatency + r.cfg.WriteLatency {
		if err := r.step(); err != nil {
			return err
		}
	}
	if r.p.busy.has && !r.cfg.IgnoreBusy && r.p.busy.get() != 0 {
		r.score.bad(r.cycle, "busy is 0b%08b after all transfers ended", r.p.busy.get())
	}
	for _, p := range r.every {
		p.finish(r.cycle)
	}
	if r.front != nil {
		if err := r.front.prog.Finish(); err != nil {
			r.score.bad(r.cycle, "%v", err)
		}
	}
	r.progress()
	return nil
}

func (r *run) progress() {
	if r.cfg.Progress == nil {
		return
	}
	p := Progress{Done: r.course.done, Total: len(r.course.jobs), Cycles: r.cycle}
	if r.front != nil {
		p.Done, p.Total = r.front.ends(), len(r.front.all.Jobs)
	}
	r.cfg.Progress(p)
}

// reset brings the engine to its start, where no VALID may be high.
func (r *run) reset() error {
	clear(r.eng.In())
	if err := r.eng.Reset(2); err != nil {
		return fmt.Errorf("resetting the engine: %w", err)
	}
	if err := r.eng.Eval(); err != nil {
		return fmt.Errorf("settling the engine after reset: %w", err)
	}
	for _, p := range r.every {
		p.sample()
		p.reset()
	}
	if r.p.rspValid.on() {
		r.score.bad(0, "rsp_valid is high after reset")
	}
	return nil
}

// step is one cycle.
func (r *run) step() error {
	for _, p := range r.every {
		p.drive()
	}
	launched := false
	if r.front != nil {
		launched = r.front.drive()
	} else {
		r.drv.drive()
		if r.act != nil {
			r.act.drive()
		}
	}
	if r.ready != nil && r.rng.IntN(r.cfg.ReadyCheck) == 0 {
		if err := r.ready.run(r.cycle); err != nil {
			return fmt.Errorf("cycle %d: %w", r.cycle, err)
		}
	}
	reads, writes := r.pending()
	if err := r.eng.Step(); err != nil {
		return fmt.Errorf("cycle %d: %w", r.cycle, err)
	}
	for _, p := range r.every {
		p.sample()
		p.watch(r.cycle)
	}
	if r.act != nil {
		r.act.watch()
	}
	for _, m := range r.mems {
		m.bursts(func(text string) { r.score.bad(r.cycle, "%s", text) }, r.act != nil && r.act.rewound)
	}
	if !r.cfg.IgnoreBusy {
		r.score.onBusy(r.cycle, reads, writes)
	}
	r.score.onRunning(r.cycle)
	moved := r.note()
	if r.front != nil {
		if err := r.software(launched, &moved); err != nil {
			return fmt.Errorf("cycle %d: %w", r.cycle, err)
		}
	} else {
		moved = r.requests() || moved
	}
	for _, p := range r.every {
		p.edge()
	}
	if r.idle++; moved {
		r.idle = 0
	}
	r.cycle++
	return nil
}

// once sets a stamp to this cycle, if it is that of the first such event.
func (r *run) once(stamp *uint64, happened bool) {
	if happened && *stamp == never {
		*stamp = r.cycle
	}
}

// note records first and last events on the buses, and reports whether anything moved.
func (r *run) note() bool {
	moved := false
	for i, p := range r.b.all {
		m := p.motion()
		r.once(&r.stamp.arValid, m.asks)
		r.once(&r.stamp.wValid, m.offers)
		if m.reads {
			r.stamp.reads.at(r.cycle)
		}
		if m.wrote {
			r.stamp.writes.at(r.cycle)
			r.units[r.b.heads[i].unit].at(r.cycle)
		}
		moved = moved || m.any
	}
	return moved
}

// requests takes request and response of a back-end, and reports whether any moved.
func (r *run) requests() bool {
	if r.act != nil {
		r.act.edge()
	}
	moved := false
	if r.drv.accept() {
		if r.act != nil {
			r.act.launch(r.course.accepted - 1)
		}
		r.once(&r.stamp.accept, true)
		moved = true
	}
	if r.score.onResponse(r.cycle) {
		r.stamp.response = r.cycle
	}
	return moved || r.p.rspValid.on() && r.p.rspReady.on()
}

// software takes what the software of a whole engine did.
func (r *run) software(launched bool, moved *bool) error {
	r.once(&r.stamp.accept, launched)
	any, err := r.front.after(func(part int) {
		r.score.over(r.cycle, part)
		r.stamp.response = r.cycle
	}, func() { r.score.errors++ })
	*moved = *moved || launched || any
	return err
}

// result gathers what was measured and compares memory.
func (r *run) result(list *job.List, seconds float64) Result {
	res := Result{
		Jobs: len(list.Jobs), Bytes: list.Bytes(), Written: list.Written(),
		ErrorResponses: r.score.errors, Seed: r.cfg.Seed,
		TotalCycles: r.cycle, FewestWriteBeats: FewestWriteBeats(list, r.p.bytes), FewestReadBeats: FewestReadBeats(list, r.p.bytes),
		RequestToRead: apartBy(r.stamp.accept, r.stamp.arValid), RequestToWrite: apartBy(r.stamp.accept, r.stamp.wValid),
		ReadToWrite: apartBy(r.stamp.reads.first, r.stamp.wValid),
	}
	for _, p := range r.every {
		vs, n := p.violations()
		res.Violations, res.ProtocolErrors = append(res.Violations, vs...), res.ProtocolErrors+n
	}
	if r.stamp.response != never {
		res.Cycles = r.stamp.response - r.stamp.accept
	}
	used := func(fewest uint64, s *span) float64 {
		if n := s.cycles(); n > 0 {
			return float64(fewest) / float64(n) / float64(r.b.units)
		}
		return 0
	}
	res.Utilisation, res.ReadUtilisation = used(res.FewestWriteBeats, &r.stamp.writes), used(res.FewestReadBeats, &r.stamp.reads)
	r.shares(&res)
	if seconds > 0 {
		res.CyclesPerSec = float64(r.cycle) / seconds
	}
	res.Findings, res.Mismatches = r.score.findings, r.score.count
	for _, to := range r.score.oracle.Stores() {
		first, total := r.score.oracle.Compare(to, r.cfg.Keep)
		for _, m := range first {
			res.Findings = append(res.Findings, "memory at "+m.String())
		}
		res.Mismatches += total
	}
	var violated *sim.ViolationError
	if errors.As(sim.Violations(r.eng), &violated) {
		var first []string
		for _, c := range violated.Checks {
			first = append(first, c.String())
		}
		res.Findings = append(first, res.Findings...)
		res.Mismatches += len(violated.Checks)
	}
	return res
}

// apartBy is the cycles from one event to another, −1 if either did not happen.
func apartBy(from, to uint64) int {
	if from == never || to == never {
		return -1
	}
	return int(to) - int(from)
}
