package demo

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestTheDefinitionOfTheReminderIsOne(t *testing.T) {
	id := uuid.NewString()
	_, problems := automation.Parse([]byte(strings.NewReplacer("FLOW", id, "ENDPOINT", id).Replace(reminder)))
	require.Empty(t, problems)
}

func TestTheReceiverBelievesWhatIsSigned(t *testing.T) {
	receiver, secret := &Receiver{}, webhook.NewSecret()
	server := httptest.NewServer(receiver)
	defer server.Close()
	sender := webhook.NewSender(webhook.Options{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	defer sender.Close()
	send := func(id string, secret webhook.Secret, made, at time.Time) int {
		body := `{"timestamp": "` + made.UTC().Format(time.RFC3339) + `"}`
		return sender.Send(t.Context(), webhook.Message{
			ID: id, URL: server.URL, Body: []byte(body), Secrets: []webhook.Secret{webhook.NewSecret(), secret},
		}, at).Status
	}
	now := time.Now()
	require.Equal(t, http.StatusUnauthorized, send("msg_1", secret, now, now), "it knows no secret yet")
	require.Error(t, receiver.Believe("whsec_no"))
	require.NoError(t, receiver.Believe(secret.String()))
	require.Equal(t, http.StatusOK, send("msg_1", secret, now.Add(-time.Minute), now))
	require.Equal(t, http.StatusUnauthorized, send("msg_1", webhook.NewSecret(), now, now))
	require.Equal(t, http.StatusUnauthorized, send("msg_1", secret, now, now.Add(-6*time.Minute)), "an old one")
	busy := 0
	for range 200 {
		id := "msg_" + uuid.NewString()
		if send(id, secret, now.Add(time.Hour), now) == http.StatusServiceUnavailable {
			busy++
			require.Equal(t, http.StatusOK, send(id, secret, now.Add(-5*time.Second), now), "the second attempt")
		}
	}
	require.Greater(t, busy, 3)
	require.Less(t, busy, 60)
	large, err := http.Post(server.URL, "application/json", strings.NewReader(strings.Repeat(" ", webhook.MaxBody+1)))
	require.NoError(t, err)
	defer large.Body.Close()
	require.Equal(t, http.StatusUnauthorized, large.StatusCode)
}

// Some of those who got the reminder of the app buy a few minutes later, once; nobody else does.
func TestSomeWhoWereRemindedBuy(t *testing.T) {
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	const people = 200
	enrolled := 0 // so many others
	deliver := func(automation, prefix, state string, ago time.Duration) {
		id, endpoint := uuid.New(), uuid.New()
		app.Exec(`insert into webhook_endpoint (environment_id, id, name, url) values ($1, $2, 'R', 'https://r.example')`,
			app.Live.ID, endpoint)
		app.Exec(`insert into automation (environment_id, id, name, draft) values ($1, $2, $3, '{}')`,
			app.Live.ID, id, automation)
		app.Exec(`insert into webhook_delivery (environment_id, id, endpoint_id, automation_id, enrolment_id, node, app_user_id,
				body, state, finished_at)
			select $1, gen_random_uuid(), $2, $3, n + $4::bigint, 'remind', $5 || n, '{}', $6, $7 from generate_series(1, $8::int) n`,
			app.Live.ID, endpoint, id, enrolled, prefix, state, time.Now().Add(-ago), people)
		enrolled += people
	}
	deliver(reminderName, "thought ", "delivered", 10*time.Minute)
	deliver(reminderName, "just now ", "delivered", 0)
	deliver(reminderName, "failed ", "failed", 10*time.Minute)
	deliver(reminderName, "long ago ", "delivered", 2*time.Hour)
	deliver("Another", "other ", "delivered", 10*time.Minute)
	reminder := Reminder{DB: db}
	bought, err := reminder.convinced(t.Context(), app.ID)
	require.NoError(t, err)
	require.InDelta(t, people*convincedShare, len(bought), 20)
	for _, p := range bought {
		require.Contains(t, p.AppUserID, "thought ")
		require.NotEmpty(t, p.Deliveries(time.Now()))
		app.Exec(`insert into revenue_ledger (environment_id, provider, provider_event_id, kind, app_user_id, occurred_at,
				amount_micros, product_id) values ($1, 'stripe', $2, 'originating', $3, now(), 1, 'x')`,
			app.Live.ID, p.ID, p.AppUserID)
	}
	again, err := reminder.convinced(t.Context(), app.ID)
	require.NoError(t, err)
	require.Empty(t, again, "who has bought does not buy again")
}

// People of the demo have names, addresses and ids that are plainly nobody's, the same for the same seed.
func TestWhoHasAnAccountIsMadeUp(t *testing.T) {
	profiles := func() (list []Profile) {
		w := NewWorld(5)
		for _, at := range w.Arrivals(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), 1000) {
			if v := w.Visit(at); v.Profile != nil {
				require.Equal(t, v.Events[0].Identity.AppUserID, v.Profile.AppUserID)
				list = append(list, *v.Profile)
			}
		}
		return list
	}
	made := profiles()
	require.Equal(t, made, profiles())
	require.Greater(t, len(made), 50)
	ids, plans := map[string]bool{}, map[any]int{}
	for _, p := range made {
		require.True(t, strings.HasSuffix(p.Email, "@tendril.example"), p.Email)
		require.False(t, ids[p.CustomUserID], p.CustomUserID)
		ids[p.CustomUserID] = true
		plans[p.Attributes["plan"]]++
	}
	require.Len(t, plans, 3)
}
