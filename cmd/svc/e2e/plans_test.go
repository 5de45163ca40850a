package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

const operatorKey = "0123456789abcdef0123456789abcdef"

// planWorld are two servers on one database, an app with a channel, and the operator's command line.
type planWorld struct {
	t              *testing.T
	d              *Dev
	servers        []string // addresses
	workspace      string
	channel        string
	live, test     string // publishable keys
	client         *http.Client
	second         *Process
	secondSettings []string
}

func newPlanWorld(t *testing.T) *planWorld {
	settings := []string{
		"SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0", "SVC_OPERATOR_KEY=" + operatorKey, "SVC_PAST_DUE_GRACE=1h",
	}
	d := StartDev(t, settings, "--demo=none")
	studio := d.SignIn(t, d.BaseURL)
	app := d.Apps[0]
	w := &planWorld{
		t: t, d: d, client: &http.Client{Timeout: 10 * time.Second}, secondSettings: settings,
		live: app.Environments["live"].PublishableKey, test: app.Environments["test"].PublishableKey,
	}
	w.channel = studio.CreateChannel(app.ID, "Main")
	_, version := studio.Publish(app.ID, "Plants", example(t, "branching-onboarding"))
	studio.Pin(w.channel, version)
	query(t, d, `select id from workspaces`, &w.workspace)
	w.servers = []string{d.BaseURL, ""}
	w.serve()
	return w
}

// serve starts the second server.
func (w *planWorld) serve() { w.second, w.servers[1] = w.d.Serve(w.t, w.secondSettings...) }

// operate runs a command of the operator.
func (w *planWorld) operate(args ...string) {
	w.t.Helper()
	exit, _, stderr := Run(w.t, []string{"SVC_API_URL=" + w.d.BaseURL, "SVC_API_KEY=" + operatorKey}, args...)
	if exit != 0 {
		w.t.Fatalf("svc %s: exit %d: %s", strings.Join(args, " "), exit, stderr)
	}
}

// resolve asks a server for a person and returns the status and the code of the answer.
func (w *planWorld) resolve(server int, person string) string {
	w.t.Helper()
	answer, err := Do(w.client, http.MethodPost, w.servers[server]+"/v1/sdk/resolve", map[string]any{"userId": person},
		"Authorization", "Bearer "+w.live, "X-Svc-Channel", w.channel)
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.TrimSpace(fmt.Sprint(answer.Status, " ", answer.Code()))
}

// track sends an event of a person with a key.
func (w *planWorld) track(server int, person, key string) int {
	w.t.Helper()
	answer, err := Do(w.client, http.MethodPost, w.servers[server]+"/v1/sdk/track", map[string]any{
		"eventId": uuid.NewString(), "name": "buy", "appUserId": person, "sessionId": "s",
	}, "Authorization", "Bearer "+key)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer.Status
}

