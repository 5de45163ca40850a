package oracle

import (
	"slices"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/report"
)

// Pages returns the engagement table by page, in no order.
func (s *Selection) Pages() []report.PageRow { return s.pages(always) }

func (s *Selection) pages(in func(int64) bool) []report.PageRow {
	type tally struct {
		row           report.PageRow
		people        map[string]bool
		timed, millis int64
	}
	byPage := map[string]*tally{}
	for _, x := range s.sessions {
		counted := map[string]bool{}
		for i, h := range x.hits {
			if !isView(h) || h.At < s.start || h.At >= s.end || !in(h.At) || !s.listed(analytics.Page, h.Page) {
				continue
			}
			t := byPage[h.Page]
			if t == nil {
				t = &tally{row: report.PageRow{Value: h.Page}, people: map[string]bool{}}
				byPage[h.Page] = t
			}
			t.row.Views++
			t.people[x.visitor] = true
			if !counted[h.Page] {
				counted[h.Page] = true
				t.row.Sessions++
			}
			next := slices.IndexFunc(x.hits[i+1:], isView)
			switch {
			case next >= 0:
				t.timed++
				t.millis += x.hits[i+1+next].At - h.At
			case x.end > h.At:
				t.timed++
				t.millis += x.end - h.At
			}
		}
	}
	var out []report.PageRow
	for page, t := range byPage {
		for _, x := range s.sessions {
			if x.views > 0 && x.entry == page {
				t.row.Entries++
			}
			if x.views > 0 && x.exit == page {
				t.row.Exits++
			}
		}
		t.row.Visitors = int64(len(t.people))
		t.row.AverageSecondsOnPage = divide(t.millis, t.timed*1000)
		t.row.ExitRate = divide(t.row.Exits, t.row.Views)
		out = append(out, t.row)
	}
	return out
}

// PageSeries returns the engagement chart by page.
func (s *Selection) PageSeries(metric report.Metric, grain analytics.Grain) []report.ValueSeries {
	out := []report.ValueSeries{}
	buckets := s.buckets(grain)
	if len(buckets) == 0 {
		return out
	}
	rows := s.Pages()
	Sort(rows, metric, false, func(r report.PageRow) string { return r.Value })
	for _, row := range rows[:min(len(rows), 10)] {
		series := report.ValueSeries{Value: row.Value}
		for _, b := range buckets {
			cell := report.PageRow{}
			for _, r := range s.pages(b.in) {
				if r.Value == row.Value {
					cell = r
				}
			}
			series.Points = append(series.Points, report.ValuePoint{Bucket: b.label, Value: number(cell, metric)})
		}
		out = append(out, series)
	}
	return out
}

// Entries returns the engagement table by entry page, in no order.
func (s *Selection) Entries() []report.EntryRow {
	var out []report.EntryRow
	for _, row := range s.Breakdown(analytics.Entry) {
		out = append(out, report.EntryRow{Value: row.Value, Metrics: row.Metrics})
	}
	return out
}

// Exits returns the engagement table by exit page, in no order.
func (s *Selection) Exits() []report.ExitRow {
	var out []report.ExitRow
	for _, g := range s.groups(analytics.Exit) {
		if len(g.sessions) == 0 {
			continue
		}
		m := s.metrics(g.sessions, always, nil)
		views := int64(0)
		for _, x := range s.sessions {
			for _, h := range s.hits(x) {
				if isView(h) && h.Page == g.row.Value {
					views++
				}
			}
		}
		out = append(out, report.ExitRow{
			Value: g.row.Value, Visitors: m.Visitors, Sessions: m.Sessions, ExitRate: divide(m.Sessions, views),
		})
	}
	return out
}

// Screens returns the screens report, in no order.
func (s *Selection) Screens() []report.ScreenRow {
	var out []report.ScreenRow
	people := map[[3]string]bool{}
	for _, x := range s.sessions {
		for _, h := range s.hits(x) {
			if !isView(h) || !s.listed(analytics.Page, h.Page) {
				continue
			}
			kind := report.PageKind
			if h.Name == "screen_view" {
				kind = report.ScreenKind
			}
			i := slices.IndexFunc(out, func(r report.ScreenRow) bool { return r.Kind == kind && r.Value == h.Page })
			if i < 0 {
				i = len(out)
				out = append(out, report.ScreenRow{Kind: kind, Value: h.Page})
			}
			out[i].Views++
			if id := [3]string{string(kind), h.Page, x.visitor}; !people[id] {
				people[id] = true
				out[i].Visitors++
			}
		}
	}
	return out
}
