package resolvers_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/people"
)

func TestPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	var environment int64
	require.NoError(t, w.db.Pool.QueryRow(
		t.Context(), `select id from environments where app_id = $1 and kind = 'live'`, uuid.MustParse(app),
	).Scan(&environment))
	records := people.New(w.db.Pool, people.Options{})
	for i := range 5 {
		for _, consent := range []people.Consent{people.Granted, people.Denied} {
			_, err := records.Identify(t.Context(), people.Change{
				EnvironmentID: environment, AppUserID: fmt.Sprintf("phone-%d", i), CustomUserID: fmt.Sprintf("user-%d", i),
				Email: fmt.Sprintf("u%d@example.com", i), MarketingConsent: consent,
				TopicConsents: map[string]people.Consent{"news": people.Granted},
				Attributes:    map[string]json.RawMessage{"plan": []byte(`"pro"`)},
			})
			require.NoError(t, err)
		}
	}
	const find = `query($a: ID!, $u: String, $c: String, $n: Int! = 50) { app(id: $a) {
		person(appUserId: $u, customUserId: $c) {
			customUserId email attributes devices { appUserId linkedAt } marketingConsent marketingConsentAt
			topicConsents { topic consent at } consentLog(first: $n) { at topic consent appUserId } createdAt identifiedAt } } }`
	viewer := w.as("viewer")
	found := viewer.must(find, vars{"a": app, "u": "phone-3"})
	require.Equal(t, found.Data, viewer.must(find, vars{"a": app, "c": "user-3"}).Data)
	person := func(path ...any) any { return found.at(t, append([]any{"app", "person"}, path...)...) }
	require.Equal(t, "u3@example.com", person("email"))
	require.Equal(t, "pro", person("attributes", "plan"))
	require.Equal(t, "phone-3", person("devices", 0, "appUserId"))
	require.Equal(t, "DENIED", person("marketingConsent"))
	require.Equal(t, "GRANTED", person("topicConsents", 0, "consent"))
	require.Len(t, person("consentLog"), 3)
	require.Nil(t, person("consentLog", 0, "topic"))
	require.Equal(t, "DENIED", person("consentLog", 0, "consent"))
	require.Equal(t, "news", person("consentLog", 1, "topic"))
	require.Equal(t, "phone-3", person("consentLog", 2, "appUserId"))

	seen := viewer.must(find, vars{"a": app, "u": "v2"})
	require.Nil(t, seen.at(t, "app", "person", "identifiedAt"))
	require.Equal(t, "UNKNOWN", seen.at(t, "app", "person", "marketingConsent"))
	require.Empty(t, seen.at(t, "app", "person", "consentLog"))
	require.Nil(t, viewer.must(find, vars{"a": app, "u": "nobody"}).at(t, "app", "person"))
	require.Equal(t, "invalid_input", viewer.do(find, vars{"a": app}).code())
	require.Equal(t, "invalid_input", viewer.do(find, vars{"a": app, "u": "v2", "n": 1001}).code())
	require.Equal(t, "not_found", w.as("stranger").do(find, vars{"a": app, "u": "v2"}).code())

	for search, rows := range map[string]int{"": 5, "user-": 5, "U2@": 1, "phone-4": 1, "nobody": 0} {
		ids := viewer.pages(list{
			query: `query($a: ID!, $s: String, $first: Int, $after: String) { app(id: $a) {
				people(search: $s, first: $first, after: $after) {
					nodes { id: customUserId } totalCount pageInfo { hasNextPage endCursor } } } }`,
			path: []any{"app", "people"}, rows: rows,
		}, vars{"a": app, "s": search})
		require.Len(t, ids, rows, search)
	}
}

