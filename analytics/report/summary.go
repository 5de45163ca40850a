package report

import (
	"context"
	"time"

	"github.com/svc-dev/svc/analytics"
)

// Summary is the totals of the range and of the previous period of equal length.
type Summary struct {
	Metrics
	RevenueByProvider ProviderRevenue `json:"revenueByProvider"`
	Previous          Metrics         `json:"previous"`
}

// Summary computes the overview totals. The view must hold the previous period too.
func (s *Selection) Summary(ctx context.Context) (*Summary, error) {
	type periods struct{ current, previous *tally }
	t, _, err := sumPortions(ctx, s, func(p *Selection) periods {
		return periods{p.tally(ungrouped(), nil), p.previous().tally(ungrouped(), nil)}
	}, func(total, more periods) periods {
		return periods{total.current.plus(more.current), total.previous.plus(more.previous)}
	})
	if err != nil {
		return nil, err
	}
	return &Summary{
		Metrics: t.current.metrics(0), RevenueByProvider: t.current.byProvider(0), Previous: t.previous.metrics(0),
	}, nil
}

// Totals returns the metrics of the range alone.
func (s *Selection) Totals(ctx context.Context) (Metrics, error) {
	t, _, err := s.sumTallies(ctx, ungrouped(), nil)
	if err != nil {
		return Metrics{}, err
	}
	return t.metrics(0), nil
}

// Point is the metrics of one bucket. Bucket is the bucket's true start, in the scope's zone,
// even when the range clips it.
type Point struct {
	Bucket time.Time `json:"bucket"`
	Metrics
	RevenueByProvider ProviderRevenue `json:"revenueByProvider"`
}

// Series computes the overview chart: a point for every bucket of the range.
func (s *Selection) Series(ctx context.Context, grain analytics.Grain) ([]Point, error) {
	cal, err := s.calendar(grain)
	if err != nil || cal.len() == 0 {
		return []Point{}, err
	}
	t, _, err := s.sumTallies(ctx, ungrouped(), cal)
	if err != nil {
		return nil, err
	}
	return points(t, cal, 0), nil
}

// points returns the points of one group.
func points(t *tally, cal *calendar, group int) []Point {
	out := make([]Point, cal.len())
	for b, label := range cal.labels {
		at := uint32(group*t.buckets + b)
		out[b] = Point{Bucket: label, Metrics: t.metrics(at), RevenueByProvider: t.byProvider(at)}
	}
	return out
}
