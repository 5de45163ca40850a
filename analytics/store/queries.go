package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/postgres"
)

// querier is a pool's connection or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// bounds are the first and last moment of the rows of a home day, in Unix milliseconds.
type bounds struct{ first, last int64 }

// meets tells whether there may be hits in [from, to).
func (b bounds) meets(from, to int64) bool { return from < to && b.first < to && b.last >= from }

func (b bounds) join(c bounds) bounds { return bounds{min(b.first, c.first), max(b.last, c.last)} }

// snapshot is what a transaction sees: the changes of every transaction below next, but for those that
// were running.
type snapshot struct {
	next    uint64 // the first transaction id that had not been given out
	running []uint64
}

// readAll plans the cursors of a transaction for reading all of their rows, not for the first ones.
var readAll = [][2]string{{"cursor_tuple_fraction", "1"}}

// currentSnapshot reads what the statements of a transaction that follow see of an environment.
func currentSnapshot(ctx context.Context, tx pgx.Tx, environment int64) (snapshot, error) {
	text, err := postgres.Snapshot(ctx, tx, environment, readAll)
	if err != nil {
		return snapshot{}, err
	}
	return parseSnapshot(text)
}

// parseSnapshot reads a pg_snapshot, such as 10:20:10,14,15: every transaction below 10 is over, 20 is
// the next to be given out, and 10, 14 and 15 were running.
func parseSnapshot(text string) (s snapshot, err error) {
	parts := strings.SplitN(text, ":", 3)
	if len(parts) < 3 {
		return s, fmt.Errorf("reading the snapshot: %q", text)
	}
	if s.next, err = strconv.ParseUint(parts[1], 10, 64); err != nil {
		return s, fmt.Errorf("reading the snapshot: %w", err)
	}
	for id := range strings.SplitSeq(parts[2], ",") {
		if id == "" {
			continue
		}
		xid, err := strconv.ParseUint(id, 10, 64)
		if err != nil {
			return s, fmt.Errorf("reading the snapshot: %w", err)
		}
		s.running = append(s.running, xid)
	}
	return s, nil
}

// args returns what unseenSQL takes for an environment.
func (s snapshot) args(environment int64) []any {
	running := make([]string, len(s.running))
	for i, xid := range s.running {
		running[i] = strconv.FormatUint(xid, 10)
	}
	return []any{environment, strconv.FormatUint(s.next, 10), running}
}

// unseenSQL asks for the rows of an environment that a snapshot does not see, by the column of the
// transaction that wrote them last. Those are the rows of later transactions and of those that were
// running, and no others: however long a transaction runs, in whichever database of the cluster, what
// was seen is not read again. Each half is a range of the index on environment and transaction, which has the
// environment as the expression that is written here, so that no other query takes it, and this one
// takes no other. See [postgres.Reader.Route] for distributed databases.
func unseenSQL(columns, table, xid string) string {
	half := `select ` + columns + ` from ` + table +
		` where ` + postgres.OfEnvironment + ` environment_id + 0 = $1 and ` + xid
	return half + ` >= $2::text::xid8 union all ` + half + ` = any ($3::text[]::xid8[])`
}

// catalogued is what is known of a home day before it is loaded.
type catalogued struct {
	bounds
	rows int64 // when the catalogue was read
}

// homeDays returns the home days of an environment's rows, found by leaps through the index.
func (t *table) homeDays(ctx context.Context, q querier, environment int64) ([]time.Time, error) {
	rows, err := q.Query(ctx, `
		with recursive days (home_day) as (
			select min(home_day) from `+t.name+` where environment_id = $1
			union all
			select (select min(home_day) from `+t.name+` where environment_id = $1 and home_day > days.home_day) from days
			where home_day is not null
		) select home_day from days where home_day is not null`, environment)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[time.Time])
}

