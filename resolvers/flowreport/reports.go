// Package flowreport holds what the fields of GraphQL's FlowAnalytics are answered from: the scope of a request, and
// what a flow's versions look like.
package flowreport

import (
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
	table, err := report.TableOf(found.Fields, asked, []report.Metric{Answered, Skipped},
		func(r *runlog.Response, column report.Metric) *float64 {
			n := r.Answered
			if column == Skipped {
				n = r.Skipped
			}
			figure := float64(n)
			return &figure
		}, func(r *runlog.Response) string { return r.FieldKey })
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
