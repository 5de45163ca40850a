package world_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the worlds, whatever the machine has

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/oracle"
	"github.com/svc-dev/svc/analytics/oracle/world"
)

// tally counts in how many worlds something occurs.
type tally map[string]int

// met marks what occurs in one world.
type met map[string]bool

func (m met) when(holds bool, what string, args ...any) {
	if holds {
		m[fmt.Sprintf(what, args...)] = true
	}
}

func (m met) hits(s world.Scenario, zone *time.Location, start, end int64) {
	owner := map[string]string{}
	latest := map[[2]string]int64{}
	first, last := map[[2]string]int64{}, map[[2]string]int64{}
	moments := map[[2]string]map[int64]string{}
	ids := map[string]bool{}
	for _, h := range s.World.Hits {
		m.when(ids[h.EventID], "an event sent twice")
		ids[h.EventID] = true
		key := [2]string{h.Visitor, h.SessionID}
		m.when(owner[h.SessionID] != "" && owner[h.SessionID] != h.Visitor, "one session id of two visitors")
		owner[h.SessionID] = h.Visitor
		at, known := latest[key]
		m.when(known && h.At < at, "an event that comes after a later one of its session")
		latest[key] = max(at, h.At)
		if moments[key] == nil {
			moments[key] = map[int64]string{}
			first[key], last[key] = h.At, h.At
		}
		other, same := moments[key][h.At]
		m.when(same && other != h.EventID, "two events of a session at one millisecond")
		moments[key][h.At] = h.EventID
		first[key], last[key] = min(first[key], h.At), max(last[key], h.At)
		m.when(h.OrganicUnknown, "history without the organic flag")
		m.when(h.At > s.Now.UnixMilli(), "a clock that is ahead")
		m.when(s.Now.UnixMilli()-h.At < 5*60_000 && h.At <= s.Now.UnixMilli(), "somebody online")
		m.when(h.At < frame.EpochMillis, "a hit before 2020")
		m.when(h.HasCoordinates, "coordinates")
		m.when(h.CustomUserID != "", "a known user")
		m.when(true, "hit %s", h.Name)
		for name, value := range map[string]string{
			"source": h.Source, "campaign": h.Campaign, "country": h.Country, "device": h.Device, "platform": h.Platform,
			"browser": h.Browser, "os": h.OS, "referrer": h.Referrer, "region": h.Region, "city": h.City,
		} {
			m.when(value == "", "empty %s", name)
			m.when(value != "", "some %s", name)
		}
	}
	day := func(ms int64, loc *time.Location) string { return time.UnixMilli(ms).In(loc).Format(time.DateOnly) }
	for key := range first {
		a, b := first[key], last[key]
		m.when(day(a, time.UTC) != day(b, time.UTC), "a session across midnight in UTC")
		m.when(day(a, zone) != day(b, zone), "a session across midnight of the zone")
		m.when(a < start && b >= start, "a session across the start of the range")
		m.when(a < end && b >= end, "a session across the end of the range")
		m.when(a < start && b >= end, "a session around the whole range")
		m.when(a == start || b == start, "a session that begins or ends at the start of the range")
		m.when(a == end || b == end, "a session that begins or ends at the end of the range")
		m.when(a == b, "a session of one moment")
	}
	for _, p := range s.World.Purchases {
		m.when(true, "purchase of kind %d by provider %d", p.Kind, p.Provider)
		m.when(!slices.ContainsFunc(s.World.Hits, func(h oracle.Hit) bool {
			return h.Visitor == p.Visitor
		}), "a buyer who was never seen")
		m.when(p.Visitor == "", "a purchase of nobody")
		m.when(p.AmountMicros < 0, "a negative amount")
	}
	m.when(len(s.World.Hits) == 0, "nobody at all")
}

func (m met) scope(scope analytics.Scope) {
	m.when(scope.Start.IsZero(), "the default range")
	m.when(true, "zone %s", scope.Location)
	m.when(true, "platform %q", scope.Platform)
	m.when(true, "provider %q", scope.RevenueProvider)
	for _, f := range scope.Cross {
		op := f.Operator
		if op == "" {
			op = analytics.Is
		}
		m.when(true, "cross %s %s", f.Dimension, op)
		m.when(slices.Contains(f.Values, ""), "cross %s with the empty value", f.Dimension)
		m.when(len(f.Values) > 1, "a filter with alternatives")
	}
	for _, f := range scope.Columns.Filters() {
		m.when(true, "column %s", f.Dimension)
	}
	m.when(len(scope.Filters()) > 1, "filters together")
	if s := scope.Segment; s != nil {
		m.when(s.Rules != nil, "an audience by rules")
		m.when(len(s.AppUserIDs) > 0, "an audience by app user ids")
		m.when(len(s.CustomUserIDs) > 0, "an audience by custom user ids")
	}
}

