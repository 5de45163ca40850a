//go:build unix

package chromium

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup has a command and all that it starts end together.
func ownGroup(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// nobody is the user and the group without rights of systems that run as root.
const nobody = 65534

// asNobody has a command run without the rights of root, for which browsers have no sandbox.
func asNobody(command *exec.Cmd, folder string) error {
	if err := os.Chown(folder, nobody, nobody); err != nil {
		return fmt.Errorf("%w: %w", ErrSandbox, err)
	}
	command.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	return nil
}

func killGroup(command *exec.Cmd) {
	_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // it may have ended
}
