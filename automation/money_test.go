package automation_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/fold"
)

// reported is a delivery of RevenueCat about the subscription of a customer.
func reported(id, kind, customer, transaction, period string, price float64, at time.Time, more string) []byte {
	return fmt.Appendf(nil, `{"event": {"id": %q, "type": %q, "event_timestamp_ms": %d, "purchased_at_ms": %d,
		"expiration_at_ms": %d, "app_user_id": %q, "transaction_id": %q, "original_transaction_id": %q,
		"store": "APP_STORE", "period_type": %q, "environment": "PRODUCTION", "price": %g, "currency": "USD",
		"product_id": "pro"%s}}`,
		id+customer, kind, at.UnixMilli(), at.UnixMilli(), at.Add(time.Minute).UnixMilli(), customer, transaction+customer,
		"t1"+customer, period, price, more)
}

func (w *world) deliverMoney(ledger *revenue.Ledger, body []byte) {
	w.t.Helper()
	receipt, err := ledger.Receive(context.Background(), revenue.Delivery{
		ConnectionID: uuid.New(), Provider: fold.RevenueCat, Live: w.environment, Test: w.environment + 1, Body: body,
	})
	require.NoError(w.t, err)
	require.Equal(w.t, fold.Handled, receipt.Verdict.State, receipt.Verdict.Reason)
}

func (w *world) link(ledger *revenue.Ledger, person, customer string) {
	w.t.Helper()
	require.NoError(w.t, ledger.LinkIdentity(context.Background(), revenue.BillingIdentity{
		EnvironmentID: w.environment, AppUserID: person, Provider: "revenuecat", ExternalID: customer,
	}))
}

// byMoney makes an automation for each kind that lets people in every time.
func (w *world) byMoney(kinds ...string) map[uuid.UUID]string {
	w.t.Helper()
	names := map[uuid.UUID]string{}
	for _, kind := range kinds {
		a := w.define(fmt.Sprintf(`{"trigger": {"type": "ledger", "kinds": [%q], "reentry": "always"},
			"nodes": [{"id": "end", "type": "exit"}]}`, kind))
		names[a.ID] = kind
	}
	return names
}

func (w *world) entered(names map[uuid.UUID]string) map[string]int {
	w.t.Helper()
	counts := map[string]int{}
	rows, err := w.db.Pool.Query(context.Background(), `select automation_id, app_user_id, count(*) from automation_enrolment group by 1, 2`)
	require.NoError(w.t, err)
	var id uuid.UUID
	var person string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&id, &person, &n}, func() error { counts[names[id]+" "+person] = n; return nil })
	require.NoError(w.t, err)
	return counts
}

