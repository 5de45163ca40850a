package studio

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/manifest/edit"
)

// DraftChannel is the notification channel (postgres/notify) that says of each edit "flow:revision".
const DraftChannel = "svc_draft"

const (
	// checkpointEvery is after how many edits the draft is stored as a whole, which bounds what a reader replays.
	checkpointEvery = 200
	// maxOthers is how many edits of others an answer has.
	maxOthers = 500
	// maxOthersBytes bounds the steps of those edits: a batch alone may have 256 kB.
	maxOthersBytes = 4 << 20
	// recordEvery is how long an audit entry stands for the further edits of the same person.
	recordEvery = 15 * time.Minute
)

// DraftEdit is one edit of a draft.
type DraftEdit struct {
	Revision int // of the draft after it
	ClientID uuid.UUID
	Sequence int
	Person   *string         // the name of who made it, or of the API key; nil for one who is no user any more
	Steps    json.RawMessage // a list of edit.Step
	At       time.Time
}

// personSQL names who made an edit e.
const personSQL = `
	coalesce((select k.name from api_keys k where k.id = e.api_key_id),
		(select coalesce(nullif(u.name, ''), u.email) from users u where u.id = e.user_id))`

// storedEdit are the columns of a row of flow_edit that came of applying it.
type storedEdit struct {
	steps, inverse []json.RawMessage
	refused        []refusedStep
	removed        []string
	renamed        []edit.Operation
}

func newStoredEdit() *storedEdit {
	return &storedEdit{steps: []json.RawMessage{}, inverse: []json.RawMessage{}, refused: []refusedStep{}}
}

// add notes a step that was applied.
func (m *storedEdit) add(applied *edit.Applied) error {
	step, err := json.Marshal(applied.Step)
	if err != nil {
		return fmt.Errorf("write the step: %w", err)
	}
	inverse, err := json.Marshal(applied.Inverse)
	if err != nil {
		return fmt.Errorf("write the inverse: %w", err)
	}
	m.steps, m.inverse = append(m.steps, step), append(m.inverse, inverse)
	m.removed = append(m.removed, applied.Removed...)
	for _, o := range applied.Step.Operations {
		if o.Op == edit.Rename {
			m.renamed = append(m.renamed, o)
		}
	}
	return nil
}

// store writes the row of an edit, and all that goes with it.
func (c *draftChange) store(ctx context.Context, e Edit, digest []byte, made *storedEdit) error {
	p, err := account.From(ctx)
	if err != nil {
		return err
	}
	var user *uuid.UUID
	if p.UserID != uuid.Nil {
		user = &p.UserID
	}
	texts := make([][]byte, 0, 4)
	for _, v := range []any{made.steps, made.inverse, made.refused, made.renamed} {
		text, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("write the edit: %w", err)
		}
		texts = append(texts, text)
	}
	if made.renamed == nil {
		texts[3] = nil
	}
	revision := c.row.revision + 1
	if _, err := c.tx.ExecContext(ctx, `
		with edited as (
			insert into flow_edit (flow_id, revision, client_id, sequence, digest, steps, inverse, refused, renamed, removed,
				user_id, api_key_id)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		), counted as (
			update flows set draft_revision = $2, updated_at = now(),
				draft_stored_revision = coalesce(draft_stored_revision, draft_revision)
			where id = $1
		)
		select svc_notify('`+DraftChannel+`', $13)`,
		c.flow, revision, e.ClientID, e.Sequence, digest, texts[0], texts[1], texts[2], texts[3], made.removed,
		user, p.KeyID, fmt.Sprintf("%s:%d", c.flow, revision)); err != nil {
		return fmt.Errorf("store the edit: %w", err)
	}
	c.open.revision, c.row.revision = revision, revision
	if revision-c.row.stored >= checkpointEvery {
		if _, err := c.checkpoint(ctx); err != nil {
			return err
		}
	}
	return c.record(ctx, p)
}

// checkpoint stores the draft as a whole and returns it. The document is at the revision of the row.
func (c *draftChange) checkpoint(ctx context.Context) (json.RawMessage, error) {
	text, err := c.open.canonical(c.flow)
	if err != nil {
		return nil, err
	}
	if _, err := c.tx.ExecContext(ctx, `update flows set draft = $2, draft_stored_revision = $3 where id = $1`,
		c.flow, []byte(text), c.row.revision); err != nil {
		return nil, fmt.Errorf("store the draft: %w", err)
	}
	c.row.stored = c.row.revision
	return text, nil
}

