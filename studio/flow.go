package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/flowversion"
	"github.com/svc-dev/svc/ent/variant"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/manifest"
)

// findFlow reads a flow without its draft, and its app, for a caller with the capability.
func (s *Studio) findFlow(
	ctx context.Context, id uuid.UUID, capability account.Capability,
) (*ent.App, *ent.Flow, error) {
	flow, err := s.readFlow(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	app := flow.Edges.App
	return app, flow, account.AuthorizeAppChange(ctx, ownerOf(app), "flow", capability)
}

// blankDraft returns where a flow starts: a valid draft without a screen.
func blankDraft(id uuid.UUID) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(
		`{"flowId":%q,"schemaVersion":7,"version":1,"defaultLocale":"en","locales":["en"],"entryScreenId":null,`+
			`"screens":[],"decisionNodes":[],"externalSurfaceNodes":[],"sdkAttributeKeys":[]}`, id))
}

// CreateFlow makes a flow with a blank draft, or with the given manifest, which
// must be valid.
func (s *Studio) CreateFlow(ctx context.Context, app uuid.UUID, name string, from json.RawMessage) (*ent.Flow, error) {
	a, err := s.findApp(ctx, app, account.FlowEdit)
	if err != nil {
		return nil, err
	}
	if name, err = validate.Name("name", name); err != nil {
		return nil, err
	}
	return s.createFlow(ctx, a, name, func(*ent.Tx) (json.RawMessage, error) { return from, nil })
}

// createFlow makes a flow of a manifest, which is made in the transaction that keeps the flow; nil makes a blank one.
func (s *Studio) createFlow(
	ctx context.Context, app *ent.App, name string, manifestIn func(tx *ent.Tx) (json.RawMessage, error),
) (*ent.Flow, error) {
	id := uuid.Must(uuid.NewV7())
	var flow *ent.Flow
	err := s.transact(ctx, record{
		app.WorkspaceID, "flow.create", id.String(), map[string]any{"name": name},
	}, func(tx *ent.Tx) error {
		from, err := manifestIn(tx)
		if err != nil {
			return err
		}
		draft, err := firstDraft(id, from)
		if err != nil {
			return err
		}
		flow, err = tx.Flow.Create().SetID(id).SetAppID(app.ID).SetName(name).SetDraft(draft).Save(ctx)
		if err != nil {
			return fmt.Errorf("store the flow: %w", err)
		}
		return nil
	})
	return flow, err
}

// firstDraft returns a manifest, which must be valid, as the draft of a new flow, or a blank one for nil.
func firstDraft(id uuid.UUID, from json.RawMessage) (json.RawMessage, error) {
	if from == nil {
		return blankDraft(id), nil
	}
	stamped, err := setFlowVersion("manifest", from, id, 1)
	if err != nil {
		return nil, err
	}
	parsed, problems := manifest.Parse(stamped)
	if parsed == nil {
		return nil, rejectManifest(fault.InvalidInput, "manifest", "the manifest is not valid", problems)
	}
	return parsed.JSON(), nil
}

// rejectManifest makes an error that lists the problems of a manifest.
func rejectManifest(code fault.Code, field, message string, problems []manifest.Problem) error {
	refused := fault.New(code, "%s", message)
	refused.Field = field
	refused.Details = map[string]any{"problems": problems}
	return refused
}

// setFlowVersion writes a flow's own id and the version number into a manifest, so that
// an imported or duplicated one can't claim to be another flow.
func setFlowVersion(field string, raw json.RawMessage, flow uuid.UUID, number int) (json.RawMessage, error) {
	if len(raw) > manifest.MaxBytes {
		return nil, fault.Invalid(field, "has more than %d bytes", manifest.MaxBytes)
	}
	var document map[string]json.RawMessage
	if err := json.Unmarshal(raw, &document); err != nil || document == nil {
		return nil, fault.Invalid(field, "must be a JSON object")
	}
	if bytes.Contains(raw, []byte(`\u0000`)) {
		return nil, fault.Invalid(field, "holds a NUL character")
	}
	document["flowId"] = json.RawMessage(fmt.Sprintf("%q", flow))
	document["version"] = json.RawMessage(fmt.Sprint(number))
	stamped, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("write the manifest: %w", err)
	}
	return stamped, nil
}

