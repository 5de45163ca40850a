package resolvers

import (
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/resolvers/page"
	"github.com/svc-dev/svc/resolvers/scalar"
)

// convertPage converts the arguments that every table has.
func convertPage(
	first *int, after *string, orderBy *report.Metric, ascending bool, search *string,
) (report.Page, error) {
	page := report.Page{After: deref(after), OrderBy: deref(orderBy), Ascending: ascending, Search: deref(search)}
	if first != nil {
		if *first < 1 || *first > report.MaxFirst {
			return page, fault.Invalid("first", "must be between 1 and %d", report.MaxFirst)
		}
		page.First = *first
	}
	return page, nil
}

// convertTable converts a table of a report.
func convertTable[R any](table *report.Table[R], err error) (*page.Of[R], error) {
	if err != nil {
		return nil, err
	}
	return page.New(pointers(table.Rows), table.HasNextPage, table.EndCursor(), table.TotalCount), nil
}

// convertSeries converts the series of single values; money is written as dollars.
func convertSeries(series []report.ValueSeries, metric report.Metric, err error) ([]*graph.ValueSeries, error) {
	if err != nil {
		return nil, err
	}
	out := make([]*graph.ValueSeries, len(series))
	for i, s := range series {
		out[i] = &graph.ValueSeries{
			Value: s.Value, Country: s.Country, Region: s.Region, Points: make([]*graph.ValuePoint, len(s.Points)),
		}
		for j, p := range s.Points {
			point := &graph.ValuePoint{Bucket: p.Bucket}
			if p.Value != nil {
				figure := scalar.FigureOf(*p.Value)
				if metric == report.Revenue {
					figure = scalar.FigureOfUSD(p.Whole)
				}
				point.Value = &figure
			}
			out[i].Points[j] = point
		}
	}
	return out, nil
}

// convertEngagementRow returns a row of whichever engagement table, with null where the
// dimension has no such column.
func convertEngagementRow(row any) *graph.EngagementRow {
	switch r := row.(type) {
	case *report.PageRow:
		return &graph.EngagementRow{
			Value: r.Value, Visitors: r.Visitors, Sessions: r.Sessions, Views: &r.Views,
			AverageSecondsOnPage: r.AverageSecondsOnPage, Entries: &r.Entries, Exits: &r.Exits, ExitRate: r.ExitRate,
		}
	case *report.EntryRow:
		return &graph.EngagementRow{
			Value: r.Value, Visitors: r.Visitors, Sessions: r.Sessions,
			BounceRate: r.BounceRate, AverageSessionSeconds: r.AverageSessionSeconds, Revenue: &r.Revenue,
		}
	case *report.ExitRow:
		return &graph.EngagementRow{Value: r.Value, Visitors: r.Visitors, Sessions: r.Sessions, ExitRate: r.ExitRate}
	}
	return nil
}

func convertEngagement[R any](table *report.Table[R], err error) (*graph.EngagementConnection, error) {
	rows, err := convertTable(table, err)
	if err != nil {
		return nil, err
	}
	converted := page.Map(rows, func(row *R) *graph.EngagementRow { return convertEngagementRow(row) })
	return &graph.EngagementConnection{
		Nodes: converted.Nodes, PageInfo: converted.PageInfo, TotalCount: table.TotalCount,
	}, nil
}
