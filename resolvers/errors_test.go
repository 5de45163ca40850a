package resolvers

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
)

// What the system of the server lacks is not blamed on the database.
func TestErrorsOfTheSystemSayWhatItLacks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		code fault.Code
		says string
	}{
		"descriptors": {
			&fs.PathError{Op: "open", Path: "/secret", Err: syscall.EMFILE}, fault.Unavailable,
			"the server has as many files and connections open as it may; try again later",
		},
		"descriptors for the database": {
			&net.OpError{Op: "dial", Err: syscall.EMFILE}, fault.Unavailable,
			"the server has as many files and connections open as it may; try again later",
		},
		"room": {
			&fs.PathError{Op: "write", Path: "/secret", Err: syscall.ENOSPC}, fault.Unavailable,
			"the server has no room left on its disk; try again later",
		},
		"right":    {&fs.PathError{Op: "open", Path: "/secret", Err: syscall.EACCES}, fault.Internal, "internal error"},
		"database": {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, fault.Unavailable, "the server cannot reach its database now; try again"},
	} {
		var log strings.Builder
		shown := presenter{slog.New(slog.NewTextHandler(&log, nil))}.present(context.Background(), fmt.Errorf("store the file: %w", c.err))
		require.Equal(t, c.code, shown.Extensions["code"], name)
		require.Equal(t, c.says, shown.Message, name)
		require.Contains(t, log.String(), c.err.Error(), name)
	}
}
