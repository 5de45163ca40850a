package revenue_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/fold"
)

// unwilling lets nothing be booked of somebody, and counts how often it is told of something.
type unwilling struct {
	person string
	told   atomic.Int64
}

func (u *unwilling) Wants(int64) bool { return true }

func (u *unwilling) Booked(_ context.Context, _ pgx.Tx, changes []revenue.Change) error {
	u.told.Add(1)
	for _, c := range changes {
		if c.AppUserID == u.person {
			return errors.New("unwilling")
		}
	}
	return nil
}

// eventuallyWait returns when so many deliveries wait together, beside the first one, whose writer waits for a lock
// that tx holds. It was taken by then: the second would else be booked with it, and never wait.
func eventuallyWait(t *testing.T, tx pgx.Tx, ledger *revenue.Ledger, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		var taken bool
		require.NoError(t, tx.QueryRow(t.Context(), `select exists (select from pg_locks
			where not granted and locktype = 'advisory'
			and database = (select oid from pg_database where datname = current_database()))`).Scan(&taken))
		return taken && ledger.Waiting() == n
	}, 30*time.Second, time.Millisecond)
}

// receiveAtOnce delivers while the environment is locked, so that all but the first wait together.
func receiveAtOnce(t *testing.T, in *inbox, ledger *revenue.Ledger, bodies [][]byte) ([]revenue.Receipt, []error) {
	t.Helper()
	receipts, errs := make([]revenue.Receipt, len(bodies)), make([]error, len(bodies))
	var senders sync.WaitGroup
	require.NoError(t, pgx.BeginFunc(t.Context(), in.db.Pool, func(tx pgx.Tx) error {
		require.NoError(t, privacy.LockMoney(t.Context(), tx, environment))
		for i, body := range bodies {
			senders.Go(func() {
				receipts[i], errs[i] = ledger.Receive(context.Background(), revenue.Delivery{
					ConnectionID: uuid.UUID{1}, Provider: fold.RevenueCat, Live: environment, Test: test, Body: body,
				})
			})
			eventuallyWait(t, tx, ledger, i)
		}
		return nil
	}))
	senders.Wait()
	return receipts, errs
}

// Deliveries that wait together are booked in one transaction, as if each were booked by itself: one that can't be
// booked, one that came before and one of somebody who was erased change nothing for the others.
func TestDeliveriesThatWaitAreBookedTogether(t *testing.T) {
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	bought := func(n int) []byte {
		person := fmt.Sprintf(`,"subscriber_attributes":{"svc_app_user_id":{"value":"person%d"}}`, n)
		return purchase(fmt.Sprint("e", n), "INITIAL_PURCHASE", fmt.Sprint("rc", n), fmt.Sprint("t", n), start, person)
	}
	var bodies [][]byte
	for n := range 20 {
		bodies = append(bodies, bought(n))
	}
	const again, unknown = 20, 21 // indices
	bodies = append(bodies, bought(5), []byte(`nothing that is known`),
		purchase("gone", "EXPIRATION", "rc1", "t1", start.AddDate(0, 1, 0), ""),
		purchase("back", "CANCELLATION", "rc2", "t2", start.AddDate(0, 0, 3), `,"cancel_reason":"CUSTOMER_SUPPORT"`),
		fmt.Appendf(nil, `{"event":{"id":"moved","type":"TRANSFER","event_timestamp_ms":%d,"transferred_from":["rc3"],
			"transferred_to":["rc4"],"store":"APP_STORE","environment":"PRODUCTION"}}`, start.UnixMilli()))
	for name, c := range map[string]struct {
		unbooked, erased int // people; -1 is nobody
		told             int // how often the follower is told at least
	}{
		"all at once":                     {-1, -1, 2},
		"beside one that can't be booked": {7, -1, 20},
		"beside somebody who was erased":  {-1, 9, 19},
	} {
		t.Run(name, func(t *testing.T) {
			in := newInbox(t)
			in.link("device4", "rc4")
			prepare := func() {
				in.exec(`truncate revenue_ledger, subscription_period, provider_event, provider_event_key`)
				in.receive(fold.RevenueCat, purchase("before", "UNCANCELLATION", "rc9", "t9", start.AddDate(0, -1, 0), ""))
				in.exec(`update provider_event set erased = $1`, c.erased == 9)
			}
			follower := &unwilling{person: fmt.Sprint("person", c.unbooked)}
			ledger := revenue.New(in.db.Pool, revenue.Options{Follower: follower})

			prepare()
			for _, body := range bodies {
				_, err := ledger.Receive(t.Context(), revenue.Delivery{
					ConnectionID: uuid.UUID{1}, Provider: fold.RevenueCat, Live: environment, Test: test, Body: body,
				})
				require.NoError(t, err)
			}
			want := in.text()
			for n := range 20 {
				person := fmt.Sprintf(`"app_user_id": "person%d"`, n)
				if n == c.unbooked || n == c.erased || n == 3 || n == 4 {
					require.NotContains(t, want, person)
				} else {
					require.Contains(t, want, person)
				}
			}
			require.Contains(t, want, `"app_user_id": "device4"`)

			prepare()
			follower.told.Store(0)
			receipts, errs := receiveAtOnce(t, in, ledger, bodies)
			require.Equal(t, want, in.text())
			for i, err := range errs {
				require.NoError(t, err)
				require.Equal(t, i == again, receipts[i].Duplicate, "delivery %d", i)
				state := fold.Handled
				switch i {
				case c.unbooked:
					state = fold.Failed
				case unknown:
					state = fold.Unmapped
				}
				require.Equal(t, state, receipts[i].Verdict.State, "delivery %d", i)
			}
			var transactions int
			require.NoError(t, in.db.Pool.QueryRow(t.Context(), `
				select count(distinct received_at) from provider_event where event_id <> 'before'`).Scan(&transactions))
			require.Equal(t, 2, transactions, "the first one, and those that waited for it")
			if c.told > 2 {
				require.GreaterOrEqual(t, int(follower.told.Load()), c.told, "each by itself")
			} else {
				require.LessOrEqual(t, int(follower.told.Load()), c.told)
			}
		})
	}
}

