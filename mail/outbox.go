package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/internal/service"
)

// Letter is a message in the outbox: to whom and why, without words.
type Letter struct {
	ID          uuid.UUID
	Purpose     string
	Key         string
	WorkspaceID *uuid.UUID
	UserID      uuid.UUID // zero where it goes to a channel and to no user
	CreatedAt   time.Time

	attempts, failures int
}

// Writer makes the message of a letter when it is about to be sent. Nil means that it is not wanted any more.
type Writer func(ctx context.Context, l Letter) (*Message, error)

// Carrier delivers a letter by another way than email, such as a chat. The error is [ErrUnwanted], or a [Failure] when
// it was not taken.
type Carrier func(ctx context.Context, l Letter) error

// ErrUnwanted says that a letter is not wanted any more.
var ErrUnwanted = errors.New("not wanted any more")

// Taker takes messages over: a [Sender].
type Taker interface {
	Send(ctx context.Context, m Message) error
}

// Options are those of an outbox.
type Options struct {
	// Sender is nil on a server that sends no email: letters that need it wait.
	Sender Taker
	// Carriers are by purpose, as writers are.
	Carriers map[string]Carrier
	// PerDay bounds how many messages a workspace has sent within 24 hours; the others are not sent. Default 1,000.
	PerDay int
	Logger *slog.Logger // nil means slog.Default()
	// Every is how often a server looks for what is due; default 5 s.
	Every time.Duration
}

// Outbox sends what is in the table of the database, with the other servers: each letter is one's for as long as the
// lease. A server that is killed leaves it to the next one. When that happens after the SMTP server took the message
// and before this was stored, it is sent a second time, with the same Message-ID.
type Outbox struct {
	pool    *pgxpool.Pool
	options Options
	writers map[string]Writer
	loops   service.Loops
}

const (
	batch = 8
	// lease is longer than a message takes with its record.
	lease = time.Minute
	// late is how old a letter becomes: news of days ago are none.
	late = 3 * 24 * time.Hour
	// maxAttempts counts those of servers that ended meanwhile, too.
	maxAttempts = 20
	// Kept is how long the log of a letter stays, which also keeps it from being sent again.
	Kept = 30 * 24 * time.Hour
)

