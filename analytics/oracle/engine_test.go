package oracle_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the worlds, whatever the machine has

	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/oracle"
	"github.com/svc-dev/svc/analytics/oracle/world"
	"github.com/svc-dev/svc/analytics/report"
)

// worlds is how many worlds a test compares; SVC_ORACLE_WORLDS asks for more than 500 at night.
func worlds(t *testing.T, share float64) {
	n := 500
	if raw := os.Getenv("SVC_ORACLE_WORLDS"); raw != "" {
		var err error
		if n, err = strconv.Atoi(raw); err != nil {
			t.Fatalf("SVC_ORACLE_WORLDS: %v", err)
		}
	}
	n = max(1, int(float64(n)*share))
	old := flag.Lookup("rapid.checks").Value.String()
	if err := flag.Set("rapid.checks", strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set("rapid.checks", old) })
}

// funnelOutcomes are whether attempts of an outcome are open.
var funnelOutcomes = map[analytics.FunnelOutcome]bool{analytics.FunnelDropped: false, analytics.FunnelOpen: true}

func TestEngineAgreesWithOracle(t *testing.T) {
	worlds(t, 1)
	agree(t, 3, world.Draw)
}

// Tables longer than a page, charts with more values than they show, days of many sessions.
func TestEngineAgreesWithOracleOnACrowd(t *testing.T) {
	worlds(t, 0.006)
	now := time.Date(2026, 11, 3, 12, 30, 0, 0, time.UTC) // the days around New York's change of the clocks
	agree(t, 4, func(t *rapid.T) world.Scenario { return world.Crowd(rapid.Uint64().Draw(t, "seed"), now) })
}

