package people

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/runlog"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/postgres"
)

// EntryKind is what an entry of a time line is.
type EntryKind string

// The kinds of entries.
const (
	SessionEntry    EntryKind = "session"
	HitEntry        EntryKind = "hit" // a product event
	RunEntry        EntryKind = "run"
	PurchaseEntry   EntryKind = "purchase"
	AutomationEntry EntryKind = "automation"
	WebhookEntry    EntryKind = "webhook"
	EmailEntry      EntryKind = "email"
)

// Entry is something that happened to a person.
type Entry struct {
	At        time.Time
	Kind      EntryKind
	AppUserID string
	// ID is that of the session, the event, the run (as reports of flows take it), the row of the ledger, the enrolment or
	// the webhook.
	ID string
	// Name is the event of a hit, the kind of a purchase, or the automation.
	Name string
	// Detail is the platform of a session, the page of a hit, the end of a run (completed, abandoned or open), the product
	// of a purchase, or the state of an enrolment or webhook.
	Detail       string
	EndedAt      *time.Time // of sessions, runs (their latest event), enrolments and webhooks
	FlowID       *uuid.UUID // of runs
	AutomationID *uuid.UUID // of enrolments and webhooks
	AmountMicros *int64     // of purchases; nil where it is not converted

	// Order is the entry's place among those of one moment.
	Order string
}

// EntryPlace is an entry's place in a time line.
type EntryPlace struct {
	At    time.Time
	Order string
}

// entriesOf selects the entries of a table that come after the place ($3, $4), the latest $5. Their key is unique in
// the table; rest are the columns from the id on, with the table and its condition.
func entriesOf(at, kind, key, rest string) string { return entriesBy(at, at, kind, key, rest) }

// entriesBy is entriesOf for a table with an index that has the time as by.
func entriesBy(by, at, kind, key, rest string) string {
	order := fmt.Sprintf(`concat_ws(' ', '%s', %s) collate "C"`, kind, key)
	return fmt.Sprintf(`(select %[1]s as at, '%[2]s', app_user_id, %[3]s, %[4]s
		and %[1]s <= $3 and (%[1]s < $3 or %[5]s < $4) order by %[6]s desc, %[1]s desc, %[5]s desc limit $5)`,
		at, kind, order, rest, order, by)
}

const ofDevices = ` where environment_id = $1 and app_user_id = any ($2)`

var timelineSQL = `select * from (` +
	entriesOf(`started_at`, `session`, `app_user_id, session_id`, `session_id, '', platform, last_at, null::uuid,
		null::uuid, null::bigint from product_session`+ofDevices) + ` union all ` +
	entriesBy(`time_bin(occurred_at)`, `occurred_at`, `hit`, `event_key`,
		`event_id, name, page, null, null, null, null from product_events`+ofDevices+
			` and `+postgres.WithinTime(`'-infinity'`, `$3`)) + ` union all ` +
	entriesOf(`first_at`, `run`, `app_user_id, flow_id, run_key`, `run_key::text, '', case when `+has(run.FlowCompleted)+
		` then 'completed' when `+has(run.FlowAbandoned)+` then 'abandoned' else 'open' end, last_at, flow_id, null, null
		from flow_run`+ofDevices) + ` union all ` +
	entriesOf(`occurred_at`, `purchase`, `to_char(id, 'FM0000000000000000000')`, `id::text, kind, product_id, null, null,
		null, amount_micros from revenue_ledger`+ofDevices+` and app_user_id <> ''`) + ` union all ` +
	entriesOf(`entered_at`, `automation`, `to_char(id, 'FM0000000000000000000')`, `id::text,
		(select name from automation a where a.id = automation_id), state, ended_at, null, automation_id, null
		from automation_enrolment`+ofDevices) + ` union all ` +
	entriesOf(`created_at`, `webhook`, `id`, `id::text, (select name from automation a where a.id = automation_id),
		state, finished_at, null, automation_id, null from webhook_delivery`+ofDevices) + ` union all ` +
	entriesOf(`created_at`, `email`, `id`, `id::text, (select name from automation a where a.id = automation_id),
		state, finished_at, null, automation_id, null from automation_mail`+ofDevices) +
	`) entries order by 1 desc, 4 desc limit $5`

// Timeline returns what happened to a person on the devices that they are read with, the latest first, after a place
// (nil for the first).
func (p *Store) Timeline(ctx context.Context, person *Person, after *EntryPlace, limit int) ([]*Entry, error) {
	if after == nil {
		after = &EntryPlace{p.now().AddDate(1, 0, 0), ""}
	}
	rows, err := p.pool.Query(ctx, timelineSQL, person.EnvironmentID, person.deviceIDs(), after.At, after.Order, limit)
	if err != nil {
		return nil, fmt.Errorf("read a time line: %w", err)
	}
	entries, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*Entry, error) {
		e := &Entry{}
		err := row.Scan(&e.At, &e.Kind, &e.AppUserID, &e.Order, &e.ID, &e.Name, &e.Detail, &e.EndedAt, &e.FlowID,
			&e.AutomationID, &e.AmountMicros)
		if err == nil && e.Kind == RunEntry {
			e.ID = runlog.ID{Person: e.AppUserID, Key: session.KeyOf(e.ID)}.String()
		}
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("read a time line: %w", err)
	}
	return entries, nil
}

// CountTimeline returns how many entries Timeline has in all.
func (p *Store) CountTimeline(ctx context.Context, person *Person) (count int, err error) {
	err = p.pool.QueryRow(ctx, `select (select count(*) from product_session`+ofDevices+`)
		+ (select count(*) from product_event`+ofDevices+`) + (select count(*) from flow_run`+ofDevices+`)
		+ (select count(*) from revenue_ledger`+ofDevices+` and app_user_id <> '')
		+ (select count(*) from automation_enrolment`+ofDevices+`) + (select count(*) from webhook_delivery`+ofDevices+`)
		+ (select count(*) from automation_mail`+ofDevices+`)`,
		person.EnvironmentID, person.deviceIDs()).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count a time line: %w", err)
	}
	return count, nil
}

func (p *Person) deviceIDs() []string {
	ids := make([]string, len(p.Devices))
	for i, device := range p.Devices {
		ids[i] = device.AppUserID
	}
	return ids
}
