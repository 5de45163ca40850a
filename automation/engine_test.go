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
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/revenue"
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

const send = `{"trigger": {"type": "event", "event": "cart_abandoned"},
	"nodes": [{"id": "send", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "cart.abandoned"}]}`

func TestATrackEventSendsASignedWebhookOnce(t *testing.T) {
	w := newWorld(t)
	w.define(send)
	w.track("ana", "cart_abandoned", map[string]any{"total": 12.5}, "cart_abandoned", map[string]any{"total": 13})
	w.track("ana", "cart_abandoned", nil, "something_else", nil)
	w.track("ben", "something_else", nil)
	require.Equal(t, map[string]int{"completed": 1}, w.ended())
	message := w.wait(1)[0]
	require.Equal(t, "cart.abandoned", message.Type)
	require.Equal(t, map[string]any{"appUserId": "ana", "customUserId": "",
		"event": map[string]any{"name": "cart_abandoned", "properties": map[string]any{"total": 12.5}}}, message.Data)
	require.Equal(t, webhook.Sign(message.ID, w.timestamp(message), message.Raw, w.secret),
		message.Header.Get("Webhook-Signature"))
	w.eventually(func() bool {
		return w.count(`select count(*) from webhook_delivery where state = 'delivered' and attempts = 1`) == 1
	}, "the delivery is recorded")
	require.Equal(t, map[string]int{"send sent": 1}, w.steps())
	require.Len(t, w.receiver.messages(), 1)
}

// Product events are for reports: whatever they are called, they start nothing.
func TestProductEventsStartNothing(t *testing.T) {
	w := newWorld(t)
	w.define(send)
	body, err := json.Marshal(map[string]any{"events": []any{map[string]any{
		"eventId": uuid.NewString(), "name": "cart_abandoned", "appUserId": "ana", "timestamp": time.Now().UTC(),
	}}})
	require.NoError(t, err)
	answer, err := w.writer.Product(t.Context(), body, w.origin())
	require.NoError(t, err)
	require.Equal(t, 1, answer.Stored)
	require.Zero(t, w.count(`select count(*) from automation_enrolment`))
	require.Zero(t, w.count(`select count(*) from river.river_job`))
	w.track("ana", "cart_abandoned", nil)
	require.Equal(t, 1, w.count(`select count(*) from automation_enrolment`))
}

func TestReentry(t *testing.T) {
	w := newWorld(t)
	trigger := func(reentry string) string {
		return `{"trigger": {"type": "event", "event": "ordered", ` + reentry + `}, "nodes": [{"id": "end", "type": "exit"}]}`
	}
	once, keyed := w.define(trigger(`"reentry": "once"`)), w.define(trigger(`"key": "order"`))
	days, always := w.define(trigger(`"reentry": "days", "days": 7`)), w.define(trigger(`"reentry": "always"`))
	entered := func(of *automation.Automation) int {
		return w.count(`select count(*) from automation_enrolment where automation_id = $1`, of.ID)
	}
	w.track("ana", "ordered", map[string]any{"order": 1}, "ordered", map[string]any{"order": 2}, "ordered", map[string]any{"order": 1})
	require.Equal(t, []int{1, 2, 1, 3}, []int{entered(once), entered(keyed), entered(days), entered(always)})
	w.exec(`update automation_entry set again_at = again_at - interval '8 days'`)
	w.track("ana", "ordered", map[string]any{"order": 1})
	require.Equal(t, []int{1, 2, 2, 4}, []int{entered(once), entered(keyed), entered(days), entered(always)})

	// Two servers that are told the same at the same time.
	var telling sync.WaitGroup
	for i := range 8 {
		writer := w.writer
		if i%2 == 1 {
			second, err := ingest.New(w.db, ingest.Settings{}, ingest.Deps{Automations: w.Automations, Logger: quiet})
			require.NoError(t, err)
			require.NoError(t, second.Start(context.Background()))
			defer func() { require.NoError(t, second.Stop(context.Background())) }()
			writer = second
		}
		body := fmt.Appendf(nil, `{"eventId": %q, "name": "ordered", "appUserId": "ben", "timestamp": %q}`,
			uuid.NewString(), time.Now().UTC().Format(time.RFC3339Nano))
		telling.Go(func() {
			_, err := writer.Track(context.Background(), body, w.origin())
			if err != nil {
				t.Error(err)
			}
		})
	}
	telling.Wait()
	require.Equal(t, 1, w.count(`select count(*) from automation_enrolment where app_user_id = 'ben' and automation_id = $1`, once.ID))
	require.Equal(t, 8, w.count(`select count(*) from automation_enrolment where app_user_id = 'ben' and automation_id = $1`, always.ID))
}

