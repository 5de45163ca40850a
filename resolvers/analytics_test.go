package resolvers_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// everyReport asks for every report once, as a dashboard might.
const everyReport = `fragment all on ProductAnalytics {
	range { start end timeZone }
	summary { visitors sessions views events newVisitors bounceRate averageSessionSeconds viewsPerSession revenue
	revenueByProvider { stripe } previous { visitors } }
	series(grain: DAY) { bucket visitors sessions revenue revenueByProvider { stripe revenuecat superwall } }
	overview { channel { value visitors } page { value views } entry { value } exit { value exitRate } event { name
	count } os { value } }
	attribution(dimension: SOURCE, first: 50) { totalCount pageInfo { hasNextPage endCursor } nodes { value visitors
	sessions views bounceRate revenue newVisitors } }
	attributionSeries(dimension: ACQUISITION_CHANNEL, metric: REVENUE) { value points { bucket value } }
	engagement(dimension: PAGE, orderBy: EXIT_RATE, ascending: true) { nodes { value views exits exitRate
	averageSecondsOnPage bounceRate } }
	engagementSeries(dimension: PAGE, metric: VIEWS) { value points { value } }
	screens(orderBy: VIEWS) { totalCount nodes { value kind views } }
	events(orderBy: COUNT, search: "PAGE") { totalCount nodes { name count visitors sessions lastSeen builtIn } }
	eventsSeries { value points { bucket value } }
	goals(orderBy: CONVERSIONS, search: "sign") { totalCount nodes { goalId name conversions converters rate revenue } }
	paths(input: {anchor: {kind: PAGE, name: "/"}, groups: ["/p*"]}) { sessions nodes { node step kind name sessions
	ended continued } links { from to sessions } }
	retention { visitors days { offset returned eligible rate } }
	retentionBreakdown(dimension: PLATFORM, orderBy: DAY1_RATE) { nodes { value visitors days { rate } } }
	retentionSeries(drill: {dimension: SOURCE, value: "google"}) { bucket new returning }
	retentionCohorts(grain: WEEK) { bucket size offsets { offset returned rate } }
	retentionCurve(days: 7) { offset rate }
	demographic(dimension: COUNTRY) { nodes { value visitors } }
	demographicSeries(dimension: CITY) { value country region points { value } }
	technology(dimension: OS) { nodes { value visitors } }
	technologySeries(dimension: DEVICE, metric: BOUNCE_RATE) { value points { value } }
	visitors(orderBy: LAST_SEEN) { totalCount nodes { appUserId customUserId firstSeen lastSeen sessions source channel
	revenueUsd } }
}`

// shop returns an app with three visitors over two days.
func (w *world) shop() string {
	app := w.app("Shop")
	now := time.Now().UTC()
	yesterday := now.Add(-24 * time.Hour)
	w.ingest(app,
		event{visitor: "v1", session: "a", name: "session_start", at: yesterday, source: "google"},
		event{visitor: "v1", session: "a", name: "page_view", page: "/", at: yesterday, source: "google"},
		event{
			visitor: "v1", session: "a", name: "page_view", page: "/pricing", at: yesterday.Add(10 * time.Second),
			source: "google",
		},
		event{visitor: "v1", session: "b", name: "page_view", page: "/", at: now.Add(-time.Minute), customUser: "u1"},
		event{visitor: "v2", session: "c", name: "page_view", page: "/", at: now.Add(-time.Minute), source: "news"},
		event{visitor: "v2", session: "c", name: "sign_up", at: now.Add(-50 * time.Second), source: "news"},
		event{
			visitor: "v3", session: "d", name: "screen_view", page: "Home", at: now.Add(-40 * time.Second), platform: "ios",
		},
	)
	w.as("owner").must(`mutation($a: ID!, $t: Time!) { recordPurchase(input: {appId: $a, environment: LIVE, provider:
		STRIPE, providerEventId: "e1", kind: ORIGINATING, appUserId: "v2", occurredAt: $t, amount: 12.345678}) {
		duplicate } }`,
		vars{"a": app, "t": now.Add(-45 * time.Second)})
	return app
}

func TestEveryReportInOneRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	reader := w.keyed("viewer", "analytics:read")
	got := reader.must(`query($a: ID!) { app(id: $a) { productAnalytics { ...all } live { count people { totalCount
		nodes { appUserId page } } places { visitors } minutes { visitors } pages { page visitors } }
		recentEvents(name: "page_view") { nodes { appUserId page properties occurredAt } } ingestHealth { accepted exact
		events visitors delay { p50 } rejected { code } points { bucket events } } } }`+everyReport, vars{"a": app})
	analytics := func(path ...any) any { return got.at(t, append([]any{"app", "productAnalytics"}, path...)...) }
	number := func(text string) json.Number { return json.Number(text) }

	require.Equal(t, number("3"), analytics("summary", "visitors"))
	require.Equal(t, number("4"), analytics("summary", "sessions"))
	require.Equal(t, number("5"), analytics("summary", "views"))
	require.Equal(t, number("12.345678"), analytics("summary", "revenue"))
	require.Equal(t, "UTC", analytics("range", "timeZone"))
	require.Len(t, analytics("series"), 7)
	require.Equal(t, number("3"), analytics("attribution", "totalCount"), "google, news and the empty row")
	require.Equal(t, "page_view", analytics("events", "nodes", 0, "name"))
	require.Equal(t, number("1"), analytics("events", "totalCount"), "the search is for page")
	require.Nil(t, analytics("engagement", "nodes", 0, "bounceRate"), "a column of entries only")
	require.Equal(t, number("3"), analytics("paths", "sessions"))
	require.Equal(t, map[string]any{
		"node": number("1"), "step": number("2"), "kind": "PAGE", "name": "/p*", "sessions": number("1"),
		"ended": number("1"), "continued": number("0"),
	}, analytics("paths", "nodes", 1))
	require.Equal(t, map[string]any{"from": number("0"), "to": number("1"), "sessions": number("1")},
		analytics("paths", "links", 0))
	require.Equal(t, number("3"), analytics("retention", "visitors"))
	require.Equal(t, number("3"), analytics("visitors", "totalCount"))

	require.Equal(t, number("3"), got.at(t, "app", "live", "count"))
	require.Equal(t, got.at(t, "app", "live", "count"), got.at(t, "app", "live", "people", "totalCount"))
	require.Len(t, got.at(t, "app", "live", "minutes"), 30)
	require.Equal(t, map[string]any{"plan": "pro"}, got.at(t, "app", "recentEvents", "nodes", 0, "properties"))
	require.Equal(t, number("7"), got.at(t, "app", "ingestHealth", "events"))
}

// A page of reports selects once, whatever it asks for; another scope once more.
func TestReportsOfAScopeShareOneSelection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	viewer := w.as("viewer")
	selections := func(query string) int64 {
		t.Helper()
		before := w.reads.Load()
		viewer.must(query, vars{"a": app})
		return w.reads.Load() - before
	}
	require.EqualValues(t, 1, selections(`query($a: ID!) { app(id: $a) { productAnalytics { ...all } } }`+everyReport))
	require.EqualValues(
		t, 1,
		selections(
			`query($a: ID!) { app(id: $a) { productAnalytics(scope: {platform: WEB, cross: {page: {op: CONTAINS, values:
				["/"]}}}) { ...all } } }`+everyReport,
		),
	)
	require.EqualValues(t, 3, selections(`query($a: ID!) { app(id: $a) { web: productAnalytics(scope: {platform: WEB}) {
		summary { views } events { totalCount } }
		apps: productAnalytics(scope: {platform: MOBILE}) { summary { views } events { totalCount } } live { count } } }`))
}

