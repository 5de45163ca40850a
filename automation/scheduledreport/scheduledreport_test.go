package scheduledreport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation/notification/bymail"
	"github.com/svc-dev/svc/automation/scheduledreport"
	"github.com/svc-dev/svc/automation/scheduledreport/compose"
	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/mail"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// receiver takes emails and what is posted to Slack.
type receiver struct {
	mails  []mail.Message
	posted []string // URLs
	refuse error
}

func (r *receiver) Send(_ context.Context, m mail.Message) error {
	r.mails = append(r.mails, m)
	return r.refuse
}

func (r *receiver) Post(_ context.Context, url string, _ []byte) webhook.Answer {
	r.posted = append(r.posted, url)
	if r.refuse != nil {
		return webhook.Answer{Status: 404, Error: "no_service"}
	}
	return webhook.Answer{Status: 200, Body: "ok"}
}

// world is an app of a workspace whose owner makes the requests.
type world struct {
	*scheduledreport.Reports
	*receiver
	t     *testing.T
	db    *postgres.DB
	app   *deliverytest.App
	owner context.Context
	at    time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	db := pgtest.New(t)
	w := &world{receiver: &receiver{}, t: t, db: db, at: time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)}
	accounts := account.New(db.Ent(), db.Pool, account.Options{Logger: slog.New(slog.DiscardHandler)})
	_, err := accounts.Bootstrap(t.Context(), "owner@example.com", "correct horse", "Acme")
	require.NoError(t, err)
	p, err := accounts.PrincipalOf(t.Context(), "owner@example.com")
	require.NoError(t, err)
	w.owner = account.With(t.Context(), p)
	w.app = deliverytest.NewApp(t, db.Pool)
	_, err = db.Pool.Exec(t.Context(), `
		update apps set workspace_id = (select workspace_id from memberships where user_id = $1) where id = $2`,
		p.UserID, w.app.ID)
	require.NoError(t, err)
	links, err := bymail.NewLinks(t.Context(), db.Pool, "https://svc.example.com")
	require.NoError(t, err)
	ring, err := seal.NewRing(seal.Key{ID: "k", Secret: bytes.Repeat([]byte{1}, seal.KeySize)})
	require.NoError(t, err)
	w.Reports = &scheduledreport.Reports{
		Pool: db.Pool, Accounts: accounts, Poster: w.receiver, Ring: ring, BaseURL: "https://svc.example.com",
		Mails: &bymail.Mails{Pool: db.Pool, Accounts: accounts, Links: links, Sender: w.receiver},
		Now:   func() time.Time { return w.at },
	}
	w.AskWith(func(_ context.Context, _ string, _ map[string]any, data any) error {
		const answer = `{"app": {"name": "Shop", "reports": {"summary": {"visitors": 7, "sessions": 9}}}}`
		return json.Unmarshal([]byte(answer), data)
	})
	require.NoError(t, w.Start(t.Context()))
	return w
}

func (w *world) workspace() (id uuid.UUID) {
	w.t.Helper()
	row := w.db.Pool.QueryRow(w.t.Context(), `select workspace_id from apps where id = $1`, w.app.ID)
	require.NoError(w.t, row.Scan(&id))
	return id
}

func (w *world) schedule(to scheduledreport.Destination, url string) *scheduledreport.Report {
	w.t.Helper()
	made, err := w.Create(w.owner, w.app.ID, scheduledreport.Schedule{
		Environment: environment.KindLive, Frequency: compose.Weekly, TimeZone: "Europe/Berlin",
		Destination: to, SlackURL: url,
	})
	require.NoError(w.t, err)
	return made
}

func (w *world) list() []*scheduledreport.Report {
	w.t.Helper()
	list, err := w.List(w.owner, w.workspace(), w.app.ID)
	require.NoError(w.t, err)
	return list
}

// run sends what is due until nothing waits.
func (w *world) run() {
	w.t.Helper()
	require.NoError(w.t, w.AddDue(w.t.Context()))
	outbox := mail.NewOutbox(w.db.Pool, mail.Options{
		Sender: w.receiver, Every: time.Millisecond, Carriers: w.Carriers(),
	}, w.Writers())
	require.NoError(w.t, outbox.Start(w.t.Context()))
	require.Eventually(w.t, func() bool {
		var waiting int
		require.NoError(w.t, w.db.Pool.QueryRow(context.Background(),
			`select count(*) from mail_outbox where state = 'pending'`).Scan(&waiting))
		return waiting == 0
	}, 20*time.Second, 2*time.Millisecond)
	require.NoError(w.t, outbox.Stop(w.t.Context()))
}

// A report comes at eight of the Monday of its zone: to the confirmed address of its member, or to Slack.
func TestDueReportsAreSentOnce(t *testing.T) {
	w := newWorld(t)
	const url = "https://hooks.slack.com/services/T0/B0/secret"
	byMail, inSlack := w.schedule(scheduledreport.Email, ""), w.schedule(scheduledreport.Slack, url)
	require.Equal(t, "2026-11-30T07:00:00Z", byMail.NextAt.UTC().Format(time.RFC3339))
	require.NotContains(t, inSlack.SlackURL, "secret")
	_, err := w.db.Pool.Exec(t.Context(), `insert into mail_address (user_id, address) select id, email from users`)
	require.NoError(t, err)
	w.run()
	require.Empty(t, w.mails)

	w.at = byMail.NextAt.AddDate(0, 0, 21) // after an outage
	w.run()
	w.run()
	require.Len(t, w.mails, 1)
	require.Equal(t, "owner@example.com", w.mails[0].To)
	require.Equal(t, []string{url}, w.posted)
	for _, r := range w.list() {
		require.Equal(t, scheduledreport.DeliverySent, r.Last.State)
		require.True(t, r.Own)
		require.True(t, r.NextAt.After(w.at))
	}
}