// changeFlow changes the row of a flow and returns it without its draft.
func changeFlow(
	ctx context.Context, tx *ent.Tx, id uuid.UUID, change func(*ent.FlowUpdateOne),
) (*ent.Flow, error) {
	update := tx.Flow.UpdateOneID(id)
	change(update)
	flow, err := update.Select(flowColumns[0], flowColumns[1:]...).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("store the flow: %w", err)
	}
	return flow, nil
}

// RenameFlow changes a flow's name.
func (s *Studio) RenameFlow(ctx context.Context, id uuid.UUID, name string) (*ent.Flow, error) {
	app, flow, err := s.findFlow(ctx, id, account.FlowEdit)
	if err != nil {
		return nil, err
	}
	if name, err = validate.Name("name", name); err != nil {
		return nil, err
	}
	err = s.transact(ctx, record{
		app.WorkspaceID, "flow.rename", id.String(), map[string]any{"name": name},
	}, func(tx *ent.Tx) error {
		flow, err = changeFlow(ctx, tx, id, func(u *ent.FlowUpdateOne) { u.SetName(name) })
		return err
	})
	return flow, err
}

// ArchiveFlow hides a flow. One that a channel or an open experiment serves is
// kept: code conflict.
func (s *Studio) ArchiveFlow(ctx context.Context, id uuid.UUID) (*ent.Flow, error) {
	app, flow, err := s.findFlow(ctx, id, account.FlowEdit)
	if err != nil || flow.ArchivedAt != nil {
		return flow, err
	}
	err = s.transact(ctx, record{app.WorkspaceID, "flow.archive", id.String(), nil}, func(tx *ent.Tx) error {
		mine := flowversion.FlowID(id)
		served, err := tx.Channel.Query().
			Where(
				channel.ArchivedAtIsNil(), channel.AssignmentEQ(channel.AssignmentDirect), channel.HasFlowVersionWith(mine),
			).Exist(ctx)
		if err != nil {
			return fmt.Errorf("look for channels of the flow: %w", err)
		}
		tested, err := tx.Variant.Query().Where(
			variant.HasFlowVersionWith(mine), variant.HasExperimentWith(servingExperiments()),
		).Exist(ctx)
		if err != nil {
			return fmt.Errorf("look for experiments of the flow: %w", err)
		}
		if served || tested {
			return fault.New(fault.Conflict, "a channel serves this flow; assign another version first")
		}
		flow, err = changeFlow(ctx, tx, id, func(u *ent.FlowUpdateOne) { u.SetArchivedAt(s.now()) })
		return err
	})
	return flow, err
}

// UnarchiveFlow brings a flow back.
func (s *Studio) UnarchiveFlow(ctx context.Context, id uuid.UUID) (*ent.Flow, error) {
	app, flow, err := s.findFlow(ctx, id, account.FlowEdit)
	if err != nil || flow.ArchivedAt == nil {
		return flow, err
	}
	err = s.transact(ctx, record{app.WorkspaceID, "flow.unarchive", id.String(), nil}, func(tx *ent.Tx) error {
		flow, err = changeFlow(ctx, tx, id, func(u *ent.FlowUpdateOne) { u.ClearArchivedAt() })
		return err
	})
	return flow, err
}

// DuplicateFlow makes a new flow from a flow's draft. An empty name becomes
// "… copy".
func (s *Studio) DuplicateFlow(ctx context.Context, id uuid.UUID, name string) (*ent.Flow, error) {
	app, flow, err := s.findFlow(ctx, id, account.FlowEdit)
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = string([]rune(flow.Name)[:min(len([]rune(flow.Name)), 115)]) + " copy"
	}
	if name, err = validate.Name("name", name); err != nil {
		return nil, err
	}
	duplicate := uuid.Must(uuid.NewV7())
	draft, err := s.ReadDraft(ctx, id)
	if err != nil {
		return nil, err
	}
	if draft, err = setFlowVersion("draft", draft, duplicate, 1); err != nil {
		return nil, err
	}
	err = s.transact(ctx, record{
		app.WorkspaceID, "flow.duplicate", duplicate.String(), map[string]any{"from": id},
	}, func(tx *ent.Tx) error {
		flow, err = tx.Flow.Create().SetID(duplicate).SetAppID(app.ID).SetName(name).SetDraft(draft).Save(ctx)
		if err != nil {
			return fmt.Errorf("store the flow: %w", err)
		}
		return nil
	})
	return flow, err
}
