package report

import (
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// peopleWithGoals returns the visitors who pass the scope's filters on goals: those who met one of a filter's goals in
// the range, whatever else the scope filters by, or with is_not none of them. Without such a filter it returns nil,
// which is everybody.
func (e *Engine) peopleWithGoals(
	view *frame.View, scope analytics.Scope, filters []analytics.Filter, now time.Time,
) (people *Members, rest []analytics.Filter) {
	if !analytics.HasGoalFilter(filters) {
		return nil, filters
	}
	everything := e.everything(view, scope.Start, scope.End, now)
	for _, f := range filters {
		if f.Dimension != analytics.MetGoal {
			rest = append(rest, f)
			continue
		}
		met := NoMembers(view)
		copy(met.bits, everything.converters(scope.ConditionsOf(f)))
		if !f.Operator.Positive() {
			for i, bits := range met.bits {
				met.bits[i] = ^bits
			}
		}
		people = met.and(people)
	}
	return people, rest
}

// converters returns who is a converter of one goal at least, as bits by ordinal. They must not be changed.
func (s *Selection) converters(conditions []analytics.GoalCondition) []uint64 {
	words := len(NoMembers(s.view).bits)
	return remembered(s, convertersKey(conditions), words, 8, func() []uint64 {
		met := NoMembers(s.view)
		s.matchGoals(conditions, met.add)
		return met.bits
	})
}

func convertersKey(conditions []analytics.GoalCondition) countKey {
	text, err := json.Marshal(conditions)
	if err != nil { // of texts and finite numbers there is none
		panic(err)
	}
	sum := sha256.Sum256(text) // conditions may be long
	return countKey{what: "converters", by: string(sum[:])}
}
