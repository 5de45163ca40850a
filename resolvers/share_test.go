package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/graph"
)

const createLink = `mutation($i: CreateSharedLinkInput!) { createSharedLink(input: $i) { token link { id hasPassword } } }`

// share makes a link to reports and returns a reader, who has its token, and the link's id.
func (w *world) share(app string, more vars) (reader *client, id string) {
	w.t.Helper()
	input := vars{"appId": app, "name": "Board", "reports": []string{"HOME"}}
	for name, value := range more {
		input[name] = value
	}
	made := w.as("editor").must(createLink, vars{"i": input})
	token := made.at(w.t, "createSharedLink", "token").(string)
	return w.reader(token), made.at(w.t, "createSharedLink", "link", "id").(string)
}

func (w *world) reader(key string) *client { return &client{w: w, http: &http.Client{}, key: key} }

const visitors = `query($a: ID!, $s: ScopeInput!) { app(id: $a) { productAnalytics(scope: $s) { summary { visitors } } } }`

func (c *client) visitors(app string, scope vars) string {
	c.w.t.Helper()
	return asJSON(c.w.t, c.must(visitors, vars{"a": app, "s": scope}).at(c.w.t, "app", "productAnalytics", "summary", "visitors"))
}

func TestASharedLinkShowsItsReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	reader, id := w.share(app, vars{"reports": []string{"HOME", "ACQUISITION"}, "poweredBy": false})
	got := reader.must(`{ sharedView { name app { id name } environment reports scope { period platform segmentId }
		segment expiresAt poweredBy } }`, nil).at(t, "sharedView")
	require.JSONEq(t, fmt.Sprintf(`{"name": "Board", "app": {"id": %q, "name": "Shop"}, "environment": "LIVE",
		"reports": ["HOME", "ACQUISITION"], "scope": {"period": "LAST_7_DAYS", "platform": null, "segmentId": null},
		"segment": null, "expiresAt": null, "poweredBy": false}`, app), asJSON(t, got))
	require.Equal(t, "3", reader.visitors(app, vars{}))
	reader.must(`query($a: ID!) { app(id: $a) { productAnalytics { range { start } series { visitors } overview {
		source { value visitors } } attribution(dimension: SOURCE) { totalCount nodes { value } } } } }`, vars{"a": app})
	require.Nil(t, w.as("owner").must(`{ sharedView { name } }`, nil).Data["sharedView"])
	require.Nil(t, w.as("anonymous").must(`{ sharedView { name } }`, nil).Data["sharedView"])

	const list = `query($a: ID!, $r: Boolean!) { app(id: $a) { sharedLinks(includeRevoked: $r) { totalCount nodes {
		id name lastOpenedAt revokedAt author { email } reports environment { kind } scope { period } } } } }`
	links := w.as("viewer").must(list, vars{"a": app, "r": false}).at(t, "app", "sharedLinks", "nodes").([]any)
	require.Len(t, links, 1)
	require.NotNil(t, links[0].(map[string]any)["lastOpenedAt"])
	require.Equal(t, "editor@example.com", links[0].(map[string]any)["author"].(map[string]any)["email"])

	w.as("editor").must(`mutation($l: ID!) { revokeSharedLink(input: {id: $l}) { revokedAt } }`, vars{"l": id})
	require.Equal(t, "unauthenticated", reader.do(visitors, vars{"a": app, "s": vars{}}).code())
	require.Empty(t, w.as("viewer").must(list, vars{"a": app, "r": false}).at(t, "app", "sharedLinks", "nodes"))
	require.Len(t, w.as("viewer").must(list, vars{"a": app, "r": true}).at(t, "app", "sharedLinks", "nodes"), 1)
	audit := w.as("owner").must(`query($w: ID!) { workspace(id: $w) { auditLog(first: 20) { nodes { action names { name } } } } }`,
		vars{"w": w.workspace}).at(t, "workspace", "auditLog", "nodes")
	require.Contains(t, asJSON(t, audit), `{"action":"shared_link.revoke","names":[{"name":"Board"}]}`)
	require.Contains(t, asJSON(t, audit), `{"action":"shared_link.create","names":[{"name":"Board"},{"name":"Shop"}]}`)
}

