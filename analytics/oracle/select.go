package oracle

import (
	"slices"
	"strings"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
)

// Selection is the qualifying sessions of a scope.
type Selection struct {
	o          *Oracle
	scope      analytics.Scope
	start, end int64
	inRange    []*session // all sessions with a hit in the range
	sessions   []*session // those that qualify
	filtered   bool
	met        map[string]map[string]bool // visitors by the id of a goal, where filters name goals
}

// Select evaluates a scope, which must be valid. The segment, when there is one, is evaluated too.
func (o *Oracle) Select(scope analytics.Scope) *Selection {
	if scope.Location == nil {
		scope.Location = time.UTC
	}
	if scope.Start.IsZero() {
		// The clock may skip midnight, and a zone a whole date, so walk back while it is not the day before.
		first := dateOf(o.now.In(scope.Location)).AddDate(0, 0, -6)
		start := o.now.Truncate(quarter)
		for !dateOf(start.Add(-quarter).In(scope.Location)).Before(first) {
			start = start.Add(-quarter)
		}
		scope.Start, scope.End = start, o.now
	}
	s := &Selection{o: o, scope: scope, start: scope.Start.UnixMilli(), end: scope.End.UnixMilli()}
	s.filtered = scope.Platform != "" || scope.Segment != nil || len(scope.Filters()) > 0
	s.met = s.converters()
	var members map[string]bool
	if scope.Segment != nil {
		members = o.Members(scope.Segment)
	}
	for _, x := range o.sessions {
		if len(s.hits(x)) == 0 {
			continue
		}
		s.inRange = append(s.inRange, x)
		if (members == nil || members[x.visitor]) && s.passes(x) {
			s.sessions = append(s.sessions, x)
		}
	}
	return s
}

// Members returns the visitors of a segment.
func (o *Oracle) Members(segment *analytics.Segment) map[string]bool {
	members := map[string]bool{}
	if r := segment.Rules; r != nil {
		start, end := r.Window(o.now)
		s := o.Select(analytics.Scope{
			Start: start, End: end.Add(5 * time.Minute), Platform: r.Platform, Columns: r.Columns, Cross: r.Cross,
			Lapse: r.Lapse,
		})
		for _, x := range s.sessions {
			members[x.visitor] = true
		}
	}
	for id, v := range o.visitors {
		if slices.Contains(segment.AppUserIDs, id) || v.customID != "" && slices.Contains(segment.CustomUserIDs, v.customID) {
			members[id] = true
		}
	}
	return members
}

// hits returns a session's hits in the range.
func (s *Selection) hits(x *session) []Hit {
	var out []Hit
	for _, h := range x.hits {
		if h.At >= s.start && h.At < s.end {
			out = append(out, h)
		}
	}
	return out
}

func (s *Selection) views(x *session) int {
	n := 0
	for _, h := range s.hits(x) {
		if isView(h) {
			n++
		}
	}
	return n
}

func (s *Selection) passes(x *session) bool {
	switch s.scope.Platform {
	case "":
	case "mobile":
		if x.device.Platform != "ios" && x.device.Platform != "android" {
			return false
		}
	default:
		if x.device.Platform != s.scope.Platform {
			return false
		}
	}
	for _, f := range s.scope.Filters() {
		if !ofRuns(f) && f.Dimension != "goal" && !s.passesOne(x, f) {
			return false
		}
	}
	return s.passesByRuns(x.visitor) && s.passesByGoals(x.visitor)
}

// passesByGoals applies the filters on goals to a person: who met one in the range, filtered or not, has its value.
func (s *Selection) passesByGoals(visitor string) bool {
	for _, f := range s.scope.Filters() {
		met := slices.ContainsFunc(f.Values, func(id string) bool { return s.met[id][visitor] })
		if f.Dimension == "goal" && met == negative(f) {
			return false
		}
	}
	return true
}

// converters returns who met the goals that filters name, by the goals' ids.
func (s *Selection) converters() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	if !slices.ContainsFunc(s.scope.Filters(), func(f analytics.Filter) bool { return f.Dimension == "goal" }) {
		return all
	}
	everything := s.o.Select(analytics.Scope{Start: s.scope.Start, End: s.scope.End})
	for _, g := range s.scope.Goals {
		met := map[string]bool{}
		for _, c := range everything.conversions(g.Condition) {
			if !c.refund && c.session != nil {
				met[c.visitor] = true
			}
		}
		all[g.ID.String()] = met
	}
	return all
}

