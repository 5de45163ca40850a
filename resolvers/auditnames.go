package resolvers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/graph"
)

// maxAuditNames bounds the ids of one audit entry that are looked up: entries hold a subject and a few references.
const maxAuditNames = 10

// auditID is an id in an audit entry of a workspace.
type auditID struct {
	workspace uuid.UUID
	id        string
}

// idsOf returns the texts of an audit entry that may be ids of something with a name, in a stable order.
func idsOf(entry *ent.AuditEntry) []auditID {
	ids := []auditID{{entry.WorkspaceID, entry.Subject}}
	for _, value := range entry.Detail {
		if text, ok := value.(string); ok && (uuid.Validate(text) == nil || strings.HasPrefix(text, "ch_")) {
			ids = append(ids, auditID{entry.WorkspaceID, text})
		}
	}
	slices.SortFunc(ids[1:], func(a, b auditID) int { return strings.Compare(a.id, b.id) })
	return ids[:min(len(ids), maxAuditNames)]
}

// readAuditNames reads what ids of workspaces are called today, those of all entries of an answer in one statement.
// What is gone, or belongs to another workspace, has no name.
func readAuditNames(ctx context.Context, c *ent.Client, ids []auditID) (map[auditID]string, error) {
	workspaces, objects, channels := []string{}, []string{}, []string{}
	for _, id := range ids {
		workspaces = append(workspaces, id.workspace.String())
		if uuid.Validate(id.id) == nil {
			objects = append(objects, id.id)
		} else {
			channels = append(channels, id.id)
		}
	}
	rows, err := c.QueryContext(ctx, `
		with app as (select id, workspace_id, name from apps where workspace_id = any($1::uuid[])),
		environment as (select e.id, app.workspace_id from environments e join app on app.id = e.app_id)
		select workspace_id, id::text, name from app where id = any($2::uuid[])
		union all
		select app.workspace_id, f.id::text, f.name from flows f join app on app.id = f.app_id where f.id = any($2::uuid[])
		union all
		select app.workspace_id, v.id::text, f.name || ' v' || v.number
		from flow_versions v join flows f on f.id = v.flow_id join app on app.id = f.app_id where v.id = any($2::uuid[])
		union all
		select e.workspace_id, c.public_id, c.name
		from channels c join environment e on e.id = c.environment_id where c.public_id = any($3::text[])
		union all
		select e.workspace_id, x.id::text, x.name from experiments x join channels c on c.id = x.channel_id
		join environment e on e.id = c.environment_id where x.id = any($2::uuid[])
		union all
		select e.workspace_id, a.id::text, a.name
		from automation a join environment e on e.id = a.environment_id where a.id = any($2::uuid[])
		union all
		select e.workspace_id, w.id::text, w.name
		from webhook_endpoint w join environment e on e.id = w.environment_id where w.id = any($2::uuid[])
		union all
		select app.workspace_id, c.id::text, c.name
		from components c join app on app.id = c.app_id where c.id = any($2::uuid[])
		union all
		select app.workspace_id, s.id::text, s.name from segments s join app on app.id = s.app_id where s.id = any($2::uuid[])
		union all
		select app.workspace_id, f.id::text, f.name from funnels f join app on app.id = f.app_id where f.id = any($2::uuid[])
		union all
		select app.workspace_id, g.id::text, g.name from goals g join app on app.id = g.app_id where g.id = any($2::uuid[])
		union all
		select app.workspace_id, l.id::text, l.name
		from alerts l join environments e on e.id = l.environment_id join app on app.id = e.app_id
		where l.id = any($2::uuid[])
		union all
		select e.workspace_id, l.id::text, l.name
		from shared_links l join environment e on e.id = l.environment_id where l.id = any($2::uuid[])
		union all
		select m.workspace_id, m.id::text, m.name
		from media_assets m where m.workspace_id = any($1::uuid[]) and m.id = any($2::uuid[])
		union all
		select app.workspace_id, r.id::text, r.name
		from revenue_connection r join app on app.id = r.app_id where r.id = any($2::uuid[])
		union all
		select k.workspace_id, k.id::text, k.name
		from api_keys k where k.workspace_id = any($1::uuid[]) and k.id = any($2::uuid[])
		union all
		select m.workspace_id, u.id::text, coalesce(nullif(u.name, ''), u.email)
		from memberships m join users u on u.id = m.user_id
		where m.workspace_id = any($1::uuid[]) and u.id = any($2::uuid[])`,
		workspaces, objects, channels)
	if err != nil {
		return nil, fmt.Errorf("read names for the audit log: %w", err)
	}
	defer func() { _ = rows.Close() }()
	names := make(map[auditID]string, len(ids))
	for _, id := range ids {
		names[id] = ""
	}
	for rows.Next() {
		var id auditID
		var name string
		if err := rows.Scan(&id.workspace, &id.id, &name); err != nil {
			return nil, fmt.Errorf("read names for the audit log: %w", err)
		}
		names[id] = name
	}
	return names, rows.Err()
}

// auditNames returns the names of an entry's ids, in their order.
func (r finder) auditNames(ctx context.Context, entry *ent.AuditEntry) ([]*graph.AuditName, error) {
	ids := idsOf(entry)
	found, err := r.batch(ctx).auditNames.LoadAll(ctx, ids)
	if err != nil {
		return nil, readError(err, "names")
	}
	names := []*graph.AuditName{}
	for i, id := range ids {
		if found[i] != "" {
			names = append(names, &graph.AuditName{ID: id.id, Name: found[i]})
		}
	}
	return names, nil
}
