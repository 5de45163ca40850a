package oracle

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
	folding "github.com/svc-dev/svc/analytics/session"
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

// Visitors returns the visitor list, in no order.
func (s *Selection) Visitors() []report.VisitorRow {
	var out []report.VisitorRow
	for id, v := range s.o.visitors {
		first := time.UnixMilli(v.firstSeen).UTC()
		row := report.VisitorRow{AppUserID: id, CustomUserID: v.customID, FirstSeen: &first}
		var at *session
		last := int64(math.MinInt64)
		for _, x := range s.sessions {
			if x.visitor != id {
				continue
			}
			row.Sessions++
			row.Views += int64(s.views(x))
			for _, h := range s.hits(x) {
				if isCustom(h) {
					row.Events++
				}
			}
			hits := s.hits(x)
			if end := hits[len(hits)-1].At; end > last || end == last && x.key() > at.key() {
				last, at = end, x
			}
		}
		if at == nil {
			continue
		}
		for _, i := range s.runsOf(id) {
			row.Runs++
			if s.o.runs[i].Completed {
				row.CompletedRuns++
			}
		}
		row.LastSeen = time.UnixMilli(last).UTC()
		row.Country, row.City = at.place.Country, at.place.City
		row.Platform, row.Device, row.Browser, row.OS = at.device.Platform, at.device.Device, at.device.Browser, at.device.OS
		row.Source, row.Channel = at.attribution.Source, at.channel.String()
		for _, p := range s.ledger() {
			if p.Visitor == id {
				row.RevenueUSD += p.AmountMicros
			}
		}
		out = append(out, row)
	}
	return out
}

// runsOf returns the indices of the runs that somebody started in the range.
func (s *Selection) runsOf(visitor string) []int {
	var out []int
	for i, r := range s.o.runs {
		if r.Visitor == visitor && r.StartedAt >= s.start && r.StartedAt < s.end {
			out = append(out, i)
		}
	}
	return out
}

// Timeline returns everything that somebody did, the latest start first.
func (s *Selection) Timeline(visitor string) []report.TimelineEntry {
	type keyed struct {
		report.TimelineEntry
		key string
	}
	var all []keyed
	for _, x := range s.sessions {
		if x.visitor != visitor {
			continue
		}
		events := int64(0)
		for _, h := range s.hits(x) {
			if isCustom(h) {
				events++
			}
		}
		all = append(all, keyed{key: "session" + x.key(), TimelineEntry: report.TimelineEntry{
			StartedAt: time.UnixMilli(x.start).UTC(),
			Session: &report.TimelineSession{
				EndedAt: time.UnixMilli(x.end).UTC(), Seconds: float64(x.end-x.start) / 1000,
				Views: int64(s.views(x)), Events: events, Entry: x.entry, Exit: x.exit,
				Country: x.place.Country, City: x.place.City, Platform: x.device.Platform, Device: x.device.Device,
				Browser: x.device.Browser, OS: x.device.OS, Source: x.attribution.Source, Channel: x.channel.String(),
			},
		}})
	}
	for _, i := range s.runsOf(visitor) {
		r := &s.o.runs[i]
		row := r.RunRow(i)
		key := frame.RunKey(&row.Run)
		all = append(all, keyed{key: "run" + string(key[:]), TimelineEntry: report.TimelineEntry{
			StartedAt: time.UnixMilli(r.StartedAt).UTC(),
			Run: &report.TimelineRun{
				FlowID: uuid.UUID(folding.KeyOf(r.Flow)), VersionID: uuid.UUID(folding.KeyOf(r.Version)), Variant: r.Variant,
				State: r.outcome(s.o.now, s.scope.Lapse), LastAt: time.UnixMilli(r.LastAt).UTC(),
				Seconds: float64(r.LastAt-r.StartedAt) / 1000,
			},
		}})
	}
	slices.SortFunc(all, func(a, b keyed) int {
		return cmp.Or(b.StartedAt.Compare(a.StartedAt), strings.Compare(a.key, b.key))
	})
	out := make([]report.TimelineEntry, len(all))
	for i := range all {
		out[i] = all[i].TimelineEntry
	}
	return out
}