// expected returns what 500 worlds must hold, each at least so often.
func expected(imported bool) map[string]int {
	want := map[string]int{
		"an event sent twice": 100, "one session id of two visitors": 100,
		"an event that comes after a later one of its session": 100,
		"two events of a session at one millisecond":           50, "a session across midnight in UTC": 100,
		"a session across midnight of the zone":   100,
		"a session across the start of the range": 30, "a session across the end of the range": 30,
		"a session around the whole range":                        10,
		"a session that begins or ends at the start of the range": 5,
		"a session that begins or ends at the end of the range":   2,
		"a session of one moment":                                 100, "somebody online": 50, "coordinates": 100, "a known user": 100,
		"a buyer who was never seen": 30, "a purchase of nobody": 100,
		"a negative amount": 30, "nobody at all": 3, "the default range": 30, "a filter with alternatives": 30,
		"filters together":     20,
		"an audience by rules": 10, "an audience by app user ids": 10, "an audience by custom user ids": 10,
	}
	if imported {
		want["history without the organic flag"] = 100
		want["a hit before 2020"] = 30
	} else {
		want["a clock that is ahead"] = 10
	}
	for _, name := range []string{
		"session_start", "first_visit", "first_open", "page_view", "screen_view", "buy", "sign_up",
	} {
		want["hit "+name] = 50
	}
	for _, name := range []string{
		"source", "campaign", "country", "device", "platform", "browser", "os", "referrer", "region", "city",
	} {
		want["empty "+name], want["some "+name] = 100, 100
	}
	for _, zone := range []string{
		"UTC", "America/New_York", "America/Havana", "Australia/Lord_Howe", "Pacific/Chatham", "Africa/Cairo", "Asia/Kolkata",
		"Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati", "Pacific/Apia",
	} {
		want["zone "+zone] = 10
	}
	for _, platform := range []string{"", "web", "ios", "android", "mobile"} {
		want[fmt.Sprintf("platform %q", platform)] = 10
	}
	for _, provider := range []string{"", "stripe", "revenuecat", "superwall"} {
		want[fmt.Sprintf("provider %q", provider)] = 10
	}
	for kind := range 3 {
		for provider := range 3 {
			want[fmt.Sprintf("purchase of kind %d by provider %d", frame.PurchaseKind(kind), frame.Provider(provider))] = 10
		}
	}
	for _, d := range analytics.CrossDimensions {
		operators := []analytics.Operator{analytics.Is, analytics.IsNot}
		if d.HasText() {
			operators = append(operators, analytics.Contains, analytics.DoesNotContain)
		}
		for _, op := range operators {
			want[fmt.Sprintf("cross %s %s", d, op)] = 3
		}
		if slices.Contains(world.Values[d], "") { // an id and an outcome are never empty
			want[fmt.Sprintf("cross %s with the empty value", d)] = 2
		}
	}
	for _, d := range []analytics.Dimension{
		analytics.Source, analytics.Medium, analytics.Campaign, analytics.Content, analytics.Term, analytics.Adset,
		analytics.Creative,
		analytics.Browser, analytics.OS, analytics.Device, analytics.Country, analytics.Region, analytics.City,
		analytics.Page, analytics.Entry, analytics.Exit,
	} {
		want["column "+string(d)] = 3
	}
	return want
}

// The oracle proves only what its worlds contain.
func TestWorldsMeetEveryBorder(t *testing.T) {
	const worlds = 500
	now := time.Date(2026, 11, 21, 15, 4, 5, 0, time.UTC)
	for name, draw := range map[string]func(*rapid.T) world.Scenario{
		"drawn": world.Draw,
		"sent":  func(t *rapid.T) world.Scenario { return world.DrawSent(t, now) },
	} {
		t.Run(name, func(t *testing.T) {
			counts := tally{}
			for i := range worlds {
				s := rapid.Custom(draw).Example(i)
				scope := rapid.Custom(func(t *rapid.T) analytics.Scope {
					scope := s.DrawScope(t)
					scope.Goals = world.DrawGoals(t) // as comparisons of the engine draw them
					scope.Cross = append(scope.Cross, world.DrawGoalFilter(t, scope.Goals)...)
					return scope
				}).Example(i)
				resolved, err := scope.Resolve(s.Now)
				require.NoError(t, err)
				m := met{}
				m.hits(s, scope.Location, resolved.Start.UnixMilli(), resolved.End.UnixMilli())
				m.scope(scope)
				for what := range m {
					counts[what]++
				}
			}
			want := expected(name == "drawn")
			for _, what := range slices.Sorted(maps.Keys(want)) {
				if counts[what] < want[what] {
					t.Errorf("%q is in %d of %d worlds, want %d", what, counts[what], worlds, want[what])
				}
			}
		})
	}
}

func TestACrowdIsOne(t *testing.T) {
	now := time.Date(2026, 11, 21, 15, 4, 5, 0, time.UTC)
	s := world.Crowd(1, now)
	require.Equal(t, s, world.Crowd(1, now), "equal seeds make equal worlds")
	sessions, visitors := map[string]map[string]bool{}, map[string]bool{}
	pages, names := map[string]bool{}, map[string]bool{}
	for _, h := range s.World.Hits {
		require.LessOrEqual(t, h.At, now.UnixMilli())
		day := time.UnixMilli(h.At).UTC().Format(time.DateOnly)
		if sessions[day] == nil {
			sessions[day] = map[string]bool{}
		}
		sessions[day][h.Visitor+" "+h.SessionID] = true
		visitors[h.Visitor], pages[h.Page], names[h.Name] = true, true, true
	}
	for day, list := range sessions {
		if day != "2026-11-16" && day != "2026-11-21" { // the clipped ones
			require.Greater(t, len(list), 60, day)
		}
	}
	require.Greater(t, len(visitors), 100)
	require.Greater(t, len(pages), 50, "more than a page of a table")
	require.Greater(t, len(names), 20, "more than a chart shows")
}
