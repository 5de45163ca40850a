package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// serveSince pins a version to a channel as if that had been a while ago.
func serveSince(t *testing.T, conn *pgx.Conn, studio *Studio, channel, version string, ago time.Duration) {
	t.Helper()
	studio.Pin(channel, version)
	if _, err := conn.Exec(t.Context(), `update assignments a set created_at = $2 from channels c
		where c.public_id = $1 and a.channel_id = c.id and a.assignment_version = c.assignment_version`,
		channel, time.Now().UTC().Add(-ago)); err != nil {
		t.Fatal(err)
	}
}

// sendRuns sends runs of so many users, some of which are completed.
func sendRuns(t *testing.T, d *Dev, key, channel, flow, version string, ago time.Duration, n, completed int) {
	t.Helper()
	at := time.Now().UTC().Add(-ago)
	var events []any
	for i := range n {
		event := func(name, run, user string, seq int) {
			events = append(events, map[string]any{
				"eventId": uuid.NewString(), "name": name, "flowId": flow, "versionId": version, "runId": run, "seq": seq,
				"timestamp": at.Add(time.Duration(seq) * time.Second).Format(time.RFC3339Nano),
				"identity":  map[string]any{"appUserId": user, "sessionId": "s"},
			})
		}
		id, user := uuid.NewString(), uuid.NewString()
		event("flow_started", id, user, 0)
		if i < completed {
			event("flow_completed", id, user, 1)
		}
	}
	answer, err := Do(http.DefaultClient, http.MethodPost, d.BaseURL+"/v1/sdk/events", map[string]any{"events": events},
		"Authorization", "Bearer "+key, "X-Svc-Channel", channel)
	if err != nil || answer.Status != http.StatusOK {
		t.Fatalf("%d flow events: %d %v", len(events), answer.Status, err)
	}
}

// TestSafePublish serves a version whose users complete less, is told of it, goes back, and lets a channel go back by
// itself. Servers that are killed while they look tell of it once.
func TestSafePublish(t *testing.T) {
	d := StartDev(t, []string{"SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0"}, "--demo=none")
	studio, app := d.SignIn(t, d.BaseURL), d.Apps[0].ID
	key := d.Apps[0].Environments["live"].PublishableKey
	flow, first := studio.Publish(app, "Plants", example(t, "branching-onboarding"))
	second := studio.PublishAgain(flow)
	conn, err := pgx.Connect(t.Context(), d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	serve := func(channel, version string, ago time.Duration) {
		t.Helper()
		serveSince(t, conn, studio, channel, version, ago)
	}
	run := func(channel, version string, ago time.Duration, n, completed int) {
		t.Helper()
		sendRuns(t, d, key, channel, flow, version, ago, n, completed)
	}
	svc := func(args ...string) []byte {
		t.Helper()
		exit, out, stderr := Run(t, []string{"SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + d.APIKey}, args...)
		if exit != 0 {
			t.Fatalf("svc %v: %s", args, stderr)
		}
		return []byte(out)
	}
	type watch struct {
		State, Sentence string
		Returned        bool
		LeftAt          *string
		Version         struct{ Number int }
		Previous        struct {
			ID     string
			Number int
		}
	}
	read := func(channel string) (got *watch) {
		t.Helper()
		if err := json.Unmarshal(svc("channel", "watch", channel), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}

	stays, returns := studio.CreateChannel(app, "Stays"), studio.CreateChannel(app, "Returns")
	svc("channel", "automatic-return", returns)
	for _, channel := range []string{stays, returns} {
		serve(channel, first, 72*time.Hour)
		if got := read(channel); got != nil {
			t.Fatalf("there is nothing to compare the first version with: %+v", got)
		}
		run(channel, first, 60*time.Hour, 200, 150)
		serve(channel, second, 48*time.Hour)
	}
	if got := read(stays); got == nil || got.State != "WATCHING" || got.Version.Number != 2 || got.Previous.Number != 1 {
		t.Fatalf("the new version is watched: %+v", got)
	}
	for _, channel := range []string{stays, returns} {
		run(channel, second, 40*time.Hour, 200, 50)
	}

	// A server that begins to lead looks at once. These are killed at different moments of it.
	for _, after := range []time.Duration{0, 50 * time.Millisecond, 200 * time.Millisecond, time.Second} {
		d.Kill()
		d.Start(t)
		time.Sleep(after)
	}
	Until(t, time.Minute, "the harm is told of", func() error {
		var told int
		query(t, d, `select count(*) from notification where kind = 'version_harm'`, &told)
		if told != 2 {
			return fmt.Errorf("%d notifications", told)
		}
		return nil
	})
	d.Stop()
	d.Start(t)
	time.Sleep(2 * time.Second)
	var told, decided, audited int
	query(t, d, `select (select count(*) from notification where kind = 'version_harm'),
		(select count(*) from channel_watch where state = 'harm'),
		(select count(*) from audit_entries where action in ('channel.harm', 'channel.return'))`, &told, &decided, &audited)
	if told != 2 || decided != 2 || audited != 3 {
		t.Fatalf("%d notifications, %d decisions, %d audit entries", told, decided, audited)
	}

	got := read(returns)
	if got.State != "HARM" || !got.Returned || got.LeftAt == nil {
		t.Fatalf("the channel went back by itself: %+v", got)
	}
	got = read(stays)
	if got.State != "HARM" || got.Returned || got.LeftAt != nil {
		t.Fatalf("the channel waits for somebody: %+v", got)
	}
	resolved := func(channel, version string) error {
		answer, err := Do(http.DefaultClient, http.MethodPost, d.BaseURL+"/v1/sdk/resolve",
			map[string]any{"identity": map[string]any{"appUserId": "u", "sessionId": "s"}},
			"Authorization", "Bearer "+key, "X-Svc-Channel", channel)
		var body struct{ VersionID string }
		if err == nil {
			answer.Decode(t, &body)
		}
		if body.VersionID != version {
			return errors.Join(err, fmt.Errorf("%s serves %s", channel, body.VersionID))
		}
		return nil
	}
	if err := errors.Join(resolved(returns, first), resolved(stays, second)); err != nil {
		t.Fatal(err)
	}
	d.SignIn(t, d.BaseURL).Pin(stays, got.Previous.ID)
	if err := resolved(stays, first); err != nil {
		t.Fatal(err)
	}
	if got = read(stays); got.State != "HARM" || got.LeftAt == nil {
		t.Fatalf("the judgement is kept: %+v", got)
	}
}
