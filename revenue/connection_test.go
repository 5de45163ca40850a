package revenue_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/fold"
)

// Money without a person is listed by what it is for, and leaves the list when somebody says whose it is.
func TestMoneyWithoutAPersonIsListedUntilItIsMapped(t *testing.T) {
	in := newInbox(t)
	start := in.clock.now()
	for i, transaction := range []string{"t1", "t2", "t3"} {
		at := start.Add(time.Duration(i) * time.Hour)
		in.receive(fold.RevenueCat, purchase("e"+transaction, "INITIAL_PURCHASE", "nobody", transaction, at, ""))
	}
	unpriced := strings.Replace(string(purchase("e4", "INITIAL_PURCHASE", "nobody", "t4", start.Add(3*time.Hour),
		`,"currency":"EUR","price_in_purchased_currency":8.00`)), `"price":10`, `"price":null`, 1)
	in.receive(fold.RevenueCat, []byte(unpriced))

	var subjects []string
	after := ""
	for {
		page, err := in.ledger.Unmapped(t.Context(), environment, after, 3)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.List), 3)
		for _, u := range page.List {
			subjects = append(subjects, u.Subject)
			require.EqualValues(t, 1, u.Rows)
			require.Contains(t, u.PersonIDs, fold.PersonID(fold.ByIdentity, "nobody"))
			if u.Subject == "t4" {
				require.EqualValues(t, 1, u.Unconverted)
				require.Zero(t, u.AmountMicros)
			} else {
				require.EqualValues(t, 10_000_000, u.AmountMicros)
			}
		}
		if after = page.After; after == "" {
			break
		}
	}
	require.Equal(t, []string{"t4", "t3", "t2", "t1"}, subjects, "the newest first, each once")
	_, err := in.ledger.Unmapped(t.Context(), environment, "x", 3)
	require.True(t, fault.Is(err, fault.InvalidInput))

	require.NoError(t, in.ledger.MapByHand(t.Context(), environment, fold.RevenueCat, "t2", "phone", func(pgx.Tx) error { return nil }))
	require.EqualValues(t, 10_000_000, in.sum(`app_user_id = 'phone'`))
	page, err := in.ledger.Unmapped(t.Context(), environment, "", 10)
	require.NoError(t, err)
	require.Len(t, page.List, 3)
}

// Who signs in later under an id that the provider knows gets the money that came before.
func TestACustomUserIDThatIsLinkedLaterBringsTheMoney(t *testing.T) {
	in := newInbox(t)
	in.receive(fold.RevenueCat, purchase("e1", "INITIAL_PURCHASE", "ana", "t1", in.clock.now(), ""))
	person := uuid.New()
	in.exec(`insert into person (environment_id, id, custom_user_id, created_at, identified_at) values ($1, $2, 'ana', $3, $3)`,
		environment, person, in.clock.now().Add(-time.Hour))
	in.exec(`insert into person_device (environment_id, app_user_id, person_id, linked_at) values ($1, 'phone', $2, $3)`,
		environment, person, in.clock.now().Add(-time.Hour))
	require.EqualValues(t, 0, in.sum(`app_user_id = 'phone'`))
	require.NoError(t, pgx.BeginFunc(t.Context(), in.db.Pool, func(tx pgx.Tx) error {
		return in.ledger.CustomUserLinked(t.Context(), tx, environment, "ana")
	}))
	require.EqualValues(t, 10_000_000, in.sum(`app_user_id = 'phone'`))
}

