package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	activeAutomations = 100
	// enrollingEvents is how many events there are to each that enrols somebody.
	enrollingEvents  = 100
	automationSlices = 4 // of each load with automations, and of each without, by turns
	automationTarget = 0.9

	waitingPeople    = 100_000
	duePeople        = 300
	dueWithin        = 20 * time.Second
	dueLimit         = 2 * time.Second
	waitingHeapLimit = 4 << 20 // besides the heap without anybody who waits
)

// benchAutomations measures what active automations cost the path of events, and what people who wait cost.
func benchAutomations(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, _, err := startServer(
		ctx, dir, "SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0", "SVC_WEBHOOK_NETWORKS=127.0.0.0/8",
	)
	if err != nil {
		return err
	}
	err = measureAutomations(ctx, s)
	return errors.Join(err, s.stop())
}

func measureAutomations(ctx context.Context, s *server) error {
	pool, err := pgxpool.New(ctx, s.file.DatabaseURL)
	if err != nil {
		return err
	}
	defer pool.Close()
	// First, on a small heap.
	if err := measureWaiting(ctx, s, pool); err != nil {
		return err
	}
	if err := addAutomations(ctx, pool); err != nil {
		return err
	}
	unnamed := newTrackLoader(s, 0)
	enrolling := newTrackLoader(s, enrollingEvents)
	for _, load := range []struct {
		name string
		*loader
	}{
		{"track events that no automation names", unnamed},
		{fmt.Sprintf("track events, 1 of %d enrols", enrollingEvents), enrolling},
		{"product events", newLoader(s)},
	} {
		if _, _, err := load.run(ctx, ingestWarmUp, 0); err != nil {
			return err
		}
		var with, without pathCost
		for range automationSlices {
			for _, turn := range []struct {
				active bool
				cost   *pathCost
			}{{false, &without}, {true, &with}} {
				if err := switchAutomations(ctx, pool, turn.active); err != nil {
					return err
				}
				if err := turn.cost.add(ctx, s, load.loader); err != nil {
					return err
				}
			}
		}
		row(load.name, with.rate(), "ev/s", without.rate(),
			fmt.Sprintf("without automations; at least %.1f", automationTarget))
		row("  processor time, server and database", with.microseconds(), "µs/ev", without.microseconds(),
			"without automations; at most 1.1")
	}
	var enrolled int
	if err := pool.QueryRow(
		ctx, `select count(*) from automation_enrolment where event_name <> ''`,
	).Scan(&enrolled); err != nil {
		return err
	}
	row("  enrolled meanwhile", float64(enrolled), "people", 0, "")
	return nil
}

// newTrackLoader returns a loader of track events, one in so many of which enrols somebody; none with 0.
func newTrackLoader(s *server, enrolls int) *loader {
	l := newLoader(s)
	l.url = s.file.BaseURL + "/v1/sdk/track"
	l.batch = func() *batch { return newTrackBatch(enrolls) }
	return l
}

// nameMark is as long as the names of the events that it stands for.
const nameMark = "nnnnnnnnnnnnn"

func newTrackBatch(enrolls int) *batch {
	var events []any
	for i := range ingestBatch {
		name := "something_done"
		if i == ingestBatch-1 {
			name = nameMark
		}
		events = append(events, map[string]any{
			"eventId": idMark, "name": name, "timestamp": timeMark,
			"identity": map[string]any{
				"appUserId": personMark, "customUserId": "customer-12345", "sessionId": sessionMark,
			},
			"context":    map[string]any{"platform": "web", "appVersion": "1.4.0", "locale": "en-GB"},
			"properties": map[string]any{"plan": "pro", "total": 29.99, "position": i, "tags": []string{"a", "b"}},
		})
	}
	b := batchOf(events)
	names := b.find(nameMark)
	sent := 0
	b.renamed = func() {
		name := "nothing_else_"
		if sent++; enrolls > 0 && sent%(enrolls/ingestBatch) == 0 {
			name = fmt.Sprintf("cart_left_%03d", (sent/(enrolls/ingestBatch))%activeAutomations)
		}
		b.fill(names, []byte(name))
	}
	return b
}

// addAutomations makes automations of which each enrols by an event of its own, waits a day, and ends with an order.
func addAutomations(ctx context.Context, pool *pgxpool.Pool) error {
	for n := range activeAutomations {
		definition := fmt.Sprintf(`{
			"trigger": {"type": "event", "event": "cart_left_%03d", "reentry": "always",
				"where": {"of": "event", "property": "total", "op": "gte", "value": 20}},
			"exit": {"events": ["order_placed_%[1]d"]}, "goal": {"events": ["order_placed_%[1]d"], "days": 7},
			"nodes": [{"id": "day", "type": "delay", "seconds": 86400, "next": "end"}, {"id": "end", "type": "exit"}]}`, n)
		if _, err := pool.Exec(ctx, `
			with made as (
				insert into automation (environment_id, id, name, draft, version, state)
				select id, gen_random_uuid(), 'Bench ' || $1::int, $2::jsonb, 1, 'archived' from environments
				where kind = 'live' order by id limit 1 returning id)
			insert into automation_version (automation_id, number, definition) select id, 1, $2::jsonb from made`,
			n, definition); err != nil {
			return fmt.Errorf("make an automation: %w", err)
		}
	}
	return nil
}

