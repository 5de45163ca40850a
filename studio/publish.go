package studio

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/delivery/integration"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/branding"
	"github.com/svc-dev/svc/ent/flowversion"
	"github.com/svc-dev/svc/ent/mediaasset"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/manifest"
)

// Published is a new version with the warnings of the publish gates.
type Published struct {
	Version  *ent.FlowVersion
	Warnings []manifest.Problem
}

// Publish makes the next numbered, immutable version of a flow from its draft.
// A draft that does not pass the gates of manifest.md §12 fails with code
// publish_blocked and the problems, by names, in the details. Publishing changes nothing
// for users: a channel serves the version when it is pinned.
func (s *Studio) Publish(ctx context.Context, id uuid.UUID, label string) (*Published, error) {
	return s.PublishRevision(ctx, id, nil, label)
}

// PublishRevision is [Studio.Publish] of a draft that was reviewed: when it is at
// another revision by now, it fails with code conflict and the current revision in
// the details. Nil is any revision.
func (s *Studio) PublishRevision(
	ctx context.Context, id uuid.UUID, revision *int, label string,
) (*Published, error) {
	app, flow, err := s.findFlow(ctx, id, account.FlowPublish)
	if err != nil {
		return nil, err
	}
	label = strings.TrimSpace(label)
	if err := validate.Input(struct {
		Label string `json:"label" validate:"utf16max=120"`
	}{label}); err != nil {
		return nil, err
	}
	p, err := account.From(ctx)
	if err != nil {
		return nil, err
	}
	published := &Published{}
	// The lock makes numbers gapless and keeps an edit from slipping in between.
	err = s.changeDraft(ctx, app, id, func(c *draftChange) error {
		if revision != nil && *revision != c.row.revision {
			return staleRevision(c.row.revision, "the draft was changed meanwhile: it is at revision %d, %d was reviewed",
				c.row.revision, *revision)
		}
		number := 1
		latest, err := c.tx.FlowVersion.Query().Where(flowversion.FlowID(id)).
			Order(flowversion.ByNumber(descending)).Select(flowversion.FieldNumber).First(ctx)
		switch {
		case err == nil:
			number = latest.Number + 1
		case !ent.IsNotFound(err):
			return fmt.Errorf("read the latest version: %w", err)
		}
		if flow.Draft, err = c.text(ctx); err != nil {
			return err
		}
		parsed, problems, err := s.checkForPublishing(ctx, c.tx, app, flow, number)
		if err != nil {
			return err
		}
		if parsed == nil {
			return blockedBy(flow.Draft, problems)
		}
		content := parsed.JSON()
		sum := sha256.Sum256(content)
		published.Version, err = c.tx.FlowVersion.Create().
			SetFlowID(id).SetNumber(number).SetLabel(label).
			SetManifest(content).SetChecksum(hex.EncodeToString(sum[:])).SetCreatedBy(p.UserID).
			Save(ctx)
		if err != nil {
			return fmt.Errorf("store the version: %w", err)
		}
		if err := nameSteps(ctx, c.tx, app.ID, parsed); err != nil {
			return err
		}
		published.Warnings = problems
		if _, err := changeFlow(ctx, c.tx, id, func(u *ent.FlowUpdateOne) { u.ClearPublishRequest() }); err != nil {
			return err
		}
		return account.Record(ctx, c.tx, app.WorkspaceID, "flow.publish", id.String(), map[string]any{
			"number": number, "version": published.Version.ID, "revision": c.row.revision,
		})
	})
	if err != nil {
		return nil, err
	}
	return published, nil
}

