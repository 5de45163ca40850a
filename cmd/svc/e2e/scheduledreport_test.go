package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/svc-dev/svc/mail/mailtest"
)

// TestScheduledReportsSurviveKilledServers kills the server between the time that a report is due at and the record
// that it was sent. Each report is sent once, but for a server that is killed after the SMTP server took it and before
// that is recorded, which sends it again with the same Message-ID.
func TestScheduledReportsSurviveKilledServers(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	_, exec := database(t, d)
	smtp := mailtest.New(t, mailtest.Options{})
	d.SignIn(t, d.BaseURL).Query(`mutation($a: ID!) { createScheduledReport(input: {appId: $a, frequency: WEEKLY,
		timeZone: "UTC", destination: EMAIL}) { id } }`, map[string]any{"a": d.Apps[0].ID}, nil)
	d.Signal(syscall.SIGSTOP) // the server that keeps the database does nothing itself from now on
	t.Cleanup(func() { d.Signal(syscall.SIGCONT) })
	exec(`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`)
	exec(`insert into mail_address (user_id, address) select id, email from users on conflict do nothing`)
	serve := func() *Process {
		server, _ := d.Serve(t, "SVC_SMTP_HOST="+smtp.Host, "SVC_SMTP_PORT="+strconv.Itoa(smtp.Port), "SVC_SMTP_TLS=off",
			"SVC_MAIL_FROM=svc@example.com")
		return server
	}
	exec(stopHere)
	for n, step := range []struct {
		name, trigger, table string
		times                int
	}{
		{"when its next time is planned", `trigger stop_here before update of next_at on scheduled_reports`,
			"scheduled_reports", 1},
		{"before it is put into the outbox", `constraint trigger stop_here after insert on mail_outbox
			deferrable initially deferred`, "mail_outbox", 1},
		{"before it is sent", `trigger stop_here before update of attempts on mail_outbox`, "mail_outbox", 1},
		{"when it was accepted, before that is recorded", `trigger stop_here before update of state on mail_outbox`,
			"mail_outbox", 2},
	} {
		exec(`update mail_outbox set key = id::text`) // of the steps before, in the same week
		exec(`create ` + step.trigger + ` for each row execute function stop_here()`)
		exec(`select pg_advisory_lock(4711)`)
		before := len(smtp.Received())
		due := `update scheduled_reports set next_at = now() - interval '1 minute'`
		if step.table == "scheduled_reports" { // its own change would wait too
			exec(`alter table scheduled_reports disable trigger stop_here`)
			exec(due)
			exec(`alter table scheduled_reports enable trigger stop_here`)
		} else {
			exec(due)
		}
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
		exec(`update mail_outbox set next_attempt_at = now() where state = 'pending'`) // nobody waits for the lease
		server = serve()
		Until(t, time.Minute, "the report is sent", func() error {
			if sent := countRows(t, d, `select count(*) from mail_outbox where state = 'sent'`); sent != n+1 {
				return fmt.Errorf("%d are sent", sent)
			}
			return nil
		})
		server.Stop()
		var ids []string
		for _, m := range smtp.Received()[before:] {
			ids = append(ids, messageID.FindStringSubmatch(m.Data)[1])
		}
		if len(ids) != step.times || len(slices.Compact(ids)) != 1 {
			t.Fatalf("killed %s: messages with the ids %v", step.name, ids)
		}
		if left := countRows(t, d, `select count(*) from scheduled_reports where next_at <= now()`); left != 0 {
			t.Fatalf("killed %s: %d reports are still due", step.name, left)
		}
	}
}
