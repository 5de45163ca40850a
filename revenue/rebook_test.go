package revenue_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/revenue/fold"
)

// What an earlier version of the server booked by its rules is what the rules of today make of it, without anybody's
// doing.
func TestDeliveriesOfEarlierRulesAreBookedAgain(t *testing.T) {
	t.Parallel()
	in := newInbox(t)
	for _, d := range corpus(t) {
		in.receive(d.provider, d.body)
	}
	want := in.text()
	require.NotEmpty(t, want)
	did, err := in.ledger.Rebook(t.Context())
	require.NoError(t, err)
	require.False(t, did, "all are booked by the rules of today")

	in.exec(`delete from subscription_period where period_type = 'normal'`)
	in.exec(`update subscription_period set amount_micros = amount_micros + 1`)
	in.exec(`update revenue_ledger set kind = 'renewal' where kind = 'originating'`)
	in.exec(`delete from provider_event_key`)
	in.exec(`update provider_event set fold_version = 0, state = 'unmapped', reason = 'unknown format'`)
	require.NotEqual(t, want, in.text())
	for did = true; did; {
		did, err = in.ledger.Rebook(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, want, in.text())
}

// A period that a balance paid has no charge to go with: it finds its person by itself.
func TestPeriodThatABalancePaysFindsItsPerson(t *testing.T) {
	t.Parallel()
	in := newInbox(t)
	in.receive(fold.Stripe, []byte(fmt.Sprintf(`{"id": "evt_1", "object": "event", "type": "invoice.paid", "livemode": true,
		"created": 1767225600, "data": {"object": {"id": "in_1", "customer": "cus_1", "amount_paid": 0, "total": 1000,
		"currency": "usd", "parent": {"subscription_details": {"subscription": "sub_1"}},
		"lines": {"data": [{"amount": 1000, "period": {"start": %d, "end": %d}}]}}}}`, 1767225600, 1769904000)))
	person := func() (id string) {
		require.NoError(t, in.db.Pool.QueryRow(t.Context(), `select app_user_id from subscription_period`).Scan(&id))
		return id
	}
	require.Empty(t, person())
	require.Zero(t, in.sum(`true`))
	tx, err := in.db.Pool.Begin(t.Context())
	require.NoError(t, err)
	require.NoError(t, in.ledger.Map(t.Context(), tx, environment, fold.Stripe, "sub_1", "ann"))
	require.NoError(t, tx.Commit(t.Context()))
	require.Equal(t, "ann", person())
}
