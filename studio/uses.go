package studio

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/mediaasset"
	"github.com/svc-dev/svc/internal/fault"
)

// maxMediaUses is how many flows the uses of one file name.
const maxMediaUses = 500

// MediaUses is where an app names a file.
type MediaUses struct {
	Branding bool
	Flows    []*MediaUse // by name
}

// MediaUse is a flow that names a file in its draft, or in its newest version or one that a channel serves.
type MediaUse struct {
	FlowID  uuid.UUID
	Name    string
	Draft   bool
	Version *int // the number of the newest such version that names it; nil for none
}

// MediaUses finds where an app names a file of its workspace. The caller has checked who asks. A document names a
// file by a string that is its id and nothing else.
func (s *Studio) MediaUses(ctx context.Context, app *ent.App, asset uuid.UUID) (*MediaUses, error) {
	known, err := s.client.MediaAsset.Query().
		Where(mediaasset.ID(asset), mediaasset.WorkspaceID(app.WorkspaceID)).Exist(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	if !known {
		return nil, fault.Invalid("assetId", "is not a file of the app's workspace")
	}
	if err := s.storeDraftsOf(ctx, app.ID); err != nil {
		return nil, err
	}
	rows, err := s.client.QueryContext(ctx, `
		with branding as (
			select exists (select from brandings where app_id = $1 and position($2 in data::text) > 0) as names
		), using_flow as (
			select f.id, f.name, position($2 in f.draft::text) > 0 as in_draft, (
				select max(v.number) from flow_versions v
				where v.flow_id = f.id and position(convert_to($2, 'UTF8') in v.manifest) > 0 and (
					v.number = (select max(number) from flow_versions newest where newest.flow_id = f.id)
					or v.id in (
						select c.flow_version_id from channels c where c.assignment = 'direct' and c.archived_at is null
						union all
						select a.flow_version_id from channels c join variants a on a.experiment_id = c.experiment_id
						where c.assignment = 'experiment' and c.archived_at is null))) as number
			from flows f where f.app_id = $1 and f.archived_at is null
		)
		select b.names, u.id, u.name, u.in_draft, u.number
		from branding b left join using_flow u on u.in_draft or u.number is not null
		order by u.name, u.id limit $3`, app.ID, `"`+asset.String()+`"`, maxMediaUses)
	if err != nil {
		return nil, fmt.Errorf("read the uses of the file: %w", err)
	}
	defer func() { _ = rows.Close() }()
	uses := &MediaUses{Flows: []*MediaUse{}}
	for rows.Next() {
		var id *uuid.UUID
		var name *string
		var draft *bool
		var use MediaUse
		if err := rows.Scan(&uses.Branding, &id, &name, &draft, &use.Version); err != nil {
			return nil, fmt.Errorf("read the uses of the file: %w", err)
		}
		if id != nil {
			use.FlowID, use.Name, use.Draft = *id, *name, *draft
			uses.Flows = append(uses.Flows, &use)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the uses of the file: %w", err)
	}
	return uses, nil
}
