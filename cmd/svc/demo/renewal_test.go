package demo

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/fold"
	"github.com/svc-dev/svc/revenue/receive"
)

// What fell due while nobody ran the demo is delivered, by every provider, once: subscriptions go on as long as they
// would have, and others end.
func TestSubscriptionsThatAreDueGoOn(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	ring, err := seal.NewRing(seal.Key{ID: "k", Secret: bytes.Repeat([]byte{1}, seal.KeySize)})
	require.NoError(t, err)
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := db.Pool.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	workspace, app := uuid.New(), uuid.New()
	exec(`insert into workspaces (id, name) values ($1, 'W')`, workspace)
	exec(`insert into apps (id, workspace_id, name, allowed_origins, integrations, canvas_gates)
		values ($1, $2, 'A', '[]', '{}', '{}')`, app, workspace)
	exec(`insert into environments (app_id, kind) values ($1, 'live'), ($1, 'test')`, app)
	for _, c := range connections {
		id, secret := uuid.New(), uuid.New()
		exec(`insert into revenue_connection (id, app_id, provider, name, stores) values ($1, $2, $3, $4, $5)`,
			id, app, c.provider, c.name, c.stores)
		keyID, sealed, err := ring.Seal([]byte(newSigningSecret(c.provider)), secret.String())
		require.NoError(t, err)
		exec(`insert into revenue_connection_secret (id, connection_id, key_id, sealed, last_four)
			values ($1, $2, $3, $4, 'last')`, secret, id, keyID, sealed)
	}
	var environment int64
	require.NoError(t, db.Pool.QueryRow(
		t.Context(), `select id from environments where app_id = $1 and kind = 'live'`, app,
	).Scan(&environment))
	endpoint := http.NewServeMux()
	ledger := revenue.New(db.Pool, revenue.Options{})
	receive.New(receive.Deps{Pool: db.Pool, Ledger: ledger, Ring: ring}).Register(endpoint)
	billing := &Billing{Pool: db.Pool, Ring: ring, HTTP: &http.Client{Transport: httpserver.InProcess(endpoint)}}

	now := time.Now().UTC().Truncate(time.Second)
	stop := now.AddDate(0, -3, 0) // when the demo ran last
	stores := map[fold.Provider]string{fold.RevenueCat: "app_store", fold.Superwall: "paddle", fold.Stripe: "stripe"}
	sold := 0
	for provider, store := range stores {
		for i := range 8 {
			p := Purchase{
				Provider: provider, Store: store, ID: uuid.NewString(), AppUserID: fmt.Sprint("person", i), Country: "DE",
				ProductID: []string{"tendril-month", "tendril-year"}[i/6], Trial: i == 7, Payments: endless,
				At: stop.AddDate(0, 0, -3*i),
			}
			require.NoError(t, billing.Report(t.Context(), environment, p, stop))
			sold++
		}
	}
	count := func(sql string) (n int) {
		t.Helper()
		require.NoError(t, db.Pool.QueryRow(t.Context(), sql, environment).Scan(&n))
		return n
	}
	const deliveries = `select count(*) from provider_event where environment_id = $1`
	const late = `select count(*) from (select from subscription_period where environment_id = $1
		group by provider, subscription_key having max(coalesce(ended_at, ends_at)) <= now() and bool_and(ended_at is null)) s`
	const renewals = `select count(*) from revenue_ledger where environment_id = $1 and kind = 'renewal'`
	before := count(renewals)
	require.NotZero(t, count(late))
	require.NoError(t, billing.renew(t.Context(), environment, now))
	require.Zero(t, count(late), "no subscription is due")
	require.Greater(t, count(renewals), before+10)
	require.Equal(t, sold, count(`select count(distinct subscription_key) from subscription_period where environment_id = $1`),
		"they go on, and are no others")
	require.Zero(t, count(`select count(*) from provider_event where environment_id = $1 and state <> 'handled'`))
	require.NotZero(t, count(`select count(*) from subscription_period where environment_id = $1 and ends_at > now()
		and auto_renew`))
	require.Equal(t, count(`select count(*) from revenue_ledger where environment_id = $1`),
		count(`select count(*) from revenue_ledger where environment_id = $1 and app_user_id like 'person%'`))
	told := count(deliveries)
	require.NoError(t, billing.renew(t.Context(), environment, now))
	require.Equal(t, told, count(deliveries), "what was told is not told again")

	// What somebody else sells in the demo's app is not the demo's.
	exec(`insert into subscription_period (environment_id, provider, transaction_key, subscription_key, provider_event_id,
			period_type, starts_at, ends_at, auto_renew, product_id, store)
		values ($1, 'stripe', 'in_1', 'sub_of_somebody', 'evt', 'normal', '2026-01-01', '2026-02-01', true,
			'tendril-month', 'stripe')`, environment)
	require.NoError(t, billing.renew(t.Context(), environment, now))
	require.Equal(t, told, count(deliveries))

	// Without a connection nothing is delivered, and nothing goes wrong.
	exec(`update revenue_connection set archived_at = now() where app_id = $1`, app)
	billing.sources = nil
	require.NoError(t, billing.renew(t.Context(), environment, now.AddDate(0, 2, 0)))
	require.Equal(t, told, count(deliveries))
}
