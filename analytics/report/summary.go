package report

import (
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
func (s *Selection) Summary() *Summary {
	t := s.tally(everything(), nil)
	return &Summary{
		Metrics: t.metrics(0), RevenueByProvider: t.byProvider(0),
		Previous: s.previous().tally(everything(), nil).metrics(0),
	}
}

// Totals are the metrics of the range alone.
func (s *Selection) Totals() Metrics {
	t := s.tally(everything(), nil)
	return t.metrics(0)
}

// Point is the metrics of one bucket. Bucket is the bucket's true start, in the scope's zone,
// even when the range clips it.
type Point struct {
	Bucket time.Time `json:"bucket"`
	Metrics
	RevenueByProvider ProviderRevenue `json:"revenueByProvider"`
}

// Series computes the overview chart: a point for every bucket of the range.
func (s *Selection) Series(grain analytics.Grain) ([]Point, error) {
	cal, err := s.calendar(grain)
	if err != nil || cal.len() == 0 {
		return []Point{}, err
	}
	return points(s.tally(everything(), cal), cal, 0), nil
}

// points are the points of one group.
func points(t *tally, cal *calendar, group int) []Point {
	out := make([]Point, cal.len())
	for b, label := range cal.labels {
		at := uint32(group*t.buckets + b)
		out[b] = Point{Bucket: label, Metrics: t.metrics(at), RevenueByProvider: t.byProvider(at)}
	}
	return out
}
