package automation

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/automation/webhook"
)

// deliverArgs name a job that sends the messages of an endpoint that are due.
type deliverArgs struct {
	EndpointID uuid.UUID `json:"endpointId"`
	Owner      string    `json:"owner"`
}

// Kind names the job.
func (deliverArgs) Kind() string { return "webhook_deliver" }

// InsertOpts are those of all such jobs.
func (deliverArgs) InsertOpts() river.InsertOpts { return insertOpts(deliverQueue) }

type deliverWorker struct {
	river.WorkerDefaults[deliverArgs]
	automations *Automations
}

// Work sends messages until none is due.
func (w *deliverWorker) Work(ctx context.Context, job *river.Job[deliverArgs]) error {
	a, endpoint := w.automations, job.Args.EndpointID
	const ofEndpoint = `e.id = (select environment_id from webhook_endpoint where id = $1)`
	return a.inTurn(ctx, a.senders, ofEndpoint, endpoint, func() error {
		return a.drain(ctx, jobTime, func(ctx context.Context) (bool, error) { return a.deliverBatch(ctx, endpoint) })
	})
}

const (
	// deliverBatchSize is how many messages are sent to an endpoint at the same time.
	deliverBatchSize = 8
	// lease is how long a message that is being sent is left alone by others: more
	// than an attempt and its record take. A server that was killed meanwhile leaves
	// it to the next one after that.
	lease = webhook.DefaultTimeout + 15*time.Second
	// patience is how long an endpoint may fail until it is disabled.
	patience = 5 * 24 * time.Hour
)

// Why an endpoint is disabled.
const (
	disabledByHand  = "switched_off"
	disabledGone    = "gone"
	disabledFailing = "failing"
)

// attempt is a message that is being sent.
type attempt struct {
	webhook.Message
	environment int64
	id          uuid.UUID
	number      int
	failures    int // before this attempt
}

// deliverBatch sends some messages of an endpoint and records what became of them. It tells whether more may be sent at
// once: not to an endpoint that gives no answer, which gives its place to others.
func (a *Automations) deliverBatch(ctx context.Context, endpoint uuid.UUID) (more bool, err error) {
	secrets, locked := a.secrets(ctx, endpoint)
	if locked != nil && !errors.Is(locked, errLocked) {
		return false, fmt.Errorf("open the secrets of endpoint %s: %w", endpoint, locked)
	}
	attempts, err := a.claimMessages(ctx, endpoint)
	if err != nil {
		return false, fmt.Errorf("claim messages of endpoint %s: %w", endpoint, err)
	}
	var sending sync.WaitGroup
	var silent atomic.Bool
	errs := make([]error, len(attempts))
	for i := range attempts {
		sending.Go(func() {
			at := a.now()
			attempts[i].Secrets = secrets
			answer := webhook.Answer{Error: errLocked.Error()}
			if locked == nil {
				answer = a.sender.Send(ctx, attempts[i].Message, at)
			}
			if ctx.Err() != nil {
				return // cut off by the end of the server: tried again when the lease is over
			}
			if isSilent(answer) {
				silent.Store(true)
			}
			errs[i] = a.record(ctx, endpoint, &attempts[i], answer, at)
		})
	}
	sending.Wait()
	for _, err := range errs {
		if err != nil {
			return false, fmt.Errorf("record a delivery of endpoint %s: %w", endpoint, err)
		}
	}
	return len(attempts) == deliverBatchSize && !silent.Load(), ctx.Err()
}

// claimMessages takes messages that are due for as long as the lease.
func (a *Automations) claimMessages(ctx context.Context, endpoint uuid.UUID) ([]attempt, error) {
	rows, err := a.db.Pool.Query(ctx, `
		with tried as (update webhook_endpoint set tried_at = now() where id = $1)
		update webhook_delivery d set attempts = d.attempts + 1, next_attempt_at = now() + make_interval(secs => $3)
		from webhook_endpoint p
		where p.id = $1 and p.disabled_reason = '' and `+inService(`p.environment_id`)+` and (d.environment_id, d.id) in (
			select environment_id, id from webhook_delivery
			where endpoint_id = $1 and state = 'pending' and next_attempt_at <= now()
			order by next_attempt_at
			limit (select case when silent_since is null then $2::int else 1 end from webhook_endpoint where id = $1)
			for update skip locked)
		returning d.environment_id, d.id, d.body, d.attempts, d.failures, p.url`,
		endpoint, deliverBatchSize, lease.Seconds())
	if err != nil {
		return nil, err
	}
	var attempts []attempt
	var next attempt
	var body string
	_, err = pgx.ForEachRow(rows, []any{
		&next.environment, &next.id, &body, &next.number, &next.failures, &next.URL,
	}, func() error {
		next.ID, next.Body = messageID(next.id), []byte(body)
		attempts = append(attempts, next)
		return nil
	})
	return attempts, err
}

// silence is after how long an attempt without an answer counts as one to a receiver that is silent, rather than to one
// that cannot be reached.
const silence = 2 * time.Second

