package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/oracle"
	"github.com/svc-dev/svc/analytics/oracle/world"
	result "github.com/svc-dev/svc/analytics/report"
)

// question is one command and the oracle's answer to it.
type question struct {
	args  []string // command, and its own flags
	where bool     // takes environment, platform and segment only
	dated bool     // takes a range too
	timed bool     // depends on the time of asking
	check func(o *oracle.Oracle, text string) (problem string)
}

// columns are a row's members by name, in plain JSON values.
type columns = map[string]any

// plain returns a value as JSON has it.
func plain(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // results hold nothing else
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	dollars(out)
	return out
}

// dollars turns micro-dollars into what the schema shows.
func dollars(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			dollars(item)
		}
	case map[string]any:
		for name, member := range v {
			switch n, isNumber := member.(float64); {
			case isNumber && slices.Contains([]string{"revenue", "revenueUsd", "revenuecat", "superwall", "stripe"}, name):
				v[name] = n / 1e6
			default:
				dollars(member)
			}
		}
	}
}

func plainRows[R any](rows []R) []columns {
	out := make([]columns, len(rows))
	for i, r := range rows {
		out[i] = plain(r).(columns)
	}
	return out
}

// difference tells how two answers differ, "" when they don't. What the command line does not print
// is not compared; members that a row does not have are null or empty.
func difference(at string, got, want any) string {
	switch g := got.(type) {
	case map[string]any:
		w, ok := want.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s: got %v, want %v", at, got, want)
		}
		for _, name := range slices.Sorted(maps.Keys(g)) {
			if name == "endCursor" {
				continue
			}
			if d := difference(at+"."+name, g[name], w[name]); d != "" {
				return d
			}
		}
		return ""
	case []any:
		w, _ := want.([]any)
		if len(g) != len(w) {
			return fmt.Sprintf("%s: got %d of %d entries\ngot  %v\nwant %v", at, len(g), len(w), got, want)
		}
		for i := range g {
			if d := difference(fmt.Sprintf("%s[%d]", at, i), g[i], w[i]); d != "" {
				return d + fmt.Sprintf("\ngot  %v\nwant %v", got, want)
			}
		}
		return ""
	case string:
		if g == "" && want == nil {
			return ""
		}
		if w, ok := want.(string); ok {
			x, errX := time.Parse(time.RFC3339Nano, g)
			y, errY := time.Parse(time.RFC3339Nano, w)
			if errX == nil && errY == nil && x.Equal(y) {
				return ""
			}
		}
	}
	if got != want {
		return fmt.Sprintf("%s: got %v, want %v", at, got, want)
	}
	return ""
}

// is asks for what want makes of the oracle, in plain values.
func is(args []string, want func(o *oracle.Oracle) any) question {
	return question{args: args, check: func(o *oracle.Oracle, text string) string {
		var got any
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			return err.Error()
		}
		return difference("", got, want(o))
	}}
}

// tableOf is what is known about a table.
type tableOf struct {
	rows   func(o *oracle.Oracle) []columns
	key    func(columns) string
	search string   // searched columns, by spaces
	usual  string   // order
	orders []string // other orders
	shown  []string // columns that are not null; nil means all
}

func byValue(c columns) string { return c["value"].(string) }

// ask asks for a table in the usual order or another, whole or by its first page, with or without
// a search.
func (w *sentWorld) ask(args []string, table tableOf) question {
	order, ascending, search := table.usual, w.rng.IntN(2) == 0, ""
	if w.rng.IntN(2) == 0 {
		order = oneOf(w.rng, table.orders)
		args = append(args, "--order-by", order)
	}
	if ascending {
		args = append(args, "--ascending")
	}
	if w.rng.IntN(4) == 0 {
		search = oneOf(w.rng, []string{"a", "B", "/", "%", "e", "S", "nowhere"})
		args = append(args, "--search", search)
	}
	first, lines := 50, w.rng.IntN(4) == 0
	if lines {
		args = append(args, "-o", "jsonl")
	} else if w.rng.IntN(2) == 0 {
		first = 1 + w.rng.IntN(4)
		args = append(args, "--first", strconv.Itoa(first))
	}
	return question{args: args, check: func(o *oracle.Oracle, text string) string {
		want := table.sorted(o, order, ascending, search)
		if lines {
			got := []any{}
			for line := range strings.Lines(text) {
				var row any
				if err := json.Unmarshal([]byte(line), &row); err != nil {
					return err.Error()
				}
				got = append(got, row)
			}
			return difference("", got, want)
		}
		var got any
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			return err.Error()
		}
		page := want[:min(first, len(want))]
		return difference("", got, columns{
			"nodes": page, "totalCount": float64(len(want)), "pageInfo": columns{"hasNextPage": len(page) < len(want)},
		})
	}}
}

