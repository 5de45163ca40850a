package report

import "github.com/svc-dev/svc/analytics"

// Metrics are the metrics of analytics.md §2 for one row, bucket or period. Ratios are nil when
// their denominator is zero. Revenue is originating gross in micro-USD.
type Metrics struct {
	Visitors              int64    `json:"visitors"`
	Sessions              int64    `json:"sessions"`
	Views                 int64    `json:"views"`
	Events                int64    `json:"events"`
	NewVisitors           int64    `json:"newVisitors"`
	BounceRate            *float64 `json:"bounceRate"`
	AverageSessionSeconds *float64 `json:"averageSessionSeconds"`
	ViewsPerSession       *float64 `json:"viewsPerSession"`
	Revenue               int64    `json:"revenue"`
}

// ProviderRevenue splits revenue by billing provider, in micro-USD.
type ProviderRevenue struct {
	RevenueCat int64 `json:"revenuecat"`
	Superwall  int64 `json:"superwall"`
	Stripe     int64 `json:"stripe"`
}

// Metric names a metric for the order of a table or the values of a series.
type Metric string

// The metrics of sessions, and after them those that single reports add.
const (
	Visitors              Metric = "visitors"
	Sessions              Metric = "sessions"
	Views                 Metric = "views"
	Events                Metric = "events"
	NewVisitors           Metric = "newVisitors"
	BounceRate            Metric = "bounceRate"
	AverageSessionSeconds Metric = "averageSessionSeconds"
	ViewsPerSession       Metric = "viewsPerSession"
	Revenue               Metric = "revenue"

	AverageSecondsOnPage Metric = "averageSecondsOnPage"
	Entries              Metric = "entries"
	Exits                Metric = "exits"
	ExitRate             Metric = "exitRate"
	Count                Metric = "count"
	LastSeen             Metric = "lastSeen"
	FirstSeen            Metric = "firstSeen"
	RevenueUSD           Metric = "revenueUsd"
	Runs                 Metric = "runs"
	CompletedRuns        Metric = "completedRuns"
)

// SessionMetrics are the metrics that Metrics holds.
var SessionMetrics = []Metric{
	Visitors, Sessions, Views, Events, NewVisitors, BounceRate, AverageSessionSeconds, ViewsPerSession, Revenue,
}

// number is the value of a metric as tables order it.
type number struct {
	null  bool
	whole int64 // the value, when it is one
	float float64
}

func integer(n int64) number { return number{whole: n, float: float64(n)} }

func fraction(f *float64) number {
	if f == nil {
		return number{null: true}
	}
	return number{float: *f}
}

// ratio returns n ÷ d, nil when d is zero.
func ratio(n, d int64) *float64 {
	if d == 0 {
		return nil
	}
	r := float64(n) / float64(d)
	return &r
}

// Value returns a metric as a plain number (revenue in micro-USD), nil when null.
func (m *Metrics) Value(metric Metric) *float64 {
	n, err := m.number(metric)
	if err != nil || n.null {
		return nil
	}
	return &n.float
}

func (m *Metrics) number(metric Metric) (number, error) {
	switch metric {
	case Visitors:
		return integer(m.Visitors), nil
	case Sessions:
		return integer(m.Sessions), nil
	case Views:
		return integer(m.Views), nil
	case Events:
		return integer(m.Events), nil
	case NewVisitors:
		return integer(m.NewVisitors), nil
	case BounceRate:
		return fraction(m.BounceRate), nil
	case AverageSessionSeconds:
		return fraction(m.AverageSessionSeconds), nil
	case ViewsPerSession:
		return fraction(m.ViewsPerSession), nil
	case Revenue:
		return integer(m.Revenue), nil
	}
	return number{}, analytics.Invalid("metric", "unknown metric %q", metric)
}
