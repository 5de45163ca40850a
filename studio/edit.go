package studio

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/edit"
	"github.com/svc-dev/svc/postgres/transaction"
)

// Why a batch of edits is not applied.
const (
	// ClientReused is a sequence that the client used for other steps.
	ClientReused fault.Code = "client_reused"
	// SequenceGap is a sequence that is not the next of the client.
	SequenceGap fault.Code = "sequence_gap"
)

// Limits of a batch.
const (
	MaxEditOperations = 200
	MaxEditBytes      = 256 << 10
	maxStepName       = 200 // characters
	// editsPerMinute of one client: 20 a second.
	editsPerMinute = 20 * 60
)

// Edit is a batch of steps on a draft.
type Edit struct {
	FlowID       uuid.UUID
	BaseRevision int // that the steps were made from
	ClientID     uuid.UUID
	Sequence     int // of the client's batches, from 1
	Steps        []edit.Step
	// Malformed is why the steps could not be read, for those who may edit; nil when they could.
	Malformed error
}

// Edited is what came of a batch.
type Edited struct {
	Revision int
	Outcomes []*StepOutcome // one for each step
	// Others are the edits between the base and Revision; Reset says that they can't say what came between.
	Others []*DraftEdit
	Reset  bool
}

// StepOutcome is what came of a step: it as it was applied and its inverse, or why it was refused.
type StepOutcome struct {
	Step    json.RawMessage // an edit.Step
	Inverse json.RawMessage // a list of edit.Operation
	Refusal *EditRefusal
}

// EditRefusal is why a step was refused.
type EditRefusal struct {
	Code string  `json:"code"` // an edit.Code
	Node string  `json:"node"`
	By   *string `json:"by,omitempty"` // the name of who removed the node; nil when nobody did
}

// refusedStep is an entry of flow_edit.refused.
type refusedStep struct {
	Index int `json:"index"`
	EditRefusal
}

// EditDraft applies steps to the draft of a flow behind those of others, and returns when they are kept. A batch that
// was sent before is answered as the first time. Its errors are faults: conflict for an archived flow, ClientReused,
// SequenceGap, rate_limited, and invalid input, which names the field.
func (s *Studio) EditDraft(ctx context.Context, e Edit) (*Edited, error) {
	app, flow, err := s.findFlow(ctx, e.FlowID, account.FlowEdit)
	if err != nil {
		return nil, err
	}
	if flow.ArchivedAt != nil {
		return nil, fault.New(fault.Conflict, "the flow is archived")
	}
	digest, err := e.check()
	if err != nil {
		return nil, err
	}
	if !s.edits.Allow(e.ClientID.String()) {
		return nil, fault.Limited(time.Second, "more than %d batches of edits per second", editsPerMinute/60)
	}
	var answer *Edited
	err = s.changeDraft(ctx, app, e.FlowID, func(c *draftChange) error {
		if answer, err = c.repeated(ctx, e, digest); err != nil || answer != nil {
			return err
		}
		if e.BaseRevision > c.row.revision {
			return fault.Invalid("baseRevision", "the draft is at revision %d", c.row.revision)
		}
		if err := c.open.follow(ctx, c.tx, e.FlowID, c.row); err != nil {
			return err
		}
		if e.Steps, err = c.rewrite(ctx, e); err != nil {
			return err
		}
		answer, err = c.apply(ctx, e, digest)
		return err
	})
	if err != nil {
		return nil, err
	}
	answer.Others, answer.Reset, err = readOthers(ctx, s.client, e.FlowID, e.BaseRevision, answer.Revision)
	return answer, err
}

// check checks a batch by itself and returns its digest.
func (e *Edit) check() ([]byte, error) {
	if e.Malformed != nil {
		return nil, e.Malformed
	}
	if e.BaseRevision < 1 {
		return nil, fault.Invalid("baseRevision", "must be 1 or more")
	}
	if e.Sequence < 1 {
		return nil, fault.Invalid("sequence", "must be 1 or more")
	}
	if len(e.Steps) == 0 || len(e.Steps) > MaxEditOperations {
		return nil, fault.Invalid("steps", "must be 1 to %d", MaxEditOperations)
	}
	operations := 0
	for i, step := range e.Steps {
		if utf8.RuneCountInString(step.Name) > maxStepName {
			return nil, fault.Invalid(fmt.Sprintf("steps.%d.name", i), "has more than %d characters", maxStepName)
		}
		if len(step.Operations) == 0 {
			return nil, fault.Invalid(fmt.Sprintf("steps.%d.operations", i), "is empty")
		}
		operations += len(step.Operations)
	}
	if operations > MaxEditOperations {
		return nil, fault.Invalid("steps", "has more than %d operations", MaxEditOperations)
	}
	text, err := json.Marshal(e.Steps)
	if err != nil {
		return nil, fmt.Errorf("write the steps: %w", err)
	}
	if len(text) > MaxEditBytes {
		return nil, fault.Invalid("steps", "has more than %d bytes", MaxEditBytes)
	}
	digest := sha256.Sum256(text)
	return digest[:], nil
}

// draftChange is a transaction that changes a draft: it has the lock on the flow's row and the turn of the document.
type draftChange struct {
	*Studio
	app  *ent.App
	flow uuid.UUID
	tx   *ent.Tx
	row  draftRow
	open *openDraft
}

