package automation

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// An archived app rests: nobody enters its automations or goes on in them, and no webhooks of it are sent. Whoever
// waits and what waits is kept, and goes on when the app is back.

// inService is the SQL condition that the app of an environment, named by an expression, is not archived.
func inService(environment string) string {
	return `exists (select from environments served join apps owner on owner.id = served.app_id
		where served.id = ` + environment + ` and owner.archived_at is null)`
}

// Rest makes the automations of an app rest, in the transaction that archives it.
func Rest(ctx context.Context, tx Execer) error { return raiseRevision(ctx, tx) }

// Resume lets the automations of an app go on, in the transaction that puts it back into service. The time in which
// nothing was sent is none in which its endpoints failed.
func Resume(ctx context.Context, tx Execer, app uuid.UUID) error {
	if _, err := tx.ExecContext(ctx, `
		update webhook_endpoint set failing_since = null
		where environment_id in (select id from environments where app_id = $1)`, app); err != nil {
		return fmt.Errorf("let endpoints begin anew: %w", err)
	}
	return raiseRevision(ctx, tx)
}

// raiseRevision makes all servers read the automations anew.
func raiseRevision(ctx context.Context, tx Execer) error {
	if _, err := tx.ExecContext(ctx, `update automation_revision set number = number + 1`); err != nil {
		return fmt.Errorf("raise the revision of automations: %w", err)
	}
	return nil
}