// text returns the draft, which is stored as a whole then.
func (c *draftChange) text(ctx context.Context) (json.RawMessage, error) {
	if c.row.stored == c.row.revision {
		row, err := readDraftRow(ctx, c.tx, c.flow, `draft from flows where id = $1`)
		return row.text, err
	}
	if err := c.open.follow(ctx, c.tx, c.flow, c.row); err != nil {
		return nil, err
	}
	return c.checkpoint(ctx)
}

// record says in the audit log that somebody edits, once for all edits of recordEvery.
func (c *draftChange) record(ctx context.Context, p *account.Principal) error {
	now := c.now()
	if now.Sub(c.open.recorded[p.UserID]) < recordEvery {
		return nil
	}
	known := false
	err := eachRow(ctx, c.tx, func(rows *sql.Rows) error { return rows.Scan(&known) }, `
		select exists (select from audit_entries where workspace_id = $1 and created_at > $2
			and action = 'flow.draft' and subject = $3 and user_id is not distinct from $4)`,
		c.app.WorkspaceID, now.Add(-recordEvery), c.flow.String(), p.UserID)
	if err != nil {
		return fmt.Errorf("read the audit log: %w", err)
	}
	if known {
		return nil
	}
	detail := map[string]any{"revision": c.row.revision}
	if err := account.Record(ctx, c.tx, c.app.WorkspaceID, "flow.draft", c.flow.String(), detail); err != nil {
		return err
	}
	c.open.recorded[p.UserID] = now
	return nil
}

// removedBy names who removed the node that a step was refused for; removed are the nodes that this batch has removed.
func (c *draftChange) removedBy(ctx context.Context, refusal *edit.Refusal, removed []string) (*string, error) {
	if refusal.Code != edit.NodeRemoved || slices.Contains(removed, refusal.Node) {
		return nil, nil
	}
	var person *string
	err := eachRow(ctx, c.tx, func(rows *sql.Rows) error { return rows.Scan(&person) }, `
		select `+personSQL+` from flow_edit e where flow_id = $1 and removed @> array[$2] order by revision desc limit 1`,
		c.flow, refusal.Node)
	if err != nil {
		return nil, fmt.Errorf("read who removed %s: %w", refusal.Node, err)
	}
	return person, nil
}

// rewrite gives the keys in steps the names that others gave them since the steps' base.
func (c *draftChange) rewrite(ctx context.Context, e Edit) ([]edit.Step, error) {
	if e.BaseRevision == c.row.revision {
		return e.Steps, nil
	}
	var renames []edit.Operation
	err := eachRow(ctx, c.tx, func(rows *sql.Rows) error {
		var text []byte
		if err := rows.Scan(&text); err != nil {
			return err
		}
		var some []edit.Operation
		err := json.Unmarshal(text, &some)
		renames = append(renames, some...)
		return err
	}, `select renamed from flow_edit where flow_id = $1 and revision > $2 and renamed is not null and client_id <> $3
		order by revision`, c.flow, e.BaseRevision, e.ClientID)
	if err != nil {
		return nil, fmt.Errorf("read the renames: %w", err)
	}
	return c.open.document.Follow(e.Steps, renames), nil
}

// readOthers reads the edits between two revisions, both excluded. Reset says that they are too many or too large, or
// that the draft was saved as a whole between.
func readOthers(
	ctx context.Context, q querier, flow uuid.UUID, after, before int,
) (others []*DraftEdit, reset bool, err error) {
	others = []*DraftEdit{}
	missing := before - 1 - after
	if missing <= 0 {
		return others, false, nil
	}
	if missing > maxOthers {
		return others, true, nil
	}
	others, err = readEdits(ctx, q, flow, after, before-1, maxOthersBytes)
	if err != nil {
		return nil, false, err
	}
	if len(others) != missing {
		return []*DraftEdit{}, true, nil
	}
	return others, false, nil
}

// readEdits reads the edits after a revision and up to another, the oldest first, as long as their steps have at most
// so many bytes.
func readEdits(ctx context.Context, q querier, flow uuid.UUID, after, upTo, bytes int) ([]*DraftEdit, error) {
	edits := []*DraftEdit{}
	err := eachRow(ctx, q, func(rows *sql.Rows) error {
		var e DraftEdit
		var steps []byte
		if err := rows.Scan(&e.Revision, &e.ClientID, &e.Sequence, &e.Person, &steps, &e.At); err != nil {
			return err
		}
		if bytes -= len(steps); bytes < 0 {
			return errFarEnough
		}
		e.Steps = steps
		edits = append(edits, &e)
		return nil
	}, `select revision, client_id, sequence, `+personSQL+`, steps, created_at from flow_edit e
		where flow_id = $1 and revision > $2 and revision <= $3 order by revision`, flow, after, upTo)
	if err != nil && !errors.Is(err, errFarEnough) {
		return nil, fmt.Errorf("read the edits: %w", err)
	}
	return edits, nil
}
