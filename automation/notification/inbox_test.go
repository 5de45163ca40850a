package notification_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// A list goes from page to page while others are posted, shows the reader's marks and kinds alone, and nothing to who
// is no member.
func TestAnInboxIsItsReaders(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	accounts := account.New(db.Ent(), db.Pool, account.Options{Logger: slog.New(slog.DiscardHandler)})
	_, err := accounts.Bootstrap(t.Context(), "owner@example.com", "correct horse", "Acme")
	require.NoError(t, err)
	reader := func(email string) context.Context {
		p, err := accounts.PrincipalOf(t.Context(), email)
		require.NoError(t, err)
		return account.With(t.Context(), p)
	}
	workspace := db.Ent().Workspace.Query().OnlyIDX(t.Context())
	other := db.Ent().User.Create().SetEmail("other@example.com").SetPasswordHash("x").SaveX(t.Context())
	owner, stranger := reader("owner@example.com"), reader("other@example.com")
	inbox := notification.NewInbox(db.Pool)
	kinds := []notification.Kind{notification.IngestRefused, notification.EndpointDisabled}
	post := func(n int) {
		t.Helper()
		require.NoError(t, notification.Post(t.Context(), db.Pool, notification.Notification{
			WorkspaceID: workspace, Kind: kinds[n%2], Key: fmt.Sprint(n), Severity: notification.Info, Title: fmt.Sprint(n),
		}))
	}
	for n := range 5 {
		post(n)
	}
	all := notification.Filter{WorkspaceID: workspace}
	var read []string
	var ids []uuid.UUID
	for behind := (*notification.Place)(nil); ; post(5 + len(read)) {
		page, err := inbox.List(owner, all, behind, 2)
		require.NoError(t, err)
		for _, n := range page {
			require.True(t, n.Unread)
			read, ids = append(read, n.Title), append(ids, n.ID)
			behind = &notification.Place{CreatedAt: n.CreatedAt, ID: n.ID}
		}
		if len(page) < 2 {
			break
		}
	}
	require.Equal(t, []string{"4", "3", "2", "1", "0"}, read, "each once, newest first")
	count := func(f notification.Filter) int {
		t.Helper()
		n, err := inbox.Count(owner, f)
		require.NoError(t, err)
		return n
	}
	total := count(all)
	require.Equal(t, 7, total)
	require.Equal(t, 7, count(notification.Filter{WorkspaceID: workspace, Kinds: kinds}))
	require.Equal(t, 4, count(notification.Filter{WorkspaceID: workspace, Kinds: kinds[1:]}))

	for range 2 {
		marked, err := inbox.MarkRead(owner, ids[0])
		require.NoError(t, err)
		require.False(t, marked.Unread)
		require.NotNil(t, marked.ReadAt)
	}
	require.Equal(t, 6, count(notification.Filter{WorkspaceID: workspace, Unread: true}))
	before := time.Now().Add(-time.Hour)
	marked, err := inbox.MarkAllRead(owner, workspace, &before)
	require.NoError(t, err)
	require.Zero(t, marked)
	marked, err = inbox.MarkAllRead(owner, workspace, nil)
	require.NoError(t, err)
	require.Equal(t, 6, marked)

	gone, cancel := context.WithCancel(owner)
	cancel()
	for name, use := range map[string]func(ctx context.Context) error{
		"list":     func(ctx context.Context) error { _, err := inbox.List(ctx, all, nil, 1); return err },
		"count":    func(ctx context.Context) error { _, err := inbox.Count(ctx, all); return err },
		"mark":     func(ctx context.Context) error { _, err := inbox.MarkRead(ctx, ids[1]); return err },
		"mark all": func(ctx context.Context) error { _, err := inbox.MarkAllRead(ctx, workspace, nil); return err },
	} {
		require.True(t, fault.Is(use(stranger), fault.NotFound), name)
		require.True(t, fault.Is(use(t.Context()), fault.Unauthenticated), name)
		require.ErrorIs(t, use(gone), context.Canceled, name)
	}
	_, err = inbox.MarkRead(owner, uuid.New())
	require.True(t, fault.Is(err, fault.NotFound))

	// Who becomes a member has nothing to catch up with, and leaves with the marks.
	db.Ent().Membership.Create().SetUserID(other.ID).SetWorkspaceID(workspace).SetRole(account.Viewer).ExecX(t.Context())
	member := reader("other@example.com")
	list, err := inbox.List(member, all, nil, 10)
	require.NoError(t, err)
	require.Len(t, list, total)
	require.False(t, list[0].Unread)
	post(100)
	list, err = inbox.List(member, notification.Filter{WorkspaceID: workspace, Unread: true}, nil, 10)
	require.NoError(t, err)
	require.Len(t, list, 1)
	db.Ent().Membership.Delete().ExecX(t.Context())
	marked, err = inbox.MarkAllRead(member, workspace, nil)
	require.NoError(t, err)
	require.Zero(t, marked, "nobody marks who is no member by then")
}
