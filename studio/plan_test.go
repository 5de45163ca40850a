package studio_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/ent/subscription"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

// Plans are the operator's, and no role of a workspace makes or changes one.
func TestPlansAreTheOperators(t *testing.T) {
	w := newWorld(t)
	operator := account.With(context.Background(), account.Operator())
	one, many, negative := int64(1), int64(400), int64(-1)
	draft := studio.PlanDraft{
		Key: "indie", Name: " Indie ", Features: []string{string(plan.Features()[0]), string(plan.Features()[0])},
		ActiveApps: &one, LiveUsers: &many,
	}
	_, err := w.SavePlan(w.owner, draft)
	refused(t, err, fault.Forbidden, "")
	saved := made(w.SavePlan(operator, draft))(t)
	require.Equal(t, "Indie", saved.Name)
	require.Len(t, saved.Features, 1, "each once")
	require.Equal(t, map[string]int64{string(plan.ActiveApps): 1, string(plan.LiveUsers): 400}, saved.Limits)
	draft.LiveUsers, draft.Features = nil, nil
	again := made(w.SavePlan(operator, draft))(t)
	require.Equal(t, map[string]int64{string(plan.ActiveApps): 1}, again.Limits)
	require.Empty(t, again.Features)
	require.Equal(t, 1, w.db.Ent().Plan.Query().CountX(operator)-1, "beside the plan of every server")

	for field, wrong := range map[string]studio.PlanDraft{
		"key": {Key: "Indie", Name: "x"}, "name": {Key: "x"}, "activeApps": {Key: "x", Name: "x", ActiveApps: &negative},
		"liveUsers": {Key: "x", Name: "x", LiveUsers: &negative}, "features.0": {Key: "x", Name: "x", Features: []string{"y"}},
	} {
		_, err := w.SavePlan(operator, wrong)
		refused(t, err, fault.InvalidInput, field)
	}
	_, err = w.SavePlan(operator, studio.PlanDraft{Key: plan.SelfHosted().Key, Name: "x"})
	refused(t, err, fault.InvalidInput, "key")
}

// A payment that is late is late since it was first, until it is paid.
func TestChangeSubscription(t *testing.T) {
	w := newWorld(t)
	operator := account.With(context.Background(), account.Operator())
	late, paid, unknown := subscription.StatusPastDue, subscription.StatusActive, "unknown"
	change := studio.SubscriptionChange{WorkspaceID: w.workspace, Status: &late}
	_, err := w.ChangeSubscription(w.owner, change)
	refused(t, err, fault.Forbidden, "")
	since := made(w.ChangeSubscription(operator, change))(t).PastDueSince
	require.Equal(t, w.now, since.UTC())
	w.now = w.now.Add(time.Hour)
	require.Equal(t, since.UTC(), made(w.ChangeSubscription(operator, change))(t).PastDueSince.UTC(), "it was late before")
	earlier := w.now.Add(-30 * 24 * time.Hour)
	change.PastDueSince = &earlier
	require.Equal(t, earlier, made(w.ChangeSubscription(operator, change))(t).PastDueSince.UTC())
	change.Status = &paid
	_, err = w.ChangeSubscription(operator, change)
	refused(t, err, fault.InvalidInput, "pastDueSince")
	change.PastDueSince = nil
	require.Nil(t, made(w.ChangeSubscription(operator, change))(t).PastDueSince)
	_, err = w.ChangeSubscription(operator, studio.SubscriptionChange{WorkspaceID: w.workspace, Plan: &unknown})
	refused(t, err, fault.InvalidInput, "plan")
	_, err = w.ChangeSubscription(operator, studio.SubscriptionChange{WorkspaceID: uuid.New(), Status: &paid})
	refused(t, err, fault.NotFound, "")
}

// A refusal names the plan, so that its reader knows what to change.
func TestRefusalsNameThePlan(t *testing.T) {
	w := newWorld(t)
	w.plan("indie", []string{}, map[string]int64{"active_apps": 1})
	_, _, err := w.CreateConnection(w.owner, studio.ConnectionDraft{AppID: w.app.ID, Provider: "stripe", Name: "Shop"})
	refused(t, err, fault.FeatureNotInPlan, "provider")
	require.ErrorContains(t, err, "the plan indie does not include integrations")
	_, err = w.CreateApp(w.owner, w.workspace, "Another")
	refused(t, err, fault.LimitReached, "workspaceId")
	require.ErrorContains(t, err, "the plan indie includes 1 active apps")
}
