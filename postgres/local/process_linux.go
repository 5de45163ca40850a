package local

import (
	"os/exec"
	"syscall"
)

// followParent asks the kernel to shut the server down (fast) when this process dies, so that a killed parent
// leaves no server behind. The caller keeps its thread for as long as the server runs, since the kernel watches
// the thread that made the child.
func followParent(cmd *exec.Cmd) {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGINT
}
