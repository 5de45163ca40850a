package studio

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres/transaction"
)

const (
	// DraftRest is how long nobody has edited a draft when it is stored as a whole: a draft of 772 kB takes 57 ms, which
	// nobody who edits waits for.
	DraftRest = 2 * time.Second
	// maxStoredDrafts bounds a look; the next one goes on.
	maxStoredDrafts = 50
)

// StoreRestingDrafts stores the drafts as a whole that were edited, on any server, and have rested for [DraftRest]. One
// that can't be read does not keep the others; the error joins theirs.
func (s *Studio) StoreRestingDrafts(ctx context.Context) error {
	return s.storeDrafts(ctx, `updated_at < now() - make_interval(secs => $1)`, DraftRest.Seconds())
}

// storeDraftsOf stores the drafts of an app as a whole, for statements that look into them.
func (s *Studio) storeDraftsOf(ctx context.Context, app uuid.UUID) error {
	return s.storeDrafts(ctx, `app_id = $1`, app)
}

func (s *Studio) storeDrafts(ctx context.Context, condition string, argument any) error {
	var flows []uuid.UUID
	err := eachRow(ctx, s.client, func(rows *sql.Rows) error {
		var id uuid.UUID
		flows = append(flows, id)
		return rows.Scan(&flows[len(flows)-1])
	}, fmt.Sprintf(`select id from flows where draft_stored_revision < draft_revision and %s order by updated_at limit %d`,
		condition, maxStoredDrafts), argument)
	if err != nil {
		return fmt.Errorf("look for edited drafts: %w", err)
	}
	var failed []error
	for _, flow := range flows {
		if err := s.storeDraft(ctx, flow); err != nil && !fault.Is(err, fault.NotFound) {
			failed = append(failed, fmt.Errorf("store the draft of %s: %w", flow, err))
		}
	}
	return errors.Join(failed...)
}

// storeDraft stores a draft as a whole, also that of an archived flow.
func (s *Studio) storeDraft(ctx context.Context, flow uuid.UUID) error {
	open, err := s.drafts.take(ctx, flow)
	if err != nil {
		return err
	}
	defer s.drafts.give(flow, open)
	return transaction.Run(ctx, s.client, func(tx *ent.Tx) error {
		row, err := lockDraft(ctx, tx, flow)
		if err != nil {
			return err
		}
		// The document is not changed, so it stays whether this is committed or not.
		_, err = (&draftChange{Studio: s, flow: flow, tx: tx, row: row, open: open}).text(ctx)
		return err
	})
}