func TestFiltersReachTheEngine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	query := `query($a: ID!, $s: ScopeInput!) { app(id: $a) { productAnalytics(scope: $s) { summary { sessions
		revenue } } } }`
	for name, step := range map[string]struct {
		scope    vars
		sessions string
	}{
		"everything":        {vars{}, "4"},
		"platform":          {vars{"platform": "MOBILE"}, "1"},
		"column":            {vars{"columns": vars{"source": "google"}}, "1"},
		"empty column":      {vars{"columns": vars{"source": ""}}, "2"},
		"is":                {vars{"cross": vars{"source": vars{"values": []string{"google", "news"}}}}, "2"},
		"is not":            {vars{"cross": vars{"source": vars{"op": "IS_NOT", "values": []string{"google"}}}}, "3"},
		"contains":          {vars{"cross": vars{"page": vars{"op": "CONTAINS", "values": []string{"pric"}}}}, "1"},
		"does not contain":  {vars{"cross": vars{"event": vars{"op": "DOES_NOT_CONTAIN", "values": []string{"sign"}}}}, "3"},
		"test":              {vars{"environment": "TEST"}, "0"},
		"range":             {vars{"range": vars{"start": time.Now().Add(-time.Hour), "end": time.Now()}}, "3"},
		"zone":              {vars{"timeZone": "Asia/Kathmandu"}, "4"},
		"revenue of others": {vars{"revenueProvider": "SUPERWALL"}, "4"},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.as("viewer").must(query, vars{"a": app, "s": step.scope})
			require.Equal(t, json.Number(step.sessions), got.at(t, "app", "productAnalytics", "summary", "sessions"))
		})
	}
	got := w.as("viewer").must(query, vars{"a": app, "s": vars{"revenueProvider": "SUPERWALL"}})
	require.Equal(t, json.Number("0"), got.at(t, "app", "productAnalytics", "summary", "revenue"))
}

// What only a value can show is an error that names the field.
func TestWrongValuesNameTheirField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	for _, step := range []struct{ selection, scope, field string }{
		{`summary { views }`, `{timeZone: "Mars/Olympus"}`, "timeZone"},
		{`summary { views }`, `{range: {start: "2026-11-02T00:00:00Z", end: "2026-11-01T00:00:00Z"}}`, "range.end"},
		{`summary { views }`, `{cross: {page: {op: CONTAINS, values: [""]}}}`, "cross.page"},
		{`summary { views }`, `{cross: {country: {values: []}}}`, "cross.country"},
		{`summary { views }`, `{segmentId: "0197aa00-0000-7000-8000-000000000001"}`, "segmentId"},
		{`summary { views }`, `{segmentId: "mine"}`, "segmentId"},
		{`summary { views }`, `{range: {start: "yesterday", end: "2026-11-01T00:00:00Z"}}`, "range.start"},
		{`events(first: 0) { totalCount }`, `{}`, "first"},
		{`events(after: "x") { totalCount }`, `{}`, "after"},
		// of another order
		{
			`events(after: "` + base64.RawURLEncoding.EncodeToString([]byte(`{"o":"visitors","k":""}`)) + `") { totalCount }`,
			`{}`, "after",
		},
		{`engagement(dimension: EXIT, orderBy: VIEWS) { totalCount }`, `{}`, "orderBy"},
		{`retentionCohorts(grain: HOUR) { size }`, `{}`, "grain"},
		{`retentionCurve(days: 0) { rate }`, `{}`, "days"},
	} {
		got := w.as("viewer").do(
			`query($a: ID!) { app(id: $a) { productAnalytics(scope: `+step.scope+`) { `+step.selection+` } } }`, vars{"a": app},
		)
		require.Equal(t, "invalid_input", got.code(), "%s %s: %v\n%s", step.scope, step.selection, got.Errors, w.log)
		require.Equal(t, step.field, got.Errors[0].Extensions["field"], step.selection)
		require.Contains(t, got.Errors[0].Message, step.field, "people read the message")
		require.NotNil(t, got.Data["app"], "a failed report blanks nothing else")
	}
}

// A column that some dimension lacks, an operator that some dimension lacks: the
// schema has no way to write them.
func TestIllegalRequestsCannotBeWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	for _, query := range []string{
		`{ app(id: "%s") { productAnalytics(scope: {cross: {country: {op: CONTAINS, values: ["G"]}}}) { summary {
			views } } } }`,
		`{ app(id: "%s") { productAnalytics(scope: {range: {start: "2026-11-02T00:00:00Z"}}) { summary { views } } } }`,
		`{ app(id: "%s") { productAnalytics { retentionSeries(drill: {dimension: SOURCE}) { new } } } }`,
		`{ app(id: "%s") { productAnalytics { technology(dimension: SOURCE) { totalCount } } } }`,
		`{ app(id: "%s") { live(range: {start: "2026-11-02T00:00:00Z", end: "2026-11-03T00:00:00Z"}) { count } } }`,
	} {
		got := w.as("viewer").do(strings.Replace(query, "%s", app, 1), nil)
		require.Equal(t, "GRAPHQL_VALIDATION_FAILED", got.code(), query)
	}
}