func ofRuns(f analytics.Filter) bool {
	switch f.Dimension {
	case "flow", "flowVersion", "variant", "flowOutcome":
		return true
	}
	return false
}

// passesByRuns applies the filters on runs of flows to a person.
func (s *Selection) passesByRuns(visitor string) bool {
	asked, wanted := false, false
	has := false
	for _, f := range s.scope.Filters() {
		asked = asked || ofRuns(f)
		wanted = wanted || ofRuns(f) && !negative(f)
	}
	if !asked {
		return true
	}
	for i := range s.o.runs {
		r := &s.o.runs[i]
		if r.Visitor != visitor || r.StartedAt < s.start || r.StartedAt >= s.end {
			continue
		}
		such, kept := true, true
		for _, f := range s.scope.Filters() {
			if !ofRuns(f) {
				continue
			}
			value := map[analytics.Dimension]string{
				"flow": r.Flow, "flowVersion": r.Version, "variant": r.Variant, "flowOutcome": r.outcome(s.o.now, s.scope.Lapse),
			}[f.Dimension]
			if negative(f) {
				kept = kept && !describes(f, value)
			} else {
				such = such && describes(f, value)
			}
		}
		if such && !kept {
			return false
		}
		has = has || such
	}
	return has || !wanted
}

// positive tells whether a value is what a filter's values describe.
func describes(f analytics.Filter, value string) bool {
	for _, v := range f.Values {
		switch f.Operator {
		case analytics.Contains, analytics.DoesNotContain:
			if strings.Contains(value, v) {
				return true
			}
		default:
			if value == v {
				return true
			}
		}
	}
	return false
}

func negative(f analytics.Filter) bool {
	return f.Operator == analytics.IsNot || f.Operator == analytics.DoesNotContain
}

func (s *Selection) passesOne(x *session, f analytics.Filter) bool {
	match := false
	switch f.Dimension {
	case analytics.Page:
		for _, h := range s.hits(x) {
			match = match || isView(h) && describes(f, h.Page)
		}
	case analytics.Event:
		for _, h := range s.hits(x) {
			match = match || describes(f, h.Name)
		}
	case analytics.AcquisitionChannel, analytics.Referrer:
		match = x.channel != channel.LeftOut && describes(f, value(x, f.Dimension))
	default:
		match = describes(f, value(x, f.Dimension))
	}
	return match != negative(f)
}

// value returns a session's value of a dimension.
func value(x *session, d analytics.Dimension) string {
	a := x.attribution
	switch d {
	case analytics.AcquisitionChannel:
		return x.channel.String()
	case analytics.Referrer:
		return x.referrer
	case analytics.Source:
		return a.Source
	case analytics.Medium:
		return a.Medium
	case analytics.Campaign:
		return a.Campaign
	case analytics.Content:
		return a.Content
	case analytics.Term:
		return a.Term
	case analytics.Adset:
		return a.Adset
	case analytics.Creative:
		return a.Creative
	case analytics.Country:
		return x.place.Country
	case analytics.Region:
		return x.place.Region
	case analytics.City:
		return x.place.City
	case analytics.Browser:
		return x.device.Browser
	case analytics.OS:
		return x.device.OS
	case analytics.Device:
		return x.device.Device
	case analytics.Platform:
		return x.device.Platform
	case analytics.Entry:
		return x.entry
	case analytics.Exit:
		return x.exit
	}
	panic("oracle: no value for " + string(d))
}

// listed tells whether the positive filters on a dimension (page or event) let a table list value.
func (s *Selection) listed(d analytics.Dimension, value string) bool {
	for _, f := range s.scope.Filters() {
		if f.Dimension == d && !negative(f) && !describes(f, value) {
			return false
		}
	}
	return true
}

// purchase is an originating purchase of the range and its session, nil without one.
type purchase struct {
	frame.Purchase
	session *session
}

func (s *Selection) ledger() []frame.Purchase {
	var out []frame.Purchase
	for _, p := range s.o.purchases {
		if p.At >= s.start && p.At < s.end &&
			(s.scope.RevenueProvider == "" || s.scope.RevenueProvider == p.Provider.String()) {
			out = append(out, p)
		}
	}
	return out
}

