package report_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
)

// arguments of an evaluation that are not the scope's.
type arguments map[string]string

func (s *script) run(t *testing.T, at string, view *frame.View, words []string) (rows any, total int, err error) {
	t.Helper()
	var scope analytics.Scope
	args := arguments{}
	for _, word := range words[1:] {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			t.Fatalf("%s: %q is not k=v", at, word)
		}
		args[key] = value
	}
	if zone, ok := args["tz"]; ok {
		if scope.Location, err = time.LoadLocation(zone); err != nil {
			t.Fatalf("%s: %v", at, err)
		}
	}
	var segment *analytics.Segment
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		switch {
		case key == "range":
			start, end, _ := strings.Cut(value, "..")
			loc := scope.Location
			if loc == nil {
				loc = time.UTC
			}
			if start != "" {
				scope.Start = instant(t, at, start, loc)
			}
			if end != "" {
				scope.End = instant(t, at, end, loc)
			}
		case key == "platform":
			scope.Platform = value
		case key == "provider":
			scope.RevenueProvider = value
		case strings.HasPrefix(key, "segment."):
			if segment == nil {
				segment = &analytics.Segment{}
			}
			audience(t, at, segment, strings.TrimPrefix(key, "segment."), value)
		case strings.HasPrefix(key, "xf."):
			scope.Cross = append(scope.Cross, crossFilter(strings.TrimPrefix(key, "xf."), value))
		default:
			if column := scope.Columns.Column(analytics.Dimension(key)); column != nil {
				*column = &value
			}
		}
	}
	engine := report.NewEngine(report.DefaultTuning())
	var members *report.Members
	if segment != nil {
		scope.Segment = segment
		if members, err = engine.Members(view, segment, s.now); err != nil {
			return nil, 0, err
		}
	}
	page := report.Page{
		OrderBy: report.Metric(args["orderBy"]), Ascending: args["order"] == "asc", Search: args["search"],
		After: args["after"],
	}
	if first, ok := args["first"]; ok {
		page.First = int(float(t, at, first))
	}
	if words[0] == "live" || strings.HasPrefix(words[0], "live-") {
		selection, err := engine.Select(view, report.LiveScope(scope.Platform, segment, s.now), members, s.now)
		if err != nil {
			return nil, 0, err
		}
		live, err := selection.Live(context.Background(), page)
		if err != nil {
			return nil, 0, err
		}
		switch words[0] {
		case "live-places":
			return live.Places, len(live.Places), nil
		case "live-pages":
			return live.Pages, len(live.Pages), nil
		case "live-minutes":
			return live.Minutes[report.LiveMinutes-6:], 0, nil
		}
		return live.People.Rows, live.Count, nil
	}
	selection, err := engine.Select(view, scope, members, s.now)
	if err != nil {
		return nil, 0, err
	}
	return evaluate(t, at, selection, words[0], args, page)
}

// audience adds to a segment: imported ids, or a part of its rules.
func audience(t *testing.T, at string, segment *analytics.Segment, key, value string) {
	t.Helper()
	switch key {
	case "users":
		segment.AppUserIDs = strings.Split(value, "|")
		return
	case "customs":
		segment.CustomUserIDs = strings.Split(value, "|")
		return
	}
	if segment.Rules == nil {
		segment.Rules = &analytics.SegmentRules{}
	}
	switch key {
	case "days":
		segment.Rules.Days = int(float(t, at, value))
	case "platform":
		segment.Rules.Platform = value
	default:
		segment.Rules.Cross = append(segment.Rules.Cross, crossFilter(key, value))
	}
}

// listed returns one list of an overview.
func listed(t *testing.T, at string, overview *report.Overview, name string) []any {
	t.Helper()
	text, err := json.Marshal(overview)
	if err != nil {
		t.Fatal(err)
	}
	var lists map[string][]any
	if err := json.Unmarshal(text, &lists); err != nil {
		t.Fatal(err)
	}
	rows, ok := lists[name]
	if !ok {
		t.Fatalf("%s: an overview has no list %q", at, name)
	}
	return rows
}

func crossFilter(key, value string) analytics.Filter {
	dimension, operator, _ := strings.Cut(key, ".")
	return analytics.Filter{
		Dimension: analytics.Dimension(dimension), Operator: analytics.Operator(operator), Values: strings.Split(value, "|"),
	}
}