// isSilent tells whether a receiver took its time and gave no answer.
func isSilent(r webhook.Answer) bool { return r.Status == 0 && r.Took >= silence }

// messageID is the webhook-id of a delivery.
func messageID(id uuid.UUID) string { return "msg_" + id.String() }

// record writes an attempt down and what follows from it.
func (a *Automations) record(
	ctx context.Context, endpoint uuid.UUID, m *attempt, r webhook.Answer, at time.Time,
) error {
	return pgx.BeginFunc(ctx, a.db.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `
			insert into webhook_attempt (environment_id, delivery_id, number, at, status, error, answer, took_ms)
			select environment_id, id, $3, $4, $5, $6, $7, $8 from webhook_delivery where environment_id = $1 and id = $2
			on conflict do nothing`,
			m.environment, m.id, m.number, at, r.Status, r.Error, r.Body, r.Took.Milliseconds()); err != nil {
			return err
		}
		if r.Delivered() {
			if _, err := tx.Exec(ctx, `
				update webhook_delivery set state = 'delivered', next_attempt_at = null, finished_at = now()
				where environment_id = $1 and id = $2`, m.environment, m.id); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, `
				update webhook_endpoint set failing_since = null, silent_since = null
				where id = $1 and (failing_since is not null or silent_since is not null)`, endpoint)
			return err
		}
		wait, again := webhook.NextAttempt(m.failures+1, r.RetryAfter)
		if again && !r.Gone() {
			if _, err := tx.Exec(ctx, `
				update webhook_delivery set failures = failures + 1, next_attempt_at = now() + make_interval(secs => $3)
				where environment_id = $1 and id = $2 and state = 'pending'`, m.environment, m.id, wait.Seconds()); err != nil {
				return err
			}
		} else if _, err := tx.Exec(ctx, `
			update webhook_delivery set failures = failures + 1, state = 'failed', next_attempt_at = null,
				finished_at = now()
			where environment_id = $1 and id = $2 and state = 'pending'`, m.environment, m.id); err != nil {
			return err
		}
		var since time.Time
		if err := tx.QueryRow(ctx, `
			update webhook_endpoint set failing_since = coalesce(failing_since, $2),
				silent_since = case when $3 then coalesce(silent_since, $2) end
			where id = $1 returning failing_since`,
			endpoint, at, isSilent(r)).Scan(&since); err != nil {
			return err
		}
		switch {
		case r.Gone():
			return a.disable(ctx, tx, endpoint, disabledGone)
		case at.Sub(since) >= patience:
			return a.disable(ctx, tx, endpoint, disabledFailing)
		}
		return nil
	})
}

// disable ends the sending to an endpoint; what waits for it counts as failed and can be replayed.
func (a *Automations) disable(ctx context.Context, tx pgx.Tx, endpoint uuid.UUID, reason string) error {
	tag, err := tx.Exec(ctx, `
		update webhook_endpoint set disabled_reason = $2 where id = $1 and disabled_reason = ''`, endpoint, reason)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	a.log.Warn("a webhook endpoint is disabled", "endpoint", endpoint, "reason", reason)
	given, err := tx.Exec(ctx, failPendingSQL, endpoint)
	if err != nil {
		return err
	}
	return a.tellDisabled(ctx, tx, endpoint, reason, given.RowsAffected())
}

// tellDisabled tells the workspace that an endpoint was disabled, and how many messages were given up.
func (a *Automations) tellDisabled(
	ctx context.Context, tx pgx.Tx, endpoint uuid.UUID, reason string, givenUp int64,
) error {
	n := notification.Notification{
		Kind: notification.EndpointDisabled, Severity: notification.Critical,
		Key:   fmt.Sprintf("%s %d", endpoint, a.now().Unix()),
		About: notification.About{EndpointID: &endpoint},
	}
	var name, app string
	if err := tx.QueryRow(ctx, `
		select a.workspace_id, a.id, e.kind, a.name, p.name
		from webhook_endpoint p join environments e on e.id = p.environment_id join apps a on a.id = e.app_id
		where p.id = $1`, endpoint,
	).Scan(&n.WorkspaceID, &n.About.AppID, &n.About.Environment, &app, &name); err != nil {
		return err
	}
	why := "it failed for five days"
	if reason == disabledGone {
		why = "it answered 410 (gone)"
		givenUp++ // the message that was answered so
	}
	n.Title = fmt.Sprintf("The webhook endpoint %s is disabled", notification.Quote(name))
	n.Text = fmt.Sprintf("No more webhooks of %s are sent to it, because %s. Messages that were given up: %d. "+
		"Enable it and replay them once it takes messages again.", notification.Quote(app), why, givenUp)
	return notification.Post(ctx, tx, n)
}

// failPendingSQL gives up what waits for an endpoint.
const failPendingSQL = `
	update webhook_delivery set state = 'failed', next_attempt_at = null, finished_at = now()
	where endpoint_id = $1 and state = 'pending'`
