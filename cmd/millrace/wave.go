package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/millrace-hdl/millrace/hdl/sim"
)

// wave is a wave file being written, under another name until it is complete. A
// nil *wave writes nothing.
type wave struct {
	path string
	tmp  *os.File
	vcd  *sim.VCD
}

func newWave(path, top string, e sim.Engine) (*wave, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, fmt.Errorf("cannot write the waves to %s: %w", path, err)
	}
	return &wave{path, f, sim.NewVCD(f, top, e, nil)}, nil
}

// engine is e with its waves recorded.
func (w *wave) engine(e sim.Engine) sim.Engine {
	if w == nil {
		return e
	}
	return sim.Trace(e, w.vcd)
}

// finish puts the file under its name, or removes it.
func (w *wave) finish(keep bool) error {
	if w == nil {
		return nil
	}
	err := w.vcd.Close()
	if err == nil {
		err = w.tmp.Chmod(0o644)
	}
	if e := w.tmp.Close(); err == nil {
		err = e
	}
	if err == nil && keep {
		err = os.Rename(w.tmp.Name(), w.path)
	}
	if err != nil || !keep {
		_ = os.Remove(w.tmp.Name())
	}
	if err != nil {
		return fmt.Errorf("cannot write the waves to %s: %w; nothing was left there", w.path, err)
	}
	return nil
}
