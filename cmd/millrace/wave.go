package main

import (
	"fmt"
	"os"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
)

// waves is a wave file being written. What it has is complete at any time, also when
// the run ends early. A nil *waves writes nothing.
type waves struct {
	path string
	file *os.File
	vcd  *wave.VCD
}

func newWave(path, top string, e sim.Engine) (*waves, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("cannot write the waves: %w", err)
	}
	return &waves{path, f, wave.NewVCD(f, top, e, nil)}, nil
}

// engine is e with its waves recorded.
func (w *waves) engine(e sim.Engine) sim.Engine {
	if w == nil {
		return e
	}
	return wave.Trace(e, w.vcd)
}

// finish completes the file.
func (w *waves) finish() error {
	if w == nil {
		return nil
	}
	err := w.vcd.Close()
	if e := w.file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("cannot write the waves to %s: %w", w.path, err)
	}
	return nil
}
