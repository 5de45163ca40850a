package notification_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/codeunit"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/postgres/transaction"
)

func titles(t *testing.T, db *postgres.DB, workspace uuid.UUID) []string {
	t.Helper()
	rows, err := db.Pool.Query(context.Background(), `
		select title from notification where workspace_id = $1 order by created_at desc, id desc`, workspace)
	require.NoError(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return list
}

// However many servers find something out at the same time, it is told once; and only when what it tells of is
// committed.
func TestANotificationIsPostedOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	n := notification.Notification{
		WorkspaceID: app.WorkspaceID, Kind: notification.PlanLimitNear, Key: "2026-11", Title: "first",
	}
	var posting sync.WaitGroup
	for range 8 {
		posting.Go(func() {
			if err := notification.Post(t.Context(), db.Pool, n); err != nil {
				t.Error(err)
			}
		})
	}
	posting.Wait()
	require.Equal(t, []string{"first"}, titles(t, db, app.WorkspaceID))

	n.Key, n.Title = "2026-12", "second"
	undone := fmt.Errorf("undone")
	err := transaction.Run(t.Context(), db.Ent(), func(tx *ent.Tx) error {
		require.NoError(t, notification.PostSQL(t.Context(), tx, n))
		return undone
	})
	require.ErrorIs(t, err, undone)
	require.Equal(t, []string{"first"}, titles(t, db, app.WorkspaceID))
	require.NoError(t, transaction.Run(t.Context(), db.Ent(), func(tx *ent.Tx) error {
		return notification.PostSQL(t.Context(), tx, n)
	}))
	require.Equal(t, []string{"second", "first"}, titles(t, db, app.WorkspaceID))
	n.Kind, n.Title = notification.PlanLimitReached, "third"
	require.NoError(t, notification.Post(t.Context(), db.Pool, n))
	require.Equal(t, []string{"third", "second", "first"}, titles(t, db, app.WorkspaceID))

	for _, wrong := range []notification.Notification{
		{Kind: "something", Key: "k"}, {Kind: notification.IngestRefused},
		{Kind: notification.IngestRefused, Key: strings.Repeat("k", 201)}, {Kind: notification.IngestRefused, Key: "\x00"},
	} {
		wrong.WorkspaceID = app.WorkspaceID
		require.Error(t, notification.Post(t.Context(), db.Pool, wrong), "%q %q", wrong.Kind, wrong.Key)
		require.Error(t, notification.PostSQL(t.Context(), db.Ent(), wrong), "%q %q", wrong.Kind, wrong.Key)
	}
}

// The oldest notifications of a workspace make room for new ones, and those of no other.
func TestAWorkspaceKeepsTheNewest(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	full, other := deliverytest.NewApp(t, db.Pool), deliverytest.NewApp(t, db.Pool)
	for _, app := range []*deliverytest.App{full, other} {
		_, err := db.Pool.Exec(t.Context(), `
			insert into notification (id, workspace_id, kind, key, severity, title, body, about, created_at)
			select gen_random_uuid(), $1, 'ingest_refused', i::text, 'info', i::text, '', '{}', now() - make_interval(mins => i)
			from generate_series(1, 1000) i`, app.WorkspaceID)
		require.NoError(t, err)
	}
	for i := range 3 {
		require.NoError(t, notification.Post(t.Context(), db.Pool, notification.Notification{
			WorkspaceID: full.WorkspaceID, Kind: notification.IngestRefused, Key: fmt.Sprint("new", i), Title: "new",
		}))
	}
	kept := titles(t, db, full.WorkspaceID)
	require.Len(t, kept, notification.MaxKept)
	require.Equal(t, []string{"new", "new", "new", "1"}, kept[:4])
	require.Equal(t, "997", kept[999])
	require.Len(t, titles(t, db, other.WorkspaceID), 1000)
	// What was told before is not told again, and makes no room either.
	require.NoError(t, notification.Post(t.Context(), db.Pool, notification.Notification{
		WorkspaceID: full.WorkspaceID, Kind: notification.IngestRefused, Key: "new0", Title: "again",
	}))
	require.Equal(t, kept, titles(t, db, full.WorkspaceID))
}

// Whatever people and strangers name things, a notification is short plain text.
func TestTextsArePlainAndBounded(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	hostile := []string{
		`<script>alert(1)</script><img src=x onerror="alert(1)">`, "a\x00b\xff\u202egnirts\u2066\r\n\tend", strings.Repeat("😀", 1<<20),
		strings.Repeat("\u200b", 500), "", `“quoted”`,
	}
	for i, name := range hostile {
		began := time.Now()
		require.NoError(t, notification.Post(t.Context(), db.Pool, notification.Notification{
			WorkspaceID: app.WorkspaceID, Kind: notification.IngestRefused, Key: fmt.Sprint(i),
			Title: name, Text: "Events " + notification.Quote(name) + " " + name,
		}))
		require.Less(t, time.Since(began), 5*time.Second)
		var title, body string
		require.NoError(t, db.Pool.QueryRow(
			t.Context(), `select title, body from notification where key = $1`, fmt.Sprint(i)).Scan(&title, &body))
		require.LessOrEqual(t, codeunit.Count(title), 160)
		require.LessOrEqual(t, codeunit.Count(body), 1000)
		for _, text := range []string{title, body} {
			require.True(t, utf8.ValidString(text))
			require.NotContains(t, text, "<")
			require.NotContains(t, text, ">")
			require.NotContains(t, text, "\n")
			require.NotContains(t, text, "\u202e")
			require.NotContains(t, text, "\u200b")
		}
	}
	require.Equal(t, "“Shop”", notification.Quote("Shop"))
	require.Equal(t, "“👩‍👩‍👧 ‹b›”", notification.Quote(" 👩‍👩‍👧\n<b>"))
	require.Equal(t, "“'quoted'”", notification.Quote("“quoted”"))
	require.Equal(t, "“"+strings.Repeat("x", 60)+"…”", notification.Quote(strings.Repeat("x", 61)))
	require.Equal(t, "“"+strings.Repeat("x", 60)+"”", notification.Quote(strings.Repeat("x", 60)))
}
