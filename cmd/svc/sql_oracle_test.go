package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/oracle"
	"github.com/svc-dev/svc/analytics/oracle/floworacle"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/cmd/svc/e2e"
)

// queriesOf returns the queries of a chapter of docs/sql.md by the words before the first colon or comma of their comments.
func queriesOf(t *testing.T, chapter string) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/sql.md")
	require.NoError(t, err)
	_, text, found := strings.Cut(string(page), "\n### "+chapter+"\n")
	require.True(t, found, chapter)
	text, _, _ = strings.Cut(text, "\n### ")
	queries := map[string]string{}
	for _, block := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(text, -1) {
		for statement := range strings.SplitSeq(block[1], "\n\n") {
			comment, sql, _ := strings.Cut(statement, "\n")
			queries[regexp.MustCompile(`^-- ([^:,]+)`).FindStringSubmatch(comment)[1]] = strings.TrimSpace(sql)
		}
	}
	require.NotEmpty(t, queries)
	return queries
}

// sqlReader is a login that reads one app's live environment.
type sqlReader struct{ *pgx.Conn }

// readBySQL makes a role for an app and logs in with the address that is printed; the role goes with the test.
func readBySQL(t *testing.T, d *e2e.Dev, app string) sqlReader {
	t.Helper()
	environ := []string{"SVC_DATABASE_URL=" + d.DatabaseURL}
	exit, out, errs := e2e.Run(t, environ, "sql", "create-role", "--app", app, "--env", "live")
	require.Equal(t, exitOK, exit, errs)
	var login sqlLogin
	require.NoError(t, json.Unmarshal([]byte(out), &login))
	conn, err := pgx.Connect(context.Background(), login.URL)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = conn.Close(context.Background())
		exit, _, errs := e2e.Run(t, environ, "sql", "drop-role", login.ID.String())
		require.Equal(t, exitOK, exit, errs)
	})
	return sqlReader{conn}
}

// ask runs a query of the documentation and returns its rows as text.
func (r sqlReader) ask(t *testing.T, sql string, start, end time.Time, flowID string) []string {
	t.Helper()
	quoted := func(at time.Time) string { return "'" + at.UTC().Format(time.RFC3339Nano) + "'" }
	sql = strings.NewReplacer(":'from'", quoted(start), ":'to'", quoted(end), ":'flow'", "'"+flowID+"'").Replace(sql)
	rows, err := r.Query(context.Background(), sql)
	require.NoError(t, err, sql)
	answer, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		values, err := row.Values()
		return rowText(values...), err
	})
	require.NoError(t, err, sql)
	return answer
}

// rowText writes values so that those that are alike in two places look alike: sums of floats differ in the last digits.
func rowText(values ...any) string {
	texts := make([]string, len(values))
	for i, value := range values {
		switch v := value.(type) {
		case *float64:
			texts[i] = "<nil>"
			if v != nil {
				texts[i] = fmt.Sprintf("%.9g", *v)
			}
		case float64:
			texts[i] = fmt.Sprintf("%.9g", v)
		case time.Time:
			texts[i] = v.UTC().Format(time.DateTime)
		default:
			texts[i] = fmt.Sprint(v)
		}
	}
	return strings.Join(texts, " | ")
}

// reportFigures are what a report says: a row for each of its own, or one of one value.
type reportFigures[S any] map[string]func(s S) []string

// compare holds every query of a chapter of the documentation to its figure, and every figure to a query.
func (f reportFigures[S]) compare(t *testing.T, chapter string, selection S, ask func(sql string) []string) {
	t.Helper()
	queries := queriesOf(t, chapter)
	require.ElementsMatch(t, slices.Collect(maps.Keys(f)), slices.Collect(maps.Keys(queries)))
	for name, want := range f {
		require.ElementsMatch(t, want(selection), ask(queries[name]), "%s: %s", name, queries[name])
	}
}

func rowsOf[R any](list []R, text func(R) string) []string {
	rows := make([]string, len(list))
	for i, row := range list {
		rows[i] = text(row)
	}
	return rows
}

func metric(of func(m report.Metrics) any) func(s *oracle.Selection) []string {
	return func(s *oracle.Selection) []string { return []string{rowText(of(s.Summary().Metrics))} }
}

