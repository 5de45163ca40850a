package receive_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation/notification/watch"
	"github.com/svc-dev/svc/revenue/fold"
)

// Members are told when a provider's deliveries are refused while none is accepted, and when their form is unknown for
// an hour: once a week, whatever strangers send.
func TestMembersAreToldOfSourcesThatFail(t *testing.T) {
	w := newWorld(t)
	look := &watch.Watch{Pool: w.db.Pool, Now: func() time.Time { return time.Unix(w.now.Load(), 0) }}
	told := func() []string {
		t.Helper()
		require.NoError(t, look.Revenue(t.Context()))
		rows, err := w.db.Pool.Query(context.Background(), `
			select title || ' ' || (about->>'revenueSourceId') from notification order by created_at, id`)
		require.NoError(t, err)
		list, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return list
	}
	forge := func() {
		t.Helper()
		require.Equal(t, 401, w.deliver(fold.Stripe, "whsec_forged", body(fold.Stripe, "forged")).Code)
	}
	good := func(id string) {
		t.Helper()
		require.Equal(t, http.StatusOK, w.deliver(fold.Stripe, secrets[fold.Stripe][0], body(fold.Stripe, id)).Code)
	}
	forge()
	require.Empty(t, told(), "it was made this hour: somebody is setting it up")
	w.exec(`update revenue_connection set created_at = created_at - interval '30 days'`)
	good("e1")
	forge()
	require.Empty(t, told(), "a stranger's, since good ones come too")
	w.exec(`update revenue_connection set last_delivery_at = last_delivery_at - interval '25 hours'`)
	refused := "Deliveries of “C” of “A” are refused " + w.ids[fold.Stripe].String()
	require.Equal(t, []string{refused}, told())
	forge()
	require.Equal(t, []string{refused}, told())

	unknown := func(id string, at time.Time) {
		t.Helper()
		text := fmt.Sprintf(`{"event":{"id":%q,"type":"RENEWAL","event_timestamp_ms":1767225600000}}`, id)
		require.Equal(t, http.StatusOK, w.deliver(fold.RevenueCat, secrets[fold.RevenueCat][0], []byte(text)).Code)
		w.exec(`update provider_event set received_at = $1 where event_id = $2`, at, id)
	}
	now := time.Unix(w.now.Load(), 0)
	unknown("u1", now.Add(-2*time.Hour))
	unknown("u2", now.Add(-2*time.Hour))
	unknown("u3", now.Add(-2*time.Hour))
	require.Len(t, told(), 1, "at the same time")
	unknown("u4", now.Add(-time.Minute))
	require.Equal(t, []string{
		refused, "Deliveries of “C” of “A” are not understood " + w.ids[fold.RevenueCat].String(),
	}, told())
	require.Len(t, told(), 2)
}
