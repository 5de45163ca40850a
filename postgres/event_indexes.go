package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// eventIndex is an index of an event table. Every one is paid for on each stored event, so each names the read it
// exists for. The tenant key leads all of them; what ascends with the time of arrival fills its pages to nine tenths,
// while a descending key splits them in halves.
type eventIndex struct {
	name, table, definition string
	only                    tableKind // how the table is stored
}

const kindAny = kindAbsent

// commonNames make up most of the rows. They are found by time; an index has each by its place here.
var commonNames = []string{"page_view", "screen_view", "session_start"}

// IsRare is the condition in SQL for product events of other names.
var IsRare = "name not in ('" + strings.Join(commonNames, "', '") + "')"

var eventIndexes = []eventIndex{
	// Recent events, export, ingest health of a range, and the look for imported events. On native partitions events of
	// five minutes share one key: with their time each has its own, which takes five times as much. Compressed chunks
	// have no such index, and are in the order of time.
	// Behind the five minutes is what the pages of recent events find dense ones by: who has a public key may send
	// 300,000 a minute. An index of their own for these was a sixth of what is logged of each. The three take 8 bytes.
	{"product_event_bin_tenth", "product_event", "(environment_id, (" + binOf("occurred_at") + "), (" +
		tenthInBin.dense() + "), (" + denseCommon + "))", kindPartitioned},
	// Those of one moment.
	{"product_event_moment", "product_event", "(environment_id, name, occurred_at, event_key) where density = 2",
		kindPartitioned},
	{"product_event_time", "product_event", "(environment_id, occurred_at)", kindHypertable},
	// What roles that write SQL of their own ask by time alone (svc_read.events).
	{"product_event_range", "product_event", "using brin (occurred_at)", kindPartitioned},
	// Who did something rare (people of a segment). Without it a rare name scans every event of the range; the three
	// names that make up most of the rows are found by time. Events of a name and UTC day share one key: with their time
	// in it each has its own, which takes eight times as much. Dense ones have their tenth of a second besides, for the
	// pages of recent events.
	{"product_event_rare_tenth", "product_event",
		"(environment_id, name, " + DayOf("occurred_at") + ", (" + tenthOfDay.dense() + ")) where " + IsRare,
		kindPartitioned},
	{"product_event_rare_day", "product_event",
		"(environment_id, name, " + DayOf("occurred_at") + ") where " + IsRare, kindHypertable},
	// A person's events: recent events of an audience, erasure, rebuild. Without more columns all rows of one person
	// share one key, which takes 7 bytes an event where session and time beside it took 126.
	{"product_event_person", "product_event", "(environment_id, app_user_id)", kindAny},
	// Every flow report starts from one flow and a range.
	{"flow_event_flow", "flow_event", "(environment_id, flow_id, occurred_at)", kindAny},
	// What people typed, which no run holds (responses): one flow event in fourteen. Without it all events of the flow in
	// the range are read.
	{"flow_event_typed", "flow_event", "(environment_id, flow_id, occurred_at) where name = 'text_submitted'", kindAny},
	// A person's runs, erasure, and the look for imported events.
	{"flow_event_visitor", "flow_event", "(environment_id, app_user_id, occurred_at)", kindAny},
	// Recent track events and export. Erasure of a person scans the range: it is rare, and this table is the least read.
	{"track_event_bin", "track_event", "(environment_id, (" + binOf("occurred_at") + "))", kindPartitioned},
	{"track_event_time", "track_event", "(environment_id, occurred_at)", kindHypertable},
}

// retiredEventIndexes are those of older versions.
var retiredEventIndexes = []string{
	"product_event_recent", "product_event_name", "product_event_visitor", "track_event_recent", "product_event_rare_name",
	"product_event_minutes", "product_event_minute_density", "product_event_tenth", "product_event_rare_density",
	"product_event_minute_tenth", "track_event_minutes",
}

// binOf is the number of the five minutes that a time is in, counted from 1970, both in SQL. As a number of 4 bytes it
// leaves room in a key for what follows it, where their begin takes 8. Infinite times have one, as bounds.
func binOf(time string) string {
	return "floor(date_part('epoch', least(greatest(" + time + ", timestamptz '0001-01-01 00:00:00+00'), " +
		"timestamptz '9999-12-31 00:00:00+00') - " + epoch + ") / 300)::int"
}

// ensureTimeBin makes the function time_bin, which says what the indexes of product and track events by time have of a
// time: the number of its five minutes on native partitions, the time itself on hypertables. Readers name it beside
// occurred_at, to which partitions and chunks belong (WithinTime, InTime). The database puts the function's text in its
// place, so that an index is found by it; none is made of it, so that it may change when a table is moved. What servers
// of the version before call, index_time, is left to them.
func ensureTimeBin(ctx context.Context, tx pgx.Tx, kind tableKind) error {
	result, body := "int", "select "+binOf("moment")
	if kind == kindHypertable {
		result, body = "timestamptz", "select moment"
	}
	var found string
	if err := tx.QueryRow(ctx, `
		select coalesce((select prosrc from pg_proc where oid = to_regprocedure('time_bin(timestamptz)')), '')`,
	).Scan(&found); err != nil || found == body {
		return err
	}
	_, err := tx.Exec(ctx, "drop function if exists time_bin(timestamptz); create function time_bin(moment timestamptz) "+
		"returns "+result+" language sql immutable parallel safe as $$"+body+"$$")
	return err
}

