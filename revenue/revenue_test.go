package revenue_test

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/revenue"
)

// clock is a time that tests move.
type clock struct{ at atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.at.Store(time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC).UnixMilli())
	return c
}

func (c *clock) now() time.Time          { return time.UnixMilli(c.at.Load()).UTC() }
func (c *clock) advance(d time.Duration) { c.at.Add(d.Milliseconds()) }

const environment, channel = 7, 3

func newLedger(t *testing.T) (*postgres.DB, *revenue.Ledger, *clock) {
	db, clock := pgtest.New(t), newClock()
	return db, revenue.New(db.Pool, revenue.Options{Now: clock.now}), clock
}

func open(t require.TestingT, ledger *revenue.Ledger) revenue.AttemptKey {
	attempt, err := ledger.CreateAttempt(context.Background(), revenue.NewAttempt{
		EnvironmentID: environment, ChannelID: channel, AppUserID: "dev-1", FlowID: uuid.New(), VersionID: uuid.New(),
		SurfaceID: "surf_pay", PaymentLinkURL: "https://buy.stripe.com/x",
	})
	require.NoError(t, err)
	require.Equal(t, revenue.Pending, attempt.Status)
	return revenue.AttemptKey{EnvironmentID: environment, ChannelID: channel, ID: attempt.ID}
}

func TestAnAttemptKeepsWhatItWasOpenedWith(t *testing.T) {
	db, ledger, clock := newLedger(t)
	experiment := uuid.New()
	opened := revenue.NewAttempt{
		EnvironmentID: environment, ChannelID: channel, AppUserID: "dev-1", FlowID: uuid.New(), VersionID: uuid.New(),
		ExperimentID: &experiment,
		VariantID:    "b", SurfaceID: "surf_pay", PaymentLinkURL: "https://buy.stripe.com/x",
		Attribution: json.RawMessage(`{"acquisition.source":"ads"}`),
	}
	attempt, err := ledger.CreateAttempt(t.Context(), opened)
	require.NoError(t, err)
	require.Equal(t, clock.now().Add(24*time.Hour), attempt.ExpiresAt)
	var kept revenue.NewAttempt
	require.NoError(t, db.Pool.QueryRow(t.Context(), `
		select environment_id, channel_id, app_user_id, flow_id, version_id, experiment_id, variant_id, surface_id,
		payment_link_url, attribution
		from checkout_attempt where id = $1`, attempt.ID).Scan(&kept.EnvironmentID, &kept.ChannelID, &kept.AppUserID, &kept.FlowID, &kept.VersionID,
		&kept.ExperimentID, &kept.VariantID, &kept.SurfaceID, &kept.PaymentLinkURL, &kept.Attribution))
	require.JSONEq(t, string(opened.Attribution), string(kept.Attribution))
	kept.Attribution = opened.Attribution
	require.Equal(t, opened, kept)
}

func TestAttemptsBelongToTheirEnvironmentAndChannel(t *testing.T) {
	_, ledger, _ := newLedger(t)
	key := open(t, ledger)
	for _, stranger := range []revenue.AttemptKey{
		{EnvironmentID: 8, ChannelID: channel, ID: key.ID}, {EnvironmentID: environment, ChannelID: 4, ID: key.ID},
		{EnvironmentID: environment, ChannelID: channel, ID: uuid.New()},
	} {
		_, err := ledger.Attempt(t.Context(), stranger)
		require.ErrorIs(t, err, revenue.ErrAttemptNotFound)
		_, err = ledger.CancelAttempt(t.Context(), stranger)
		require.ErrorIs(t, err, revenue.ErrAttemptNotFound)
	}
	confirmation, err := ledger.ConfirmAttempt(t.Context(), 8, key.ID)
	require.NoError(t, err)
	require.Equal(t, revenue.AttemptMissing, confirmation)
	attempt, err := ledger.Attempt(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, revenue.Pending, attempt.Status)
}

