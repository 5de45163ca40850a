package alerting

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/alert"
	"github.com/svc-dev/svc/analytics/report"
)

// shared are what reports said of scopes: alerts of one environment often ask for the same.
type shared struct {
	reports Reports
	now     time.Time
	series  map[string]map[time.Time]report.Metrics
	active  map[string][]bool
}

func newShared(reports Reports, now time.Time) *shared {
	return &shared{reports, now, map[string]map[time.Time]report.Metrics{}, map[string][]bool{}}
}

func (s *shared) selectRange(
	ctx context.Context, environment int64, scope analytics.Scope, start, end time.Time,
) (*report.Selection, error) {
	scope.Start, scope.End = start, end
	return s.reports.Select(ctx, environment, scope, false, false, s.now)
}

// keyOf tells apart what reports are asked for.
func keyOf(environment int64, scope analytics.Scope, start, end time.Time, grain analytics.Grain) string {
	filters, err := json.Marshal(scope.Cross)
	if err != nil { // of texts there is none
		panic(err)
	}
	segment := ""
	if scope.Segment != nil {
		segment = scope.Segment.ID
	}
	return fmt.Sprintf("%d %s %s %s %d %d %s %s",
		environment, scope.Location, scope.Platform, segment, start.Unix(), end.Unix(), grain, filters)
}

func (s *shared) metrics(
	ctx context.Context, environment int64, scope analytics.Scope, start, end time.Time, grain analytics.Grain,
) (map[time.Time]report.Metrics, error) {
	key := keyOf(environment, scope, start, end, grain)
	if known, ok := s.series[key]; ok {
		return known, nil
	}
	selection, err := s.selectRange(ctx, environment, scope, start, end)
	if err != nil {
		return nil, err
	}
	points, err := selection.Series(ctx, grain)
	if err != nil {
		return nil, err
	}
	found := make(map[time.Time]report.Metrics, len(points))
	for _, p := range points {
		found[p.Bucket.UTC()] = p.Metrics
	}
	s.series[key] = found
	return found, nil
}

func (s *shared) minutes(
	ctx context.Context, environment int64, scope analytics.Scope, start, end time.Time,
) ([]bool, error) {
	key := keyOf(environment, scope, start, end, "")
	if known, ok := s.active[key]; ok {
		return known, nil
	}
	selection, err := s.selectRange(ctx, environment, scope, start, end)
	if err != nil {
		return nil, err
	}
	active, err := selection.ActiveMinutes(ctx)
	if err == nil {
		s.active[key] = active
	}
	return active, err
}

// scopeOf returns what reports are asked for.
func (a *Alerting) scopeOf(ctx context.Context, w *watched) (analytics.Scope, error) {
	scope := w.rule.Scope()
	scope.Lapse = time.Duration(w.Lapse) * time.Minute
	if id := w.rule.SegmentID; id != nil {
		var err error
		if scope.Segment, err = a.Studio.Audience(ctx, w.App, *id, "rule.segmentId"); err != nil {
			return scope, err
		}
		if scope.Segment.Rules != nil {
			scope.Segment.Rules.Lapse = scope.Lapse
		}
	}
	if !w.rule.NeedsGoals() {
		return scope, nil
	}
	goals, err := a.Studio.Goals(ctx, w.App)
	// Other goals need not be known.
	scope.Goals = slices.DeleteFunc(goals, func(g analytics.Goal) bool { return !w.rule.Needs(g.ID) })
	return scope, err
}

// reader reads the values of a rule's metric.
type reader struct {
	ctx         context.Context
	shared      *shared
	environment int64
	scope       analytics.Scope
	rule        *alert.Rule
	values      map[time.Time]*float64
	all         bool // values has all that there are
	err         error
}

func (a *Alerting) newReader(ctx context.Context, shared *shared, w *watched) (*reader, error) {
	scope, err := a.scopeOf(ctx, w)
	if err != nil {
		return nil, err
	}
	return &reader{
		ctx: ctx, shared: shared, environment: w.Environment, scope: scope, rule: &w.rule, values: map[time.Time]*float64{},
	}, nil
}

// at returns the value of the hour or the day that starts at start; nil after an error. Of the hour or day that is
// judged it reads nothing else, of an earlier one the whole day.
func (r *reader) at(start time.Time) *float64 {
	if value, known := r.values[start.UTC()]; known || r.all || r.err != nil {
		return value
	}
	from, to := r.rule.Day(start)
	if len(r.values) == 0 && r.rule.Unit() == analytics.Hour {
		from, to = start, start.Add(time.Hour)
	}
	r.err = r.read(from, to)
	return r.values[start.UTC()]
}

// read reads the values of a range.
func (r *reader) read(start, end time.Time) error {
	if r.rule.Metric.OfGoal() {
		return r.readGoal(start, end, *r.rule.GoalID)
	}
	points, err := r.shared.metrics(r.ctx, r.environment, r.scope, start, end, r.rule.Unit())
	for at, m := range points {
		value := m.Value(metrics[r.rule.Metric])
		if value != nil && r.rule.Metric == alert.Revenue {
			*value /= 1e6
		}
		r.values[at] = value
	}
	return err
}

// metrics are those of alerts as reports name them.
var metrics = map[alert.Metric]report.Metric{
	alert.Visitors: report.Visitors, alert.Sessions: report.Sessions, alert.Views: report.Views,
	alert.Events: report.Events, alert.NewVisitors: report.NewVisitors, alert.BounceRate: report.BounceRate,
	alert.AverageSessionSeconds: report.AverageSessionSeconds, alert.ViewsPerSession: report.ViewsPerSession,
	alert.Revenue: report.Revenue,
}

func (r *reader) readGoal(start, end time.Time, goal uuid.UUID) error {
	selection, err := r.shared.selectRange(r.ctx, r.environment, r.scope, start, end)
	if err != nil {
		return err
	}
	points, err := selection.GoalSeries(r.ctx, goal, r.rule.Unit())
	for _, p := range points {
		var value *float64
		switch r.rule.Metric {
		case alert.Conversions:
			value = number(p.Conversions)
		case alert.Converters:
			value = number(p.Converters)
		default:
			value = p.Rate
		}
		r.values[p.Bucket.UTC()] = value
	}
	return err
}

func number(n int64) *float64 {
	f := float64(n)
	return &f
}
