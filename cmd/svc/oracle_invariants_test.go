package main

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
)

// compareWithGraphQL asks some questions of the other server's GraphQL, with inputs that were not
// made from flags: both must say the same.
func (w *sentWorld) compareWithGraphQL(t *testing.T, scope analytics.Scope, segment string) {
	t.Helper()
	if scope.Start.IsZero() {
		return // the range would end at two moments
	}
	input := scopeInput(scope, segment)
	for _, c := range []struct {
		args      []string
		variables map[string]any
	}{
		{[]string{"summary"}, map[string]any{}},
		{
			[]string{"attribution", "--dimension", "acquisitionChannel"},
			map[string]any{"dimension": "ACQUISITION_CHANNEL", "ascending": false},
		},
		{
			[]string{"visitors", "--order-by", "sessions", "--ascending"},
			map[string]any{"orderBy": "SESSIONS", "ascending": true},
		},
		{[]string{"series", "--grain", "week"}, map[string]any{"grain": "WEEK"}},
	} {
		server := w.rng.IntN(2)
		args := append([]string{c.args[0], w.app}, c.args[1:]...)
		printed := w.servers.commandLine(t, server, false, append(args, scopeArguments(w.rng, question{}, scope, segment)...))
		text, err := document(c.args[0])
		require.NoError(t, err)
		c.variables["app"], c.variables["scope"] = w.app, input
		var answer struct {
			App struct{ ProductAnalytics map[string]json.RawMessage }
		}
		w.servers.query(t, 1-server, text, c.variables, &answer)
		require.JSONEq(t, string(answer.App.ProductAnalytics[c.args[0]]), printed, "GraphQL, and svc %q", args)
	}
}

// checkPages turns the pages of a table by its cursors: together they are the whole table.
func (w *sentWorld) checkPages(t *testing.T, scope analytics.Scope, segment string) {
	t.Helper()
	if scope.Start.IsZero() || scope.End.After(w.scenario.Now) {
		return // pages of several moments
	}
	table := oneOf(w.rng, [][]string{
		{"attribution", "--dimension", "source"}, {"demographic", "--dimension", "city", "--order-by", "bounceRate"},
		{"technology", "--dimension", "devices", "--ascending"},
		{"engagement", "--dimension", "page", "--order-by", "averageSecondsOnPage"}, {"screens"},
		{"events", "--order-by", "lastSeen"}, {"visitors", "--order-by", "revenueUsd"},
		{"recent", "--name", "page_view"},
	})
	args := append([]string{table[0], w.app}, table[1:]...)
	args = append(args, scopeArguments(w.rng, question{where: table[0] == "recent", dated: true}, scope, segment)...)
	type page struct {
		Nodes    []any
		PageInfo struct {
			HasNextPage bool
			EndCursor   string
		}
	}
	ask := func(more ...string) (p page) {
		t.Helper()
		text := w.servers.commandLine(t, w.rng.IntN(2), false, append(slices.Clone(args), more...))
		require.NoError(t, json.Unmarshal([]byte(text), &p))
		return p
	}
	whole := ask("--first", "200")
	first := []string{"--first", strconv.Itoa(1 + w.rng.IntN(2) + len(whole.Nodes)/8)}
	p := ask(first...)
	turned := p.Nodes
	for p.PageInfo.HasNextPage && len(turned) < len(whole.Nodes) {
		p = ask(append(first, "--after", p.PageInfo.EndCursor)...)
		require.NotEmpty(t, p.Nodes, "svc %q: an empty page", args)
		turned = append(turned, p.Nodes...)
	}
	require.Equal(
		t, whole.PageInfo.HasNextPage, len(turned) > len(whole.Nodes) || p.PageInfo.HasNextPage, "svc %q: the end", args,
	)
	turned = turned[:min(len(turned), len(whole.Nodes))]
	require.Equal(t, whole.Nodes, turned, "svc %q: pages, and the whole", args)
}

// rows returns the answer's nodes, or its entries.
func (w *sentWorld) rows(t *testing.T, args ...string) []columns {
	t.Helper()
	var out []columns
	for line := range strings.Lines(w.servers.commandLine(t, w.rng.IntN(2), false, append(args, "-o", "jsonl"))) {
		var row columns
		require.NoError(t, json.Unmarshal([]byte(line), &row))
		out = append(out, row)
	}
	return out
}

func sum(rows []columns, column string) float64 {
	total := 0.0
	for _, row := range rows {
		n, _ := row[column].(float64)
		total += n
	}
	return total
}

