package automation_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/internal/fault"
)

// A split sends a person the same way every time, and as many each way as the weights say.
func TestASplitIsTheSameForAPerson(t *testing.T) {
	w := newWorld(t)
	a := w.define(`{"trigger": {"type": "event", "event": "go", "reentry": "always"},
		"nodes": [
			{"id": "split", "type": "split", "arms": [{"weight": 3, "next": "send"}, {"weight": 1, "next": "nothing"}]},
			{"id": "send", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "x", "data": "{{person.appUserId}}"},
			{"id": "nothing", "type": "exit"}]}`)
	const people = 200
	for range 2 {
		for i := range people {
			w.track(fmt.Sprint("p", i), "go", nil)
		}
	}
	w.eventually(func() bool {
		return w.count(`select count(*) from automation_enrolment where ended_at is not null`) == 2*people
	}, "everybody goes one way")
	ways := w.grouped(`select e.app_user_id || ' ' || count(distinct s.reason || s.result), 1 from automation_step s
		join automation_enrolment e on e.environment_id = s.environment_id and e.id = s.enrolment_id
		where s.node = 'split' group by e.app_user_id`)
	require.Len(t, ways, people)
	for person := range ways {
		require.Contains(t, person, " 1", "one way")
	}
	got := w.count(`select count(*) from (select app_user_id from webhook_delivery group by 1 having count(*) = 2) p`)
	require.Equal(t, w.count(`select count(distinct app_user_id) from webhook_delivery`), got, "never one way, then the other")
	require.InDelta(t, people*3/4, got, 30)

	// A test run sends the same people the same way.
	played, err := w.TestRun(w.owner, a.ID, 1)
	require.NoError(t, err)
	require.Equal(t, 2*people, played.Entered)
	require.Equal(t, 2*got, played.Messages)
}

// A test run goes through what people did in its order: who waits, whom an event ends and who is sent to when.
func TestATestRunFollowsTheOrderOfEvents(t *testing.T) {
	w := newWorld(t)
	a := w.define(`{"trigger": {"type": "event", "event": "left", "reentry": "days", "days": 1},
		"exit": {"events": ["ordered"]},
		"nodes": [
			{"id": "wait", "type": "waitForEvent", "event": "came", "timeoutSeconds": 3600, "then": "thank", "else": "remind"},
			{"id": "thank", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "thank"},
			{"id": "remind", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "remind"}]}`)
	_, err := w.Archive(w.owner, a.ID)
	require.NoError(t, err)
	now := time.Now().UTC()
	did := func(person, name string, ago time.Duration) {
		w.exec(`insert into track_event (environment_id, occurred_at, received_at, event_key, name, app_user_id, properties)
			values ($1, $2, $2, gen_random_uuid(), $3, $4, '{}')`, w.environment, now.Add(-ago), name, person)
	}
	did("reminded", "left", 5*time.Hour)
	did("thanked", "left", 5*time.Hour)
	did("thanked", "came", 4*time.Hour+30*time.Minute)
	did("late", "left", 5*time.Hour)
	did("late", "came", 3*time.Hour)
	did("bought", "left", 5*time.Hour)
	did("bought", "ordered", 4*time.Hour+10*time.Minute)
	did("waits", "left", 10*time.Minute)
	did("twice", "left", 30*time.Hour)
	did("twice", "left", 20*time.Hour) // within a day
	did("twice", "left", 2*time.Hour)
	did("before", "left", 100*time.Hour)
	r, err := w.TestRun(w.owner, a.ID, 2)
	require.NoError(t, err)
	require.True(t, r.Complete)
	require.Equal(t, 7, r.Entered)
	require.Equal(t, 1, r.Exited)
	require.Equal(t, 1, r.Waiting)
	require.Equal(t, 5, r.Messages)
	sent := map[string]string{}
	for _, m := range r.Examples {
		sent[m.AppUserID] += m.Node + " " + now.Sub(m.At).Round(time.Minute).String() + ";"
	}
	require.Equal(t, map[string]string{
		"reminded": "remind 4h0m0s;", "thanked": "thank 4h30m0s;", "late": "remind 4h0m0s;",
		"twice": "remind 29h0m0s;remind 1h0m0s;",
	}, sent)
	require.Empty(t, w.receiver.messages())
	require.Zero(t, w.count(`select count(*) from automation_enrolment`))
	for _, days := range []int{0, 31} {
		_, err = w.TestRun(w.owner, a.ID, days)
		require.True(t, fault.Is(err, fault.InvalidInput))
	}
}