// agree compares every report of some scopes of drawn worlds.
func agree(t *testing.T, scopes int, draw func(*rapid.T) world.Scenario) {
	procs := runtime.GOMAXPROCS(3)
	t.Cleanup(func() { runtime.GOMAXPROCS(procs) })
	usual := report.DefaultTuning()
	rapid.Check(t, func(t *rapid.T) {
		s := draw(t)
		// Small worlds are to take every path of the engine.
		engine := report.NewEngine(report.Tuning{
			SessionsPerWorker: rapid.SampledFrom([]int{1, 2, usual.SessionsPerWorker}).Draw(t, "sessions per worker"),
			FusedCells:        rapid.SampledFrom([]int{0, usual.FusedCells}).Draw(t, "fused cells"),
			SweptCells:        rapid.SampledFrom([]int{0, usual.SweptCells}).Draw(t, "swept cells"),
			FunnelHits:        rapid.SampledFrom([]int{0, 40, usual.FunnelHits}).Draw(t, "funnel hits"),
			FunnelSoon:        usual.FunnelSoon, FunnelEnds: usual.FunnelEnds,
			CountCells:    rapid.SampledFrom([]int{0, usual.CountCells}).Draw(t, "count cells"),
			KeptSessions:  rapid.SampledFrom([]int{0, usual.KeptSessions}).Draw(t, "kept sessions"),
			SweptSessions: rapid.SampledFrom([]int{1, 5, usual.SweptSessions}).Draw(t, "swept sessions"),
			SweptVisitors: rapid.SampledFrom([]int{1, usual.SweptVisitors}).Draw(t, "swept visitors"),
			BandRows:      rapid.SampledFrom([]int{1, 3, usual.BandRows}).Draw(t, "band rows"),
			SpansAhead:    rapid.SampledFrom([]int{0, 1, usual.SpansAhead}).Draw(t, "spans ahead"),
			SeenGroups:    rapid.SampledFrom([]int{0, usual.SeenGroups}).Draw(t, "seen groups"),
			SeenBytes:     rapid.SampledFrom([]int{0, 64, usual.SeenBytes}).Draw(t, "seen bytes"),
			PathParts:     rapid.SampledFrom([]int{1, 2, usual.PathParts}).Draw(t, "path parts"),
			PathNodes:     rapid.SampledFrom([]int{report.PathNodes, usual.PathNodes}).Draw(t, "path nodes"),
			// Reports follow one another here: none could share the reading of another.
			ShareFor: 0,
		})
		o := oracle.New(s.World, s.Now)
		view := load(t, s)
		for range scopes {
			scope := s.DrawScope(t)
			scope.Goals = world.DrawGoals(t)
			scope.Cross = append(scope.Cross, world.DrawGoalFilter(t, scope.Goals)...)
			scope.Follow = 90 * 24 * time.Hour
			var members *report.Members
			if scope.Segment != nil {
				var err error
				if members, err = engine.Members(view, scope.Segment, s.Now); err != nil {
					t.Fatalf("Members: %v", err)
				}
				if want := len(o.Members(scope.Segment)); members.Count() != want {
					t.Fatalf("the segment has %d members, the oracle says %d", members.Count(), want)
				}
			}
			selection, err := engine.Select(view, scope, members, s.Now)
			if err != nil {
				t.Fatalf("Select: %v", err)
			}
			expected := o.Select(scope)
			compare(t, selection, expected)
			compareJourneys(t, engine, view, o, selection.Scope(), s.Now)
			// What was counted for one provider's money is not another's.
			other := scope
			other.RevenueProvider = rapid.SampledFrom([]string{"", "stripe", "revenuecat"}).Draw(t, "other provider")
			if selection, err = engine.Select(view, other, members, s.Now); err != nil {
				t.Fatalf("Select of another provider: %v", err)
			}
			sameVisitors(t, selection, o.Select(other))
			compareGoals(t, selection, o.Select(other), analytics.Day)
			liveScope := report.LiveScope(scope.Platform, scope.Segment, s.Now)
			expectedLive := o.Live(scope.Platform, scope.Segment)
			if rapid.IntRange(0, 3).Draw(t, "streamed") == 0 {
				streamed, err := engine.Stream(portions(t, s), scope, s.Now)
				if err != nil {
					t.Fatalf("Stream: %v", err)
				}
				compare(t, streamed, expected)
				if streamed, err = engine.Stream(portions(t, s), liveScope, s.Now); err != nil {
					t.Fatalf("Stream of the live scope: %v", err)
				}
				live, err := streamed.Live(t.Context(), report.Page{})
				same(t, "live in portions", live, err, expectedLive)
			}
			if selection, err = engine.Select(view, liveScope, members, s.Now); err != nil {
				t.Fatalf("Select of the live scope: %v", err)
			}
			live, err := selection.Live(t.Context(), report.Page{})
			same(t, "live", live, err, expectedLive)
		}
	})
}