// Whatever happens to attempts in whatever order, they stand where a plain
// reading of wire.md §8.4 says.
func TestAttemptsFollowTheirStates(t *testing.T) {
	_, ledger, clock := newLedger(t)
	rapid.Check(t, func(t *rapid.T) {
		key := open(t, ledger)
		expires := clock.now().Add(24 * time.Hour)
		var confirmed, cancelled bool
		want := func() revenue.Status {
			switch {
			case confirmed:
				return revenue.Confirmed
			case cancelled:
				return revenue.Cancelled
			case !clock.now().Before(expires):
				return revenue.Expired
			}
			return revenue.Pending
		}
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"read", "cancel", "confirm", "wait", "wait to the end"}).Draw(t, "step") {
			case "read":
			case "cancel":
				cancelled = cancelled || want() == revenue.Pending
				attempt, err := ledger.CancelAttempt(context.Background(), key)
				require.NoError(t, err)
				require.Equal(t, want(), attempt.Status)
			case "confirm":
				confirmation, err := ledger.ConfirmAttempt(context.Background(), key.EnvironmentID, key.ID)
				require.NoError(t, err)
				require.Equal(
					t, map[bool]revenue.Confirmation{false: revenue.ConfirmedNow, true: revenue.ConfirmedBefore}[confirmed],
					confirmation,
				)
				confirmed = true
			case "wait":
				clock.advance(7 * time.Hour)
			case "wait to the end": // the last millisecond is pending, the next is not
				clock.advance(max(0, expires.Sub(clock.now())-time.Millisecond))
				attempt, err := ledger.Attempt(context.Background(), key)
				require.NoError(t, err)
				require.Equal(t, want(), attempt.Status)
				clock.advance(time.Millisecond)
			}
			attempt, err := ledger.Attempt(context.Background(), key)
			require.NoError(t, err)
			require.Equal(t, want(), attempt.Status)
			require.Equal(t, expires, attempt.ExpiresAt.UTC())
		}
	})
}

// Of many words that an attempt was paid, with cancellations between, one is the
// first.
func TestOneConfirmationIsTheFirst(t *testing.T) {
	_, ledger, _ := newLedger(t)
	for range 5 {
		key := open(t, ledger)
		var first atomic.Int32
		var running sync.WaitGroup
		for i := range 8 {
			running.Go(func() {
				if i%2 == 0 {
					if _, err := ledger.CancelAttempt(context.Background(), key); err != nil {
						t.Error(err)
					}
				}
				confirmation, err := ledger.ConfirmAttempt(context.Background(), key.EnvironmentID, key.ID)
				switch {
				case err != nil:
					t.Error(err)
				case confirmation == revenue.ConfirmedNow:
					first.Add(1)
				}
			})
		}
		running.Wait()
		require.EqualValues(t, 1, first.Load())
		attempt, err := ledger.Attempt(t.Context(), key)
		require.NoError(t, err)
		require.Equal(t, revenue.Confirmed, attempt.Status)
	}
}

func TestBillingIdentities(t *testing.T) {
	db, ledger, clock := newLedger(t)
	link := func(device, provider, id string) {
		require.NoError(
			t,
			ledger.LinkIdentity(
				t.Context(),
				revenue.BillingIdentity{EnvironmentID: environment, AppUserID: device, Provider: provider, ExternalID: id},
			),
		)
	}
	link("dev-1", "revenuecat", "a")
	clock.advance(time.Hour)
	link("dev-1", "revenuecat", "a") // again: only the time moves
	link("dev-1", "superwall", "a")
	link("dev-1", "revenuecat", "b")
	link("dev-2", "revenuecat", "a")
	var count int
	var linked time.Time
	require.NoError(t, db.Pool.QueryRow(t.Context(), `
		select count(*), min(linked_at) from billing_identity where environment_id = $1`, environment).Scan(&count, &linked))
	require.Equal(t, 4, count)
	require.Equal(t, clock.now(), linked.UTC())
}
