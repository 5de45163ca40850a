package report

import (
	"slices"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/session"
)

// peopleWithRuns returns the visitors whose runs of flows pass the filters: those with a run, started in [start, end),
// that every positive filter describes, but for those with such a run that a negative filter describes as well. Without
// flow filters it returns nil, which is everybody. Runs without a hit since lapsed have lapsed.
func peopleWithRuns(
	view *frame.View, filters []analytics.Filter, start, end, lapsed int64,
) (people *Members, rest []analytics.Filter) {
	var positive, negative []*runFilter
	for _, f := range filters {
		switch {
		case !f.Dimension.OfRuns():
			rest = append(rest, f)
		case f.Operator.Positive():
			positive = append(positive, newRunFilter(view, f))
		default:
			negative = append(negative, newRunFilter(view, f))
		}
	}
	if len(positive)+len(negative) == 0 {
		return nil, filters
	}
	with, without := NoMembers(view), NoMembers(view)
	for _, p := range runParts(view, start, end) {
		for row := range uint32(p.Len()) {
			at := p.RunStart(row)
			if at < start || at >= end || p.masked.Has(row) {
				continue
			}
			describes := func(f *runFilter) bool { return f.describes(p.Part, row, lapsed) }
			if slices.ContainsFunc(positive, func(f *runFilter) bool { return !describes(f) }) {
				continue
			}
			with.add(p.Visitors()[row])
			if slices.ContainsFunc(negative, describes) {
				without.add(p.Visitors()[row])
			}
		}
	}
	for i, bits := range without.bits {
		if len(positive) == 0 {
			with.bits[i] = ^bits
		} else {
			with.bits[i] &^= bits
		}
	}
	return with, rest
}

// runFilter describes runs, whatever the sign of the filter that it is made of.
type runFilter struct {
	releases []bool   // by code; nil of a filter on outcomes
	outcomes []string // of the filter
}

func newRunFilter(view *frame.View, f analytics.Filter) *runFilter {
	if f.Dimension == analytics.FlowOutcome {
		return &runFilter{outcomes: f.Values}
	}
	ids := make([]session.Key, len(f.Values))
	for i, value := range f.Values {
		ids[i] = session.KeyOf(value)
	}
	releases := make([]bool, len(view.Releases))
	for code := range releases {
		switch r := &view.Releases[code]; f.Dimension {
		case analytics.Flow:
			releases[code] = slices.Contains(ids, r.Flow)
		case analytics.FlowVersion:
			releases[code] = slices.Contains(ids, r.Version)
		default:
			releases[code] = slices.Contains(f.Values, r.Variant)
		}
	}
	return &runFilter{releases: releases}
}

// describes tells whether a run is what the filter describes. Without a hit since lapsed it has lapsed.
func (f *runFilter) describes(p *frame.Part, row uint32, lapsed int64) bool {
	if f.releases != nil {
		return f.releases[p.Column(frame.RunRelease)[row]]
	}
	return slices.Contains(f.outcomes, outcomeOf(p, row, lapsed))
}

func outcomeOf(p *frame.Part, row uint32, lapsed int64) string {
	switch flags := p.Column(frame.RunFlags)[row]; {
	case flags&frame.Completed != 0:
		return analytics.OutcomeCompleted
	case flags&frame.Abandoned != 0:
		return analytics.OutcomeAbandoned
	case p.RunLast(row) <= lapsed:
		return analytics.OutcomeLapsed
	}
	return analytics.OutcomeOpen
}
