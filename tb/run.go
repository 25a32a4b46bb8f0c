package tb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/oracle"
)

// run is one run under way.
type run struct {
	eng   sim.Engine
	p     *ports
	cfg   RunConfig
	drv   driver
	mem   *mem.AXI4
	mon   *axi4.Monitor
	score scoreboard
	act   *actions // with an error handler
	ready *readyCheck
	rng   *rand.Rand
	s     axi4.Sample
	size  uint8 // log2 of the bus width in bytes
	cycle uint64
	stamp stamps
	idle  uint64 // cycles since the last transfer on any channel
}

// stamps is the cycles of first and last events; never is "has not happened".
type stamps struct {
	accept, response, arValid, rBeat, wValid, wFirst, wLast uint64
}

const never = ^uint64(0)

// Run resets the engine, a back-end with AXI4 on both sides, runs the list
// through it and judges the result. A run that could not be made or did not end
// is an error: a list that the engine cannot do ([job.Error]), a hang
// ([HangError], with what was measured until then), a failure of the engine, the
// end of the context. What the engine did wrong is in the result; see [Result.Err].
func Run(ctx context.Context, eng sim.Engine, list *job.List, cfg RunConfig) (Result, error) {
	p, err := bind(eng)
	if err != nil {
		return Result{}, err
	}
	if cfg, err = cfg.complete(p.bytes); err != nil {
		return Result{}, err
	}
	if err := checkList(list, p, &cfg); err != nil {
		return Result{}, err
	}
	from := mem.NewStore(cfg.Seed)
	to := from
	if cfg.Memory == Separate {
		to = mem.NewStore(cfg.Seed + 1)
	}
	orc, err := oracle.New(list, from, to, oracle.Options{Bytes: p.bytes, Guard: uint64(cfg.Guard), Seed: cfg.Seed, Faults: cfg.Faults, Handled: p.actionValid.has})
	if err != nil {
		return Result{}, err
	}
	memory, err := mem.NewAXI4(cfg.memory(p.bytes), from, to)
	if err != nil {
		return Result{}, err
	}
	r := &run{
		eng: eng, p: p, cfg: cfg, mem: memory,
		mon: axi4.NewMonitor(axi4.Config{Bytes: p.bytes, Keep: cfg.Keep}),
		rng: rand.New(rand.NewPCG(cfg.Seed, 2)),
	}
	r.drv = driver{p: p, cfg: &r.cfg, jobs: list.Jobs, rng: rand.New(rand.NewPCG(cfg.Seed, 1))}
	r.score = scoreboard{p: p, jobs: list.Jobs, oracle: orc, handler: cfg.Errors, keep: cfg.Keep,
		reads:  newWalker(axi4.AR, p, list.Jobs),
		writes: newWalker(axi4.AW, p, list.Jobs)}
	if p.actionValid.has {
		act := newActions(p, &r.cfg, list.Jobs, memory, func(format string, args ...any) { r.score.bad(r.cycle, format, args...) })
		r.act, r.drv.act, r.score.act = act, act, act
		running := func() (int, int) { return r.drv.done, r.drv.accepted }
		r.score.reads.running, r.score.writes.running = running, running
	}
	if cfg.ReadyCheck > 0 {
		r.ready = newReadyCheck(eng, p)
	}
	r.stamp = stamps{never, never, never, never, never, never, never}
	for r.size = 0; 1<<r.size < p.bytes; r.size++ {
	}
	r.view()

	start := time.Now()
	err = r.all(ctx)
	seconds := time.Since(start).Seconds()
	if err != nil && !errors.As(err, new(*HangError)) {
		return Result{}, err
	}
	return r.result(list, to, seconds), err
}

// checkList refuses what this engine or this configuration cannot do.
func checkList(list *job.List, p *ports, cfg *RunConfig) error {
	if p.actionValid.has && len(cfg.Faults) > 0 {
		return fmt.Errorf("run: the engine has an error handler; errors belong to the transfers of the list, not into the configuration, so that there is an action for each")
	}
	axi := []job.Protocol{job.AXI4}
	if err := list.Check(job.Limits{AddrWidth: p.addrWidth, LengthWidth: p.lengthWidth, Read: axi, Write: axi, Errors: p.actionValid.has}); err != nil {
		return err
	}
	if cfg.Memory == Separate || cfg.Launch == WaitOnOverlap {
		return nil
	}
	return list.CheckIndependent()
}

// view points the sample at the engine's arrays.
func (r *run) view() {
	r.s.W.Data, r.s.W.Strb, r.s.W.User = r.p.wData, r.p.wStrb, r.p.wUser
	r.s.R.Data = r.p.rData
}