// Every field of the schema that is not of a shared report is refused, whatever its arguments, and so is everything
// that changes something.
func TestReadersAskForNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	things := w.thingsOf(w.as("owner"), w.workspace)
	reader, _ := w.share(app, nil)
	all, _ := w.share(app, vars{"reports": []string{
		"HOME", "ACQUISITION", "ENGAGEMENT", "EVENTS", "GOALS", "RETENTION", "LOCATIONS", "DEVICES",
	}})
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	refused := func(c *client, query string, variables vars) {
		t.Helper()
		got := c.do(query, variables)
		require.Equal(t, "forbidden", got.code(), "%s: %v", query, got.Errors)
	}
	for word, root := range map[string]*ast.Definition{
		"query": schema.Query, "mutation": schema.Mutation, "subscription": schema.Subscription,
	} {
		for _, field := range root.Fields {
			if strings.HasPrefix(field.Name, "__") || field.Name == "app" || field.Name == "sharedView" ||
				slices.Contains(forms, field.Name) { // of which the root is refused as others
				continue
			}
			o := operationOf(t, schema, things, word, field)
			if word == "subscription" {
				require.Equal(t, "forbidden", all.streamed(o.document, o.inputs), o.document)
				continue
			}
			refused(all, o.document, o.inputs)
		}
	}
	refused(all, `{ __schema { types { name } } }`, nil)
	refused(all, `{ __type(name: "App") { fields { name } } }`, nil)
	root := schema.Query.Fields.ForName("app")
	analytics := schema.Types["App"].Fields.ForName("productAnalytics")
	things["app"] = app
	tried := 0
	for _, way := range [][]*ast.FieldDefinition{{root}, {root, analytics}} {
		parent := schema.Types[way[len(way)-1].Type.Name()]
		for _, field := range parent.Fields {
			o := operationOf(t, schema, things, "query", append(slices.Clone(way), field)...)
			for name := range o.inputs {
				if name == "app_productAnalytics_scope" {
					o.inputs[name] = vars{} // without a segment, which no reader chooses
				}
			}
			got := all.do(o.document, o.inputs)
			if sharedFields[parent.Name+"."+field.Name] {
				require.NotEqual(t, "forbidden", got.code(), field.Name)
				continue
			}
			require.Equal(t, "forbidden", got.code(), "%s.%s", parent.Name, field.Name)
			tried++
		}
	}
	require.Greater(t, tried, 40)
	// A link of one report has no fields of another's.
	refused(reader, `query($a: ID!) { app(id: $a) { productAnalytics { attribution(dimension: SOURCE) { totalCount } } } }`, vars{"a": app})
	refused(reader, `query($a: ID!) { app(id: $a) { ... on App { people { totalCount } } } }`, vars{"a": app})
	refused(reader, `query($a: ID!) { app(id: $a) { name: workspace { id } } }`, vars{"a": app})
	refused(reader, `{ sharedView { app { flows { totalCount } } } }`, nil)
}

// sharedFields are what all reports together show.
var sharedFields = func() map[string]bool {
	fields := map[string]bool{}
	for _, name := range strings.Fields(`App.id App.name App.productAnalytics App.importedTotals`) {
		fields[name] = true
	}
	for _, name := range strings.Fields(`range summary series overview attribution attributionSeries engagement
		engagementSeries screens events eventsSeries goals goalSeries goalBreakdown retention retentionBreakdown
		retentionSeries retentionCohorts retentionCurve demographic demographicSeries technology technologySeries`) {
		fields["ProductAnalytics."+name] = true
	}
	return fields
}()

