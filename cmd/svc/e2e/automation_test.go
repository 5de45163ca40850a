package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
)

// hooks takes webhooks: the id of each attempt by the person whom it is about.
type hooks struct {
	*httptest.Server
	mu   sync.Mutex
	ids  map[string][]string
	hold chan struct{} // answers wait for its end unless it is nil
	held int
}

func newHooks(t *testing.T) *hooks {
	h := &hooks{ids: map[string][]string{}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, person, _ := strings.Cut(string(body), `"data":"`)
		person, _, _ = strings.Cut(person, `"`)
		h.mu.Lock()
		h.ids[person] = append(h.ids[person], r.Header.Get("Webhook-Id"))
		hold := h.hold
		if hold != nil {
			h.held++
		}
		h.mu.Unlock()
		if hold != nil {
			<-hold
		}
	}))
	t.Cleanup(h.Close)
	return h
}

// newSender activates an automation that, at each event "go", sends a webhook with this data, and returns its id.
func newSender(d *Dev, studio *Studio, url, data string) string {
	var endpoint struct {
		CreateWebhookEndpoint struct{ Endpoint struct{ ID string } }
	}
	studio.Query(`mutation($a: ID!, $u: String!) { createWebhookEndpoint(input: {appId: $a, environment: LIVE, name: "R", url: $u}) {
		endpoint { id } } }`, map[string]any{"a": d.Apps[0].ID, "u": url}, &endpoint)
	var made struct{ CreateAutomation struct{ ID string } }
	studio.Query(`mutation($a: ID!, $d: JSON!) { createAutomation(input: {appId: $a, environment: LIVE, name: "A", definition: $d}) { id } }`,
		map[string]any{"a": d.Apps[0].ID, "d": map[string]any{
			"trigger": map[string]any{"type": "event", "event": "go"},
			"nodes": []any{map[string]any{"id": "send", "type": "webhook", "messageType": "x", "data": data,
				"endpointId": endpoint.CreateWebhookEndpoint.Endpoint.ID}},
		}}, &made)
	for _, step := range []string{"publish", "activate"} {
		studio.Query(`mutation($i: ID!) { `+step+`Automation(input: {id: $i}) { state } }`,
			map[string]any{"i": made.CreateAutomation.ID}, nil)
	}
	return made.CreateAutomation.ID
}

// of returns the ids of the attempts for a person.
func (h *hooks) of(person string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.ids[person]...)
}

// holding makes answers wait until the returned function is called.
func (h *hooks) holding() (release func()) {
	hold := make(chan struct{})
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hold, h.held = hold, 0
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.hold = nil
		close(hold)
	}
}

func (h *hooks) holds() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.held
}

