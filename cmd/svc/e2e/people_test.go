package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// peopleWorld is a server with an app, and who may read and manage its people.
type peopleWorld struct {
	t        *testing.T
	d        *Dev
	app, key string // the key is of SDKs
	channel  string // of flows
	studio   *Studio
	conn     *pgx.Conn
}

func newPeopleWorld(t *testing.T) *peopleWorld {
	d := StartDev(t, []string{"SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0"}, "--demo=none")
	conn, err := pgx.Connect(t.Context(), d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return &peopleWorld{
		t: t, d: d, app: d.Apps[0].ID, key: d.Apps[0].Environments["live"].PublishableKey,
		studio: d.SignIn(t, d.BaseURL), conn: conn,
	}
}

func (w *peopleWorld) exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.conn.Exec(w.t.Context(), sql, args...); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
}

// send posts what an SDK sends.
func (w *peopleWorld) send(path string, body any) {
	w.t.Helper()
	answer, err := Do(http.DefaultClient, http.MethodPost, w.d.BaseURL+path, body,
		"Authorization", "Bearer "+w.key, "X-Svc-Channel", w.channel)
	if err != nil || answer.Status != http.StatusOK || bytes.Contains(answer.Body, []byte(`"code"`)) {
		w.t.Fatalf("%s: %d %s %v", path, answer.Status, answer.Body, err)
	}
}

// apiKey makes a key with everything that people and segments need.
func (w *peopleWorld) apiKey() (id, secret string) {
	w.t.Helper()
	var workspace string
	query(w.t, w.d, `select id from workspaces`, &workspace)
	var made struct {
		CreateAPIKey struct {
			APIKey struct{ ID string }
			Secret string
		}
	}
	w.studio.Query(`mutation($w: ID!) { createApiKey(input: {workspaceId: $w, name: "k", scopes: [ANALYTICS_READ, STUDIO_READ,
		CUSTOMERS_READ, SEGMENT_MANAGE, PEOPLE_MANAGE, APP_SETTINGS]}) { apiKey { id } secret } }`,
		map[string]any{"w": workspace}, &made)
	return made.CreateAPIKey.APIKey.ID, made.CreateAPIKey.Secret
}

func (w *peopleWorld) revoke(id string) {
	w.t.Helper()
	w.studio.Query(`mutation($k: ID!) { revokeApiKey(input: {id: $k}) { id } }`, map[string]any{"k": id}, nil)
}

func (w *peopleWorld) environ(secret string) []string {
	return []string{"SVC_API_URL=" + w.d.BaseURL, "SVC_API_KEY=" + secret}
}

// one is somebody of the test, with what the oracle knows of them.
type one struct {
	id, custom, email, plan, source, option string
	seats, orders, tracked, spent           int
	refunded, completed, subscribed         bool
}

const crowdSize = 48

func crowdOne(i int) one {
	p := one{
		id: fmt.Sprintf("device-%02d", i), plan: []string{"free", "pro", ""}[i%3], seats: i,
		source: []string{"google", "newsletter"}[i%2], orders: i % 4, tracked: (i + 1) % 3,
		option: []string{"lose", "gain", "", "keep"}[i%4], completed: i%5 == 0, subscribed: i%8 == 0,
	}
	if i%3 < 2 {
		p.custom, p.email = fmt.Sprintf("customer-%02d", i), fmt.Sprintf("c%02d@mail%d.example", i, i%4)
	}
	if i%6 == 1 {
		p.spent, p.refunded = 10*i, i > 30
	}
	return p
}

