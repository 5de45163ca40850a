package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
)

// Servers with one role each do together what one with all does, and nothing else.
func TestServersShareTheWorkByRole(t *testing.T) {
	d := StartDev(t, nil, "--demo=none")
	receiver := newHooks(t)
	// The server that keeps the database does nothing itself from now on.
	d.Signal(syscall.SIGSTOP)
	t.Cleanup(func() { d.Signal(syscall.SIGCONT) })
	all := []string{"ingest", "resolve", "reports"}
	address, metrics, processes := map[string]string{}, map[string]string{}, map[string]*Process{}
	for _, roles := range append(slices.Clone(all), "ingest,resolve,reports") {
		p, at := d.Serve(t, "SVC_ADMIN_ADDR=127.0.0.1:0", "SVC_WEBHOOK_NETWORKS=127.0.0.0/8", "SVC_ROLES="+roles)
		address[roles], processes[roles] = at, p
		for _, path := range []string{"/healthz", "/readyz", "/v1/openapi.json"} {
			if answer := get(t, at+path); answer.Status != http.StatusOK {
				t.Errorf("%s on %s: %d", path, roles, answer.Status)
			}
		}
		var media string
		if query(t, d, `select address from media_base`, &media); (media == at) != strings.Contains(roles, "resolve") {
			t.Errorf("flows name %s for media after a server of %s started at %s", media, roles, at)
		}
		metrics[roles] = string(get(t, admin(t, p)+"/metrics").Body)
		answersBy(t, at, d.Apps[0].Environments["live"].PublishableKey, strings.Split(roles, ","))
		if strings.Contains(roles, ",") {
			// From here on each role has one server.
			p.Stop()
		}
	}
	for line, role := range map[string]string{
		"svc_ingest_queued_events 0\n": "ingest", "svc_reports_age_seconds 0\n": "reports", "svc_upkeep_leader 0\n": "reports",
	} {
		for roles, text := range metrics {
			if strings.Contains(text, line) != strings.Contains(roles, role) {
				t.Errorf("%q of %s:\n%s", line, roles, text)
			}
		}
	}
	for roles, text := range metrics {
		for _, role := range all {
			line := fmt.Sprintf("svc_role{role=%q} %d\n", role, strings.Count(roles, role))
			if !strings.Contains(text, line) {
				t.Errorf("no line %q of %s", line, roles)
			}
		}
	}

	app, key := d.Apps[0], d.Apps[0].Environments["live"].PublishableKey
	studio := d.SignIn(t, address["reports"])
	// What is published on one is served by the other within a second.
	channel := studio.CreateChannel(app.ID, "Onboarding")
	flow, current := studio.Publish(app.ID, "Plants", example(t, "branching-onboarding"))
	r := &resolver{t: t, address: address["resolve"], key: key}
	for range 2 {
		studio.Pin(channel, current)
		Until(t, time.Second, "the pin is served", func() error {
			if answer := r.ask(channel, "u"); answer.Status != http.StatusOK || version(t, answer) != current {
				return fmt.Errorf("answered %d %s, want %s", answer.Status, answer.Body, current)
			}
			return nil
		})
		current = studio.PublishAgain(flow)
	}
	// What is sent to one is in the reports of the other a second later.
	for i := range 3 {
		answer, stored := send(t, address["ingest"], key, []event{newEvent(fmt.Sprint("p", i), "s")})
		if answer.Status != http.StatusOK || stored.Stored != 1 {
			t.Fatalf("answered %d %s", answer.Status, answer.Body)
		}
		time.Sleep(time.Second)
		var report struct {
			App struct {
				ProductAnalytics struct{ Summary struct{ Visitors int } }
			}
		}
		studio.Query(`query($a: ID!) { app(id: $a) { productAnalytics { summary { visitors } } } }`,
			map[string]any{"a": app.ID}, &report)
		if got := report.App.ProductAnalytics.Summary.Visitors; got != i+1 {
			t.Errorf("%d visitors a second after event %d", got, i+1)
		}
	}
	// What is automated on one follows from what is sent to the other.
	var endpoint struct {
		CreateWebhookEndpoint struct{ Endpoint struct{ ID string } }
	}
	studio.Query(`mutation($a: ID!, $u: String!) { createWebhookEndpoint(input: {appId: $a, environment: LIVE, name: "R", url: $u}) {
		endpoint { id } } }`, map[string]any{"a": app.ID, "u": receiver.URL}, &endpoint)
	var made struct{ CreateAutomation struct{ ID string } }
	studio.Query(`mutation($a: ID!, $d: JSON!) { createAutomation(input: {appId: $a, environment: LIVE, name: "A", definition: $d}) { id } }`,
		map[string]any{"a": app.ID, "d": map[string]any{
			"trigger": map[string]any{"type": "event", "event": "go"},
			"nodes": []any{map[string]any{"id": "send", "type": "webhook", "messageType": "x", "data": "{{person.appUserId}}",
				"endpointId": endpoint.CreateWebhookEndpoint.Endpoint.ID}},
		}}, &made)
	for _, step := range []string{"publish", "activate"} {
		studio.Query(`mutation($i: ID!) { `+step+`Automation(input: {id: $i}) { state } }`,
			map[string]any{"i": made.CreateAutomation.ID}, nil)
	}
	time.Sleep(2 * time.Second) // servers look for what is automated every second
	walk := newEvent("walker", "s")
	walk["name"] = "go"
	answer, err := Do(http.DefaultClient, http.MethodPost, address["ingest"]+"/v1/sdk/track", walk, "Authorization", "Bearer "+key)
	if err != nil || answer.Status != http.StatusOK {
		t.Fatalf("track: %v %d %s", err, answer.Status, answer.Body)
	}
	Until(t, 20*time.Second, "the webhook is sent", func() error {
		if len(receiver.of("walker")) == 0 {
			return errors.New("nothing came")
		}
		return nil
	})
	// A role that nobody has is seen and said by the others.
	ready := func(want string) func() error {
		return func() error {
			if got := strings.TrimSpace(string(get(t, address["ingest"]+"/readyz").Body)); got != want {
				return fmt.Errorf("says %s, want %s", got, want)
			}
			return nil
		}
	}
	Until(t, 5*time.Second, "the servers know each other", ready(`{"missingRoles":[],"roles":["ingest"],"status":"ready"}`))
	processes["reports"].Kill()
	Until(t, 10*time.Second, "a role is missing",
		ready(`{"missingRoles":["reports"],"roles":["ingest"],"status":"ready"}`))
	Until(t, 20*time.Second, "the log says so", func() error {
		if !strings.Contains(processes["resolve"].Log(), "no server of this database has some roles") {
			return errors.New(processes["resolve"].Log())
		}
		return nil
	})
}

