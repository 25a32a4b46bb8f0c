//go:build !unix

package main

import "time"

// cpuTime is the time that passes, where that of the processors is not to be had.
func cpuTime() time.Duration { return time.Since(started) }

var started = time.Now()
