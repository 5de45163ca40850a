package main

import (
	"log/slog"
	"runtime/debug"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/bodylimit"
	"github.com/svc-dev/svc/internal/config"
)

func TestTheContainerLimitsTheRuntime(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	quiet := slog.New(slog.DiscardHandler)
	limitMemory(memlimit.Limit(1000<<20), quiet)
	require.EqualValues(t, 900<<20, debug.SetMemoryLimit(-1))
	require.EqualValues(t, 900<<20, usableMemory(quiet))
	require.EqualValues(t, 225<<20, frameMemory(config.Settings{}, usableMemory(quiet)))
	require.EqualValues(t, 7, frameMemory(config.Settings{FrameMemory: 7}, usableMemory(quiet)))

	t.Setenv("GOMEMLIMIT", "300MiB") // the runtime read it, or not, when the test began
	limitMemory(memlimit.Limit(500<<20), quiet)
	require.EqualValues(t, 900<<20, debug.SetMemoryLimit(-1), "an operator's own limit stays")
}

func TestBodyMemoryFollowsMemory(t *testing.T) {
	// holds reports whether two clients together can take n bytes of a budget.
	holds := func(budget *bodylimit.Budget, n int64) bool {
		a, b := budget.Hold("a"), budget.Hold("b")
		defer a.Release()
		defer b.Release()
		return a.Resize(n/2) == nil && b.Resize(n-n/2) == nil
	}
	for _, c := range []struct{ setting, usable, want int64 }{
		{0, 0, 64 << 20}, {0, 256 << 20, 64 << 20}, {0, 800 << 20, 100 << 20}, {0, 64 << 30, 128 << 20},
		{300 << 20, 1 << 30, 300 << 20},
	} {
		budget := bodyMemory(config.Settings{BodyMemory: c.setting}, c.usable)
		require.True(t, holds(budget, c.want), "%+v", c)
		require.False(t, holds(budget, c.want+1), "%+v", c)
	}
}
