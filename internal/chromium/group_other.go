//go:build !unix

package chromium

import "os/exec"

func ownGroup(*exec.Cmd) {}

func killGroup(command *exec.Cmd) {
	_ = command.Process.Kill() // it may have ended
}
