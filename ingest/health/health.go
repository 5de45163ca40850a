// Package health tells what ingest did: what it accepted, refused and ignored,
// how many events and visitors each hour had, and how late events arrive.
//
// Counts of receipt come from ingest_stat. Events, visitors and delays come from
// the continuous aggregate product_event_hourly where the database keeps it with
// sketches, else exactly from the raw events.
package health

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
)

// Grain is the length of a point.
type Grain string

// The two grains, both in UTC.
const (
	Hour Grain = "hour"
	Day  Grain = "day"
)

// maxPoints bounds the points of one answer: a quarter of a year of hours.
const maxPoints = 2400

// Counts are what happened in a range or in one point of it.
type Counts struct {
	// By hour of receipt.
	Accepted, Duplicates, Ignored, Rejected int64
	// By the hour that events happened in.
	Events, Visitors int64
}

// Point is the counts of one hour or day.
type Point struct {
	Bucket time.Time
	Counts
}

// Rejection is how many events were refused with a code, and what the latest of them were like, the latest first.
type Rejection struct {
	Code    string
	Count   int64
	Samples []*ingest.RejectSample
}

// Delay is how many seconds pass from an event to its receipt.
type Delay struct{ P50, P90, P99 float64 }

// Health is the state of ingest over a range of whole hours.
type Health struct {
	Start, End           time.Time
	Exact                bool // false when visitors and delay come from sketches
	Totals               Counts
	RejectedBy           []Rejection // by code
	NamesOverBudget      int64       // of product and flow hits
	SessionHitsOverLimit int64
	RunHitsOverLimit     int64 // of runs whose first hit is in the range, as is the next
	RunsWithoutStart     int64 // a derived key whose runs all lost their start counts once
	// ServedLeftOut counts, on the UTC days that the range has any hour of, who was given an arm of an experiment and not
	// noted, because the environment had its most people for the day, or the database was away.
	ServedLeftOut  int64
	CorrectedTimes int64  // accepted events of all paths whose client's clock was wrong
	Delay          *Delay // nil without events
	Points         []Point
}

// Read answers for one environment. The range is widened to whole hours; zero
// times mean the last seven UTC days. Errors are FieldErrors, or those of the
// database.
func Read(
	ctx context.Context, db *postgres.DB, environment int64, start, end time.Time, grain Grain, now time.Time,
) (*Health, error) {
	if start.IsZero() && end.IsZero() {
		day := now.UTC().Truncate(24 * time.Hour)
		start, end = day.AddDate(0, 0, -6), now
	}
	if end.Before(start) {
		return nil, analytics.Invalid("range.end", "the end is before the start")
	}
	h := &Health{Start: start.UTC().Truncate(time.Hour), End: ceilHour(end.UTC())}
	if err := h.makePoints(grain); err != nil {
		return nil, err
	}
	storage, err := db.EventStorage(ctx)
	if err != nil {
		return nil, err
	}
	h.Exact = !storage.HourlySketches
	if err := h.readStats(ctx, db, environment, grain); err != nil {
		return nil, err
	}
	if err := h.readRuns(ctx, db, environment); err != nil {
		return nil, err
	}
	if err := h.readServed(ctx, db, environment); err != nil {
		return nil, err
	}
	if err := h.readEvents(ctx, db, environment, grain); err != nil {
		return nil, err
	}
	return h, nil
}

func ceilHour(t time.Time) time.Time {
	if cut := t.Truncate(time.Hour); cut.Before(t) {
		return cut.Add(time.Hour)
	}
	return t
}

func (h *Health) makePoints(grain Grain) error {
	step := time.Hour
	if grain == Day {
		step = 24 * time.Hour
	}
	h.Points = []Point{}
	for at := h.Start.Truncate(step); at.Before(h.End); at = at.Add(step) {
		if len(h.Points) == maxPoints {
			return analytics.Invalid("range", "more than %d points; ask for days or a shorter range", maxPoints)
		}
		h.Points = append(h.Points, Point{Bucket: at})
	}
	return nil
}

// point finds the point of a bucket; every bucket of the range has one.
func (h *Health) point(bucket time.Time) *Point {
	i, found := slices.BinarySearchFunc(h.Points, bucket, func(p Point, t time.Time) int { return p.Bucket.Compare(t) })
	if !found {
		return &Point{} // a row outside the range, which the query does not give
	}
	return &h.Points[i]
}

func (h *Health) readStats(ctx context.Context, db *postgres.DB, environment int64, grain Grain) error {
	rows, err := db.Pool.Query(ctx, `
		select date_trunc($4, hour, 'UTC'), path, accepted, duplicates, ignored, rejected, names_over_budget,
		session_hits_over_limit, skewed
		from ingest_stat
		where environment_id = $1 and hour >= $2 and hour < $3
		order by hour`, environment, h.Start, h.End, string(grain))
	if err != nil {
		return fmt.Errorf("read ingest counts: %w", err)
	}
	codes := map[string]int64{}
	var bucket time.Time
	var path ingest.Path
	var accepted, duplicates, ignored, names, hits, skewed int64
	var rejected []byte
	_, err = pgx.ForEachRow(rows, []any{
		&bucket, &path, &accepted, &duplicates, &ignored, &rejected, &names, &hits, &skewed,
	}, func() error {
		h.CorrectedTimes += skewed
		h.NamesOverBudget += names
		if path != ingest.PathProduct {
			return nil
		}
		var byCode map[string]int64
		if err := json.Unmarshal(rejected, &byCode); err != nil {
			return err
		}
		refused := int64(0)
		for code, n := range byCode {
			codes[code] += n
			refused += n
		}
		for _, c := range []*Counts{&h.Totals, &h.point(bucket.UTC()).Counts} {
			c.Accepted += accepted
			c.Duplicates += duplicates
			c.Ignored += ignored
			c.Rejected += refused
		}
		h.SessionHitsOverLimit += hits
		return nil
	})
	if err != nil {
		return fmt.Errorf("read ingest counts: %w", err)
	}
	h.RejectedBy = []Rejection{}
	if len(codes) == 0 {
		return nil
	}
	samples, err := readSamples(ctx, db, environment)
	if err != nil {
		return err
	}
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		h.RejectedBy = append(h.RejectedBy, Rejection{code, codes[code], samples[code]})
	}
	return nil
}

