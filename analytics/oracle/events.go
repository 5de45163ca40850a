package oracle

import (
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
)

// Events returns the events table, in no order.
func (s *Selection) Events() []report.EventRow { return s.events(always) }

func (s *Selection) events(in func(int64) bool) []report.EventRow {
	var out []report.EventRow
	people, sessions := map[[2]string]bool{}, map[[3]string]bool{}
	for _, x := range s.sessions {
		for _, h := range s.hits(x) {
			if !in(h.At) || !s.listed(analytics.Event, h.Name) {
				continue
			}
			i := slices.IndexFunc(out, func(r report.EventRow) bool { return r.Name == h.Name })
			if i < 0 {
				i = len(out)
				out = append(out, report.EventRow{Name: h.Name, BuiltIn: frame.KindOf(h.Name) != frame.Custom})
			}
			out[i].Count++
			if id := [2]string{h.Name, x.visitor}; !people[id] {
				people[id] = true
				out[i].Visitors++
			}
			if id := [3]string{h.Name, x.visitor, x.id}; !sessions[id] {
				sessions[id] = true
				out[i].Sessions++
			}
			if at := time.UnixMilli(h.At).UTC(); at.After(out[i].LastSeen) {
				out[i].LastSeen = at
			}
		}
	}
	return out
}

// EventsSeries returns the events chart.
func (s *Selection) EventsSeries(metric report.Metric, grain analytics.Grain) []report.ValueSeries {
	out := []report.ValueSeries{}
	buckets := s.buckets(grain)
	if len(buckets) == 0 {
		return out
	}
	rows := s.Events()
	Sort(rows, metric, false, func(r report.EventRow) string { return r.Name })
	for _, row := range rows[:min(len(rows), 10)] {
		series := report.ValueSeries{Value: row.Name}
		for _, b := range buckets {
			cell := report.EventRow{}
			for _, r := range s.events(b.in) {
				if r.Name == row.Name {
					cell = r
				}
			}
			series.Points = append(series.Points, report.ValuePoint{Bucket: b.label, Value: number(cell, metric)})
		}
		out = append(out, series)
	}
	return out
}
