package main

import (
	"slices"
	"testing"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/oracle"
	"github.com/svc-dev/svc/analytics/oracle/floworacle"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/cmd/svc/e2e"
)

func metric(of func(m report.Metrics) any) func(s *oracle.Selection) []string {
	return func(s *oracle.Selection) []string { return []string{e2e.SQLRow(of(s.Summary().Metrics))} }
}

var productFigures = e2e.SQLFigures[*oracle.Selection]{
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
		return e2e.SQLRows(points, func(p report.Point) string { return e2e.SQLRow(p.Bucket, p.Visitors, p.Sessions) })
	},
	"sources": func(s *oracle.Selection) []string {
		rows := slices.DeleteFunc(s.Breakdown(analytics.Source), func(r report.Row) bool { return r.Sessions == 0 })
		return e2e.SQLRows(rows, func(r report.Row) string { return e2e.SQLRow(r.Value, r.Visitors, r.Sessions, r.Views) })
	},
	"pages": func(s *oracle.Selection) []string {
		return e2e.SQLRows(s.Pages(), func(r report.PageRow) string { return e2e.SQLRow(r.Value, r.Visitors, r.Views) })
	},
	"entry pages": func(s *oracle.Selection) []string {
		rows := slices.DeleteFunc(s.Entries(), func(r report.EntryRow) bool { return r.Value == "" })
		return e2e.SQLRows(rows, func(r report.EntryRow) string { return e2e.SQLRow(r.Value, r.Sessions) })
	},
}

// readsBySQL is whether a world is also read by SQL: a role of PostgreSQL each, of which a workspace has few.
func (w *sentWorld) readsBySQL() bool { return w.seed%5 == 0 || w.name == "crowd" }

// compareWithSQL holds every query of the documentation, asked of the database and of exported files, to the reports of
// a range without filters.
func (w *sentWorld) compareWithSQL(t *testing.T, scope analytics.Scope) {
	t.Helper()
	start, end := scope.Start, scope.End
	if start.IsZero() {
		start, end = w.scenario.Now.AddDate(0, 0, -7), w.scenario.Now
	}
	readers := e2e.Readers(t, w.servers.dev, w.app)
	selection := oracle.New(w.sent, time.Now()).Select(analytics.Scope{Start: start, End: end})
	productFigures.Compare(t, "Product analytics", selection, readers, start, end, "")
}

// ofOverview is a figure of a flow's overview.
func ofOverview(of func(o flow.Figures) any) func(q flowQuestion) []string {
	return func(q flowQuestion) []string { return []string{e2e.SQLRow(of(q.selection.Overview(nil).Figures))} }
}

// flowQuestion is what the naive implementation makes of the runs of a flow.
type flowQuestion struct {
	selection *floworacle.Selection
	graphs    []flow.Graph
}

var flowFigures = e2e.SQLFigures[flowQuestion]{
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
		return e2e.SQLRows(steps, func(s flow.FunnelStep) string { return e2e.SQLRow(s.ID, s.Reach, s.People) })
	},
	"locales": func(q flowQuestion) []string {
		return e2e.SQLRows(q.selection.Cohorts(flow.Locale, ""), func(c flow.Cohort) string {
			return e2e.SQLRow(c.Value, c.Starts, c.Completions)
		})
	},
}