// compare runs every report of a selection, tables and charts with random arguments.
func compare(t *rapid.T, e *report.Selection, o *oracle.Selection) {
	if rapid.Bool().Draw(t, "overview first") { // which counts pages and events in one pass, for their tables too
		sameOverview(t, e)
	}
	summary, err := e.Summary(t.Context())
	same(t, "summary", summary, err, o.Summary())
	grain := rapid.SampledFrom(
		[]analytics.Grain{"", analytics.Day, analytics.Week, analytics.Month, analytics.Hour},
	).Draw(t, "grain")
	points, err := e.Series(t.Context(), grain)
	same(t, "series", points, err, o.Series(grain))
	// The charts by value cost the oracle a scan a cell.
	if grain == analytics.Hour {
		grain = analytics.Day
	}

	for _, family := range []struct {
		name       string
		dimensions []analytics.Dimension
		table      func(context.Context, analytics.Dimension, report.Page) (*report.Table[report.Row], error)
		series     func(context.Context, analytics.Dimension, report.Metric, analytics.Grain) ([]report.ValueSeries, error)
	}{
		{"attribution", analytics.AttributionDimensions, e.Attribution, e.AttributionSeries},
		{"demographic", analytics.LocationDimensions, e.Demographic, e.DemographicSeries},
		{"technology", analytics.TechnologyDimensions, e.Technology, e.TechnologySeries},
	} {
		for _, d := range family.dimensions {
			sameTable(t, family.name+" "+string(d), o.Breakdown(d), report.Visitors, report.SessionMetrics, oracle.RowKey,
				func(ctx context.Context, p report.Page) (*report.Table[report.Row], error) {
					return family.table(ctx, d, p)
				})
		}
		d := rapid.SampledFrom(family.dimensions).Draw(t, "series dimension")
		metric := rapid.SampledFrom(report.SessionMetrics).Draw(t, "series metric")
		series, err := family.series(t.Context(), d, metric, grain)
		same(t, family.name+" series "+string(d)+" "+string(metric), series, err, o.BreakdownSeries(d, metric, grain))
	}

	sameTable(t, "pages", o.Pages(), report.Visitors, report.PageMetrics, func(r report.PageRow) string {
		return r.Value
	}, e.Pages)
	sameTable(t, "entries", o.Entries(), report.Visitors, report.SessionMetrics, func(r report.EntryRow) string {
		return r.Value
	}, e.Entries)
	sameTable(t, "exits", o.Exits(), report.Visitors, []report.Metric{report.Visitors, report.Sessions, report.ExitRate},
		func(r report.ExitRow) string { return r.Value }, e.Exits)
	metric := rapid.SampledFrom(report.PagePointMetrics).Draw(t, "page metric")
	series, err := e.EngagementSeries(t.Context(), analytics.Page, metric, grain)
	same(t, "page series "+string(metric), series, err, o.PageSeries(metric, grain))
	d := rapid.SampledFrom([]analytics.Dimension{analytics.Entry, analytics.Exit}).Draw(t, "end")
	metric = rapid.SampledFrom(report.SessionMetrics).Draw(t, "end metric")
	series, err = e.EngagementSeries(t.Context(), d, metric, grain)
	same(t, string(d)+" series "+string(metric), series, err, o.BreakdownSeries(d, metric, grain))

	sameTable(t, "screens", o.Screens(), report.Visitors, []report.Metric{report.Visitors, report.Views},
		func(r report.ScreenRow) string { return r.Value + "\x00" + string(r.Kind) }, e.Screens)
	sameTable(t, "events", o.Events(), report.Count, report.EventMetrics, func(r report.EventRow) string {
		return r.Name
	}, e.Events)
	metric = rapid.SampledFrom([]report.Metric{report.Count, report.Visitors, report.Sessions}).Draw(t, "event metric")
	series, err = e.EventsSeries(t.Context(), metric, grain)
	same(t, "events series "+string(metric), series, err, o.EventsSeries(metric, grain))
	sameVisitors(t, e, o)
	person := rapid.SampledFrom([]string{"v1", "v2", "v3", "V1", "nobody"}).Draw(t, "person")
	sameTimeline(t, "time line of "+person, e, person, o.Timeline(person))
	sameOverview(t, e)
	compareGoals(t, e, o, grain)
	compareFunnel(t, e, o, world.DrawFunnel(t), grain)
	comparePaths(t, e, o)

	retention, err := e.Retention(t.Context())
	same(t, "retention", retention, err, o.Retention())
	d = rapid.SampledFrom(analytics.RetentionDimensions).Draw(t, "retention dimension")
	sameTable(t, "retention by "+string(d), o.RetentionBreakdown(d), report.Visitors, []report.Metric{report.Visitors},
		func(r report.RetentionRow) string { return r.Value },
		func(ctx context.Context, p report.Page) (*report.Table[report.RetentionRow], error) {
			return e.RetentionBreakdown(ctx, d, p)
		})
	var drill *report.Drill
	if rapid.Bool().Draw(t, "drilled") {
		drill = &report.Drill{Dimension: d, Value: rapid.SampledFrom(world.Values[d]).Draw(t, "drill")}
	}
	arrivals, err := e.RetentionSeries(t.Context(), grain, drill)
	same(t, "retention series", arrivals, err, o.RetentionSeries(grain, drill))
	cohorts, err := e.RetentionCohorts(t.Context(), grain, drill)
	same(t, "cohorts", cohorts, err, o.RetentionCohorts(grain, drill))
	days := rapid.IntRange(1, 12).Draw(t, "curve")
	curve, err := e.RetentionCurve(t.Context(), days, drill)
	same(t, "curve", curve, err, o.RetentionCurve(days, drill))
}

