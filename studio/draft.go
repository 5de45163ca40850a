package studio

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	entflow "github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest/edit"
)

// flowColumns are read of a flow whose draft nobody asks for. The column draft is a checkpoint: [Studio.ReadDrafts] and
// [openDraft] alone read it.
var flowColumns = []string{
	entflow.FieldID, entflow.FieldCreatedAt, entflow.FieldArchivedAt, entflow.FieldAppID, entflow.FieldName,
	entflow.FieldDraftRevision, entflow.FieldPublishRequest, entflow.FieldUpdatedAt,
}

// Draft is a draft as an editor reads it.
type Draft struct {
	FlowID   uuid.UUID
	Name     string // of the flow
	Revision int
	// Document is canonical JSON: migrated, and every node has an id of its own (edit.Open).
	Document json.RawMessage
	CanEdit  bool // the caller, now
}

// OpenDraft reads the draft of a flow for an editor.
func (s *Studio) OpenDraft(ctx context.Context, id uuid.UUID) (*Draft, error) {
	flow, err := s.readFlow(ctx, id)
	if err != nil {
		return nil, err
	}
	app := flow.Edges.App
	if err := account.AuthorizeApp(ctx, ownerOf(app), "flow", account.StudioRead); err != nil {
		return nil, err
	}
	open, err := s.drafts.take(ctx, id)
	if err != nil {
		return nil, err
	}
	defer s.drafts.give(id, open)
	text, err := open.read(ctx, s.client, id)
	if err != nil {
		return nil, err
	}
	editable := flow.ArchivedAt == nil && account.AuthorizeAppChange(ctx, ownerOf(app), "flow", account.FlowEdit) == nil
	return &Draft{FlowID: id, Name: flow.Name, Revision: open.revision, Document: text, CanEdit: editable}, nil
}

// readFlow reads a flow without its draft, and its app. The caller authorizes.
func (s *Studio) readFlow(ctx context.Context, id uuid.UUID) (*ent.Flow, error) {
	if _, err := account.From(ctx); err != nil {
		return nil, err
	}
	flow, err := s.client.Flow.Query().Where(entflow.ID(id)).WithApp().Select(flowColumns...).Only(ctx)
	if err != nil {
		return nil, readError(err, "flow")
	}
	return flow, nil
}

// ReadDrafts reads drafts as they are now, by flow: what was saved as a whole as it was saved, what was edited since as
// canonical JSON. Flows that do not exist are left out. The caller has authorized.
func (s *Studio) ReadDrafts(ctx context.Context, flows ...uuid.UUID) (map[uuid.UUID]json.RawMessage, error) {
	whole, err := s.client.Flow.Query().Where(entflow.IDIn(flows...), func(s *entsql.Selector) {
		stored, revision := s.C(entflow.FieldDraftStoredRevision), s.C(entflow.FieldDraftRevision)
		s.Where(entsql.Or(entsql.IsNull(stored), entsql.ColumnsEQ(stored, revision)))
	}).Select(entflow.FieldID, entflow.FieldDraft).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the drafts: %w", err)
	}
	drafts := make(map[uuid.UUID]json.RawMessage, len(flows))
	for _, flow := range whole {
		drafts[flow.ID] = flow.Draft
	}
	for _, id := range flows {
		if drafts[id] != nil {
			continue
		}
		draft, err := s.readEdited(ctx, id)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		drafts[id] = draft
	}
	return drafts, nil
}

// readEdited reads a draft that was edited since its checkpoint.
func (s *Studio) readEdited(ctx context.Context, id uuid.UUID) (json.RawMessage, error) {
	open, err := s.drafts.take(ctx, id)
	if err != nil {
		return nil, err
	}
	defer s.drafts.give(id, open)
	return open.read(ctx, s.client, id)
}

// ReadDraft reads the draft of one flow; the caller has authorized.
func (s *Studio) ReadDraft(ctx context.Context, flow uuid.UUID) (json.RawMessage, error) {
	drafts, err := s.ReadDrafts(ctx, flow)
	if err != nil {
		return nil, err
	}
	draft, ok := drafts[flow]
	if !ok {
		return nil, fault.Missing("flow")
	}
	return draft, nil
}

