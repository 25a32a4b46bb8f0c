package verilator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// runner runs programs in one directory and keeps what they print in one log.
type runner struct {
	dir, log string // log is a path, outside the directory

	mu sync.Mutex // guards the log
}

func newRunner(dir, log string) *runner { return &runner{dir: dir, log: log} }

// run runs a program. Its error is the first lines of its output that say what
// is wrong.
func (r *runner) run(ctx context.Context, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = r.dir
	// Compilers put temporaries here too, so that they go when the build goes.
	cmd.Env = append(os.Environ(), "TMPDIR="+r.dir, "LC_ALL=C")
	// A compiler driver that is asked to end takes its children along.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	text, runErr := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := r.note(fmt.Sprintf("$ %s %s\n%s", program, strings.Join(args, " "), text))
	if runErr == nil {
		return err
	}
	return &toolError{tool: filepath.Base(program), err: runErr, lines: complaints(string(text)), log: r.log,
		full: strings.Contains(string(text), "No space left on device")}
}

// all makes the calls, a program and its arguments each, so many at a time. It
// reports each as it begins, by a running number from 1. The first failure ends
// the others.
func (r *runner) all(ctx context.Context, jobs int, calls [][]string, begin func(n int)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan []string)
	var workers sync.WaitGroup
	for range min(jobs, len(calls)) {
		workers.Go(func() {
			for call := range next {
				if ctx.Err() != nil {
					continue
				}
				if err := r.run(ctx, call[0], call[1:]...); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i, call := range calls {
		if ctx.Err() != nil {
			break
		}
		begin(i + 1)
		next <- call
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// note appends to the log.
func (r *runner) note(text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := os.OpenFile(r.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// discard removes the log of a build that needs none.
func (r *runner) discard() error { return os.Remove(r.log) }

// toolError is a program's failure.
type toolError struct {
	tool  string
	err   error
	lines []string
	log   string
	full  bool // it ran out of disk
}

func (e *toolError) Error() string {
	s := fmt.Sprintf("%s failed (%v)", e.tool, e.err)
	if len(e.lines) > 0 {
		s += ": " + strings.Join(e.lines, "; ")
	}
	return s + "; full log: " + e.log
}

// Unwrap lets a full disk be seen as one, whoever ran into it.
func (e *toolError) Unwrap() error {
	if e.full {
		return syscall.ENOSPC
	}
	return e.err
}

// complaints picks at most three lines that name an error out of a tool's
// output, or else its last line.
func complaints(output string) []string {
	var found []string
	last := ""
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		last = line
		if strings.HasPrefix(line, "%Error: Exiting due to") || line == "%Error: Cannot continue" {
			continue
		}
		low := strings.ToLower(line)
		if strings.HasPrefix(low, "%error") || strings.Contains(low, "error:") || strings.Contains(low, "undefined reference") {
			if len(found) < 3 {
				found = append(found, line)
			}
		}
	}
	if len(found) == 0 && last != "" {
		found = []string{last}
	}
	return found
}
