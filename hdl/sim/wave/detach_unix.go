//go:build unix

package wave

import (
	"os/exec"
	"syscall"
)

// detach keeps an interrupt from the keyboard away from a program, which ends when its
// input does.
func detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
