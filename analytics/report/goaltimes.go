package report

import (
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// Never is the time of what did not happen, in the milliseconds of a frame.
const Never = int64(1)<<62 - 1

// FirstMet returns when visitors first met each condition, by condition and ordinal, within [start, end) and no earlier
// than since says of them; Never for who did not, and for whom since says so. Unlike a report it asks for no session:
// who is looked for is known already.
func (e *Engine) FirstMet(
	view *frame.View, conditions []analytics.GoalCondition, since []int64, start, end, now time.Time,
) [][]int64 {
	first := make([][]int64, len(conditions))
	goals := make([]analytics.Goal, len(conditions))
	for i := range first {
		goals[i].Condition = conditions[i]
		first[i] = make([]int64, view.Visitors.Len())
		for visitor := range first[i] {
			first[i][visitor] = Never
		}
	}
	s := e.everything(view, start, end, now)
	s.firstNames(goals, since, first)
	for i := range conditions {
		var hits []goalHit
		switch c := &conditions[i]; {
		case c.Flow != nil:
			hits = s.flowHits(c.Flow)
		case c.Purchase != nil:
			hits = s.purchaseHits(c.Purchase)
		}
		for _, hit := range hits {
			if !hit.refund && hit.at >= since[hit.visitor] {
				first[i][hit.visitor] = min(first[i][hit.visitor], hit.at)
			}
		}
	}
	return first
}

// firstNames looks for the first hits that meet goals by their names. The hits of a visitor are those of one shard.
func (s *Selection) firstNames(goals []analytics.Goal, since []int64, first [][]int64) {
	names := s.goalNames(goals)
	if len(names.sets) == 1 {
		return
	}
	last := uint32(len(names.slot) - 1)
	frame.Parallel(s.workers(), func(i int) {
		s.blocks(i, func(spans []sessionHits, _ uint32) {
			for j := range spans {
				sp := &spans[j]
				visitor := sp.visitor - 1
				if since[visitor] == Never {
					continue
				}
				for _, hit := range sp.hits[:sp.inRange] {
					slot, at := names.slot[min(frame.HitName(hit), last)], frame.HitTime(hit)
					if slot == 0 || at < since[visitor] {
						continue
					}
					for _, goal := range names.sets[slot] {
						first[goal][visitor] = min(first[goal][visitor], at)
					}
				}
			}
		})
	})
}
