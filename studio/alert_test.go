package studio_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/alert"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

func visitorsBelow(bound float64) *alert.Rule {
	return &alert.Rule{
		Metric: alert.Visitors, TimeZone: "UTC", Grain: "HOUR", Condition: alert.Condition{Below: &bound}, Breaches: 1, Of: 1,
	}
}

func TestAlertsAreNamedRules(t *testing.T) {
	w := newWorld(t)
	made1 := made(w.CreateAlert(w.owner, w.app.ID, studio.Live, studio.AlertChange{
		Name: ptr(" Nobody "), Rule: visitorsBelow(1),
	}))(t)
	require.Equal(t, "Nobody", made1.Name)
	_, err := w.CreateAlert(w.owner, w.app.ID, studio.Live, studio.AlertChange{
		Name: ptr("Nobody"), Rule: visitorsBelow(2),
	})
	refused(t, err, fault.InvalidInput, "name")
	changed := made(w.UpdateAlert(w.owner, made1.ID, studio.AlertChange{
		Name: ptr("Few"), Paused: ptr(true), Rule: visitorsBelow(5),
	}))(t)
	require.Equal(t, "Few", changed.Name)
	require.True(t, changed.Paused)
	require.JSONEq(t, string(made(w.CheckAlertRule(w.owner, w.app.ID, visitorsBelow(5)))(t)), string(changed.Rule))

	_, err = w.UpdateAlert(w.owner, made1.ID, studio.AlertChange{Rule: &alert.Rule{Metric: "LOVE"}})
	require.ErrorContains(t, err, "rule.metric")
	ofGoal := visitorsBelow(1)
	ofGoal.Metric, ofGoal.GoalID = alert.Conversions, ptr(uuid.New())
	_, err = w.UpdateAlert(w.owner, made1.ID, studio.AlertChange{Rule: ofGoal})
	refused(t, err, fault.InvalidInput, "rule.goalId")
	huge := visitorsBelow(1)
	huge.Cross = map[string]analytics.StoredFilter{"page": {Op: "IS"}}
	for range 90 {
		huge.Cross["page"] = analytics.StoredFilter{
			Op: "IS", Values: append(huge.Cross["page"].Values, strings.Repeat("p", 200)),
		}
	}
	_, err = w.UpdateAlert(w.owner, made1.ID, studio.AlertChange{Rule: huge})
	refused(t, err, fault.InvalidInput, "rule")

	one := analytics.GoalCondition{Event: &analytics.GoalEvent{Name: "e"}}
	goal := made(w.CreateGoal(w.owner, w.app.ID, studio.GoalChange{Name: ptr("G"), Condition: &one}))(t)
	ofGoal.GoalID = &goal.ID
	made(w.UpdateAlert(w.owner, made1.ID, studio.AlertChange{Rule: ofGoal}))(t)
	require.ErrorContains(t, w.DeleteGoal(w.owner, goal.ID), "alert")
	ofConverters := visitorsBelow(1)
	ofConverters.Cross = map[string]analytics.StoredFilter{"goal": {Op: "IS", Values: []string{uuid.NewString()}}}
	_, err = w.UpdateAlert(w.owner, made1.ID, studio.AlertChange{Rule: ofConverters})
	require.ErrorContains(t, err, "cross.goal")
	ofConverters.Cross["goal"].Values[0] = goal.ID.String()
	made(w.UpdateAlert(w.owner, made1.ID, studio.AlertChange{Rule: ofConverters}))(t)
	require.ErrorContains(t, w.DeleteGoal(w.owner, goal.ID), "alert", "one that filters by the goal")
	ofSegment := visitorsBelow(1)
	ofSegment.SegmentID = ptr(uuid.New())
	_, err = w.UpdateAlert(w.owner, made1.ID, studio.AlertChange{Rule: ofSegment})
	refused(t, err, fault.InvalidInput, "rule.segmentId")
	segment := made(w.CreateSegment(w.owner, w.app.ID, studio.SegmentChange{
		Name: ptr("S"), Rules: &studio.SegmentRules{Platform: "WEB"},
	}))(t)
	ofSegment.SegmentID = &segment.ID
	made(w.UpdateAlert(w.owner, made1.ID, studio.AlertChange{Rule: ofSegment}))(t)
	require.ErrorContains(t, w.DeleteSegment(w.owner, segment.ID), "alert")
	refused(t, w.DeleteAlert(w.viewer(), made1.ID), fault.Forbidden, "")
	refused(t, w.DeleteAlert(w.stranger(), made1.ID), fault.NotFound, "")
	require.NoError(t, w.DeleteAlert(w.owner, made1.ID))
	require.NoError(t, w.DeleteGoal(w.owner, goal.ID))
	require.NoError(t, w.DeleteSegment(w.owner, segment.ID))
	refused(t, w.DeleteAlert(w.owner, made1.ID), fault.NotFound, "")
}

func TestHomeIsArrangedByEachMember(t *testing.T) {
	w := newWorld(t)
	viewer := w.viewer()
	usual := made(w.HomeLayout(w.owner, w.app))(t)
	require.True(t, usual.Default)
	chosen := []studio.HomeCard{studio.HomeRevenue, studio.HomeTrend}
	require.Equal(t, chosen, made(w.SetHomeLayout(w.owner, w.app.ID, chosen))(t).Cards)
	require.Equal(t, &studio.HomeLayout{Cards: chosen}, made(w.HomeLayout(w.owner, w.app))(t))
	require.Equal(t, usual, made(w.HomeLayout(viewer, w.app))(t))
	for _, wrong := range [][]studio.HomeCard{{}, {studio.HomeTrend, studio.HomeTrend}} {
		_, err := w.SetHomeLayout(viewer, w.app.ID, wrong)
		refused(t, err, fault.InvalidInput, "cards")
	}
	_, err := w.SetHomeLayout(w.stranger(), w.app.ID, chosen)
	refused(t, err, fault.NotFound, "")
	require.Equal(t, usual, made(w.SetHomeLayout(w.owner, w.app.ID, nil))(t))
	require.Equal(t, usual, made(w.HomeLayout(w.owner, w.app))(t))
}
