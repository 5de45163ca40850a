package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/mail/mailtest"
)

// TestEveryKindOfNotificationIsTold brings about what each kind of notification tells of, as the world does, and sees
// that members and an endpoint are told: once, however often servers start.
func TestEveryKindOfNotificationIsTold(t *testing.T) {
	t.Parallel()
	d := StartDev(t, []string{
		"SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0", "SVC_OPERATOR_KEY=" + operatorKey,
	}, "--demo=none")
	studio, app := d.SignIn(t, d.BaseURL), d.Apps[0].ID
	key := d.Apps[0].Environments["live"].PublishableKey
	var workspace string
	query(t, d, `select id from workspaces`, &workspace)
	operate := func(args ...string) {
		t.Helper()
		if exit, _, stderr := Run(t, []string{"SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + operatorKey}, args...); exit != 0 {
			t.Fatalf("svc %v: %s", args, stderr)
		}
	}

	type message struct {
		Type string
		Data struct {
			Kind, Severity, Title, Text string
			About                       map[string]any
		}
	}
	var mu sync.Mutex
	told := map[string][]message{}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var m message
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Errorf("a webhook: %v", err)
		}
		mu.Lock()
		defer mu.Unlock()
		told[m.Type] = append(told[m.Type], m)
	}))
	defer receiver.Close()
	closed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusGone)
	}))
	defer closed.Close()
	for name, url := range map[string]string{"Ours": receiver.URL, "Closed": closed.URL} {
		var made struct {
			CreateWebhookEndpoint struct{ Endpoint struct{ ID string } }
		}
		studio.Query(`mutation($a: ID!, $n: String!, $u: String!) {
			createWebhookEndpoint(input: {appId: $a, environment: LIVE, name: $n, url: $u}) { endpoint { id } } }`,
			map[string]any{"a": app, "n": name, "u": url}, &made)
		studio.Query(`mutation($i: ID!) { updateWebhookEndpoint(input: {id: $i, notifications: true}) { id } }`,
			map[string]any{"i": made.CreateWebhookEndpoint.Endpoint.ID}, nil)
	}

	// An experiment that somebody stops, which "Closed" answers 410, and one whose people have runs of one arm mostly.
	flow, version := studio.Publish(app, "Plants", example(t, "branching-onboarding"))
	arms := func(name string) (channel, experiment string, variants []string) {
		channel = studio.CreateChannel(app, name)
		studio.Pin(channel, version)
		experiment, variants = studio.StartExperiment(channel, version, version)
		return channel, experiment, variants
	}
	_, stopped, _ := arms("Stopped")
	studio.Query(`mutation($i: ID!) { stopExperiment(input: {id: $i}) { id } }`, map[string]any{"i": stopped}, nil)
	channel, odd, variants := arms("Odd")
	var events []any
	for n := range 200 {
		events = append(events, map[string]any{
			"eventId": uuid.NewString(), "name": "flow_started", "flowId": flow, "versionId": version, "runId": uuid.NewString(),
			"seq": 0, "experimentId": odd, "variantId": variants[min(n/150, 1)],
			"timestamp": time.Now().UTC().Format(time.RFC3339Nano),
			"identity":  map[string]any{"appUserId": fmt.Sprint("p", n), "sessionId": "s"},
		})
	}
	post := func(path string, body any, headers ...string) int {
		t.Helper()
		answer, err := Do(http.DefaultClient, http.MethodPost, d.BaseURL+path, body, headers...)
		if err != nil {
			t.Fatal(err)
		}
		return answer.Status
	}
	sdk := []string{"Authorization", "Bearer " + key, "X-Svc-Channel", channel}

	conn, exec := database(t, d)
	// A version that fewer people complete than the one before it.
	worse := studio.CreateChannel(app, "Worse")
	serveSince(t, conn, studio, worse, version, 72*time.Hour)
	sendRuns(t, d, key, worse, flow, version, 60*time.Hour, 200, 150)
	second := studio.PublishAgain(flow)
	serveSince(t, conn, studio, worse, second, 48*time.Hour)
	sendRuns(t, d, key, worse, flow, second, 40*time.Hour, 200, 50)

	// Who comes is counted from when the server knows that a plan has a limit, which is far away yet.
	operate("plans", "save", "indie", "--features", "integrations", "--live-users", "1000")
	operate("plans", "assign", workspace, "indie")
	var people int
	counted := func(events []any, want int) {
		t.Helper()
		Until(t, 30*time.Second, "people are counted", func() error {
			if got := post("/v1/sdk/events", map[string]any{"events": events}, sdk...); got != http.StatusOK {
				t.Fatalf("flow events: %d", got)
			}
			events = events[:1] // again, should the server not have known of the plan
			query(t, d, `select coalesce(sum(people), 0) from live_user_total`, &people)
			if people != want {
				return fmt.Errorf("%d people", people)
			}
			return nil
		})
	}
	counted(events[:1], 1)
	counted(events, len(events))

	// Events that are refused.
	var refused []any
	for range 150 {
		refused = append(refused, map[string]any{
			"eventId": uuid.NewString(), "name": "", "identity": map[string]any{"appUserId": "p0"},
		})
	}
	if got := post("/v1/sdk/analytics/events", map[string]any{"events": refused}, sdk...); got != http.StatusOK {
		t.Fatalf("refused events: %d", got)
	}

	// A billing provider with a wrong secret, whose connection is older than an hour.
	wrong := studio.Connect(app, "STRIPE")
	wrong.Secret += "x"
	delivery := SubscriptionEvents("STRIPE", "wrong")[0]
	if got := post(wrong.Path, delivery.Body, wrong.headers(delivery, time.Now())...); got < 400 {
		t.Fatalf("a delivery with a wrong signature: %d", got)
	}
	exec(`update revenue_connection set created_at = now() - interval '2 hours'`)

	// A plan with as many people as there are, whose payment is late.
	operate("plans", "save", "indie", "--features", "integrations", "--live-users", fmt.Sprint(people))
	operate("plans", "past-due", workspace, "--since", time.Now().Add(-time.Minute).UTC().Format(time.RFC3339))
	Until(t, 10*time.Second, "refusals are counted", func() error {
		var counted int
		query(t, d, `select coalesce(sum((select sum(n::int) from jsonb_each_text(rejected) r (c, n))), 0) from ingest_stat`,
			&counted)
		if counted < 150 {
			return fmt.Errorf("%d refused events", counted)
		}
		return nil
	})

	// A request to publish, twice for one revision.
	var draft struct{ Flow struct{ DraftRevision int } }
	studio.Query(`query($f: ID!) { flow(id: $f) { draftRevision } }`, map[string]any{"f": flow}, &draft)
	for range 2 {
		studio.Query(`mutation($f: ID!, $r: Int!) { requestPublish(input: {flowId: $f, revision: $r}) { id } }`,
			map[string]any{"f": flow, "r": draft.Flow.DraftRevision}, nil)
	}

	// An alert that has the hours before to look at.
	studio.Query(`mutation($a: ID!) { createAlert(input: {appId: $a, name: "Few visitors",
		rule: {condition: {below: 1000000}}}) { id } }`, map[string]any{"a": app}, nil)
	exec(`update alerts set due_at = now(), state = jsonb_build_object('judged',
		to_char(now() at time zone 'UTC' - interval '3 hours', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))`)

	// A server looks at everything when it begins to lead; what it has told of it does not tell again.
	want := map[string]struct{ severity, title string }{
		"EXPERIMENT_ENDED":      {"INFO", "“Split”"},
		"EXPERIMENT_SPLIT":      {"WARNING", "not split as planned"},
		"PLAN_LIMIT_NEAR":       {"WARNING", fmt.Sprintf("%d of %[1]d monthly active users", people)},
		"PLAN_LIMIT_REACHED":    {"CRITICAL", "is reached"},
		"SUBSCRIPTION_PAST_DUE": {"WARNING", "days of grace left"},
		"ENDPOINT_DISABLED":     {"", "“Closed”"},
		"INGEST_REFUSED":        {"WARNING", "(live) are refused"},
		"REVENUE_FAILING":       {"CRITICAL", "“STRIPE”"},
		"ALERT":                 {"WARNING", "Alert “Few visitors” fires"},
		"VERSION_HARM":          {"CRITICAL", "v2 of “Plants” is worse than v1"},
		"PUBLISH_REQUESTED":     {"INFO", "Publishing “Plants” is requested"},
	}
	for range 2 {
		d.Stop()
		d.Start(t)
		Until(t, time.Minute, "every kind is told of by rows and webhooks", func() error {
			var data struct {
				Workspace struct {
					Notifications struct {
						Nodes []struct{ Kind, Severity, Title string }
					}
				}
			}
			d.SignIn(t, d.BaseURL).Query(
				`query($w: ID!) { workspace(id: $w) { notifications(first: 50) { nodes { kind severity title } } } }`,
				map[string]any{"w": workspace}, &data)
			rows := map[string]int{}
			for _, n := range data.Workspace.Notifications.Nodes {
				rows[n.Kind]++
				if w := want[n.Kind]; !strings.Contains(n.Title, w.title) || w.severity != "" && n.Severity != w.severity {
					t.Fatalf("%s says %s: %q", n.Kind, n.Severity, n.Title)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for kind := range want {
				name := "notification." + strings.ToLower(kind)
				if rows[kind] != 1 || len(told[name]) != 1 || told[name][0].Data.Text == "" {
					return fmt.Errorf("%s: %d rows, webhooks %v", kind, rows[kind], told[name])
				}
			}
			if len(rows) != len(want) || len(told) != len(want) {
				t.Fatalf("also told: %v, %v", rows, slices.Collect(maps.Keys(told)))
			}
			return nil
		})
	}
}

// TestAlertsSurviveKilledServers kills the server between the look at an alert and the email that tells of it. Each
// alert is told once.
func TestAlertsSurviveKilledServers(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	_, exec := database(t, d)
	smtp := mailtest.New(t, mailtest.Options{})
	var posted atomic.Int64
	slack := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		posted.Add(1)
		_, _ = w.Write([]byte("ok"))
	}))
	defer slack.Close()
	steps := []struct{ name, trigger, table string }{
		{"before it is posted", `trigger stop_here before insert on notification`, "notification"},
		{"before that is committed", `constraint trigger stop_here after insert on notification
			deferrable initially deferred`, "notification"},
		{"before the email and the message to Slack are sent", `trigger stop_here before update of attempts on mail_outbox`,
			"mail_outbox"},
	}
	studio := d.SignIn(t, d.BaseURL)
	for _, step := range steps { // paused as soon as it is there
		studio.Query(`mutation($a: ID!, $n: String!, $u: String!) { createAlert(input: {appId: $a, name: $n, slackUrl: $u,
			rule: {condition: {below: 5}}}) { id } }`,
			map[string]any{"a": d.Apps[0].ID, "n": step.name, "u": slack.URL + "/services/secret"}, nil)
		exec(`update alerts set paused = true`)
	}
	d.Signal(syscall.SIGSTOP) // the server that keeps the database does nothing itself from now on
	t.Cleanup(func() { d.Signal(syscall.SIGCONT) })
	exec(`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`)
	serve := func() *Process {
		server, _ := d.Serve(t, "SVC_SMTP_HOST="+smtp.Host, "SVC_SMTP_PORT="+strconv.Itoa(smtp.Port), "SVC_SMTP_TLS=off",
			"SVC_MAIL_FROM=svc@example.com", "SVC_WEBHOOK_NETWORKS=127.0.0.0/8")
		return server
	}
	exec(`insert into mail_address (user_id, address) select id, email from users on conflict do nothing`)
	exec(stopHere)
	for n, step := range steps {
		exec(`update alerts set paused = false, due_at = now(), updated_at = now(), state = jsonb_build_object('judged',
			to_char(date_trunc('hour', now()) at time zone 'UTC' - interval '3 hours', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
			where name = $1`, step.name)
		exec(`create ` + step.trigger + ` for each row execute function stop_here()`)
		exec(`select pg_advisory_lock(4711)`)
		server := serve() // it looks at once
		Until(t, time.Minute, step.name, func() error {
			if countRows(t, d, `select count(*)`+stoppedHere) == 0 {
				return errors.New("the server is not there yet")
			}
			return nil
		})
		server.Kill()
		// The database would go on with what it was asked.
		exec(`select pg_terminate_backend(pid)` + stoppedHere)
		exec(`select pg_advisory_unlock(4711)`)
		exec(`drop trigger stop_here on ` + step.table)
		server = serve()
		Until(t, time.Minute, "the email and the message to Slack are sent", func() error {
			if sent := countRows(t, d, `select count(*) from mail_outbox where state = 'sent'`); sent != 2*(n+1) {
				return fmt.Errorf("%d are sent", sent)
			}
			return nil
		})
		server.Stop()
		told, mails := countRows(t, d, `select count(*) from notification`), len(smtp.Received())
		if told != n+1 || mails != n+1 || posted.Load() != int64(n+1) {
			t.Fatalf("killed %s: %d notifications, %d emails and %d messages to Slack, want %d", step.name, told, mails,
				posted.Load(), n+1)
		}
	}
}
