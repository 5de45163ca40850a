package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/google/uuid"
)

const (
	eraseLimit = 60.0 // seconds
	eraseTurns = 3

	reportWaitLimit = 2.0 // seconds that a report may take while somebody is erased

	heavyEvents = 100_000
	heavyPerson = "bench-heavy"
)

// benchErase measures how long it takes from a request to erase a person until reports do not know them, in a copy of
// the data of flows: of people with a few runs, and of one with very many product events.
func benchErase(ctx context.Context) (err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	dir := filepath.Join(cache, "svc", fmt.Sprintf("bench-flows-%g", options.scale))
	set, err := builtFlows(ctx, dir)
	if err != nil {
		return err
	}
	changed := dir + "-erase"
	if err := os.RemoveAll(changed); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(changed)) }()
	// The database runs only for the owner of its files, who may be another user.
	if out, err := exec.CommandContext(ctx, "cp", "-a", dir, changed).CombinedOutput(); err != nil {
		return fmt.Errorf("copy the data: %w: %s", err, out)
	}
	fmt.Printf("data: %d runs, %d flow events (scale %g)\n", set.Runs, set.Events, options.scale)
	b := &eraseBench{set: set, reportBench: &reportBench{
		dir: changed, set: &dataSet{Start: set.Start, End: set.End}, client: &http.Client{Timeout: 2 * time.Minute},
	}}
	return b.withServer(ctx, b.measure)
}

// eraseBench is a copy of a data set, and the server that people are erased on.
type eraseBench struct {
	*reportBench
	set *flowSet
}

func (b *eraseBench) measure(ctx context.Context) error {
	rows, err := b.conn.Query(ctx, `select app_user_id from flow_run tablesample bernoulli (0.01)
		where environment_id = $1 limit $2`, b.environment, eraseTurns)
	if err != nil {
		return err
	}
	var people []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		people = append(people, id)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	// The key of svc dev may not erase.
	if _, err := b.conn.Exec(ctx, `update api_keys set scopes = scopes || '["people:manage"]'`); err != nil {
		return err
	}
	if err := b.addHeavy(ctx); err != nil {
		return err
	}
	visitors := fmt.Sprintf(`productAnalytics(scope: {range: {start: %q, end: %q}}) { summary { visitors } }`,
		time.Now().UTC().AddDate(0, 0, -8).Format(time.RFC3339), time.Now().UTC().Format(time.RFC3339))
	heavy, err := b.erase(ctx, heavyPerson, visitors)
	if err != nil {
		return err
	}
	row(fmt.Sprintf("erase a person of %d events", heavyEvents), heavy.took.Seconds(), "s", eraseLimit, "limit")
	runs := fmt.Sprintf(`appFlowOverview(scope: {range: {start: %q, end: %q}}) { totals { runs } }`,
		b.set.Start.Format(time.RFC3339), b.set.End.Format(time.RFC3339))
	var longest erased
	for _, person := range people {
		e, err := b.erase(ctx, person, runs)
		if err != nil {
			return err
		}
		longest = erased{max(longest.took, e.took), max(longest.wait, e.wait), longest.refused + e.refused}
	}
	row(fmt.Sprintf("erase a person, the longest of %d", len(people)), longest.took.Seconds(), "s", eraseLimit, "limit")
	row("  the longest report meanwhile", longest.wait.Seconds(), "s", reportWaitLimit, "limit")
	row("  reports that were refused meanwhile", float64(longest.refused), "", 0, "none may be")
	return nil
}

// erased is how long an erasure took until a report had changed, and what became of reports meanwhile.
type erased struct {
	took, wait time.Duration
	refused    int
}