// eachRow calls fn at each row of an answer.
func eachRow(ctx context.Context, q querier, fn func(*sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// draftRow is what the row of a flow says of its draft.
type draftRow struct {
	// revision is the draft's, stored that of the checkpoint, unless an earlier version of the server saved since.
	revision, stored int
	archived         bool
	text             []byte // the checkpoint, when it was asked for
}

const draftRowSQL = `
	select draft_revision, coalesce(draft_stored_revision, draft_revision), archived_at is not null, `

// readDraftRow reads the row by what follows draftRowSQL. Its error is a fault when the flow does not exist.
func readDraftRow(ctx context.Context, q querier, flow uuid.UUID, rest string) (draftRow, error) {
	var row draftRow
	found := false
	err := eachRow(ctx, q, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(&row.revision, &row.stored, &row.archived, &row.text)
	}, draftRowSQL+rest, flow)
	if err == nil && !found {
		return row, fault.Missing("flow")
	}
	if err != nil {
		return row, fmt.Errorf("read the draft: %w", err)
	}
	return row, nil
}

// lockDraft reads the row and keeps others from editing, saving and publishing until the transaction ends.
func lockDraft(ctx context.Context, tx *ent.Tx, flow uuid.UUID) (draftRow, error) {
	return readDraftRow(ctx, tx, flow, `null::jsonb from flows where id = $1 for no key update`)
}

// read returns the canonical JSON of a draft as it is now. The caller has the turn of the open draft.
func (d *openDraft) read(ctx context.Context, q querier, flow uuid.UUID) (json.RawMessage, error) {
	row, err := readDraftRow(ctx, q, flow, `null::jsonb from flows where id = $1`)
	if err != nil {
		return nil, err
	}
	if err := d.follow(ctx, q, flow, row); err != nil {
		return nil, err
	}
	return d.canonical(flow)
}

// canonical writes the document with the flow's id and the revision in it.
func (d *openDraft) canonical(flow uuid.UUID) (json.RawMessage, error) {
	d.document.Stamp(flow.String(), d.revision)
	text, err := d.document.Canonical()
	if err != nil {
		return nil, fmt.Errorf("write the draft: %w", err)
	}
	d.size = len(text)
	return text, nil
}

// follow brings the document to the revision of a row, or a later one: from where it is by the edits that came since,
// or from the checkpoint. After an error the document is not kept.
func (d *openDraft) follow(ctx context.Context, q querier, flow uuid.UUID, row draftRow) error {
	if d.document != nil && d.revision == row.revision {
		return nil
	}
	known := d.document
	if known != nil && d.revision < row.revision {
		d.document = nil
		edits, from, err := readSteps(ctx, q, flow, d.revision, row.revision)
		if err != nil {
			return err
		}
		if from == d.revision {
			return d.replay(known, edits, row.revision)
		}
	}
	d.document = nil
	// In one statement: another server may write a checkpoint at any time.
	row, err := readDraftRow(ctx, q, flow, `draft from flows where id = $1`)
	if err != nil {
		return err
	}
	edits, from, err := readSteps(ctx, q, flow, row.stored, row.revision)
	if err != nil {
		return err
	}
	document, _, err := edit.Open(row.text)
	if err != nil {
		return fault.Wrap(err, DraftInvalid, "the draft is no document that can be edited")
	}
	d.revision, d.size = from, len(row.text)
	return d.replay(document, edits, row.revision)
}

// replay applies edits that were applied before, which can't be refused.
func (d *openDraft) replay(document *edit.Document, edits [][]edit.Step, revision int) error {
	for i, steps := range edits {
		for _, step := range steps {
			if _, refusal := document.Apply(step); refusal != nil {
				return fmt.Errorf("replay edit %d of %d up to revision %d: %w", i+1, len(edits), revision, refusal)
			}
			d.size += grows(step)
		}
	}
	d.document, d.revision = document, revision
	return nil
}

// readSteps reads the edits after a revision and up to another. It returns those that follow each other without a gap,
// and the revision before the first of them: a later one than was asked for when a draft was saved as a whole between.
func readSteps(ctx context.Context, q querier, flow uuid.UUID, after, upTo int) ([][]edit.Step, int, error) {
	var edits [][]edit.Step
	from, last := after, after
	err := eachRow(ctx, q, func(rows *sql.Rows) error {
		var revision int
		var text []byte
		if err := rows.Scan(&revision, &text); err != nil {
			return err
		}
		var steps []edit.Step
		if err := json.Unmarshal(text, &steps); err != nil {
			return err
		}
		if revision != last+1 {
			edits, from = nil, revision-1
		}
		edits, last = append(edits, steps), revision
		return nil
	}, `select revision, steps from flow_edit where flow_id = $1 and revision > $2 and revision <= $3 order by revision`,
		flow, after, upTo)
	if err != nil {
		return nil, 0, fmt.Errorf("read the edits: %w", err)
	}
	if last != upTo {
		return nil, upTo, nil
	}
	return edits, from, nil
}
