package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/millrace-hdl/millrace/tb/job"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // the design or a check failed
	exitUsage  = 2 // the call or one of its inputs was wrong
)

// exit ends the command from inside the argument parser.
type exit int

// usageError is a mistake of the caller: arguments, configuration or input files.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// usage marks an error as the caller's, and keeps nil as it is.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// oneLine is the text of joined errors as one paragraph.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// errFailed ends a command whose output already says what failed.
var errFailed = errors.New("failed")

// report prints the error and returns the exit code it stands for.
func (a *app) report(err error) int {
	var u usageError
	var j *job.Error // wherever it is found, the list is at fault
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFailed):
		return exitFailed
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(a.stderr, "millrace: interrupted; nothing half-written was left behind")
		return exitFailed
	case errors.As(err, &u), errors.As(err, &j):
		fmt.Fprintln(a.stderr, "millrace: "+err.Error())
		return exitUsage
	}
	fmt.Fprintln(a.stderr, "millrace: "+err.Error())
	return exitFailed
}

// traceVariable, when set, adds the stack to the message of an internal error.
const traceVariable = "MILLRACE_TRACE"

// recovered turns a panic into a message and an exit code.
func (a *app) recovered(p any) int {
	if code, ok := p.(exit); ok {
		return int(code)
	}
	msg := strings.ReplaceAll(fmt.Sprint(p), "\n", " ")
	fmt.Fprintf(a.stderr, "millrace: internal error: %s. This is a mistake in millrace, not in your input: please report it with the "+
		"command line and what it prints when %s=1 is set.\n", msg, traceVariable)
	if os.Getenv(traceVariable) != "" {
		_, _ = a.stderr.Write(debug.Stack())
	}
	return exitFailed
}
