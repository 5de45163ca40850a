package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation/scheduledreport"
	"github.com/svc-dev/svc/mail"
)

const (
	createReport = `mutation($a: ID!, $d: ReportDestination!, $u: String, $z: String! = "UTC") { createScheduledReport(input: {
		appId: $a, frequency: WEEKLY, timeZone: $z, destination: $d, slackUrl: $u}) { id active slackUrl nextAt own } }`
	reportsOf   = `query($a: ID!) { app(id: $a) { scheduledReports { id active own slackUrl last { state reason } } } }`
	sendReport  = `mutation($r: ID!) { sendScheduledReport(input: {id: $r}) { accepted reason } }`
	startReport = `mutation($r: ID!) { updateScheduledReport(input: {id: $r, active: true}) { active } }`
)

// nextMonday moves the clock to when the reports about this week are due, and returns when the week began.
func (w *world) nextMonday() time.Time {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	begin := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	w.now = begin.AddDate(0, 0, 7).Add(8*time.Hour + time.Minute)
	return begin
}

// due puts what is due into the outbox, as many servers would that do it at once.
func (w *world) due() {
	var servers sync.WaitGroup
	for range 4 {
		servers.Go(func() {
			if err := w.scheduled.AddDue(context.Background()); err != nil {
				w.t.Error(err)
			}
		})
	}
	servers.Wait()
}

func (w *world) confirmAddresses() {
	_, err := w.db.Pool.Exec(w.t.Context(), `insert into mail_address (user_id, address) select id, email from users`)
	require.NoError(w.t, err)
}

// hangs is an SMTP server that never answers.
type hangs struct{ asked atomic.Int32 }

func (h *hangs) Send(ctx context.Context, _ mail.Message) error {
	h.asked.Add(1)
	<-ctx.Done()
	return ctx.Err()
}

func TestAScheduledReportIsSentOnceWithTheNumbersOfTheReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, viewer := w.shop(), w.as("viewer")
	report := viewer.text(createReport, vars{"a": app, "d": "EMAIL"}, "createScheduledReport", "id")
	begin := w.nextMonday()
	w.confirmAddresses()
	w.due()

	// The server that took the letter is killed while it sends.
	stuck := &hangs{}
	first := mail.NewOutbox(w.db.Pool, mail.Options{Sender: stuck, Every: 10 * time.Millisecond}, w.scheduled.Writers())
	require.NoError(t, first.Start(t.Context()))
	require.Eventually(t, func() bool { return stuck.asked.Load() == 1 }, 20*time.Second, 10*time.Millisecond)
	require.NoError(t, first.Stop(t.Context()))
	_, err := w.db.Pool.Exec(t.Context(), `update mail_outbox set next_attempt_at = now()`) // the lease is over
	require.NoError(t, err)
	smtp := w.sendsMail(mail.Options{})
	m := received(t, smtp, 1)[0]
	require.Equal(t, "sent", w.settled(scheduledreport.ByEmail))
	w.due()
	require.Len(t, smtp.Received(), 1)

	scope := func(from, to time.Time) vars {
		return vars{"range": vars{"start": from.Format(time.RFC3339), "end": to.Format(time.RFC3339)}}
	}
	got := viewer.must(`query($a: ID!, $now: ScopeInput!, $before: ScopeInput!, $r: RangeInput!, $m: RevenueScope!) {
		app(id: $a) { now: productAnalytics(scope: $now) { summary { visitors sessions views bounceRate } }
			before: productAnalytics(scope: $before) { summary { visitors } } ingestHealth(range: $r) { accepted } }
		revenue(scope: $m) { totals { net } } }`, vars{
		"a": app, "now": scope(begin, begin.AddDate(0, 0, 7)), "before": scope(begin.AddDate(0, 0, -7), begin),
		"r": scope(begin, begin.AddDate(0, 0, 7))["range"],
		"m": vars{"appId": app, "range": scope(begin, begin.AddDate(0, 0, 7))["range"]},
	})
	number := func(path ...any) json.Number { return got.at(t, path...).(json.Number) }
	for name, want := range map[string]string{
		"Visitors": string(number("app", "now", "summary", "visitors")),
		"Sessions": string(number("app", "now", "summary", "sessions")), "Views": string(number("app", "now", "summary", "views")),
	} {
		require.Regexp(t, fmt.Sprintf(`(?m)^%s +%s\b`, name, want), m.Text)
		require.Contains(t, strings.ReplaceAll(m.HTML, "\n", ""), ">"+want+"</div>")
	}
	bounced, err := number("app", "now", "summary", "bounceRate").Float64()
	require.NoError(t, err)
	require.Contains(t, m.Text, fmt.Sprintf("%.1f%%", bounced*100))
	require.Contains(t, m.Text, string(number("app", "ingestHealth", "accepted"))+" events accepted")
	require.Contains(t, m.Text, "$12.35")
	require.Equal(t, json.Number("12.345678"), got.at(t, "revenue", "totals", "net"))
	require.NotEmpty(t, m.Images["visitors"])

	// A link that is guessed does nothing; following it only asks; the button and the one click stop the report.
	link := linkOf.FindStringSubmatch(m.Text)[1]
	status, _ := w.follow(http.MethodPost, link[:len(link)-4]+"AAAA")
	require.Equal(t, 404, status)
	status, page := w.follow(http.MethodGet, link)
	require.Equal(t, 200, status)
	require.Contains(t, page, "Stop this report of “Shop”")
	active := func() any {
		return viewer.must(reportsOf, vars{"a": app}).at(t, "app", "scheduledReports", 0, "active")
	}
	require.Equal(t, true, active())
	status, _ = w.follow(http.MethodPost, link)
	require.Equal(t, 200, status)
	require.Equal(t, false, active())
	w.now = w.now.AddDate(0, 0, 7)
	w.due()
	require.Equal(t, "sent", w.settled(scheduledreport.ByEmail), "no more letters")

	// After an outage of a month comes the latest alone.
	viewer.must(startReport, vars{"r": report})
	w.now = w.now.AddDate(0, 0, 29)
	w.due()
	require.Equal(t, "sent sent", w.settled(scheduledreport.ByEmail))
	require.Len(t, received(t, smtp, 2), 2)
	require.Equal(t, map[string]any{"state": "SENT", "reason": ""},
		viewer.must(reportsOf, vars{"a": app}).at(t, "app", "scheduledReports", 0, "last"))

	// Who is no member any more gets nothing.
	_, err = w.db.Pool.Exec(t.Context(), `delete from memberships where role = 'viewer'`)
	require.NoError(t, err)
	w.now = w.now.AddDate(0, 0, 7)
	w.due()
	require.Equal(t, "sent sent", w.settled(scheduledreport.ByEmail))
}

