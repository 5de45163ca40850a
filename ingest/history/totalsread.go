package history

import (
	"context"
	"fmt"
	"sort"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/internal/fault"
)

// Imported are the totals that other tools counted in a range.
type Imported struct {
	// LeftOut is set where the scope has what totals can't be limited by; there are none then.
	LeftOut bool
	Sources []Source // the tools, also of totals that are left out
	Total   Counted

	pool        *pgxpool.Pool
	environment int64
	scope       analytics.Scope
	first, end  time.Time // days
}

// Bucket is a part of the range that has days with totals.
type Bucket struct {
	Start time.Time
	Counted
}

// ImportedRow is what was counted of a value.
type ImportedRow struct {
	Value string
	Counted
}

// ReadImported reads the totals of an environment on the days that begin in the range of a scope, which is resolved.
// Days are those of the tool, whatever the zone.
func ReadImported(
	ctx context.Context, pool *pgxpool.Pool, environmentID int64, scope analytics.Scope,
) (*Imported, error) {
	i := &Imported{Sources: []Source{}, pool: pool, environment: environmentID, scope: scope}
	i.first, i.end = firstDay(scope.Start, scope.Location), firstDay(scope.End, scope.Location)
	i.LeftOut = scope.Platform != "" || scope.Segment != nil || scope.Columns != (analytics.Columns{}) ||
		len(scope.Cross) > 0
	rows, err := pool.Query(ctx, `select distinct h.source from history_total_day d
		join history_import h on h.environment_id = d.environment_id and h.id = d.import_id
		where d.environment_id = $1 and d.day >= $2 and d.day < $3 order by 1`, environmentID, i.first, i.end)
	if err != nil {
		return nil, fmt.Errorf("read imported totals: %w", err)
	}
	if i.Sources, err = pgx.AppendRows(i.Sources, rows, pgx.RowTo[Source]); err != nil {
		return nil, fmt.Errorf("read imported totals: %w", err)
	}
	if i.LeftOut {
		return i, nil
	}
	days, err := i.days(ctx)
	for _, day := range days {
		i.Total.add(day.Counted)
		i.Total.clamp()
	}
	return i, err
}

// Scope returns what was asked for, resolved.
func (i *Imported) Scope() analytics.Scope { return i.scope }

// firstDay returns the first day that begins at a time or later, as 00:00 UTC.
func firstDay(at time.Time, zone *time.Location) time.Time {
	y, m, d := at.In(zone).Date()
	if analytics.StartOfDay(y, m, d, zone).Before(at) {
		d++
	}
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// countColumns are sums up to the largest number that all readers of JSON tell from its neighbors.
const countColumns = `least(sum(visitors), 9007199254740991)::bigint, least(sum(sessions), 9007199254740991)::bigint,
	least(sum(views), 9007199254740991)::bigint, least(sum(bounces), 9007199254740991)::bigint,
	least(sum(seconds), 9007199254740991)::bigint`

// days returns the totals of days; Start is 00:00 UTC.
func (i *Imported) days(ctx context.Context) ([]Bucket, error) {
	rows, err := i.pool.Query(ctx, `select day, `+countColumns+` from history_total
		where environment_id = $1 and dimension = '' and day >= $2 and day < $3 group by day order by day`,
		i.environment, i.first, i.end)
	if err != nil {
		return nil, fmt.Errorf("read imported days: %w", err)
	}
	days, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (b Bucket, err error) {
		err = row.Scan(&b.Start, &b.Visitors, &b.Sessions, &b.Views, &b.Bounces, &b.Seconds)
		return b, err
	})
	if err != nil {
		return nil, fmt.Errorf("read imported days: %w", err)
	}
	return days, nil
}

// Series returns the buckets that have days with totals. No hour has: a day does not say which.
func (i *Imported) Series(ctx context.Context, grain analytics.Grain) ([]*Bucket, error) {
	found := []*Bucket{}
	if i.LeftOut || grain == analytics.Hour {
		return found, nil
	}
	bounds, err := analytics.Buckets(grain, i.scope.Start, i.scope.End, i.scope.Location)
	if err != nil {
		return nil, err
	}
	days, err := i.days(ctx)
	if err != nil {
		return nil, err
	}
	for _, day := range days {
		y, m, d := day.Start.Date()
		at := analytics.StartOfDay(y, m, d, i.scope.Location)
		start := bounds[max(0, sort.Search(len(bounds), func(n int) bool { return bounds[n].After(at) })-1)]
		if len(found) == 0 || !found[len(found)-1].Start.Equal(start) {
			found = append(found, &Bucket{Start: start})
		}
		found[len(found)-1].add(day.Counted)
		found[len(found)-1].clamp()
	}
	return found, nil
}

// MaxRows is how many values of a dimension are read.
const MaxRows = 200

// Rows returns the values of a dimension by visitors, at most limit of them.
func (i *Imported) Rows(ctx context.Context, dimension string, limit int) ([]*ImportedRow, error) {
	if limit < 1 || limit > MaxRows {
		return nil, fault.Invalid("first", "must be from 1 to %d", MaxRows)
	}
	if i.LeftOut {
		return []*ImportedRow{}, nil
	}
	rows, err := i.pool.Query(ctx, `select value, `+countColumns+` from history_total
		where environment_id = $1 and dimension = $2 and day >= $3 and day < $4
		group by value order by sum(visitors) desc, value limit $5`, i.environment, dimension, i.first, i.end, limit)
	if err != nil {
		return nil, fmt.Errorf("read imported values: %w", err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*ImportedRow, error) {
		r := &ImportedRow{}
		return r, row.Scan(&r.Value, &r.Visitors, &r.Sessions, &r.Views, &r.Bounces, &r.Seconds)
	})
	if err != nil {
		return nil, fmt.Errorf("read imported values: %w", err)
	}
	return found, nil
}