// sorted returns the rows that match, in order.
func (table tableOf) sorted(o *oracle.Oracle, order string, ascending bool, search string) []any {
	rows := table.rows(o)
	oracle.Sort(rows, result.Metric(order), ascending, table.key)
	out := []any{}
	for _, row := range rows {
		matches := false
		for column := range strings.FieldsSeq(table.search) {
			text, _ := row[column].(string)
			matches = matches || oracle.Contains(text, search)
		}
		if !matches {
			continue
		}
		if table.shown != nil {
			maps.DeleteFunc(row, func(name string, _ any) bool { return !slices.Contains(table.shown, name) })
		}
		out = append(out, row)
	}
	return out
}

func oneOf[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

func names(metrics []result.Metric) []string {
	out := make([]string, len(metrics))
	for i, m := range metrics {
		out[i] = string(m)
	}
	return out
}

// dimensionNames are the dimensions whose name on the command line is not their own.
var dimensionNames = map[analytics.Dimension]string{
	analytics.Browser: "browsers", analytics.OS: "operatingSystems", analytics.Device: "devices",
}

func nameOf(d analytics.Dimension) string {
	if name, ok := dimensionNames[d]; ok {
		return name
	}
	return string(d)
}

// longestByHour is of how much time hours are asked for: those of nine months cost more than an operation may.
const longestByHour = 180 * 24 * time.Hour

// questions returns one of every report, with arguments drawn at random.
func (w *sentWorld) questions(scope analytics.Scope) []question {
	sel := func(o *oracle.Oracle) *oracle.Selection { return o.Select(scope) }
	grain := oneOf(w.rng, []analytics.Grain{analytics.Day, analytics.Day, analytics.Week, analytics.Month})
	fine := oneOf(w.rng, []analytics.Grain{analytics.Hour, grain})
	if scope.End.Sub(scope.Start) > longestByHour {
		fine = grain
	}
	grained := func(args ...string) []string { return append(args, "--grain", string(grain)) }

	out := []question{
		is([]string{"summary"}, func(o *oracle.Oracle) any { return plain(sel(o).Summary()) }),
		is([]string{"series", "--grain", string(fine)}, func(o *oracle.Oracle) any { return plain(sel(o).Series(fine)) }),
		is([]string{"overview"}, func(o *oracle.Oracle) any { return overviewOf(sel(o)) }),
		w.ask([]string{"screens"}, screensOf(sel)),
		w.ask([]string{"events"}, eventsOf(sel)),
		w.ask([]string{"visitors"}, visitorsOf(sel)),
	}
	breakdown := func(command string, dimensions []analytics.Dimension) {
		for range 2 {
			d := oneOf(w.rng, dimensions)
			out = append(out, w.ask([]string{command, "--dimension", nameOf(d)}, breakdownOf(sel, d)))
		}
		d, metric := oneOf(w.rng, dimensions), oneOf(w.rng, result.SessionMetrics)
		out = append(out, is(grained(command+"-series", "--dimension", nameOf(d), "--metric", string(metric)),
			func(o *oracle.Oracle) any { return plain(chart(sel(o).BreakdownSeries(d, metric, grain), metric)) }))
	}
	breakdown("attribution", analytics.AttributionDimensions)
	breakdown("demographic", analytics.LocationDimensions)
	breakdown("technology", analytics.TechnologyDimensions)

	for _, table := range []struct {
		name string
		tableOf
	}{{"page", pagesOf(sel)}, {"entry", entriesOf(sel)}, {"exit", exitsOf(sel)}} {
		out = append(out, w.ask([]string{"engagement", "--dimension", table.name}, table.tableOf))
	}
	d := oneOf(w.rng, analytics.EngagementDimensions)
	if metric := oneOf(w.rng, result.PagePointMetrics); d == analytics.Page {
		out = append(out, is(grained("engagement-series", "--dimension", "page", "--metric", string(metric)),
			func(o *oracle.Oracle) any { return plain(chart(sel(o).PageSeries(metric, grain), metric)) }))
	} else {
		metric := oneOf(w.rng, result.SessionMetrics)
		out = append(out, is(grained("engagement-series", "--dimension", string(d), "--metric", string(metric)),
			func(o *oracle.Oracle) any { return plain(chart(sel(o).BreakdownSeries(d, metric, grain), metric)) }))
	}
	metric := oneOf(w.rng, []result.Metric{result.Count, result.Visitors, result.Sessions})
	out = append(out, is(grained("events-series", "--metric", string(metric)), func(o *oracle.Oracle) any {
		return plain(sel(o).EventsSeries(metric, grain))
	}))
	out = append(out, w.retentionQuestions(sel, grain)...)
	for i := range out {
		// The default range ends now, and so does what a range beyond now can show.
		out[i].timed = scope.Start.IsZero() || scope.End.After(w.scenario.Now.Add(-time.Hour))
	}
	out = append(out, w.recentQuestion(scope))
	out = append(out, question{args: []string{"live"}, where: true, timed: true, check: func(o *oracle.Oracle, text string) string {
		var got any
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			return err.Error()
		}
		return difference("", got, liveOf(o.Live(scope.Platform, scope.Segment)))
	}})
	return out
}