// checkInvariants compares answers with each other: the summary with its series and with the tables
// that split it.
func (w *sentWorld) checkInvariants(t *testing.T, scope analytics.Scope, segment string) {
	t.Helper()
	w.checkLive(t, w.rng.IntN(2), scopeArguments(w.rng, question{where: true}, scope, segment))
	if scope.Start.IsZero() || scope.End.After(w.scenario.Now) {
		return // figures of two moments
	}
	ask := func(args ...string) []columns {
		args = append([]string{args[0], w.app}, args[1:]...)
		return w.rows(t, append(args, scopeArguments(w.rng, question{}, scope, segment)...)...)
	}
	summary := ask("summary")[0]
	equal := func(what string, rows []columns, members ...string) {
		t.Helper()
		for _, m := range members {
			require.InDelta(
				t, summary[m], sum(rows, m), 1e-9, "%s of the summary, and the sum over %s, of app %s\n%v\n%v", m, what, w.app,
				summary, rows,
			)
		}
	}
	// A hit, a purchase and a first touch have one bucket each.
	days := ask("series")
	equal("days", days, "views", "events", "revenue", "newVisitors")
	// A session has one country, and one entry.
	equal("countries", ask("demographic", "--dimension", "country"), "sessions", "views", "revenue")
	equal("entries", ask("engagement", "--dimension", "entry"), "sessions", "revenue")
	visitors := ask("visitors")
	equal("visitors", visitors, "sessions", "views", "events")
	require.EqualValues(t, summary["visitors"], len(visitors))
	// A cohort is split by every dimension of the first touch, and by the day of the first visit.
	cohort := ask("retention-curve", "--days", "1")[0]["returned"] // on day 0: everybody
	of := oneOf(w.rng, retentionDimensions)
	require.EqualValues(t, cohort, sum(ask("retention", "--dimension", of), "visitors"), "people by %s", of)
	require.EqualValues(
		t, cohort, sum(ask("retention-cohorts", "--grain", oneOf(w.rng, []string{"day", "week", "month"})), "size"),
		"people by first visit",
	)
	require.EqualValues(t, cohort, summary["newVisitors"])
	arrivals := ask("retention-series")
	require.Len(t, days, len(arrivals))
	for i, day := range days {
		require.Equal(t, arrivals[i]["new"], day["newVisitors"], "of %v", day["bucket"])
	}
	// The tables of pages and of events are whole unless a positive filter narrows them.
	narrowed := func(d analytics.Dimension) bool {
		return slices.ContainsFunc(scope.Filters(), func(f analytics.Filter) bool {
			return f.Dimension == d && f.Operator.Positive()
		})
	}
	if !narrowed(analytics.Page) {
		equal("pages", ask("engagement", "--dimension", "page"), "views")
		equal("screens", ask("screens"), "views")
	}
	if !narrowed(analytics.Event) {
		custom := slices.DeleteFunc(ask("events"), func(row columns) bool { return row["builtIn"].(bool) })
		require.EqualValues(t, summary["events"], sum(custom, "count"))
	}
}

// checkLive checks that the live report agrees with itself.
func (w *sentWorld) checkLive(t *testing.T, server int, flags []string) {
	t.Helper()
	var live struct {
		Count  int
		People struct {
			Nodes      []any
			TotalCount int
		}
		Places []struct{ Visitors int }
		Pages  []struct{ Visitors int }
	}
	text := w.servers.commandLine(t, server, false, append([]string{"live", w.app, "--first", "1000"}, flags...))
	require.NoError(t, json.Unmarshal([]byte(text), &live))
	placed, standing := 0, 0
	for _, p := range live.Places {
		placed += p.Visitors
	}
	for _, p := range live.Pages { // fewer than ten
		standing += p.Visitors
	}
	if live.Count != live.People.TotalCount || live.Count != len(live.People.Nodes) || live.Count != placed ||
		live.Count != standing {
		t.Fatalf("live disagrees with itself: %s", text)
	}
	w.checkLiveRows(t, server, flags)
}

// checkLiveRows checks that the rows for programs have the count and everybody in it.
func (w *sentWorld) checkLiveRows(t *testing.T, server int, flags []string) {
	t.Helper()
	lines := w.servers.commandLine(t, server, false, append([]string{"live", w.app, "-o", "jsonl"}, flags...))
	people, count := 0, -1
	for line := range strings.Lines(lines) {
		var row struct {
			List  string
			Count int
		}
		require.NoError(t, json.Unmarshal([]byte(line), &row))
		switch row.List {
		case totals:
			count = row.Count
		case "people":
			people++
		}
	}
	require.Equal(t, count, people, lines)
}
