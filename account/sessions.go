package account

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/fault"
)

// Session is a browser in which a person is signed in.
type Session struct {
	ID uuid.UUID
	// Device is a browser and a system, as the browser said; empty when it did not. Address is where it was last used
	// from.
	Device, Address string
	Method          Method
	SignedInAt      time.Time
	// LastSeenAt is exact to a few minutes.
	LastSeenAt time.Time
	// Current tells that the request was made in it.
	Current bool
}

// Sessions returns the sessions of who signed in, those that were used last first. There are a hundred at most.
func (a *Accounts) Sessions(ctx context.Context) ([]*Session, error) {
	p, err := requirePerson(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	rows, err := a.pool.Query(ctx, `
		select id, device, address, method, created_at, seen_at, id = $2 from web_session
		where user_id = $1 and expiry > now() order by id = $2 desc, seen_at desc, id desc`, p.UserID, p.SessionID)
	if err != nil {
		return nil, fmt.Errorf("read the sessions: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[Session])
}

// EndSession ends a session of the caller's. A session of somebody else is not found.
func (a *Accounts) EndSession(ctx context.Context, id uuid.UUID) error {
	ended, err := a.endSessions(ctx, `delete from web_session where user_id = $1 and id = $2`, id)
	if err == nil && ended == 0 {
		return fault.Missing("session")
	}
	return err
}

// EndOtherSessions ends the caller's sessions but the one of the request, and returns how many they were.
func (a *Accounts) EndOtherSessions(ctx context.Context) (int, error) {
	p, err := requirePerson(ctx)
	if err != nil {
		return 0, err
	}
	return a.endSessions(ctx, `delete from web_session where user_id = $1 and id <> $2`, p.SessionID)
}

func (a *Accounts) endSessions(ctx context.Context, statement string, id uuid.UUID) (int, error) {
	p, err := requirePerson(ctx)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	tag, err := a.pool.Exec(ctx, statement, p.UserID, id)
	if err != nil {
		return 0, fmt.Errorf("end sessions: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
