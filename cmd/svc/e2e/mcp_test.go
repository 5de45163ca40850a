package e2e

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolClient is the official client, connected to the tools of a server.
type toolClient struct {
	t testing.TB
	*mcp.ClientSession
}

func connectTools(t testing.TB, transport mcp.Transport) toolClient {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return toolClient{t, session}
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func overHTTP(t testing.TB, d *Dev, key string) toolClient {
	t.Helper()
	return connectTools(t, &mcp.StreamableClientTransport{
		Endpoint: d.BaseURL + "/mcp", HTTPClient: &http.Client{Transport: bearer(key)}, DisableStandaloneSSE: true,
	})
}

// try calls a tool and returns its text, and whether it refused.
func (c toolClient) try(name string, arguments map[string]any) (text string, refused bool) {
	c.t.Helper()
	result, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return err.Error(), true
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// call calls a tool that must answer and reads its JSON.
func (c toolClient) call(name string, arguments map[string]any, into any) {
	c.t.Helper()
	text, refused := c.try(name, arguments)
	if refused {
		c.t.Fatalf("%s %v: %s", name, arguments, text)
	}
	if len(text) > 48<<10 {
		c.t.Errorf("%s %v answers %d bytes", name, arguments, len(text))
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		c.t.Fatalf("%s: %v in %s", name, err, text)
	}
}

// key makes an API key of a workspace; "" is the demo's.
func (s *Studio) key(workspace string, scopes ...string) (id, secret string) {
	s.t.Helper()
	if workspace == "" {
		var viewer struct {
			Viewer struct {
				Workspaces struct {
					Nodes []struct{ Workspace struct{ ID string } }
				}
			}
		}
		s.Query(`{ viewer { workspaces { nodes { workspace { id } } } } }`, nil, &viewer)
		workspace = viewer.Viewer.Workspaces.Nodes[0].Workspace.ID
	}
	var made struct {
		CreateAPIKey struct {
			APIKey struct{ ID string }
			Secret string
		}
	}
	s.Query(`mutation($i: CreateAPIKeyInput!) { createApiKey(input: $i) { apiKey { id } secret } }`,
		map[string]any{"i": map[string]any{"workspaceId": workspace, "name": "tools", "scopes": scopes}}, &made)
	return made.CreateAPIKey.APIKey.ID, made.CreateAPIKey.Secret
}

// Each part has a key of its own, because calls are limited by key.
func TestToolsOverMCP(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=small")
	studio := d.SignIn(t, d.BaseURL)
	app := d.Apps[0].ID
	all := []string{"ANALYTICS_READ", "CUSTOMERS_READ", "STUDIO_READ", "FLOW_EDIT", "FLOW_PUBLISH", "VIEW_MANAGE"}

	t.Run("both transports answer what GraphQL answers", func(t *testing.T) {
		_, key := studio.key("", all...)
		command := exec.Command(Binary(t), "mcp")
		command.Env = environment([]string{"SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + key})
		stdio := connectTools(t, &mcp.CommandTransport{Command: command})
		direct := overHTTP(t, d, key)
		var lists [2][]string
		for i, client := range []toolClient{direct, stdio} {
			for tool, err := range client.Tools(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				text, _ := json.Marshal(tool)
				lists[i] = append(lists[i], string(text))
			}
			if !strings.Contains(client.InitializeResult().Instructions, "describe") {
				t.Errorf("the instructions are %q", client.InitializeResult().Instructions)
			}
		}
		if !slices.Equal(lists[0], lists[1]) || len(lists[0]) == 0 || len(lists[0]) > 16 {
			t.Errorf("HTTP has %d tools, the command %d", len(lists[0]), len(lists[1]))
		}
		scope := map[string]any{"range": map[string]any{"start": "2026-01-01T00:00:00Z", "end": "2026-11-20T00:00:00Z"}}
		var want struct {
			App struct {
				ProductAnalytics struct {
					Summary     map[string]any
					Attribution struct {
						Nodes []struct{ Value, Visitors any }
					}
				}
			}
		}
		studio.Query(`query($a: ID!, $s: ScopeInput!) { app(id: $a) { productAnalytics(scope: $s) {
			summary { visitors sessions views revenue } attribution(dimension: SOURCE) { nodes { value visitors } } } } }`,
			map[string]any{"a": app, "s": scope}, &want)
		for _, client := range []toolClient{direct, stdio} {
			var summary struct {
				Data                              map[string]any
				Definition, Exactness, AsOf, Note string
				URL                               string
			}
			client.call("report", map[string]any{"app": app, "report": "summary", "scope": scope}, &summary)
			for name, value := range want.App.ProductAnalytics.Summary {
				if summary.Data[name] != value {
					t.Errorf("%s is %v, of GraphQL %v", name, summary.Data[name], value)
				}
			}
			if summary.Definition == "" || summary.Exactness == "" || summary.AsOf == "" || summary.Note == "" ||
				!strings.HasPrefix(summary.URL, d.BaseURL+"/apps/"+app+"/live/home?from=2026-01-01&") {
				t.Errorf("the summary says %+v", summary)
			}
			var table struct {
				Data struct {
					Columns []string
					Rows    [][]any
				}
			}
			client.call("report", map[string]any{
				"app": app, "report": "attribution", "dimension": "SOURCE", "scope": scope,
			}, &table)
			value, visitors := slices.Index(table.Data.Columns, "value"), slices.Index(table.Data.Columns, "visitors")
			nodes := want.App.ProductAnalytics.Attribution.Nodes
			if len(nodes) == 0 || len(table.Data.Rows) != min(len(nodes), 20) {
				t.Fatalf("%d rows of %d", len(table.Data.Rows), len(nodes))
			}
			for i, row := range table.Data.Rows {
				if row[value] != nodes[i].Value || row[visitors] != nodes[i].Visitors {
					t.Errorf("row %d is %v, of GraphQL %v", i, row, nodes[i])
				}
			}
		}
	})

	t.Run("every report answers", func(t *testing.T) {
		_, key := studio.key("", all...)
		client := overHTTP(t, d, key)
		var described struct {
			Reports, FlowReports []string
			Data                 struct{ Flows struct{ Rows [][]any } }
		}
		client.call("describe", map[string]any{"app": app}, &described)
		flow := described.Data.Flows.Rows[5][0]
		var recent struct {
			Data struct {
				Columns []string
				Rows    [][]any
			}
		}
		client.call("flow_report", map[string]any{"report": "recent", "scope": map[string]any{"flowId": flow}}, &recent)
		run := recent.Data.Rows[0][slices.Index(recent.Data.Columns, "id")]
		var has struct {
			App struct {
				Goals struct{ Nodes []struct{ ID string } }
			}
		}
		studio.Query(`query($a: ID!) { app(id: $a) { goals { nodes { id } } } }`, map[string]any{"a": app}, &has)
		required := map[string]any{
			"appUserId": "nobody", "id": run, "by": "VERSION", "first": "a", "second": "b", "goalId": has.App.Goals.Nodes[0].ID,
			"input": map[string]any{"anchor": map[string]any{"kind": "PAGE", "name": "/"}}, "step": 1,
		}
		page := func(name string) map[string]any {
			return map[string]any{"condition": map[string]any{"page": map[string]any{"name": name}}}
		}
		funnel := map[string]any{"steps": []any{page("/"), page("/pricing")}}
		for i, line := range slices.Concat(described.Reports, described.FlowReports) {
			name := strings.FieldsFunc(line, func(r rune) bool { return r == '(' || r == ':' })[0]
			if name == "compare" { // of two versions, which the demo's flow may not have
				continue
			}
			arguments := map[string]any{"report": name}
			for argument, value := range required {
				if strings.Contains(line, argument+" (required)") {
					arguments[argument] = value
				}
			}
			if arguments["input"] != nil && strings.HasPrefix(name, "funnel") {
				arguments["input"] = funnel
			}
			if _, values, found := strings.Cut(line, "dimension (required) one of "); found {
				arguments["dimension"], _, _ = strings.Cut(values, ",")
			}
			var answer map[string]any
			if i < len(described.Reports) {
				arguments["app"] = app
				client.call("report", arguments, &answer)
			} else {
				arguments["scope"] = map[string]any{"flowId": flow}
				client.call("flow_report", arguments, &answer)
			}
		}
		var people struct{ Data struct{ Rows [][]any } }
		client.call("people_behind", map[string]any{
			"flowScope": map[string]any{"flowId": flow}, "cell": map[string]any{"figure": "COMPLETED"},
		}, &people)
		if len(people.Data.Rows) == 0 || len(people.Data.Rows) > 20 {
			t.Errorf("%d people completed the flow", len(people.Data.Rows))
		}
	})

	t.Run("refusals name the field", func(t *testing.T) {
		_, key := studio.key("", all...)
		client := overHTTP(t, d, key)
		for want, arguments := range map[string]map[string]any{
			"dimension: the report attribution needs it": {"report": "attribution"},
			"grain: the report summary does not take it": {"report": "summary", "grain": "DAY"},
			"PAGE is not a valid AttributionDimension":   {"report": "attribution", "dimension": "PAGE"},
			"timeZone: unknown time zone":                {"report": "summary", "scope": map[string]any{"timeZone": "Mars"}},
			`additional properties ["colour"]`:           {"report": "summary", "scope": map[string]any{"colour": 1}},
			"report: enum":                               {"report": "nope"},
		} {
			arguments["app"] = app
			if text, refused := client.try("report", arguments); !refused || !strings.Contains(text, want) {
				t.Errorf("%v: %s", arguments, text)
			}
		}
	})

	t.Run("rights are those of the key", func(t *testing.T) {
		_, key := studio.key("", "ANALYTICS_READ")
		client := overHTTP(t, d, key)
		var summary map[string]any
		client.call("report", map[string]any{"app": app, "report": "summary"}, &summary)
		text, refused := client.try("edit_draft", map[string]any{"app": app, "name": "Mine"})
		if !refused || !strings.Contains(text, "this API key lacks the scope flow:edit") {
			t.Error(text)
		}
		text, refused = client.try("annotate", map[string]any{"app": app, "at": "2026-11-01T00:00:00Z", "text": "x"})
		if !refused || !strings.Contains(text, "view:manage") {
			t.Error(text)
		}
	})

	t.Run("another workspace's rows are not found", func(t *testing.T) {
		var made struct{ CreateWorkspace struct{ ID string } }
		studio.Query(`mutation { createWorkspace(input: {name: "Other"}) { id } }`, nil, &made)
		_, key := studio.key(made.CreateWorkspace.ID, all...)
		client := overHTTP(t, d, key)
		var flows struct {
			App struct {
				Name  string
				Flows struct{ Nodes []struct{ ID, Name string } }
			}
		}
		studio.Query(`query($a: ID!) { app(id: $a) { name flows { nodes { id name } } } }`, map[string]any{"a": app}, &flows)
		flow, channel := flows.App.Flows.Nodes[0].ID, d.Apps[0].Environments["live"].Channels[0].ID
		for _, asked := range []struct {
			tool      string
			arguments map[string]any
		}{
			{"describe", map[string]any{"app": app}},
			{"report", map[string]any{"app": app, "report": "summary"}},
			{"report", map[string]any{"app": app, "report": "revenue.totals"}},
			{"people_behind", map[string]any{"app": app}},
			{"people_behind", map[string]any{"flowScope": map[string]any{"flowId": flow}}},
			{"flow_report", map[string]any{"report": "funnel", "scope": map[string]any{"flowId": flow}}},
			{"list_flows", map[string]any{"app": app}}, {"get_flow", map[string]any{"flow": flow}},
			{"validate", map[string]any{"flow": flow}},
			{"edit_draft", map[string]any{"app": app, "name": "Mine"}},
			{"edit_draft", map[string]any{"flow": flow, "baseRevision": 1, "steps": []any{setMember("x", 1)}}},
			{"explain_arm", map[string]any{"channel": channel}},
			{"annotate", map[string]any{"app": app, "at": "2026-11-01T00:00:00Z", "text": "x"}},
			{"experiment_results", map[string]any{"experiment": flow}},
		} {
			text, refused := client.try(asked.tool, asked.arguments)
			if !refused || !strings.Contains(text, "not_found") {
				t.Errorf("%s %v: %s", asked.tool, asked.arguments, text)
			}
		}
		if text, refused := client.try("list_apps", nil); refused || strings.Contains(text, flows.App.Name) {
			t.Errorf("list_apps: %s", text)
		}
	})

	t.Run("a key is required and only a key will do", func(t *testing.T) {
		id, key := studio.key("", all...)
		const list = `{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}`
		base := []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
		post := func(client *http.Client, body string, headers ...string) Answer {
			t.Helper()
			answer, err := Do(client, http.MethodPost, d.BaseURL+"/mcp", body, slices.Concat(base, headers)...)
			if err != nil {
				t.Fatal(err)
			}
			return answer
		}
		bearer := []string{"Authorization", "Bearer " + key}
		for name, c := range map[string]struct {
			answer Answer
			want   int
		}{
			"a key":             {post(http.DefaultClient, list, bearer...), http.StatusOK},
			"the own origin":    {post(http.DefaultClient, list, append(bearer, "Origin", d.BaseURL)...), http.StatusOK},
			"nothing":           {post(http.DefaultClient, list), http.StatusUnauthorized},
			"a cookie":          {post(studio.client, list), http.StatusUnauthorized},
			"a wrong key":       {post(http.DefaultClient, list, "Authorization", "Bearer svc_wk_x"), http.StatusUnauthorized},
			"another site":      {post(http.DefaultClient, list, append(bearer, "Origin", "http://evil.test")...), http.StatusForbidden},
			"too many bytes":    {post(http.DefaultClient, `"`+strings.Repeat("x", 1<<20)+`"`, bearer...), http.StatusRequestEntityTooLarge},
			"a batch":           {post(http.DefaultClient, " \n["+list+"]", append(bearer, "MCP-Protocol-Version", "2025-03-26")...), http.StatusBadRequest},
			"no JSON":           {post(http.DefaultClient, `{`, bearer...), http.StatusBadRequest},
			"a GET":             {get(t, d.BaseURL+"/mcp", bearer...), http.StatusMethodNotAllowed},
			"a publishable key": {post(http.DefaultClient, list, "Authorization", "Bearer "+d.Apps[0].Environments["live"].PublishableKey), http.StatusUnauthorized},
		} {
			if c.answer.Status != c.want {
				t.Errorf("%s is answered %d: %s", name, c.answer.Status, c.answer.Body)
			}
			if c.want == http.StatusUnauthorized && c.answer.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s: the answer does not say how to authenticate", name)
			}
		}
		// A proxy on the same machine forwards the public name.
		request, err := http.NewRequest(http.MethodPost, d.BaseURL+"/mcp", strings.NewReader(list))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(base); i += 2 {
			request.Header.Set(base[i], base[i+1])
		}
		request.Host = "svc.example.com"
		response, err := bearerClient(key).Do(request)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("behind a proxy: %v %v", response, err)
		}
		studio.Query(`mutation($k: ID!) { revokeApiKey(input: {id: $k}) { id } }`, map[string]any{"k": id}, nil)
		if answer := post(http.DefaultClient, list, bearer...); answer.Status != http.StatusUnauthorized {
			t.Errorf("a revoked key is answered %d", answer.Status)
		}
	})

	t.Run("calls are audited and limited by key", func(t *testing.T) {
		id, key := studio.key("", all...)
		client := overHTTP(t, d, key)
		passed := 0
		for range 130 {
			text, refused := client.try("docs", map[string]any{"query": "consent"})
			switch {
			case !refused:
				passed++
			case !strings.HasPrefix(text, "rate_limited: "):
				t.Fatal(text)
			}
		}
		// Calls of the beginning count less once their minute is over.
		if passed < 120 || passed == 130 {
			t.Errorf("%d of 130 calls passed", passed)
		}
		if n := countRows(t, d, `select count(*) from audit_entries where action = 'mcp.call' and subject = 'docs'
			and api_key_id = $1`, id); n != passed {
			t.Errorf("%d calls passed, %d are in the audit log", passed, n)
		}
		if exit, _, stderr := Run(t, []string{"SVC_API_URL=" + d.BaseURL}, "mcp"); exit == 0 ||
			!strings.Contains(stderr, "no_api_key") {
			t.Errorf("svc mcp without a key: %d %s", exit, stderr)
		}
	})

	t.Run("messages are limited by key, whatever they are", func(t *testing.T) {
		_, key := studio.key("", all...)
		_, other := studio.key("", all...)
		statuses := map[int]int{}
		send := func(key, method string) (int, http.Header) {
			body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{}}`
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.BaseURL+"/mcp", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Accept", "application/json, text/event-stream")
			response, err := (&http.Client{Transport: bearer(key)}).Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			return response.StatusCode, response.Header
		}
		for i := range 660 {
			method := []string{"ping", "tools/list", "nope"}[i%3]
			status, header := send(key, method)
			statuses[status]++
			if status == http.StatusTooManyRequests && header.Get("Retry-After") == "" {
				t.Fatal("a refusal does not say when to try again")
			}
		}
		// Messages of the beginning count less once their minute is over.
		if limited := statuses[http.StatusTooManyRequests]; limited == 0 || limited > 60 {
			t.Errorf("of 660 messages %v", statuses)
		}
		if status, _ := send(other, "ping"); status != http.StatusOK {
			t.Errorf("another key is answered %d", status)
		}
	})

	t.Run("calls with wrong arguments count", func(t *testing.T) {
		_, key := studio.key("", all...)
		client := overHTTP(t, d, key)
		limited := 0
		for range 130 {
			text, refused := client.try("report", map[string]any{"app": app, "report": "nope"})
			if !refused {
				t.Fatal(text)
			}
			if strings.HasPrefix(text, "rate_limited: ") {
				limited++
			}
		}
		// Calls of the beginning count less once their minute is over.
		if limited == 0 || limited > 10 {
			t.Errorf("%d of 130 wrong calls met the limit of 120", limited)
		}
	})

	t.Run("a flow is built and can't be published", func(t *testing.T) {
		_, key := studio.key("", all...)
		buildFlow(t, d, studio, overHTTP(t, d, key), app)
	})
}

func bearerClient(key string) *http.Client { return &http.Client{Transport: bearer(key)} }
