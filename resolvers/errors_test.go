package resolvers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

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

// What the validator says of a variable does not name it.
func TestErrorsOfVariablesNameTheField(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path  ast.Path
		field string
	}{
		{ast.Path{ast.PathName("variable"), ast.PathName("appId")}, "appId"},
		{ast.Path{ast.PathName("variable"), ast.PathName("input"), ast.PathName("steps"), ast.PathIndex(1), ast.PathName("page")},
			"steps[1].page"},
	} {
		err := gqlerror.ErrorPathf(c.path, "unknown field")
		err.Extensions = map[string]any{"code": "GRAPHQL_VALIDATION_FAILED"}
		shown := presenter{slog.New(slog.DiscardHandler)}.present(t.Context(), err)
		require.Equal(t, c.field+": unknown field", shown.Message)
		require.Equal(t, c.field, shown.Extensions["field"])
		require.Equal(t, "GRAPHQL_VALIDATION_FAILED", shown.Extensions["code"])
	}
}

// Strangers may ask and leave as often as they like: a line for each would fill the log.
func TestWhoLeavesIsNotLogged(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	p := presenter{slog.New(slog.NewTextHandler(&log, nil))}
	ctx, leave := context.WithCancel(t.Context())
	err := fmt.Errorf("count the requests: %w", context.Canceled)
	require.Equal(t, fault.Internal, p.present(ctx, err).Extensions["code"], "the server gave up, not the client")
	require.Contains(t, log.String(), "count the requests")
	log.Reset()
	leave()
	require.Equal(t, fault.InvalidRequest, p.present(ctx, err).Extensions["code"])
	require.Empty(t, log.String())
	require.Equal(t, fault.Internal, p.present(ctx, errors.New("something else")).Extensions["code"])
	require.Contains(t, log.String(), "something else")
}
