package oracle

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
	folding "github.com/svc-dev/svc/analytics/session"
)

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
