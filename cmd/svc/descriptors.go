package main

import (
	"log/slog"
	"math"
	"syscall"

	"github.com/svc-dev/svc/internal/config"
)

// openConnections returns how many connections may be open at a time: the setting, but at most three quarters of the
// files that the process may open, since each takes one, and the database, media and frames need theirs. 0 is no bound.
func openConnections(settings config.Settings, logger *slog.Logger) int {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		logger.Warn("the limit of open files can't be read", "error", err)
		return settings.Connections
	}
	most := int(min(files.Cur, math.MaxInt32) / 4 * 3)
	switch {
	case settings.Connections == 0:
		return most
	case settings.Connections > most:
		logger.Warn(
			"the process may open too few files for the setting connections: raise its limit (ulimit -n)", "files", files.Cur,
			"connections", most,
		)
	}
	return min(settings.Connections, most)
}