// live sends all that somebody does.
func (w *peopleWorld) live(p one, flow, version string) {
	identity := map[string]any{"appUserId": p.id, "sessionId": "session of " + p.id}
	at := time.Now().Add(-time.Hour).UTC()
	event := func(name string, more map[string]any) map[string]any {
		at = at.Add(time.Second)
		e := map[string]any{
			"eventId": uuid.NewString(), "name": name, "timestamp": at.Format(time.RFC3339Nano), "identity": identity,
			"context": map[string]any{
				"platform": "web", "attribution": map[string]any{"acquisition.source": p.source},
			},
		}
		for key, value := range more {
			e[key] = value
		}
		return e
	}
	product := []any{event("session_start", nil)}
	for n := range p.orders {
		product = append(product, event("order", map[string]any{"properties": map[string]any{"total": 10 * (n + 1)}}))
	}
	w.send("/v1/sdk/analytics/events", map[string]any{"events": product})
	var tracked []any
	for range p.tracked {
		tracked = append(tracked, event("paid", map[string]any{"properties": map[string]any{"gift": p.seats%2 == 0}}))
	}
	if tracked != nil {
		w.send("/v1/sdk/track", map[string]any{"events": tracked})
	}
	run, seq := uuid.NewString(), 0
	inRun := func(name, step string, properties map[string]any) map[string]any {
		more := map[string]any{"flowId": flow, "versionId": version, "runId": run, "seq": seq, "properties": properties}
		if step != "" {
			more["stepId"] = step
		}
		seq++
		return event(name, more)
	}
	if p.option != "" {
		flowed := []any{
			inRun("flow_started", "", nil), inRun("step_viewed", "goals", nil),
			inRun("choice_selected", "goals", map[string]any{"field_key": "goal", "value": p.option}),
		}
		if p.completed {
			flowed = append(flowed, inRun("step_viewed", "thanks", nil), inRun("flow_completed", "", nil))
		}
		w.send("/v1/sdk/events", map[string]any{"events": flowed})
	}
	if p.custom != "" {
		w.send("/v1/sdk/identify", map[string]any{
			"appUserId": p.id, "customUserId": p.custom, "email": p.email, "marketingConsent": "granted",
			"attributes": map[string]any{"plan": p.plan, "seats": p.seats, "beta": p.seats%2 == 0}, "locale": "de-AT",
		})
	}
	if p.spent > 0 {
		w.exec(`insert into revenue_ledger (environment_id, provider, provider_event_id, kind, app_user_id, occurred_at,
				amount_micros, product_id)
			select id, 'stripe', $1, 'originating', $1, now() - interval '1 hour', $2::bigint * 1000000, 'year'
			from environments where kind = 'live'`, p.id, p.spent)
	}
	if p.refunded {
		w.exec(`insert into revenue_ledger (environment_id, provider, provider_event_id, kind, app_user_id, occurred_at,
				amount_micros, product_id)
			select id, 'stripe', $1 || ' back', 'refund', $1, now(), $2::bigint * -1000000, 'year'
			from environments where kind = 'live'`, p.id, p.spent)
	}
	if p.subscribed {
		w.exec(`insert into subscription_period (environment_id, provider, transaction_key, subscription_key,
				provider_event_id, period_type, starts_at, ends_at, auto_renew, store, app_user_id)
			select id, 'stripe', $1, $1, $1, 'normal', now() - interval '1 day', now() + interval '1 day', true, 'stripe', $1
			from environments where kind = 'live'`, p.id)
	}
}