// What is reached below shared fields is figures: no type with a user, a key or a draft, and nothing that leads back.
func TestSharedReportsHoldFiguresOnly(t *testing.T) {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	seen := map[string]bool{}
	var walk func(name string)
	walk = func(name string) {
		definition := schema.Types[name]
		if seen[name] || definition.Kind != ast.Object {
			return
		}
		seen[name] = true
		for _, field := range definition.Fields {
			for _, word := range []string{"user", "person", "people", "email", "customer", "secret", "key", "draft", "manifest", "properties", "session", "token"} {
				if strings.Contains(strings.ToLower(field.Name), word) {
					require.Contains(t, []string{"sessions", "averageSessionSeconds", "viewsPerSession"}, field.Name, name)
				}
			}
			walk(field.Type.Name())
		}
	}
	for _, field := range schema.Types["ProductAnalytics"].Fields {
		if sharedFields["ProductAnalytics."+field.Name] {
			walk(field.Type.Name())
		}
	}
	for _, entity := range []string{"App", "ProductAnalytics", "VisitorRow", "User", "Environment", "Workspace"} {
		require.False(t, seen[entity], entity)
	}
	require.Len(t, seen, 31, "another type is reached from shared reports: look what it tells of")
}

// The filters, the platform and the environment of a link hold whatever a query says.
func TestReadersCannotTakeFiltersAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, other := w.shop(), w.app("Other")
	reader, _ := w.share(app, vars{"scope": vars{"platform": "WEB", "cross": vars{"source": vars{"values": []string{"news"}}}}})
	require.Equal(t, "1", reader.visitors(app, vars{}))
	require.Equal(t, "1", reader.visitors(app, vars{"platform": "WEB"}))
	require.Equal(t, "0", reader.visitors(app, vars{"cross": vars{"page": vars{"values": []string{"/pricing"}}}}))
	for field, scope := range map[string]vars{
		"platform":        {"platform": "IOS"},
		"segmentId":       {"segmentId": app},
		"columns":         {"columns": vars{"source": "google"}},
		"revenueProvider": {"revenueProvider": "STRIPE"},
		"cross.source":    {"cross": vars{"source": vars{"op": "IS_NOT", "values": []string{"x"}}}},
		"cross.medium":    {"cross": vars{"medium": vars{"values": []string{"x"}}}},
		"cross.variant":   {"cross": vars{"variant": vars{"values": []string{"x"}}}},
		"cross.flow":      {"cross": vars{"flow": vars{"values": []string{app}}}},
	} {
		got := reader.do(visitors, vars{"a": app, "s": scope})
		require.Equal(t, "invalid_input", got.code(), field)
		require.Equal(t, field, got.Errors[0].Extensions["field"])
	}
	require.Equal(t, "not_found", reader.do(visitors, vars{"a": app, "s": vars{"environment": "TEST"}}).code())
	require.Equal(t, "not_found", reader.do(visitors, vars{"a": other, "s": vars{}}).code())
	require.Equal(t, "not_found", reader.do(`query($a: ID!) { app(id: $a) { name } }`, vars{"a": other}).code())

	// Phones are of mobile; the web is not.
	phones, _ := w.share(app, vars{"scope": vars{"platform": "MOBILE"}})
	require.Equal(t, "1", phones.visitors(app, vars{"platform": "IOS"}))
	require.Equal(t, "invalid_input", phones.do(visitors, vars{"a": app, "s": vars{"platform": "WEB"}}).code())

	// A segment limits too, under its name; when it is gone nothing is shown.
	segment := w.as("owner").text(`mutation($a: ID!) { createSegment(input: {appId: $a, name: "News", rules: {
		cross: {source: {values: ["google"]}}}}) { id } }`, vars{"a": app}, "createSegment", "id")
	some, _ := w.share(app, vars{"scope": vars{"segmentId": segment}})
	require.Equal(t, "1", some.visitors(app, vars{}))
	require.Equal(t, "News", some.text(`{ sharedView { segment } }`, nil, "sharedView", "segment"))
	w.as("owner").must(`mutation($s: ID!) { deleteSegment(input: {id: $s}) }`, vars{"s": segment})
	require.Equal(t, "invalid_input", some.do(visitors, vars{"a": app, "s": vars{}}).code())
}

