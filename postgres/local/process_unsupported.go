//go:build !unix

package local

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"time"
)

// errUnsupported is how every start ends where processes have no users and signals. The rest of the program works
// there with a database of its operator.
var errUnsupported = errors.New(
	"svc runs a database of its own on Linux, macOS and BSD only: set SVC_DATABASE_URL and use \"svc serve\" on this " +
		"system",
)

type account struct{}

func serverAccount(string) (*account, error) { return nil, errUnsupported }

func command(context.Context, string, string, *account, ...string) (*exec.Cmd, func(), error) {
	return nil, nil, errUnsupported
}

func (c *cluster) giveToServer(string) error { return errUnsupported }

func lockDir(context.Context, string, time.Duration) (*os.File, error) { return nil, errUnsupported }

func pidFile(string) string { return "" }

func recordedPID(string) int { return 0 }

func numbered(int) bool { return false }

func alive(int) bool { return false }

func postmaster(string) int { return 0 }

func stopPostmaster(context.Context, int, time.Duration) error { return errUnsupported }

func followParent(*exec.Cmd) {}

func downloadDir() (string, error) { return "", errUnsupported }

// Download is not supported on this system.
func Download(context.Context, *slog.Logger) (Installation, error) {
	return Installation{}, errUnsupported
}