func TestReportsNeedTheScope(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	for _, field := range []string{
		`productAnalytics { summary { views } }`, `live { count }`, `recentEvents(name: "x") { nodes { name } }`,
		`ingestHealth { accepted }`, `segments { nodes { id } }`,
	} {
		query := `query($a: ID!) { app(id: $a) { ` + field + ` } }`
		require.Equal(t, "forbidden", w.keyed("owner", "flow:edit").do(query, vars{"a": app}).code(), field)
		require.Empty(t, w.keyed("viewer", "analytics:read").do(query, vars{"a": app}).Errors, field)
	}
}

func TestSegmentsLimitReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	editor := w.as("editor")
	segment := editor.text(`mutation($a: ID!) { createSegment(input: {appId: $a, name: "Googlers", windowDays: 30,
		rules: {platform: WEB, columns: {source: "google"}, cross: {page: {op: CONTAINS, values: ["pri"]}}}}) {
		id } }`, vars{"a": app}, "createSegment", "id")
	read := func() answer {
		return editor.must(`query($a: ID!, $s: ID!) { segment(id: $s) { rules importedCount estimate }
			app(id: $a) { productAnalytics(scope: {segmentId: $s}) { summary { visitors sessions } } live(segmentId: $s) {
			count } recentEvents(name: "page_view", segmentId: $s, first: 2) { nodes { appUserId } pageInfo { hasNextPage
			endCursor } } } }`,
			vars{"a": app, "s": segment})
	}
	listed := func() any {
		return editor.must(
			`query($a: ID!) { app(id: $a) { segments { nodes { id name windowDays } } } }`, vars{"a": app},
		).at(t, "app", "segments", "nodes")
	}
	require.Equal(t, []any{map[string]any{"id": segment, "name": "Googlers", "windowDays": json.Number("30")}}, listed())
	got := read()
	require.Equal(t, json.Number("1"), got.at(t, "segment", "estimate"))
	require.Equal(
		t, json.Number("2"), got.at(t, "app", "productAnalytics", "summary", "sessions"),
		"all sessions of the people of the segment",
	)
	require.Equal(t, json.Number("1"), got.at(t, "app", "live", "count"))
	require.Len(t, got.at(t, "app", "recentEvents", "nodes"), 2)
	require.Equal(t, true, got.at(t, "app", "recentEvents", "pageInfo", "hasNextPage"))
	require.Equal(t, map[string]any{
		"platform": "WEB", "columns": map[string]any{"source": "google"},
		"cross": map[string]any{"page": map[string]any{"op": "CONTAINS", "values": []any{"pri"}}},
	}, got.at(t, "segment", "rules"))

	editor.must(
		`mutation($s: ID!) { importSegmentMembers(input: {segmentId: $s, kind: APP_USER, values: ["v2", "v2", "nobody"]}) {
			importedCount } }`,
		vars{"s": segment},
	)
	require.Equal(t, json.Number("2"), read().at(t, "segment", "estimate"))
	editor.must(`mutation($s: ID!) { updateSegment(input: {id: $s, importedOnly: true}) { id } }`, vars{"s": segment})
	require.Equal(t, json.Number("1"), read().at(t, "segment", "estimate"))
	rules := vars{"columns": vars{"source": "news"}}
	estimated := editor.must(
		`query($a: ID!, $r: SegmentRulesInput!) { app(id: $a) { segmentEstimate(rules: $r) } }`, vars{"a": app, "r": rules},
	)
	require.Equal(t, json.Number("1"), estimated.at(t, "app", "segmentEstimate"))
	require.Equal(
		t, "invalid_input",
		editor.do(
			`mutation($a: ID!) { createSegment(input: {appId: $a, name: "x", rules: {cross: {event: {op: CONTAINS, values:
				[""]}}}}) { id } }`,
			vars{"a": app},
		).code(),
	)
	editor.must(
		`mutation($s: ID!) { removeSegmentMembers(input: {segmentId: $s, kind: APP_USER, values: ["v2"]}) { id }
			deleteSegment(input: {id: $s}) }`,
		vars{"s": segment},
	)
	require.Equal(t, "not_found", editor.do(`query($s: ID!) { segment(id: $s) { id } }`, vars{"s": segment}).code())
	require.Empty(t, listed())
	require.Equal(
		t, "invalid_input",
		editor.do(
			`query($a: ID!, $s: ID!) { app(id: $a) { productAnalytics(scope: {segmentId: $s}) { summary { visitors } } } }`,
			vars{"a": app, "s": segment},
		).code(),
		"a deleted audience limits nothing silently",
	)
}