// within waits until every server answers a person as expected, at most so long.
func (w *planWorld) within(limit time.Duration, person, want string) {
	w.t.Helper()
	began := time.Now()
	for server := range w.servers {
		for {
			got := w.resolve(server, person)
			if got == want {
				break
			}
			if time.Since(began) > limit {
				w.t.Fatalf("server %d answers %s after %v, want %s", server, got, time.Since(began), want)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	w.t.Logf("%s on every server after %v", want, time.Since(began))
}

// A second is what the contract gives; the slack is for a machine that is busy.
const second = 3 * time.Second

// TestPlanOfFourHundred lets 400 people of a month come to two servers, of which one is killed between, by documents
// and by events; then one more.
func TestPlanOfFourHundred(t *testing.T) {
	w := newPlanWorld(t)
	w.operate("plans", "save", "indie", "--apps", "1", "--live-users", "400")
	w.operate("plans", "assign", w.workspace, "indie")
	Until(t, second, "the plan is known", func() error {
		if w.resolve(0, "person 0") != "200" || w.resolve(1, "person 0") != "200" {
			return fmt.Errorf("refused")
		}
		var people int
		query(t, w.d, `select coalesce(sum(people), 0) from live_user_total`, &people)
		if people != 1 {
			return fmt.Errorf("%d people", people)
		}
		return nil
	})
	come := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			person := fmt.Sprint("person ", i)
			for server := range w.servers { // to one by a document, to the other by an event
				if (i+server)%2 == 0 {
					if got := w.resolve(server, person); got != "200" {
						t.Fatalf("%s: %s", person, got)
					}
				} else if got := w.track(server, person, w.live); got != 200 {
					t.Fatalf("%s: event %d", person, got)
				}
			}
			if got := w.track(i%2, "tester "+person, w.test); got != 200 {
				t.Fatalf("test: %d", got)
			}
		}
	}
	come(0, 200)
	time.Sleep(time.Second) // what a kill may lose
	w.second.Kill()
	w.serve()
	come(150, 400)
	counted := func(want int) {
		t.Helper()
		Until(t, second, "people are counted", func() error {
			var people, rows int
			query(t, w.d, `select sum(people) from live_user_total`, &people)
			query(t, w.d, `select count(*) from live_user`, &rows)
			if people != want || rows != want {
				return fmt.Errorf("%d people, %d rows, want %d", people, rows, want)
			}
			return nil
		})
	}
	counted(400)
	Until(t, 30*time.Second, "members are told that the limit is near and reached", func() error {
		var near, reached int
		query(t, w.d, `select count(*) filter (where kind = 'plan_limit_near'),
			count(*) filter (where kind = 'plan_limit_reached') from notification`, &near, &reached)
		if near != 1 || reached != 1 {
			return fmt.Errorf("%d and %d notifications", near, reached)
		}
		return nil
	})
	w.within(second, "person 7", "200") // the limit itself is allowed
	if got := w.resolve(1, "one more"); got != "200" {
		t.Fatalf("the one who passes the limit: %s", got)
	}
	w.within(second, "person 7", "402 plan_limit_reached")
	var events, after int
	query(t, w.d, `select count(*) from track_event`, &events)
	for server := range w.servers {
		if got := w.track(server, "person 7", w.live); got != 402 {
			t.Errorf("server %d takes an event: %d", server, got)
		}
		if got := w.track(server, "tester", w.test); got != 200 {
			t.Errorf("server %d refuses the test environment: %d", server, got)
		}
	}
	query(t, w.d, `select count(*) from track_event`, &after)
	if after != events+len(w.servers) {
		t.Errorf("%d events were stored, want those of the test environment", after-events)
	}
	counted(401)
	w.second.Kill()
	w.serve()
	w.within(second, "person 7", "402 plan_limit_reached")

	w.operate("plans", "save", "indie", "--apps", "1", "--live-users", "401")
	w.within(second, "person 7", "200")
	w.operate("plans", "save", "indie", "--apps", "1", "--live-users", "400")
	w.within(second, "person 7", "402 plan_limit_reached")
	w.operate("plans", "assign", w.workspace, "self_hosted")
	w.within(second, "person 7", "200")
	w.operate("plans", "assign", w.workspace, "indie")
	w.within(second, "person 7", "402 plan_limit_reached")
	var none int // the count of a month is another month's no longer
	query(t, w.d, `with moved as (update live_user_total set month = month - interval '1 month' returning true)
		select count(*) from moved`, &none)
	w.within(second, "person 7", "200")
}

// TestTheTurnOfTheMonth lets the people who passed a limit become last month's: traffic goes on at once on servers that
// run, and on one that starts, and whoever comes again counts once in the new month.
func TestTheTurnOfTheMonth(t *testing.T) {
	w := newPlanWorld(t)
	w.operate("plans", "save", "indie", "--apps", "1", "--live-users", "3")
	w.operate("plans", "assign", w.workspace, "indie")
	come := func(people ...string) {
		t.Helper()
		for _, person := range people {
			for server := range w.servers {
				if got := w.resolve(server, person); got != "200" {
					t.Fatalf("%s, server %d: %s", person, server, got)
				}
			}
		}
	}
	// counted waits until so many people are known of this month and the one before, as a sum, as a set and by day.
	counted := func(before, now int) {
		t.Helper()
		Until(t, second, "people are counted", func() error {
			var got, want string
			query(t, w.d, `with turn as (select date_trunc('month', now() at time zone 'utc') as at)
				select format('%s %s %s, %s %s %s',
					(select coalesce(sum(people), 0) from live_user_total where month < at),
					(select count(*) from live_user where month < at),
					(select coalesce(sum(people), 0) from live_user_day where day < at),
					(select coalesce(sum(people), 0) from live_user_total where month >= at),
					(select count(*) from live_user where month >= at),
					(select coalesce(sum(people), 0) from live_user_day where day >= at)) from turn`, &got)
			if want = fmt.Sprintf("%d %[1]d %[1]d, %d %[2]d %[2]d", before, now); got != want {
				return fmt.Errorf("%s, want %s", got, want)
			}
			return nil
		})
	}
	w.within(second, "ada", "200")
	Until(t, second, "the plan is known", func() error {
		var people int
		w.resolve(0, "ada")
		if query(t, w.d, `select coalesce(sum(people), 0) from live_user_total`, &people); people != 1 {
			return fmt.Errorf("%d people", people)
		}
		return nil
	})
	come("ben", "cem")
	counted(0, 3)
	if got := w.resolve(0, "dan"); got != "200" { // passes the limit
		t.Fatal(got)
	}
	w.within(second, "ada", "402 plan_limit_reached")
	w.within(second, "eva", "402 plan_limit_reached")
	counted(0, 4)

	// The clock can't be turned, so the rows are: a server that runs asks the database, one that starts knows no more.
	var moved int
	w.second.Kill()
	query(t, w.d, `
		with total as (update live_user_total set month = month - interval '1 month'),
			packed as (update live_user_packed set month = month - interval '1 month'),
			days as (update live_user_day set day = day - interval '1 month')
		select 1`, &moved)
	w.serve()
	w.within(second, "ada", "200")
	come("ada")
	come("eva")
	counted(4, 2)
	come("fay")
	counted(4, 3)
	if got := w.resolve(1, "gil"); got != "200" {
		t.Fatal(got)
	}
	w.within(second, "ada", "402 plan_limit_reached")
	counted(4, 4)

	now := time.Now().UTC()
	for _, month := range []string{now.Format("2006-01"), now.AddDate(0, 0, -now.Day()).Format("2006-01")} {
		exit, out, stderr := Run(t, []string{"SVC_API_URL=" + w.d.BaseURL, "SVC_API_KEY=" + w.d.APIKey},
			"usage", w.workspace, "--month", month, "--jq", ".liveUsers, .liveUsersLimit")
		if exit != 0 || out != "4\n3\n" {
			t.Errorf("svc usage of %s: %d %s %s", month, exit, out, stderr)
		}
	}
}

// TestUsageWithoutAPlan asks for what was used where no plan is sold: nothing that is said speaks of plans.
func TestUsageWithoutAPlan(t *testing.T) {
	d := StartDev(t, nil, "--demo=none")
	var workspace string
	query(t, d, `select id from workspaces`, &workspace)
	for _, format := range []string{"json", "table", "csv"} {
		exit, out, stderr := Run(t, []string{"SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + d.APIKey},
			"usage", workspace, "-o", format)
		if exit != 0 || !strings.Contains(out+stderr, "experiments") {
			t.Errorf("%s: %d %s %s", format, exit, out, stderr)
		}
		for _, word := range []string{"plan", "limit", "users", "pause", "pastdue", "grace"} {
			if strings.Contains(strings.ToLower(out+stderr), word) {
				t.Errorf("%s speaks of %s: %s %s", format, word, out, stderr)
			}
		}
	}
}

// TestLatePayment stops all traffic once the grace is over, test environments included, until the payment is there.
func TestLatePayment(t *testing.T) {
	w := newPlanWorld(t)
	w.operate("plans", "save", "grow", "--features", "experiments,integrations")
	w.operate("plans", "assign", w.workspace, "grow")
	w.operate("plans", "past-due", w.workspace, "--since", time.Now().Add(-30*time.Minute).UTC().Format(time.RFC3339))
	w.within(second, "ada", "200")
	w.operate("plans", "past-due", w.workspace, "--since", time.Now().Add(-61*time.Minute).UTC().Format(time.RFC3339))
	w.within(second, "ada", "402 subscription_past_due")
	for server := range w.servers {
		if got := w.track(server, "tester", w.test); got != 402 {
			t.Errorf("server %d takes an event of the test environment: %d", server, got)
		}
	}
	exit, out, stderr := Run(
		t, []string{"SVC_API_URL=" + w.d.BaseURL, "SVC_API_KEY=" + operatorKey}, "plans", "workspaces",
	)
	var listed []struct {
		Status string `json:"status"`
	}
	var page struct {
		Nodes json.RawMessage `json:"nodes"`
	}
	if json.Unmarshal([]byte(out), &page) == nil && page.Nodes != nil {
		out = string(page.Nodes)
	}
	err := json.Unmarshal([]byte(out), &listed)
	if exit != 0 || err != nil || len(listed) != 1 || listed[0].Status != "PAST_DUE" {
		t.Errorf("svc plans workspaces: %d %s %s", exit, out, stderr)
	}
	w.operate("plans", "paid", w.workspace)
	w.within(second, "ada", "200")
}