func (w *sentWorld) retentionQuestions(sel func(*oracle.Oracle) *oracle.Selection, grain analytics.Grain) []question {
	d := oneOf(w.rng, analytics.RetentionDimensions)
	var drill *result.Drill
	drilled := func(args ...string) []string { return args }
	if w.rng.IntN(2) == 0 {
		drill = &result.Drill{Dimension: d, Value: oneOf(w.rng, world.Values[d])}
		drilled = func(args ...string) []string { return append(args, "--dimension", string(d), "--value", drill.Value) }
	}
	days := 1 + w.rng.IntN(12)
	return []question{
		is([]string{"retention"}, func(o *oracle.Oracle) any {
			all := columns{"retention": plain(sel(o).Retention())}
			for _, d := range analytics.RetentionDimensions {
				rows := retentionOf(sel, d).sorted(o, "visitors", false, "")
				all[string(d)] = columns{"nodes": rows, "totalCount": float64(len(rows)), "pageInfo": columns{"hasNextPage": false}}
			}
			return all
		}),
		w.ask([]string{"retention", "--dimension", string(d)}, retentionOf(sel, d)),
		is(drilled("retention-series", "--grain", string(grain)), func(o *oracle.Oracle) any {
			return plain(sel(o).RetentionSeries(grain, drill))
		}),
		is(drilled("retention-cohorts", "--grain", string(grain)), func(o *oracle.Oracle) any {
			return plain(sel(o).RetentionCohorts(grain, drill))
		}),
		is(drilled("retention-curve", "--days", strconv.Itoa(days)), func(o *oracle.Oracle) any {
			return plain(sel(o).RetentionCurve(days, drill))
		}),
	}
}

type selecting = func(*oracle.Oracle) *oracle.Selection

func breakdownOf(sel selecting, d analytics.Dimension) tableOf {
	return tableOf{
		rows: func(o *oracle.Oracle) []columns { return plainRows(sel(o).Breakdown(d)) },
		key: func(c columns) string {
			country, _ := c["country"].(string)
			region, _ := c["region"].(string)
			return c["value"].(string) + "\x00" + country + "\x00" + region
		},
		search: "value", usual: "visitors", orders: names(result.SessionMetrics),
	}
}

func pagesOf(sel selecting) tableOf {
	return tableOf{
		rows: func(o *oracle.Oracle) []columns { return plainRows(sel(o).Pages()) }, key: byValue,
		search: "value", usual: "visitors", orders: names(result.PageMetrics),
	}
}

