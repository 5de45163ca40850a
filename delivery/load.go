package delivery

import (
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/delivery/integration"
	"github.com/svc-dev/svc/internal/seal"
)

var (
	//go:embed queries/environments.sql
	environmentsSQL string
	//go:embed queries/keys.sql
	keysSQL string
	//go:embed queries/channels.sql
	channelsSQL string
	//go:embed queries/experiments.sql
	experimentsSQL string
	//go:embed queries/versions.sql
	versionsSQL string
	//go:embed queries/media.sql
	mediaSQL string
	//go:embed queries/history.sql
	historySQL string
)

// loader reads apps from one database snapshot and compiles them.
type loader struct {
	tx        pgx.Tx
	mediaBase string
	ring      *seal.Ring
	logger    *slog.Logger
	// shared are the prepared versions, kept from load to load; contents are
	// those that this load uses.
	shared   *contents
	contents map[contentKey]*version
}

type tenantRow struct {
	tenant       Tenant
	integrations []byte
	branding     []byte
}

// load returns the entries of the given apps, or of all when apps is nil. An
// app that does not exist, or is archived, has no entry.
func (l *loader) load(ctx context.Context, apps []uuid.UUID) (map[uuid.UUID]*appEntry, error) {
	rows, err := l.readTenants(ctx, apps)
	if err != nil {
		return nil, fmt.Errorf("read environments: %w", err)
	}
	var ids []int64
	for _, row := range rows {
		ids = append(ids, row.tenant.ID)
	}
	channels, err := l.readChannels(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read channels: %w", err)
	}
	experiments, err := l.experiments(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read experiments: %w", err)
	}
	history, err := l.readHistory(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read assignment history: %w", err)
	}
	keys, err := l.readKeys(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read publishable keys: %w", err)
	}
	proofs, err := l.readProofs(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read how custom user ids are proved: %w", err)
	}
	wanted := map[uuid.UUID][]contentKey{}
	for i := range rows {
		tenant := &rows[i].tenant
		tenant.Proof = proofs[tenant.ID]
		wanted[tenant.AppID] = append(wanted[tenant.AppID],
			wantedContents(cutOf(tenant.Plan), channels[tenant.ID], experiments)...)
	}
	if err := l.prepare(ctx, slices.Concat(slices.Collect(maps.Values(wanted))...), workspaceByApp(rows)); err != nil {
		return nil, fmt.Errorf("read flow versions: %w", err)
	}

	entries := map[uuid.UUID]*appEntry{}
	for i := range rows {
		row := &rows[i]
		tenant, err := l.compile(ctx, row, channels[row.tenant.ID], experiments)
		if err != nil {
			return nil, fmt.Errorf("compile environment %d: %w", row.tenant.ID, err)
		}
		for _, channel := range tenant.Channels {
			channel.history = history[channel.ID]
		}
		entry := entries[tenant.AppID]
		if entry == nil {
			entry = &appEntry{keys: map[string]*Tenant{}, versions: map[contentKey]bool{}}
			entries[tenant.AppID] = entry
		}
		entry.tenants = append(entry.tenants, tenant)
		for _, key := range keys[tenant.ID] {
			entry.keys[key] = tenant
		}
		for _, key := range wanted[tenant.AppID] {
			entry.versions[key] = true
		}
	}
	return entries, nil
}

// workspaceByApp maps each app to its workspace, which owns the media.
func workspaceByApp(rows []tenantRow) map[uuid.UUID]uuid.UUID {
	owners := map[uuid.UUID]uuid.UUID{}
	for _, row := range rows {
		owners[row.tenant.AppID] = row.tenant.WorkspaceID
	}
	return owners
}

// wantedContents lists the versions that some channel serves now.
func wantedContents(cut contentCut, channels []channelRow, experiments map[uuid.UUID]*experimentRow) []contentKey {
	var keys []contentKey
	add := func(id *uuid.UUID) {
		if id != nil {
			keys = append(keys, contentKey{version: *id, slice: cut})
		}
	}
	for _, channel := range channels {
		switch {
		case channel.archived:
		case channel.assignment == "direct":
			add(channel.versionID)
		case channel.experimentID != nil:
			if experiment := experiments[*channel.experimentID]; experiment != nil && experiment.serving() {
				for _, arm := range experiment.arms {
					add(arm.versionID)
				}
			}
		}
	}
	return keys
}