func (s *Selection) purchases() []purchase {
	var out []purchase
	for _, p := range s.ledger() {
		if p.Kind != frame.Originating {
			continue
		}
		last := s.sessionAt(p.Visitor, p.At)
		if last == nil && !s.filtered || last != nil && slices.Contains(s.sessions, last) {
			out = append(out, purchase{p, last})
		}
	}
	return out
}

// sessionAt returns the last session of the range that a visitor started by then, else their earliest of the range.
func (s *Selection) sessionAt(visitor string, at int64) *session {
	var first, last *session
	for _, x := range s.inRange { // ordered by start, then key
		if x.visitor != visitor {
			continue
		}
		if first == nil {
			first = x
		}
		if x.start <= at {
			last = x
		}
	}
	if last == nil {
		last = first
	}
	return last
}

// metrics computes every metric of a row, which has these sessions, for the part of the range that in
// holds. People of the row are new in the part that holds their first hit, wherever their sessions are.
func (s *Selection) metrics(row []*session, in func(at int64) bool, purchases []purchase) report.Metrics {
	var m report.Metrics
	everyone := map[string]bool{}
	for _, x := range row {
		everyone[x.visitor] = true
	}
	people := map[string]bool{}
	bounces, millis := 0, int64(0)
	for _, x := range s.sessionsIn(in, row) {
		people[x.visitor] = true
		m.Sessions++
		if x.views <= 1 && x.customs == 0 {
			bounces++
		}
		millis += x.end - x.start
		for _, h := range s.hits(x) {
			if in(h.At) && isView(h) {
				m.Views++
			}
			if in(h.At) && isCustom(h) {
				m.Events++
			}
		}
	}
	m.Visitors = int64(len(people))
	for id := range everyone {
		if first := s.o.visitors[id].firstSeen; first >= s.start && first < s.end && in(first) {
			m.NewVisitors++
		}
	}
	for _, p := range purchases {
		if in(p.At) {
			m.Revenue += p.AmountMicros
		}
	}
	m.BounceRate = divide(int64(bounces), m.Sessions)
	m.AverageSessionSeconds = divide(millis, m.Sessions*1000)
	m.ViewsPerSession = divide(m.Views, m.Sessions)
	return m
}

func divide(n, d int64) *float64 {
	if d == 0 {
		return nil
	}
	q := float64(n) / float64(d)
	return &q
}

func always(int64) bool { return true }

// bucket is one bucket of a series.
type bucket struct {
	label time.Time // true start
	in    func(at int64) bool
	from  int64 // first millisecond, in the range or not
	over  int64 // first millisecond after it
}

// quarter is the finest step of any zone's clock.
const quarter = 15 * time.Minute

// dateOf returns the date that a local clock shows, as a day of UTC, where all dates exist.
func dateOf(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// bucketID names the bucket of an instant by its local clock.
func bucketID(t time.Time, grain analytics.Grain) string {
	date := dateOf(t)
	switch grain {
	case analytics.Hour:
		return t.Format("2006-01-02 15 -07:00")
	case analytics.Week:
		for date.Weekday() != time.Monday {
			date = date.AddDate(0, 0, -1)
		}
	case analytics.Month:
		return date.Format("2006-01")
	}
	return date.Format(time.DateOnly)
}

// buckets walks the range in quarters of an hour.
func (s *Selection) buckets(grain analytics.Grain) []bucket {
	var out []bucket
	if s.start >= s.end {
		return out
	}
	loc := s.scope.Location
	id := func(ms int64) string { return bucketID(time.UnixMilli(ms).In(loc), grain) }
	at := time.UnixMilli(s.start).UTC().Truncate(quarter).UnixMilli()
	for first := id(s.start); id(at-1) == first; {
		at -= quarter.Milliseconds()
	}
	for at < s.end {
		from, name := at, id(at)
		for at += quarter.Milliseconds(); id(at) == name; {
			at += quarter.Milliseconds()
		}
		over := at
		out = append(out, bucket{
			label: time.UnixMilli(from).In(loc), from: from, over: over,
			in: func(ms int64) bool { return ms >= from && ms < over },
		})
	}
	return out
}

// sessionsIn returns the sessions with an in-range hit at a time that in holds.
func (s *Selection) sessionsIn(in func(at int64) bool, sessions []*session) []*session {
	var out []*session
	for _, x := range sessions {
		if slices.ContainsFunc(s.hits(x), func(h Hit) bool { return in(h.At) }) {
			out = append(out, x)
		}
	}
	return out
}