func TestWaitsConditionsAndTemplates(t *testing.T) {
	w := newWorld(t)
	records := people.New(w.db.Pool, people.Options{})
	name := "Ana"
	_, err := records.Identify(t.Context(), people.Change{
		EnvironmentID: w.environment, AppUserID: "ana", CustomUserID: "c-1", Profile: people.Profile{FirstName: &name},
		Attributes: map[string]json.RawMessage{"tier": json.RawMessage(`"gold"`)},
	})
	require.NoError(t, err)
	w.define(`{"trigger": {"type": "event", "event": "started", "where": {"of": "event", "property": "step", "op": "gt", "value": 1}},
		"nodes": [
			{"id": "wait", "type": "waitForEvent", "event": "paid", "where": {"of": "event", "property": "ok", "value": true},
				"timeoutSeconds": 3600, "then": "tier", "else": "late"},
			{"id": "tier", "type": "condition", "if": {"of": "attributes", "property": "tier", "op": "in", "value": ["gold"]},
				"then": "gold", "else": "plain"},
			{"id": "gold", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "paid", "data":
				{"hello": "Hi {{person.firstName}} ({{event.step}})", "step": "{{event.step}}", "none": "{{event.no}}", "who": ["{{person.customUserId}}"]}},
			{"id": "plain", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "plain"},
			{"id": "late", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "late"}]}`)
	w.track("zoe", "started", map[string]any{"step": 1})
	for _, person := range []string{"ana", "ben", "cyd"} {
		w.track(person, "started", map[string]any{"step": 2})
	}
	w.eventually(func() bool { return w.count(`select count(*) from automation_enrolment where waiting`) == 3 }, "three wait")
	w.track("ana", "paid", map[string]any{"ok": false})
	w.track("ben", "paid", map[string]any{"ok": true})
	require.Equal(t, "plain", w.wait(1)[0].Type)
	require.Equal(t, 2, w.count(`select count(*) from automation_enrolment where waiting`))
	w.track("ana", "paid", map[string]any{"ok": true})
	require.Equal(t, map[string]any{"hello": "Hi Ana (2)", "step": 2.0, "none": nil, "who": []any{"c-1"}}, w.wait(2)[1].Data)
	w.exec(`update automation_enrolment set due_at = now() where due_at is not null`) // the hour is over
	require.Equal(t, "late", w.wait(3)[2].Type)
	require.Equal(t, map[string]int{
		"wait waiting": 3, "wait done event": 2, "wait done timeout": 1, "tier done then": 1, "tier done else": 1,
		"gold sent": 1, "plain sent": 1, "late sent": 1,
	}, w.steps())
}

func TestExitsConversionsAndConsent(t *testing.T) {
	w := newWorld(t)
	w.define(`{"trigger": {"type": "event", "event": "started"}, "marketing": true,
		"exit": {"events": ["stopped"], "purchase": true, "when": {"of": "person", "property": "country", "value": "XX"}},
		"goal": {"events": ["won"], "purchase": true, "days": 7},
		"nodes": [{"id": "wait", "type": "delay", "seconds": 3600, "next": "send"},
			{"id": "send", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "x"}]}`)
	records := people.New(w.db.Pool, people.Options{})
	country := "XX"
	for person, change := range map[string]people.Change{
		"yes": {Email: "yes@example.com", MarketingConsent: people.Granted}, "no": {MarketingConsent: people.Denied},
		"abroad": {Email: "x@example.com", MarketingConsent: people.Granted, Profile: people.Profile{Country: &country}},
	} {
		change.EnvironmentID, change.AppUserID = w.environment, person
		_, err := records.Identify(t.Context(), change)
		require.NoError(t, err)
	}
	all := []string{"yes", "no", "unknown", "stops", "buys", "abroad"}
	for _, person := range all {
		w.track(person, "started", nil)
	}
	w.eventually(func() bool { return w.count(`select count(*) from automation_enrolment where waiting`) == len(all) }, "all wait")
	w.track("stops", "stopped", nil)
	w.track("yes", "won", nil)
	_, err := w.studio.RecordPurchase(w.owner, w.app, "live", revenue.Purchase{
		Provider: "stripe", ProviderEventID: "1", Kind: revenue.Originating, AppUserID: "buys", OccurredAt: time.Now(), AmountMicros: 1, Currency: "USD",
	})
	require.NoError(t, err)
	w.eventually(func() bool {
		return w.count(`select count(*) from automation_enrolment where ended_at is not null`) == 2
	}, "two leave")
	w.exec(`update automation_enrolment set due_at = now() where due_at is not null`)
	require.Equal(t, map[string]int{
		"exited event stopped": 1, "exited purchase": 1, "exited exit_condition": 1, "completed": 3,
	}, w.ended())
	require.Equal(t, map[string]int{"sent": 1, "skipped no_consent": 2, "exited exit_condition": 1},
		w.grouped(`select result || ' ' || reason, count(*) from automation_step where node = 'send' group by 1`))
	require.Equal(t, 2, w.count(`select count(*) from automation_enrolment where converted_at is not null and app_user_id in ('yes', 'buys')`))
	require.Len(t, w.wait(1), 1)
}