// A person's figures and time line are of all their devices; a list reads the figures of its people together.
func TestWhatPeopleDid(t *testing.T) {
	t.Parallel()
	f := newFlowWorld(t)
	environment := f.environment(f.app)
	f.ingest(f.app,
		event{visitor: "phone", session: "s1", name: "page_view", page: "/home", at: f.at},
		event{visitor: "phone", session: "s1", name: "buy", at: f.at.Add(time.Minute)},
		event{visitor: "web", session: "s2", name: "page_view", page: "/", at: f.at.Add(20 * time.Minute)},
	)
	f.runOf("phone", vars{"platform": "ios", "locale": "de-AT"},
		flowEvent{name: "flow_started", after: 60}, flowEvent{name: "flow_completed", after: 75})
	f.runOf("web", vars{"platform": "web", "locale": "fr"}, flowEvent{name: "flow_started", after: 90})
	f.runOf("other", vars{"platform": "web", "locale": "en"}, flowEvent{name: "flow_started", after: 30})
	records := people.New(f.db.Pool, people.Options{})
	for _, id := range []string{"phone", "web", "other"} {
		custom := "ada"
		if id == "other" {
			custom = "bob"
		}
		_, err := records.Identify(t.Context(), people.Change{
			EnvironmentID: environment, AppUserID: id, CustomUserID: custom,
		})
		require.NoError(t, err)
	}
	at := f.at.Add(5 * time.Minute)
	_, err := f.db.Pool.Exec(t.Context(), `
		insert into revenue_ledger (environment_id, provider, provider_event_id, kind, app_user_id, occurred_at,
			amount_micros, product_id)
		values ($1, 'stripe', 'one', 'originating', 'phone', $2, 9990000, 'year'),
			($1, 'stripe', 'two', 'refund', 'web', $3, -990000, 'year')`,
		environment, at, at.Add(time.Minute))
	require.NoError(t, err)
	var automation uuid.UUID
	require.NoError(t, f.db.Pool.QueryRow(t.Context(), `
		with made as (insert into automation (environment_id, id, name, draft) values ($1, gen_random_uuid(), 'Welcome', '{}')
			returning id),
		endpoint as (insert into webhook_endpoint (environment_id, id, name, url)
			values ($1, gen_random_uuid(), 'Hook', 'https://example.com') returning id),
		enrolment as (insert into automation_enrolment (environment_id, automation_id, version, app_user_id, event_key,
				event_name, event, triggered_at, entered_at, node)
			select $1, made.id, 1, 'phone', gen_random_uuid(), 'buy', '{}', $2, $2, 'start' from made returning id),
		email as (insert into automation_mail (environment_id, id, automation_id, enrolment_id, node, app_user_id, state,
				created_at)
			select $1, gen_random_uuid(), made.id, enrolment.id, 'hello', 'phone', 'sent', $2::timestamptz + interval '30 s'
			from made, enrolment)
		insert into webhook_delivery (environment_id, id, endpoint_id, automation_id, enrolment_id, node, app_user_id, body,
			created_at)
		select $1, gen_random_uuid(), endpoint.id, made.id, enrolment.id, 'start', 'phone', '{}', $3
		from made, endpoint, enrolment returning automation_id`,
		environment, f.at.Add(7*time.Minute), f.at.Add(8*time.Minute)).Scan(&automation))

	viewer := f.as("viewer")
	const activity = `activity { status language firstSeenAt lastSeenAt starts completions revenueUsd }`
	stamp := func(after time.Duration) string { return f.at.Add(after).Format(time.RFC3339Nano) }
	ada := `{"status": "COMPLETED", "language": "fr", "firstSeenAt": "` + stamp(0) + `", "lastSeenAt": "` +
		stamp(20*time.Minute) + `", "starts": 2, "completions": 1, "revenueUsd": 9}`
	bob := `{"status": "IN_PROGRESS", "language": "en", "firstSeenAt": "` + stamp(30*time.Second) + `", "lastSeenAt": "` +
		stamp(30*time.Second) + `", "starts": 1, "completions": 0, "revenueUsd": 0}`
	got := viewer.must(`query($a: ID!) { app(id: $a) { people { nodes { customUserId `+activity+` } }
		person(customUserId: "ada") { `+activity+` } } }`, vars{"a": f.app})
	require.JSONEq(t, `[{"customUserId": "bob", "activity": `+bob+`}, {"customUserId": "ada", "activity": `+ada+`}]`,
		asJSON(t, got.at(t, "app", "people", "nodes")))
	require.JSONEq(t, ada, asJSON(t, got.at(t, "app", "person", "activity")))

	const timeline = `query($a: ID!, $n: Int, $f: String) { app(id: $a) { person(customUserId: "ada") {
		timeline(first: $n, after: $f) { nodes { at kind appUserId id name detail endedAt flowId automationId usd }
			totalCount pageInfo { hasNextPage endCursor } } } } }`
	path := []any{"app", "person", "timeline"}
	whole := viewer.must(timeline, vars{"a": f.app})
	all := whole.at(t, append(path, "nodes")...).([]any)
	require.Equal(t, "12", asJSON(t, whole.at(t, append(path, "totalCount")...)))
	var kinds []string
	for _, entry := range all {
		e := entry.(map[string]any)
		kinds = append(kinds, fmt.Sprintf("%s %s %s", e["kind"], e["name"], e["detail"]))
	}
	require.Equal(t, []string{
		"SESSION  web", "HIT page_view /", "WEBHOOK Welcome pending", "EMAIL Welcome sent",
		"AUTOMATION Welcome running",
		"PURCHASE refund year", "PURCHASE originating year", "RUN  open", "RUN  completed", "HIT buy ", "SESSION  web",
		"HIT page_view /home",
	}, kinds)
	require.Equal(t, asJSON(t, automation), asJSON(t, all[2].(map[string]any)["automationId"]))
	require.Equal(t, "9.99", asJSON(t, all[6].(map[string]any)["usd"]))
	completed := all[8].(map[string]any)
	replay := viewer.must(`query($f: ID!, $r: String!, $s: Time!, $e: Time!) { flowAnalytics(scope: {flowId: $f,
		range: {start: $s, end: $e}}) { run(id: $r) { run { state } } } }`,
		vars{"f": f.flow, "r": completed["id"], "s": f.at, "e": time.Now()})
	require.Equal(t, "COMPLETED", replay.at(t, "flowAnalytics", "run", "run", "state"))

	var paged []any
	after := any(nil)
	for more := true; more; {
		page := viewer.must(timeline, vars{"a": f.app, "n": 3, "f": after})
		paged = append(paged, page.at(t, append(path, "nodes")...).([]any)...)
		more, after = page.at(t, append(path, "pageInfo", "hasNextPage")...).(bool), page.at(t, append(path, "pageInfo", "endCursor")...)
	}
	require.Equal(t, all, paged)
}
