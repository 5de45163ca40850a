package automation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/revenue"
)

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