// One page with every report passes; the same report 16 times does not.
func TestSixteenAliasesOfOneReportAreTooDear(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	for _, field := range []string{
		`summary { views }`, `series { views }`, `overview { os { value } }`, `visitors(first: 1) { totalCount }`,
		`retention { visitors }`,
		`attribution(dimension: SOURCE) { totalCount }`, `eventsSeries { value }`, `retentionCurve { rate }`,
	} {
		var aliases strings.Builder
		for i := range 16 {
			aliases.WriteString(" r" + string(rune('a'+i)) + ": " + field)
		}
		got := w.as("viewer").do(`query($a: ID!) { app(id: $a) { productAnalytics {`+aliases.String()+`} } }`, vars{"a": app})
		require.Equal(t, "COMPLEXITY_LIMIT_EXCEEDED", got.code(), field)
	}
	got := w.as("viewer").do(
		`query($a: ID!) { app(id: $a) { productAnalytics { visitors(first: 10000) { nodes { appUserId customUserId firstSeen
			lastSeen sessions views events country city platform device browser os source channel revenueUsd } } events(first:
			10000) { nodes { name count visitors sessions lastSeen builtIn } } attribution(dimension: SOURCE, first: 10000) {
			nodes { value visitors sessions views events revenue bounceRate newVisitors country region averageSessionSeconds
			viewsPerSession latitude longitude } } } } }`,
		vars{"a": app},
	)
	require.Equal(t, "COMPLEXITY_LIMIT_EXCEEDED", got.code())
}

// The store that cannot answer is 503 with the code that report clients know.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	reader := w.keyed("viewer", "analytics:read")
	w.db.Close()
	got := reader.do(`query($a: ID!) { app(id: $a) { productAnalytics { summary { views } } } }`, vars{"a": app})
	require.Equal(t, http.StatusServiceUnavailable, got.status)
	require.Equal(t, "product_analytics_unavailable", got.code())
	require.NotEmpty(t, got.header.Get("Retry-After"))
	got = reader.do(`query($a: ID!) { app(id: $a) { name } }`, vars{"a": app})
	require.Equal(t, http.StatusServiceUnavailable, got.status)
	require.Equal(t, "unavailable", got.code())
}