func (l *loader) readTenants(ctx context.Context, apps []uuid.UUID) ([]tenantRow, error) {
	rows, err := l.tx.Query(ctx, environmentsSQL, apps)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (tenantRow, error) {
		var (
			r            tenantRow
			planKey      *string
			status       *string
			subscription plan.Subscription
		)
		e := &r.tenant
		err := row.Scan(&e.ID, &e.Kind, &e.AppID, &e.WorkspaceID, &e.Origins, &e.IgnoreBots, &r.integrations, &r.branding,
			&planKey, &subscription.Features, &subscription.Limits, &status, &subscription.PastDueSince)
		if planKey == nil {
			e.Plan = plan.Of(nil)
			return r, err
		}
		subscription.PlanKey, subscription.Status = *planKey, *status
		e.Plan = plan.Of(&subscription)
		return r, err
	})
}

func (l *loader) readKeys(ctx context.Context, environments []int64) (map[int64][]string, error) {
	rows, err := l.tx.Query(ctx, keysSQL, environments)
	if err != nil {
		return nil, err
	}
	keys := map[int64][]string{}
	var key string
	var environment int64
	_, err = pgx.ForEachRow(rows, []any{&key, &environment}, func() error {
		keys[environment] = append(keys[environment], key)
		return nil
	})
	return keys, err
}

func (l *loader) readChannels(ctx context.Context, environments []int64) (map[int64][]channelRow, error) {
	rows, err := l.tx.Query(ctx, channelsSQL, environments)
	if err != nil {
		return nil, err
	}
	channels := map[int64][]channelRow{}
	var c channelRow
	_, err = pgx.ForEachRow(rows, []any{
		&c.environmentID, &c.id, &c.publicID, &c.archived, &c.assignment, &c.assignmentVersion, &c.versionID, &c.experimentID,
	}, func() error {
		channels[c.environmentID] = append(channels[c.environmentID], c)
		return nil
	})
	return channels, err
}

func (l *loader) experiments(ctx context.Context, environments []int64) (map[uuid.UUID]*experimentRow, error) {
	rows, err := l.tx.Query(ctx, experimentsSQL, environments)
	if err != nil {
		return nil, err
	}
	experiments := map[uuid.UUID]*experimentRow{}
	var (
		id           uuid.UUID
		salt, status string
		splitBy      string
		armID        *uuid.UUID
		key          *string
		weight       *int
		versionID    *uuid.UUID
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &salt, &status, &splitBy, &armID, &key, &weight, &versionID}, func() error {
		experiment := experiments[id]
		if experiment == nil {
			experiment = &experimentRow{id: id, salt: salt, status: status, splitBy: splitBy}
			experiments[id] = experiment
		}
		if armID != nil {
			experiment.arms = append(experiment.arms, armRow{id: *armID, key: *key, weight: *weight, versionID: versionID})
		}
		return nil
	})
	return experiments, err
}

// compile makes a tenant of its row and its channels.
func (l *loader) compile(
	ctx context.Context, row *tenantRow, channels []channelRow, experiments map[uuid.UUID]*experimentRow,
) (*Tenant, error) {
	tenant := row.tenant
	surroundings, err := l.surroundings(ctx, row)
	if err != nil {
		return nil, err
	}
	cut := cutOf(tenant.Plan)
	compiler := compiler{
		environment:  tenant.Kind,
		surroundings: surroundings,
		experiment:   func(id uuid.UUID) *experimentRow { return experiments[id] },
		version: func(id uuid.UUID) *version {
			if prepared := l.contents[contentKey{id, cut}]; prepared != nil && prepared.appID == tenant.AppID {
				return prepared
			}
			return nil
		},
	}
	for _, channel := range channels {
		compiled, err := compiler.compileChannel(channel)
		if err != nil {
			return nil, err
		}
		tenant.Channels = append(tenant.Channels, compiled)
	}
	return &tenant, nil
}

// surroundings reads what the documents of a tenant share.
func (l *loader) surroundings(ctx context.Context, row *tenantRow) (part, error) {
	tenant := &row.tenant
	fonts, err := l.media(ctx, fontAssets(row.branding))
	if err != nil {
		return part{}, fmt.Errorf("read font files: %w", err)
	}
	return surroundingsPart(Surroundings{
		Features:     Features{Attribution: tenant.Plan.Has(plan.Attribution)},
		Integrations: integration.Parse(row.integrations),
		Branding: brandingDocument(row.branding, func(id uuid.UUID) (string, bool) {
			asset, known := fonts[id]
			return asset.url(l.mediaBase), known && asset.workspaceID == tenant.WorkspaceID
		}),
	})
}
