package plan_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account/plan"
)

func TestAWorkspaceWithoutASubscriptionHasEverything(t *testing.T) {
	t.Parallel()
	p := plan.Of(nil)
	require.Equal(t, "self_hosted", p.Key)
	require.True(t, p.Has(plan.Experiments))
	_, limited := p.Limit(plan.ActiveApps)
	require.False(t, limited)
	require.False(t, p.IsPaused(time.Now(), 0))
}

func TestASubscriptionIncludesWhatItsPlanSays(t *testing.T) {
	t.Parallel()
	late := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	grow := plan.Subscription{
		PlanKey: "grow", Features: []string{"animations", "experiments"}, Limits: map[string]int64{"active_apps": 3},
		Status:       "active",
		PastDueSince: &late, // of an earlier time: the payment has come
	}
	p := plan.Of(&grow)
	require.True(t, p.Has(plan.Animations))
	require.False(t, p.Has(plan.Motion))
	most, limited := p.Limit(plan.ActiveApps)
	require.True(t, limited)
	require.EqualValues(t, 3, most)
	_, limited = p.Limit(plan.LiveUsers)
	require.False(t, limited)
	require.True(t, p.PastDueSince.IsZero())

	grow.Status = "past_due"
	p = plan.Of(&grow)
	require.True(t, p.Has(plan.Animations), "everything works until it is paused")
	const grace = 24 * time.Hour
	require.False(t, p.IsPaused(late.Add(grace), grace))
	require.True(t, p.IsPaused(late.Add(grace+time.Second), grace))

	grow.Status = "cancelled"
	p = plan.Of(&grow)
	require.False(t, p.Has(plan.Animations))
	require.False(t, p.IsPaused(late.Add(10*grace), grace))
	most, limited = p.Limit(plan.ActiveApps)
	require.True(t, limited)
	require.EqualValues(t, 3, most)
}
