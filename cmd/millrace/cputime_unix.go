//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuTime is how long processors have worked for this process, which what else the
// machine does hardly changes.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return time.Since(started)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

var started = time.Now()
