package delivery

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/manifest"
)

// PreviewChannel is what documents of Preview have for the public id of a channel.
const PreviewChannel = "preview"

// Preview is a draft, or a version, that is shown before a channel serves it.
type Preview struct {
	FlowID uuid.UUID
	// VersionID is the zero UUID for a draft.
	VersionID uuid.UUID
	// Number is that of the version; of a draft, the number that it would be published under.
	Number   int
	Manifest *manifest.Manifest
}

// Preview returns the document of a preview as a channel of the tenant would serve it now: cut to the plan, with the
// app's branding and integrations. Nothing of it is kept. It is nil when the app does not exist any more.
func (c *Catalogue) Preview(ctx context.Context, tenant *Tenant, p Preview) (body *Body, err error) {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, c.pool, options, func(tx pgx.Tx) error {
		l := loader{tx: tx, mediaBase: c.options.MediaBase, logger: c.options.Logger}
		body, err = l.preview(ctx, tenant, p)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read what a preview shows: %w", err)
	}
	return body, nil
}

func (l *loader) preview(ctx context.Context, tenant *Tenant, p Preview) (*Body, error) {
	rows, err := l.readTenants(ctx, []uuid.UUID{tenant.AppID})
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(rows, func(row tenantRow) bool { return row.tenant.ID == tenant.ID })
	if at < 0 {
		return nil, nil
	}
	row := &rows[at]
	surroundings, err := l.surroundings(ctx, row)
	if err != nil {
		return nil, err
	}
	assets := assetIDs(p.Manifest)
	media, err := l.media(ctx, slices.Collect(maps.Values(assets)))
	if err != nil {
		return nil, fmt.Errorf("read media assets: %w", err)
	}
	text, _, err := cutOf(row.tenant.Plan).apply(p.Manifest, p.Manifest.JSON())
	if err != nil {
		return nil, err
	}
	content, err := contentText(Content{Manifest: text, MediaMap: l.mediaMap(assets, media, tenant.WorkspaceID)})
	if err != nil {
		return nil, err
	}
	start, err := headPart(Head{
		Kind: KindFlow, FlowID: p.FlowID, VersionID: p.VersionID, VersionNumber: p.Number,
		Environment: tenant.Kind, ChannelID: PreviewChannel,
	})
	if err != nil {
		return nil, err
	}
	// It is read once, which is not worth the time of compressing it well.
	return newBody(start, surroundings, storedPart(content)), nil
}
