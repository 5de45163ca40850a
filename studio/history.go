package studio

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest/edit"
)

const (
	// maxChanges is how many sentences an entry of the history has.
	maxChanges = 20
	// maxBackBytes bounds the inverse operations that are read to go back in a draft.
	maxBackBytes = 32 << 20
)

// HistoryEntry are the edits that one person, or one API key, made to a draft in a quarter of an hour.
type HistoryEntry struct {
	// Revision is the draft's after the last of them.
	Revision int
	Edits    int
	From, To time.Time // of the first and the last
	// Person is the name of who made them, or of the API key; nil for one who is no user any more.
	Person *string
	// Changes are the names of the steps, each once, the latest first: at most 20.
	Changes []string
}

// ListHistory returns entries of a draft's history, the latest first, those with a revision below before when it is not
// nil.
func (s *Studio) ListHistory(ctx context.Context, flow uuid.UUID, before *int, limit int) ([]*HistoryEntry, error) {
	if err := s.mayReadDraft(ctx, flow); err != nil {
		return nil, err
	}
	entries := []*HistoryEntry{}
	err := eachRow(ctx, s.client, func(rows *sql.Rows) error {
		var e HistoryEntry
		var changes []byte
		if err := rows.Scan(&e.Revision, &e.Edits, &e.From, &e.To, &e.Person, &changes); err != nil {
			return err
		}
		entries = append(entries, &e)
		return json.Unmarshal(changes, &e.Changes)
	}, `
		with entry as (`+historySQL+` having $2::bigint is null or max(revision) < $2 order by revision desc limit $3)
		select e.revision, e.edits, e.first, e.last, `+personSQL+`, coalesce((
			select jsonb_agg(name order by latest desc) from (
				select step ->> 'name' as name, max(array[i.revision, n]) as latest
				from flow_edit i, jsonb_array_elements(i.steps) with ordinality as s (step, n)
				where i.flow_id = $1 and i.revision between e.since and e.revision and step ->> 'name' <> ''
					and i.user_id is not distinct from e.user_id and i.api_key_id is not distinct from e.api_key_id
					and i.created_at between e.first and e.last
				group by 1 order by 2 desc limit $4
			) named), '[]')
		from entry e order by e.revision desc`, flow, before, limit, maxChanges)
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	return entries, nil
}

// historySQL groups the edits of flow $1 that changed something. Revisions are unique in a flow, so that the last of an
// entry names it.
const historySQL = `
	select max(revision) as revision, min(revision) as since, count(*) as edits,
		min(created_at) as first, max(created_at) as last, user_id, api_key_id
	from flow_edit where flow_id = $1 and steps <> '[]'
	group by date_bin('15 minutes', created_at, 'epoch'), user_id, api_key_id`

// CountHistory counts the entries of a draft's history.
func (s *Studio) CountHistory(ctx context.Context, flow uuid.UUID) (int, error) {
	if err := s.mayReadDraft(ctx, flow); err != nil {
		return 0, err
	}
	var count int
	err := eachRow(ctx, s.client, func(rows *sql.Rows) error { return rows.Scan(&count) },
		`select count(*) from (`+historySQL+`) entry`, flow)
	if err != nil {
		return 0, fmt.Errorf("count the history: %w", err)
	}
	return count, nil
}

func (s *Studio) mayReadDraft(ctx context.Context, flow uuid.UUID) error {
	f, err := s.readFlow(ctx, flow)
	if err != nil {
		return err
	}
	return account.AuthorizeApp(ctx, ownerOf(f.Edges.App), "flow", account.StudioRead)
}

// OldestRevision returns the oldest revision of the flow of a draft, which was read, that can be gone back to from the
// latest: the one before the oldest edit of those that follow each other without a gap.
func (s *Studio) OldestRevision(ctx context.Context, draft *Draft) (int, error) {
	oldest := draft.Revision
	err := eachRow(ctx, s.client, func(rows *sql.Rows) error { return rows.Scan(&oldest) }, `
		select coalesce(min(revision) - 1, (select draft_revision from flows where id = $1))
		from (
			select revision, revision + row_number() over (order by revision desc) as run, f.draft_revision + 1 as last
			from flow_edit e join flows f on f.id = e.flow_id where flow_id = $1
		) e where run = last`, draft.FlowID)
	if err != nil {
		return 0, fmt.Errorf("look for the oldest revision: %w", err)
	}
	return oldest, nil
}

// DraftAt reads a draft as it was at a revision. Nobody can edit that. The error of a revision that can't be reached
// any more has "oldestRevision", the oldest that can, in its details.
func (s *Studio) DraftAt(ctx context.Context, flow uuid.UUID, revision int) (*Draft, error) {
	draft, err := s.OpenDraft(ctx, flow)
	if err != nil {
		return nil, err
	}
	document, _, err := goBack(ctx, s.client, flow, draft.Document, draft.Revision, revision)
	if err != nil {
		return nil, err
	}
	document.Stamp(flow.String(), revision)
	text, err := document.Canonical()
	if err != nil {
		return nil, fmt.Errorf("write the draft: %w", err)
	}
	draft.Revision, draft.Document, draft.CanEdit = revision, text, false
	return draft, nil
}

// Restore is what a draft shall go back to.
type Restore struct {
	FlowID   uuid.UUID
	Revision int
	// BaseRevision is the revision that the caller has seen: fails with a conflict when it is not the draft's. Nil takes
	// whatever is there.
	BaseRevision *int
	Name         string // of the step, in the history; empty for one with the revision
}