// CheckDraft runs the publish gates on a flow's draft without publishing it.
func (s *Studio) CheckDraft(ctx context.Context, flow *ent.Flow) ([]manifest.Problem, error) {
	app, err := s.readApp(ctx, flow.AppID, account.StudioRead)
	if err != nil {
		return nil, err
	}
	tx, err := s.client.Tx(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	_, problems, err := s.checkForPublishing(ctx, tx, app, flow, flow.DraftRevision)
	return problems, err
}

// checkForPublishing parses a flow's draft as the version with this number and runs every
// publish gate. The problems of a manifest that passed are warnings; it is nil when it did not.
func (s *Studio) checkForPublishing(
	ctx context.Context, tx *ent.Tx, app *ent.App, flow *ent.Flow, number int,
) (*manifest.Manifest, []manifest.Problem, error) {
	stamped, err := setFlowVersion("draft", flow.Draft, flow.ID, number)
	if err != nil {
		return nil, nil, err
	}
	parsed, problems := manifest.Parse(stamped)
	if parsed == nil {
		return nil, problems, nil
	}
	options, err := readPublishOptions(ctx, tx, app)
	if err != nil {
		return nil, nil, err
	}
	if options.Media, err = readMediaFiles(ctx, tx, app.WorkspaceID, parsed); err != nil {
		return nil, nil, err
	}
	problems = append(problems, manifest.CheckPublish(parsed, options)...)
	problems = append(problems, findUnknownMedia(parsed, options.Media)...)
	if manifest.Blocking(problems) {
		return nil, problems, nil
	}
	return parsed, problems, nil
}

// readPublishOptions returns what the gates need to know about the app and its plan.
func readPublishOptions(ctx context.Context, tx *ent.Tx, app *ent.App) (manifest.PublishOptions, error) {
	options := manifest.PublishOptions{GradientPresets: []string{}, Canvas: map[manifest.CanvasControl]bool{}}
	stored, err := tx.Branding.Query().Where(branding.AppID(app.ID)).Only(ctx)
	switch {
	case err == nil:
		var parsed Branding
		if err := json.Unmarshal(stored.Data, &parsed); err != nil {
			return options, fmt.Errorf("read the branding: %w", err)
		}
		for _, preset := range parsed.GradientPresets {
			options.GradientPresets = append(options.GradientPresets, preset.ID.String())
			if preset.Type == "radial" {
				options.RadialGradients = append(options.RadialGradients, preset.ID.String())
			}
		}
		for _, family := range parsed.FontFamilies {
			if slices.ContainsFunc(family.Styles, func(style FontStyle) bool {
				return style.MediaAssetID != nil || style.URL != ""
			}) {
				options.UploadedFonts = append(options.UploadedFonts, family.Name)
			}
		}
	case !ent.IsNotFound(err):
		return options, fmt.Errorf("read the branding: %w", err)
	}
	integrations := integration.Parse(app.Integrations)
	options.Integrations = map[manifest.Provider]bool{
		manifest.RevenueCat: integrations.RevenueCat.Enabled,
		manifest.Superwall:  integrations.Superwall.Enabled,
		manifest.Stripe:     integrations.Stripe.Enabled,
	}
	for control, on := range app.CanvasGates {
		options.Canvas[manifest.CanvasControl(control)] = on
	}
	bought, err := readPlan(ctx, tx.Subscription, app.WorkspaceID)
	if err != nil {
		return options, err
	}
	options.Plan = &manifest.PlanFeatures{
		Key:        bought.Key,
		Animations: bought.Has(plan.Animations), Translations: bought.Has(plan.Translations),
		Integrations: bought.Has(plan.Integrations),
	}
	return options, nil
}

// readMediaFiles returns the media assets that a manifest names and the workspace has.
func readMediaFiles(
	ctx context.Context, tx *ent.Tx, workspace uuid.UUID, parsed *manifest.Manifest,
) (map[string]manifest.MediaFile, error) {
	named := map[uuid.UUID][]string{}
	for _, text := range parsed.MediaAssetIDs() {
		if id, err := uuid.Parse(text); err == nil {
			named[id] = append(named[id], text)
		}
	}
	files := map[string]manifest.MediaFile{}
	if len(named) == 0 {
		return files, nil
	}
	known, err := tx.MediaAsset.Query().Where(
		mediaasset.WorkspaceID(workspace), mediaasset.IDIn(slices.Collect(maps.Keys(named))...),
	).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up media assets: %w", err)
	}
	for _, asset := range known {
		for _, text := range named[asset.ID] {
			files[text] = manifest.MediaFile{Name: asset.Name, Bytes: asset.SizeBytes}
		}
	}
	return files, nil
}

// findUnknownMedia reports media assets that the workspace does not have: a client
// could not show them.
func findUnknownMedia(parsed *manifest.Manifest, files map[string]manifest.MediaFile) []manifest.Problem {
	var problems []manifest.Problem
	for _, text := range parsed.MediaAssetIDs() {
		if _, ok := files[text]; !ok {
			problems = append(problems, manifest.Problem{
				Severity: manifest.Error, Code: "media.unknown_asset",
				Message: fmt.Sprintf("The media library has no asset %s.", text),
			})
		}
	}
	return problems
}