// TestAutomationsSurviveKilledServers kills the server at every step between an event and the record of its webhook,
// and then at random moments: everybody is enrolled once and sent to at least once, always with the same id.
func TestAutomationsSurviveKilledServers(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	_, exec := database(t, d)
	receiver, studio := newHooks(t), d.SignIn(t, d.BaseURL)
	newSender(d, studio, receiver.URL, "{{person.appUserId}}")
	// The server that keeps the database does nothing itself from now on.
	d.Signal(syscall.SIGSTOP)
	t.Cleanup(func() { d.Signal(syscall.SIGCONT) })

	serve := func() (*Process, string) { return d.Serve(t, "SVC_WEBHOOK_NETWORKS=127.0.0.0/8") }
	server, address := serve()
	key := d.Apps[0].Environments["live"].PublishableKey
	track := func(to string, numbers ...int) error {
		var events []any
		for _, n := range numbers {
			events = append(events, map[string]any{
				"eventId": fmt.Sprintf("00000000-0000-4000-8000-%012d", n), "name": "go",
				"timestamp": time.Now().UTC().Format(time.RFC3339Nano), "identity": map[string]any{"appUserId": fmt.Sprint("p", n)},
			})
		}
		answer, err := Do(
			&http.Client{Timeout: 20 * time.Second}, http.MethodPost, to+"/v1/sdk/track", map[string]any{"events": events},
			"Authorization", "Bearer "+key,
		)
		if err == nil && answer.Status != http.StatusOK {
			err = fmt.Errorf("answered %d %s", answer.Status, answer.Body)
		}
		return err
	}
	// again sends until a server has taken it, as SDKs do.
	again := func(numbers ...int) {
		t.Helper()
		Until(t, time.Minute, "events are taken", func() error { return track(address, numbers...) })
	}
	restart := func() {
		t.Helper()
		server, address = serve()
		// Nobody waits for the lease of the server that is gone.
		exec(`update webhook_delivery set next_attempt_at = now() where state = 'pending'`)
	}
	settled := func(numbers ...int) {
		t.Helper()
		Until(t, time.Minute, "everything is delivered", func() error {
			n := countRows(t, d, `select count(*) from webhook_delivery where state = 'delivered'`)
			if n != countRows(t, d, `select count(*) from automation_enrolment`) {
				return fmt.Errorf("%d are delivered", n)
			}
			return nil
		})
		for _, n := range numbers {
			person := fmt.Sprint("p", n)
			if entered := countRows(t, d, `select count(*) from automation_enrolment where app_user_id = $1`, person); entered != 1 {
				t.Errorf("%s is enrolled %d times", person, entered)
			}
			ids := receiver.of(person)
			if len(ids) == 0 {
				t.Errorf("%s is sent nothing", person)
			}
			for _, id := range ids {
				if id != ids[0] || id == "" {
					t.Errorf("%s has messages %v", person, ids)
				}
			}
		}
	}

	again(1)
	settled(1)
	exec(stopHere)
	number := 1
	for _, step := range []struct{ name, at string }{
		{"while the event and the enrolment are stored", `before insert on automation_enrolment for each row`},
		{"before the event is committed", ``},
		{"when the event is committed", `before update of state on automation_enrolment for each row`},
		{"when the message is made", `before insert on webhook_delivery for each row`},
		{"before the message is sent", `before update of attempts on webhook_delivery for each row when (new.attempts > old.attempts)`},
		{"while the message is sent", ""},
		{"when it was sent, before that is recorded", `before insert on webhook_attempt for each row`},
		{"while it is recorded", `before update of state on webhook_delivery for each row`},
	} {
		number++
		table := ""
		release := func() {}
		switch step.name {
		case "while the message is sent":
			release = receiver.holding()
		case "before the event is committed":
			// A trigger that is deferred runs at the commit.
			table, step.at = "automation_enrolment", ""
			exec(`create constraint trigger stop_here after insert on automation_enrolment deferrable initially deferred
				for each row execute function stop_here()`)
		default:
			_, table, _ = strings.Cut(step.at, " on ")
			table, _, _ = strings.Cut(table, " ")
			exec(`create trigger stop_here ` + step.at + ` execute function stop_here()`)
		}
		exec(`select pg_advisory_lock(4711)`)
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			_ = track(address, number) // may come to nothing
		}()
		Until(t, 30*time.Second, step.name, func() error {
			if receiver.holds() > 0 && table == "" {
				return nil
			}
			if table != "" && countRows(t, d, `select count(*)`+stoppedHere) > 0 {
				return nil
			}
			return errors.New("the server is not there yet")
		})
		server.Kill()
		<-sent
		release()
		exec(`select pg_advisory_unlock(4711)`)
		if table != "" {
			exec(`drop trigger stop_here on ` + table)
		}
		restart()
		again(number)
		settled(number)
		if t.Failed() {
			t.Fatalf("killed %s", step.name)
		}
	}

	random := rand.New(rand.NewPCG(1, 2))
	var all []int
	for range 6 {
		var batch []int
		for range 50 {
			number++
			batch = append(batch, number)
		}
		all = append(all, batch...)
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			for _, n := range batch {
				_ = track(address, n)
			}
		}()
		time.Sleep(time.Duration(random.IntN(700)) * time.Millisecond)
		server.Kill()
		<-sent
		restart()
		again(batch...)
	}
	settled(all...)
	if n := countRows(t, d, `select count(*) from automation_enrolment`); n != number {
		t.Errorf("%d are enrolled, want %d", n, number)
	}
}

// A message that would be too long is not sent, and who asks why is told so.
func TestALongMessageIsSkippedAndSaysSo(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	receiver, studio := newHooks(t), d.SignIn(t, d.BaseURL)
	automation := newSender(d, studio, receiver.URL, "{{event.text}}")
	track := func(person, text string) {
		t.Helper()
		answer, err := Do(http.DefaultClient, http.MethodPost, d.BaseURL+"/v1/sdk/track", map[string]any{
			"eventId": uuid.NewString(), "name": "go", "identity": map[string]any{"appUserId": person},
			"properties": map[string]any{"text": text},
		}, "Authorization", "Bearer "+d.Apps[0].Environments["live"].PublishableKey)
		if err != nil || answer.Status != http.StatusOK {
			t.Fatalf("track: %d %s %v", answer.Status, answer.Body, err)
		}
	}
	Until(t, 30*time.Second, "the automation is at work", func() error {
		track("short "+uuid.NewString(), "short")
		if len(receiver.of("short")) == 0 {
			return errors.New("nothing is sent")
		}
		return nil
	})
	track("wordy", strings.Repeat("x", 20_000))
	explain := func() (said string) {
		exit, stdout, stderr := Run(t, []string{"SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + d.APIKey},
			"automations", "explain", automation, "--user", "wordy")
		if exit != 0 {
			t.Fatal(stderr)
		}
		return stdout
	}
	Until(t, 30*time.Second, "the message is skipped", func() error {
		if said := explain(); !strings.Contains(said, "message_too_large") {
			return errors.New(said)
		}
		return nil
	})
	var explanation struct {
		Enrolments []struct {
			State string
			Steps []struct{ Node, Result, Reason string }
		}
	}
	if err := json.Unmarshal([]byte(explain()), &explanation); err != nil {
		t.Fatal(err)
	}
	if e := explanation.Enrolments; len(e) != 1 || e[0].Steps[0].Node != "send" || e[0].Steps[0].Reason != "message_too_large" {
		t.Errorf("%+v", explanation)
	}
	for _, id := range receiver.of(strings.Repeat("x", 20_000)) {
		t.Errorf("%s was sent", id)
	}
}
