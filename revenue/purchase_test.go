package revenue_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/postgres/transaction"
	"github.com/svc-dev/svc/revenue"
)

func TestTheLedgerTakesAProviderEventOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	record := func(p revenue.Purchase) (recorded bool) {
		t.Helper()
		require.NoError(t, transaction.Run(t.Context(), db.Ent(), func(tx *ent.Tx) (err error) {
			recorded, err = revenue.RecordPurchase(t.Context(), tx, p)
			return err
		}))
		return recorded
	}
	bought := revenue.Purchase{
		EnvironmentID: 7, Provider: "stripe", ProviderEventID: "e1", Kind: revenue.Originating, AppUserID: "dev-1",
		OccurredAt: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), AmountMicros: 9_990_000, ProductID: "pro",
	}
	require.True(t, record(bought))
	again := bought
	again.AmountMicros = 1
	require.False(t, record(again), "the same event changes nothing")
	elsewhere := bought
	elsewhere.EnvironmentID = 8
	require.True(t, record(elsewhere), "another environment has events of its own")
	refund := bought
	refund.ProviderEventID, refund.Kind, refund.Currency = "e2", revenue.Refund, "EUR"
	require.True(t, record(refund))

	var rows string
	require.NoError(t, db.Pool.QueryRow(t.Context(), `
		select string_agg(concat_ws(' ', environment_id, provider, provider_event_id, kind, app_user_id, amount_micros,
		currency, product_id,
			occurred_at = $1), e'\n' order by environment_id, provider_event_id)
			from revenue_ledger`, bought.OccurredAt).Scan(&rows))
	require.Equal(t, `7 stripe e1 originating dev-1 9990000 USD pro t
7 stripe e2 refund dev-1 -9990000 EUR pro t
8 stripe e1 originating dev-1 9990000 USD pro t`, rows)
}

// What the caller undoes is not in the ledger.
func TestAPurchaseBelongsToItsTransaction(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	undone := errors.New("undone")
	err := transaction.Run(t.Context(), db.Ent(), func(tx *ent.Tx) error {
		_, err := revenue.RecordPurchase(t.Context(), tx, revenue.Purchase{
			EnvironmentID: 7, Provider: "stripe", ProviderEventID: "e1", Kind: revenue.Renewal, OccurredAt: time.Now(),
			AmountMicros: 1,
		})
		return errors.Join(err, undone)
	})
	require.ErrorIs(t, err, undone)
	var rows int
	require.NoError(t, db.Pool.QueryRow(t.Context(), `select count(*) from revenue_ledger`).Scan(&rows))
	require.Zero(t, rows)
}

func TestWhatTheLedgerRefusesIsAnError(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	_, err := revenue.RecordPurchase(
		context.Background(), db.Ent(), revenue.Purchase{EnvironmentID: 7, Provider: "barter", Kind: revenue.Renewal},
	)
	require.ErrorContains(t, err, "write the revenue ledger")
}
