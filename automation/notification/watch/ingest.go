package watch

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/ent/environment"
)

// Events are refused much when of those that came in an hour so many were refused, and so many hundredths.
const (
	refusedEvents = 100
	refusedShare  = 10
)

// RefusedEvents tells workspaces that a good part of an environment's events was refused in this hour or the one
// before: at most once a day and environment, whatever comes. Crawlers' events, which are ignored, don't count, and
// neither does what a plan's limit keeps out.
func (w *Watch) RefusedEvents(ctx context.Context) error {
	now := w.now()
	rows, err := w.Pool.Query(ctx, `
		with stat as (
			select environment_id, hour, sum(accepted + duplicates)::bigint as taken,
				(select coalesce(jsonb_object_agg(code, n), '{}') from (
					select code, sum(n::bigint) as n
					from ingest_stat o, jsonb_each_text(o.rejected) as r (code, n)
					where o.environment_id = s.environment_id and o.hour = s.hour group by code) c) as rejected
			from ingest_stat s where hour >= $1 group by environment_id, hour
		)
		select distinct on (a.workspace_id, a.id, e.kind) a.workspace_id, a.id, a.name, e.id, e.kind, t.hour, t.taken,
			r.refused, r.code
		from stat t
		cross join lateral (
			select sum(n::bigint)::bigint as refused, (array_agg(code order by n::bigint desc, code))[1] as code
			from jsonb_each_text(t.rejected) as c (code, n)) r
		join environments e on e.id = t.environment_id
		join apps a on a.id = e.app_id
		where r.refused >= $2 and r.refused * 100 >= (t.taken + r.refused) * $3
		order by a.workspace_id, a.id, e.kind, t.hour`,
		now.Truncate(time.Hour).Add(-time.Hour), refusedEvents, refusedShare)
	if err != nil {
		return fmt.Errorf("look for refused events: %w", err)
	}
	type refusal struct {
		Workspace, App uuid.UUID
		Name           string
		Environment    int64
		Kind           environment.Kind
		Hour           time.Time
		Taken, Refused int64
		Code           string
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[refusal])
	if err != nil {
		return fmt.Errorf("look for refused events: %w", err)
	}
	for _, r := range found {
		hour, came := r.Hour.UTC(), r.Taken+r.Refused
		err := notification.Post(ctx, w.Pool, notification.Notification{
			WorkspaceID: r.Workspace, Kind: notification.IngestRefused, Severity: notification.Warning,
			Key:   fmt.Sprintf("%d %s", r.Environment, hour.Format(time.DateOnly)),
			About: notification.About{AppID: &r.App, Environment: &r.Kind, Used: &r.Refused, Limit: &came},
			Title: fmt.Sprintf("Events of %s (%s) are refused", notification.Quote(r.Name), r.Kind),
			Text: fmt.Sprintf("Of %d events that came from %s on, %d (%d %%) were refused, most often as %s. The health of "+
				"ingest has all reasons.", came, hour.Format(atMinute), r.Refused, r.Refused*100/came,
				notification.Quote(r.Code)),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