// answersBy holds a server to its roles: paths of others answer 421 and name theirs.
func answersBy(t *testing.T, address, key string, roles []string) {
	t.Helper()
	events := map[string]any{"events": []event{}}
	for _, c := range []struct {
		roles        []string // one of them serves
		method, path string
		body         any
		status       int
	}{
		{[]string{"ingest"}, "POST", "/v1/sdk/analytics/events", events, 400},
		{[]string{"ingest"}, "POST", "/v1/sdk/events", events, 400},
		{[]string{"ingest"}, "POST", "/v1/sdk/track", events, 400},
		{[]string{"ingest"}, "POST", "/v1/sdk/identify", "{}", 400},
		{[]string{"ingest"}, "POST", "/v1/sdk/billing-identities", "{}", 400},
		{[]string{"ingest"}, "POST", "/v1/sdk/stripe/checkout-attempts", "{}", 400},
		{[]string{"ingest"}, "GET", "/v1/sdk/stripe/checkout-attempts/" + uuid.NewString(), nil, 400},
		{[]string{"ingest"}, "POST", "/v1/webhooks/stripe/" + uuid.NewString(), "{}", 401},
		{[]string{"resolve"}, "POST", "/v1/sdk/resolve", "{}", 400},
		{[]string{"resolve"}, "POST", "/v1/sdk/resolve-all", `{"userId":"u"}`, 200},
		{[]string{"resolve"}, "POST", "/v1/sdk/preview", "{}", 400},
		{[]string{"resolve", "reports"}, "GET", "/media/nothing.png", nil, 404},
		{[]string{"reports"}, "POST", "/graphql", `{"query":"{ __typename }"}`, 200},
		{[]string{"reports"}, "GET", "/", nil, 200},
		{[]string{"reports"}, "GET", "/setup", nil, 404},
		{[]string{"reports"}, "GET", "/nowhere", nil, 404},
	} {
		answer, err := Do(http.DefaultClient, c.method, address+c.path, c.body, "Authorization", "Bearer "+key)
		if err != nil {
			t.Fatal(err)
		}
		serves := slices.ContainsFunc(c.roles, func(role string) bool { return slices.Contains(roles, role) })
		switch {
		case serves && answer.Status == c.status:
		case !serves && answer.Status == http.StatusMisdirectedRequest && answer.Code() == "misdirected_request" &&
			strings.Contains(string(answer.Body), "role "+c.roles[0]):
		default:
			t.Errorf("%s %s on a server of %v: %d %s", c.method, c.path, roles, answer.Status, answer.Body)
		}
		if strings.HasPrefix(c.path, "/v1/sdk") && !serves {
			seen, err := Do(http.DefaultClient, c.method, address+c.path, c.body, "Origin", "https://a.example")
			if err != nil || seen.Header.Get("Access-Control-Allow-Origin") == "" {
				t.Errorf("%s: a page can't read the refusal: %v %v", c.path, seen.Header, err)
			}
		}
	}
}
