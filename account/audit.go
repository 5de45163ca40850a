package account

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/ent"
)

// Record writes an audit entry in the transaction of the change: who (from the
// context) did what (a verb such as channel.pin) to which subject. Detail must
// hold no secret.
func Record(ctx context.Context, tx *ent.Tx, workspace uuid.UUID, action, subject string, detail map[string]any) error {
	entry := tx.AuditEntry.Create().SetWorkspaceID(workspace).SetAction(action).SetSubject(subject)
	if len(detail) > 0 {
		entry.SetDetail(detail)
	}
	if p, err := From(ctx); err == nil && !p.operator {
		entry.SetUserID(p.UserID).SetNillableAPIKeyID(p.KeyID)
	}
	if err := entry.Exec(ctx); err != nil {
		return fmt.Errorf("record %s: %w", action, err)
	}
	return nil
}

// RecordIn is [Record] in a transaction of the driver's, for changes that ent does not make.
func RecordIn(
	ctx context.Context, tx pgx.Tx, workspace uuid.UUID, action, subject string, detail map[string]any,
) error {
	var user, key *uuid.UUID
	if p, err := From(ctx); err == nil && !p.operator {
		user, key = &p.UserID, p.KeyID
	}
	if _, err := tx.Exec(ctx, `
		insert into audit_entries (id, workspace_id, action, subject, detail, user_id, api_key_id)
		values ($1, $2, $3, $4, $5, $6, $7)`,
		uuid.Must(uuid.NewV7()), workspace, action, subject, detail, user, key); err != nil {
		return fmt.Errorf("record %s: %w", action, err)
	}
	return nil
}

// RecordCall writes an audit entry of a tool that the API key of ctx calls.
func (a *Accounts) RecordCall(ctx context.Context, tool string) error {
	p, err := From(ctx)
	if err != nil {
		return err
	}
	for workspace := range p.roles { // a key has one
		if err := a.change(ctx, func(ctx context.Context, tx *ent.Tx) error {
			return Record(ctx, tx, workspace, "mcp.call", tool, nil)
		}); err != nil {
			return err
		}
	}
	return nil
}
