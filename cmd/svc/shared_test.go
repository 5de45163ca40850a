package main

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
)

// Anybody can ask for the page of a link, which looks for who may embed it, and leave: neither that nor a database that
// is away fills the log.
func TestReadersOfLinksFillNoLog(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), "postgres://127.0.0.1:1/none?connect_timeout=5")
	require.NoError(t, err)
	defer pool.Close()
	var log bytes.Buffer
	s := &service{accounts: account.New(nil, pool, account.Options{}), logger: slog.New(slog.NewTextHandler(&log, nil))}
	gone, leave := context.WithCancel(t.Context())
	leave()
	token := account.LinkPrefix + strings.Repeat("a", 22)
	require.Empty(t, s.frameOrigins(gone, token))
	require.Empty(t, log.String())
	for range 200 {
		require.Empty(t, s.frameOrigins(t.Context(), token), "while the database is away nobody may embed it")
	}
	lines := strings.Count(log.String(), "who may embed")
	require.Positive(t, lines)
	require.Less(t, lines, 50, "one a second")
}
