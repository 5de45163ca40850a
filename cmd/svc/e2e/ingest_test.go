package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
)

type event = map[string]any

func newEvent(person, session string) event {
	return event{
		"eventId": uuid.Must(uuid.NewV7()).String(), "name": "page_view", "screenName": "/",
		"timestamp": time.Now().UTC().Format(time.RFC3339Nano),
		"identity":  map[string]any{"appUserId": person, "sessionId": session},
	}
}

type ingestAnswer struct {
	Accepted           bool
	Stored, Duplicates int
	Ignored            int
	Rejected           []struct {
		Index         int
		EventID, Code string
	}
}

func send(t testing.TB, address, key string, events []event, headers ...string) (Answer, ingestAnswer) {
	t.Helper()
	answer, err := Do(http.DefaultClient, http.MethodPost, address+"/v1/sdk/analytics/events", map[string]any{"events": events},
		append([]string{"Authorization", "Bearer " + key}, headers...)...)
	if err != nil {
		t.Fatal(err)
	}
	var body ingestAnswer
	if answer.Status == http.StatusOK {
		answer.Decode(t, &body)
	}
	return answer, body
}

func TestEventsAreStoredOnceWhoeverRetries(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	_, second := d.Serve(t)
	key := d.Apps[0].Environments["live"].PublishableKey
	var events []event
	for i := range 50 {
		events = append(events, newEvent(fmt.Sprintf("p%d", i%7), "s1"))
	}
	var stored, duplicates atomic.Int64
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Go(func() {
			address := []string{d.BaseURL, second}[i%2]
			for {
				answer, body := send(t, address, key, events)
				if answer.Status == http.StatusServiceUnavailable {
					continue // busy: the same ids again
				}
				if answer.Status != http.StatusOK {
					t.Errorf("answered %d %s", answer.Status, answer.Body)
					return
				}
				stored.Add(int64(body.Stored))
				duplicates.Add(int64(body.Duplicates))
				return
			}
		})
	}
	wait.Wait()
	if stored.Load() != 50 || stored.Load()+duplicates.Load() != 16*50 {
		t.Fatalf(
			"16 concurrent retries of 50 events on two servers: %d stored, %d duplicates", stored.Load(), duplicates.Load(),
		)
	}
	var rows, hits int
	query(
		t, d, `select (select count(*) from product_event), (select sum(cardinality(hits)) from product_session)`, &rows,
		&hits,
	)
	if rows != 50 || hits != 50 {
		t.Fatalf("%d rows and %d hits in sessions, want 50 of each", rows, hits)
	}
}

