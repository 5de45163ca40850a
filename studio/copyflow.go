package studio

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/mediaasset"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/studio/bundle"
)

// CopiedFlow is a flow that was made of one of elsewhere.
type CopiedFlow struct {
	Flow *ent.Flow
	// FontsAdded are the fonts that the branding of the app has got with it, by name.
	FontsAdded []string
	// Missing is what the flow names and its app does not have.
	Missing []MissingPart
}

// flowCopy is a flow on its way to an app.
type flowCopy struct {
	id    uuid.UUID
	name  string
	draft json.RawMessage
	// files become part of the library, by the ids that the draft has. The others are of the library already.
	files map[uuid.UUID]*keptFile
	// fonts are those of the branding that it comes from.
	fonts []FontFamily
	// fontFiles become part of the library with the fonts that are added, by the ids of styles.
	fontFiles map[uuid.UUID]*keptFile
	gradients []bundle.Gradient
	// components are those that the draft has instances of, as they are where it comes from.
	components []bundle.Component
}

// CopyFlow makes a flow of another app of the same workspace from a flow's draft. An empty name is that of the flow.
// Fonts that the branding of the app lacks are added to it when the caller may change it.
func (s *Studio) CopyFlow(ctx context.Context, id, into uuid.UUID, name string) (*CopiedFlow, error) {
	source, err := s.readFlow(ctx, id)
	if err != nil {
		return nil, err
	}
	from := source.Edges.App
	if err := account.AuthorizeApp(ctx, ownerOf(from), "flow", account.StudioRead); err != nil {
		return nil, err
	}
	to, err := s.findApp(ctx, into, account.FlowEdit)
	if err != nil {
		return nil, err
	}
	if from.WorkspaceID != to.WorkspaceID {
		return nil, fault.Invalid("appId", "is an app of another workspace: export the flow, and import the file there")
	}
	if name == "" {
		name = source.Name
	}
	if name, err = validate.Name("name", name); err != nil {
		return nil, err
	}
	copying := flowCopy{id: uuid.Must(uuid.NewV7()), name: name}
	draft, err := s.ReadDraft(ctx, id)
	if err != nil {
		return nil, err
	}
	if copying.draft, err = setFlowVersion("draft", draft, copying.id, 1); err != nil {
		return nil, err
	}
	if copying.components, err = s.componentsOf(ctx, from.ID, copying.draft); err != nil {
		return nil, err
	}
	names, err := bundle.NamesOf(withTrees(copying.draft, copying.components)...)
	if err != nil {
		return nil, err
	}
	brand, err := s.ReadBranding(ctx, from)
	if err != nil {
		return nil, err
	}
	copying.fonts, copying.gradients = namedFonts(brand, names), namedGradients(brand, names)
	return s.storeCopy(ctx, to, copying, record{
		to.WorkspaceID, "flow.copy", copying.id.String(), map[string]any{"from": id, "name": name},
	})
}

// storeCopy stores a flow, the files that it brings and the fonts that its app lacks, in one transaction.
func (s *Studio) storeCopy(ctx context.Context, app *ent.App, copying flowCopy, entry record) (*CopiedFlow, error) {
	made := &CopiedFlow{FontsAdded: []string{}, Missing: []MissingPart{}}
	may := s.mayAddFonts(ctx, app.WorkspaceID)
	store := func(tx *ent.Tx) error {
		draft, err := made.take(ctx, tx, app, &copying, may)
		if err != nil {
			return err
		}
		made.Flow, err = tx.Flow.Create().SetID(copying.id).SetAppID(app.ID).SetName(copying.name).SetDraft(draft).Save(ctx)
		if err != nil {
			return fmt.Errorf("store the flow: %w", err)
		}
		return nil
	}
	if may {
		return made, s.transactAndDeliver(ctx, app.ID, entry, store)
	}
	return made, s.transact(ctx, entry, store)
}

// take stores what a flow brings to an app, and returns its draft with the names that all has there.
func (c *CopiedFlow) take(
	ctx context.Context, tx *ent.Tx, app *ent.App, copying *flowCopy, mayAddFonts bool,
) (json.RawMessage, error) {
	names, err := bundle.NamesOf(withTrees(copying.draft, copying.components)...)
	if err != nil {
		return nil, err
	}
	brand, err := lockBranding(ctx, tx, app.ID)
	if err != nil {
		return nil, err
	}
	gradients, missing := matchGradients(brand, names.Gradients, copying.gradients)
	c.Missing = missing
	files, err := storeFiles(ctx, tx, app.WorkspaceID, copying.files)
	if err != nil {
		return nil, err
	}
	draft, err := copying.draftOf(files, gradients)
	if err != nil {
		return nil, err
	}
	if draft, err = linkComponents(ctx, tx, app, draft, copying.components, files, gradients); err != nil {
		return nil, err
	}
	if err := c.addFonts(ctx, tx, app, brand, copying, mayAddFonts); err != nil {
		return nil, err
	}
	return draft, c.missFiles(ctx, tx, app.WorkspaceID, draft)
}

// addFonts adds to a brand what it lacks, or says what that is where the caller may not change it.
func (c *CopiedFlow) addFonts(
	ctx context.Context, tx *ent.Tx, app *ent.App, brand *Branding, copying *flowCopy, may bool,
) error {
	for _, family := range copying.fonts {
		if brand.familyOf(family.Name) != nil {
			continue
		}
		if !may {
			c.Missing = append(c.Missing, MissingPart{FontPart, family.Name})
			continue
		}
		family.ID, family.Styles = uuid.Nil, slices.Clone(family.Styles)
		for i := range family.Styles {
			style := &family.Styles[i]
			if kept := copying.fontFiles[style.ID]; kept != nil {
				asset, err := kept.store(ctx, tx, app.WorkspaceID)
				if err != nil {
					return err
				}
				style.MediaAssetID = &asset.ID
			}
			style.ID = uuid.Nil
		}
		brand.FontFamilies = append(brand.FontFamilies, family)
		c.FontsAdded = append(c.FontsAdded, family.Name)
	}
	if len(c.FontsAdded) == 0 {
		return nil
	}
	brand.setDefaults()
	data, err := json.Marshal(brand)
	if err != nil {
		return fmt.Errorf("write the branding: %w", err)
	}
	if err := checkFonts(ctx, tx, app.WorkspaceID, brand); err != nil {
		return err
	}
	if err := storeBranding(ctx, tx, app.ID, data); err != nil {
		return err
	}
	if err := account.Record(ctx, tx, app.WorkspaceID, "branding.update", app.ID.String(), nil); err != nil {
		return err
	}
	return raiseAll(ctx, tx, "branding", channelsOfApp(app.ID))
}

// missFiles says which files the library does not have.
func (c *CopiedFlow) missFiles(ctx context.Context, tx *ent.Tx, workspace uuid.UUID, draft json.RawMessage) error {
	names, err := bundle.NamesOf(draft)
	if err != nil {
		return err
	}
	known, err := tx.MediaAsset.Query().
		Where(mediaasset.IDIn(names.Media...), mediaasset.WorkspaceID(workspace)).IDs(ctx)
	if err != nil {
		return fmt.Errorf("look up the files of the flow: %w", err)
	}
	for _, id := range names.Media {
		if !slices.Contains(known, id) {
			c.Missing = append(c.Missing, MissingPart{FilePart, id.String()})
		}
	}
	return nil
}