// crowdRules are rules of every kind, and whom they choose.
var crowdRules = []struct {
	rules string
	has   func(p one) bool
}{
	{`{"columns": {"source": "google"}}`, func(p one) bool { return p.source == "google" }},
	{`{"cross": {"event": {"op": "IS", "values": ["order"]}}}`, func(p one) bool { return p.orders > 0 }},
	{`{"where": {"attribute": {"key": "plan", "op": "IS", "texts": ["pro"]}}}`, func(p one) bool { return p.plan == "pro" }},
	{`{"where": {"attribute": {"key": "seats", "op": "AT_LEAST", "number": 20}}}`,
		func(p one) bool { return p.custom != "" && p.seats >= 20 }},
	{`{"where": {"attribute": {"key": "beta", "op": "IS", "flag": true}}}`,
		func(p one) bool { return p.custom != "" && p.seats%2 == 0 }},
	{`{"where": {"attribute": {"key": "plan", "op": "ABSENT"}}}`, func(p one) bool { return p.custom == "" }},
	{`{"where": {"person": {"field": "EMAIL", "op": "CONTAINS", "texts": ["@mail1."]}}}`,
		func(p one) bool { return strings.Contains(p.email, "@mail1.") }},
	{`{"where": {"person": {"field": "LANGUAGE", "op": "IS", "texts": ["de"]}}}`, func(p one) bool { return p.custom != "" }},
	{`{"where": {"person": {"field": "FIRST_SOURCE", "op": "IS", "texts": ["newsletter"]}}}`,
		func(p one) bool { return p.source == "newsletter" }},
	{`{"where": {"seen": {"which": "FIRST", "withinDays": 2}}}`, func(one) bool { return true }},
	{`{"where": {"event": {"name": "order", "atLeast": 2}}}`, func(p one) bool { return p.orders >= 2 }},
	{`{"where": {"event": {"name": "order", "properties": [{"key": "total", "op": "MORE", "number": 20}]}}}`,
		func(p one) bool { return p.orders >= 3 }},
	{`{"where": {"event": {"name": "paid", "source": "TRACK", "atLeast": 2}}}`, func(p one) bool { return p.tracked >= 2 }},
	{`{"where": {"event": {"name": "paid", "source": "TRACK", "properties": [{"key": "gift", "op": "IS", "flag": true}]}}}`,
		func(p one) bool { return p.tracked > 0 && p.seats%2 == 0 }},
	{`{"where": {"flow": {"outcome": "COMPLETED"}}}`, func(p one) bool { return p.option != "" && p.completed }},
	{`{"where": {"flow": {"outcome": "STARTED", "lastStep": "goals"}}}`,
		func(p one) bool { return p.option != "" && !p.completed }},
	{`{"where": {"flow": {"outcome": "STARTED", "answers": [{"field": "goal", "options": ["gain", "keep"]}]}}}`,
		func(p one) bool { return p.option == "gain" || p.option == "keep" }},
	{`{"where": {"money": {"kind": "PURCHASED"}}}`, func(p one) bool { return p.spent > 0 }},
	{`{"where": {"money": {"kind": "REVENUE", "usd": 100}}}`, func(p one) bool { return p.spent >= 100 && !p.refunded }},
	{`{"where": {"money": {"kind": "REFUNDED"}}}`, func(p one) bool { return p.refunded }},
	{`{"where": {"money": {"kind": "SUBSCRIBED"}}}`, func(p one) bool { return p.subscribed }},
	{`{"columns": {"source": "google"}, "where": {"all": [{"attribute": {"key": "plan", "op": "IS_NOT", "texts": ["pro"]}},
		{"any": [{"flow": {"outcome": "COMPLETED"}}, {"money": {"kind": "PURCHASED"}},
			{"not": {"event": {"name": "paid", "source": "TRACK"}}}]}]}}`,
		func(p one) bool {
			return p.source == "google" && p.plan != "pro" && (p.option != "" && p.completed || p.spent > 0 || p.tracked == 0)
		}},
}

