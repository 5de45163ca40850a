package receive_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/revenue/fold"
	"github.com/svc-dev/svc/revenue/receive"
)

// A test delivery goes the way of a delivery and is money of the test environment alone.
func TestTestDeliveries(t *testing.T) {
	w := newWorld(t)
	for provider, id := range w.ids {
		for range 2 {
			done, err := w.receiver.TestDelivery(t.Context(), id)
			require.NoError(t, err)
			require.True(t, done.Accepted(), provider)
			require.Equal(t, fold.Handled, done.State, "%s: %s", provider, done.Reason)
			require.Positive(t, done.Took)
			require.Less(t, done.Took, time.Minute)
		}
	}
	require.Equal(t, 6, w.count(`select count(*) from revenue_ledger l join environments e on e.id = l.environment_id
		where e.kind = 'test' and l.amount_micros = 1000000 and l.kind = 'originating'`))
	require.Equal(t, 6, w.count(`select count(*) from revenue_ledger`), "none of it is live")
	require.Zero(t, w.count(`select count(*) from subscription_period`))

	// A secret that was added this moment counts, and one that can't be opened proves nothing.
	stripe := w.ids[fold.Stripe]
	w.exec(`update revenue_connection_secret set sealed = '\x00' where connection_id = $1`, stripe)
	done, err := w.receiver.TestDelivery(t.Context(), stripe)
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, done.Status)
	require.Empty(t, done.State)
	fresh := uuid.New()
	keyID, sealed, err := w.ring.Seal([]byte("whsec_a_fresh_secret"), fresh.String())
	require.NoError(t, err)
	w.exec(`insert into revenue_connection_secret (id, connection_id, key_id, sealed, last_four)
		values ($1, $2, $3, $4, 'cret')`, fresh, stripe, keyID, sealed)
	done, err = w.receiver.TestDelivery(t.Context(), stripe)
	require.NoError(t, err)
	require.True(t, done.Accepted())

	w.exec(`update revenue_connection set archived_at = now() where id = $1`, stripe)
	done, err = w.receiver.TestDelivery(t.Context(), stripe)
	require.NoError(t, err)
	require.False(t, done.Accepted(), "archived")
	w.exec(`alter table provider_event rename to away`)
	done, err = w.receiver.TestDelivery(t.Context(), w.ids[fold.RevenueCat])
	require.NoError(t, err)
	require.Equal(t, receive.TestDelivery{Status: http.StatusServiceUnavailable, Took: done.Took}, done)
	require.NotContains(t, w.log.String(), "whsec_")
}
