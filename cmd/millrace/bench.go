package main

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/schollz/progressbar/v3"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
)

// benchCmd is `millrace bench`.
type benchCmd struct {
	Utilisation utilisationCmd `cmd:"" help:"Share of write beats over widths, outstanding bursts, latencies and sizes, beside the bound."`
	Latency     latencyCmd     `cmd:"" help:"Cycles from a request to its first read, and of a single transfer beyond the memory's."`
	Systems     systemsCmd     `cmd:"" help:"Whole engines of five systems on a typical job, in cycles beside the bound."`
	Simspeed    simspeedCmd    `cmd:"" help:"Speed of the Go model beside Verilator's, alternating in one run."`
}

// Help is what --help adds.
func (benchCmd) Help() string {
	return `Memory answers a read after L cycles and a write after BL, then sends a beat a cycle.

Examples:
  millrace bench utilisation --quick
  millrace bench latency
  millrace bench systems
  millrace bench simspeed --json`
}

// Widths of the tables, in bits.
var benchWidths = []int{32, 64, 512}

// Transfer sizes of the tables, in bytes.
var benchSizes = []int{8, 16, 32, 64, 128, 256, 512, 1 << 10, 4 << 10, 64 << 10}

// engineConfig is the back-end as the tables measure it.
func engineConfig(width, outstanding int) backend.Config {
	c := backend.Default()
	c.DataWidth, c.Outstanding = width, outstanding
	return c
}

// newEngineMaker prepares the back-end with that configuration.
func (a *app) newEngineMaker(engine string, c backend.Config) (*maker, error) {
	d, err := backend.Elaborate(c)
	if err != nil {
		return nil, err
	}
	return a.newMaker(engine, d)
}

// measure runs a list back to back over memories of its own, and fails where
// anything is wrong.
func (a *app) measure(mk *maker, list *job.List, readLatency, writeLatency int) (tb.Result, error) {
	const seed = 1
	eng, err := mk.run(seed)
	if err != nil {
		return tb.Result{}, err
	}
	defer func() { _ = eng.Close() }()
	res, err := tb.Run(a.ctx, eng, list, tb.RunConfig{
		ReadLatency: readLatency, WriteLatency: writeLatency, Seed: seed, Memory: tb.Separate, Launch: tb.BackToBack,
	})
	if err != nil {
		return res, err
	}
	return res, res.Err()
}

// each calls f for 0 … n−1, several at a time, and moves the bar along. It stops
// at the first error and returns it.
func (a *app) each(n int, bar *progressbar.ProgressBar, f func(i int) error) error {
	var (
		wait   sync.WaitGroup
		next   atomic.Int64
		failed atomic.Bool
		once   sync.Once
		first  error
		panics any
	)
	stop := func(err error, p any) {
		once.Do(func() { first, panics = err, p })
		failed.Store(true)
	}
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					stop(nil, p)
				}
			}()
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				err := a.ctx.Err()
				if err == nil {
					err = f(i)
				}
				if err != nil {
					stop(err, nil)
				}
				_ = bar.Add(1)
			}
		})
	}
	wait.Wait()
	_ = bar.Clear()
	if panics != nil {
		panic(panics)
	}
	return first
}