func rowsOf[R any](table *report.Table[R], err error) (any, int, error) {
	if err != nil {
		return nil, 0, err
	}
	return table.Rows, table.TotalCount, nil
}

func list[R any](rows []R, err error) (any, int, error) { return rows, len(rows), err }

// pathsOf runs paths: anchor=KIND:NAME, direction, steps, kinds=A|B and groups=A|B, of which list=nodes or links
// counts.
func pathsOf(t *testing.T, at string, s *report.Selection, args arguments) (any, int, error) {
	t.Helper()
	kind, name, _ := strings.Cut(args["anchor"], ":")
	query := analytics.PathQuery{
		Anchor:    analytics.PathAnchor{Kind: analytics.PathKind(kind), Name: name},
		Direction: analytics.PathDirection(args["direction"]),
	}
	if steps, ok := args["steps"]; ok {
		query.Steps = int(float(t, at, steps))
	}
	if kinds, ok := args["kinds"]; ok {
		for _, kind := range strings.Split(kinds, "|") {
			query.Kinds = append(query.Kinds, analytics.PathKind(kind))
		}
	}
	if groups, ok := args["groups"]; ok {
		query.Groups = strings.Split(groups, "|")
	}
	paths, err := s.Paths(t.Context(), query)
	if err != nil {
		return nil, 0, err
	}
	if args["list"] == "links" {
		return paths.Links, len(paths.Links), nil
	}
	return paths.Nodes, len(paths.Nodes), nil
}

// evaluate runs one report.
func evaluate(
	t *testing.T, at string, s *report.Selection, name string, args arguments, page report.Page,
) (any, int, error) {
	t.Helper()
	dimension, grain := analytics.Dimension(args["dimension"]), analytics.Grain(args["grain"])
	metric := report.Metric(args["metric"])
	var drill *report.Drill
	if text, ok := args["drill"]; ok {
		d, value, _ := strings.Cut(text, ":")
		drill = &report.Drill{Dimension: analytics.Dimension(d), Value: value}
	}
	switch name {
	case "summary":
		summary, err := s.Summary(t.Context())
		return []any{summary}, 1, err
	case "series":
		return list(s.Series(t.Context(), grain))
	case "overview":
		overview, err := s.Overview(t.Context())
		if err != nil {
			return nil, 0, err
		}
		return listed(t, at, overview, args["list"]), 0, nil
	case "attribution":
		return rowsOf(s.Attribution(t.Context(), dimension, page))
	case "attribution-series":
		return list(s.AttributionSeries(t.Context(), dimension, metric, grain))
	case "demographic":
		return rowsOf(s.Demographic(t.Context(), dimension, page))
	case "demographic-series":
		return list(s.DemographicSeries(t.Context(), dimension, metric, grain))
	case "technology":
		return rowsOf(s.Technology(t.Context(), dimension, page))
	case "technology-series":
		return list(s.TechnologySeries(t.Context(), dimension, metric, grain))
	case "pages":
		return rowsOf(s.Pages(t.Context(), page))
	case "entries":
		return rowsOf(s.Entries(t.Context(), page))
	case "exits":
		return rowsOf(s.Exits(t.Context(), page))
	case "engagement-series":
		return list(s.EngagementSeries(t.Context(), dimension, metric, grain))
	case "screens":
		return rowsOf(s.Screens(t.Context(), page))
	case "events":
		return rowsOf(s.Events(t.Context(), page))
	case "events-series":
		return list(s.EventsSeries(t.Context(), metric, grain))
	case "visitors":
		return rowsOf(s.Visitors(t.Context(), page))
	case "paths":
		return pathsOf(t, at, s, args)
	case "retention":
		r, err := s.Retention(t.Context())
		return []any{r}, 1, err
	case "retention-by":
		return rowsOf(s.RetentionBreakdown(t.Context(), dimension, page))
	case "retention-series":
		return list(s.RetentionSeries(t.Context(), grain, drill))
	case "retention-cohorts":
		return list(s.RetentionCohorts(t.Context(), grain, drill))
	case "retention-curve":
		days := 0
		if text, ok := args["days"]; ok {
			days = int(float(t, at, text))
		}
		return list(s.RetentionCurve(t.Context(), days, drill))
	}
	t.Fatalf("%s: unknown report %q", at, name)
	return nil, 0, nil
}
