package automation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/studio"
)

// world is a server with an app, and a receiver of its webhooks.
type world struct {
	*automation.Automations
	t           *testing.T
	db          *postgres.DB
	writer      *ingest.Writer
	studio      *studio.Studio
	owner       context.Context
	app         uuid.UUID
	environment int64
	receiver    *receiver
	endpoint    uuid.UUID
	secret      webhook.Secret
	mail        *automation.MailOptions // of servers that start from now on
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldWith(t, func(*world) {})
}

// newWorldWith is newWorld for one that is prepared before its server starts.
func newWorldWith(t *testing.T, prepare func(w *world)) *world {
	t.Helper()
	ctx := context.Background()
	w := &world{t: t, db: pgtest.New(t), receiver: newReceiver(t)}
	prepare(w)
	w.Automations = w.server()
	var err error
	w.writer, err = ingest.New(w.db, ingest.Settings{}, ingest.Deps{Automations: w.Automations, Logger: quiet})
	require.NoError(t, err)
	require.NoError(t, w.writer.Start(ctx))
	t.Cleanup(func() { require.NoError(t, w.writer.Stop(ctx)) })
	w.studio = studio.New(w.db.Ent(), studio.Options{Automations: w.Automations, Logger: quiet})
	accounts := account.New(w.db.Ent(), w.db.Pool, account.Options{Logger: quiet})
	_, err = accounts.Bootstrap(ctx, "owner@example.com", "correct horse", "Acme")
	require.NoError(t, err)
	owner, err := accounts.PrincipalOf(ctx, "owner@example.com")
	require.NoError(t, err)
	w.owner = account.With(ctx, owner)
	app, err := w.studio.CreateApp(w.owner, w.db.Ent().Workspace.Query().OnlyIDX(ctx), "Shop")
	require.NoError(t, err)
	w.app = app.ID
	w.environment = w.db.Ent().Environment.Query().
		Where(environment.AppID(app.ID), environment.KindEQ("live")).OnlyIDX(ctx)
	made, err := w.CreateEndpoint(w.owner, w.app, "live", "Receiver", w.receiver.URL)
	require.NoError(t, err)
	w.endpoint = made.Endpoint.ID
	w.secret, err = webhook.ParseSecret(made.Secret)
	require.NoError(t, err)
	return w
}

var quiet = slog.New(slog.DiscardHandler)

// server starts a server on the world's database, which is stopped when the test ends.
func (w *world) server() *automation.Automations {
	w.t.Helper()
	allowed := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	a, err := automation.New(w.db, automation.Options{
		Sender: webhook.NewSender(webhook.Options{Allowed: allowed}), Ring: ring("a"), Logger: quiet,
		Mail: w.mail,
	})
	require.NoError(w.t, err)
	require.NoError(w.t, a.Start(context.Background()))
	w.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		require.NoError(w.t, a.Stop(ctx))
	})
	return a
}

// define makes an automation of a definition, in which ENDPOINT is the world's endpoint, and activates it.
func (w *world) define(definition string) *automation.Automation {
	w.t.Helper()
	definition = strings.ReplaceAll(definition, "ENDPOINT", w.endpoint.String())
	made, err := w.Create(w.owner, w.app, "live", "Automation", json.RawMessage(definition))
	require.NoError(w.t, err)
	_, err = w.Publish(w.owner, made.ID)
	require.NoError(w.t, err)
	active, err := w.Activate(w.owner, made.ID)
	require.NoError(w.t, err)
	require.Equal(w.t, automation.Active, active.State)
	return active
}

// track sends track events of a person: names, each with properties after it.
func (w *world) track(person string, events ...any) {
	w.t.Helper()
	var list []any
	at := time.Now().UTC()
	for i := 0; i < len(events); i += 2 {
		list = append(list, map[string]any{
			"eventId": uuid.NewString(), "name": events[i], "properties": events[i+1], "appUserId": person,
			"timestamp": at.Add(time.Duration(i) * time.Millisecond).Format(time.RFC3339Nano),
		})
	}
	body, err := json.Marshal(map[string]any{"events": list})
	require.NoError(w.t, err)
	answer, err := w.writer.Track(w.t.Context(), body, w.origin())
	require.NoError(w.t, err)
	require.Equal(w.t, len(list), answer.Stored, answer.Rejected)
}

func (w *world) origin() ingest.Request {
	return ingest.Request{EnvironmentID: w.environment, ReceivedAt: time.Now()}
}

func (w *world) count(sql string, args ...any) (n int) {
	w.t.Helper()
	require.NoError(w.t, w.db.Pool.QueryRow(context.Background(), sql, args...).Scan(&n))
	return n
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	_, err := w.db.Pool.Exec(context.Background(), sql, args...)
	require.NoError(w.t, err)
}

func (w *world) eventually(what func() bool, message string) {
	w.t.Helper()
	require.Eventually(w.t, what, 20*time.Second, 20*time.Millisecond, message)
}

// ended waits until no enrolment goes on and returns how they ended: state, reason.
func (w *world) ended() map[string]int {
	w.t.Helper()
	w.eventually(func() bool {
		return w.count(`select count(*) from automation_enrolment where ended_at is null`) == 0 &&
			w.count(`select count(*) from automation_enrolment`) > 0
	}, "every enrolment ends")
	return w.grouped(`select state || ' ' || reason, count(*) from automation_enrolment group by 1`)
}

func (w *world) grouped(sql string, args ...any) map[string]int {
	w.t.Helper()
	rows, err := w.db.Pool.Query(context.Background(), sql, args...)
	require.NoError(w.t, err)
	groups := map[string]int{}
	var name string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&name, &n}, func() error { groups[strings.TrimSpace(name)] = n; return nil })
	require.NoError(w.t, err)
	return groups
}

func (w *world) steps() map[string]int {
	w.t.Helper()
	return w.grouped(`select node || ' ' || result || ' ' || reason, count(*) from automation_step group by 1`)
}

// received is a webhook that came.
type received struct {
	ID     string
	Method string
	Header http.Header
	Raw    []byte
	Type   string `json:"type"`
	Data   any    `json:"data"`
}

// receiver takes webhooks and answers as it is told.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []received
	answer func(w http.ResponseWriter, n int) // of the n-th message, from 1
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		message := received{ID: request.Header.Get("Webhook-Id"), Method: request.Method, Header: request.Header}
		message.Raw, _ = io.ReadAll(request.Body)
		_ = json.Unmarshal(message.Raw, &message)
		r.mu.Lock()
		r.got = append(r.got, message)
		n, answer := len(r.got), r.answer
		r.mu.Unlock()
		if answer != nil {
			answer(w, n)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) messages() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.got...)
}

func (r *receiver) answers(answer func(w http.ResponseWriter, n int)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// wait returns the messages when so many have come.
func (w *world) wait(n int) []received {
	w.t.Helper()
	w.eventually(func() bool { return len(w.receiver.messages()) >= n }, fmt.Sprintf("%d messages come", n))
	return w.receiver.messages()
}

// timestamp is the time that a message is signed with.
func (w *world) timestamp(message received) time.Time {
	w.t.Helper()
	var at int64
	_, err := fmt.Sscan(message.Header.Get("Webhook-Timestamp"), &at)
	require.NoError(w.t, err)
	return time.Unix(at, 0)
}
