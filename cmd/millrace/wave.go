package main

import (
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
)

// waves is a wave file being written. A nil *waves writes nothing.
type waves struct{ file *wave.File }

// newWave starts the file with all signals and with the elements of memories that
// patterns choose.
func newWave(path, top string, e sim.Engine, mems []string) (*waves, error) {
	if path == "" {
		if len(mems) > 0 {
			return nil, usagef("--wave-mem chooses what a wave file shows; it needs --wave FILE")
		}
		return nil, nil
	}
	if err := wave.CheckPath(path); err != nil {
		return nil, usage(err)
	}
	elements, err := wave.Find(e, mems...)
	if err != nil {
		return nil, usage(err)
	}
	f, err := wave.Create(path, top, e, append(wave.All(e), elements...))
	if err != nil {
		return nil, err
	}
	return &waves{f}, nil
}

// engine is e with its waves recorded.
func (w *waves) engine(e sim.Engine) sim.Engine {
	if w == nil {
		return e
	}
	return wave.Trace(e, w.file)
}

// finish completes the file.
func (w *waves) finish() error {
	if w == nil {
		return nil
	}
	return w.file.Close()
}
