package revenue_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/fold"
)

// inbox is a ledger that deliveries arrive at.
type inbox struct {
	t      testing.TB
	db     *postgres.DB
	ledger *revenue.Ledger
	clock  *clock
}

const test = 8 // the environment of sandboxes; environment is the live one

func newInbox(t *testing.T) *inbox {
	db, ledger, clock := newLedger(t)
	return &inbox{t, db, ledger, clock}
}

func (in *inbox) receive(provider fold.Provider, body []byte) revenue.Receipt {
	in.t.Helper()
	receipt, err := in.ledger.Receive(context.Background(), revenue.Delivery{
		ConnectionID: uuid.UUID{1}, Provider: provider, Live: environment, Test: test, ID: "delivery", Body: body,
	})
	require.NoError(in.t, err)
	require.NotEqual(in.t, fold.Failed, receipt.Verdict.State, receipt.Verdict.Reason)
	return receipt
}

// text returns rows of the ledger and of periods as text, without what a replay may choose anew.
func (in *inbox) text() string {
	in.t.Helper()
	var text string
	require.NoError(in.t, in.db.Pool.QueryRow(context.Background(), `
		select coalesce((select string_agg((to_jsonb(l) - '{id,created_at,changed_xid}'::text[])::text, e'\n'
				order by provider, transaction_key, kind) from revenue_ledger l), '') ||
			coalesce((select string_agg((to_jsonb(p) - '{id,changed_xid}'::text[])::text, e'\n'
				order by provider, transaction_key) from subscription_period p), '')`).Scan(&text))
	return text
}

func (in *inbox) exec(sql string, args ...any) {
	in.t.Helper()
	_, err := in.db.Pool.Exec(context.Background(), sql, args...)
	require.NoError(in.t, err)
}

func (in *inbox) sum(condition string) (micros int64) {
	in.t.Helper()
	require.NoError(in.t, in.db.Pool.QueryRow(context.Background(),
		`select coalesce(sum(amount_micros), 0)::bigint from revenue_ledger where `+condition).Scan(&micros))
	return micros
}

type delivery struct {
	provider fold.Provider
	body     []byte
}

func corpus(t testing.TB) (all []delivery) {
	t.Helper()
	// Each customer of the corpus once: files of one provider share ids.
	for _, file := range []string{"stripe/subscription", "revenuecat/trial", "revenuecat/others", "superwall/subscription"} {
		text, err := os.ReadFile(filepath.Join("fold", "testdata", file+".json"))
		require.NoError(t, err)
		if strings.HasSuffix(file, "others") { // ids of its own
			text = []byte(strings.ReplaceAll(string(text), `"id": "e`, `"id": "other-e`))
		}
		var bodies []json.RawMessage
		require.NoError(t, json.Unmarshal(text, &bodies))
		for _, body := range bodies {
			all = append(all, delivery{fold.Provider(filepath.Dir(file)), body})
		}
	}
	return all
}

