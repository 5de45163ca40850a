package flow

import (
	"context"

	"github.com/svc-dev/svc/analytics/report"
)

// AppOverview returns a page of the flows of the environment, whatever the scope's flow, and their totals.
func (s *Selection) AppOverview(ctx context.Context, page report.Page) (*AppOverview, error) {
	if s.scope.Flow != noKey {
		scope := s.scope
		scope.Flow = noKey
		return s.within(scope).AppOverview(ctx, page)
	}
	// Cell 0 is all flows together.
	total, view, err := sum(ctx, s, func(p *Selection) []cell {
		flows := valuesOf(p.view, flowDimension, "")
		return append(p.count(1, true, inOneCell), p.count(len(flows.texts), true, p.by(flows))...)
	}, s.addCells)
	if err != nil {
		return nil, err
	}
	rows, flows := []AppFlow{}, valuesOf(view, flowDimension, "").texts
	for i := 1; i < len(total); i++ {
		if total[i].runs > 0 {
			rows = append(rows, AppFlow{flows[i-1], total[i].figures()})
		}
	}
	table, err := report.List(rows, page, AppOverviewMetrics, appMetric, func(f AppFlow) string { return f.Flow })
	if err != nil {
		return nil, err
	}
	return &AppOverview{*table, total[0].figures(), s.incomplete(s.scope.End, s.moneyWindow())}, nil
}

func appMetric(f AppFlow, metric report.Metric) *float64 {
	switch metric {
	case Starts:
		return whole(f.Starts)
	case Runs:
		return whole(f.Runs)
	case Completions:
		return whole(f.Completions)
	case CompletionRate:
		return f.CompletionRate
	case PaywallViewers:
		return whole(f.PaywallViewers)
	case Claimed:
		return whole(f.Claimed)
	case ConversionRate:
		return f.ConversionRate
	case RevenuePerStart:
		return f.RevenuePerStart
	}
	return f.metric(metric)
}
