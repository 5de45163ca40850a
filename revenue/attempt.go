package revenue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/people/privacy"
)

// AttemptLife is how long a checkout attempt stays pending (wire.md §8.4).
const AttemptLife = 24 * time.Hour

// Status is where a checkout attempt stands.
type Status string

// The statuses of wire.md §8.4.
const (
	Pending   Status = "pending"
	Confirmed Status = "confirmed"
	Cancelled Status = "cancelled"
	Expired   Status = "expired"
)

// Confirmation is what came of a provider's word that an attempt was paid.
type Confirmation string

// The confirmations of wire.md §8.4.
const (
	// ConfirmedNow is an attempt that was not confirmed before.
	ConfirmedNow Confirmation = "confirmed"
	// ConfirmedBefore is the same word again.
	ConfirmedBefore Confirmation = "duplicate"
	// AttemptMissing is an id that no attempt of the environment has.
	AttemptMissing Confirmation = "missing"
)

// ErrAttemptNotFound says that the channel has no attempt with the id.
var ErrAttemptNotFound = errors.New("revenue: there is no such checkout attempt")

// NewAttempt is a payment that is about to begin.
type NewAttempt struct {
	EnvironmentID  int64
	ChannelID      int64
	AppUserID      string
	FlowID         uuid.UUID
	VersionID      uuid.UUID
	ExperimentID   *uuid.UUID
	VariantID      string
	SurfaceID      string
	PaymentLinkURL string
	// Attribution is a JSON object of flat values, nil for none.
	Attribution json.RawMessage
}

// Attempt is a checkout attempt as clients see it.
type Attempt struct {
	ID        uuid.UUID
	Status    Status
	ExpiresAt time.Time
}

// AttemptKey is what a client must know to reach an attempt: it comes with the
// key and the channel of the request, and the id is a secret of 122 random bits.
type AttemptKey struct {
	EnvironmentID int64
	ChannelID     int64
	ID            uuid.UUID
}

// Ledger keeps checkout attempts and billing identities.
type Ledger struct {
	pool     *pgxpool.Pool
	now      func() time.Time
	follower Follower
	queues   queues
}

// Options are the settings of a ledger.
type Options struct {
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Follower is told what providers report; nil tells nobody.
	Follower Follower
}

// New makes a ledger on a migrated database.
func New(pool *pgxpool.Pool, options Options) *Ledger {
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Ledger{pool: pool, now: options.Now, follower: options.Follower}
}

// CreateAttempt opens an attempt, pending for AttemptLife. Every call opens
// another one: two tabs may pay twice, and an attempt that nobody uses expires.
// Somebody who was erased may pay; the attempt does not say who they are.
func (l *Ledger) CreateAttempt(ctx context.Context, a NewAttempt) (Attempt, error) {
	now := l.now()
	attempt := Attempt{ID: uuid.New(), Status: Pending, ExpiresAt: now.Add(AttemptLife).Truncate(time.Millisecond)}
	attribution := a.Attribution
	if attribution == nil {
		attribution = json.RawMessage("{}")
	}
	err := pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		person := privacy.Subject{EnvironmentID: a.EnvironmentID, AppUserID: a.AppUserID}
		erased, err := privacy.IsErased(ctx, tx, person)
		if err != nil {
			return err
		}
		if erased {
			a.AppUserID, attribution = "", json.RawMessage("{}")
		}
		_, err = tx.Exec(ctx, `
			insert into checkout_attempt (environment_id, id, channel_id, app_user_id, flow_id, version_id, experiment_id,
				variant_id, surface_id, payment_link_url, attribution, created_at, expires_at)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
			a.EnvironmentID, attempt.ID, a.ChannelID, a.AppUserID, a.FlowID, a.VersionID, a.ExperimentID,
			a.VariantID, a.SurfaceID, a.PaymentLinkURL, attribution, now, attempt.ExpiresAt)
		return err
	})
	if err != nil {
		return Attempt{}, fmt.Errorf("open a checkout attempt: %w", err)
	}
	return attempt, nil
}

// Attempt reads an attempt. The error is ErrAttemptNotFound or the database's.
func (l *Ledger) Attempt(ctx context.Context, key AttemptKey) (Attempt, error) {
	return l.attempt(ctx, `
		select confirmed_at, cancelled_at, expires_at from checkout_attempt
		where environment_id = $1 and id = $2 and channel_id = $3`, key)
}

// CancelAttempt cancels an attempt that is pending and answers where it then
// stands: what is confirmed or expired stays so, and cancelling twice is one.
func (l *Ledger) CancelAttempt(ctx context.Context, key AttemptKey) (Attempt, error) {
	return l.attempt(ctx, `
		update checkout_attempt
		set cancelled_at = case when confirmed_at is null and expires_at > $4 then coalesce(cancelled_at, $4)
		else cancelled_at end
		where environment_id = $1 and id = $2 and channel_id = $3
		returning confirmed_at, cancelled_at, expires_at`, key, l.now())
}

func (l *Ledger) attempt(ctx context.Context, sql string, key AttemptKey, more ...any) (Attempt, error) {
	attempt := Attempt{ID: key.ID}
	var confirmed, cancelled *time.Time
	args := append([]any{key.EnvironmentID, key.ID, key.ChannelID}, more...)
	err := l.pool.QueryRow(ctx, sql, args...).Scan(&confirmed, &cancelled, &attempt.ExpiresAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return Attempt{}, ErrAttemptNotFound
	}
	if err != nil {
		return Attempt{}, fmt.Errorf("read a checkout attempt: %w", err)
	}
	attempt.Status = status(confirmed, cancelled, attempt.ExpiresAt, l.now())
	return attempt, nil
}

// status returns where an attempt stands at a time.
func status(confirmed, cancelled *time.Time, expires, now time.Time) Status {
	switch {
	case confirmed != nil:
		return Confirmed
	case cancelled != nil:
		return Cancelled
	case !now.Before(expires):
		return Expired
	}
	return Pending
}

// ConfirmAttempt marks an attempt as paid, whatever its status was: the person
// has paid, even if the page gave up meanwhile (wire.md §8.4). Nothing on the
// network calls it: whoever does must have the payment processor's word, whose
// client_reference_id names the attempt.
func (l *Ledger) ConfirmAttempt(ctx context.Context, environmentID int64, id uuid.UUID) (Confirmation, error) {
	// The first statement sees another one's confirmation once it has waited for
	// its row lock; the second is only asked when nothing was there to confirm.
	tag, err := l.pool.Exec(ctx, `
		update checkout_attempt set confirmed_at = $3
		where environment_id = $1 and id = $2 and confirmed_at is null`, environmentID, id, l.now())
	if err != nil {
		return "", fmt.Errorf("confirm a checkout attempt: %w", err)
	}
	if tag.RowsAffected() > 0 {
		return ConfirmedNow, nil
	}
	var known bool
	err = l.pool.QueryRow(ctx, `
		select exists (select from checkout_attempt where environment_id = $1 and id = $2)`, environmentID, id).Scan(&known)
	switch {
	case err != nil:
		return "", fmt.Errorf("confirm a checkout attempt: %w", err)
	case known:
		return ConfirmedBefore, nil
	}
	return AttemptMissing, nil
}
