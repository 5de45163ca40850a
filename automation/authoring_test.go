package automation_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/postgres/transaction"
	"github.com/svc-dev/svc/revenue"
)

func refused(t *testing.T, code fault.Code, err error, about ...any) {
	t.Helper()
	require.True(t, fault.Is(err, code), "%v %v", err, about)
}

func TestDraftsVersionsAndLists(t *testing.T) {
	w := newWorld(t)
	definition := func(node string) json.RawMessage {
		return json.RawMessage(`{"trigger": {"type": "manual"}, "nodes": [{"id": "` + node + `", "type": "exit"}]}`)
	}
	made, err := w.Create(w.owner, w.app, "live", " Carts ", definition("one"))
	require.NoError(t, err)
	require.Equal(t, "Carts", made.Name)
	require.Nil(t, made.SegmentEvaluation)
	for _, wrong := range []string{`[]`, `null`, `{"a": `, `{"a": "` + strings.Repeat("x", automation.MaxDefinition) + `"}`, `{"a": "\u0000"}`} {
		_, err := w.SaveDraft(w.owner, made.ID, nil, json.RawMessage(wrong))
		refused(t, fault.InvalidInput, err, wrong)
	}
	empty := ""
	_, err = w.SaveDraft(w.owner, made.ID, &empty, nil)
	refused(t, fault.InvalidInput, err)
	_, err = w.Activate(w.owner, made.ID)
	refused(t, fault.Conflict, err, "it was never published")
	_, err = w.Publish(w.owner, made.ID)
	require.NoError(t, err)
	_, err = w.Pause(w.owner, made.ID)
	refused(t, fault.Conflict, err, "it is not active")
	name := "Baskets"
	saved, err := w.SaveDraft(w.owner, made.ID, &name, definition("two"))
	require.NoError(t, err)
	require.Equal(t, []any{"Baskets", automation.Published, 1}, []any{saved.Name, saved.State, saved.Version})
	_, err = w.Publish(w.owner, made.ID)
	require.NoError(t, err)
	versions, err := w.Versions(w.owner, made.ID)
	require.NoError(t, err)
	require.Len(t, versions, 2)
	require.Equal(t, 2, versions[0].Number)
	require.JSONEq(t, string(definition("one")), string(versions[1].Definition))
	require.NotNil(t, versions[1].PublishedBy)

	second, err := w.Create(w.owner, w.app, "live", "Baskets", definition("one"))
	require.NoError(t, err)
	third, err := w.Create(w.owner, w.app, "live", "Zebra", json.RawMessage(`{}`))
	require.NoError(t, err)
	_, err = w.Publish(w.owner, third.ID)
	refused(t, fault.PublishBlocked, err)
	_, err = w.Archive(w.owner, third.ID)
	require.NoError(t, err)
	for _, archived := range []bool{false, true} {
		filter := automation.Filter{App: w.app, Environment: "live", Archived: archived}
		want := []uuid.UUID{made.ID, second.ID}
		if archived {
			want = append(want, third.ID)
		}
		var behind *automation.Place
		for _, id := range want {
			page, err := w.List(w.owner, filter, behind, 1)
			require.NoError(t, err)
			require.Equal(t, id, page[0].ID)
			behind = &automation.Place{Name: page[0].Name, ID: page[0].ID}
		}
		end, err := w.List(w.owner, filter, behind, 1)
		require.NoError(t, err)
		require.Empty(t, end)
		n, err := w.Count(w.owner, filter)
		require.NoError(t, err)
		require.Len(t, want, n)
	}
	for _, change := range []func() error{
		func() error { _, err := w.SaveDraft(w.owner, third.ID, &name, nil); return err },
		func() error { _, err := w.Publish(w.owner, third.ID); return err },
		func() error { _, err := w.Activate(w.owner, third.ID); return err },
	} {
		refused(t, fault.Conflict, change(), "it is archived")
	}
	_, err = w.Enrol(w.owner, made.ID, []string{"ana"})
	refused(t, fault.Conflict, err, "it is not active")
	_, err = w.Enrol(w.owner, made.ID, nil)
	refused(t, fault.InvalidInput, err)
}

