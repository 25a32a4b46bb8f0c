package wave

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/sim"
)

// File is a wave file with its views. It is a [Tracer]. Beside x.vcd lie x.gtkw for
// GTKWave, x.sucl for Surfer, and the names of enumerations in .surfer/mappings. What
// it has can be read at any time; whatever ends the program, no other file is left.
type File struct {
	*VCD
	path string
	out  io.WriteCloser
	conv *exec.Cmd // nil unless the format takes one
	said strings.Builder
}

// converter makes FST of VCD.
const converter = "vcd2fst"

// CheckPath fails if the ending of a path does not say a format.
func CheckPath(path string) error {
	if ext := filepath.Ext(path); ext != ".vcd" && ext != ".fst" {
		return fmt.Errorf("the ending of %s does not say the format of the waves: .vcd or .fst", path)
	}
	return nil
}

// Create starts a wave file with signals of the engine, nil for [All]. The ending of
// the path says the format: .vcd, or .fst, which takes the program vcd2fst.
func Create(path, top string, e sim.Engine, signals []Signal) (*File, error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	f := &File{path: path}
	fail := func(err error) (*File, error) { return nil, fmt.Errorf("cannot write the waves to %s: %w", path, err) }
	switch ext := filepath.Ext(path); ext {
	case ".vcd":
		out, err := os.Create(path)
		if err != nil {
			return fail(err)
		}
		f.out = out
	case ".fst":
		program, err := exec.LookPath(converter)
		if err != nil {
			return fail(fmt.Errorf("FST takes the program %s, which is not there: install the package gtkwave, or write VCD to %s",
				converter, strings.TrimSuffix(path, ext)+".vcd"))
		}
		// It complains of a folder that is not there in words of its own.
		out, err := os.Create(path)
		if err != nil {
			return fail(err)
		}
		_ = out.Close()
		f.conv = exec.Command(program, "-", path)
		f.conv.Stderr, f.conv.Stdout = &f.said, &f.said
		detach(f.conv)
		if f.out, err = f.conv.StdinPipe(); err != nil {
			return fail(err)
		}
		if err := f.conv.Start(); err != nil {
			return fail(err)
		}
	}
	f.VCD = NewVCD(f.out, top, e, signals)
	if err := f.views(); err != nil {
		return fail(errors.Join(err, f.Close()))
	}
	return f, nil
}

func (f *File) views() error {
	dir := filepath.Dir(f.path)
	files := views(filepath.Base(f.path), f.enc, f.enc.tops[0])
	names := make([]string, 0, len(files))
	for n := range files {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		p := filepath.Join(dir, filepath.FromSlash(n))
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(p, []byte(files[n]), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// Close completes the file.
func (f *File) Close() error {
	err := f.VCD.Close()
	if e := f.out.Close(); err == nil {
		err = e
	}
	if f.conv != nil {
		if e := f.conv.Wait(); e != nil {
			err = fmt.Errorf("%s: %w: %s", converter, e, strings.TrimSpace(f.said.String()))
		}
	}
	if err != nil {
		return fmt.Errorf("cannot write the waves to %s: %w", f.path, err)
	}
	return nil
}
