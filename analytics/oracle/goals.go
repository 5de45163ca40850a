package oracle

import (
	"slices"
	"strings"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
)

// conversion is a hit that meets a goal, or the refund of one. A hit without a session of the range has none.
type conversion struct {
	visitor string
	at      int64
	session *session
	micros  int64
	refund  bool
}

// like matches a text with a pattern by trying everything: ** is any text, * any text without a slash.
func like(pattern, text string) bool {
	switch {
	case strings.HasPrefix(pattern, "**"):
		return like(pattern[2:], text) || text != "" && like(pattern, text[1:])
	case strings.HasPrefix(pattern, "*"):
		return like(pattern[1:], text) || text != "" && text[0] != '/' && like(pattern, text[1:])
	case pattern == "" || text == "":
		return pattern == text
	}
	return pattern[0] == text[0] && like(pattern[1:], text[1:])
}

func meetsView(v *analytics.GoalView, name string) bool {
	if v.Op == analytics.GoalContains {
		return strings.Contains(name, v.Name)
	}
	return like(v.Name, name)
}

func meets(c analytics.GoalCondition, h Hit) bool {
	switch {
	case c.Event != nil:
		return h.Name == c.Event.Name
	case c.Page != nil:
		return h.Name == "page_view" && meetsView(c.Page, h.Page)
	case c.Screen != nil:
		return h.Name == "screen_view" && meetsView(c.Screen, h.Page)
	}
	return false
}

// conversions returns the hits of the scope that meet a condition.
func (s *Selection) conversions(c analytics.GoalCondition) []conversion {
	var out []conversion
	for _, x := range s.sessions {
		for _, h := range s.hits(x) {
			if meets(c, h) {
				out = append(out, conversion{visitor: x.visitor, at: h.At, session: x})
			}
		}
	}
	if c.Flow != nil {
		for i := range s.o.runs {
			r := &s.o.runs[i]
			if r.Flow != c.Flow.FlowID.String() {
				continue
			}
			if at, met := r.meets(c.Flow); met {
				out = s.attribute(out, conversion{visitor: r.Visitor, at: at})
			}
		}
	}
	if c.Purchase != nil {
		for _, p := range s.o.purchases {
			if !bought(c.Purchase, p) {
				continue
			}
			micros := p.AmountMicros
			if s.scope.RevenueProvider != "" && s.scope.RevenueProvider != p.Provider.String() {
				micros = 0
			}
			out = s.attribute(out, conversion{visitor: p.Visitor, at: p.At, micros: micros, refund: p.Kind == frame.Refund})
		}
	}
	return out
}

func (r *Run) meets(f *analytics.GoalFlow) (at int64, met bool) {
	switch f.Outcome {
	case analytics.GoalStarted:
		return r.StartedAt, true
	case analytics.GoalCompleted:
		return r.LastAt, r.Completed
	}
	for _, step := range r.Steps {
		if step.Step == f.Step && (!met || step.At < at) {
			at, met = step.At, true
		}
	}
	return at, met
}

func bought(c *analytics.GoalPurchase, p frame.Purchase) bool {
	usd := float64(p.AmountMicros) / 1e6
	if usd < 0 {
		usd = -usd
	}
	return (len(c.Products) == 0 || slices.Contains(c.Products, p.Product)) &&
		(c.Provider == "" || strings.ToLower(c.Provider) == p.Provider.String()) &&
		(c.MinUSD == nil || usd >= *c.MinUSD) && (c.MaxUSD == nil || usd <= *c.MaxUSD)
}

// attribute appends what happened in the range, where its session qualifies; without a session where nothing filters.
func (s *Selection) attribute(list []conversion, c conversion) []conversion {
	if c.at < s.start || c.at >= s.end {
		return list
	}
	c.session = s.sessionAt(c.visitor, c.at)
	if c.session == nil && !s.filtered || c.session != nil && slices.Contains(s.sessions, c.session) {
		list = append(list, c)
	}
	return list
}

// goalFigures counts conversions for the part of the range that in holds, among visitors.
func goalFigures(
	c analytics.GoalCondition, list []conversion, visitors int64, in func(at int64) bool,
) report.GoalFigures {
	var f report.GoalFigures
	people, revenue := map[string]bool{}, int64(0)
	for _, hit := range list {
		if !in(hit.at) {
			continue
		}
		revenue += hit.micros
		if hit.refund {
			continue
		}
		f.Conversions++
		if hit.session != nil {
			people[hit.visitor] = true
		}
	}
	f.Converters = int64(len(people))
	f.Rate = divide(f.Converters, visitors)
	if c.Purchase != nil {
		f.Revenue = &revenue
	}
	return f
}

func people(sessions []*session) int64 {
	seen := map[string]bool{}
	for _, x := range sessions {
		seen[x.visitor] = true
	}
	return int64(len(seen))
}

// Goals returns the table of the scope's goals, in no order.
func (s *Selection) Goals() []report.GoalRow {
	var out []report.GoalRow
	for _, g := range s.scope.Goals {
		figures := goalFigures(g.Condition, s.conversions(g.Condition), people(s.sessions), always)
		out = append(out, report.GoalRow{GoalID: g.ID, Name: g.Name, GoalFigures: figures})
	}
	return out
}

// GoalSeries returns a goal over time.
func (s *Selection) GoalSeries(g analytics.Goal, grain analytics.Grain) []report.GoalPoint {
	out := []report.GoalPoint{}
	list := s.conversions(g.Condition)
	for _, b := range s.buckets(grain) {
		visitors := people(s.sessionsIn(b.in, s.sessions))
		out = append(out, report.GoalPoint{
			Bucket: b.label, Visitors: visitors, GoalFigures: goalFigures(g.Condition, list, visitors, b.in),
		})
	}
	return out
}

// GoalBreakdown returns a goal by a dimension of sessions, in no order.
func (s *Selection) GoalBreakdown(g analytics.Goal, d analytics.Dimension) []report.GoalBreakdownRow {
	type part struct {
		row      report.GoalBreakdownRow
		sessions []*session
		list     []conversion
	}
	var parts []*part
	of := func(x *session) *part {
		var row report.GoalBreakdownRow
		if x != nil {
			row.Value = value(x, d)
			if d == analytics.Region || d == analytics.City {
				row.Country = x.place.Country
			}
			if d == analytics.City {
				row.Region = x.place.Region
			}
			if x.channel == channel.LeftOut && (d == analytics.AcquisitionChannel || d == analytics.Referrer) {
				return &part{}
			}
		}
		for _, p := range parts {
			if p.row == row {
				return p
			}
		}
		parts = append(parts, &part{row: row})
		return parts[len(parts)-1]
	}
	for _, x := range s.sessions {
		p := of(x)
		p.sessions = append(p.sessions, x)
	}
	for _, hit := range s.conversions(g.Condition) {
		p := of(hit.session)
		p.list = append(p.list, hit)
	}
	var out []report.GoalBreakdownRow
	for _, p := range parts {
		p.row.Visitors = people(p.sessions)
		p.row.GoalFigures = goalFigures(g.Condition, p.list, p.row.Visitors, always)
		// A refund that a provider's revenue leaves out says nothing of a value without sessions.
		if len(p.sessions) == 0 && p.row.Conversions == 0 && (p.row.Revenue == nil || *p.row.Revenue == 0) {
			continue
		}
		out = append(out, p.row)
	}
	return out
}
