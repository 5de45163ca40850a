package resolvers

import (
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/ingest/health"
)

func convertHealth(h *health.Health) *graph.IngestHealth {
	out := &graph.IngestHealth{
		Start: h.Start, End: h.End, Exact: h.Exact,
		Accepted: h.Totals.Accepted, Duplicates: h.Totals.Duplicates, Ignored: h.Totals.Ignored,
		Rejected:        pointers(h.RejectedBy),
		NamesOverBudget: h.NamesOverBudget, SessionHitsOverLimit: h.SessionHitsOverLimit,
		SessionEventsOverLimit: h.SessionHitsOverLimit,
		RunHitsOverLimit:       h.RunHitsOverLimit, RunEventsOverLimit: h.RunHitsOverLimit,
		RunsWithoutStart: h.RunsWithoutStart, CorrectedTimes: h.CorrectedTimes,
		ServedLeftOut: h.ServedLeftOut, AssignmentsLeftOut: h.ServedLeftOut,
		Events: h.Totals.Events, Visitors: h.Totals.Visitors,
		Points: make([]*graph.IngestPoint, len(h.Points)),
	}
	if d := h.Delay; d != nil {
		out.Delay = &graph.DelayPercentiles{P50: d.P50, P90: d.P90, P99: d.P99}
	}
	for i, p := range h.Points {
		out.Points[i] = &graph.IngestPoint{
			Bucket: p.Bucket, Accepted: p.Accepted, Duplicates: p.Duplicates, Ignored: p.Ignored,
			Rejected: p.Rejected, Events: p.Events, Visitors: p.Visitors,
		}
	}
	return out
}
