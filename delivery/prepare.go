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

// versionsAtOnce bounds how many manifests are held in both their stored and
// their prepared form while a catalogue loads.
const versionsAtOnce = 64

// prepare makes sure that the wanted contents are there, as far as they exist.
func (l *loader) prepare(ctx context.Context, wanted []contentKey, owners map[uuid.UUID]uuid.UUID) error {
	missing := map[uuid.UUID][]contentCut{}
	for _, key := range wanted {
		if prepared := l.shared.get(key); prepared != nil {
			l.contents[key] = prepared
		}
		if l.contents[key] == nil && !slices.Contains(missing[key.version], key.slice) {
			missing[key.version] = append(missing[key.version], key.slice)
		}
	}
	ids := make([]uuid.UUID, 0, len(missing))
	for id := range missing {
		ids = append(ids, id)
	}
	for chunk := range slices.Chunk(ids, versionsAtOnce) {
		if err := l.prepareChunk(ctx, chunk, missing, owners); err != nil {
			return err
		}
	}
	return nil
}

type versionRow struct {
	version
	stored    []byte
	published *manifest.Manifest
}

func (l *loader) prepareChunk(
	ctx context.Context, ids []uuid.UUID, cuts map[uuid.UUID][]contentCut, owners map[uuid.UUID]uuid.UUID,
) error {
	rows, err := l.tx.Query(ctx, versionsSQL, ids)
	if err != nil {
		return err
	}
	versions, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (versionRow, error) {
		var v versionRow
		err := row.Scan(&v.id, &v.flowID, &v.appID, &v.number, &v.stored)
		return v, err
	})
	if err != nil {
		return err
	}
	var assets []uuid.UUID
	for i := range versions {
		row := &versions[i]
		if row.published, err = manifest.Open(row.stored); err != nil {
			l.unservable(ctx, row, err)
			continue
		}
		assets = slices.AppendSeq(assets, maps.Values(assetIDs(row.published)))
	}
	media, err := l.media(ctx, assets)
	if err != nil {
		return fmt.Errorf("read media assets: %w", err)
	}
	for i := range versions {
		row := &versions[i]
		if row.published == nil {
			continue
		}
		addresses := l.mediaMap(assetIDs(row.published), media, owners[row.appID])
		for _, cut := range cuts[row.id] {
			if err := l.prepareVersion(row, cut, addresses); err != nil {
				l.unservable(ctx, row, err)
			}
		}
	}
	return nil
}

// mediaMap returns where the assets of a workspace are served that a manifest names.
func (l *loader) mediaMap(
	named map[string]uuid.UUID, media map[uuid.UUID]mediaAsset, workspace uuid.UUID,
) map[string]string {
	addresses := map[string]string{}
	for text, id := range named {
		if asset, known := media[id]; known && asset.workspaceID == workspace {
			addresses[text] = asset.url(l.mediaBase)
		}
	}
	return addresses
}

func (l *loader) prepareVersion(row *versionRow, cut contentCut, addresses map[string]string) error {
	text, leftOut, err := cut.apply(row.published, row.stored)
	if err != nil {
		return err
	}
	prepared := row.version
	prepared.leftOut = leftOut
	prepared.content, err = contentPart(Content{Manifest: text, MediaMap: addresses})
	if err != nil {
		return err
	}
	l.contents[contentKey{row.id, cut}] = &prepared
	l.shared.put(contentKey{row.id, cut}, &prepared)
	return nil
}

// unservable reports a version that can't be prepared. It must not keep the
// rest from being served: its channels answer version_missing.
func (l *loader) unservable(ctx context.Context, row *versionRow, err error) {
	l.logger.ErrorContext(ctx, "a flow version can't be served", "version_id", row.id, "error", err)
}

func (l *loader) media(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]mediaAsset, error) {
	assets := make(map[uuid.UUID]mediaAsset, len(ids))
	if len(ids) == 0 {
		return assets, nil
	}
	rows, err := l.tx.Query(ctx, mediaSQL, ids)
	if err != nil {
		return nil, err
	}
	var id uuid.UUID
	var asset mediaAsset
	_, err = pgx.ForEachRow(rows, []any{&id, &asset.workspaceID, &asset.sha256, &asset.extension}, func() error {
		assets[id] = asset
		return nil
	})
	return assets, err
}