// Every value of every enum argument of every report is one that the engine
// answers, apart from columns that the schema says a dimension lacks.
func TestEveryEnumValueIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	reader := w.keyed("viewer", "analytics:read")
	goal := w.as("owner").text(`mutation($a: ID!) {
		createGoal(input: {appId: $a, name: "Any page", condition: {page: {name: "/**"}}}) { id } }`,
		vars{"a": app}, "createGoal", "id")
	schema := reader.must(`{ type: __type(name: "ProductAnalytics") { fields { name type { kind name ofType { name kind
		ofType { name kind fields { name } } } fields { name } }
		args { name type { kind name enumValues { name } ofType { kind name enumValues { name } } } } } } }`, nil)
	tried := 0
	for _, f := range schema.at(t, "type", "fields").([]any) {
		field := f.(map[string]any)
		enums, required := map[string][]string{}, ""
		for _, a := range field["args"].([]any) {
			arg := a.(map[string]any)
			kind := arg["type"].(map[string]any)
			if inner, wrapped := kind["ofType"].(map[string]any); wrapped {
				kind = inner
			}
			if kind["kind"] != "ENUM" {
				continue
			}
			for _, v := range kind["enumValues"].([]any) {
				enums[arg["name"].(string)] = append(enums[arg["name"].(string)], v.(map[string]any)["name"].(string))
			}
			if arg["name"] == "dimension" {
				required = "dimension: " + enums["dimension"][0]
			}
		}
		ofGoal := ""
		if strings.HasPrefix(field["name"].(string), "goal") && field["name"] != "goals" {
			ofGoal = `, goalId: "` + goal + `"`
		}
		if strings.HasPrefix(field["name"].(string), "funnel") {
			ofGoal = `, input: {steps: [{goalId: "` + goal + `"}, {condition: {event: {name: "sign_up"}}}]}`
			if field["name"] == "funnelVisitors" {
				ofGoal += `, step: 1`
			}
		}
		for arg, values := range enums {
			for _, value := range values {
				name := field["name"].(string)
				if lacks(name, arg, value) {
					continue
				}
				arguments := arg + ": " + value
				if arg != "dimension" && required != "" {
					arguments += ", " + required
				}
				arguments += ofGoal
				query := `query($a: ID!) { app(id: $a) { productAnalytics { ` + name + `(` + arguments + `) { __typename } } } }`
				got := reader.do(query, vars{"a": app})
				require.Empty(t, got.Errors, query)
				require.NotNil(t, got.at(t, "app", "productAnalytics", name), query)
				tried++
			}
		}
	}
	require.Greater(t, tried, 100)
}

// lacks tells what the schema's descriptions rule out for the first dimension
// (PAGE) of engagement, and hours for cohorts.
func lacks(field, arg, value string) bool {
	ofEntries := map[string]bool{
		"EVENTS": true, "NEW_VISITORS": true, "BOUNCE_RATE": true, "AVERAGE_SESSION_SECONDS": true, "VIEWS_PER_SESSION": true,
		"REVENUE": true,
	}
	ofTables := map[string]bool{"ENTRIES": true, "EXITS": true, "EXIT_RATE": true}
	switch {
	case field == "engagement" && arg == "orderBy":
		return ofEntries[value]
	case field == "engagementSeries" && arg == "metric":
		return ofEntries[value] || ofTables[value]
	}
	return field == "retentionCohorts" && value == "HOUR"
}

// A report costs little besides: of the control plane it reads the app alone. Who has lost the right sees nothing from
// the next request on all the same, and neither does who never had it.
func TestAReportReadsTheAppAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	const query = `query($a: ID!, $e: EnvironmentKind!) { app(id: $a) { productAnalytics(scope: {environment: $e}) {
		summary { visitors } } } }`
	leaves, stays := w.invite("leaves@example.com", "viewer"), w.keyed("viewer", "analytics:read")
	visitors := func(c *client, kind string) any {
		return c.must(query, vars{"a": app, "e": kind}).at(t, "app", "productAnalytics", "summary", "visitors")
	}
	three, none := json.Number("3"), json.Number("0")
	reads := w.countReads()
	for _, c := range []*client{leaves, stays} {
		require.Equal(t, three, visitors(c, "LIVE"))
		require.Equal(t, none, visitors(c, "TEST"))
		before := reads.Load()
		require.Equal(t, three, visitors(c, "LIVE"))
		require.Equal(t, none, visitors(c, "TEST"))
		require.EqualValues(t, 2, reads.Load()-before)
	}
	w.as("owner").must(`mutation($w: ID!, $u: ID!) { removeMember(input: {workspaceId: $w, userId: $u}) }`,
		vars{"w": w.workspace, "u": leaves.text(`{ viewer { userId } }`, nil, "viewer", "userId")})
	for _, c := range []*client{leaves, w.as("stranger")} {
		require.Equal(t, "not_found", c.do(query, vars{"a": app, "e": "LIVE"}).code())
	}
	require.Equal(t, "forbidden", w.keyed("owner", "flow:edit").do(query, vars{"a": app, "e": "LIVE"}).code())
}
