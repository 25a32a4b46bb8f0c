//go:build !unix

package wave

import "os/exec"

// detach keeps an interrupt from the keyboard away from a program, where that exists.
func detach(*exec.Cmd) {}