// erase erases a person and returns how long it took until the erasure was finished and a report had changed.
func (b *eraseBench) erase(ctx context.Context, person, field string) (e erased, err error) {
	before, err := b.report(ctx, field, nil)
	if err != nil {
		return e, err
	}
	stop := b.watch(ctx, field)
	defer func() { e.wait, e.refused = stop() }()
	began := time.Now()
	var answer struct {
		Data struct {
			ErasePerson struct {
				ID         string
				FinishedAt *time.Time
			}
		}
	}
	if err := b.change(ctx, `mutation($app: ID!, $user: String!) { erasePerson(
		input: {appId: $app, environment: LIVE, appUserId: $user}) { id finishedAt } }`,
		map[string]any{"app": b.server.file.Apps[0].ID, "user": person}, &answer); err != nil {
		return e, err
	}
	request := time.Since(began)
	for finished := answer.Data.ErasePerson.FinishedAt != nil; !finished; {
		time.Sleep(250 * time.Millisecond)
		if err := b.conn.QueryRow(ctx, `select finished_at is not null from person_erasure
			where environment_id = $1 and id = $2`, b.environment, answer.Data.ErasePerson.ID).Scan(&finished); err != nil {
			return e, err
		}
	}
	finished := time.Since(began)
	if _, err = b.report(ctx, field, before); err != nil {
		return e, err
	}
	e.took = time.Since(began)
	fmt.Fprintf(os.Stderr, "  %s: answered after %s, finished after %s, reports after %s\n", person,
		request.Round(time.Millisecond), finished.Round(time.Millisecond), e.took.Round(time.Millisecond))
	return e, nil
}

// watch asks for a report again and again until it is stopped. It returns how long the longest took, and how many got
// no answer.
func (b *eraseBench) watch(ctx context.Context, field string) (stop func() (longest time.Duration, refused int)) {
	end, done := make(chan struct{}), make(chan struct{})
	var longest time.Duration
	refused := 0
	go func() {
		defer close(done)
		for {
			select {
			case <-end:
				return
			case <-time.After(100 * time.Millisecond):
			}
			began := time.Now()
			if _, _, err := b.ask(ctx, question{name: "meanwhile", field: field, whole: true}, nil); err != nil {
				refused++
			}
			longest = max(longest, time.Since(began))
		}
	}()
	return func() (time.Duration, int) {
		close(end)
		<-done
		return longest, refused
	}
}

// report asks until the answer is another than before. While an environment is being read anew there may be none.
func (b *eraseBench) report(ctx context.Context, field string, before []byte) ([]byte, error) {
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		_, answer, err := b.ask(ctx, question{name: "report", field: field, whole: true}, nil)
		switch {
		case err == nil && !bytes.Equal(before, answer):
			return answer, nil
		case ctx.Err() != nil, time.Now().After(deadline):
			return nil, fmt.Errorf("the report did not change within two minutes: %w", errors.Join(err, ctx.Err()))
		}
	}
}

// change makes one change by GraphQL.
func (b *eraseBench) change(ctx context.Context, text string, variables map[string]any, into any) error {
	body, err := json.Marshal(map[string]any{"query": text, "variables": variables})
	if err != nil {
		return err
	}
	return b.post(ctx, "/graphql", b.server.file.APIKey, body, into)
}

func (b *eraseBench) post(ctx context.Context, path, key string, body []byte, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.server.file.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	response, err := b.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err == nil && (response.StatusCode >= 300 || bytes.Contains(content, []byte(`"errors"`))) {
		err = fmt.Errorf("%s: %s %.500s", path, response.Status, content)
	}
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(content, into)
}

// addHeavy sends very many events of one person, of the last five days, through ingest.
func (b *eraseBench) addHeavy(ctx context.Context) error {
	const batch = 500
	began := time.Now().Add(-5 * 24 * time.Hour)
	step := 5 * 24 * time.Hour / heavyEvents
	for sent := 0; sent < heavyEvents; sent += batch {
		events := make([]map[string]any, batch)
		for i := range events {
			at := began.Add(time.Duration(sent+i) * step)
			events[i] = map[string]any{
				"eventId": uuid.NewString(), "name": "tick", "timestamp": at.UTC().Format(time.RFC3339Nano),
				"identity":   map[string]any{"appUserId": heavyPerson, "sessionId": at.UTC().Format("0102T15")},
				"context":    map[string]any{"platform": "web"},
				"properties": map[string]any{"n": i},
			}
		}
		body, err := json.Marshal(map[string]any{"events": events})
		if err != nil {
			return err
		}
		if err := b.post(ctx, "/v1/sdk/analytics/events", b.server.liveKey(), body, nil); err != nil {
			return err
		}
	}
	return nil
}
