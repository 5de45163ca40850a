package pgerr_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/pgerr"
)

func TestClasses(t *testing.T) {
	t.Parallel()
	refused := func(code string) error { return fmt.Errorf("insert: %w", &pgconn.PgError{Code: code}) }
	for name, c := range map[string]struct {
		err                                 error
		bad, text, transient, misconfigured bool
	}{
		"nothing":              {err: nil},
		"unknown":              {err: errors.New("unexpected EOF of a request body")},
		"syntax error":         {err: refused("42601")},
		"unique violation":     {err: refused("23505"), bad: true},
		"NUL":                  {err: refused("22021"), bad: true, text: true},
		"NUL in JSON":          {err: refused("22P05"), bad: true, text: true},
		"row too big":          {err: refused("54000"), bad: true},
		"deadlock":             {err: refused("40P01"), transient: true},
		"lock not available":   {err: refused("55P03"), transient: true},
		"object not in state":  {err: refused("55000")},
		"standby":              {err: refused("25006"), transient: true},
		"statement timeout":    {err: refused("57014"), transient: true},
		"too many connections": {err: refused("53300"), transient: true},
		"disk full":            {err: refused("53100"), transient: true},
		"wrong password":       {err: refused("28P01"), misconfigured: true},
		"no such database":     {err: refused("3D000"), misconfigured: true},
		"deadline":             {err: fmt.Errorf("select: %w", context.DeadlineExceeded), transient: true},
		"cancelled":            {err: fmt.Errorf("select: %w", context.Canceled)},
		"cut connection":       {err: fmt.Errorf("receive: %w", io.ErrUnexpectedEOF), transient: true},
		"closed connection":    {err: net.ErrClosed, transient: true},
		"lost connection":      {err: fmt.Errorf("commit: %w", pgconn.ErrConnClosed), transient: true},
		"refused connection":   {err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, transient: true},
		"no descriptor left":   {err: fmt.Errorf("read: %w", &fs.PathError{Op: "open", Err: syscall.EMFILE})},
		"no such file":         {err: &fs.PathError{Op: "open", Err: syscall.ENOENT}},
	} {
		require.Equal(t, c.bad, pgerr.IsBadData(c.err), name)
		require.Equal(t, c.text, pgerr.IsUnstorableText(c.err), name)
		require.Equal(t, c.transient, pgerr.IsTransient(c.err), name)
		require.Equal(t, c.misconfigured, pgerr.IsMisconfigured(c.err), name)
	}
}