// WithinTime is the condition in SQL by which the indexes find the product and track events of a range of occurred_at,
// besides the range itself. The bounds, in SQL as well, are timestamps with a time zone.
func WithinTime(from, until string) string {
	return TimeBin("occurred_at") + " between " + TimeBin(from) + " and " + TimeBin(until)
}

// TimeBin is what the indexes of product and track events by time have of a time, both in SQL.
func TimeBin(time string) string { return "time_bin(" + time + ")" }

// InTime is the order in SQL by which product and track events are read by time, the earliest first: that of the
// index, in which what shares a key is put in order.
const InTime = "time_bin(occurred_at), occurred_at"

// LongRead lets a transaction take its time to read events in the order of time, and put those of five minutes in order
// in memory: 14 MB where 278 came a second, twice as fast as on disk.
const LongRead = "set local statement_timeout = 0; set local work_mem = '64MB'"

// DayOf is the UTC day of a time, both in SQL.
func DayOf(time string) string { return "((" + time + " at time zone 'UTC')::date)" }

// DaysOfEvents is the condition in SQL by which the index of rare product events finds those of a range of occurred_at
// besides the range itself. The bounds, in SQL as well, are timestamps with a time zone.
func DaysOfEvents(from, until string) string {
	return DayOf("occurred_at") + " between " + DayOf(from) + " and " + DayOf(until)
}

// ensureEventIndexes makes the missing indexes, and drops those of older versions when the new ones are there.
// Events can be written meanwhile: on native partitions all the time, on hypertables to all chunks but the one whose
// index is being made.
func ensureEventIndexes(ctx context.Context, conn *pgx.Conn, opts MigrateOptions) error {
	retired := slices.Clone(retiredEventIndexes)
	for _, index := range eventIndexes {
		kind, err := eventTableKind(ctx, conn, index.table)
		if err != nil {
			return err
		}
		if index.only != kindAny && index.only != kind {
			retired = append(retired, index.name)
			continue
		}
		if err := ensureEventIndex(ctx, conn, index, kind, opts); err != nil {
			return fmt.Errorf("making the index %s: %w", index.name, err)
		}
	}
	for _, name := range retired {
		found, err := indexState(ctx, conn, name)
		if err != nil || found == indexAbsent {
			if err != nil {
				return err
			}
			continue
		}
		if _, err := conn.Exec(ctx, "drop index if exists "+name); err != nil {
			return fmt.Errorf("dropping the index %s: %w", name, err)
		}
		opts.Logger.Info("dropped an index that is not needed any more", "index", name)
	}
	return nil
}

func ensureEventIndex(
	ctx context.Context, conn *pgx.Conn, index eventIndex, kind tableKind, opts MigrateOptions,
) error {
	state, err := indexState(ctx, conn, index.name)
	if err != nil || state == indexValid {
		return err
	}
	opts.Logger.Debug("making an index", "index", index.name)
	if kind == kindHypertable {
		// A chunk at a time, each in a transaction of its own. What an interrupted attempt left is made anew.
		if state == indexInvalid {
			if _, err := conn.Exec(ctx, "drop index "+index.name); err != nil {
				return err
			}
		}
		columns, where, _ := strings.Cut(index.definition, " where ")
		if where != "" {
			where = " where " + where
		}
		_, err := conn.Exec(
			ctx, "create index "+index.name+" on "+index.table+" "+columns+" with (timescaledb.transaction_per_chunk)"+where,
		)
		return err
	}
	return ensurePartitionedIndex(ctx, conn, index)
}

// ensurePartitionedIndex makes the index of the parent, which partitions that are made from now on follow, then those
// of the partitions that exist, and attaches them. The parent's is valid when all of them are attached.
func ensurePartitionedIndex(ctx context.Context, conn *pgx.Conn, index eventIndex) error {
	if _, err := conn.Exec(
		ctx, "create index if not exists "+index.name+" on only "+index.table+" "+index.definition,
	); err != nil {
		return err
	}
	rows, err := conn.Query(ctx, `
		select p.inhrelid::regclass::text from pg_inherits p
		where p.inhparent = $1::text::regclass and not exists (
			select from pg_index x join pg_inherits i on i.inhrelid = x.indexrelid
			where x.indrelid = p.inhrelid and i.inhparent = $2::text::regclass)
		order by 1`, index.table, index.name)
	if err != nil {
		return err
	}
	partitions, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	slices.Reverse(partitions) // the newest first
	suffix := strings.TrimPrefix(index.name, index.table)
	for _, partition := range partitions {
		name := partition + suffix
		for _, sql := range []string{
			"drop index concurrently if exists " + name, // what an interrupted attempt left
			"create index concurrently " + name + " on " + partition + " " + index.definition,
			"alter index " + index.name + " attach partition " + name,
			"analyze " + partition, // else nothing is known of what the index computes, and pages are read by sorting all
		} {
			if _, err := conn.Exec(ctx, sql); err != nil {
				return fmt.Errorf("partition %s: %w", partition, err)
			}
		}
	}
	return nil
}

type indexStatus int

const (
	indexAbsent indexStatus = iota
	indexInvalid
	indexValid
)

func indexState(ctx context.Context, q querier, name string) (indexStatus, error) {
	var state indexStatus
	err := q.QueryRow(ctx, `
		select coalesce((select 1 + indisvalid::int from pg_index where indexrelid = to_regclass($1)), 0)`, name).Scan(&state)
	if err != nil {
		return indexAbsent, fmt.Errorf("looking up the index %s: %w", name, err)
	}
	return state, nil
}
