// Package flowreport holds what the fields of GraphQL's FlowAnalytics are answered from: the scope of a request, and
// what a flow's versions look like.
package flowreport

import (
	"sync"
	"time"

	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/analytics/runlog"
	"github.com/svc-dev/svc/resolvers/page"
)

// Reports is the reports of one scope: the GraphQL type FlowAnalytics.
type Reports struct {
	EnvironmentID int64
	Scope         flow.Scope // resolved
	Now           time.Time  // of the request
	Filter        *runlog.Filter
	Reader        *runlog.Reader
	Runs          *flow.Selection // nil when no report needs it

	graphs struct {
		once  sync.Once
		found []flow.Graph
		err   error
	}
}

// Graphs returns the graphs of the scope's versions, which are read once for all reports of a request.
func (r *Reports) Graphs(read func() ([]flow.Graph, error)) ([]flow.Graph, error) {
	r.graphs.once.Do(func() { r.graphs.found, r.graphs.err = read() })
	return r.graphs.found, r.graphs.err
}

// Columns of responses.
const (
	Answered report.Metric = "answered"
	Skipped  report.Metric = "skipped"
)

// ResponsePage is a page of what people answered: the GraphQL type ResponseConnection.
type ResponsePage struct {
	*page.Of[runlog.Response]
	Runs     int64
	Complete bool
}

// NewResponsePage returns the page of the fields that is asked for.
func NewResponsePage(found *runlog.Responses, asked report.Page) (*ResponsePage, error) {
	table, err := report.List(found.Fields, asked, []report.Metric{Answered, Skipped},
		func(r runlog.Response, column report.Metric) *float64 {
			n := r.Answered
			if column == Skipped {
				n = r.Skipped
			}
			figure := float64(n)
			return &figure
		}, func(r runlog.Response) string { return r.FieldKey })
	if err != nil {
		return nil, err
	}
	nodes := make([]*runlog.Response, len(table.Rows))
	for i := range table.Rows {
		nodes[i] = &table.Rows[i]
	}
	return &ResponsePage{
		Of:   page.New(nodes, table.HasNextPage, table.EndCursor(), table.TotalCount),
		Runs: found.Runs, Complete: found.Complete,
	}, nil
}

// CohortPage is a page of cohorts: the GraphQL type CohortConnection.
type CohortPage struct {
	*page.Of[flow.Cohort]
	Incomplete bool
}

// AppFlowPage is a page of the flows of an app: the GraphQL type AppFlowConnection.
type AppFlowPage struct {
	*page.Of[flow.AppFlow]
	Totals     flow.Figures
	Incomplete bool
}