// RestoreDraft makes a draft what it was at a revision, by one edit that can be undone like others, and returns the
// revision of the draft then. A draft that is so already stays at its revision.
func (s *Studio) RestoreDraft(ctx context.Context, r Restore) (int, error) {
	app, _, err := s.findFlow(ctx, r.FlowID, account.FlowEdit)
	if err != nil {
		return 0, err
	}
	if utf8.RuneCountInString(r.Name) > maxStepName {
		return 0, fault.Invalid("name", "has more than %d characters", maxStepName)
	}
	if r.Name == "" {
		r.Name = fmt.Sprintf("Go back to revision %d", r.Revision)
	}
	var revision int
	err = s.changeDraft(ctx, app, r.FlowID, func(c *draftChange) error {
		if r.BaseRevision != nil && *r.BaseRevision != c.row.revision {
			return staleRevision(c.row.revision, "the draft was changed meanwhile: it is at revision %d", c.row.revision)
		}
		if err := c.open.follow(ctx, c.tx, r.FlowID, c.row); err != nil {
			return err
		}
		operations, err := c.wayBack(ctx, r.Revision)
		revision = c.row.revision
		if err != nil || len(operations) == 0 {
			return err
		}
		step := edit.Step{Name: r.Name, Operations: operations}
		err = c.storeSteps(ctx, []edit.Step{step}, uuid.Must(uuid.NewV7()), 1)
		revision = c.row.revision
		return err
	})
	return revision, err
}

// wayBack returns the operations that make the draft what it was at a revision: the difference, or where that can't be
// said in operations, all that undoes what came since.
func (c *draftChange) wayBack(ctx context.Context, revision int) ([]edit.Operation, error) {
	text, err := c.open.canonical(c.flow)
	if err != nil {
		return nil, err
	}
	then, undone, err := goBack(ctx, c.tx, c.flow, text, c.row.revision, revision)
	if err != nil {
		return nil, err
	}
	return between(c.open.document, then, undone), nil
}

// between returns the operations that make one document another: the difference, or where that can't be said in
// operations, those that did it.
func between(now, then *edit.Document, undone []edit.Operation) []edit.Operation {
	steps, ok := edit.Between(now, then)
	if !ok {
		return undone
	}
	operations := []edit.Operation{}
	for _, step := range steps {
		operations = append(operations, step.Operations...)
	}
	return operations
}

// WayBack are operations that make the latest draft what it was at a revision.
type WayBack struct {
	Revision   int             // of the latest draft
	Operations json.RawMessage // a list of edit.Operation
}

// FindWayBack returns the operations that make the draft of a flow what it was when it was read.
func (s *Studio) FindWayBack(ctx context.Context, then *Draft) (*WayBack, error) {
	latest, err := s.OpenDraft(ctx, then.FlowID)
	if err != nil {
		return nil, err
	}
	now, _, err := edit.Open(latest.Document)
	if err != nil {
		return nil, fmt.Errorf("open the draft: %w", err)
	}
	before, undone, err := goBack(ctx, s.client, then.FlowID, latest.Document, latest.Revision, then.Revision)
	if err != nil {
		return nil, err
	}
	operations, err := json.Marshal(between(now, before, undone))
	if err != nil {
		return nil, fmt.Errorf("write the way back: %w", err)
	}
	return &WayBack{latest.Revision, operations}, nil
}

var errFarEnough = errors.New("far enough")

// goBack opens the text of a draft at a revision and undoes the edits since an earlier one, the latest first. It
// returns the document and the operations that did it.
func goBack(
	ctx context.Context, q querier, flow uuid.UUID, text json.RawMessage, now, then int,
) (*edit.Document, []edit.Operation, error) {
	if then < 1 || then > now {
		return nil, nil, fault.Invalid("revision", "must be 1 to %d, the draft's", now)
	}
	document, _, err := edit.Open(text)
	if err != nil {
		return nil, nil, fmt.Errorf("open the draft: %w", err)
	}
	var undone []edit.Operation
	reached, bytes := now, 0
	err = eachRow(ctx, q, func(rows *sql.Rows) error {
		var revision int
		var inverse []byte
		if err := rows.Scan(&revision, &inverse); err != nil {
			return err
		}
		if bytes += len(inverse); revision != reached || bytes > maxBackBytes {
			return errFarEnough
		}
		var steps [][]edit.Operation
		if err := json.Unmarshal(inverse, &steps); err != nil {
			return err
		}
		for _, operations := range slices.Backward(steps) {
			applied, refusal := document.Apply(edit.Step{Operations: operations})
			if refusal != nil {
				return fmt.Errorf("undo revision %d: %w", revision, refusal)
			}
			undone = append(undone, applied.Step.Operations...)
		}
		reached--
		return nil
	}, `select revision, inverse from flow_edit where flow_id = $1 and revision > $2 and revision <= $3
		order by revision desc`, flow, then, now)
	if err != nil && !errors.Is(err, errFarEnough) {
		return nil, nil, fmt.Errorf("read the edits: %w", err)
	}
	if reached != then {
		gone := fault.Invalid("revision", "is not kept any more: the oldest is %d", reached)
		gone.Details = map[string]any{"oldestRevision": reached}
		return nil, nil, gone
	}
	return document, undone, nil
}