// The money of an erased person stays, nobody's, and so does what is told of it later; no delivery names the person.
func TestMoneyOfAnErasedPersonIsNobodys(t *testing.T) {
	in := newInbox(t)
	in.link("zoe-phone", "zoe-rc")
	in.clock.advance(time.Hour)
	at := in.clock.now()
	in.receive(fold.RevenueCat, purchase("e1", "INITIAL_PURCHASE", "zoe-rc", "t1", at, ""))
	require.EqualValues(t, 10_000_000, in.sum(`app_user_id = 'zoe-phone'`))
	in.receive(fold.RevenueCat, purchase("e9", "INITIAL_PURCHASE", "ben-rc", "t9", at, ""))

	rights := privacy.New(in.db)
	begun, err := rights.Begin(t.Context(), privacy.Request{EnvironmentID: environment, AppUserID: "zoe-phone"})
	require.NoError(t, err)
	done, err := rights.Carry(t.Context(), environment, begun.ID)
	require.NoError(t, err)
	require.EqualValues(t, 1, done.Removed["provider_event"])

	later := strings.Replace(string(purchase("e2", "CANCELLATION", "zoe-rc", "t1", at, "")), `"price":10`, `"price":-10`, 1)
	in.receive(fold.RevenueCat, []byte(later))
	require.EqualValues(t, 10_000_000, in.sum(`kind = 'originating' and transaction_key = 't1' and app_user_id = ''`))
	require.EqualValues(t, -10_000_000, in.sum(`kind = 'refund' and app_user_id = ''`))
	for _, table := range []string{"provider_event", "revenue_ledger", "subscription_period", "billing_identity"} {
		var n int
		require.NoError(t, in.db.Pool.QueryRow(t.Context(), `select count(*) from `+table+` as x where x::text like '%zoe-%'
			or x::text like '%' || encode('zoe-', 'hex') || '%'`).Scan(&n))
		require.Zero(t, n, table)
	}
	before := in.text()
	_, err = in.ledger.Replay(t.Context(), environment)
	require.NoError(t, err)
	require.Equal(t, before, in.text(), "a replay finds nobody either")
}

func TestConnectionsAreRead(t *testing.T) {
	in := newInbox(t)
	app, workspace, id := uuid.New(), uuid.New(), uuid.New()
	in.exec(`insert into workspaces (id, name, created_at) values ($1, 'W', now())`, workspace)
	in.exec(`insert into apps (id, workspace_id, name, allowed_origins, integrations, canvas_gates)
		values ($1, $2, 'A', '[]', '{}', '{}')`, app, workspace)
	in.exec(`insert into revenue_connection (id, app_id, provider, name, stores) values ($1, $2, 'stripe', 'Shop', '{stripe}')`, id, app)
	for i, last := range []string{"aaaa", "bbbb"} {
		in.exec(`insert into revenue_connection_secret (id, connection_id, key_id, sealed, last_four, created_at)
			values ($1, $2, 'k', '', $3, now() + $4 * interval '1 second')`, uuid.New(), id, last, i)
	}
	list, err := in.ledger.Connections(t.Context(), app)
	require.NoError(t, err)
	require.Len(t, list, 1)
	one, err := in.ledger.Connection(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, list[0], one)
	require.Equal(t, "Shop", one.Name)
	require.Equal(t, fold.Stripe, one.Provider)
	require.Equal(t, []string{"stripe"}, one.Stores)
	require.Equal(t, "aaaa", one.Secrets[0].LastFour, "the oldest first")
	require.Len(t, one.Secrets, 2)
	_, err = in.ledger.Connection(t.Context(), uuid.New())
	require.True(t, fault.Is(err, fault.NotFound))
	none, err := in.ledger.Connections(t.Context(), uuid.New())
	require.NoError(t, err)
	require.Empty(t, none)
}

// Servers that have no key of their own share the database's.
func TestTheKeyOfADatabaseIsMadeOnce(t *testing.T) {
	in := newInbox(t)
	first, err := in.ledger.DatabaseKey(t.Context())
	require.NoError(t, err)
	require.Len(t, first.Secret, seal.KeySize)
	again, err := revenue.New(in.db.Pool, revenue.Options{}).DatabaseKey(t.Context())
	require.NoError(t, err)
	require.Equal(t, first, again)
}
