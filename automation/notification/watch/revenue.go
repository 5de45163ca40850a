package watch

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/automation/notification"
)

// unknownDeliveries is how many deliveries of unknown form within a day, an hour apart at least, are told of.
const unknownDeliveries = 3

// Revenue tells workspaces of sources of money that fail, at most once a week each: deliveries come whose signature is
// not valid and for a day none that is, or deliveries come whose form is unknown.
func (w *Watch) Revenue(ctx context.Context) error {
	now := w.now()
	rows, err := w.Pool.Query(ctx, `
		select a.workspace_id, a.id, a.name, c.id, c.name, c.provider, c.last_delivery_at, u.deliveries
		from revenue_connection c
		join apps a on a.id = c.app_id
		cross join lateral (
			select case when count(*) >= $2 and max(received_at) - min(received_at) >= interval '1 hour'
				then count(*) else 0 end as deliveries
			from provider_event p join environments e on e.id = p.environment_id
			where e.app_id = c.app_id and p.connection_id = c.id and p.state in ('unmapped', 'failed')
				and p.received_at > $1::timestamptz - interval '1 day') u
		where c.archived_at is null and a.archived_at is null and (u.deliveries > 0
			or c.last_error_at > $1::timestamptz - interval '1 hour' and c.created_at < $1::timestamptz - interval '1 hour'
			and coalesce(c.last_delivery_at < $1::timestamptz - interval '1 day', true))`, now, unknownDeliveries)
	if err != nil {
		return fmt.Errorf("look for sources of money that fail: %w", err)
	}
	type source struct {
		Workspace, App uuid.UUID
		AppName        string
		ID             uuid.UUID
		Name, Provider string
		LastDelivery   *time.Time
		Unknown        int64
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[source])
	if err != nil {
		return fmt.Errorf("look for sources of money that fail: %w", err)
	}
	year, week := now.ISOWeek()
	for _, s := range found {
		name := fmt.Sprintf("%s of %s", notification.Quote(s.Name), notification.Quote(s.AppName))
		n := notification.Notification{
			WorkspaceID: s.Workspace, Kind: notification.RevenueFailing, Severity: notification.Critical,
			About: notification.About{AppID: &s.App, RevenueSourceID: &s.ID},
		}
		if s.Unknown > 0 {
			n.Key = fmt.Sprintf("%s unknown %d-W%02d", s.ID, year, week)
			n.Severity = notification.Warning
			n.Title = "Deliveries of " + name + " are not understood"
			n.Text = fmt.Sprintf("Within a day %d deliveries came in a form that is not known. They are kept, and booked by a "+
				"replay once they are understood; until then revenue is too low.", s.Unknown)
		} else {
			n.Key = fmt.Sprintf("%s refused %d-W%02d", s.ID, year, week)
			n.Title = "Deliveries of " + name + " are refused"
			n.Text = "Deliveries come whose signature is not valid, and none came for a day that is. When the secret was " +
				"changed at the provider, add the new one here."
			if s.LastDelivery != nil {
				n.Text += " The last good one came " + s.LastDelivery.UTC().Format(atMinute) + "."
			}
		}
		if err := notification.Post(ctx, w.Pool, n); err != nil {
			return err
		}
	}
	return nil
}