// What belongs together is not read when it is more than memory is for: the delivery is kept as failed, and others of
// the same group are booked.
func TestWhatBelongsTogetherIsBounded(t *testing.T) {
	in := newInbox(t)
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	in.receive(fold.RevenueCat, purchase("e1", "INITIAL_PURCHASE", "rc1", "t1", at, ""))
	in.exec(`
		insert into provider_event (environment_id, provider, event_id, connection_id, type, occurred_at, received_at, body,
			state, reason)
		select environment_id, provider, 'long' || n, connection_id, type, occurred_at, received_at,
			body || convert_to(repeat(' ', 1 << 20), 'UTF8'), state, reason from provider_event, generate_series(1, 32) n`)
	in.exec(`
		insert into provider_event_key (environment_id, provider, key, event_id)
		select environment_id, provider, key, 'long' || n from provider_event_key, generate_series(1, 32) n`)
	receipts, errs := receiveAtOnce(t, in, in.ledger, [][]byte{
		purchase("e2", "INITIAL_PURCHASE", "rc2", "t2", at, ""), purchase("e3", "INITIAL_PURCHASE", "rc3", "t3", at, ""),
		purchase("e4", "CANCELLATION", "rc1", "t1", at, ""), purchase("e5", "INITIAL_PURCHASE", "rc5", "t5", at, ""),
	})
	for i, err := range errs {
		require.NoError(t, err)
		require.Equal(t, i == 2, receipts[i].Verdict.State == fold.Failed, receipts[i].Verdict)
	}
	require.Equal(t, "too many deliveries belong together", receipts[2].Verdict.Reason)
	require.EqualValues(t, 40_000_000, in.sum(`true`))
}

// What the database does not take is lost for its provider alone, who sends it again.
func TestADeliveryThatCanNotBeKeptIsTheOnlyOne(t *testing.T) {
	in := newInbox(t)
	in.exec(`create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end'`)
	in.exec(`create trigger refuse before insert on provider_event for each row when (new.event_id = 'e3') execute function refuse()`)
	var bodies [][]byte
	for n := range 8 {
		id := fmt.Sprint("e", n)
		bodies = append(bodies, purchase(id, "INITIAL_PURCHASE", id, id, time.Now(), ""))
	}
	_, errs := receiveAtOnce(t, in, in.ledger, bodies)
	for n, err := range errs {
		require.Equal(t, n == 3, err != nil, "%d: %v", n, err)
	}
	require.EqualValues(t, 70_000_000, in.sum(`true`))
	in.exec(`drop trigger refuse on provider_event`)
	in.receive(fold.RevenueCat, bodies[3])
	require.EqualValues(t, 80_000_000, in.sum(`true`))
}

// Whoever leaves while a delivery waits leaves it to those who wait with it.
func TestADeliveryIsBookedWhenItsSenderLeaves(t *testing.T) {
	in := newInbox(t)
	ctx, leave := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	failures := make([]error, 2)
	require.NoError(t, pgx.BeginFunc(t.Context(), in.db.Pool, func(tx pgx.Tx) error {
		require.NoError(t, privacy.LockMoney(t.Context(), tx, environment))
		for n := range failures {
			waiting.Go(func() {
				_, failures[n] = in.ledger.Receive(ctx, revenue.Delivery{
					Provider: fold.Stripe, Live: environment, Body: fmt.Appendf(nil, `{"id":"e%d"}`, n),
				})
			})
			eventuallyWait(t, tx, in.ledger, n)
		}
		leave()
		return nil
	}))
	waiting.Wait()
	require.NoError(t, errors.Join(failures...))
	_, err := in.ledger.Receive(ctx, revenue.Delivery{Provider: fold.Stripe, Live: environment})
	require.ErrorIs(t, err, context.Canceled)
	var kept int
	require.NoError(t, in.db.Pool.QueryRow(t.Context(), `select count(*) from provider_event`).Scan(&kept))
	require.Equal(t, 2, kept)
}