func TestEndsOfFlowsAndPurchasesEnrol(t *testing.T) {
	w := newWorld(t)
	flow, other := uuid.New(), uuid.New()
	w.define(fmt.Sprintf(`{"trigger": {"type": "flow", "outcome": "abandoned", "flowId": %q, "lastStep": "scr_pay"},
		"nodes": [{"id": "end", "type": "exit"}]}`, flow))
	refunds := w.define(`{"trigger": {"type": "ledger", "kinds": ["refund"], "where": {"of": "event", "property": "amountUsd", "op": "lt", "value": -4}},
		"nodes": [{"id": "end", "type": "exit"}]}`)
	channel, err := w.studio.CreateChannel(w.owner, w.app, "live", "Main")
	require.NoError(t, err)
	for person, event := range map[string]map[string]any{
		"right": {"name": "flow_abandoned", "flowId": flow, "stepId": "scr_pay"},
		"done":  {"name": "flow_completed", "flowId": flow},
		"early": {"name": "flow_abandoned", "flowId": flow, "stepId": "scr_a"},
		"other": {"name": "flow_abandoned", "flowId": other, "stepId": "scr_pay"},
	} {
		event["eventId"], event["versionId"], event["timestamp"] = uuid.NewString(), uuid.New(), time.Now().UTC()
		event["identity"] = map[string]any{"appUserId": person}
		body, err := json.Marshal(map[string]any{"events": []any{event}})
		require.NoError(t, err)
		answer, err := w.writer.Flow(t.Context(), body, ingest.Request{
			EnvironmentID: w.environment, ChannelID: channel.ID, ReceivedAt: time.Now(),
		})
		require.NoError(t, err)
		require.Equal(t, 1, answer.Stored)
	}
	for i, p := range []revenue.Purchase{
		{Kind: revenue.Refund, AmountMicros: 5_000_000}, {Kind: revenue.Refund, AmountMicros: 3_000_000},
		{Kind: revenue.Originating, AmountMicros: 5_000_000}, {Kind: revenue.Refund, AmountMicros: 5_000_000},
	} {
		p.Provider, p.ProviderEventID, p.OccurredAt, p.Currency = "stripe", fmt.Sprint(i%3), time.Now(), "USD"
		p.AppUserID = fmt.Sprint("payer-", i%3)
		_, err := w.studio.RecordPurchase(w.owner, w.app, "live", p)
		require.NoError(t, err)
	}
	require.Equal(t, map[string]int{"right": 1, "payer-0": 1},
		w.grouped(`select app_user_id, count(*) from automation_enrolment group by 1`))
	require.Equal(t, 1, w.count(`select count(*) from automation_enrolment where automation_id = $1`, refunds.ID))
}

// run sends the events of a run of a flow, each a name with its field and value, or with the screen.
func (w *world) run(person string, flow uuid.UUID, runID *uuid.UUID, events ...[3]string) {
	w.t.Helper()
	channel := w.count(`select min(id) from channels`)
	var list []any
	at := time.Now().UTC().Add(-time.Minute)
	for i, e := range events {
		event := map[string]any{
			"eventId": uuid.NewString(), "name": e[0], "flowId": flow, "versionId": flow, "stepId": "scr_a",
			"timestamp": at.Add(time.Duration(i) * time.Second).Format(time.RFC3339Nano),
			"identity":  map[string]any{"appUserId": person},
		}
		if runID != nil {
			event["runId"], event["seq"] = runID, i
		}
		if e[1] != "" {
			event["properties"] = map[string]any{"field_key": e[1], "value": e[2]}
		}
		list = append(list, event)
	}
	body, err := json.Marshal(map[string]any{"events": list})
	require.NoError(w.t, err)
	answer, err := w.writer.Flow(w.t.Context(), body, ingest.Request{
		EnvironmentID: w.environment, ChannelID: int64(channel), ReceivedAt: time.Now(),
	})
	require.NoError(w.t, err)
	require.Equal(w.t, len(list), answer.Stored, answer.Rejected)
}

