package figures

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics"
)

var (
	//go:embed spans.sql
	spansSQL string
	//go:embed states.sql
	statesSQL string
	//go:embed movement.sql
	movementSQL string
	//go:embed trials.sql
	trialsSQL string
)

// State is the subscriptions at a moment.
type State struct {
	Active      int64 // paid and not expired, also in a grace period
	Trials      int64 // not expired
	MRR         int64 // monthly recurring revenue in micro-dollars
	Unconverted int64 // paid subscriptions whose dollars are not known, which are not in MRR
}

// ARR is twelve months of MRR.
func (s *State) ARR() int64 { return 12 * s.MRR }

// change is how a state changes in a bucket.
type change struct {
	State
	churned int64
}

func (s *State) add(c change) {
	s.Active, s.Trials, s.MRR = s.Active+c.Active, s.Trials+c.Trials, s.MRR+c.MRR
	s.Unconverted += c.Unconverted
}

// Movement is why MRR at the end of a bucket is not that at its start, in micro-dollars: it is larger by New,
// Reactivation and Expansion and smaller by Contraction and Churn.
type Movement struct{ New, Reactivation, Expansion, Contraction, Churn int64 }

// SubscriptionPoint is the subscriptions at the end of a bucket, and what became of them in it.
type SubscriptionPoint struct {
	Bucket        time.Time
	State         State
	Movement      Movement
	ActiveAtStart int64
	Churned       int64 // paid subscriptions that expired in the bucket and are not active at its end
}

// ChurnRate is Churned ÷ ActiveAtStart, nil when none was.
func (p *SubscriptionPoint) ChurnRate() *float64 { return ratio(p.Churned, p.ActiveAtStart) }

// Subscriptions is the subscriptions of a range: at its end, what became of them in it, and the trials that began in
// it.
type Subscriptions struct {
	SubscriptionPoint
	Trials Trials
}

// Subscriptions returns the subscriptions of the range.
func (r *Reader) Subscriptions(ctx context.Context) (*Subscriptions, error) {
	points, err := r.points(ctx, []time.Time{r.scope.Start, r.scope.End})
	if err != nil {
		return nil, err
	}
	found := &Subscriptions{SubscriptionPoint: points[0]}
	return found, r.trials(ctx, "", func(_ string, t Trials) { found.Trials = t })
}

// SubscriptionSeries returns the subscriptions of every bucket of the range. Buckets that the range clips are clipped.
func (r *Reader) SubscriptionSeries(ctx context.Context, grain analytics.Grain) ([]SubscriptionPoint, error) {
	bounds, err := analytics.Buckets(grain, r.scope.Start, r.scope.End, r.scope.Location)
	if err != nil || len(bounds) == 1 {
		return []SubscriptionPoint{}, err
	}
	clipped := make([]time.Time, len(bounds))
	copy(clipped, bounds)
	clipped[0], clipped[len(bounds)-1] = r.scope.Start, r.scope.End
	points, err := r.points(ctx, clipped)
	for i := range points {
		points[i].Bucket = bounds[i]
	}
	return points, err
}

// until returns the bounds with now for those that are not reached.
func (r *Reader) until(bounds []time.Time) []time.Time {
	reached := make([]time.Time, len(bounds))
	for i, bound := range bounds {
		if reached[i] = bound; bound.After(r.now) {
			reached[i] = r.now
		}
	}
	return reached
}

// points returns the subscriptions of the buckets between bounds.
func (r *Reader) points(ctx context.Context, bounds []time.Time) ([]SubscriptionPoint, error) {
	bounds = r.until(bounds)
	changes, movements := make([]change, len(bounds)), make([]Movement, len(bounds))
	if err := r.changes(ctx, "", bounds, func(bucket int, _ string, c change) {
		if bucket < len(bounds) {
			changes[bucket] = c
		}
	}); err != nil {
		return nil, err
	}
	if err := r.movements(ctx, bounds, func(bucket int, m Movement) {
		if bucket < len(bounds) {
			movements[bucket] = m
		}
	}); err != nil {
		return nil, err
	}
	points := make([]SubscriptionPoint, len(bounds)-1)
	var state State
	state.add(changes[0])
	for i := range points {
		points[i].Bucket, points[i].ActiveAtStart = bounds[i], state.Active
		state.add(changes[i+1])
		points[i].State, points[i].Movement, points[i].Churned = state, movements[i+1], changes[i+1].churned
	}
	return points, nil
}