// Tokens that are guessed, expired, or of an archived app open nothing.
func TestWhatOpensNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	expires := time.Now().Add(1500 * time.Millisecond)
	reader, id := w.share(app, vars{"expiresAt": expires})
	require.Equal(t, "3", reader.visitors(app, vars{}))
	require.Len(t, reader.key, len(account.LinkPrefix)+22) // 128 bits
	var stored string
	require.NoError(t, w.db.Pool.QueryRow(t.Context(), `select l::text from shared_links l where id = $1`, id).Scan(&stored))
	require.NotContains(t, stored, strings.TrimPrefix(reader.key, account.LinkPrefix))
	for _, guess := range []string{
		account.LinkPrefix, account.LinkPrefix + "x", account.LinkPrefix + strings.Repeat("0", 22), reader.key + "0",
		reader.key[:len(reader.key)-1] + "_", account.LinkPrefix + strings.Repeat("é", 11), id, strings.ToUpper(reader.key),
	} {
		require.Equal(t, "unauthenticated", w.reader(guess).do(visitors, vars{"a": app, "s": vars{}}).code(), guess)
	}
	time.Sleep(time.Until(expires.Add(10 * time.Millisecond)))
	require.Equal(t, "unauthenticated", reader.do(visitors, vars{"a": app, "s": vars{}}).code())

	reader, _ = w.share(app, nil)
	w.as("owner").must(`mutation($a: ID!) { archiveApp(input: {id: $a, confirmName: "Shop"}) { id } }`, vars{"a": app})
	require.Equal(t, "unauthenticated", reader.do(visitors, vars{"a": app, "s": vars{}}).code())
	w.as("owner").must(`mutation($a: ID!) { unarchiveApp(input: {id: $a}) { id } }`, vars{"a": app})
	require.Equal(t, "3", reader.visitors(app, vars{}))
}

const openLink = `mutation($t: String!, $p: String!) { openSharedLink(input: {token: $t, password: $p}) { key expiresAt } }`

func TestThePasswordOfASharedLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	reader, id := w.share(app, vars{"password": password})
	other, _ := w.share(app, vars{"password": password})
	const ask = `{ sharedView { name } }`
	require.Equal(t, "forbidden", reader.do(ask, nil).code())
	var stored string
	require.NoError(t, w.db.Pool.QueryRow(t.Context(), `select password_hash from shared_links where id = $1`, id).Scan(&stored))
	require.True(t, strings.HasPrefix(stored, "$argon2id$"), stored)

	anonymous := w.as("anonymous")
	key := anonymous.text(openLink, vars{"t": reader.key, "p": password}, "openSharedLink", "key")
	require.Equal(t, "3", w.reader(key).visitors(app, vars{}))
	parts := strings.Split(key, ".")
	require.Len(t, parts, 3)
	for name, forged := range map[string]string{
		"without signature": parts[0] + "." + parts[1],
		"another signature": parts[0] + "." + parts[1] + "." + strings.Repeat("0", 64),
		"a later end":       parts[0] + ".9999999999." + parts[2],
		"of another link":   other.key + "." + parts[1] + "." + parts[2],
		"nothing":           parts[0] + "..",
	} {
		require.Equal(t, "forbidden", w.reader(forged).do(ask, nil).code(), name)
	}
	require.Equal(t, "not_found", anonymous.do(openLink, vars{"t": account.LinkPrefix + strings.Repeat("0", 22), "p": password}).code())
	open, _ := w.share(app, nil)
	require.Equal(t, "invalid_input", anonymous.do(openLink, vars{"t": open.key, "p": password}).code())

	for try := range 11 {
		got := anonymous.do(openLink, vars{"t": reader.key, "p": fmt.Sprint("wrong ", try)})
		if try < 10 {
			require.Equal(t, "invalid_input", got.code())
			require.Equal(t, "password", got.Errors[0].Extensions["field"])
			continue
		}
		require.Equal(t, "rate_limited", got.code())
	}
	// Whoever is refused learns no more by the right one; other links and who is in go on.
	require.Equal(t, "rate_limited", anonymous.do(openLink, vars{"t": reader.key, "p": password}).code())
	require.Equal(t, "3", w.reader(key).visitors(app, vars{}))
	anonymous.must(openLink, vars{"t": other.key, "p": password})
}