// waits are those after a failure; who fails once more has failed.
var waits = []time.Duration{
	time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// NextAttempt returns how long to wait after so many failures, 1 or more; false when it was the last attempt.
func NextAttempt(failures int) (wait time.Duration, again bool) {
	if failures > len(waits) {
		return 0, false
	}
	return waits[failures-1], true
}

// NewOutbox makes the outbox of a database. Writers are by purpose.
func NewOutbox(pool *pgxpool.Pool, options Options, writers map[string]Writer) *Outbox {
	if options.PerDay == 0 {
		options.PerDay = 1000
	}
	if options.Every == 0 {
		options.Every = 5 * time.Second
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	return &Outbox{pool: pool, options: options, writers: writers}
}

// Add puts a letter into the outbox of a database, once: when there is one of the purpose with the key it does nothing.
func Add(ctx context.Context, pool *pgxpool.Pool, l Letter) error {
	_, err := pool.Exec(ctx, `
		insert into mail_outbox (id, purpose, key, workspace_id, user_id) values (gen_random_uuid(), $1, $2, $3, $4)
		on conflict (purpose, key) do nothing`, l.Purpose, l.Key, l.WorkspaceID, l.UserID)
	if err != nil {
		return fmt.Errorf("put a letter into the outbox: %w", err)
	}
	return nil
}

// Start begins to send.
func (o *Outbox) Start(context.Context) error {
	o.loops.Go(func(ctx context.Context) {
		for ctx.Err() == nil {
			if err := o.drain(ctx); err != nil && ctx.Err() == nil {
				o.options.Logger.Warn("sending email waits for the database", "error", err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(o.options.Every):
			}
		}
	})
	return nil
}

// Stop ends what is under way, which is sent again when the lease is over.
func (o *Outbox) Stop(ctx context.Context) error { return o.loops.Stop(ctx) }

// drain sends until nothing is due.
func (o *Outbox) drain(ctx context.Context) error {
	for {
		letters, err := o.claim(ctx)
		if err != nil || len(letters) == 0 {
			return err
		}
		var sending sync.WaitGroup
		errs := make([]error, len(letters))
		taken := map[uuid.UUID]int{}
		for i, l := range letters {
			if spent, err := o.spent(ctx, l, taken); err != nil || spent {
				if err == nil {
					err = o.end(ctx, l, "failed", "the workspace has sent as many messages as it may within a day")
				}
				errs[i] = err
				continue
			}
			sending.Go(func() { errs[i] = o.send(ctx, l) })
		}
		sending.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
}

// claim takes letters that are due for as long as the lease.
func (o *Outbox) claim(ctx context.Context) ([]Letter, error) {
	rows, err := o.pool.Query(ctx, `
		update mail_outbox set attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => $2)
		where id in (
			select id from mail_outbox where state = 'pending' and next_attempt_at <= now() and purpose = any($3)
			order by next_attempt_at limit $1 for update skip locked)
		returning id, purpose, key, workspace_id, coalesce(user_id, $4), created_at, attempts, failures`,
		batch, lease.Seconds(), o.purposes(), uuid.Nil)
	if err != nil {
		return nil, fmt.Errorf("claim letters: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (l Letter, err error) {
		err = row.Scan(
			&l.ID, &l.Purpose, &l.Key, &l.WorkspaceID, &l.UserID, &l.CreatedAt, &l.attempts, &l.failures,
		)
		return l, err
	})
}

// purposes are those of letters that this server can send.
func (o *Outbox) purposes() []string {
	list := slices.Collect(maps.Keys(o.options.Carriers))
	if o.options.Sender != nil {
		list = slices.AppendSeq(list, maps.Keys(o.writers))
	}
	return list
}

// spent tells whether a workspace has sent what it may within a day, with what is being sent.
func (o *Outbox) spent(ctx context.Context, l Letter, taken map[uuid.UUID]int) (bool, error) {
	if l.WorkspaceID == nil {
		return false, nil
	}
	var sent int
	err := o.pool.QueryRow(ctx, `
		select count(*) from mail_outbox
		where workspace_id = $1 and state = 'sent' and finished_at > now() - interval '1 day'`, l.WorkspaceID).Scan(&sent)
	if err != nil {
		return false, fmt.Errorf("count the messages of a workspace: %w", err)
	}
	if sent+taken[*l.WorkspaceID] >= o.options.PerDay {
		return true, nil
	}
	taken[*l.WorkspaceID]++
	return false, nil
}

// send writes a letter, hands it over and records the result.
func (o *Outbox) send(ctx context.Context, l Letter) error {
	if time.Since(l.CreatedAt) > late || l.attempts > maxAttempts {
		return o.end(ctx, l, "failed", "not sent in time")
	}
	deliver := o.options.Carriers[l.Purpose]
	if deliver == nil {
		deliver = o.mail
	}
	err := deliver(ctx, l)
	var failure *Failure
	switch {
	case ctx.Err() != nil:
		return nil //nolint:nilerr // cut off by the end of the server: another one goes on when the lease is over
	case err == nil:
		return o.end(ctx, l, "sent", "")
	case errors.Is(err, ErrUnwanted):
		return o.end(ctx, l, "dropped", err.Error())
	case !errors.As(err, &failure):
		return fmt.Errorf("deliver a letter of %s: %w", l.Purpose, err)
	}
	reason := failure.Reason
	wait, again := NextAttempt(l.failures + 1)
	if failure.Final || !again {
		return o.end(ctx, l, "failed", reason)
	}
	_, err = o.pool.Exec(ctx, `
		update mail_outbox set failures = failures + 1, error = $2, next_attempt_at = now() + make_interval(secs => $3)
		where id = $1 and state = 'pending'`, l.ID, reason, wait.Seconds())
	return err
}

// mail sends a letter by email.
func (o *Outbox) mail(ctx context.Context, l Letter) error {
	m, err := o.writers[l.Purpose](ctx, l)
	if err != nil {
		return fmt.Errorf("write it: %w", err)
	}
	if m == nil {
		return ErrUnwanted
	}
	m.ID = l.ID.String()
	err = o.options.Sender.Send(ctx, *m)
	if err != nil && ctx.Err() == nil {
		// SMTP servers repeat the receiver's address, which is a person's.
		said := strings.ReplaceAll(err.Error(), m.To, "the receiver")
		o.options.Logger.Warn("a message was not taken by the SMTP server", "message", l.ID, "error", said)
		if failure := (*Failure)(nil); !errors.As(err, &failure) {
			return &Failure{Reason: "not taken", cause: err}
		}
	}
	return err
}

// end records that a letter is done with.
func (o *Outbox) end(ctx context.Context, l Letter, state, reason string) error {
	_, err := o.pool.Exec(ctx, `
		update mail_outbox set state = $2, error = $3, finished_at = now() where id = $1 and state = 'pending'`,
		l.ID, state, reason)
	if err != nil {
		return fmt.Errorf("record the result of a letter: %w", err)
	}
	return nil
}
