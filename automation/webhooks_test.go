package automation_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/internal/fault"
)

func TestFailuresAreRetriedWithTheSameID(t *testing.T) {
	w := newWorld(t)
	w.define(send)
	w.receiver.answers(func(answer http.ResponseWriter, n int) {
		switch n {
		case 1:
			http.Error(answer, "not now", http.StatusInternalServerError)
		case 2:
			answer.Header().Set("Retry-After", "1200")
			http.Error(answer, "slower", http.StatusTooManyRequests)
		}
	})
	wait := func() float64 {
		var seconds float64
		require.NoError(t, w.db.Pool.QueryRow(context.Background(),
			`select extract(epoch from next_attempt_at - now())::float8 from webhook_delivery`).Scan(&seconds))
		return seconds
	}
	failures := func(n int) {
		w.eventually(func() bool { return w.count(`select failures from webhook_delivery`) == n }, "a failure is recorded")
	}
	w.track("ana", "cart_abandoned", nil)
	w.wait(1)
	failures(1)
	require.InDelta(t, 5, wait(), 2)
	w.exec(`update webhook_delivery set next_attempt_at = now()`)
	w.wait(2)
	failures(2)
	require.InDelta(t, 1200, wait(), 5, "longer than the five minutes of the schedule")
	w.exec(`update webhook_delivery set next_attempt_at = now()`)
	got := w.wait(3)
	require.Equal(t, got[0].ID, got[1].ID)
	require.Equal(t, got[0].ID, got[2].ID)
	require.Equal(t, got[0].Raw, got[2].Raw)
	w.eventually(func() bool { return w.count(`select count(*) from webhook_delivery where state = 'delivered'`) == 1 }, "delivered")
	list, err := w.Deliveries(w.owner, w.endpoint, automation.DeliveryFilter{Limit: 10})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, got[0].ID, list[0].WebhookID())
	var statuses []int
	for _, attempt := range list[0].Log {
		statuses = append(statuses, attempt.Status)
	}
	require.Equal(t, []int{200, 429, 500}, statuses)
	require.Equal(t, "not now\n", list[0].Log[2].Answer)
	require.Zero(t, w.count(`select count(*) from webhook_endpoint where failing_since is not null`))

	again, err := w.Replay(w.owner, w.endpoint, &list[0].ID, automation.DeliveryFilter{})
	require.NoError(t, err)
	require.Equal(t, 1, again)
	require.Equal(t, got[0].ID, w.wait(4)[3].ID)
}

func TestEndpointsAreDisabled(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		before string
		reason string
	}{
		"when they are gone":           {http.StatusGone, `select 1`, "gone"},
		"when they fail for five days": {http.StatusBadGateway, `update webhook_endpoint set failing_since = now() - interval '5 days 1 second'`, "failing"},
		"not when they fail for four":  {http.StatusBadGateway, `update webhook_endpoint set failing_since = now() - interval '4 days'`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.define(send)
			w.receiver.answers(func(answer http.ResponseWriter, n int) { answer.WriteHeader(c.status) })
			w.exec(c.before)
			w.track("ana", "cart_abandoned", nil)
			w.wait(1)
			w.eventually(func() bool { return w.count(`select count(*) from webhook_attempt`) == 1 }, "recorded")
			endpoint, err := w.Endpoint(w.owner, w.endpoint)
			require.NoError(t, err)
			require.Equal(t, c.reason, endpoint.DisabledReason)
			if c.reason == "" {
				require.Equal(t, 1, endpoint.Pending)
				require.Zero(t, w.count(`select count(*) from notification`))
				return
			}
			require.Equal(t, 1, w.count(`select count(*) from notification where kind = 'endpoint_disabled'
				and title like '%“Receiver”%' and body like '%“Shop”%given up: 1.%' and severity = 'critical'
				and about->>'appId' = $1 and about->>'endpointId' = $2 and about->>'environment' = 'live'`, w.app, w.endpoint))
			require.Zero(t, endpoint.Pending)
			w.track("ben", "cart_abandoned", nil)
			w.eventually(func() bool { return w.steps()["send skipped endpoint_disabled"] == 1 }, "the next message is skipped")
			on, from, to := true, time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
			_, err = w.UpdateEndpoint(w.owner, w.endpoint, automation.EndpointChange{Enabled: &on})
			require.NoError(t, err)
			w.receiver.answers(nil)
			replayed, err := w.Replay(w.owner, w.endpoint, nil, automation.DeliveryFilter{State: "failed", From: &from, To: &to})
			require.NoError(t, err)
			require.Equal(t, 1, replayed)
			w.wait(2)
		})
	}
}

