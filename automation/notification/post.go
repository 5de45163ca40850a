package notification

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// Kept is how long a notification is kept.
	Kept = 180 * 24 * time.Hour
	// MaxKept is how many a workspace has: the oldest go.
	MaxKept = 1000
)

// Execer is a transaction, a connection or a pool of pgx.
type Execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// SQLExecer is a transaction, or a database, of database/sql or ent.
type SQLExecer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

//go:embed post.sql
var postSQL string

// Post tells a workspace something, once: when there is a notification of the kind with the key it does nothing. In a
// transaction it is told when that is committed.
func Post(ctx context.Context, db Execer, n Notification) error {
	args, err := n.arguments()
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, postSQL, args...); err != nil {
		return fmt.Errorf("post a notification %s: %w", n.Kind, err)
	}
	return nil
}

// PostSQL is [Post] through database/sql or ent.
func PostSQL(ctx context.Context, db SQLExecer, n Notification) error {
	args, err := n.arguments()
	if err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, postSQL, args...); err != nil {
		return fmt.Errorf("post a notification %s: %w", n.Kind, err)
	}
	return nil
}

// arguments are those of the statement. The error says what the caller did wrong.
func (n Notification) arguments() ([]any, error) {
	if _, known := needs[n.Kind]; !known || n.Key == "" || len(n.Key) > maxKey || strings.ContainsRune(n.Key, 0) {
		return nil, fmt.Errorf("a notification of kind %q can't have the key %q", n.Kind, n.Key)
	}
	if n.Severity == "" {
		n.Severity = Info
	}
	about, err := json.Marshal(n.About)
	if err != nil {
		return nil, fmt.Errorf("write what a notification is about: %w", err)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("make the id of a notification: %w", err)
	}
	return []any{
		id, n.WorkspaceID, string(n.Kind), n.Key, string(n.Severity), clean(n.Title, maxTitle), clean(n.Text, maxText),
		string(about), MaxKept, texts(Alarms()),
	}, nil
}

// texts are kinds as the database has them.
func texts(kinds []Kind) []string {
	list := make([]string, len(kinds))
	for i, kind := range kinds {
		list[i] = string(kind)
	}
	return list
}
