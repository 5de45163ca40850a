package account

import (
	"context"
	"fmt"

	"github.com/google/uuid"

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
