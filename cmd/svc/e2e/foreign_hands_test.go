package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// received keeps what a receiver of webhooks is sent.
type received struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
}

func newReceived(t *testing.T) *received {
	r := &received{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.bodies = append(r.bodies, string(body))
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *received) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.bodies...)
}

// codeOf is the code of a GraphQL error, "" without one.
func codeOf(err error) string {
	var failed *GraphQLError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &failed):
		return failed.Code
	}
	return err.Error()
}

// Whoever may draft automations, but not send, redirects nothing of one that is active: what it sends comes to its
// receiver alone, as it was published.
func TestEditorsRedirectNothingThatRuns(t *testing.T) {
	t.Parallel()
	d := StartDev(t, []string{"SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0"}, "--demo=none")
	studio := d.SignIn(t, d.BaseURL)
	theirs, evil := newReceived(t), newReceived(t)
	automation := newSender(d, studio, theirs.URL, "thanks")
	var own struct {
		App struct {
			WebhookEndpoints []struct{ ID string }
		}
	}
	app := d.Apps[0].ID
	studio.Query(`query($a: ID!) { app(id: $a) { webhookEndpoints { id } } }`, map[string]any{"a": app}, &own)
	endpoint := own.App.WebhookEndpoints[0].ID
	var segment struct{ CreateSegment struct{ ID string } }
	studio.Query(`mutation($a: ID!) { createSegment(input: {appId: $a, name: "Buyers"}) { id } }`,
		map[string]any{"a": app}, &segment)
	var onSegment struct{ CreateAutomation struct{ ID string } }
	studio.Query(`mutation($a: ID!, $d: JSON!) { createAutomation(input: {appId: $a, environment: LIVE, name: "S", definition: $d}) { id } }`,
		map[string]any{"a": app, "d": map[string]any{
			"trigger": map[string]any{"type": "segment", "segmentId": segment.CreateSegment.ID},
			"nodes": []any{map[string]any{
				"id": "send", "type": "webhook", "messageType": "x", "data": "welcome", "endpointId": endpoint,
			}},
		}}, &onSegment)
	for _, step := range []string{"publish", "activate"} {
		studio.Query(`mutation($i: ID!) { `+step+`Automation(input: {id: $i}) { state } }`,
			map[string]any{"i": onSegment.CreateAutomation.ID}, nil)
	}

	taking := func(to string) map[string]any {
		return map[string]any{
			"trigger": map[string]any{"type": "event", "event": "go"},
			"nodes": []any{map[string]any{
				"id": "send", "type": "webhook", "messageType": "x", "always": true, "endpointId": to,
				"data": "{{person.email}} {{person.phone}} {{attributes.tier}}",
			}},
		}
	}
	for name, scopes := range map[string][]string{
		"engage:manage": {"ENGAGE_READ", "ENGAGE_MANAGE", "SEGMENT_MANAGE"}, "with customers:read": {"ENGAGE_READ", "ENGAGE_MANAGE", "SEGMENT_MANAGE", "CUSTOMERS_READ"},
	} {
		_, secret := studio.key("", scopes...)
		ask := func(document string, variables map[string]any, data any) error {
			return Ask(http.DefaultClient, d.GraphQLURL, document, variables, data, "Authorization", "Bearer "+secret)
		}
		var mine struct {
			CreateWebhookEndpoint struct{ Endpoint struct{ ID string } }
			CreateAutomation      struct{ ID string }
		}
		if err := ask(`mutation($a: ID!, $u: String!) { createWebhookEndpoint(input: {appId: $a, environment: LIVE, name: "M", url: $u}) {
			endpoint { id } } }`, map[string]any{"a": app, "u": evil.URL}, &mine); err != nil {
			t.Fatal(err)
		}
		if err := ask(`mutation($a: ID!, $d: JSON!) { createAutomation(input: {appId: $a, environment: LIVE, name: "M", definition: $d}) { id } }`,
			map[string]any{"a": app, "d": taking(mine.CreateWebhookEndpoint.Endpoint.ID)}, &mine); err != nil {
			t.Fatal(err)
		}
		// A draft is nobody's concern; that it works is.
		variables := map[string]any{
			"i": automation, "e": endpoint, "a": app, "u": evil.URL, "s": segment.CreateSegment.ID, "m": mine.CreateAutomation.ID,
			"d": taking(mine.CreateWebhookEndpoint.Endpoint.ID), "on": onSegment.CreateAutomation.ID,
		}
		if err := ask(`mutation($i: ID!, $d: JSON!) { saveAutomation(input: {id: $i, definition: $d}) { id } }`, variables, nil); err != nil {
			t.Errorf("%s: draft: %v", name, err)
		}
		for _, attack := range []string{
			`mutation($i: ID!) { publishAutomation(input: {id: $i}) { version } }`,
			`mutation($i: ID!) { publishAutomation(input: {id: $i, dryRun: true}) { version } }`,
			`mutation($i: ID!) { activateAutomation(input: {id: $i}) { state } }`,
			`mutation($m: ID!) { activateAutomation(input: {id: $m}) { state } }`,
			`mutation($i: ID!) { pauseAutomation(input: {id: $i}) { state } }`,
			`mutation($i: ID!) { enrolPeople(input: {automationId: $i, appUserIds: ["x"]}) { entered } }`,
			`mutation($e: ID!, $u: String!) { updateWebhookEndpoint(input: {id: $e, url: $u}) { id } }`,
			`mutation($e: ID!, $u: String!) { updateWebhookEndpoint(input: {id: $e, name: "x", url: $u, enabled: true}) { id } }`,
			`mutation($e: ID!) { updateWebhookEndpoint(input: {id: $e, enabled: false}) { id } }`,
			`mutation($e: ID!) { updateWebhookEndpoint(input: {id: $e, notifications: true}) { id } }`,
			`mutation($e: ID!) { rotateWebhookSecret(input: {id: $e}) { secret } }`,
			`mutation($e: ID!) { retireWebhookSecret(input: {id: $e}) { id } }`,
			`mutation($s: ID!) { importSegmentMembers(input: {segmentId: $s, kind: APP_USER, values: ["vic"]}) { id } }`,
			`mutation($s: ID!) { updateSegment(input: {id: $s, importedOnly: false, windowDays: 7}) { id } }`,
			`mutation($s: ID!) { deleteSegment(input: {id: $s}) }`,
			`mutation($a: ID!) { setAutomationLimits(input: {appId: $a, environment: LIVE, cap: 0}) { cap } }`,
		} {
			if code := codeOf(ask(attack, used(attack, variables), nil)); code != "forbidden" {
				t.Errorf("%s: %s: %q", name, attack, code)
			}
		}
		if err := ask(`mutation($m: ID!) { publishAutomation(input: {id: $m}) { version } }`, used("$m", variables), nil); (err == nil) !=
			strings.Contains(name, "customers") {
			t.Errorf("%s: publishing what tells of people: %v", name, err)
		}
		// Messages and explanations name people.
		for _, attack := range []string{
			`query($e: ID!) { webhookEndpoint(id: $e) { deliveries(first: 5) { appUserId } } }`,
			`query($i: ID!) { automation(id: $i) { explanation(appUserId: "vic") { __typename } } }`,
			`query($i: ID!) { automation(id: $i) { testRun(days: 7) { __typename } } }`,
		} {
			code := codeOf(ask(attack, used(attack, variables), nil))
			if want := map[bool]string{true: "", false: "forbidden"}[strings.Contains(name, "customers")]; code != want {
				t.Errorf("%s: %s: %q", name, attack, code)
			}
		}
	}
	walk := newEvent("vic", "s")
	walk["name"] = "go"
	time.Sleep(2 * time.Second) // servers look for what is automated every second
	for _, request := range []struct {
		path string
		body map[string]any
	}{
		{"identify", map[string]any{"appUserId": "vic", "customUserId": "vic-42", "email": "vic@example.com",
			"marketingConsent": "denied", "phone": "+4912345", "attributes": map[string]any{"tier": "gold"}}},
		{"track", walk},
	} {
		answer, err := Do(http.DefaultClient, http.MethodPost, d.BaseURL+"/v1/sdk/"+request.path, request.body,
			"Authorization", "Bearer "+d.Apps[0].Environments["live"].PublishableKey)
		if err != nil || answer.Status != http.StatusOK {
			t.Fatalf("%s: %v %d %s", request.path, err, answer.Status, answer.Body)
		}
	}
	var rows int
	Until(t, 20*time.Second, "what was published is sent", func() error {
		query(t, d, `select count(*) from webhook_delivery where state <> 'delivered'`, &rows)
		if len(theirs.all()) == 0 && len(evil.all()) == 0 || rows > 0 {
			return fmt.Errorf("%d wait", rows)
		}
		return nil
	})
	for _, body := range append(theirs.all(), evil.all()...) {
		if !strings.Contains(body, "thanks") || strings.Contains(body, "vic@") || strings.Contains(body, "gold") {
			t.Errorf("sent %s", body)
		}
	}
	if n := len(evil.all()); n > 0 || len(theirs.all()) != 1 {
		t.Errorf("the attacker was sent %d messages, the receiver %d", n, len(theirs.all()))
	}
}

