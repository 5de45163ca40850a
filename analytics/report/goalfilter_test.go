package report

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
)

// A filter may name every goal of an app, and each many times: it reads the hits of the range once, as one goal does.
func TestAFilterOnManyGoalsReadsHitsOnce(t *testing.T) {
	view := benchView(t, 2_000)
	scope := analytics.Scope{Start: benchEnd.AddDate(0, 0, -9), End: benchEnd}
	for i := range analytics.MaxGoals {
		goal := analytics.Goal{ID: uuid.New(), Condition: analytics.GoalCondition{
			Page: &analytics.GoalView{Op: analytics.GoalIs, Name: fmt.Sprintf("/section-3/page-%d*", i)},
		}}
		if i%2 == 0 {
			goal.Condition = analytics.GoalCondition{Event: &analytics.GoalEvent{Name: fmt.Sprintf("event_%d", i%7)}}
		}
		scope.Goals = append(scope.Goals, goal)
	}
	var each [][]uint64
	values := make([]string, analytics.MaxFilterValues)
	for i := range values {
		values[i] = scope.Goals[i%analytics.MaxGoals].ID.String()
	}
	filter := analytics.Filter{Dimension: analytics.MetGoal, Operator: analytics.Is, Values: values}
	e := NewEngine(DefaultTuning())
	met, rest := e.peopleWithGoals(view, scope, []analytics.Filter{filter}, benchEnd)
	require.Empty(t, rest)
	everything := e.everything(view, scope.Start, scope.End, benchEnd)
	for i := range scope.Goals {
		one := NoMembers(view)
		everything.matchGoal(&scope.Goals[i].Condition, one.add)
		each = append(each, one.bits)
	}
	some := false
	for word := range met.bits {
		var wanted uint64
		for _, bits := range each {
			wanted |= bits[word]
		}
		require.Equal(t, wanted, met.bits[word])
		some = some || wanted != 0
	}
	require.True(t, some)
	require.True(t, keeps[[]uint64](everything, convertersKey(scope.ConditionsOf(filter))))
	alone := map[countKey]bool{}
	for _, goal := range scope.Goals {
		alone[convertersKey([]analytics.GoalCondition{goal.Condition})] = true
	}
	for one := range alone {
		require.False(t, keeps[[]uint64](everything, one), "counted with all others together")
	}
}