var productFigures = reportFigures[*oracle.Selection]{
	"visitors":              metric(func(m report.Metrics) any { return m.Visitors }),
	"sessions":              metric(func(m report.Metrics) any { return m.Sessions }),
	"views":                 metric(func(m report.Metrics) any { return m.Views }),
	"events":                metric(func(m report.Metrics) any { return m.Events }),
	"newVisitors":           metric(func(m report.Metrics) any { return m.NewVisitors }),
	"bounceRate":            metric(func(m report.Metrics) any { return m.BounceRate }),
	"averageSessionSeconds": metric(func(m report.Metrics) any { return m.AverageSessionSeconds }),
	"viewsPerSession":       metric(func(m report.Metrics) any { return m.ViewsPerSession }),
	"revenue":               metric(func(m report.Metrics) any { return float64(m.Revenue) / 1e6 }),
	"series": func(s *oracle.Selection) []string {
		points := slices.DeleteFunc(s.Series(analytics.Day), func(p report.Point) bool { return p.Sessions == 0 })
		return rowsOf(points, func(p report.Point) string { return rowText(p.Bucket, p.Visitors, p.Sessions) })
	},
	"sources": func(s *oracle.Selection) []string {
		rows := slices.DeleteFunc(s.Breakdown(analytics.Source), func(r report.Row) bool { return r.Sessions == 0 })
		return rowsOf(rows, func(r report.Row) string { return rowText(r.Value, r.Visitors, r.Sessions, r.Views) })
	},
	"pages": func(s *oracle.Selection) []string {
		return rowsOf(s.Pages(), func(r report.PageRow) string { return rowText(r.Value, r.Visitors, r.Views) })
	},
	"entry pages": func(s *oracle.Selection) []string {
		rows := slices.DeleteFunc(s.Entries(), func(r report.EntryRow) bool { return r.Value == "" })
		return rowsOf(rows, func(r report.EntryRow) string { return rowText(r.Value, r.Sessions) })
	},
}

// readsBySQL is whether a world is also read by SQL: a role of PostgreSQL each, of which a workspace has few.
func (w *sentWorld) readsBySQL() bool { return w.seed%5 == 0 || w.name == "crowd" }

// compareWithSQL holds every query of the documentation to the reports of a range without filters.
func (w *sentWorld) compareWithSQL(t *testing.T, scope analytics.Scope) {
	t.Helper()
	start, end := scope.Start, scope.End
	if start.IsZero() {
		start, end = w.scenario.Now.AddDate(0, 0, -7), w.scenario.Now
	}
	reader := readBySQL(t, w.servers.dev, w.app)
	selection := oracle.New(w.sent, time.Now()).Select(analytics.Scope{Start: start, End: end})
	productFigures.compare(t, "Product analytics", selection, func(sql string) []string {
		return reader.ask(t, sql, start, end, "")
	})
}

// ofOverview is a figure of a flow's overview.
func ofOverview(of func(o flow.Figures) any) func(q flowQuestion) []string {
	return func(q flowQuestion) []string { return []string{rowText(of(q.selection.Overview(nil).Figures))} }
}

// flowQuestion is what the naive implementation makes of the runs of a flow.
type flowQuestion struct {
	selection *floworacle.Selection
	graphs    []flow.Graph
}

var flowFigures = reportFigures[flowQuestion]{
	"starts":                     ofOverview(func(o flow.Figures) any { return o.Starts }),
	"runs":                       ofOverview(func(o flow.Figures) any { return o.Runs }),
	"completions":                ofOverview(func(o flow.Figures) any { return o.Completions }),
	"completionRate":             ofOverview(func(o flow.Figures) any { return o.CompletionRate }),
	"abandoned":                  ofOverview(func(o flow.Figures) any { return o.Abandoned }),
	"lapsed":                     ofOverview(func(o flow.Figures) any { return o.Lapsed }),
	"median seconds to complete": ofOverview(func(o flow.Figures) any { return o.TimeToComplete.Median }),
	"paywallViewers":             ofOverview(func(o flow.Figures) any { return o.PaywallViewers }),
	"funnel": func(q flowQuestion) []string {
		steps := slices.DeleteFunc(q.selection.Funnel(q.graphs).Steps, func(s flow.FunnelStep) bool { return s.Reach == 0 })
		return rowsOf(steps, func(s flow.FunnelStep) string { return rowText(s.ID, s.Reach, s.People) })
	},
	"locales": func(q flowQuestion) []string {
		return rowsOf(q.selection.Cohorts(flow.Locale, ""), func(c flow.Cohort) string {
			return rowText(c.Value, c.Starts, c.Completions)
		})
	},
}