func TestAReportToSlackKeepsItsURL(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, owner := w.app(`Shop <!channel> <script>`), w.as("owner")
	var mu sync.Mutex
	var bodies []string
	status := http.StatusOK
	channel := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		bodies = append(bodies, string(body))
		rw.WriteHeader(status)
		_, _ = io.WriteString(rw, "no_service")
	}))
	t.Cleanup(channel.Close)
	url := channel.URL + "/services/T0/B0/verysecretABCD"
	require.Equal(t, "forbidden", w.as("editor").do(createReport, vars{"a": app, "d": "SLACK", "u": url}).code())
	require.Equal(t, "invalid_input", owner.do(createReport, vars{"a": app, "d": "SLACK", "u": "gopher://x"}).code())
	require.Equal(t, "invalid_input", owner.do(createReport, vars{"a": app, "d": "EMAIL", "u": url}).code())
	require.Equal(t, "invalid_input", owner.do(createReport, vars{"a": app, "d": "EMAIL", "z": "../etc"}).code())
	report := owner.text(createReport, vars{"a": app, "d": "SLACK", "u": url}, "createScheduledReport", "id")

	// Others of the workspace who manage it see that there is one, and nobody sees the URL.
	shown := w.as("admin").must(reportsOf, vars{"a": app}).at(t, "app", "scheduledReports", 0).(map[string]any)
	require.Equal(t, report, shown["id"])
	require.Equal(t, false, shown["own"])
	require.True(t, strings.HasSuffix(shown["slackUrl"].(string), "/…ABCD"))
	require.NotContains(t, shown["slackUrl"], "secret")
	require.Empty(t, w.as("viewer").must(reportsOf, vars{"a": app}).at(t, "app", "scheduledReports"))
	var stored string
	require.NoError(t, w.db.Pool.QueryRow(t.Context(), `select s::text from scheduled_reports s`).Scan(&stored))
	require.NotContains(t, stored, "verysecret")

	require.Equal(t, true, owner.must(sendReport, vars{"r": report}).at(t, "sendScheduledReport", "accepted"))
	w.nextMonday()
	w.due()
	w.sendsMail(mail.Options{})
	require.Equal(t, "sent", w.settled(scheduledreport.BySlack))
	mu.Lock()
	require.Len(t, bodies, 2)
	require.NotContains(t, strings.Join(bodies, ""), `\u003c!channel`)
	require.Contains(t, bodies[1], "Visitors")
	status = http.StatusNotFound
	mu.Unlock()
	refused := owner.must(sendReport, vars{"r": report}).at(t, "sendScheduledReport").(map[string]any)
	require.Equal(t, false, refused["accepted"])
	require.Contains(t, refused["reason"], "was removed")
	require.NotContains(t, w.log.String(), "verysecret")
}

func TestReportsOfOthersAreNotFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, viewer := w.app("Shop"), w.as("viewer")
	report := viewer.text(createReport, vars{"a": app, "d": "EMAIL"}, "createScheduledReport", "id")
	require.Equal(t, "not_found", w.as("stranger").do(createReport, vars{"a": app, "d": "EMAIL"}).code())
	deleted := `mutation($r: ID!) { deleteScheduledReport(input: {id: $r}) }`
	for _, who := range []string{"stranger", "owner"} {
		for _, mutation := range []string{sendReport, startReport, deleted} {
			require.Equal(t, "not_found", w.as(who).do(mutation, vars{"r": report}).code(), who)
		}
	}
	preview := `query($a: ID!) { app(id: $a) { scheduledReportPreview(frequency: MONTHLY) { subject html text } } }`
	shown := viewer.must(preview, vars{"a": app}).at(t, "app", "scheduledReportPreview").(map[string]any)
	require.Contains(t, shown["subject"], "Shop: monthly report")
	require.Contains(t, shown["text"], "Visitors")
	// Nothing can be sent where no SMTP server is set.
	require.Equal(t, "conflict", viewer.do(sendReport, vars{"r": report}).code())
	require.Equal(t, report, viewer.must(deleted, vars{"r": report}).at(t, "deleteScheduledReport"))
	require.Empty(t, viewer.must(reportsOf, vars{"a": app}).at(t, "app", "scheduledReports"))
}