// compareGoals compares the table of goals, and one of them over time and by a dimension.
func compareGoals(t *rapid.T, e *report.Selection, o *oracle.Selection, grain analytics.Grain) {
	sameTable(t, "goals", o.Goals(), report.Converters, report.GoalMetrics, func(r report.GoalRow) string {
		return r.Name + "\x00" + r.GoalID.String()
	}, e.Goals)
	goals := e.Scope().Goals
	if len(goals) == 0 {
		return
	}
	goal := rapid.SampledFrom(goals).Draw(t, "goal")
	points, err := e.GoalSeries(t.Context(), goal.ID, grain)
	same(t, "series of a goal", points, err, o.GoalSeries(goal, grain))
	d := rapid.SampledFrom(report.GoalDimensions).Draw(t, "dimension of a goal")
	sameTable(t, "goal by "+string(d), o.GoalBreakdown(goal, d), report.Converters, report.GoalBreakdownMetrics,
		func(r report.GoalBreakdownRow) string { return r.Value + "\x00" + r.Country + "\x00" + r.Region },
		func(ctx context.Context, p report.Page) (*report.Table[report.GoalBreakdownRow], error) {
			return e.GoalBreakdown(ctx, goal.ID, d, p)
		})
}

// compareFunnel compares the reports of a funnel.
func compareFunnel(
	t *rapid.T, e *report.Selection, o *oracle.Selection, f analytics.Funnel, grain analytics.Grain,
) {
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	funnel, err := e.Funnel(t.Context(), f)
	same(t, "funnel "+string(text), funnel, err, o.Funnel(f))
	points, err := e.FunnelSeries(t.Context(), f, grain)
	same(t, "series of funnel "+string(text), points, err, o.FunnelSeries(f, grain))
	d := rapid.SampledFrom(report.GoalDimensions).Draw(t, "dimension of a funnel")
	rows, err := e.FunnelBreakdown(t.Context(), f, d)
	same(t, "funnel by "+string(d)+" "+string(text), rows, err, o.FunnelBreakdown(f, d))
	step := rapid.IntRange(1, len(f.Steps)).Draw(t, "step of a funnel")
	for outcome, open := range funnelOutcomes {
		people, err := e.FunnelVisitors(t.Context(), f, step, outcome, report.Page{First: report.MaxFirst})
		if err != nil {
			t.Fatalf("people of a funnel: %v", err)
		}
		found := []string{}
		for _, row := range people.Rows {
			found = append(found, row.AppUserID)
		}
		slices.Sort(found)
		same(t, "people "+string(outcome)+" of funnel "+string(text), found, nil, o.FunnelVisitors(f, step, open))
	}
}

