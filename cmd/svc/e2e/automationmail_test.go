package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/svc-dev/svc/mail/mailtest"
)

var messageID = regexp.MustCompile(`(?mi)^Message-ID: *(\S+)`)

// TestEmailsOfAutomationsSurviveKilledServers kills the server between an event and the record of its email. Everybody
// is sent one message: once, but for a server that is killed after the SMTP server took it and before that is recorded,
// which sends it again with the same Message-ID.
func TestEmailsOfAutomationsSurviveKilledServers(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	_, exec := database(t, d)
	smtp := mailtest.New(t, mailtest.Options{})
	d.SignIn(t, d.BaseURL)
	d.Signal(syscall.SIGSTOP) // the server that keeps the database does nothing itself from now on
	t.Cleanup(func() { d.Signal(syscall.SIGCONT) })
	serve := func() (*Process, string) {
		return d.Serve(t, "SVC_SMTP_HOST="+smtp.Host, "SVC_SMTP_PORT="+strconv.Itoa(smtp.Port), "SVC_SMTP_TLS=off",
			"SVC_MAIL_FROM=svc@example.com")
	}
	server, address := serve()
	studio, app := d.SignIn(t, address), d.Apps[0].ID
	var made struct{ CreateAutomation struct{ ID string } }
	studio.Query(`mutation($a: ID!, $d: JSON!) { createAutomation(input: {appId: $a, environment: LIVE, name: "Hello",
		definition: $d}) { id } }`, map[string]any{"a": app, "d": json.RawMessage(`{"trigger": {"type": "event",
		"event": "go"}, "nodes": [{"id": "hello", "type": "email", "subject": "Hi", "body": "Hello"}]}`)}, &made)
	for _, change := range []string{"publishAutomation", "activateAutomation"} {
		studio.Query(`mutation($i: ID!) { `+change+`(input: {id: $i}) { state } }`,
			map[string]any{"i": made.CreateAutomation.ID}, nil)
	}
	key := d.Apps[0].Environments["live"].PublishableKey
	post := func(path string, body any) error {
		answer, err := Do(&http.Client{Timeout: 20 * time.Second}, http.MethodPost, address+path, body,
			"Authorization", "Bearer "+key)
		if err == nil && answer.Status != http.StatusOK {
			err = fmt.Errorf("answered %d %s", answer.Status, answer.Body)
		}
		return err
	}
	track := func(n int) error {
		return post("/v1/sdk/track", map[string]any{"events": []any{map[string]any{
			"eventId": fmt.Sprintf("00000000-0000-4000-8000-%012d", n), "name": "go",
			"timestamp": time.Now().UTC().Format(time.RFC3339Nano), "identity": map[string]any{"appUserId": fmt.Sprint("p", n)},
		}}})
	}
	exec(stopHere)
	for n, step := range []struct {
		name, at string
		times    int
	}{
		{"when the message is made", `before insert`, 1},
		{"before the message is sent", `before update of attempts`, 1},
		{"when it was accepted, before that is recorded", `before update of state`, 2},
	} {
		exec(`insert into person (environment_id, id, email, created_at, identified_at)
			select id, $2, $3, now(), now() from environments where app_id = $1 and kind = 'live'`,
			app, fmt.Sprintf("00000000-0000-4000-9000-%012d", n), fmt.Sprintf("p%d@example.com", n))
		exec(`insert into person_device (environment_id, app_user_id, person_id, linked_at)
			select id, $2, $3, now() from environments where app_id = $1 and kind = 'live'`,
			app, fmt.Sprint("p", n), fmt.Sprintf("00000000-0000-4000-9000-%012d", n))
		// Giving up old messages touches the state, of no row here.
		exec(`create trigger stop_here ` + step.at + ` on automation_mail for each row execute function stop_here()`)
		exec(`select pg_advisory_lock(4711)`)
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			_ = track(n) // may come to nothing
		}()
		Until(t, 30*time.Second, step.name, func() error {
			if countRows(t, d, `select count(*)`+stoppedHere) == 0 {
				return errors.New("the server is not there yet")
			}
			return nil
		})
		server.Kill()
		<-sent
		// The database would go on with what it was asked.
		exec(`select pg_terminate_backend(pid)` + stoppedHere)
		exec(`select pg_advisory_unlock(4711)`)
		exec(`drop trigger stop_here on automation_mail`)
		server, address = serve()
		exec(`update automation_mail set next_attempt_at = now() where state = 'pending'`) // nobody waits for the lease
		Until(t, time.Minute, "the event is taken", func() error { return track(n) })
		Until(t, time.Minute, "the email is sent", func() error {
			if done := countRows(t, d, `select count(*) from automation_mail where state = 'sent'`); done != n+1 {
				return fmt.Errorf("%d are sent", done)
			}
			return nil
		})
		ids, received := map[string]bool{}, 0
		for _, m := range smtp.Received() {
			if strings.Contains(strings.Join(m.To, " "), fmt.Sprintf("p%d@", n)) {
				received++
				ids[messageID.FindStringSubmatch(m.Data)[1]] = true
			}
		}
		if received != step.times || len(ids) != 1 {
			t.Fatalf("killed %s: %d messages with the ids %v", step.name, received, ids)
		}
	}
}