// periods returns a query of the periods that began before the last bound.
func (r *Reader) periods(text string, bounds []time.Time) *query {
	q := newQuery(text, pgx.StrictNamedArgs{
		"environment": r.scope.EnvironmentID, "end": bounds[len(bounds)-1], "bounds": bounds,
	})
	q.filter(r.scope.Filters)
	return q
}

func (r *Reader) changes(
	ctx context.Context, by Dimension, bounds []time.Time, each func(bucket int, value string, c change),
) error {
	q := r.periods(statesSQL, bounds)
	q.args["most"] = maxRows
	name, err := r.breakDown(ctx, q, by)
	if err != nil {
		return err
	}
	rows, err := r.pool.Query(ctx, q.sql(), q.args)
	if err != nil {
		return fmt.Errorf("follow subscriptions: %w", err)
	}
	var bucket int
	var value string
	var c change
	_, err = pgx.ForEachRow(
		rows, []any{&bucket, &value, &c.Active, &c.Trials, &c.MRR, &c.Unconverted, &c.churned}, func() error {
			each(bucket, name(value), c)
			return nil
		})
	if err != nil {
		return fmt.Errorf("follow subscriptions: %w", err)
	}
	return nil
}

func (r *Reader) movements(ctx context.Context, bounds []time.Time, each func(bucket int, m Movement)) error {
	q := r.periods(movementSQL, bounds)
	rows, err := r.pool.Query(ctx, q.sql(), q.args)
	if err != nil {
		return fmt.Errorf("follow recurring revenue: %w", err)
	}
	var bucket int
	var m Movement
	_, err = pgx.ForEachRow(
		rows, []any{&bucket, &m.New, &m.Reactivation, &m.Expansion, &m.Contraction, &m.Churn}, func() error {
			each(bucket, m)
			return nil
		})
	if err != nil {
		return fmt.Errorf("follow recurring revenue: %w", err)
	}
	return nil
}

// Trials is what became of trials by now.
type Trials struct {
	Started   int64
	Converted int64 // a paid period of the subscription followed
	Pending   int64 // not converted, to be renewed and not expired
}

// Abandoned is the other trials.
func (t *Trials) Abandoned() int64 { return t.Started - t.Converted - t.Pending }

// ConversionRate is Converted ÷ Started, nil without any.
func (t *Trials) ConversionRate() *float64 { return ratio(t.Converted, t.Started) }

// PendingRate is Pending ÷ Started, nil without any.
func (t *Trials) PendingRate() *float64 { return ratio(t.Pending, t.Started) }

// AbandonedRate is Abandoned ÷ Started, nil without any.
func (t *Trials) AbandonedRate() *float64 { return ratio(t.Abandoned(), t.Started) }

func (t *Trials) add(more Trials) {
	t.Started, t.Converted, t.Pending = t.Started+more.Started, t.Converted+more.Converted, t.Pending+more.Pending
}

func (r *Reader) trials(ctx context.Context, by Dimension, each func(value string, t Trials)) error {
	q := newQuery(trialsSQL, pgx.StrictNamedArgs{
		"environment": r.scope.EnvironmentID, "start": r.scope.Start, "end": r.scope.End, "now": r.now, "most": maxRows,
	})
	q.filter(r.scope.Filters)
	name, err := r.breakDown(ctx, q, by)
	if err != nil {
		return err
	}
	rows, err := r.pool.Query(ctx, q.sql(), q.args)
	if err != nil {
		return fmt.Errorf("count trials: %w", err)
	}
	var value string
	var t Trials
	_, err = pgx.ForEachRow(rows, []any{&value, &t.Started, &t.Converted, &t.Pending}, func() error {
		each(name(value), t)
		return nil
	})
	if err != nil {
		return fmt.Errorf("count trials: %w", err)
	}
	return nil
}
