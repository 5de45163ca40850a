package studio

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	entflow "github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/edit"
)

// Saved is a stored draft with what is wrong with it. A draft may be wrong;
// publishing it is what the problems block.
type Saved struct {
	Flow     *ent.Flow
	Problems []manifest.Problem
}

// SaveDraft replaces a flow's draft. The revision is the one that the draft was
// made from: when somebody changed it meanwhile, it fails with code conflict and the
// current revision in the details. Where operations can say what changed it is an
// edit like others, so that editors who are at work follow it.
func (s *Studio) SaveDraft(ctx context.Context, id uuid.UUID, revision int, draft json.RawMessage) (*Saved, error) {
	app, _, err := s.findFlow(ctx, id, account.FlowEdit)
	if err != nil {
		return nil, err
	}
	saved := &Saved{}
	err = s.changeDraft(ctx, app, id, func(c *draftChange) error {
		if c.row.revision != revision {
			return staleRevision(c.row.revision,
				"the draft was changed meanwhile: it is at revision %d, this save was made from %d", c.row.revision, revision)
		}
		stamped, err := setFlowVersion("draft", draft, id, revision+1)
		if err != nil {
			return err
		}
		_, saved.Problems = manifest.Parse(stamped)
		text, err := c.save(ctx, stamped)
		if err != nil {
			return err
		}
		saved.Flow, err = c.tx.Flow.Query().Where(entflow.ID(id)).Select(flowColumns...).Only(ctx)
		if err != nil {
			return fmt.Errorf("read the flow: %w", err)
		}
		saved.Flow.Draft = text
		return nil
	})
	if err != nil {
		return nil, err
	}
	return saved, nil
}

// staleRevision is the conflict of who has not seen the draft's revision.
func staleRevision(current int, format string, args ...any) error {
	stale := fault.New(fault.Conflict, format, args...)
	stale.Field, stale.Details = "revision", map[string]any{"currentRevision": current}
	return stale
}

// save makes a whole draft the next revision, and returns it as it is stored.
func (c *draftChange) save(ctx context.Context, draft json.RawMessage) (json.RawMessage, error) {
	edited, err := c.saveAsEdit(ctx, draft)
	if err != nil {
		return nil, err
	}
	if edited {
		return c.text(ctx)
	}
	c.open.document = nil
	revision := c.row.revision + 1
	if _, err := c.tx.ExecContext(ctx, `
		with stored as (
			update flows set draft = $2, draft_revision = $3, draft_stored_revision = $3, updated_at = now() where id = $1
		)
		select svc_notify('`+DraftChannel+`', $4)`,
		c.flow, []byte(draft), revision, fmt.Sprintf("%s:%d", c.flow, revision)); err != nil {
		return nil, fmt.Errorf("store the draft: %w", err)
	}
	c.row.revision, c.row.stored = revision, revision
	p, err := account.From(ctx)
	if err != nil {
		return nil, err
	}
	return draft, c.record(ctx, p)
}

// saveAsEdit makes a whole draft the next revision by operations. It reports false when they can't say what changed, or
// when nodes of the draft have no ids of their own: then nothing has changed.
func (c *draftChange) saveAsEdit(ctx context.Context, draft json.RawMessage) (bool, error) {
	after, repairs, err := edit.Open(draft)
	if err != nil || len(repairs) > 0 {
		return false, nil //nolint:nilerr // a draft may be wrong
	}
	err = c.open.follow(ctx, c.tx, c.flow, c.row)
	if fault.Is(err, DraftInvalid) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	steps, ok := edit.Between(c.open.document, after)
	if !ok {
		return false, nil
	}
	return true, c.storeSteps(ctx, steps, uuid.Must(uuid.NewV7()), 1)
}

// storeSteps keeps steps that can't be refused as the next revision.
func (c *draftChange) storeSteps(ctx context.Context, steps []edit.Step, client uuid.UUID, sequence int) error {
	made := newStoredEdit()
	for _, step := range steps {
		if step.Name == "" {
			step.Name = c.open.document.Describe(step.Operations)
		}
		applied, refusal := c.open.document.Apply(step)
		if refusal != nil {
			return fmt.Errorf("apply a difference: %w", refusal)
		}
		c.open.size += grows(step)
		if err := made.add(applied); err != nil {
			return err
		}
	}
	text, err := json.Marshal(steps)
	if err != nil {
		return fmt.Errorf("write the steps: %w", err)
	}
	digest := sha256.Sum256(text)
	return c.store(ctx, Edit{ClientID: client, Sequence: sequence}, digest[:], made)
}
