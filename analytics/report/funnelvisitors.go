package report

import (
	"context"
	"fmt"
	"slices"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// has tells whether an attempt has an outcome at a step, counted from one.
func (a *funnelAttempt) has(o analytics.FunnelOutcome, step, steps int) bool {
	switch {
	case a.level < step:
		return false
	case o == analytics.FunnelContinued:
		return a.level > step
	case o == analytics.FunnelDropped:
		return a.level == step && !a.open && step < steps
	case o == analytics.FunnelOpen:
		return a.level == step && a.open
	}
	return true
}

// FunnelVisitors returns the visitors who entered a step, counted from one, and have an outcome there. Their columns
// are those of the visitor list.
func (s *Selection) FunnelVisitors(
	ctx context.Context, f analytics.Funnel, step int, outcome analytics.FunnelOutcome, page Page,
) (*Table[VisitorRow], error) {
	f, err := s.funnelOf(f)
	if err != nil {
		return nil, err
	}
	if step < 1 || step > len(f.Steps) {
		return nil, analytics.Invalid("step", "must be between 1 and %d", len(f.Steps))
	}
	by, err := page.sorting(LastSeen, VisitorMetrics)
	if err != nil {
		return nil, err
	}
	rows, _, err := sumPortions(ctx, s, func(p *Selection) listing[VisitorRow] {
		return p.listVisitors(by, p.funnelMembers(&f, step, outcome))
	}, func(total, more listing[VisitorRow]) listing[VisitorRow] { return total.plus(more, by) })
	if err != nil {
		return nil, err
	}
	return rows.page(by)
}

// funnelMembers returns the visitors of the attempts that have an outcome at a step of a selection in memory. They must
// not be changed.
func (s *Selection) funnelMembers(f *analytics.Funnel, step int, outcome analytics.FunnelOutcome) *Members {
	key := countKey{what: "funnel visitors", by: fmt.Sprint(step, outcome)}
	count := func() (keptFunnel[*Members], error) {
		members := NoMembers(s.view)
		ends, holds := s.eachSettled(f, step, outcome, members.add)
		return keptFunnel[*Members]{holds, func(moment int64) *Members {
			all := *members
			all.bits = slices.Clone(all.bits)
			ends.addOutcomes(moment, outcome, step, len(f.Steps), all.add)
			return &all
		}}, nil
	}
	members, _ := rememberedFunnel(s, f, key, 8*len(NoMembers(s.view).bits), count) // errors are those of reading portions
	return members
}

// eachOutcome calls add with the visitors of the attempts that have an outcome at a step, some several times.
func (s *Selection) eachOutcome(
	f *analytics.Funnel, step int, outcome analytics.FunnelOutcome, add func(visitor uint32),
) {
	ends, _ := s.eachSettled(f, step, outcome, add)
	ends.addOutcomes(frame.Millis(s.now), outcome, step, len(f.Steps), add)
}

// eachSettled does so but for attempts that are ending, which it returns with how long that holds.
func (s *Selection) eachSettled(
	f *analytics.Funnel, step int, outcome analytics.FunnelOutcome, add func(visitor uint32),
) (funnelEnds, validity) {
	c := s.newFunnelCount(f)
	found, ends := make([][]uint32, len(c.wide.window.shards)), make([]funnelEnds, len(c.wide.window.shards))
	holds := c.each(func(shard int, a *funnelAttempt) (enough bool) {
		switch {
		case a.ending:
			ends[shard] = append(ends[shard], a.endOf(a.visitor))
		case a.has(outcome, step, c.steps):
			found[shard] = append(found[shard], a.visitor)
		}
		return true
	}, nil)
	for _, visitors := range found {
		for _, visitor := range visitors {
			add(visitor)
		}
	}
	return slices.Concat(ends...), holds
}
