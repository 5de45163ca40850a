package revenue_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/moneyoracle"
)

// books returns the rows of the ledger and of periods without what a database gives them.
func books(t *testing.T, db *postgres.DB, environment int64) (rows []string) {
	t.Helper()
	for _, table := range []string{"revenue_ledger", "subscription_period"} {
		list, err := db.Pool.Query(t.Context(), `
			select (to_jsonb(r) - '{id,environment_id,changed_xid,created_at}'::text[])::text from `+table+` r
			where environment_id = $1 order by 1`, environment)
		require.NoError(t, err)
		texts, err := pgx.CollectRows(list, pgx.RowTo[string])
		require.NoError(t, err)
		rows = append(rows, texts...)
	}
	return rows
}

// What is exported makes the same books elsewhere, and nothing twice.
func TestMoneyTravels(t *testing.T) {
	t.Parallel()
	const environment, elsewhere = 7, 70
	db, other := pgtest.New(t), pgtest.New(t)
	ctx, app := t.Context(), uuid.New()
	w := moneyoracle.New(3, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))
	require.NoError(t, w.Store(ctx, db.Pool, environment))
	ledger := revenue.New(db.Pool, revenue.Options{})
	connection := uuid.New()
	for _, to := range []*postgres.DB{db, other} {
		_, err := to.Pool.Exec(ctx, `
			with w as (insert into workspaces (id, name) values (gen_random_uuid(), 'w') returning id)
			insert into apps (id, name, allowed_origins, integrations, canvas_gates, workspace_id)
			select $1, 'a', '[]', '{}', '{}', id from w`, app)
		require.NoError(t, err)
	}
	_, err := db.Pool.Exec(ctx, `
		insert into revenue_connection (id, app_id, provider, name, stores) values ($1, $2, 'stripe', 's', '{stripe,app_store,mac_app_store,play_store,paddle}')`,
		connection, app)
	require.NoError(t, err)
	_, err = db.Pool.Exec(ctx, `
		insert into revenue_connection_secret (id, connection_id, key_id, sealed, last_four)
		values (gen_random_uuid(), $1, 'the-key-id', 'the-sealed-secret', 'last')`, connection)
	require.NoError(t, err)
	for _, d := range w.Deliveries {
		_, err := ledger.Receive(ctx, revenue.Delivery{
			ConnectionID: connection, Provider: d.Provider, Live: environment, Test: environment + 1, Body: d.Body,
		})
		require.NoError(t, err)
	}
	// Of each way in which money finds its person one, a rate, a purchase by hand, and what can't be read as a text.
	_, err = db.Pool.Exec(ctx, `
		insert into revenue_mapping values ($1, 'stripe', 'sub_of_nobody', 'hal', now())`, environment)
	require.NoError(t, err)
	_, err = db.Pool.Exec(ctx, `insert into currency_rate values ('USD', '2026-01-01', 1), ('JPY', '2026-01-01', 0.01)`)
	require.NoError(t, err)
	_, err = db.Pool.Exec(ctx, `
		insert into revenue_ledger
			(environment_id, provider, provider_event_id, kind, app_user_id, occurred_at, amount_micros)
		values ($1, 'stripe', 'by hand', 'originating', 'ann', '2026-05-01Z', 5000000)`, environment)
	require.NoError(t, err)
	_, err = ledger.Receive(ctx, revenue.Delivery{
		ConnectionID: connection, Provider: "superwall", Live: environment, Test: environment + 1, ID: "x",
		Body: []byte("\x00\xff\\"),
	})
	require.NoError(t, err)
	person := uuid.New()
	_, err = db.Pool.Exec(ctx, `
		insert into person (environment_id, id, custom_user_id, created_at, identified_at) values ($1, $2, 'customer', now(), now())`,
		environment, person)
	require.NoError(t, err)
	_, err = db.Pool.Exec(ctx, `
		insert into person_device (environment_id, app_user_id, person_id, linked_at) values ($1, 'ann', $2, now())`,
		environment, person)
	require.NoError(t, err)
	_, err = ledger.Replay(ctx, environment)
	require.NoError(t, err)

	var file bytes.Buffer
	lines, err := revenue.Export(ctx, db.Pool, environment, &file)
	require.NoError(t, err)
	require.EqualValues(t, strings.Count(file.String(), "\n"), lines)
	for _, kind := range []string{"rate", "connection", "identity", "device", "mapping", "purchase", "delivery"} {
		require.True(t, strings.Contains(file.String(), `{"`+kind+`": {`), kind)
	}
	require.False(t, strings.Contains(file.String(), "JPY"), "no money of it")
	for _, secret := range []string{"the-key-id", "sealed", `"last"`} {
		require.False(t, strings.Contains(file.String(), secret), secret)
	}
	text := file.String()
	done, err := revenue.Import(ctx, other.Pool, app, elsewhere, strings.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, lines, done.Lines)
	require.Equal(t, lines, done.Stored)
	want := books(t, db, environment)
	require.NotEmpty(t, want)
	require.Equal(t, want, books(t, other, elsewhere))
	var archived bool
	require.NoError(t, other.Pool.QueryRow(ctx, `
		select archived_at is not null from revenue_connection where app_id = $1`, app).Scan(&archived))
	require.True(t, archived, "it has no secret")
	var again bytes.Buffer
	_, err = revenue.Export(ctx, other.Pool, elsewhere, &again)
	require.NoError(t, err)
	withoutConnection := func(text string) string {
		before, rest, _ := strings.Cut(text, `{"connection"`)
		_, after, _ := strings.Cut(rest, "\n")
		return before + after
	}
	require.Equal(t, withoutConnection(text), withoutConnection(again.String()))
	done, err = revenue.Import(ctx, other.Pool, app, elsewhere, strings.NewReader(text))
	require.NoError(t, err)
	require.Zero(t, done.Stored)
	require.Equal(t, want, books(t, other, elsewhere))

	// Whoever is erased where it comes to stays so; the money is kept.
	third := pgtest.New(t)
	_, err = third.Pool.Exec(ctx, `
		with w as (insert into workspaces (id, name) values (gen_random_uuid(), 'w') returning id)
		insert into apps (id, name, allowed_origins, integrations, canvas_gates, workspace_id)
		select $1, 'a', '[]', '{}', '{}', id from w`, app)
	require.NoError(t, err)
	_, err = third.Pool.Exec(ctx, `insert into erased_person (environment_id, person, erased_at) values ($1, $2, now())`,
		elsewhere, privacy.Person("ann"))
	require.NoError(t, err)
	_, err = revenue.Import(ctx, third.Pool, app, elsewhere, strings.NewReader(text))
	require.NoError(t, err)
	require.Len(t, books(t, third, elsewhere), len(want))
	for _, table := range []string{
		"revenue_ledger", "subscription_period", "billing_identity", "person_device", "revenue_mapping",
	} {
		var named int
		require.NoError(t, third.Pool.QueryRow(
			ctx, `select count(*) from `+table+` where app_user_id = 'ann'`).Scan(&named))
		require.Zero(t, named, table)
	}

	for bad, says := range map[string]string{
		`{"delivery": {}}`:                     `line 2: ERROR: null value in column "provider"`,
		`{"mapping": {"mappedAt": "tuesday"}}`: `line 2`,
		`{"secret": {}}`:                       `line 2: not a line of an export`,
		`{}`:                                   `line 2: not a line`,
		`[`:                                    `line 2: not a line`,
		strings.Repeat(" ", 4<<20):             `line 2: bufio.Scanner: token too long`,
	} {
		first, _, _ := strings.Cut(text, "\n")
		_, err := revenue.Import(ctx, other.Pool, app, elsewhere, strings.NewReader(first+"\n"+bad+"\n"+first))
		require.ErrorContains(t, err, says)
	}
}