func TestTheFormsOfABody(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	key := d.Apps[0].Environments["live"].PublishableKey
	post := func(path string, body any, headers ...string) Answer {
		t.Helper()
		answer, err := Do(http.DefaultClient, http.MethodPost, d.BaseURL+path, body, headers...)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	plain := fmt.Sprintf(`{"events":[{"eventId":%q,"name":"signup","identity":{"appUserId":"a"}}]}`, uuid.NewString())
	var packed bytes.Buffer
	zipper := gzip.NewWriter(&packed)
	fmt.Fprint(zipper, plain)
	if err := zipper.Close(); err != nil {
		t.Fatal(err)
	}
	huge := bytes.Repeat([]byte(" "), 21<<20)

	for _, c := range []struct {
		name    string
		answer  Answer
		status  int
		code    string
		stored  int
		message string
	}{
		{
			name:   "gzip",
			answer: post("/v1/sdk/analytics/events", packed.Bytes(), "Authorization", "Bearer "+key, "Content-Encoding", "gzip"),
			status: 200, stored: 1,
		},
		{
			name: "beacon",
			answer: post(
				"/v1/sdk/analytics/events?key="+key,
				fmt.Sprintf(`{"events":[{"eventId":%q,"name":"leave","identity":{"appUserId":"a"}}]}`, uuid.NewString()),
				"Content-Type", "text/plain;charset=UTF-8",
			),
			status: 200, stored: 1,
		},
		{
			name: "track, bare",
			answer: post(
				"/v1/sdk/track",
				fmt.Sprintf(
					`{"eventId":%q,"name":"bought","timestamp":%q,"identity":{"appUserId":"a"}}`, uuid.NewString(),
					time.Now().UTC().Format(time.RFC3339),
				),
				"Authorization", "Bearer "+key,
			),
			status: 200, stored: 1,
		},
		{name: "no key", answer: post("/v1/sdk/analytics/events", plain), status: 401, code: "invalid_key"},
		{
			name: "not JSON", answer: post("/v1/sdk/analytics/events", "{", "Authorization", "Bearer "+key), status: 400,
			code: "invalid_json",
		},
		{
			name: "no events", answer: post("/v1/sdk/analytics/events", `{"events":[]}`, "Authorization", "Bearer "+key),
			status: 400, code: "invalid_batch",
		},
		{
			name: "too large", answer: post("/v1/sdk/analytics/events", huge, "Authorization", "Bearer "+key), status: 413,
			code: "payload_too_large",
		},
		{
			name:   "another type",
			answer: post("/v1/sdk/analytics/events", plain, "Authorization", "Bearer "+key, "Content-Type", "application/xml"),
			status: 415, code: "unsupported_media_type",
		},
		{
			name: "flow events without a channel", answer: post("/v1/sdk/events", plain, "Authorization", "Bearer "+key),
			status: 400, code: "channel_required",
		},
	} {
		var body ingestAnswer
		if c.answer.Status == 200 {
			c.answer.Decode(t, &body)
		}
		if c.answer.Status != c.status || c.answer.Code() != c.code || body.Stored != c.stored {
			t.Errorf("%s: %d %s", c.name, c.answer.Status, c.answer.Body)
		}
	}
	get, err := Do(http.DefaultClient, http.MethodGet, d.BaseURL+"/v1/sdk/track", nil)
	if err != nil || get.Status != 405 || get.Header.Get("Allow") == "" {
		t.Errorf("GET: %d %v %v", get.Status, get.Header, err)
	}
}

func TestSensitiveAnswersNeverReachTheDisk(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	studio := d.SignIn(t, d.BaseURL)
	key := d.Apps[0].Environments["live"].PublishableKey
	channel := studio.CreateChannel(d.Apps[0].ID, "Onboarding")
	const secret = "correct-horse-battery-staple"
	answer, err := Do(http.DefaultClient, http.MethodPost, d.BaseURL+"/v1/sdk/events", map[string]any{"events": []any{map[string]any{
		"eventId": uuid.NewString(), "name": "text_submitted", "timestamp": time.Now().UTC().Format(time.RFC3339),
		"flowId": uuid.NewString(), "versionId": uuid.NewString(), "stepId": "scr_name",
		"identity":   map[string]any{"appUserId": "a"},
		"properties": map[string]any{"field_key": "email", "value": secret}, "fieldClassification": "sensitive",
	}}}, "Authorization", "Bearer "+key, "X-Svc-Channel", channel)
	if err != nil || answer.Status != 200 {
		t.Fatalf("%d %s %v", answer.Status, answer.Body, err)
	}
	var value string
	query(t, d, `select properties->>'value' from flow_event`, &value)
	if value != "__redacted__" {
		t.Fatalf("stored %q", value)
	}
	if bytes.Contains([]byte(d.Log()), []byte(secret)) {
		t.Fatal("the answer is in the log")
	}
}

func TestWithoutTheDatabaseResolveGoesOn(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	studio := d.SignIn(t, d.BaseURL)
	key := d.Apps[0].Environments["live"].PublishableKey
	channel := studio.CreateChannel(d.Apps[0].ID, "Onboarding")
	_, current := studio.Publish(d.Apps[0].ID, "Plants", example(t, "branching-onboarding"))
	studio.Pin(channel, current)
	r := &resolver{t: t, address: d.BaseURL, key: key}

	stopDatabase(t, d)
	if answer := r.ask(channel, "u"); answer.Status != 200 || version(t, answer) != current {
		t.Fatalf("resolve without a database: %d %s", answer.Status, answer.Body)
	}
	events := []event{newEvent("a", "s")}
	answer, _ := send(t, d.BaseURL, key, events)
	if answer.Status != 503 || answer.Code() != "ingest_unavailable" || answer.Header.Get("Retry-After") == "" {
		t.Fatalf("events without a database: %d %s %v", answer.Status, answer.Body, answer.Header)
	}
	resumeDatabase(t, d)
	Until(t, 60*time.Second, "events are stored again", func() error {
		answer, body := send(t, d.BaseURL, key, events)
		if answer.Status != 200 || body.Stored+body.Duplicates != 1 {
			return fmt.Errorf("%d %s", answer.Status, answer.Body)
		}
		return nil
	})
}