// used are the variables that a document names.
func used(document string, variables map[string]any) map[string]any {
	named := map[string]any{}
	for name, value := range variables {
		if strings.Contains(document, "$"+name+":") || document == "$"+name {
			named[name] = value
		}
	}
	return named
}

// known is what a server knows of a person.
type known struct {
	Email, Phone, FirstName, LastName, MarketingConsent string
	TopicConsents                                       []struct{ Topic, Consent string }
}

// Whoever has the public key of an app learns nothing of a person whose custom user id they guess, and replaces nothing
// that is known of them: not by the id, not by what they said before they named it, and with proof required not by
// having named it first.
func TestAGuessedCustomUserIDOpensNothing(t *testing.T) {
	t.Parallel()
	d := StartDev(t, []string{"SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0"}, "--demo=none")
	studio, app, key := d.SignIn(t, d.BaseURL), d.Apps[0].ID, d.Apps[0].Environments["live"].PublishableKey
	identify := func(body map[string]any) (answer map[string]any) {
		t.Helper()
		sent, err := Do(http.DefaultClient, http.MethodPost, d.BaseURL+"/v1/sdk/identify", body, "Authorization", "Bearer "+key)
		if err != nil || sent.Status != http.StatusOK {
			t.Fatalf("%v: %v %d %s", body, err, sent.Status, sent.Body)
		}
		sent.Decode(t, &answer)
		return answer
	}
	read := func() string {
		var data struct{ App struct{ Person known } }
		studio.Query(`query($a: ID!) { app(id: $a) { person(environment: LIVE, customUserId: "vic-42") {
			email phone firstName lastName marketingConsent topicConsents { topic consent } } } }`, map[string]any{"a": app}, &data)
		text, _ := json.Marshal(data.App.Person)
		return string(text)
	}
	owner := map[string]any{
		"appUserId": "vic-dev", "customUserId": "vic-42", "email": "vic@example.com", "marketingConsent": "denied",
		"phone": "+4912345", "firstName": "Vic", "lastName": "Toria",
		"topicConsents": map[string]any{"delicate": "granted", "news": "denied"},
	}
	identify(owner)
	before := read()
	attacks := func(mode string) []map[string]any {
		device := func(n int) string { return fmt.Sprint("att-", mode, "-", n) }
		identify(map[string]any{"appUserId": device(4), "email": "evil@x.de", "marketingConsent": "granted", "phone": "1",
			"topicConsents": map[string]any{"news": "granted"}})
		identify(map[string]any{"appUserId": device(5), "customUserId": "att", "email": "evil@x.de", "marketingConsent": "granted"})
		return []map[string]any{
			{"appUserId": device(1), "customUserId": "vic-42"},
			{"appUserId": device(1), "customUserId": "nobody-" + mode},
			{"appUserId": device(1), "customUserId": "vic-42", "email": "evil@x.de", "marketingConsent": "granted"},
			{"appUserId": device(1), "email": "evil@x.de", "marketingConsent": "granted"},
			{"appUserId": device(2), "customUserId": "vic-42", "phone": "666", "firstName": "Eve", "lastName": "Il"},
			{"appUserId": device(2), "customUserId": "vic-42", "phone": "", "firstName": "", "lastName": ""},
			{"appUserId": device(2), "attributes": map[string]any{"first_name": "Eve", "phone": "666", "email": "evil@x.de"}},
			{"appUserId": device(3), "customUserId": "vic-42", "topicConsents": map[string]any{"news": "granted"}},
			{"appUserId": device(3), "customUserId": "vic-42", "email": "vic@example.com", "emailMarketingConsent": "granted"},
			{"appUserId": device(4), "customUserId": "vic-42"}, // said all of it before
			{"appUserId": device(5), "customUserId": "vic-42", "email": "evil@x.de", "marketingConsent": "granted"},
			{"appUserId": device(6), "customUserId": "vic-42", "customUserIdProof": strings.Repeat("0", 64), "phone": "666"},
			{"appUserId": device(7), "customUserId": " vic-42", "email": "evil@x.de", "marketingConsent": "granted"},
		}
	}
	tellsNothing := func(mode string, attack, answer map[string]any) {
		t.Helper()
		text, _ := json.Marshal(answer)
		for _, secret := range []string{"delicate", "vic@example.com", "+4912345", "Vic"} {
			if strings.Contains(string(text), secret) && attack["email"] != secret {
				t.Errorf("%s: %v: answered %s", mode, attack, text)
			}
		}
		if answer["merged"] != false || attack["marketingConsent"] == nil && attack["emailMarketingConsent"] == nil &&
			answer["marketingConsent"] != "unknown" {
			t.Errorf("%s: %v: answered %s", mode, attack, text)
		}
		if after := read(); after != before {
			t.Errorf("%s: %v:\n%s, before it\n%s", mode, attack, after, before)
			identify(owner)
		}
	}
	var secret struct{ RotateIdentitySecret struct{ Secret string } }
	studio.Query(`mutation($a: ID!) { rotateIdentitySecret(input: {appId: $a, environment: LIVE}) { secret } }`,
		map[string]any{"a": app}, &secret)
	for _, mode := range []string{"OFF", "WATCH", "REQUIRED"} {
		studio.Query(`mutation($a: ID!, $m: IdentityProofMode!) {
			setIdentityProof(input: {appId: $a, environment: LIVE, mode: $m}) { mode } }`, map[string]any{"a": app, "m": mode}, nil)
		time.Sleep(time.Second) // in which every server follows
		if mode == "REQUIRED" {
			key := hmac.New(sha256.New, []byte(secret.RotateIdentitySecret.Secret))
			_, _ = io.WriteString(key, "vic-42")
			owner["customUserIdProof"] = hex.EncodeToString(key.Sum(nil))
			if answer := identify(owner); answer["unproved"] != nil {
				t.Errorf("the owner is answered %v", answer)
			}
		}
		for _, attack := range attacks(mode) {
			answer := identify(attack)
			tellsNothing(mode, attack, answer)
			if _, names := attack["customUserId"]; names && (mode == "REQUIRED") != (answer["unproved"] == true) {
				t.Errorf("%s: %v: answered %v", mode, attack, answer)
			}
		}
	}
}
