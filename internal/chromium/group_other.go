//go:build !unix

package chromium

import "os/exec"

func ownGroup(*exec.Cmd) {}

func asNobody(*exec.Cmd, string) error { return nil } // there is no root

func killGroup(command *exec.Cmd) {
	_ = command.Process.Kill() // it may have ended
}
