package main

import (
	"log/slog"
	"math"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/svc-dev/svc/internal/bodylimit"
	"github.com/svc-dev/svc/internal/config"
)

// memoryShare is how much of a container's memory the Go runtime may use: the
// rest is for what it does not count, such as the binary and the kernel's
// buffers of the connections.
const memoryShare = 0.9

// limitMemory makes the runtime collect garbage in time to stay within the
// memory of its container. GOMEMLIMIT, when it is set, has been obeyed already;
// outside of a container there is no limit.
func limitMemory(container memlimit.Provider, logger *slog.Logger) {
	limit, err := memlimit.Set(memlimit.WithProvider(container), memlimit.WithRatio(memoryShare))
	if err != nil {
		logger.Debug("the memory of the container can't be read: none is taken for the limit", "error", err)
		return
	}
	if limit != math.MaxInt64 {
		logger.Info("memory is limited", "bytes", limit)
	}
}

// collectRarely has a command that makes much garbage and keeps little spend less time on it, for memory that has a
// bound: a fifth of the time of an import.
func collectRarely() {
	const percent, most = 400, 128 << 20
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(most)
	}
}

// usableMemory returns how many bytes the process may use: the limit of the runtime,
// else what the machine has. 0 means that nobody knows.
func usableMemory(logger *slog.Logger) int64 {
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		return limit
	}
	total, err := memlimit.FromSystem()
	if err != nil {
		logger.Warn("the size of memory can't be read: defaults are taken", "error", err)
		return 0
	}
	return int64(min(total, math.MaxInt64))
}

// frameMemory returns the budget of report frames: the setting, else a quarter of
// the usable memory. 0 means the default of the store.
func frameMemory(settings config.Settings, usable int64) int64 {
	if settings.FrameMemory > 0 {
		return settings.FrameMemory
	}
	return usable / 4
}

// Bounds of the budget of request bodies that follows from memory. The garbage
// of bodies takes as much again, and the process stays small on a large machine
// whatever is sent to it.
const (
	leastBodyMemory = 64 << 20
	mostBodyMemory  = 128 << 20
)

// bodyMemory returns the budget of request bodies and queued events: the setting,
// else an eighth of the usable memory within bounds.
func bodyMemory(settings config.Settings, usable int64) *bodylimit.Budget {
	if settings.BodyMemory > 0 {
		return bodylimit.New(settings.BodyMemory)
	}
	return bodylimit.New(min(max(usable/8, leastBodyMemory), mostBodyMemory))
}
