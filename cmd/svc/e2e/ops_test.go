package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Database makes an empty database beside that of d and returns its URL.
func (d *Dev) Database(t testing.TB, name string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "create database "+pgx.Identifier{name}.Sanitize()); err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/" + name
	return address.String()
}

// logLines returns the JSON lines of a log; every line must be one.
func logLines(t testing.TB, text string) []map[string]any {
	t.Helper()
	var lines []map[string]any
	for line := range strings.Lines(text) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("a log line is not JSON: %s", line)
			continue
		}
		lines = append(lines, entry)
	}
	return lines
}

// admin returns the admin address of a `svc serve`.
func admin(t testing.TB, p *Process) string {
	t.Helper()
	for _, entry := range logLines(t, p.Log()) {
		if entry["msg"] == "serving" {
			return "http://" + entry["admin"].(string)
		}
	}
	t.Fatal("no admin address in the log")
	return ""
}

func get(t testing.TB, address string, headers ...string) Answer {
	t.Helper()
	answer, err := Do(http.DefaultClient, http.MethodGet, address, nil, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// TestOperations is about what an operator sees of a server. One database does
// for all parts; each starts servers of its own on it.
func TestOperations(t *testing.T) {
	d := StartDev(t, nil, "--demo=none")
	for _, part := range []struct {
		name  string
		holds func(*testing.T, *Dev)
	}{
		{"SIGTERM drains", drains},
		{"requests are taken during the shutdown delay", delaysItsShutdown},
		{"metrics tell what is answered", showsMetrics},
		{"logs name requests and keep secrets", logsWithoutSecrets},
		{"rate limits say when to come back", limitsRates},
		{"every answer has security headers", sendsSecurityHeaders},
	} {
		t.Run(part.name, func(t *testing.T) { part.holds(t, d) })
	}
}

func drains(t *testing.T, d *Dev) {
	key := d.Apps[0].Environments["live"].PublishableKey
	p, address := d.Serve(t, "SVC_ADMIN_ADDR=127.0.0.1:0")
	ready := admin(t, p) + "/readyz"
	if answer := get(t, ready); answer.Status != 200 {
		t.Fatalf("ready: %d %s", answer.Status, answer.Body)
	}
	// Events whose second half arrives after SIGTERM.
	body, err := json.Marshal(map[string]any{"events": []event{newEvent("drained-1", "s"), newEvent("drained-2", "s")}})
	if err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(address, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(
		conn,
		"POST /v1/sdk/analytics/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: "+
			"application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		host, key, len(body),
	)
	reader := bufio.NewReader(conn)
	if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("the handler does not read the body: %q %v", line, err)
	}
	if _, err := reader.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(body[:len(body)/2]); err != nil {
		t.Fatal(err)
	}
	p.Signal(syscall.SIGTERM)
	Until(t, 10*time.Second, "unready", func() error {
		if answer := get(t, ready); answer.Status != 503 {
			return fmt.Errorf("%d %s", answer.Status, answer.Body)
		}
		return nil
	})
	if healthy := get(t, strings.Replace(ready, "/readyz", "/healthz", 1)); healthy.Status != 200 {
		t.Errorf("healthz while draining: %d", healthy.Status)
	}
	if _, err := conn.Write(body[len(body)/2:]); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 || !strings.Contains(string(content), `"stored":2`) {
		t.Errorf("the open request was answered %d %s %v", response.StatusCode, content, err)
	}
	if exit := p.Wait(); exit != 0 {
		t.Errorf("exit %d", exit)
	}
	var stored, sessions int
	query(t, d, `select (select count(*) from product_event where app_user_id like 'drained-%'),
		(select sum(cardinality(hits)) from product_session where app_user_id like 'drained-%')`, &stored, &sessions)
	if stored != 2 || sessions != 2 {
		t.Errorf("%d events and %d hits are stored, want 2", stored, sessions)
	}
}

// A server with a shutdown delay takes requests after it said that it is not
// ready any more: balancers that have not asked yet still send some.
func delaysItsShutdown(t *testing.T, d *Dev) {
	p, address := d.Serve(t, "SVC_SHUTDOWN_DELAY=3s")
	p.Signal(syscall.SIGTERM)
	Until(t, 2*time.Second, "unready", func() error {
		if answer := get(t, address+"/readyz"); answer.Status != 503 {
			return fmt.Errorf("%d", answer.Status)
		}
		return nil
	})
	answer, body := send(t, address, d.Apps[0].Environments["live"].PublishableKey, []event{newEvent("a", "s")})
	if answer.Status != 200 || body.Stored != 1 {
		t.Errorf("%d %s", answer.Status, answer.Body)
	}
	if exit := p.Wait(); exit != 0 {
		t.Errorf("exit %d", exit)
	}
}

func showsMetrics(t *testing.T, d *Dev) {
	key := d.Apps[0].Environments["live"].PublishableKey
	p, address := d.Serve(t, "SVC_ADMIN_ADDR=127.0.0.1:0")
	send(t, address, key, []event{newEvent("a", "s")})
	send(t, address, "ob_pk_live_nobody", []event{newEvent("a", "s")})
	get(t, address+"/nowhere/"+uuid.NewString())
	get(t, address+"/v1/sdk/analytics/events")
	get(t, address+"/v1/sdk/stripe/checkout-attempts/"+uuid.NewString())
	get(t, address+"/media/nothing.png")
	for _, request := range [][]string{
		{"OPTIONS", "/v1/sdk/resolve", ""}, {"POST", "/v1/sdk/nowhere", "{}"},
		{"POST", "/graphql", `{"query":"{ viewer { email } }"}`},
	} {
		if _, err := Do(http.DefaultClient, request[0], address+request[1], request[2], "Origin", "https://a.example",
			"Access-Control-Request-Method", "POST", "Sec-Fetch-Site", "same-origin"); err != nil {
			t.Fatal(err)
		}
	}
	metrics := string(get(t, admin(t, p)+"/metrics").Body)
	for _, line := range []string{
		`svc_http_requests_total\{method="POST",route="/v1/sdk/analytics/events",status="200"\} 1\n`,
		`svc_http_requests_total\{method="POST",route="/v1/sdk/analytics/events",status="401"\} 1\n`,
		`svc_http_requests_total\{method="GET",route="/v1/sdk/analytics/events",status="405"\} 1\n`,
		`svc_http_requests_total\{method="OPTIONS",route="/v1/sdk/resolve",status="204"\} 1\n`,
		`svc_http_requests_total\{method="GET",route="/v1/sdk/stripe/checkout-attempts/\{attemptId\}",status="401"\} 1\n`,
		`svc_http_requests_total\{method="POST",route="/v1/",status="404"\} 1\n`,
		`svc_http_requests_total\{method="POST",route="/graphql",status="200"\} 1\n`,
		`svc_http_requests_total\{method="GET",route="/media/",status="404"\} 1\n`,
		`svc_http_requests_total\{method="GET",route="unmatched",status="404"\} 1\n`,
		`svc_http_request_seconds_count\{route="/v1/sdk/analytics/events"\} 3\n`,
		`svc_body_bytes 0\n`,
		`svc_ingest_queued_events 0\n`,
		`svc_database_connections\{state="max"\} 20\n`,
		`go_goroutines \d+\n`,
	} {
		if !regexp.MustCompile(line).MatchString(metrics) {
			t.Errorf("no line %s", line)
		}
	}
	if strings.Contains(metrics, key) || strings.Contains(metrics, "nowhere") {
		t.Error("metrics have a key or a path as a label")
	}
	if answer := get(t, address+"/metrics"); answer.Status != 404 {
		t.Errorf("metrics on the public address: %d", answer.Status)
	}
}

func logsWithoutSecrets(t *testing.T, d *Dev) {
	p, address := d.Serve(t, "SVC_LOG_LEVEL=debug", "SVC_TRUSTED_PROXIES=127.0.0.1", "SVC_RATE_LIMIT_ADDRESS=5")
	key := d.Apps[0].Environments["live"].PublishableKey
	const client, wrong = "203.0.113.77", "wrong-horse-battery"
	answer, _ := send(t, address, key, []event{newEvent("a", "s")}, "X-Forwarded-For", client)
	id := answer.Header.Get("X-Request-Id")
	refused, _ := send(t, address, "ob_pk_live_"+wrong, []event{newEvent("a", "s")}, "X-Forwarded-For", client)
	var body struct{ RequestID string }
	refused.Decode(t, &body)
	if body.RequestID == "" || body.RequestID != refused.Header.Get("X-Request-Id") {
		t.Errorf("error body names the request %q, the header %q", body.RequestID, refused.Header.Get("X-Request-Id"))
	}
	for range 8 {
		send(t, address, key, []event{newEvent("a", "s")}, "X-Forwarded-For", client)
	}
	if _, err := Do(
		http.DefaultClient, http.MethodPost, address+"/v1/sdk/analytics/events?key="+key, `{"events":[]}`, "X-Forwarded-For",
		client,
	); err != nil {
		t.Fatal(err)
	}
	d.SignIn(t, address)
	if err := Ask(
		Browser(), address+"/graphql",
		`mutation($p: String!) { signIn(input: {email: "nobody@example.com", password: $p}) { email } }`,
		map[string]any{"p": wrong}, nil,
	); err == nil {
		t.Error("a wrong password signs in")
	}
	if err := Ask(
		Browser(), address+"/graphql", `{ viewer { email } }`, nil, nil, "Authorization", "Bearer "+d.APIKey,
	); err != nil {
		t.Error(err)
	}
	get(t, address+"/setup?token=svc_setup_"+wrong)
	p.Stop()

	known := map[string]bool{}
	for _, entry := range logLines(t, p.Log()) {
		for _, field := range []string{"time", "level", "msg"} {
			if text, _ := entry[field].(string); text == "" {
				t.Errorf("a line has no %s: %v", field, entry)
			}
		}
		if entry["msg"] == "request" {
			known[entry["request"].(string)] = true
			for _, field := range []string{"method", "path", "status", "took"} {
				if entry[field] == nil {
					t.Errorf("a request's line has no %s: %v", field, entry)
				}
			}
		}
	}
	if !known[id] || !known[body.RequestID] {
		t.Errorf("requests %s and %s are not in the log", id, body.RequestID)
	}
	database, err := url.Parse(d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := database.User.Password()
	for what, secret := range map[string]string{
		"publishable key": key, "API key": d.APIKey, "administrator's password": d.Admin.Password, "wrong password": wrong,
		"client's address": client, "database password": password, "person": `"a"`, "administrator's e-mail": d.Admin.Email,
	} {
		if secret == "" || strings.Contains(p.Log(), secret) {
			t.Errorf("the %s is in the log", what)
		}
	}
}

func limitsRates(t *testing.T, d *Dev) {
	key, other := d.Apps[0].Environments["live"].PublishableKey, d.Apps[0].Environments["test"].PublishableKey
	limited := func(address, key string, headers ...string) (taken int) {
		t.Helper()
		for range 12 {
			answer, _ := send(t, address, key, []event{newEvent("a", "s")}, headers...)
			switch {
			case answer.Status == 200:
				taken++
			case answer.Status != 429 || answer.Code() != "rate_limited" || answer.Header.Get("Retry-After") == "":
				t.Fatalf("%d %s %v", answer.Status, answer.Body, answer.Header)
			}
		}
		return taken
	}
	_, perKey := d.Serve(t, "SVC_RATE_LIMIT_KEY=5")
	// A minute that begins during the test may let a few more pass.
	if taken := limited(perKey, key); taken < 5 || taken > 10 {
		t.Errorf("%d requests of 12 passed a limit of 5 for a key", taken)
	}
	if answer, _ := send(t, perKey, other, []event{newEvent("a", "s")}); answer.Status != 200 {
		t.Errorf("another key is limited too: %d", answer.Status)
	}
	_, perAddress := d.Serve(t, "SVC_RATE_LIMIT_ADDRESS=5", "SVC_TRUSTED_PROXIES=127.0.0.1")
	if taken := limited(perAddress, key, "X-Forwarded-For", "203.0.113.1"); taken < 5 || taken > 10 {
		t.Errorf("%d requests of 12 passed a limit of 5 for an address", taken)
	}
	if answer, _ := send(
		t, perAddress, key, []event{newEvent("a", "s")}, "X-Forwarded-For", "203.0.113.2",
	); answer.Status != 200 {
		t.Errorf("another address is limited too: %d", answer.Status)
	}
	_, without := d.Serve(t, "SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0")
	if taken := limited(without, key); taken != 12 {
		t.Errorf("%d requests of 12 passed no limit", taken)
	}
}

func sendsSecurityHeaders(t *testing.T, d *Dev) {
	for _, path := range []string{
		"/", "/setup", "/healthz", "/v1/openapi.json", "/v1/sdk/resolve", "/graphql", "/media/x", "/nowhere",
	} {
		answer := get(t, d.BaseURL+path)
		header := answer.Header
		if header.Get(
			"X-Content-Type-Options",
		) != "nosniff" || header.Get("X-Frame-Options") != "DENY" || header.Get("Referrer-Policy") != "no-referrer" ||
			header.Get("Content-Security-Policy") == "" || strings.Contains(
			header.Get("Content-Security-Policy"), "unsafe-eval",
		) || header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %d %v", path, answer.Status, header)
		}
		if header.Get("Server") != "" {
			t.Errorf("%s names its software: %s", path, header.Get("Server"))
		}
	}
	// Another site's page can't use a signed-in person's cookie.
	d.SignIn(t, d.BaseURL)
	answer, err := Do(
		Browser(), http.MethodPost, d.GraphQLURL, `{"query":"mutation { signOut { email } }"}`, "Origin",
		"https://evil.example", "Sec-Fetch-Site", "cross-site",
	)
	if err != nil || answer.Status != 403 {
		t.Errorf("a mutation from another site: %d %s %v", answer.Status, answer.Body, err)
	}
}