// A segment has the same people for the command line and for GraphQL, while it is edited and when it is stored: those
// whom a look at everybody's facts finds. And people are found by everything that they are called.
func TestSegmentsAndPeopleOfTheCommandLine(t *testing.T) {
	w := newPeopleWorld(t)
	flow, version := w.studio.Publish(w.app, "Plants", example(t, "branching-onboarding"))
	w.channel = w.studio.CreateChannel(w.app, "Main")
	w.studio.Pin(w.channel, version)
	var crowd []one
	for i := range crowdSize {
		crowd = append(crowd, crowdOne(i))
		w.live(crowd[i], flow, version)
	}
	_, secret := w.apiKey()
	command := func(into any, args ...string) {
		t.Helper()
		exit, stdout, stderr := Run(t, w.environ(secret), append(args, "--output", "json")...)
		if exit != 0 {
			t.Fatalf("svc %v: %d %s", args, exit, stderr)
		}
		if err := json.Unmarshal([]byte(stdout), into); err != nil {
			t.Fatalf("svc %v: %s: %v", args, stdout, err)
		}
	}
	// Reports know what was acknowledged a second ago.
	Until(t, 10*time.Second, "everybody is seen", func() error {
		var data struct {
			App struct{ SegmentEstimate int }
		}
		w.studio.Query(`query($a: ID!) { app(id: $a) { segmentEstimate(rules: {where: {seen: {which: LAST, withinDays: 3}}}) } }`,
			map[string]any{"a": w.app}, &data)
		if data.App.SegmentEstimate != crowdSize {
			return fmt.Errorf("%d of %d", data.App.SegmentEstimate, crowdSize)
		}
		return nil
	})
	file := filepath.Join(t.TempDir(), "rules.json")
	for n, c := range crowdRules {
		var want []string
		for _, p := range crowd {
			if c.has(p) {
				want = append(want, p.id)
			}
		}
		if len(want) == 0 {
			t.Errorf("%s: chooses nobody", c.rules)
		}
		if err := os.WriteFile(file, []byte(c.rules), 0o600); err != nil {
			t.Fatal(err)
		}
		var rules any
		if err := json.Unmarshal([]byte(c.rules), &rules); err != nil {
			t.Fatal(err)
		}
		var counted int
		command(&counted, "segments", "count", w.app, file)
		var asked struct {
			App struct{ SegmentEstimate int }
		}
		w.studio.Query(`query($a: ID!, $r: SegmentRulesInput!) { app(id: $a) { segmentEstimate(rules: $r) } }`,
			map[string]any{"a": w.app, "r": rules}, &asked)
		var made struct{ ID string }
		command(&made, "segments", "create", w.app, fmt.Sprint("Segment ", n), "--rules", file)
		var members struct{ Nodes []struct{ AppUserID string } }
		command(&members, "segments", "members", made.ID, "--first", "200")
		var stored struct {
			Segment struct {
				Estimate int
				Members  struct {
					TotalCount int
					Nodes      []struct{ AppUserID string }
				}
			}
		}
		w.studio.Query(`query($s: ID!) { segment(id: $s) { estimate members(first: 200) { totalCount nodes { appUserId } } } }`,
			map[string]any{"s": made.ID}, &stored)
		var have []string
		for _, m := range members.Nodes {
			have = append(have, m.AppUserID)
		}
		if !slices.Equal(have, want) || counted != len(want) || asked.App.SegmentEstimate != len(want) ||
			stored.Segment.Estimate != len(want) || stored.Segment.Members.TotalCount != len(want) ||
			!slices.Equal(stored.Segment.Members.Nodes, members.Nodes) {
			t.Errorf("%s: counted %d, %d by GraphQL, stored %d, members %v, want %v",
				c.rules, counted, asked.App.SegmentEstimate, stored.Segment.Estimate, have, want)
		}
	}

	type person struct {
		CustomUserID, Email string
		Devices             []struct{ AppUserID string }
	}
	for search, want := range map[string][]string{
		"c07@mail3.example": {"customer-07"}, "C07@MAIL3": {"customer-07"}, "customer-4": {"customer-40", "customer-42",
			"customer-43", "customer-45", "customer-46"}, "device-1": {"customer-10", "customer-12", "customer-13",
			"customer-15", "customer-16", "customer-18", "customer-19"}, "nobody": nil, "%": nil, "_ustomer": nil,
	} {
		var list struct{ Nodes []person }
		command(&list, "people", "list", w.app, "--search", search)
		var found []string
		for _, p := range list.Nodes {
			found = append(found, p.CustomUserID)
		}
		slices.Sort(found)
		if !slices.Equal(found, want) {
			t.Errorf("search %q: found %v, want %v", search, found, want)
		}
	}
	for _, by := range [][]string{{"--user", "device-07"}, {"--custom-user", "customer-07"}} {
		var p person
		command(&p, append([]string{"people", "show", w.app}, by...)...)
		if p.CustomUserID != "customer-07" || p.Email != "c07@mail3.example" || len(p.Devices) != 1 ||
			p.Devices[0].AppUserID != "device-07" {
			t.Errorf("%v: %+v", by, p)
		}
	}
	for flag, other := range map[string]string{"--user": "--custom-user", "--custom-user": "--user"} {
		id := map[string]string{"--user": "customer-07", "--custom-user": "device-07"}[flag]
		exit, _, stderr := Run(t, w.environ(secret), "people", "show", w.app, flag, id)
		if exit == 0 || !strings.Contains(stderr, "did you mean "+other+"?") {
			t.Errorf("%s %s: %d %s", flag, id, exit, stderr)
		}
	}
	if _, _, stderr := Run(t, w.environ(secret), "people", "show", w.app, "--user", "who"); strings.Contains(stderr, "did you mean") {
		t.Error(stderr)
	}
}

