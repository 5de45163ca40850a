package people

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/postgres"
)

// Activity is what a person did on all their devices, of everything that is stored.
type Activity struct {
	// Language is the latest locale: what identify said, else that of the latest events of their devices.
	Language string
	// FirstSeenAt and LastSeenAt are of sessions and runs of flows; nil for somebody never seen.
	FirstSeenAt, LastSeenAt *time.Time
	// Starts are runs of flows, at most [MaxRuns] of a device, and Completions those that were completed.
	Starts, Completions int
	// RevenueMicros is net of refunds.
	RevenueMicros int64
}

// Status is how far somebody came with flows.
type Status string

// The statuses.
const (
	StatusCompleted  Status = "completed" // a flow at some time
	StatusInProgress Status = "in_progress"
)

// Status returns how far the person came; nil for one who began no flow.
func (a *Activity) Status() *Status {
	var status Status
	switch {
	case a.Starts == 0:
		return nil
	case a.Completions > 0:
		status = StatusCompleted
	default:
		status = StatusInProgress
	}
	return &status
}

// MaxRuns is how many runs of a device are counted.
const MaxRuns = 10_000

// has returns SQL that tells whether packed hits of a run have one of a name.
func has(name run.Name) string {
	return fmt.Sprintf(`exists (select from generate_series(%d, length(hits) - 1, %d) at where get_byte(hits, at) = %d)`,
		run.HitName, run.HitSize, name)
}

var activitySQL = `
	with device as (select * from unnest($2::int[], $3::text[]) as d (n, id))
	select n, min(least(t.first_seen_at, r.first_at)), max(greatest(s.last_at, r.last_at)),
		coalesce(sum(r.starts), 0), coalesce(sum(r.completions), 0),
		coalesce((array_agg(l.locale order by l.at desc) filter (where l.locale <> ''))[1], '')
	from device
	left join product_analytics_first_touch t on t.environment_id = $1 and t.app_user_id = device.id
	left join lateral (
		select max(last_at) as last_at from product_session where environment_id = $1 and app_user_id = device.id) s on true
	left join lateral (
		select min(first_at) as first_at, max(last_at) as last_at, count(*) as starts,
			count(*) filter (where completed) as completions
		from (select first_at, last_at, ` + has(run.FlowCompleted) + ` as completed from flow_run
			where environment_id = $1 and app_user_id = device.id limit $4) runs) r on true
	left join lateral (
		(select occurred_at as at, locale from flow_events where environment_id = $1 and app_user_id = device.id
			and locale <> ''
			and occurred_at between r.last_at - interval '1 s' and r.last_at + interval '1 s' limit 1)
		union all
		(select occurred_at, locale from product_events where environment_id = $1 and app_user_id = device.id
			and locale <> ''
			and occurred_at between s.last_at - interval '1 s' and s.last_at + interval '1 s'
			and ` + postgres.WithinTime(`s.last_at - interval '1 s'`, `s.last_at + interval '1 s'`) + ` limit 1)
		order by at desc limit 1) l on true
	group by n`

// paidSQL is a statement of its own, since the ledger may be on another node than what people did.
const paidSQL = `
	select n, sum(m.micros) from unnest($2::int[], $3::text[]) as device (n, id) cross join lateral (
		select sum(amount_micros) as micros from revenue_ledger
		where environment_id = $1 and app_user_id = device.id and app_user_id <> '') m
	where m.micros is not null group by n`

// group are people who were read together: what they did is read together, too, when it is asked of one.
type group struct {
	people []*Person
	once   sync.Once
	found  []*Activity
	err    error
}

// together makes a group of people of one environment.
func together(people ...*Person) {
	g := &group{people: people}
	for i, person := range people {
		person.group, person.place = g, i
	}
}

// Activity returns what a person did whom [Store.Find] or [Store.List] returned. The activity of all people of a list
// is read together.
func (p *Store) Activity(ctx context.Context, person *Person) (*Activity, error) {
	g := person.group
	g.once.Do(func() { g.found, g.err = p.readActivities(ctx, person.EnvironmentID, g.people) })
	if g.err != nil {
		return nil, fmt.Errorf("read what people did: %w", g.err)
	}
	return g.found[person.place], nil
}

func (p *Store) readActivities(ctx context.Context, environmentID int64, people []*Person) ([]*Activity, error) {
	found := make([]*Activity, len(people))
	var numbers []int
	var devices []string
	for i, person := range people {
		found[i] = &Activity{Language: person.Locale}
		for _, device := range person.Devices {
			numbers, devices = append(numbers, i), append(devices, device.AppUserID)
		}
	}
	rows, err := p.pool.Query(ctx, activitySQL, environmentID, numbers, devices, MaxRuns)
	if err != nil {
		return nil, err
	}
	var n int
	var a Activity
	_, err = pgx.ForEachRow(rows, []any{
		&n, &a.FirstSeenAt, &a.LastSeenAt, &a.Starts, &a.Completions, &a.Language,
	}, func() error {
		said, one := found[n].Language, a
		if said != "" {
			one.Language = said
		}
		found[n] = &one
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows, err = p.pool.Query(ctx, paidSQL, environmentID, numbers, devices)
	if err != nil {
		return nil, err
	}
	var micros int64
	_, err = pgx.ForEachRow(rows, []any{&n, &micros}, func() error { found[n].RevenueMicros = micros; return nil })
	return found, err
}
