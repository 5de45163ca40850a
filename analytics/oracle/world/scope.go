package world

import (
	"math/rand/v2"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics"
)

// Values are the values that filters draw from, by dimension.
var Values = map[analytics.Dimension][]string{
	analytics.AcquisitionChannel: {"", "Direct", "Organic Search", "Email", "Organic App Store", "Paid App Install"},
	analytics.Referrer:           {"", "google.com", "app.example", "chatgpt.com"},
	analytics.Source:             sources, analytics.Medium: mediums, analytics.Campaign: campaigns,
	analytics.Content: campaigns, analytics.Term: sources, analytics.Adset: mediums, analytics.Creative: campaigns,
	analytics.Country: {"", "GB", "AU"}, analytics.Region: {"", "ENG", "WA"}, analytics.City: {"", "Perth", "London"},
	analytics.Browser: browsers, analytics.OS: oses, analytics.Device: devices, analytics.Platform: platforms,
	analytics.Page: append([]string{""}, pages...), analytics.Entry: append([]string{""}, pages...),
	analytics.Exit:  append([]string{""}, pages...),
	analytics.Event: append([]string{"", "page_view", "session_start"}, customs...),
	analytics.Flow:  flows, analytics.FlowVersion: versions, analytics.Variant: variants,
	analytics.FlowOutcome: analytics.FlowOutcomes,
}

// unheardOf is a value that nothing has, of dimensions whose values have a form.
var unheardOf = map[analytics.Dimension]string{
	analytics.Flow: "99999999-9999-4999-8999-999999999999", analytics.FlowVersion: "99999999-9999-4999-8999-999999999998",
	analytics.FlowOutcome: analytics.OutcomeOpen,
}

// lapses are after how long runs have lapsed; 0 is the default.
var lapses = []time.Duration{0, 5 * time.Minute, 24 * time.Hour}

var substrings = []string{"a", "/", "%", "_", `\`, `"`, "'", `\b`, "b", "buy", "view", "S", "nothing"}

func drawFilter(t *rapid.T, d analytics.Dimension) analytics.Filter {
	ops := []analytics.Operator{"", analytics.Is, analytics.IsNot}
	if d.HasText() {
		ops = append(ops, analytics.Contains, analytics.DoesNotContain)
	}
	f := analytics.Filter{Dimension: d, Operator: rapid.SampledFrom(ops).Draw(t, "operator")}
	values := Values[d]
	if f.Operator == analytics.Contains || f.Operator == analytics.DoesNotContain {
		values = substrings
	}
	unheard, formed := unheardOf[d]
	if !formed {
		unheard = "unheard of"
	}
	f.Values = rapid.SliceOfN(rapid.SampledFrom(append([]string{unheard}, values...)), 1, 3).Draw(t, "values")
	return f
}

func drawFilters(t *rapid.T) (columns analytics.Columns, cross []analytics.Filter) {
	if rapid.IntRange(0, 2).Draw(t, "unfiltered") == 0 {
		return columns, nil
	}
	for _, d := range analytics.ColumnDimensions {
		if rapid.IntRange(0, 15).Draw(t, "column filter") == 0 {
			v := rapid.SampledFrom(Values[d]).Draw(t, "column value")
			*columns.Column(d) = &v
		}
	}
	n := rapid.SampledFrom([]int{1, 1, 2, 2, 3, 3}).Draw(t, "cross filters")
	// A drawn permutation prefers the first ones.
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order of dimensions"), 0))
	ofSessions, ofRuns := slices.Clone(analytics.CrossDimensions), slices.Clone(analytics.CrossDimensions)
	ofSessions = slices.DeleteFunc(ofSessions, func(d analytics.Dimension) bool {
		return d.OfRuns() || d == analytics.MetGoal
	})
	ofRuns = slices.DeleteFunc(ofRuns, func(d analytics.Dimension) bool { return !d.OfRuns() })
	for _, list := range [][]analytics.Dimension{ofSessions, ofRuns} {
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	dimensions := ofSessions[:n]
	if rapid.IntRange(0, 2).Draw(t, "filtered by runs") == 0 {
		n = rapid.IntRange(1, 3).Draw(t, "filters of runs") // which meet at one run
		dimensions = append(slices.Clone(dimensions), ofRuns[:n]...)
	}
	for _, d := range dimensions {
		cross = append(cross, drawFilter(t, d))
	}
	return columns, cross
}

// DrawScope makes a scope that meets the world, with or without filters and an audience.
func (s Scenario) DrawScope(t *rapid.T) analytics.Scope {
	loc, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
	if err != nil {
		t.Fatal(err)
	}
	scope := analytics.Scope{
		Location:        loc,
		Platform:        rapid.SampledFrom([]string{"", "", "", "web", "ios", "android", "mobile"}).Draw(t, "scope platform"),
		RevenueProvider: rapid.SampledFrom([]string{"", "", "stripe", "revenuecat", "superwall"}).Draw(t, "scope provider"),
	}
	switch rapid.IntRange(0, 5).Draw(t, "range") {
	case 0: // default
	case 1: // edges at hits
		if len(s.World.Hits) > 0 {
			h := rapid.SampledFrom(s.World.Hits).Draw(t, "edge")
			scope.Start = time.UnixMilli(h.At + int64(rapid.IntRange(-1, 1).Draw(t, "edge ms")))
			scope.End = scope.Start.Add(time.Duration(rapid.IntRange(0, 3*24*60).Draw(t, "minutes")) * time.Minute)
		}
	case 2: // local days
		y, m, d := s.Anchor.In(loc).Date()
		scope.Start = analytics.StartOfDay(y, m, d-rapid.IntRange(0, 3).Draw(t, "days before"), loc)
		scope.End = analytics.StartOfDay(y, m, d+rapid.IntRange(1, 9).Draw(t, "days after"), loc)
	case 3: // all hits: no session is cut, and files tell the names of most
		scope.Start, scope.End = s.Anchor, s.Anchor.Add(time.Minute)
		for i := range s.World.Hits {
			at := time.UnixMilli(s.World.Hits[i].At)
			if at.Before(scope.Start) {
				scope.Start = at
			}
			if !at.Before(scope.End) {
				scope.End = at.Add(time.Millisecond)
			}
		}
	default:
		scope.Start = s.Anchor.Add(-time.Duration(rapid.IntRange(0, 5*24*4).Draw(t, "before")) * 15 * time.Minute)
		scope.End = s.Anchor.Add(time.Duration(rapid.IntRange(0, 16*24*4).Draw(t, "after")) * 15 * time.Minute)
	}
	scope.Columns, scope.Cross = drawFilters(t)
	scope.Lapse = rapid.SampledFrom(lapses).Draw(t, "lapse")
	if rapid.IntRange(0, 4).Draw(t, "segmented") == 0 {
		scope.Segment = &analytics.Segment{
			AppUserIDs:    rapid.SliceOfN(rapid.SampledFrom([]string{"v1", "v2", "nobody"}), 0, 2).Draw(t, "members"),
			CustomUserIDs: rapid.SliceOfN(rapid.SampledFrom([]string{"u1", "u2", ""}), 0, 2).Draw(t, "known members"),
		}
		if rapid.Bool().Draw(t, "rules") {
			columns, cross := drawFilters(t)
			scope.Segment.Rules = &analytics.SegmentRules{
				Days: rapid.SampledFrom([]int{0, 1, 7, 30}).Draw(t, "segment days"), Columns: columns, Cross: cross,
				Platform: rapid.SampledFrom([]string{"", "", "web", "mobile"}).Draw(t, "segment platform"),
				Lapse:    scope.Lapse,
			}
		}
	}
	return scope
}