func TestBadSharedLinksNameTheField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	for field, wrong := range map[string]vars{
		"name":             {"name": " "},
		"reports":          {"reports": []string{}},
		"password":         {"password": "short"},
		"expiresAt":        {"expiresAt": "2020-01-01T00:00:00Z"},
		"frameOrigins.0":   {"frameOrigins": []string{"https://example.com/path"}},
		"frameOrigins.1":   {"frameOrigins": []string{"https://example.com", "*"}},
		"frameOrigins.2":   {"frameOrigins": []string{"https://a.example", "https://b.example", "https://c.example;sandbox"}},
		"frameOrigins.3":   {"frameOrigins": []string{"https://a.example", "https://b.example", "https://d.example", "https://c,d"}},
		"scope.comparison": {"scope": vars{"comparison": "SEGMENT", "against": app}},
		"scope.segmentId":  {"scope": vars{"segmentId": app}},
		"scope.timeZone":   {"scope": vars{"timeZone": "Nowhere/Else"}},
	} {
		input := vars{"appId": app, "name": "Board", "reports": []string{"HOME"}}
		for name, value := range wrong {
			input[name] = value
		}
		got := w.as("editor").do(createLink, vars{"i": input})
		require.Equal(t, "invalid_input", got.code(), field)
		require.Equal(t, field, got.Errors[0].Extensions["field"], "%v", wrong)
	}
	origins := []string{"https://www.example.com", "http://localhost:3000", "https://www.example.com/"}
	reader, _ := w.share(app, vars{"frameOrigins": origins})
	got, err := w.accounts.FrameOrigins(t.Context(), reader.key)
	require.NoError(t, err)
	require.Equal(t, origins[:2], got)
	_, err = w.db.Pool.Exec(t.Context(), `insert into shared_links (id, name, hash, reports, scope, frame_origins, environment_id, user_id)
		select gen_random_uuid(), 'x', i::text::bytea, '[]', '{}', '[]', $1, (select id from users limit 1)
		from generate_series(1, 199) i`, w.environment(app))
	require.NoError(t, err)
	full := w.as("editor").do(createLink, vars{"i": vars{"appId": app, "name": "One more", "reports": []string{"HOME"}}})
	require.Equal(t, "environment", full.Errors[0].Extensions["field"])
}

func TestWhoMayShare(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	_, id := w.share(app, nil)
	w.tryAll(app, vars{"a": app, "l": id}, []guarded{
		{`query($a: ID!) { app(id: $a) { sharedLinks { totalCount } } }`, []string{"analytics:read"}, "viewer"},
		{`mutation($a: ID!) { createSharedLink(input: {appId: $a, name: "x", reports: [HOME]}) { token } }`,
			[]string{"view:manage"}, "editor"},
		{`mutation($l: ID!) { revokeSharedLink(input: {id: $l}) { id } }`, []string{"view:manage"}, "editor"},
	})
	unseeing := w.keyed("owner", "view:manage")
	require.Equal(t, "forbidden", unseeing.do(createLink, vars{"i": vars{"appId": app, "name": "x", "reports": []string{"HOME"}}}).code())
}

// streamed returns the code of the first error that a subscription answers with.
func (c *client) streamed(query string, variables vars) string {
	c.w.t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	require.NoError(c.w.t, err)
	ctx, cancel := context.WithTimeout(c.w.t.Context(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.w.server.URL+"/graphql", strings.NewReader(string(body)))
	require.NoError(c.w.t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Authorization", "Bearer "+c.key)
	response, err := c.http.Do(request)
	require.NoError(c.w.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<14)) // a stream that is refused ends
	require.NoError(c.w.t, err)
	_, after, _ := strings.Cut(string(text), `"code":"`)
	code, _, _ := strings.Cut(after, `"`)
	return code
}