// readSamples reads what the latest refused product events were like, by code.
func readSamples(
	ctx context.Context, db *postgres.DB, environment int64,
) (map[string][]*ingest.RejectSample, error) {
	rows, err := db.Pool.Query(ctx, `
		select code, samples from ingest_reject_sample where environment_id = $1 and path = $2`,
		environment, int16(ingest.PathProduct))
	if err != nil {
		return nil, fmt.Errorf("read samples of refused events: %w", err)
	}
	samples := map[string][]*ingest.RejectSample{}
	var code string
	var latest []*ingest.RejectSample
	if _, err := pgx.ForEachRow(rows, []any{&code, &latest}, func() error {
		samples[code], latest = latest, nil
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read samples of refused events: %w", err)
	}
	return samples, nil
}

// readRuns counts what runs of the range are not whole.
func (h *Health) readRuns(ctx context.Context, db *postgres.DB, environment int64) error {
	err := db.Pool.QueryRow(ctx, `
		select coalesce(sum(hits_over_limit), 0)::bigint, count(*) filter (where not started) from flow_run
		where environment_id = $1 and first_at >= $2 and first_at < $3 and (not started or hits_over_limit > 0)`,
		environment, h.Start, h.End).Scan(&h.RunHitsOverLimit, &h.RunsWithoutStart)
	if err != nil {
		return fmt.Errorf("count runs that are not whole: %w", err)
	}
	return nil
}

// readServed counts whom experiments were served to without being noted.
func (h *Health) readServed(ctx context.Context, db *postgres.DB, environment int64) error {
	err := db.Pool.QueryRow(ctx, `
		select coalesce(sum(left_out), 0)::bigint from experiment_served_count
		where environment_id = $1 and day >= ($2::timestamptz at time zone 'UTC')::date
			and day < $3::timestamptz at time zone 'UTC'`, environment, h.Start, h.End).Scan(&h.ServedLeftOut)
	if err != nil {
		return fmt.Errorf("count who was served and not noted: %w", err)
	}
	return nil
}

// The two ways to count events, visitors and delay. Both give the totals in the
// row without a bucket. A delay below zero is a clock ahead of the server.
var (
	exactSQL = `
		select date_trunc($4, occurred_at, 'UTC') as point, count(*), count(distinct app_user_id),
		       case when grouping(date_trunc($4, occurred_at, 'UTC')) = 1 then
		           percentile_cont(array[0.5, 0.9, 0.99]) within group (order by extract(epoch
		from received_at - occurred_at)::double precision)
		       end
		from product_event
		where environment_id = $1 and occurred_at >= $2 and occurred_at < $3
			and ` + postgres.WithinTime(`$2`, `$3`) + `
		group by grouping sets ((), (date_trunc($4, occurred_at, 'UTC')))`
	sketchSQL = `
		with hours as (
			select date_trunc($4, bucket, 'UTC') as point, events, visitors, receive_delay
			from product_event_hourly
			where environment_id = $1 and bucket >= $2 and bucket < $3
		)
		select null::timestamptz, coalesce(sum(events), 0)::bigint, coalesce(distinct_count(rollup(visitors)), 0)::bigint,
		       array[approx_percentile(0.5, rollup(receive_delay)), approx_percentile(0.9, rollup(receive_delay)),
		approx_percentile(0.99, rollup(receive_delay))]
		from hours
		union all
		select point, sum(events)::bigint, distinct_count(rollup(visitors))::bigint, null
		from hours
		group by point`
)

func (h *Health) readEvents(ctx context.Context, db *postgres.DB, environment int64, grain Grain) error {
	query := sketchSQL
	if h.Exact {
		query = exactSQL
	}
	rows, err := db.Pool.Query(ctx, query, environment, h.Start, h.End, string(grain))
	if err != nil {
		return fmt.Errorf("read event counts: %w", err)
	}
	var bucket *time.Time
	var events, visitors int64
	var delays []*float64
	_, err = pgx.ForEachRow(rows, []any{&bucket, &events, &visitors, &delays}, func() error {
		if bucket != nil {
			p := h.point(bucket.UTC())
			p.Events, p.Visitors = events, visitors
			return nil
		}
		h.Totals.Events, h.Totals.Visitors = events, visitors
		if events == 0 {
			return nil
		}
		if len(delays) != 3 || slices.Contains(delays, nil) {
			return errors.New("the delay percentiles are missing")
		}
		h.Delay = &Delay{*delays[0], *delays[1], *delays[2]}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read event counts: %w", err)
	}
	return nil
}