// A subscription from its trial to its end, in any order of deliveries, each of them twice: everything starts once.
func TestWhatProvidersReportEnrolsOnce(t *testing.T) {
	w := newWorld(t)
	names := w.byMoney("trial", "converted", "originating", "renewal", "refund", "expired")
	ledger := revenue.New(w.db.Pool, revenue.Options{Follower: w.Automations})
	now := time.Now().UTC().Truncate(time.Second)
	deliveries := func(customer string) [][]byte {
		return [][]byte{
			reported("e1", "INITIAL_PURCHASE", customer, "t1", "TRIAL", 0, now.Add(-50*time.Hour), ""),
			reported("e2", "RENEWAL", customer, "t2", "NORMAL", 10, now.Add(-40*time.Hour), `, "is_trial_conversion": true`),
			reported("e3", "RENEWAL", customer, "t3", "NORMAL", 10, now.Add(-30*time.Hour), ""),
			reported("e4", "CANCELLATION", customer, "t3", "NORMAL", -10, now.Add(-20*time.Hour), `, "cancel_reason": "CUSTOMER_SUPPORT"`),
			reported("e5", "EXPIRATION", customer, "t3", "NORMAL", 0, now.Add(-10*time.Hour), ""),
		}
	}
	want := map[string]int{}
	for i := range 6 {
		person, customer := fmt.Sprint("person-", i), fmt.Sprint("customer-", i)
		if i%2 == 0 {
			w.link(ledger, person, customer)
		}
		bodies := append(deliveries(customer), deliveries(customer)...)
		if i > 1 {
			order := rand.New(rand.NewPCG(uint64(i), 1))
			order.Shuffle(len(bodies), func(a, b int) { bodies[a], bodies[b] = bodies[b], bodies[a] })
		}
		for _, body := range bodies {
			w.deliverMoney(ledger, body)
		}
		if i%2 == 1 { // the person is known only now
			require.NotContains(t, w.entered(names), "trial "+person)
			w.link(ledger, person, customer)
		}
		for _, kind := range []string{"trial", "converted", "originating", "renewal", "refund", "expired"} {
			want[kind+" "+person] = 1
		}
	}
	require.Equal(t, want, w.entered(names))
	require.Equal(t, map[string]int{"trial 0": 6, "originating 10": 12, "renewal 10": 6, "refund -10": 6, "expired": 6},
		w.grouped(`select concat_ws(' ', event_name, event->>'amountUsd'), count(*) from automation_enrolment group by 1`))

	_, err := ledger.Replay(t.Context(), w.environment)
	require.NoError(t, err)
	w.exec(`delete from revenue_ledger`)
	w.exec(`delete from subscription_period`)
	_, err = ledger.Replay(t.Context(), w.environment)
	require.NoError(t, err)
	require.Equal(t, 24, w.count(`select count(*) from revenue_ledger`))
	require.Equal(t, want, w.entered(names), "a replay starts nothing")

	// What a later delivery makes anew is known.
	w.exec(`delete from revenue_ledger`)
	w.exec(`delete from subscription_period`)
	w.deliverMoney(ledger, reported("e6", "RENEWAL", "customer-0", "t4", "NORMAL", 10, now.Add(-5*time.Hour), ""))
	want["renewal person-0"] = 2
	require.Equal(t, want, w.entered(names))
}

func TestMoneyOfLongAgoStartsNothing(t *testing.T) {
	w := newWorld(t)
	names := w.byMoney("originating", "renewal")
	ledger := revenue.New(w.db.Pool, revenue.Options{Follower: w.Automations})
	w.link(ledger, "ana", "c")
	w.deliverMoney(ledger, reported("e1", "INITIAL_PURCHASE", "c", "t1", "NORMAL", 10, time.Now().Add(-73*time.Hour), ""))
	w.deliverMoney(ledger, reported("e2", "RENEWAL", "c", "t2", "NORMAL", 10, time.Now().Add(-71*time.Hour), ""))
	require.Equal(t, map[string]int{"renewal ana": 1}, w.entered(names))
}

// interrupted lets automations do what follows, and then fails as the database would.
type interrupted struct{ *automation.Automations }

func (i interrupted) Booked(ctx context.Context, tx pgx.Tx, changes []revenue.Change) error {
	if err := i.Automations.Booked(ctx, tx, changes); err != nil {
		return err
	}
	return errors.New("interrupted")
}

// What follows is of the transaction that books: without the money there is no enrolment.
func TestEnrolmentsAreBookedWithTheMoneyOrNotAtAll(t *testing.T) {
	w := newWorld(t)
	w.byMoney("originating")
	ledger := revenue.New(w.db.Pool, revenue.Options{Follower: interrupted{w.Automations}})
	w.link(ledger, "ana", "c")
	receipt, err := ledger.Receive(t.Context(), revenue.Delivery{
		ConnectionID: uuid.New(), Provider: fold.RevenueCat, Live: w.environment, Test: w.environment + 1,
		Body: reported("e1", "INITIAL_PURCHASE", "c", "t1", "NORMAL", 10, time.Now(), ""),
	})
	require.NoError(t, err)
	require.Equal(t, fold.Failed, receipt.Verdict.State)
	require.Zero(t, w.count(`select count(*) from revenue_ledger`))
	require.Zero(t, w.count(`select count(*) from automation_enrolment`))
	require.Zero(t, w.count(`select count(*) from river.river_job`))
}