// compareJourneys compares whom segments choose by a funnel or a path with those whom its report counts.
func compareJourneys(
	t *rapid.T, e *report.Engine, view *frame.View, o *oracle.Oracle, scope analytics.Scope, now time.Time,
) {
	f := world.DrawFunnel(t)
	everything := o.Select(analytics.Scope{Start: scope.Start, End: scope.End})
	chosen := func(c *analytics.Condition) []string {
		if err := c.Validate("where"); err != nil {
			t.Fatal(err)
		}
		found := []string{}
		e.Match(view, c, scope.Start, scope.End, now, func(ordinal uint32) {
			found = append(found, view.Visitors.ID(ordinal))
		})
		slices.Sort(found)
		return slices.Compact(found)
	}
	for outcome, open := range funnelOutcomes {
		step := rapid.IntRange(1, len(f.Steps)).Draw(t, "step of a segment")
		c := &analytics.Condition{Funnel: &analytics.FunnelCondition{Funnel: f, Step: step, Outcome: outcome}}
		same(t, "users "+string(outcome)+" of a funnel", chosen(c), nil, everything.FunnelVisitors(f, step, open))
	}
	goals := world.DrawGoals(t)
	for _, row := range o.Select(analytics.Scope{Start: scope.Start, End: scope.End, Goals: goals}).Goals() {
		at := slices.IndexFunc(goals, func(g analytics.Goal) bool { return g.ID == row.GoalID })
		c := &analytics.Condition{Goal: &analytics.ConversionCondition{Condition: goals[at].Condition}}
		same(t, "converters of "+row.Name, int64(len(chosen(c))), nil, row.Converters)
	}
	q := world.DrawPaths(t)
	paths := everything.Paths(q)
	for _, link := range paths.Links {
		from, to := paths.Nodes[link.From], paths.Nodes[link.To]
		if from.Name == nil || to.Name == nil {
			continue
		}
		nodes := []analytics.PathPoint{
			{Step: from.Step, Kind: *from.Kind, Name: *from.Name}, {Step: to.Step, Kind: *to.Kind, Name: *to.Name},
		}
		c := &analytics.Condition{Path: &analytics.PathCondition{Path: q, Nodes: nodes}}
		same(t, fmt.Sprintf("users of %+v on paths %+v", nodes, q), chosen(c), nil, everything.PathVisitors(q, nodes))
	}
}

// comparePaths compares paths, and adds up what arrives at every node and leaves it.
func comparePaths(t *rapid.T, e *report.Selection, o *oracle.Selection) {
	q := world.DrawPaths(t)
	got, err := e.Paths(t.Context(), q)
	same(t, fmt.Sprintf("paths %+v", q), got, err, o.Paths(q))
	in, out := map[int]int64{}, map[int]int64{}
	for _, link := range got.Links {
		in[link.To] += link.Sessions
		out[link.From] += link.Sessions
	}
	for i, node := range got.Nodes {
		if node.Step == 1 {
			in[i] = got.Sessions
		}
		if node.Step == cmp.Or(q.Steps, analytics.DefaultPathSteps) {
			out[i] = node.Continued
		}
		if in[i] != node.Sessions || out[i] != node.Continued || in[i] != out[i]+node.Ended || node.Node != i {
			t.Fatalf("paths %+v: in %d, out %d of %+v", q, in[i], out[i], node)
		}
	}
}

// sameVisitors pages through the list of visitors.
func sameVisitors(t *rapid.T, e *report.Selection, o *oracle.Selection) {
	sameTable(t, "visitors", o.Visitors(), report.LastSeen, report.VisitorMetrics, func(r report.VisitorRow) string {
		return r.AppUserID
	}, e.Visitors)
}

// sameTimeline pages through a time line.
func sameTimeline(t *rapid.T, what string, e *report.Selection, person string, want []report.TimelineEntry) {
	t.Helper()
	got, page := []report.TimelineEntry{}, report.Page{First: rapid.IntRange(1, 4).Draw(t, "entries")}
	for {
		found, err := e.Timeline(t.Context(), person, page)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got = append(got, found.Rows...)
		if found.TotalCount != len(want) || found.HasNextPage != (len(got) < len(want)) {
			t.Fatalf("%s: total %d of %d, next page %v", what, found.TotalCount, len(want), found.HasNextPage)
		}
		if !found.HasNextPage {
			break
		}
		page.After = found.EndCursor()
	}
	same(t, what, got, nil, want)
}