// Whatever order deliveries arrive in, twice and at the same time, the ledger is the one that a replay makes of them.
func TestDeliveriesInAnyOrderMakeTheLedgerThatAReplayMakes(t *testing.T) {
	all := corpus(t)
	var want string
	for round := range 4 {
		in := newInbox(t)
		order := rand.New(rand.NewPCG(uint64(round), 1))
		mixed := append(append([]delivery{}, all...), all[:10]...)
		if round > 0 {
			order.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		}
		var senders sync.WaitGroup
		next := make(chan delivery)
		for range 1 + round%2*15 {
			senders.Go(func() {
				for d := range next {
					if _, err := in.ledger.Receive(context.Background(), revenue.Delivery{
						ConnectionID: uuid.UUID{1}, Provider: d.provider, Live: environment, Test: test, Body: d.body,
					}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for _, d := range mixed {
			next <- d
		}
		close(next)
		senders.Wait()
		got := in.text()
		if round == 0 {
			in.exec(`truncate revenue_ledger, subscription_period, provider_event, provider_event_key`)
			history := make([]revenue.Delivery, len(mixed))
			for i, d := range mixed {
				history[i] = revenue.Delivery{
					ConnectionID: uuid.UUID{1}, Provider: d.provider, Live: environment, Test: test, Body: d.body,
				}
			}
			require.NoError(t, in.ledger.ReceiveHistory(t.Context(), history[len(history)/2:]))
			require.NoError(t, in.ledger.ReceiveHistory(t.Context(), history))
			require.Equal(t, got, in.text())
		}
		if want == "" {
			want = got
			require.Greater(t, strings.Count(want, "\n"), 20)
		}
		require.Equal(t, want, got)
		in.exec(`delete from revenue_ledger`)
		in.exec(`delete from subscription_period`)
		_, err := in.ledger.Replay(t.Context(), environment)
		require.NoError(t, err)
		require.Equal(t, want, in.text())
		before := in.changed()
		_, err = in.ledger.Replay(t.Context(), environment)
		require.NoError(t, err)
		require.Equal(t, before, in.changed(), "what comes out as it was is not written")
	}
}

func (in *inbox) changed() (xids []string) {
	in.t.Helper()
	rows, err := in.db.Pool.Query(context.Background(), `select changed_xid::text || ' ' || id from revenue_ledger order by id`)
	require.NoError(in.t, err)
	xids, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(in.t, err)
	return xids
}

// purchase is a delivery of RevenueCat.
func purchase(id, kind, user, transaction string, at time.Time, more string) []byte {
	return fmt.Appendf(nil, `{"event":{"id":%q,"type":%q,"event_timestamp_ms":%d,"purchased_at_ms":%d,"expiration_at_ms":%d,
		"app_user_id":%q,"transaction_id":%q,"original_transaction_id":%q,"store":"APP_STORE","period_type":"NORMAL",
		"environment":"PRODUCTION","price":10%s}}`,
		id, kind, at.UnixMilli(), at.UnixMilli(), at.Add(30*24*time.Hour).UnixMilli(), user, transaction, transaction, more)
}

func (in *inbox) link(device, external string) {
	in.t.Helper()
	require.NoError(in.t, in.ledger.LinkIdentity(context.Background(), revenue.BillingIdentity{
		EnvironmentID: environment, AppUserID: device, Provider: "revenuecat", ExternalID: external,
	}))
}

func TestMoneyFindsItsPerson(t *testing.T) {
	in := newInbox(t)
	start := in.clock.now()
	in.receive(fold.RevenueCat, purchase("e1", "INITIAL_PURCHASE", "rc-1", "t1", start.Add(time.Hour), ""))
	require.EqualValues(t, 10_000_000, in.sum(`app_user_id = ''`))
	in.clock.advance(2 * time.Hour)
	in.link("phone", "rc-1")
	require.EqualValues(t, 10_000_000, in.sum(`app_user_id = 'phone'`), "the identity came later")
	in.clock.advance(2 * time.Hour)
	in.link("laptop", "rc-1")
	require.EqualValues(t, 10_000_000, in.sum(`app_user_id = 'phone'`), "who came later did not pay")
	in.receive(fold.RevenueCat, purchase("e2", "RENEWAL", "rc-1", "t2", in.clock.now().Add(time.Hour), ""))
	require.EqualValues(t, 10_000_000, in.sum(`app_user_id = 'laptop'`), "the newest device at the time of the charge")
	in.clock.advance(time.Hour)
	in.link("phone", "rc-1") // again: moves nothing
	before := in.text()
	_, err := in.ledger.Replay(t.Context(), environment)
	require.NoError(t, err)
	require.Equal(t, before, in.text())

	// A transfer moves the person: of later charges, and of those that nobody else has.
	in.receive(fold.RevenueCat, fmt.Appendf(nil, `{"event":{"id":"tr","type":"TRANSFER","event_timestamp_ms":%d,
		"transferred_from":["rc-1","rc-9"],"transferred_to":["rc-2"],"store":"APP_STORE","environment":"PRODUCTION"}}`,
		in.clock.now().UnixMilli()))
	in.link("tablet", "rc-2")
	require.EqualValues(t, 0, in.sum(`app_user_id = 'tablet'`))
	in.receive(fold.RevenueCat, purchase("e3", "RENEWAL", "rc-1", "t3", in.clock.now().Add(time.Hour), ""))
	require.EqualValues(t, 10_000_000, in.sum(`app_user_id = 'tablet' and transaction_key = 't3'`))
	in.receive(fold.RevenueCat, purchase("e4", "INITIAL_PURCHASE", "rc-9", "t9", start, ""))
	require.EqualValues(t, 10_000_000, in.sum(`app_user_id = 'tablet' and transaction_key = 't9'`))

	// What is said by hand stands, through replays, until it is taken back.
	say := func(device string) {
		require.NoError(t, pgx.BeginFunc(t.Context(), in.db.Pool, func(tx pgx.Tx) error {
			return in.ledger.Map(t.Context(), tx, environment, fold.RevenueCat, "t9", device)
		}))
	}
	say("watch")
	require.EqualValues(t, 10_000_000, in.sum(`app_user_id = 'watch'`))
	_, err = in.ledger.Replay(t.Context(), environment)
	require.NoError(t, err)
	require.EqualValues(t, 10_000_000, in.sum(`app_user_id = 'watch'`))
	say("")
	require.EqualValues(t, 0, in.sum(`app_user_id = 'watch'`))
	var lost int
	require.NoError(t, in.db.Pool.QueryRow(t.Context(), `
		select count(*) from subscription_period p join revenue_ledger l using (environment_id, provider, transaction_key)
		where p.app_user_id <> l.app_user_id`).Scan(&lost))
	require.Zero(t, lost, "periods go with their charges")
}

func TestAPaidAttemptIsConfirmedAndItsMoneyIsItsDevices(t *testing.T) {
	in := newInbox(t)
	key := open(t, in.ledger)
	text, err := os.ReadFile("fold/testdata/stripe/subscription.json")
	require.NoError(t, err)
	var bodies []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(
		string(text), "6f1c1f9e-6f4b-4a53-9a49-0d5f4b3c2a11", key.ID.String())), &bodies))
	for i, body := range bodies {
		attempt, err := in.ledger.Attempt(t.Context(), key)
		require.NoError(t, err)
		require.Equal(t, i > 3, attempt.Status == revenue.Confirmed, "invoice.paid comes first, the session fourth")
		in.receive(fold.Stripe, body)
	}
	require.EqualValues(t, 16_000_000, in.sum(`app_user_id = 'dev-1'`))
	require.EqualValues(t, 0, in.sum(`app_user_id = ''`))
	require.True(t, in.receive(fold.Stripe, bodies[0]).Duplicate)
}

func TestRatesConvertWhatNobodyElseDoes(t *testing.T) {
	in := newInbox(t)
	day := time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC)
	euros := `,"currency":"EUR","price_in_purchased_currency":8.00`
	body := strings.Replace(string(purchase("e1", "INITIAL_PURCHASE", "u", "t1", day, euros)), `"price":10`, `"price":null`, 1)
	in.receive(fold.RevenueCat, []byte(body))
	state := func() (text string) {
		require.NoError(t, in.db.Pool.QueryRow(t.Context(), `select concat_ws(' ', coalesce(amount_micros::text, '?'),
			original_amount, currency, usd_rate_source, usd_rate) from revenue_ledger`).Scan(&text))
		return text
	}
	require.Equal(t, "? 800 EUR none", state())
	load := func(csv string) {
		rates, err := revenue.ReadRates(strings.NewReader(csv))
		require.NoError(t, err)
		_, err = in.ledger.ImportRates(t.Context(), rates)
		require.NoError(t, err)
	}
	load("day,currency,usd\n2026-06-11,EUR,9\n2026-06-02,EUR,8\n2026-06-09,JPY,7\n")
	require.Equal(t, "? 800 EUR none", state(), "too late, too old, another currency")
	load("2026-06-03,eur,1.25\n")
	require.Equal(t, "10000000 800 EUR table 1.25", state())
	load("2026-06-08,EUR,1.5\n2026-06-08,EUR,1.125\n")
	require.Equal(t, "9000000 800 EUR table 1.125", state())
	for _, wrong := range []string{"", "2026-13-01,EUR,1", "2026-01-01,EURO,1", "2026-01-01,EUR,0", "2026-01-01,EUR,1/2", "x"} {
		_, err := revenue.ReadRates(strings.NewReader(wrong))
		require.Error(t, err, wrong)
	}
}

func TestSandboxesAndUnknownFormsAreKeptApart(t *testing.T) {
	in := newInbox(t)
	sandbox := strings.Replace(string(purchase("e1", "INITIAL_PURCHASE", "u", "t1", in.clock.now(), "")), "PRODUCTION", "SANDBOX", 1)
	in.receive(fold.RevenueCat, []byte(sandbox))
	require.EqualValues(t, 10_000_000, in.sum(fmt.Sprintf("environment_id = %d", test)))
	require.EqualValues(t, 0, in.sum(fmt.Sprintf("environment_id = %d", environment)))
	receipt := in.receive(fold.Superwall, []byte(`{"version":2,"anything":[]}`))
	require.Equal(t, fold.Verdict{State: fold.Unmapped, Reason: "unknown format"}, receipt.Verdict)
	require.Equal(t, "delivery", receipt.EventID)
	var raw []byte
	require.NoError(t, in.db.Pool.QueryRow(t.Context(), `select body from provider_event where state = 'unmapped'`).Scan(&raw))
	require.Equal(t, `{"version":2,"anything":[]}`, string(raw))
	in.receive(fold.Stripe, []byte("not JSON"))
}

// What a connection does not report is not booked, and deliveries that fail are kept.
func TestStoresOfAConnection(t *testing.T) {
	in := newInbox(t)
	app, workspace := uuid.New(), uuid.New()
	in.exec(`insert into workspaces (id, name, created_at) values ($1, 'W', now())`, workspace)
	in.exec(`insert into apps (id, workspace_id, name, allowed_origins, integrations, canvas_gates)
		values ($1, $2, 'A', '[]', '{}', '{}')`, app, workspace)
	in.exec(`insert into revenue_connection (id, app_id, provider, name, stores) values ($1, $2, 'revenuecat', 'rc',
		'{play_store}')`, uuid.UUID{1}, app)
	receipt := in.receive(fold.RevenueCat, purchase("e1", "INITIAL_PURCHASE", "u", "t1", in.clock.now(), ""))
	require.Equal(t, fold.Ignored, receipt.Verdict.State)
	require.Empty(t, in.text())
}
