package studio

import (
	"context"
	"encoding/json"
	"io"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/appchange"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/studio/bundle"
)

// FlowContent is what a flow without screens is filled with: one of them.
type FlowContent struct {
	Manifest json.RawMessage
	Template *FromTemplate
	File     io.Reader // an exported flow
}

func (c FlowContent) check() error {
	given := 0
	for _, has := range []bool{c.Manifest != nil, c.Template != nil, c.File != nil} {
		if has {
			given++
		}
	}
	if given != 1 {
		return fault.Invalid("manifest", "give one of manifest, template and file")
	}
	return nil
}

// FillFlow makes the draft of a flow that has no screens. Files, fonts and gradients are treated as
// [Studio.CreateFlowFromTemplate] and [Studio.ImportFlow] treat them. It is an edit, which editors who are at work
// follow. A flow with screens is a conflict.
func (s *Studio) FillFlow(ctx context.Context, id uuid.UUID, from FlowContent) (*CopiedFlow, error) {
	app, _, err := s.findFlow(ctx, id, account.FlowEdit)
	if err != nil {
		return nil, err
	}
	if err := from.check(); err != nil {
		return nil, err
	}
	filled := &CopiedFlow{FontsAdded: []string{}, Missing: []MissingPart{}}
	switch {
	case from.File != nil:
		err = s.readBundle(ctx, app, from.File, func(read *bundle.Bundle) error {
			return s.fillFromBundle(ctx, app, id, read, filled)
		})
	case from.Template != nil:
		var made func(*ent.Tx) (json.RawMessage, error)
		if made, err = s.prepareTemplate(ctx, app, *from.Template); err == nil {
			err = s.fill(ctx, app, id, made)
		}
	default:
		err = s.fill(ctx, app, id, func(*ent.Tx) (json.RawMessage, error) { return from.Manifest, nil })
	}
	if err != nil {
		return nil, err
	}
	filled.Flow, err = s.readFlow(ctx, id)
	return filled, err
}

func (s *Studio) fillFromBundle(
	ctx context.Context, app *ent.App, id uuid.UUID, read *bundle.Bundle, filled *CopiedFlow,
) error {
	copying, err := s.prepareBundle(ctx, app, id, read)
	if err != nil {
		return err
	}
	may := s.mayAddFonts(ctx, app.WorkspaceID)
	err = s.fill(ctx, app, id, func(tx *ent.Tx) (json.RawMessage, error) {
		draft, err := filled.take(ctx, tx, app, copying, may)
		if err != nil || !may {
			return draft, err
		}
		return draft, notify(ctx, tx, appchange.Of(app.ID))
	})
	if err == nil && may {
		s.refresh(ctx, app.ID)
	}
	return err
}

// fill makes a manifest the draft of a flow that has no screens. The manifest is made in the transaction that keeps it.
func (s *Studio) fill(
	ctx context.Context, app *ent.App, id uuid.UUID, manifestIn func(tx *ent.Tx) (json.RawMessage, error),
) error {
	return s.changeDraft(ctx, app, id, func(c *draftChange) error {
		if err := c.open.follow(ctx, c.tx, id, c.row); err != nil {
			return err
		}
		if c.open.document.HasScreens() {
			return fault.New(fault.Conflict, "the flow has screens")
		}
		from, err := manifestIn(c.tx)
		if err != nil {
			return err
		}
		draft, err := setFlowVersion("manifest", from, id, c.row.revision+1)
		if err != nil {
			return err
		}
		parsed, problems := manifest.Parse(draft)
		if parsed == nil {
			return rejectManifest(fault.InvalidInput, "manifest", "the manifest is not valid", problems)
		}
		_, err = c.save(ctx, parsed.JSON())
		return err
	})
}