const exportPage = `mutation($i: ExportPersonInput!) { exportPerson(input: $i) { records { table } endCursor } }`

// Whoever loses the right, as a member or with a key, gets no more of anybody: neither by a command, nor the next page
// of an archive that they began.
func TestLostRightsEndArchivesAndCommands(t *testing.T) {
	w := newPeopleWorld(t)
	w.exec(`insert into product_event (environment_id, occurred_at, received_at, event_key, name, app_user_id, properties)
		select id, now() - n * interval '1 minute', now(), gen_random_uuid(), 'note', u, jsonb_build_object('n', n)
		from environments, generate_series(1, 2500) n, unnest(array['ana', 'ben']) u where kind = 'live'`)
	id, secret := w.apiKey()
	environ := w.environ(secret)

	// All of it, by the command: every event once.
	exit, stdout, stderr := Run(t, environ, "people", "export", w.app, "--user", "ana")
	if exit != 0 {
		t.Fatal(stderr)
	}
	given := map[int]int{}
	for line := range strings.Lines(stdout) {
		var record struct {
			Table string
			Row   struct {
				AppUserID  string `json:"app_user_id"`
				Properties struct{ N int }
			}
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil || record.Row.AppUserID != "ana" {
			t.Fatalf("%s: %v", line, err)
		}
		given[record.Row.Properties.N]++
	}
	for n := range 2500 {
		if given[n+1] != 1 {
			t.Fatalf("event %d is given %d times", n+1, given[n+1])
		}
	}

	page := func(client *http.Client, user, after string, headers ...string) (string, error) {
		input := map[string]any{"appId": w.app, "environment": "LIVE", "appUserId": user}
		if after != "" {
			input["after"] = after
		}
		var data struct{ ExportPerson struct{ EndCursor string } }
		err := Ask(client, w.d.GraphQLURL, exportPage, map[string]any{"i": input}, &data, headers...)
		return data.ExportPerson.EndCursor, err
	}
	codeOf := func(err error) string {
		if failed, ok := err.(*GraphQLError); ok {
			return failed.Code
		}
		return fmt.Sprint(err)
	}
	byKey, err := page(http.DefaultClient, "ana", "", "Authorization", "Bearer "+secret)
	if err != nil || byKey == "" {
		t.Fatal(byKey, err)
	}
	byMember, err := page(w.studio.client, "ana", "")
	if err != nil || byMember == "" {
		t.Fatal(byMember, err)
	}
	if _, err := page(w.studio.client, "ben", byMember); codeOf(err) != "invalid_input" {
		t.Errorf("the place of another person: %v", err)
	}

	// A place is of who was given it, also among those who have the right.
	if _, err := page(w.studio.client, "ana", byMember); err != nil {
		t.Error(err)
	}
	if _, err := page(w.studio.client, "ana", byKey); codeOf(err) != "invalid_input" || !strings.Contains(err.Error(), "caller") {
		t.Errorf("a member with the place of a key: %v", err)
	}
	if _, err := page(http.DefaultClient, "ana", byMember, "Authorization", "Bearer "+secret); codeOf(err) != "invalid_input" {
		t.Errorf("a key with the place of a member: %v", err)
	}

	// A command that is writing when its key is revoked writes no other page.
	export := exec.Command(Binary(t), "people", "export", w.app, "--user", "ana")
	export.Env = environment(environ)
	var said bytes.Buffer
	export.Stderr = &said
	out, err := export.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := export.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	w.revoke(id)
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	if err := export.Wait(); err == nil || bytes.Count(rest, []byte("\n")) >= 2499 ||
		!strings.Contains(said.String(), "unauthenticated") {
		t.Errorf("the export of a revoked key: %v, %d lines, %s", err, bytes.Count(rest, []byte("\n")), said.String())
	}
	if _, err := page(http.DefaultClient, "ana", byKey, "Authorization", "Bearer "+secret); codeOf(err) != "unauthenticated" {
		t.Errorf("the next page with a revoked key: %v", err)
	}

	segment := uuid.NewString()
	w.exec(`insert into segments (id, name, window_days, updated_at, app_id) values ($1, 'A', 90, now(), $2)`, segment, w.app)
	file := filepath.Join(t.TempDir(), "rules.json")
	if err := os.WriteFile(file, []byte(`{"where": {"seen": {"which": "LAST", "withinDays": 3}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := func(key, code string) {
		t.Helper()
		for _, command := range []string{
			"people list " + w.app, "people list " + w.app + " --search ana", "people show " + w.app + " --user ana",
			"people export " + w.app + " --user ana", "people erase " + w.app + " --user ana",
			"people retention " + w.app + " --kind flow --days 1", "segments list " + w.app,
			"segments create " + w.app + " Mine --rules " + file, "segments update " + segment + " --name Mine",
			"segments count " + w.app + " " + file, "segments members " + segment, "segments delete " + segment,
		} {
			exit, stdout, stderr := Run(t, w.environ(key), strings.Fields(command)...)
			var failed struct{ Code string }
			if err := json.Unmarshal([]byte(stderr), &failed); err != nil || exit == 0 || stdout != "" || failed.Code != code {
				t.Errorf("svc %s: exit %d, %s %s", command, exit, stdout, stderr)
			}
		}
	}
	refused(secret, "unauthenticated")
	shrunkID, shrunk := w.apiKey()
	_, ofMember := w.apiKey()
	w.exec(`update api_keys set scopes = '["studio:read"]' where id = $1`, shrunkID)
	refused(shrunk, "forbidden")

	// Who is no member any more has no app, and neither has a key that they made.
	w.exec(`delete from memberships`)
	if _, err := page(w.studio.client, "ana", byMember); codeOf(err) != "not_found" {
		t.Errorf("the next page for somebody who was removed: %v", err)
	}
	for _, query := range []string{
		`query($a: ID!) { app(id: $a) { retention { days } } }`, `query($a: ID!) { app(id: $a) { segments { totalCount } } }`,
		`query($a: ID!) { app(id: $a) { people { totalCount } } }`,
	} {
		if err := Ask(w.studio.client, w.d.GraphQLURL, query, map[string]any{"a": w.app}, nil); codeOf(err) != "not_found" {
			t.Errorf("%s for somebody who was removed: %v", query, err)
		}
	}
	refused(ofMember, "unauthenticated")
	var events, segments int
	query(t, w.d, `select count(*) from product_event where app_user_id = 'ana'`, &events)
	query(t, w.d, `select count(*) from segments where name = 'A'`, &segments)
	if events != 2500 || segments != 1 {
		t.Errorf("%d events and %d segments are left", events, segments)
	}
}
