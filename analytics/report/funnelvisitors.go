package report

import (
	"context"
	"fmt"

	"github.com/svc-dev/svc/analytics"
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
		return p.visitorTable(by.OrderBy, p.funnelMembers(&f, step, outcome)).list(by)
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
	count := func() (*Members, validity, error) {
		members := NoMembers(s.view)
		return members, s.eachOutcome(f, step, outcome, members.add), nil
	}
	members, _ := rememberedFunnel(s, f, key, 8*len(NoMembers(s.view).bits), count) // errors are those of reading portions
	return members
}

// eachOutcome calls add with the visitors of the attempts that have an outcome at a step, some several times, and
// returns how long that holds.
func (s *Selection) eachOutcome(
	f *analytics.Funnel, step int, outcome analytics.FunnelOutcome, add func(visitor uint32),
) validity {
	c := s.newFunnelCount(f)
	found := make([][]uint32, len(c.wide.window.shards))
	holds := c.each(func(shard int, a *funnelAttempt) (enough bool) {
		if a.has(outcome, step, c.steps) {
			found[shard] = append(found[shard], a.visitor)
		}
		return true
	}, nil)
	for _, visitors := range found {
		for _, visitor := range visitors {
			add(visitor)
		}
	}
	return holds
}