// changeDraft runs work that changes a draft. The flow is not archived then.
func (s *Studio) changeDraft(
	ctx context.Context, app *ent.App, flow uuid.UUID, work func(c *draftChange) error,
) error {
	open, err := s.drafts.take(ctx, flow)
	if err != nil {
		return err
	}
	defer s.drafts.give(flow, open)
	committed := false
	defer func() {
		if !committed { // they may have what the database has not
			open.document, open.recorded = nil, map[uuid.UUID]time.Time{}
		}
	}()
	err = transaction.Run(ctx, s.client, func(tx *ent.Tx) error {
		row, err := lockDraft(ctx, tx, flow)
		if err != nil {
			return err
		}
		if row.archived {
			return fault.New(fault.Conflict, "the flow is archived")
		}
		return work(&draftChange{s, app, flow, tx, row, open})
	})
	committed = err == nil && !transaction.IsDryRun(ctx)
	return err
}

// repeated returns the answer of a batch that was sent before; nil when it is the next of its client.
func (c *draftChange) repeated(ctx context.Context, e Edit, digest []byte) (*Edited, error) {
	var known, previous bool
	var answer Edited
	var steps []json.RawMessage
	var inverse []json.RawMessage
	var refused []refusedStep
	err := eachRow(ctx, c.tx, func(rows *sql.Rows) error {
		var sequence int
		var sent, a, b, r []byte
		if err := rows.Scan(&sequence, &answer.Revision, &sent, &a, &b, &r); err != nil {
			return err
		}
		if sequence != e.Sequence {
			previous = true
			return nil
		}
		known = true
		if string(sent) != string(digest) {
			return fault.New(ClientReused, "the client has sent other steps with this sequence")
		}
		for text, into := range map[*[]byte]any{&a: &steps, &b: &inverse, &r: &refused} {
			if err := json.Unmarshal(*text, into); err != nil {
				return err
			}
		}
		return nil
	}, `select sequence, revision, digest, s.steps, s.inverse, s.refused
		from flow_edit e left join lateral (select e.steps, e.inverse, e.refused where e.sequence = $3) s on true
		where flow_id = $1 and client_id = $2 and sequence in ($3, $3 - 1) order by sequence`,
		c.flow, e.ClientID, e.Sequence)
	switch {
	case fault.Is(err, ClientReused):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("read the edits of the client: %w", err)
	case known:
		answer.Outcomes = outcomesOf(steps, inverse, refused)
		return &answer, nil
	case e.Sequence > 1 && !previous:
		return nil, fault.New(SequenceGap, "the sequence is not the next of the client")
	}
	return nil, nil
}

// outcomesOf puts what was applied and what was refused into the order in which they were sent.
func outcomesOf(steps, inverse []json.RawMessage, refused []refusedStep) []*StepOutcome {
	outcomes := make([]*StepOutcome, len(steps)+len(refused))
	for i := range refused {
		outcomes[refused[i].Index] = &StepOutcome{Refusal: &refused[i].EditRefusal}
	}
	next := 0
	for i := range outcomes {
		if outcomes[i] == nil {
			outcomes[i] = &StepOutcome{Step: steps[next], Inverse: inverse[next]}
			next++
		}
	}
	return outcomes
}

// apply applies a batch to the document and keeps it as the next revision.
func (c *draftChange) apply(ctx context.Context, e Edit, digest []byte) (*Edited, error) {
	made := newStoredEdit()
	for i, step := range e.Steps {
		if step.Name == "" {
			step.Name = c.open.document.Describe(step.Operations)
		}
		applied, refusal := c.open.apply(step)
		if refusal == nil {
			if err := made.add(applied); err != nil {
				return nil, err
			}
			continue
		}
		by, err := c.removedBy(ctx, refusal, made.removed)
		if err != nil {
			return nil, err
		}
		made.refused = append(made.refused, refusedStep{i, EditRefusal{string(refusal.Code), refusal.Node, by}})
	}
	if err := c.store(ctx, e, digest, made); err != nil {
		return nil, err
	}
	return &Edited{Revision: c.row.revision, Outcomes: outcomesOf(made.steps, made.inverse, made.refused)}, nil
}

// apply applies a step within the size that a manifest may have.
func (d *openDraft) apply(step edit.Step) (*edit.Applied, *edit.Refusal) {
	growth := grows(step)
	if growth > 0 && d.size+growth > manifest.MaxBytes {
		if text, err := d.document.Canonical(); err == nil {
			d.size = len(text) // what was removed did not count
		}
		if d.size+growth > manifest.MaxBytes {
			return nil, &edit.Refusal{Code: edit.OverLimit, Node: edit.FlowNode}
		}
	}
	applied, refusal := d.document.Apply(step)
	if refusal == nil {
		d.size += growth
	}
	return applied, refusal
}

// grows returns by how many bytes of JSON a step makes a document longer at most, keys that are renamed left out.
func grows(step edit.Step) int {
	bytes := 0
	for _, o := range step.Operations {
		if o.Op == edit.Set || o.Op == edit.Insert {
			text, err := json.Marshal(o)
			if err == nil {
				bytes += len(text)
			}
		}
	}
	return bytes
}
