package job

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Bounds on what a reader takes, so that no file can exhaust the machine.
const (
	MaxFileBytes = 64 << 20
	MaxJobs      = 1 << 20
	MaxErrors    = 1024 // injected errors of one transfer
	MaxDims      = 16
)

// ReadFile reads a transfer list: YAML if the name ends in .yaml or .yml, else the
// line format with the given number of dimensions (1 for plain transfers).
func ReadFile(path string, dims int) (*List, error) {
	f, err := os.Open(path)
	if err != nil {
		cause := err
		var pe *os.PathError
		if errors.As(err, &pe) {
			cause = pe.Err
		}
		return nil, &Error{File: path, Job: -1, Want: "cannot read the transfer list", Err: cause}
	}
	defer f.Close()
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml":
		return ReadYAML(f, path)
	}
	return ReadText(f, path, dims)
}

// slurp reads all of r, within MaxFileBytes.
func slurp(r io.Reader, name string) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxFileBytes+1))
	if err != nil {
		return nil, &Error{File: name, Job: -1, Want: "cannot read the transfer list", Err: err}
	}
	if len(b) > MaxFileBytes {
		return nil, &Error{File: name, Job: -1, Want: fmt.Sprintf("the file is larger than %d MiB; split it", MaxFileBytes>>20)}
	}
	return b, nil
}