// What is paused, deleted or not confirmed is not sent.
func TestReportsThatAreNotWanted(t *testing.T) {
	w := newWorld(t)
	r := w.schedule(scheduledreport.Email, "")
	off, monthly, zone := false, compose.Monthly, "Asia/Tokyo"
	changed, err := w.Update(w.owner, r.ID, scheduledreport.Change{Active: &off, Frequency: &monthly, TimeZone: &zone})
	require.NoError(t, err)
	require.Equal(t, "2026-11-30T23:00:00Z", changed.NextAt.UTC().Format(time.RFC3339))
	w.at = w.at.AddDate(0, 2, 0)
	w.run()
	require.Empty(t, w.mails)
	on := true
	_, err = w.Update(w.owner, r.ID, scheduledreport.Change{Active: &on})
	require.NoError(t, err)
	w.at = w.at.AddDate(0, 2, 0)
	w.run()
	require.Empty(t, w.mails, "nobody has confirmed the address")
	require.NoError(t, w.Delete(w.owner, r.ID))
	require.Empty(t, w.list())
	require.True(t, fault.Is(w.Delete(w.owner, r.ID), fault.NotFound))
}

// Whoever loses the right to tell others tells them nothing more, whatever they may still read.
func TestReportsToSlackEndWithTheRight(t *testing.T) {
	w := newWorld(t)
	r := w.schedule(scheduledreport.Slack, "https://hooks.slack.com/services/T0/B0/secret")
	_, err := w.db.Pool.Exec(t.Context(), `update memberships set role = 'viewer'`)
	require.NoError(t, err)
	w.at = r.NextAt
	w.run()
	require.Empty(t, w.posted)
	require.Equal(t, scheduledreport.DeliveryDropped, w.list()[0].Last.State)
	_, err = w.SendNow(w.owner, r.ID) // a manager who is not its member any more
	require.True(t, fault.Is(err, fault.Conflict), err)
	require.Empty(t, w.posted)
}

func TestReportsAreSentNow(t *testing.T) {
	w := newWorld(t)
	byMail := w.schedule(scheduledreport.Email, "")
	inSlack := w.schedule(scheduledreport.Slack, "https://hooks.slack.com/services/T0/B0/one")
	_, err := w.SendNow(w.owner, byMail.ID)
	require.ErrorContains(t, err, "confirm the address")
	_, err = w.db.Pool.Exec(t.Context(), `insert into mail_address (user_id, address) select id, email from users`)
	require.NoError(t, err)
	other := "https://hooks.slack.com/services/T0/B0/two"
	_, err = w.Update(w.owner, inSlack.ID, scheduledreport.Change{SlackURL: &other})
	require.NoError(t, err)
	for _, id := range []uuid.UUID{byMail.ID, inSlack.ID} {
		got, err := w.SendNow(w.owner, id)
		require.NoError(t, err)
		require.Equal(t, &scheduledreport.Sent{Accepted: true}, got)
	}
	require.Len(t, w.mails, 1)
	require.Equal(t, []string{other}, w.posted)
	w.refuse = &mail.Failure{Reason: "550 no"}
	got, err := w.SendNow(w.owner, byMail.ID)
	require.NoError(t, err)
	require.Equal(t, &scheduledreport.Sent{Reason: "550 no"}, got)
	got, err = w.SendNow(w.owner, inSlack.ID)
	require.NoError(t, err)
	require.False(t, got.Accepted)
	w.Mails.Sender = nil
	_, err = w.SendNow(w.owner, byMail.ID)
	require.True(t, errors.Is(err, bymail.ErrNoSender))
}

func TestWhatIsWrongWithAScheduleIsNamed(t *testing.T) {
	w := newWorld(t)
	for want, s := range map[string]scheduledreport.Schedule{
		"timeZone": {
			Environment: environment.KindLive, Frequency: compose.Weekly, TimeZone: "Mars",
			Destination: scheduledreport.Email,
		},
		"slackUrl": {
			Environment: environment.KindLive, Frequency: compose.Weekly, TimeZone: "UTC", Destination: scheduledreport.Email,
			SlackURL: "https://hooks.slack.com/x",
		},
		"slackUrl ": {
			Environment: environment.KindLive, Frequency: compose.Weekly, TimeZone: "UTC", Destination: scheduledreport.Slack,
			SlackURL: "ftp://x",
		},
	} {
		_, err := w.Create(w.owner, w.app.ID, s)
		require.ErrorContains(t, err, strings.TrimSpace(want))
	}
	_, err := w.Create(w.owner, uuid.New(), scheduledreport.Schedule{Destination: scheduledreport.Email})
	require.True(t, fault.Is(err, fault.NotFound))
	_, err = w.Create(t.Context(), w.app.ID, scheduledreport.Schedule{Destination: scheduledreport.Email})
	require.True(t, fault.Is(err, fault.Unauthenticated))
	shown, err := w.Preview(w.owner, w.workspace(), w.app.ID, scheduledreport.Schedule{
		Environment: environment.KindLive, Frequency: compose.Weekly, TimeZone: "UTC",
	})
	require.NoError(t, err)
	require.Contains(t, shown.Subject, "Shop")
	_, err = w.Preview(w.owner, w.workspace(), w.app.ID, scheduledreport.Schedule{TimeZone: "Mars"})
	require.Error(t, err)
}