// sameOverview checks that the overview is the heads of its tables, which sameTable compares.
func sameOverview(t *rapid.T, e *report.Selection) {
	got, err := e.Overview(t.Context())
	if err != nil {
		t.Fatalf("overview: %v", err)
	}
	page := report.Page{First: report.OverviewRows}
	for d, rows := range map[analytics.Dimension][]report.Row{
		analytics.AcquisitionChannel: got.Channel, analytics.Referrer: got.Referrer, analytics.Source: got.Source,
		analytics.Campaign: got.Campaign,
	} {
		want, err := e.Attribution(t.Context(), d, page)
		same(t, "overview "+string(d), rows, err, want.Rows)
	}
	country, err := e.Demographic(t.Context(), analytics.Country, page)
	same(t, "overview country", got.Country, err, country.Rows)
	for d, rows := range map[analytics.Dimension][]report.Row{
		analytics.Device: got.Device, analytics.Browser: got.Browser, analytics.OS: got.OS,
	} {
		want, err := e.Technology(t.Context(), d, page)
		same(t, "overview "+string(d), rows, err, want.Rows)
	}
	pages, err := e.Pages(t.Context(), page)
	same(t, "overview page", got.Page, err, pages.Rows)
	entries, err := e.Entries(t.Context(), page)
	same(t, "overview entry", got.Entry, err, entries.Rows)
	exits, err := e.Exits(t.Context(), page)
	same(t, "overview exit", got.Exit, err, exits.Rows)
	events, err := e.Events(t.Context(), page)
	same(t, "overview event", got.Event, err, events.Rows)
}

// same compares two answers by their JSON, which holds every figure that a client can see.
func same(t *rapid.T, what string, got any, err error, want any) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	g, err := json.Marshal(got)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	w, err := json.Marshal(want)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if string(g) != string(w) {
		t.Fatalf("%s\ngot  %s\nwant %s", what, g, w)
	}
}

// searches are what tables are searched for: nothing, and pieces of the worlds' values in other cases.
var searches = []string{"", "", "", "/", "A", "spring S", "ſ", "PERTH", "%", "_", `\`, `"`, "'", "V1", "U2", "nowhere"}

// sameTable pages through a table in the default order and in a random one, perhaps with a search. The
// key of a row begins with the text that is searched; a visitor has another id.
func sameTable[R any](
	t *rapid.T, what string, all []R, order report.Metric, metrics []report.Metric, key func(R) string,
	table func(context.Context, report.Page) (*report.Table[R], error),
) {
	t.Helper()
	for _, p := range []report.Page{
		{},
		{
			OrderBy: rapid.SampledFrom(metrics).Draw(t, "order by"), Ascending: rapid.Bool().Draw(t, "ascending"),
			First: rapid.IntRange(1, 4).Draw(t, "first"), Search: rapid.SampledFrom(searches).Draw(t, "search"),
		},
	} {
		want := slices.DeleteFunc(slices.Clone(all), func(row R) bool {
			text, _, _ := strings.Cut(key(row), "\x00")
			visitor, _ := any(row).(report.VisitorRow)
			return !oracle.Contains(text, p.Search) && !oracle.Contains(visitor.CustomUserID, p.Search)
		})
		by := p.OrderBy
		if by == "" {
			by = order
		}
		oracle.Sort(want, by, p.Ascending, key)
		got := []R{}
		for {
			page, err := table(t.Context(), p)
			if err != nil {
				t.Fatalf("%s by %s: %v", what, by, err)
			}
			if page.TotalCount != len(want) || page.HasNextPage != (len(got)+len(page.Rows) < len(want)) {
				t.Fatalf(
					"%s by %s: total %d of %d, next page %v after %d rows", what, by, page.TotalCount, len(want), page.HasNextPage,
					len(got)+len(page.Rows),
				)
			}
			got = append(got, page.Rows...)
			if !page.HasNextPage {
				break
			}
			p.After = page.EndCursor()
		}
		if len(want) == 0 {
			want = []R{}
		}
		same(t, what+" by "+string(by), got, nil, want)
	}
}