// catalogue returns what is known of home days before they are loaded: how many rows they have, and bounds of what
// these rows have, which are at least those of the day. Days are asked for one by one, because together they may take
// longer than a database may be silent; progress is called after each.
func (t *table) catalogue(
	ctx context.Context, q querier, environment int64, dates []time.Time, progress func(),
) (map[dayKey]catalogued, error) {
	days := make(map[dayKey]catalogued, len(dates))
	for _, date := range dates {
		c, whole := catalogued{}, bounds{date.UnixMilli(), date.AddDate(0, 0, 1).UnixMilli() - 1}
		if err := q.QueryRow(ctx, t.countSQL, environment, date).Scan(&c.rows); err != nil {
			return nil, err
		}
		if c.rows > 0 { // otherwise the day's last row has just gone
			var first, last *time.Time
			if err := q.QueryRow(ctx, t.boundsSQL, environment, date).Scan(&first, &last); err != nil {
				return nil, err
			}
			c.bounds = whole
			if first != nil {
				c.bounds = whole.join(bounds{first.UnixMilli(), last.UnixMilli()})
			}
			days[dayKey{t.rows, frame.Day(date)}] = c
		}
		progress()
	}
	return days, nil
}

// bytesOfRow returns how many bytes a row takes in a frame, judged by some of the latest.
func (t *table) bytesOfRow(ctx context.Context, q querier, environment int64) (float64, error) {
	var hits float64
	err := q.QueryRow(ctx, `select coalesce(avg(`+t.hitCount+`), 0) from (
		select hits from `+t.name+` where environment_id = $1 order by home_day desc
		limit 1000) latest`, environment).Scan(&hits)
	return float64(t.rows.RowBytes()) + hits*frame.HitBytes, err
}

// name is what an id in hits stands for.
type name struct {
	id   int32
	kind int16
	text string
}

// readNames returns all names of an environment, or those of the given ids.
func (t *table) readNames(ctx context.Context, q querier, environment int64, ids []int32) ([]name, error) {
	sql, args := `select id, kind, text from `+t.names+` where environment_id = $1`, []any{environment}
	if ids != nil {
		sql, args = sql+` and id = any($2)`, append(args, ids)
	}
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (n name, err error) {
		return n, row.Scan(&n.id, &n.kind, &n.text)
	})
}

const touchColumns = `app_user_id, first_seen_at, custom_user_id, source, campaign, country, platform, device, ` +
	`medium, referrer_host, organic, organic_unknown`

var touchFormats = formats(strings.Split(touchColumns, ", "), "first_seen_at", "organic", "organic_unknown")

// decodeTouch reads a row of touchColumns into t. The strings alias the row.
func decodeTouch(raw [][]byte, t *frame.FirstTouch) {
	t.Visitor, t.FirstSeen, t.CustomUserID = text(raw[0]), decodeMillis(raw[1]), text(raw[2])
	t.Source, t.Campaign, t.Country = text(raw[3]), text(raw[4]), text(raw[5])
	t.Platform, t.Device = text(raw[6]), text(raw[7])
	t.Medium, t.ReferrerHost = text(raw[8]), text(raw[9])
	t.Organic, t.OrganicUnknown = raw[10][0] != 0, raw[11][0] != 0
}

// bookedLedger is the ledger's rows whose dollars are known: what is not converted is in no report of people.
const bookedLedger = `(select * from revenue_ledger where amount_micros is not null) as booked`

const purchaseColumns = `id, app_user_id, occurred_at, provider, kind, amount_micros, product_id`

var purchaseFormats = formats(strings.Split(purchaseColumns, ", "), "id", "occurred_at", "amount_micros")

// purchaseKinds maps the kinds of the ledger onto those of reports: a trial is a first charge of nothing, and what
// takes a charge back, or gives it again, nets with it.
var purchaseKinds = map[string]frame.PurchaseKind{
	"trial": frame.Originating, "originating": frame.Originating, "renewal": frame.Renewal, "refund": frame.Refund,
	"refund_reversal": frame.Refund, "chargeback": frame.Refund, "chargeback_reversal": frame.Refund,
}

// decodePurchase reads a row of purchaseColumns. Its identity counts: a row may be joined to a person later.
func decodePurchase(raw [][]byte) (frame.Purchase, error) {
	p := frame.Purchase{
		ID: decodeInt(raw[0]), Visitor: string(raw[1]), At: decodeMillis(raw[2]), AmountMicros: decodeInt(raw[5]),
		Product: string(raw[6]),
	}
	var known bool
	if p.Provider, known = analytics.ParseProvider(string(raw[3])); !known {
		return p, fmt.Errorf("ledger row %d: unknown provider %q", p.ID, raw[3])
	}
	if p.Kind, known = purchaseKinds[string(raw[4])]; !known {
		return p, fmt.Errorf("ledger row %d: unknown kind %q", p.ID, raw[4])
	}
	return p, nil
}