// switchAutomations makes the automations of addAutomations active or not, and waits until the server knows.
func switchAutomations(ctx context.Context, pool *pgxpool.Pool, active bool) error {
	state := "archived"
	if active {
		state = "active"
	}
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `update automation_revision set number = number + 1`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `update automation set state = $1 where name like 'Bench %'`, state)
		return err
	})
	time.Sleep(3 * time.Second) // servers look every second, and go on with who is due
	return err
}

// measureWaiting compares the heap of a server without anybody who waits with that of one with many, and measures how
// late those are sent to who become due among them.
func measureWaiting(ctx context.Context, s *server, pool *pgxpool.Pool) error {
	type arrival struct {
		person string
		at     time.Time
	}
	var mu sync.Mutex
	var arrivals []arrival
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		at := time.Now()
		var message struct{ Data struct{ AppUserID string } }
		content, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(content, &message) // a message that can't be read is of nobody
		mu.Lock()
		defer mu.Unlock()
		arrivals = append(arrivals, arrival{message.Data.AppUserID, at})
	}))
	defer receiver.Close()
	automation, err := addWaitingAutomation(ctx, s, pool, receiver.URL)
	if err != nil {
		return err
	}
	b := &reportBench{server: s, client: &http.Client{Timeout: time.Minute}}
	before, err := b.liveBytes(ctx)
	if err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, `
		insert into automation_enrolment (environment_id, automation_id, version, app_user_id, event_key, event_name, event,
			triggered_at, node, waiting, due_at)
		select environment_id, id, 1, 'waiting-' || n, gen_random_uuid(), '', '{"total": 20}', now(), 'hour', true,
			now() + interval '1 hour' + n * interval '1 ms'
		from automation, generate_series(1, $2) n where id = $1`, automation, waitingPeople); err != nil {
		return fmt.Errorf("let people wait: %w", err)
	}
	after, err := b.liveBytes(ctx)
	if err != nil {
		return err
	}
	row(
		fmt.Sprintf("heap with %d people waiting", waitingPeople), float64(after)/(1<<20), "MiB", float64(before)/(1<<20),
		fmt.Sprintf("nobody waiting; at most %d MiB more", waitingHeapLimit>>20),
	)
	rows, err := pool.Query(ctx, `
		update automation_enrolment set due_at = now() + interval '3 s' + random() * make_interval(secs => $2)
		where automation_id = $1 and id in (
			select id from automation_enrolment where automation_id = $1 order by random() limit $3)
		returning app_user_id, due_at`, automation, dueWithin.Seconds(), duePeople)
	if err != nil {
		return err
	}
	due := map[string]time.Time{}
	var person string
	var at time.Time
	if _, err := pgx.ForEachRow(rows, []any{&person, &at}, func() error { due[person] = at; return nil }); err != nil {
		return err
	}
	time.Sleep(3*time.Second + dueWithin + 5*time.Second)
	mu.Lock()
	defer mu.Unlock()
	var late []time.Duration
	for _, a := range arrivals {
		late = append(late, a.at.Sub(due[a.person]))
		delete(due, a.person)
	}
	if len(due) > 0 {
		return fmt.Errorf("%d of %d people who were due are not sent to", len(due), duePeople)
	}
	slices.Sort(late)
	row("  sent to after they are due, p50", milliseconds(quantile(late, .50)), "ms", 0, "")
	row("  sent to after they are due, at most", milliseconds(late[len(late)-1]), "ms", milliseconds(dueLimit), "limit")
	return nil
}

// addWaitingAutomation makes an active automation that sends to a URL who has waited.
func addWaitingAutomation(
	ctx context.Context, s *server, pool *pgxpool.Pool, url string,
) (id uuid.UUID, err error) {
	var made struct {
		Data struct {
			CreateWebhookEndpoint struct{ Endpoint struct{ ID uuid.UUID } }
		}
		Errors []any
	}
	body, err := json.Marshal(map[string]any{
		"query": `mutation($a: ID!, $u: String!) {
			createWebhookEndpoint(input: {appId: $a, environment: LIVE, name: "Bench", url: $u}) { endpoint { id } } }`,
		"variables": map[string]any{"a": s.file.Apps[0].ID, "u": url},
	})
	if err != nil {
		return id, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.file.BaseURL+"/graphql", bytes.NewReader(body))
	if err != nil {
		return id, err
	}
	request.Header.Set("Authorization", "Bearer "+s.file.APIKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return id, err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&made); err != nil || len(made.Errors) > 0 {
		return id, fmt.Errorf("make an endpoint: %v %w", made.Errors, err)
	}
	definition := strings.ReplaceAll(`{"trigger": {"type": "manual"}, "nodes": [
		{"id": "hour", "type": "delay", "seconds": 3600, "next": "send"},
		{"id": "send", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "waited"}]}`,
		"ENDPOINT", made.Data.CreateWebhookEndpoint.Endpoint.ID.String())
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `update automation_revision set number = number + 1`); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `
			with made as (
				insert into automation (environment_id, id, name, draft, version, state)
				select environment_id, gen_random_uuid(), 'Waiting', $2::jsonb, 1, 'active' from webhook_endpoint where id = $1
				returning id),
			version as (
				insert into automation_version (automation_id, number, definition) select id, 1, $2::jsonb from made)
			select id from made`, made.Data.CreateWebhookEndpoint.Endpoint.ID, definition).Scan(&id)
	})
	return id, err
}
