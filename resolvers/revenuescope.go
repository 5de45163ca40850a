package resolvers

import (
	"context"

	"github.com/svc-dev/svc/analytics/report"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/resolvers/page"
	"github.com/svc-dev/svc/revenue/figures"
)

// selectRevenue checks the scope of figures of money once, for all of them.
func (r *Resolver) selectRevenue(ctx context.Context, input graph.RevenueScope) (*figures.Reader, error) {
	app, err := r.finder.findOwnApp(ctx, "app", entapp.ID(input.AppID))
	if err != nil {
		return nil, err
	}
	environmentID, err := r.authorizeReports(ctx, app, input.Environment)
	if err != nil {
		return nil, err
	}
	times, err := convertScope(graph.ScopeInput{TimeZone: input.TimeZone, Range: input.Range})
	if err != nil {
		return nil, err
	}
	now := r.now()
	scope, err := figures.Scope{
		EnvironmentID: environmentID, Start: times.Start, End: times.End, Location: times.Location, Basis: input.Basis,
		Filters: convertRevenueFilters(input), PurchaseWindow: windowsOf(app).Purchase,
	}.Resolve(now)
	if err != nil {
		return nil, err
	}
	return r.revenue.Reader(scope, now), nil
}

func convertRevenueFilters(input graph.RevenueScope) []figures.Filter {
	var filters []figures.Filter
	if input.Providers != nil {
		providers := make([]string, len(input.Providers))
		for i, p := range input.Providers {
			providers[i] = string(providerOf(p))
		}
		filters = append(filters, figures.Filter{Dimension: figures.Provider, Values: providers})
	}
	if input.FlowVersions != nil {
		versions := make([]string, len(input.FlowVersions))
		for i, id := range input.FlowVersions {
			versions[i] = id.String()
		}
		filters = append(filters, figures.Filter{Dimension: figures.FlowVersion, Values: versions})
	}
	for _, f := range []figures.Filter{
		{Dimension: figures.Store, Values: input.Stores}, {Dimension: figures.Product, Values: input.Products},
		{Dimension: figures.Country, Values: input.Countries},
		{Dimension: figures.PeriodLength, Values: input.PeriodLengths},
		{Dimension: figures.ExperimentArm, Values: input.ExperimentArms},
	} {
		if f.Values != nil {
			filters = append(filters, f)
		}
	}
	return filters
}

// readRevenueRows returns a page of a breakdown.
func readRevenueRows(
	ctx context.Context, of *figures.Reader, by figures.Dimension, first *int, after *string,
) (*page.Of[figures.Row], error) {
	asked, err := convertPage(first, after, nil, false, nil)
	if err != nil {
		return nil, err
	}
	rows, err := of.Breakdown(ctx, by)
	if err != nil {
		return nil, err
	}
	const gross report.Metric = "gross"
	return convertTable(report.List(rows, asked, []report.Metric{gross},
		func(row figures.Row, _ report.Metric) *float64 {
			amount := float64(row.Totals.Gross)
			return &amount
		}, func(row figures.Row) string { return row.Value }))
}
