//go:build unix

package chromium

import (
	"os/exec"
	"syscall"
)

// ownGroup has a command and all that it starts end together.
func ownGroup(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(command *exec.Cmd) {
	_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // it may have ended
}