// Who waits for the time that a property names gets the message then; a time that no property names is skipped, and
// the past is now.
func TestDelaysUntilATimeOfAProperty(t *testing.T) {
	w := newWorld(t)
	w.define(`{"trigger": {"type": "event", "event": "booked"},
		"nodes": [
			{"id": "until", "type": "delay", "untilProperty": {"of": "event", "property": "startsAt", "offsetSeconds": -3600},
				"next": "send"},
			{"id": "send", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "x", "data": "{{person.appUserId}}"}]}`)
	now := time.Now().UTC().Truncate(time.Second)
	for person, starts := range map[string]any{
		"text": now.Add(3 * time.Hour).Format(time.RFC3339), "seconds": now.Add(3 * time.Hour).Unix(),
		"far": "9998-01-01T00:00:00Z", "past": now.Add(-time.Hour).Format(time.RFC3339), "no time": "soon", "flag": true,
		"negative": -5, "nothing": nil,
	} {
		w.track(person, "booked", map[string]any{"startsAt": starts})
	}
	sent := map[any]bool{}
	for _, message := range w.wait(5) {
		sent[message.Data] = true
	}
	require.Equal(t, map[any]bool{"past": true, "no time": true, "flag": true, "negative": true, "nothing": true}, sent)
	require.Equal(t, 4, w.count(`select count(*) from automation_step where node = 'until' and reason = 'no_time'`))
	waiting := w.grouped(`select app_user_id, round(extract(epoch from due_at - $1::timestamptz))::bigint
		from automation_enrolment where ended_at is null`, now)
	require.Len(t, waiting, 3)
	require.Equal(t, 2*3600, waiting["text"])
	require.Equal(t, 2*3600, waiting["seconds"])
	require.InDelta(t, 365*24*3600, waiting["far"], 60, "nobody waits longer than a year")
}

// People stay in the version that they entered, also on a server that never knew it, and those of a version that is not
// there end instead of going round.
func TestPeopleGoOnInTheVersionThatTheyEntered(t *testing.T) {
	w := newWorld(t)
	a := w.define(`{"trigger": {"type": "event", "event": "go"}, "nodes": [
		{"id": "wait", "type": "delay", "seconds": 3600, "next": "old"},
		{"id": "old", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "old", "data": "{{person.appUserId}}"}]}`)
	w.track("ana", "go", nil)
	w.track("lost", "go", nil)
	w.eventually(func() bool {
		return w.count(`select count(*) from automation_enrolment where due_at > now() + interval '50 minutes'`) == 2
	}, "both wait")
	second := `{"trigger": {"type": "event", "event": "go"}, "nodes": [{"id": "end", "type": "exit"}]}`
	_, err := w.SaveDraft(w.owner, a.ID, nil, []byte(second))
	require.NoError(t, err)
	_, err = w.Publish(w.owner, a.ID)
	require.NoError(t, err)
	require.NoError(t, w.Stop(context.Background()))
	w.exec(`update automation_enrolment set version = 7 where app_user_id = 'lost'`)
	w.exec(`update automation_enrolment set due_at = now()`)
	w.server()
	require.Equal(t, "ana", w.wait(1)[0].Data)
	require.Equal(t, 2, func() (n int) {
		for _, ended := range w.ended() {
			n += ended
		}
		return n
	}())
	require.Len(t, w.receiver.messages(), 1)
}

// What belongs to nobody's app is not found, and a missing database is said, whatever is asked.
func TestWhatIsNotThereIsSaid(t *testing.T) {
	w := newWorld(t)
	a := w.define(send)
	nowhere := uuid.New()
	gone, cancel := context.WithCancel(w.owner)
	cancel()
	for name, ask := range map[string]func(ctx context.Context, id, endpoint uuid.UUID) error{
		"get":      func(ctx context.Context, id, _ uuid.UUID) error { _, err := w.Get(ctx, id); return err },
		"versions": func(ctx context.Context, id, _ uuid.UUID) error { _, err := w.Versions(ctx, id); return err },
		"publish":  func(ctx context.Context, id, _ uuid.UUID) error { _, err := w.Publish(ctx, id); return err },
		"pause":    func(ctx context.Context, id, _ uuid.UUID) error { _, err := w.Pause(ctx, id); return err },
		"test run": func(ctx context.Context, id, _ uuid.UUID) error { _, err := w.TestRun(ctx, id, 1); return err },
		"endpoint": func(ctx context.Context, _, e uuid.UUID) error { _, err := w.Endpoint(ctx, e); return err },
		"rotate":   func(ctx context.Context, _, e uuid.UUID) error { _, err := w.RotateSecret(ctx, e); return err },
		"deliveries": func(ctx context.Context, _, e uuid.UUID) error {
			_, err := w.Deliveries(ctx, e, automation.DeliveryFilter{Limit: 1})
			return err
		},
	} {
		require.True(t, fault.Is(ask(w.owner, nowhere, nowhere), fault.NotFound), name)
		require.ErrorIs(t, ask(gone, a.ID, w.endpoint), context.Canceled, name)
	}
	_, err := w.Endpoints(gone, w.app, "live")
	require.ErrorIs(t, err, context.Canceled)
	_, err = w.Create(gone, w.app, "live", "Late", []byte(send))
	require.ErrorIs(t, err, context.Canceled)
}