func entriesOf(sel selecting) tableOf {
	return tableOf{
		rows: func(o *oracle.Oracle) []columns { return plainRows(sel(o).Entries()) }, key: byValue,
		search: "value", usual: "visitors", orders: names(result.SessionMetrics),
		shown: []string{"value", "visitors", "sessions", "bounceRate", "averageSessionSeconds", "revenue"},
	}
}

func exitsOf(sel selecting) tableOf {
	return tableOf{
		rows: func(o *oracle.Oracle) []columns { return plainRows(sel(o).Exits()) }, key: byValue,
		search: "value", usual: "visitors", orders: []string{"visitors", "sessions", "exitRate"},
	}
}

func screensOf(sel selecting) tableOf {
	return tableOf{
		rows:   func(o *oracle.Oracle) []columns { return plainRows(sel(o).Screens()) },
		key:    func(c columns) string { return c["value"].(string) + "\x00" + c["kind"].(string) },
		search: "value", usual: "visitors", orders: []string{"visitors", "views"},
	}
}

func eventsOf(sel selecting) tableOf {
	return tableOf{
		rows: func(o *oracle.Oracle) []columns { return plainRows(sel(o).Events()) },
		key:  func(c columns) string { return c["name"].(string) }, search: "name", usual: "count",
		orders: names(result.EventMetrics),
	}
}

func visitorsOf(sel selecting) tableOf {
	return tableOf{
		rows: func(o *oracle.Oracle) []columns { return plainRows(sel(o).Visitors()) },
		key:  func(c columns) string { return c["appUserId"].(string) }, search: "appUserId customUserId",
		usual: "lastSeen", orders: names(result.VisitorMetrics),
	}
}

func retentionOf(sel selecting, d analytics.Dimension) tableOf {
	return tableOf{
		rows: func(o *oracle.Oracle) []columns {
			rows := plainRows(sel(o).RetentionBreakdown(d))
			for _, row := range rows {
				for _, day := range row["days"].([]any) {
					for _, column := range []string{"returned", "eligible", "rate"} {
						share := day.(columns)
						row[fmt.Sprintf("day%v%s%s", share["offset"], strings.ToUpper(column[:1]), column[1:])] = share[column]
					}
				}
			}
			return rows
		},
		key: byValue, search: "value", usual: "visitors", orders: retentionColumns,
	}
}

// chart returns a series of values with money in dollars.
func chart(series []result.ValueSeries, metric result.Metric) []result.ValueSeries {
	if metric == result.Revenue {
		for _, s := range series {
			for i, p := range s.Points {
				value := *p.Value / 1e6
				s.Points[i].Value = &value
			}
		}
	}
	return series
}

// overviewOf returns the heads of its tables.
func overviewOf(s *oracle.Selection) columns {
	o, sel := (*oracle.Oracle)(nil), func(*oracle.Oracle) *oracle.Selection { return s }
	tables := map[string]tableOf{
		"page": pagesOf(sel), "entry": entriesOf(sel), "exit": exitsOf(sel), "event": eventsOf(sel),
		"channel": breakdownOf(sel, analytics.AcquisitionChannel), "referrer": breakdownOf(sel, analytics.Referrer),
		"source": breakdownOf(sel, analytics.Source), "campaign": breakdownOf(sel, analytics.Campaign),
		"country": breakdownOf(sel, analytics.Country),
		"device":  breakdownOf(sel, analytics.Device), "browser": breakdownOf(sel, analytics.Browser),
		"os": breakdownOf(sel, analytics.OS),
	}
	out := columns{}
	for name, table := range tables {
		rows := table.sorted(o, table.usual, false, "")
		out[name] = rows[:min(len(rows), result.OverviewRows)]
	}
	return out
}

func liveOf(live *result.Live) any {
	out := plain(live).(columns)
	out["people"] = columns{
		"nodes": out["people"].(columns)["rows"], "totalCount": float64(live.People.TotalCount),
		"pageInfo": columns{"hasNextPage": false},
	}
	return out
}
