package oracle

import (
	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
)

func byProvider(purchases []purchase, in func(int64) bool) report.ProviderRevenue {
	var r report.ProviderRevenue
	for _, p := range purchases {
		if !in(p.At) {
			continue
		}
		switch p.Provider {
		case frame.RevenueCat:
			r.RevenueCat += p.AmountMicros
		case frame.Superwall:
			r.Superwall += p.AmountMicros
		case frame.Stripe:
			r.Stripe += p.AmountMicros
		}
	}
	return r
}

// Summary returns the summary report.
func (s *Selection) Summary() *report.Summary {
	before := s.scope
	before.Start, before.End = s.scope.Start.Add(-s.scope.End.Sub(s.scope.Start)), s.scope.Start
	p := s.o.Select(before)
	return &report.Summary{
		Metrics:           s.metrics(s.sessions, always, s.purchases()),
		RevenueByProvider: byProvider(s.purchases(), always),
		Previous:          p.metrics(p.sessions, always, p.purchases()),
	}
}

// Series returns the series report.
func (s *Selection) Series(grain analytics.Grain) []report.Point {
	out := []report.Point{}
	for _, b := range s.buckets(grain) {
		out = append(out, report.Point{
			Bucket: b.label, Metrics: s.metrics(s.sessions, b.in, s.purchases()),
			RevenueByProvider: byProvider(s.purchases(), b.in),
		})
	}
	return out
}

// group is the sessions and purchases of one row.
type group struct {
	row       report.Row
	sessions  []*session
	purchases []purchase
}

// groups splits the qualifying sessions by a dimension of sessions.
func (s *Selection) groups(d analytics.Dimension) []*group {
	var out []*group
	of := func(x *session) *group {
		var row report.Row
		if x != nil {
			row.Value = value(x, d)
			if d == analytics.Region || d == analytics.City {
				row.Country = x.place.Country
			}
			if d == analytics.City {
				row.Region = x.place.Region
			}
		}
		for _, g := range out {
			if g.row == row {
				return g
			}
		}
		out = append(out, &group{row: row})
		return out[len(out)-1]
	}
	leftOut := func(x *session) bool {
		return x.channel == channel.LeftOut && (d == analytics.AcquisitionChannel || d == analytics.Referrer)
	}
	for _, x := range s.sessions {
		if !leftOut(x) {
			g := of(x)
			g.sessions = append(g.sessions, x)
		}
	}
	for _, p := range s.purchases() {
		if p.session == nil || !leftOut(p.session) {
			g := of(p.session)
			g.purchases = append(g.purchases, p)
		}
	}
	return out
}

// Breakdown returns the table of a dimension of sessions, in no order.
func (s *Selection) Breakdown(d analytics.Dimension) []report.Row {
	var out []report.Row
	for _, g := range s.groups(d) {
		row := g.row
		row.Metrics = s.metrics(g.sessions, always, g.purchases)
		if d == analytics.City {
			row.Latitude, row.Longitude = coordinates(g.sessions)
		}
		out = append(out, row)
	}
	return out
}

// coordinates returns the smallest of the sessions'.
func coordinates(sessions []*session) (lat, lon *float64) {
	for _, x := range sessions {
		p := x.place
		if p.HasCoordinates && (lat == nil || p.Lat < *lat || p.Lat == *lat && p.Lon < *lon) {
			lat, lon = &p.Lat, &p.Lon
		}
	}
	return lat, lon
}

// BreakdownSeries returns the chart of a dimension of sessions.
func (s *Selection) BreakdownSeries(
	d analytics.Dimension, metric report.Metric, grain analytics.Grain,
) []report.ValueSeries {
	out := []report.ValueSeries{}
	buckets := s.buckets(grain)
	if len(buckets) == 0 {
		return out
	}
	groups := s.groups(d)
	rows := s.Breakdown(d)
	Sort(rows, metric, false, RowKey)
	for _, row := range rows[:min(len(rows), 10)] {
		for _, g := range groups {
			if g.row.Value != row.Value || g.row.Country != row.Country || g.row.Region != row.Region {
				continue
			}
			series := report.ValueSeries{Value: row.Value, Country: row.Country, Region: row.Region}
			for _, b := range buckets {
				m := s.metrics(g.sessions, b.in, g.purchases)
				series.Points = append(series.Points, report.ValuePoint{Bucket: b.label, Value: m.Value(metric)})
			}
			out = append(out, series)
		}
	}
	return out
}