// Recent returns the hits of one name in sessions of the scope's platform and audience, newest first,
// then the greatest event key first.
func (o *Oracle) Recent(scope analytics.Scope, name string) []Hit {
	scope.Columns, scope.Cross = analytics.Columns{}, nil
	s := o.Select(scope)
	var out []Hit
	for _, x := range s.sessions {
		for _, h := range s.hits(x) {
			if h.Name == name {
				out = append(out, h)
			}
		}
	}
	slices.SortFunc(out, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.At, a.At), strings.Compare(keyOf(b.EventID), keyOf(a.EventID)))
	})
	return out
}

// Live returns the live report with everybody on one page.
func (o *Oracle) Live(platform string, segment *analytics.Segment) *report.Live {
	minute := o.now.UTC().Truncate(time.Minute)
	s := o.Select(analytics.Scope{
		Start: minute.Add(-29 * time.Minute), End: o.now.Add(5*time.Minute + time.Millisecond),
		Platform: platform, Segment: segment,
	})
	live := &report.Live{Places: []report.LivePlace{}, Pages: []report.LivePage{}}
	live.People.Rows = []report.Person{}
	for i := range 30 {
		from := minute.Add(time.Duration(i-29) * time.Minute)
		m := report.LiveMinute{Minute: from}
		people := map[string]bool{}
		for _, x := range s.sessions {
			for _, h := range s.hits(x) {
				if h.At >= from.UnixMilli() && h.At < from.Add(time.Minute).UnixMilli() {
					m.Hits++
					people[x.visitor] = true
				}
			}
		}
		m.Visitors = int64(len(people))
		live.Minutes = append(live.Minutes, m)
	}
	standing := map[[3]string][]*session{}
	for id := range o.visitors {
		var at *session
		var latest Hit
		for _, x := range s.sessions {
			hits := s.hits(x)
			last := hits[len(hits)-1]
			if x.visitor == id && (at == nil || last.At > latest.At || last.At == latest.At && x.key() > at.key()) {
				at, latest = x, last
			}
		}
		if at == nil || latest.At < o.now.Add(-5*time.Minute).UnixMilli() {
			continue
		}
		p := report.Person{
			AppUserID: id, Country: at.place.Country, Region: at.place.Region, City: at.place.City,
			Platform: at.device.Platform, Device: at.device.Device, LastSeenAt: time.UnixMilli(latest.At).UTC(),
		}
		p.Latitude, p.Longitude = coordinates([]*session{at})
		for _, h := range at.hits {
			if h.At < s.end && isView(h) {
				p.Page = h.Page
			}
		}
		live.Count++
		live.People.Rows = append(live.People.Rows, p)
		place := [3]string{p.Country, p.Region, p.City}
		standing[place] = append(standing[place], at)
		i := slices.IndexFunc(live.Pages, func(l report.LivePage) bool { return l.Page == p.Page })
		if i < 0 {
			i = len(live.Pages)
			live.Pages = append(live.Pages, report.LivePage{Page: p.Page})
		}
		live.Pages[i].Visitors++
	}
	for place, sessions := range standing {
		l := report.LivePlace{Country: place[0], Region: place[1], City: place[2], Visitors: int64(len(sessions))}
		l.Latitude, l.Longitude = coordinates(sessions)
		live.Places = append(live.Places, l)
	}
	slices.SortFunc(live.Places, func(a, b report.LivePlace) int {
		return cmp.Or(
			cmp.Compare(b.Visitors, a.Visitors),
			strings.Compare(a.Country+"\x00"+a.Region+"\x00"+a.City, b.Country+"\x00"+b.Region+"\x00"+b.City),
		)
	})
	slices.SortFunc(live.Pages, func(a, b report.LivePage) int {
		return cmp.Or(cmp.Compare(b.Visitors, a.Visitors), strings.Compare(a.Page, b.Page))
	})
	live.Pages = live.Pages[:min(10, len(live.Pages))]
	slices.SortFunc(live.People.Rows, func(a, b report.Person) int {
		return cmp.Or(b.LastSeenAt.Compare(a.LastSeenAt), strings.Compare(a.AppUserID, b.AppUserID))
	})
	live.People.TotalCount = live.Count
	return live
}
