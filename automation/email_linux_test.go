package automation_test

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation"
)

// Whatever is written as Markdown is read in bounded time: of the processor, since other tests run meanwhile.
func TestEmailsAreReadInBoundedTime(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, bomb := range []string{
		"[", "![", "*a ", "_a*", "`", "<", "[a](", "1. ", "***", "\\n> ", "<a ", "&amp;", "[x]: <", "![[](", "*a_ ",
	} {
		before := threadTime(t)
		automation.Parse([]byte(`{"trigger": {"type": "manual"}, "nodes": [{"id": "a", "type": "email", "subject": "x",
			"body": "` + strings.Repeat(bomb, 9_800/len(bomb)) + `"}]}`))
		require.Less(t, threadTime(t)-before, time.Second, bomb)
	}
}

// threadTime returns the processor time of this thread.
func threadTime(t *testing.T) time.Duration {
	t.Helper()
	const ofThread = 1 // RUSAGE_THREAD, which syscall does not name
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(ofThread, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
