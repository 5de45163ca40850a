package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics/frame"
)

// querier is a pool's connection or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// bounds are the first and last moment of the sessions of a home day, in Unix milliseconds.
type bounds struct{ first, last int64 }

// meets tells whether there may be hits in [from, to).
func (b bounds) meets(from, to int64) bool { return b.first < to && b.last >= from }

func (b bounds) meetsAny(spans []span) bool {
	return slices.ContainsFunc(spans, func(s span) bool { return b.meets(s.from, s.to) })
}

func (b bounds) join(c bounds) bounds { return bounds{min(b.first, c.first), max(b.last, c.last)} }

// snapshot is what one transaction sees, as PostgreSQL writes it, and the id below which every
// transaction was over.
type snapshot struct {
	text string
	xmin uint64
}

func currentSnapshot(ctx context.Context, tx querier) (snapshot, error) {
	var now snapshot
	var low string
	err := tx.QueryRow(ctx, `select s::text, pg_snapshot_xmin(s)::text from pg_current_snapshot() s`).Scan(&now.text, &low)
	if err == nil {
		now.xmin, err = strconv.ParseUint(low, 10, 64)
	}
	if err != nil {
		return now, fmt.Errorf("reading the snapshot: %w", err)
	}
	return now, nil
}

// catalogued is what is known of a home day before it is loaded.
type catalogued struct {
	bounds
	sessions int64 // when the catalogue was read
}

// homeDays are the home days of an environment's sessions, found by leaps through the index.
func homeDays(ctx context.Context, q querier, environment int64) ([]time.Time, error) {
	rows, err := q.Query(ctx, `
		with recursive days (home_day) as (
			select min(home_day) from product_session where environment_id = $1
			union all
			select (select min(home_day) from product_session where environment_id = $1 and home_day > days.home_day) from days where home_day is not null
		) select home_day from days where home_day is not null`, environment)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[time.Time])
}

// catalogue is what is known of home days before they are loaded. Days are asked for one by one, because
// together they may take longer than a database may be silent; progress is called after each.
func catalogue(ctx context.Context, q querier, environment int64, dates []time.Time, progress func()) (map[int32]catalogued, error) {
	days := make(map[int32]catalogued, len(dates))
	for _, date := range dates {
		var first, last *time.Time // nil when the day's last session has just gone
		var sessions int64
		if err := q.QueryRow(ctx, `select min(started_at), max(last_at), count(*) from product_session where environment_id = $1 and home_day = $2`,
			environment, date).Scan(&first, &last, &sessions); err != nil {
			return nil, err
		}
		if sessions > 0 {
			days[frame.Day(date)] = catalogued{bounds{first.UnixMilli(), last.UnixMilli()}, sessions}
		}
		progress()
	}
	return days, nil
}

// bytesOfSession is how many bytes a session takes in a frame, judged by some of the latest.
func bytesOfSession(ctx context.Context, q querier, environment int64) (float64, error) {
	var hits float64
	err := q.QueryRow(ctx, `select coalesce(avg(cardinality(hits)), 0) from (
		select hits from product_session where environment_id = $1 order by home_day desc limit 1000) latest`, environment).Scan(&hits)
	return float64(frame.SessionBytes) + hits*frame.HitBytes, err
}

// readNames are all names of an environment, or those of the given ids.
func readNames(ctx context.Context, q querier, environment int64, ids []uint32) ([]frame.NameRow, error) {
	sql, args := `select id, kind, text from event_name where environment_id = $1`, []any{environment}
	if ids != nil {
		wanted := make([]int32, len(ids))
		for i, id := range ids {
			wanted[i] = int32(id)
		}
		sql, args = sql+` and id = any($2)`, append(args, wanted)
	}
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	var names []frame.NameRow
	var id int32
	var kind int16
	var name string
	_, err = pgx.ForEachRow(rows, []any{&id, &kind, &name}, func() error {
		// The table counts kinds from 1.
		names = append(names, frame.NameRow{ID: uint32(id), Kind: frame.Kind(kind - 1), Text: name})
		return nil
	})
	return names, err
}

const touchColumns = `environment_id, app_user_id, first_seen_at, custom_user_id, source, campaign, country, platform, device`

var touchFormats = formats(touchColumns, "environment_id", "first_seen_at")

// eachTouch calls f with the first touches that a query of touchColumns returns in touchFormats.
// Their strings are valid during the call.
func eachTouch(rows pgx.Rows, f func(environment int64, t *frame.FirstTouch) error) error {
	defer rows.Close()
	var t frame.FirstTouch
	for rows.Next() {
		raw := rows.RawValues()
		t.Visitor, t.FirstSeen, t.CustomUserID = text(raw[1]), decodeMillis(raw[2]), text(raw[3])
		t.Source, t.Campaign, t.Country = text(raw[4]), text(raw[5]), text(raw[6])
		t.Platform, t.Device = text(raw[7]), text(raw[8])
		if err := f(decodeInt(raw[0]), &t); err != nil {
			return err
		}
	}
	return rows.Err()
}

// purchase is a ledger row with its identity: a row may be joined to a person later.
type purchase struct {
	environment, id int64
	row             frame.Purchase
}

const purchaseColumns = `environment_id, revenue_ledger.id, app_user_id, occurred_at, provider, kind, amount_micros`

func readPurchases(rows pgx.Rows) ([]purchase, error) {
	var out []purchase
	var p purchase
	var at time.Time
	var provider, kind string
	_, err := pgx.ForEachRow(rows, []any{&p.environment, &p.id, &p.row.Visitor, &at, &provider, &kind, &p.row.AmountMicros}, func() error {
		p.row.At = at.UnixMilli()
		switch provider {
		case "revenuecat":
			p.row.Provider = frame.RevenueCat
		case "superwall":
			p.row.Provider = frame.Superwall
		case "stripe":
			p.row.Provider = frame.Stripe
		default:
			return fmt.Errorf("ledger row %d: unknown provider %q", p.id, provider)
		}
		switch kind {
		case "originating":
			p.row.Kind = frame.Originating
		case "renewal":
			p.row.Kind = frame.Renewal
		case "refund":
			p.row.Kind = frame.Refund
		default:
			return fmt.Errorf("ledger row %d: unknown kind %q", p.id, kind)
		}
		out = append(out, p)
		return nil
	})
	return out, err
}