func TestLimitsAndEndpointsAreChecked(t *testing.T) {
	w := newWorld(t)
	for _, wrong := range []automation.Limits{
		{Cap: -1, CapDays: 1}, {Cap: 10_001, CapDays: 1}, {CapDays: 0}, {CapDays: 91},
	} {
		_, err := w.SetLimits(w.owner, w.app, "live", wrong, "UTC")
		refused(t, fault.InvalidInput, err, "%+v", wrong)
	}
	_, err := w.SetLimits(w.owner, w.app, "live", automation.Limits{CapDays: 1}, "Moon/Crater")
	refused(t, fault.InvalidInput, err)
	from, err := automation.ParseMinute("quietFrom", "22:30")
	require.NoError(t, err)
	_, err = automation.ParseMinute("quietFrom", "25:00")
	refused(t, fault.InvalidInput, err)
	set := automation.Limits{Cap: 3, CapDays: 7, QuietFrom: from, QuietUntil: 8 * 60}
	_, err = w.SetLimits(w.owner, w.app, "live", set, "Europe/Berlin")
	require.NoError(t, err)
	limits, err := w.LimitsOf(w.owner, w.app, "live")
	require.NoError(t, err)
	require.Equal(t, []any{3, 7, 22*60 + 30, 480, "Europe/Berlin"},
		[]any{limits.Cap, limits.CapDays, limits.QuietFrom, limits.QuietUntil, limits.Zone.String()})
	other, err := w.LimitsOf(w.owner, w.app, "test")
	require.NoError(t, err)
	require.Zero(t, other.Cap)

	wrong, long := "ftp://example.com", ""
	for _, change := range []automation.EndpointChange{{URL: &wrong}, {Name: &long}} {
		_, err := w.UpdateEndpoint(w.owner, w.endpoint, change)
		refused(t, fault.InvalidInput, err)
	}
	_, err = w.CreateEndpoint(w.owner, w.app, "live", "Wrong", wrong)
	refused(t, fault.InvalidInput, err)
	endpoints, err := w.Endpoints(w.owner, w.app, "live")
	require.NoError(t, err)
	require.Len(t, endpoints, 1)
	require.True(t, endpoints[0].Enabled())

	dry := transaction.DryRun(w.owner, true)
	made, err := w.CreateEndpoint(dry, w.app, "live", "Another", "https://example.com")
	require.NoError(t, err)
	require.Equal(t, []any{"Another", ""}, []any{made.Endpoint.Name, made.Secret})
	w.exec(`insert into webhook_endpoint (environment_id, id, name, url)
		select $1, gen_random_uuid(), 'E', 'https://example.com' from generate_series(1, 99)`, w.environment)
	_, err = w.CreateEndpoint(w.owner, w.app, "live", "The hundred and first", "https://example.com")
	refused(t, fault.LimitReached, err)
}

// One answer says what somebody got, when, and why not more.
func TestAnExplanationTellsEveryStep(t *testing.T) {
	w := newWorld(t)
	w.receiver.answers(func(answer http.ResponseWriter, _ int) { answer.WriteHeader(http.StatusTeapot) })
	records := people.New(w.db.Pool, people.Options{})
	_, err := records.Identify(t.Context(), people.Change{
		EnvironmentID: w.environment, AppUserID: "ana", MarketingConsent: people.Denied,
	})
	require.NoError(t, err)
	once := w.define(send)
	days := w.define(`{"trigger": {"type": "ledger", "kinds": ["originating"], "reentry": "days", "days": 7}, "marketing": true,
		"nodes": [{"id": "send", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "x"}]}`)
	w.track("ana", "cart_abandoned", map[string]any{"total": 1})
	require.NoError(t, transaction.Run(t.Context(), w.db.Ent(), func(tx *ent.Tx) error {
		return w.Recorded(t.Context(), tx, automation.OfPurchase(revenue.Purchase{
			EnvironmentID: w.environment, AppUserID: "ana", Provider: "manual", ProviderEventID: "1", Kind: "originating",
			OccurredAt: time.Now(), AmountMicros: 9_990_000, Currency: "USD",
		}))
	}))
	w.eventually(func() bool {
		return w.count(`select count(*) from automation_enrolment where ended_at is not null`) == 2 &&
			w.count(`select count(*) from webhook_attempt`) > 0
	}, "both are done")
	x, err := w.Explain(w.owner, once.ID, "ana")
	require.NoError(t, err)
	require.True(t, x.Never)
	require.Equal(t, "denied", x.MarketingConsent)
	require.Len(t, x.Enrolments, 1)
	e := x.Enrolments[0]
	require.Equal(t, []any{"cart_abandoned", "completed", 1}, []any{e.Event, e.State, e.Version})
	require.Equal(t, []any{"send", "sent"}, []any{e.Steps[0].Node, e.Steps[0].Result})
	require.Equal(t, "pending", e.Deliveries[0].State)
	require.Equal(t, http.StatusTeapot, e.Deliveries[0].Log[0].Status)
	require.NotNil(t, e.Deliveries[0].NextAttemptAt)

	x, err = w.Explain(w.owner, days.ID, "ana")
	require.NoError(t, err)
	require.False(t, x.Never)
	require.WithinDuration(t, time.Now().Add(7*24*time.Hour), *x.MayEnterAt, time.Hour)
	require.Equal(t, "no_consent", x.Enrolments[0].Steps[0].Reason)
	require.Empty(t, x.Enrolments[0].Deliveries)

	nobody, err := w.Explain(w.owner, once.ID, "ben")
	require.NoError(t, err)
	require.Equal(t, "unknown", nobody.MarketingConsent)
	require.Empty(t, nobody.Enrolments)
	_, err = w.Explain(w.owner, uuid.New(), "ana")
	refused(t, fault.NotFound, err)
}