// Notifications go to the endpoints of their workspace that want them, signed and logged as messages of automations
// are.
func TestNotificationsAreSentAsWebhooks(t *testing.T) {
	w := newWorld(t)
	workspace := w.db.Ent().Workspace.Query().OnlyIDX(w.owner)
	post := func(key string) {
		t.Helper()
		require.NoError(t, notification.Post(t.Context(), w.db.Pool, notification.Notification{
			WorkspaceID: workspace, Kind: notification.IngestRefused, Key: key, Severity: notification.Warning,
			Title: "About " + key, Text: strings.Repeat("<😀\"\\", 1000), About: notification.About{AppID: &w.app},
		}))
	}
	post("before")
	on, off := true, false
	editor := w.db.Ent().User.Create().SetEmail("editor@example.com").SetPasswordHash("x").SaveX(w.owner)
	w.db.Ent().Membership.Create().SetUserID(editor.ID).SetWorkspaceID(workspace).SetRole(account.Editor).ExecX(w.owner)
	principal, err := account.New(w.db.Ent(), w.db.Pool, account.Options{Logger: quiet}).
		PrincipalOf(w.owner, "editor@example.com")
	require.NoError(t, err)
	_, err = w.UpdateEndpoint(
		account.With(w.owner, principal), w.endpoint, automation.EndpointChange{Notifications: &on},
	)
	require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
	changed, err := w.UpdateEndpoint(w.owner, w.endpoint, automation.EndpointChange{Notifications: &on})
	require.NoError(t, err)
	require.True(t, changed.Notifications)
	_, err = w.CreateEndpoint(w.owner, w.app, "live", "Another", w.receiver.URL)
	require.NoError(t, err)

	post("once")
	post("once")
	got := w.wait(1)[0]
	require.Equal(t, "notification.ingest_refused", got.Type)
	data := got.Data.(map[string]any)
	require.Equal(t, "About once", data["title"])
	require.Equal(t, "warning", data["severity"])
	require.Equal(t, w.app.String(), data["about"].(map[string]any)["appId"])
	require.Less(t, len(got.Raw), webhook.MaxBody)
	signed, err := strconv.ParseInt(got.Header.Get("Webhook-Timestamp"), 10, 64)
	require.NoError(t, err)
	require.Equal(t, webhook.Sign(got.ID, time.Unix(signed, 0), got.Raw, w.secret), got.Header.Get("Webhook-Signature"))
	w.eventually(func() bool {
		return w.count(`select count(*) from webhook_delivery where state = 'delivered'`) == 1
	}, "recorded")
	log, err := w.Deliveries(w.owner, w.endpoint, automation.DeliveryFilter{Limit: 10})
	require.NoError(t, err)
	require.Len(t, log, 1)
	require.Nil(t, log[0].AutomationID)
	require.Len(t, log[0].Log, 1)

	_, err = w.UpdateEndpoint(w.owner, w.endpoint, automation.EndpointChange{Notifications: &off})
	require.NoError(t, err)
	post("after")
	require.Equal(t, 1, w.count(`select count(*) from webhook_delivery`))
}

// A server that vanishes while it sends leaves the message, with its id, to another one when the lease is over.
func TestAnotherServerTakesOverWhatIsBeingSent(t *testing.T) {
	w := newWorld(t)
	w.define(send)
	released := make(chan struct{})
	w.receiver.answers(func(_ http.ResponseWriter, n int) {
		if n == 1 {
			<-released
		}
	})
	w.track("ana", "cart_abandoned", nil)
	first := w.wait(1)[0]
	w.server()
	w.exec(`update webhook_delivery set next_attempt_at = now()`)
	second := w.wait(2)[1]
	close(released)
	require.Equal(t, first.ID, second.ID)
	require.Equal(t, first.Raw, second.Raw)
	w.eventually(func() bool {
		return w.count(`select count(*) from webhook_attempt`) == 2 &&
			w.count(`select count(*) from webhook_delivery where state = 'delivered' and attempts = 2`) == 1
	}, "both attempts are recorded")
	require.Len(t, w.receiver.messages(), 2)
	require.Equal(t, 1, w.count(`select count(*) from automation_enrolment`))
}