// all is the run: reset, the transfers, and some cycles in which nothing more may
// happen.
func (r *run) all(ctx context.Context) error {
	if err := r.reset(); err != nil {
		return err
	}
	limit := r.cfg.maxCycles(&job.List{Jobs: r.drv.jobs}, r.p.bytes)
	for r.drv.done < len(r.drv.jobs) {
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
	r.mon.Finish(r.cycle)
	r.progress()
	return nil
}

func (r *run) progress() {
	if r.cfg.Progress != nil {
		r.cfg.Progress(Progress{Done: r.drv.done, Total: len(r.drv.jobs), Cycles: r.cycle})
	}
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
	r.sample()
	r.mon.Reset(0, &r.s)
	if r.p.rspValid.on() {
		r.score.bad(0, "rsp_valid is high after reset")
	}
	return nil
}

// step is one cycle.
func (r *run) step() error {
	r.mem.Drive(&r.s)
	r.drv.drive()
	if r.act != nil {
		r.act.drive()
	}
	r.publish()
	if r.ready != nil && r.rng.IntN(r.cfg.ReadyCheck) == 0 {
		err := r.ready.run(func(ch axi4.Channel, message string) {
			r.mon.Report(r.cycle, ch, axi4.ValidOnReady, message)
		})
		if err != nil {
			return fmt.Errorf("cycle %d: %w", r.cycle, err)
		}
	}
	reads, writes := r.mem.Pending()
	if err := r.eng.Step(); err != nil {
		return fmt.Errorf("cycle %d: %w", r.cycle, err)
	}
	r.sample()
	r.mon.Cycle(r.cycle, &r.s)
	if r.act != nil {
		r.act.bus(&r.s, r.drv.done, r.drv.accepted)
	}
	r.score.onBursts(r.cycle, &r.s)
	if !r.cfg.IgnoreBusy {
		r.score.onBusy(r.cycle, reads, writes)
	}
	r.score.onRunning(r.cycle, r.drv.done, r.drv.accepted)
	moved := r.note()
	r.mem.Edge(&r.s)
	if r.idle++; moved {
		r.idle = 0
	}
	r.cycle++
	return nil
}

// publish puts what the memory drives on the engine's inputs. R data are there
// already.
func (r *run) publish() {
	p, s := r.p, &r.s
	p.ar.ready.setBool(s.AR.Ready)
	p.aw.ready.setBool(s.AW.Ready)
	p.wReady.setBool(s.W.Ready)
	p.rValid.setBool(s.R.Valid)
	p.rID.set(s.R.ID)
	p.rResp.set(uint64(s.R.Resp))
	p.rLast.setBool(s.R.Last)
	p.bValid.setBool(s.B.Valid)
	p.bID.set(s.B.ID)
	p.bResp.set(uint64(s.B.Resp))
}

// sample takes what the engine drives.
func (r *run) sample() {
	p, s := r.p, &r.s
	p.ar.sample(&s.AR, r.size)
	p.aw.sample(&s.AW, r.size)
	s.W.Valid, s.W.Last = p.wValid.on(), p.wLast.on()
	s.R.Ready, s.B.Ready = p.rReady.on(), p.bReady.on()
}

// note records first and last events, takes request and response, and reports
// whether anything moved.
func (r *run) note() bool {
	s := &r.s
	once := func(stamp *uint64, happened bool) {
		if happened && *stamp == never {
			*stamp = r.cycle
		}
	}
	once(&r.stamp.arValid, s.AR.Valid)
	once(&r.stamp.wValid, s.W.Valid)
	rMoved, wMoved := s.R.Valid && s.R.Ready, s.W.Valid && s.W.Ready
	once(&r.stamp.rBeat, rMoved)
	once(&r.stamp.wFirst, wMoved)
	if wMoved {
		r.stamp.wLast = r.cycle
	}
	moved := rMoved || wMoved || s.AR.Valid && s.AR.Ready || s.AW.Valid && s.AW.Ready || s.B.Valid && s.B.Ready
	if r.act != nil {
		r.act.edge(r.drv.done, r.drv.accepted)
	}
	if r.drv.accept() {
		if r.act != nil {
			r.act.accepted(r.drv.accepted - 1)
		}
		once(&r.stamp.accept, true)
		moved = true
	}
	if r.score.onResponse(r.cycle, r.drv.done, r.drv.accepted) {
		r.drv.done++
		r.stamp.response = r.cycle
	}
	return moved || r.p.rspValid.on() && r.p.rspReady.on()
}

// result gathers what was measured and compares memory.
func (r *run) result(list *job.List, to *mem.Store, seconds float64) Result {
	n, st := r.mem.Count(), r.mon.Stats()
	res := Result{
		Jobs: len(list.Jobs), Bytes: list.Bytes(), ReadBeats: n.ReadBeats, WriteBeats: n.WriteBeats,
		ReadBursts: n.Reads, WriteBursts: n.Writes, ProtocolErrors: r.mon.Count(), Violations: r.mon.Violations(),
		ErrorResponses: r.score.errors, Seed: r.cfg.Seed, MaxReads: st.MaxReads, MaxWrites: st.MaxWrites,
		TotalCycles: r.cycle, FewestWriteBeats: FewestWriteBeats(list, r.p.bytes),
		RequestToRead: span(r.stamp.accept, r.stamp.arValid), RequestToWrite: span(r.stamp.accept, r.stamp.wValid),
		ReadToWrite: span(r.stamp.rBeat, r.stamp.wValid),
	}
	if r.stamp.response != never {
		res.Cycles = r.stamp.response - r.stamp.accept
	}
	if r.stamp.wLast != never {
		res.Utilisation = float64(res.FewestWriteBeats) / float64(r.stamp.wLast-r.stamp.wFirst+1)
	}
	if seconds > 0 {
		res.CyclesPerSec = float64(r.cycle) / seconds
	}
	first, total := r.score.oracle.Compare(to, r.cfg.Keep)
	res.Findings = r.score.findings
	for _, m := range first {
		res.Findings = append(res.Findings, "memory at "+m.String())
	}
	res.Mismatches = r.score.count + total
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

// span is the cycles from one event to another, −1 if either did not happen.
func span(from, to uint64) int {
	if from == never || to == never {
		return -1
	}
	return int(to) - int(from)
}
