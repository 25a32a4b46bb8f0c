// Command millrace generates, runs and measures the designs of this module.
//
// Every command names a design by its dotted name and shapes it with a YAML file
// (-c) and key=value pairs (--set). Results go to standard output, as tables or,
// with --json, as one JSON object; progress and errors go to standard error. Exit
// codes: 0 fine, 1 the design or a check failed, 2 bad usage.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A file that outgrows the shell's limit is an error to be told, not a reason
	// to die.
	signal.Ignore(syscall.SIGXFSZ)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole command: arguments in, exit code out.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	a := &app{ctx: ctx, stdout: stdout, stderr: stderr}
	defer func() {
		if p := recover(); p != nil {
			code = a.recovered(p)
		}
	}()
	return a.report(a.execute(args))
}
