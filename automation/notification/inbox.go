package notification

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/internal/fault"
)

// Inbox is what members read. Of a workspace each sees the kinds that their role, and the scopes of their key, let them
// see, and the marks of nobody else.
type Inbox struct{ pool *pgxpool.Pool }

// NewInbox returns the inbox of a database.
func NewInbox(pool *pgxpool.Pool) *Inbox { return &Inbox{pool} }

// Filter chooses notifications of a workspace.
type Filter struct {
	WorkspaceID uuid.UUID
	// Kinds are those to show; empty means all.
	Kinds []Kind
	// Unread leaves out what the reader has read.
	Unread bool
}

// Place is that of a notification in a list, newest first.
type Place struct {
	CreatedAt time.Time
	ID        uuid.UUID
}

// matching finds the notifications of a workspace ($1) for a reader ($2), of kinds ($3), all or the unread ($4).
const matching = `
	from notification n
	join memberships m on m.workspace_id = n.workspace_id and m.user_id = $2
	left join notification_read r on r.notification_id = n.id and r.user_id = $2
	where n.workspace_id = $1 and n.kind = any($3)
		and (not $4 or r.read_at is null and n.created_at >= m.created_at)`

const columns = `
	select n.id, n.workspace_id, n.kind, n.key, n.severity, n.title, n.body, n.about, n.created_at, r.read_at,
		r.read_at is null and n.created_at >= m.created_at`

func scan(row pgx.CollectableRow) (*Notification, error) {
	n := &Notification{}
	return n, row.Scan(&n.ID, &n.WorkspaceID, &n.Kind, &n.Key, &n.Severity, &n.Title, &n.Text, &n.About, &n.CreatedAt,
		&n.ReadAt, &n.Unread)
}

// List returns notifications, newest first, behind a place (nil for the first).
func (i *Inbox) List(ctx context.Context, f Filter, behind *Place, limit int) ([]*Notification, error) {
	args, err := f.arguments(ctx)
	if err != nil {
		return nil, err
	}
	statement := columns + matching
	if behind != nil {
		statement += ` and (n.created_at, n.id) < ($6, $7)`
	}
	statement += ` order by n.created_at desc, n.id desc limit $5`
	args = append(args, limit)
	if behind != nil {
		args = append(args, behind.CreatedAt, behind.ID)
	}
	rows, err := i.pool.Query(ctx, statement, args...)
	if err != nil {
		return nil, fmt.Errorf("list notifications: %w", err)
	}
	list, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("list notifications: %w", err)
	}
	return list, nil
}

// Count returns how many List has in all.
func (i *Inbox) Count(ctx context.Context, f Filter) (count int, err error) {
	args, err := f.arguments(ctx)
	if err != nil {
		return 0, err
	}
	if err := i.pool.QueryRow(ctx, `select count(*)`+matching, args...).Scan(&count); err != nil {
		return 0, fmt.Errorf("count notifications: %w", err)
	}
	return count, nil
}

// arguments are those of matching, for who makes the request.
func (f Filter) arguments(ctx context.Context) ([]any, error) {
	p, kinds, err := enter(ctx, f.WorkspaceID)
	if err != nil {
		return nil, err
	}
	if len(f.Kinds) > 0 {
		kinds = slices.DeleteFunc(kinds, func(k Kind) bool { return !slices.Contains(f.Kinds, k) })
	}
	return []any{f.WorkspaceID, p.UserID, kinds, f.Unread}, nil
}

// Visible returns who makes the request and which kinds they may see in a workspace, in the order of their names: one
// at least.
func Visible(ctx context.Context, workspace uuid.UUID) (*account.Principal, []Kind, error) {
	p, kinds, err := enter(ctx, workspace)
	slices.Sort(kinds)
	return p, kinds, err
}

// SeenBy tells whether a role may see notifications of a kind.
func SeenBy(role account.Role, kind Kind) bool {
	capability, known := needs[kind]
	return known && account.Allows(role, capability)
}

// enter returns who makes the request and which kinds they may see in the workspace: one at least.
func enter(ctx context.Context, workspace uuid.UUID) (*account.Principal, []Kind, error) {
	p, err := account.Enter(ctx, workspace)
	if err != nil {
		return nil, nil, err
	}
	var kinds []Kind
	for kind, capability := range needs {
		if p.Can(workspace, capability) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 0 {
		_, err = account.Authorize(ctx, workspace, account.AnalyticsRead)
	}
	return p, kinds, err
}

// MarkRead marks a notification as read by who makes the request and returns it.
func (i *Inbox) MarkRead(ctx context.Context, id uuid.UUID) (*Notification, error) {
	if _, err := account.From(ctx); err != nil {
		return nil, err
	}
	var workspace uuid.UUID
	var kind Kind
	err := i.pool.QueryRow(ctx, `select workspace_id, kind from notification where id = $1`, id).Scan(&workspace, &kind)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("find the notification: %w", err)
	}
	if err != nil {
		return nil, fault.Missing("notification")
	}
	p, kinds, err := enter(ctx, workspace)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, fault.Missing("notification")
	case err != nil:
		return nil, err
	case !slices.Contains(kinds, kind):
		_, err := account.Authorize(ctx, workspace, needs[kind])
		return nil, err
	}
	if _, err := i.mark(ctx, p, workspace, []Kind{kind}, &id, nil); err != nil {
		return nil, err
	}
	rows, err := i.pool.Query(
		ctx, columns+matching+` and n.id = $5`, workspace, p.UserID, []Kind{kind}, false, id,
	)
	if err != nil {
		return nil, fmt.Errorf("read the notification: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.Missing("notification")
	}
	return found, err
}

// MarkAllRead marks what who makes the request sees of a workspace as read, what was posted until then or, with nil,
// everything. It returns how many were unread.
func (i *Inbox) MarkAllRead(ctx context.Context, workspace uuid.UUID, until *time.Time) (int, error) {
	p, kinds, err := enter(ctx, workspace)
	if err != nil {
		return 0, err
	}
	return i.mark(ctx, p, workspace, kinds, nil, until)
}

// mark marks unread notifications of kinds, one of them or all until a time. Nobody marks who is no member by then.
func (i *Inbox) mark(
	ctx context.Context, p *account.Principal, workspace uuid.UUID, kinds []Kind, id *uuid.UUID, until *time.Time,
) (int, error) {
	tag, err := i.pool.Exec(ctx, `
		insert into notification_read (notification_id, user_id) select n.id, $2`+matching+`
			and ($5::uuid is null or n.id = $5) and ($6::timestamptz is null or n.created_at <= $6)
		for key share of n -- one that leaves at this moment is left out
		on conflict do nothing`, workspace, p.UserID, kinds, true, id, until)
	if err != nil {
		return 0, fmt.Errorf("mark notifications as read: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