func TestAnswersOfTheRunDecide(t *testing.T) {
	w := newWorld(t)
	_, err := w.studio.CreateChannel(w.owner, w.app, "live", "Main")
	require.NoError(t, err)
	flow := uuid.New()
	a := w.define(fmt.Sprintf(`{"trigger": {"type": "flow", "outcome": "any", "flowId": %q, "where": {"all": [
			{"of": "answers", "property": "goal", "op": "in", "value": ["lose", "gain"]},
			{"of": "answers", "property": "age", "op": "gte", "value": 18}]}},
		"nodes": [
			{"id": "if", "type": "condition", "if": {"of": "answers", "property": "diet", "op": "contains", "value": "vegan"}, "then": "send"},
			{"id": "send", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "x",
				"data": {"goal": "{{answers.goal}}", "diet": "{{answers.diet}}", "text": "{{answers.goal}} at {{answers.age}}", "none": "{{answers.no}}"}}]}`, flow))
	run, other := uuid.New(), uuid.New()
	view, choose, typed := "step_viewed", "choice_selected", "text_submitted"
	// The answers of the last visit of a screen count; those of another run don't.
	w.run("ana", flow, &other, [3]string{"flow_started"}, [3]string{choose, "goal", "keep"}, [3]string{"flow_abandoned"})
	w.run("ana", flow, &run, [3]string{"flow_started"}, [3]string{view}, [3]string{choose, "goal", "keep"}, [3]string{view},
		[3]string{choose, "goal", "lose"}, [3]string{view}, [3]string{choose, "diet", "vegan"}, [3]string{choose, "diet", "raw"},
		[3]string{typed, "age", "9"}, [3]string{typed, "age", "30"}, [3]string{"flow_completed"})
	require.Equal(t, map[string]any{"goal": "lose", "diet": []any{"vegan", "raw"}, "text": "lose at 30", "none": nil},
		w.wait(1)[0].Data)
	// Without ids of runs, what came before the start is of another run.
	w.run("ben", flow, nil, [3]string{"flow_started"}, [3]string{choose, "goal", "gain"}, [3]string{typed, "age", "17"}, [3]string{"flow_completed"})
	w.run("cyd", flow, nil, [3]string{choose, "diet", "vegan"}, [3]string{"flow_started"}, [3]string{choose, "goal", "gain"},
		[3]string{typed, "age", "18"}, [3]string{"flow_abandoned"})
	w.run("dan", flow, nil, [3]string{"flow_started"}, [3]string{"flow_completed"})
	require.Equal(t, map[string]int{"completed": 2}, w.ended())
	require.Equal(t, map[string]int{"ana": 1, "cyd": 1}, w.grouped(`select app_user_id, count(*) from automation_enrolment group by 1`))
	require.Equal(t, map[string]int{"if done then": 1, "if done else": 1, "send sent": 1}, w.steps())

	played, err := w.TestRun(w.owner, a.ID, 1)
	require.NoError(t, err)
	require.Equal(t, []int{2, 1}, []int{played.Entered, played.Messages})
}

func TestPausedAutomationsWaitAndArchivedOnesEnd(t *testing.T) {
	w := newWorld(t)
	a := w.define(strings.Replace(send, `"nodes": [`, `"nodes": [{"id": "wait", "type": "delay", "seconds": 1, "next": "send"},`, 1))
	w.track("ana", "cart_abandoned", nil)
	_, err := w.Pause(w.owner, a.ID)
	require.NoError(t, err)
	w.track("ben", "cart_abandoned", nil)
	require.Equal(t, 1, w.count(`select count(*) from automation_enrolment where due_at is null and paused_due_at is not null`))
	_, err = w.Activate(w.owner, a.ID)
	require.NoError(t, err)
	require.Equal(t, "ana", w.wait(1)[0].Data.(map[string]any)["appUserId"])

	w.track("cyd", "cart_abandoned", nil)
	_, err = w.Archive(w.owner, a.ID)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"completed": 1, "exited archived": 1}, w.ended())
	_, err = w.Activate(w.owner, a.ID)
	require.Error(t, err)
}

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
