package studio

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent"
)

// maxComponentUses is how many flows the uses of a component name.
const maxComponentUses = 500

// ComponentUse is a flow whose draft has instances of a component.
type ComponentUse struct {
	FlowID    uuid.UUID
	Name      string
	Instances int
}

// ReadComponent reads what a component is, or was at a revision; nil when that is not kept. The caller has authorized.
func (s *Studio) ReadComponent(ctx context.Context, of *ent.Component, revision *int) (*ComponentRevision, error) {
	wanted := of.Revision
	if revision != nil {
		wanted = *revision
	}
	return readRevision(ctx, s.client, of.ID, wanted)
}

func readRevision(ctx context.Context, q querier, id uuid.UUID, revision int) (*ComponentRevision, error) {
	var found *ComponentRevision
	err := eachRow(ctx, q, func(rows *sql.Rows) error {
		var tree, slots, overridable []byte
		read := &ComponentRevision{Revision: revision}
		if err := rows.Scan(&read.CreatedAt, &tree, &slots, &overridable); err != nil {
			return err
		}
		read.Tree = tree
		if err := json.Unmarshal(slots, &read.Slots); err != nil {
			return err
		}
		if overridable != nil {
			if err := json.Unmarshal(overridable, &read.Overridable); err != nil {
				return err
			}
		}
		found = read
		return nil
	}, `select created_at, tree, slots, overridable from component_revision where component_id = $1 and revision = $2`,
		id, revision)
	if err != nil {
		return nil, fmt.Errorf("read the component: %w", err)
	}
	return found, nil
}

// ComponentUses finds the flows of its app whose drafts have instances of a component. The caller has authorized.
func (s *Studio) ComponentUses(ctx context.Context, of *ent.Component) ([]*ComponentUse, error) {
	if err := s.storeDraftsOf(ctx, of.AppID); err != nil {
		return nil, err
	}
	uses := []*ComponentUse{}
	err := eachRow(ctx, s.client, func(rows *sql.Rows) error {
		use := &ComponentUse{}
		uses = append(uses, use)
		return rows.Scan(&use.FlowID, &use.Name, &use.Instances)
	}, `
		select f.id, f.name, count(*) from flows f
		cross join lateral jsonb_path_query(f.draft, 'strict $.screens.** ? (@.component.id == $id)',
			jsonb_build_object('id', $2::text), true)
		where f.app_id = $1 and f.archived_at is null and position($2 in f.draft::text) > 0
		group by f.id, f.name order by f.name, f.id limit $3`, of.AppID, of.ID.String(), maxComponentUses)
	if err != nil {
		return nil, fmt.Errorf("read the uses of the component: %w", err)
	}
	return uses, nil
}
