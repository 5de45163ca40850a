package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// sessionStore keeps dashboard sessions in the table web_session. It implements
// scs.CtxStore.
type sessionStore struct{ pool *pgxpool.Pool }

// sessionRow is what the table says of a session beside its data: what its owner is shown in the list.
type sessionRow struct {
	id              uuid.UUID
	user            uuid.UUID
	at              time.Time
	device, address string
	method          Method
}

type sessionRowKey struct{}

func (s sessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	var data []byte
	err := s.pool.QueryRow(ctx, `select data from web_session where token = $1 and expiry > now()`, token).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read the web session: %w", err)
	}
	return data, true, nil
}

// CommitCtx stores a session whose row is in the context.
func (s sessionStore) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	row, ok := ctx.Value(sessionRowKey{}).(sessionRow)
	if !ok {
		return errors.New("write the web session: nobody's")
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	_, err := s.pool.Exec(ctx, `
		insert into web_session (token, data, expiry, id, user_id, created_at, device, address, method)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		token, data, expiry, row.id, row.user, row.at, row.device, row.address, row.method)
	if err != nil {
		return fmt.Errorf("write the web session: %w", err)
	}
	return nil
}

func (s sessionStore) DeleteCtx(ctx context.Context, token string) error {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	if _, err := s.pool.Exec(ctx, `delete from web_session where token = $1`, token); err != nil {
		return fmt.Errorf("delete the web session: %w", err)
	}
	return nil
}

// The context-free methods of scs.Store are never called on a CtxStore.

func (s sessionStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

func (s sessionStore) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

func (s sessionStore) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }
