package privacy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/delivery/served"
	"github.com/svc-dev/svc/delivery/sticky"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/postgres/transaction"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/fold"
)

// The ids of the person who is erased; no id of another has them in it.
const (
	phone  = "zoe-phone-4711"
	laptop = "zoe-laptop-4711"
	zoe    = "zoe-mail@4711.example"
)

type world struct {
	t       *testing.T
	db      *postgres.DB
	app     *deliverytest.App
	channel deliverytest.Channel
	version *deliverytest.Version
	writer  *ingest.Writer
	privacy *privacy.Privacy
	keeper  *sticky.Keeper
	split   *delivery.Split // of one arm
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	version := app.Publish()
	w := &world{
		t: t, db: db, app: app, version: version, channel: app.Live.Pinned(version), privacy: privacy.New(db),
		writer: startWriter(t, db), keeper: sticky.New(db.Pool, sticky.Options{}),
		split: delivery.NewSplit(app.Live.ID, uuid.New(), "salt", []int{1}),
	}
	return w
}

func startWriter(t *testing.T, db *postgres.DB) *ingest.Writer {
	t.Helper()
	// The window is that of an import: events of all ages are stored.
	w, err := ingest.New(db, ingest.Settings{Window: math.MaxInt64}, ingest.Deps{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	require.NoError(t, w.Start(context.Background()))
	t.Cleanup(func() { require.NoError(t, w.Stop(context.Background())) })
	return w
}

// send sends an event of each path, from now back to months ago, and returns what was stored.
func (w *world) send(
	writer *ingest.Writer, appUserID, customUserID string, at time.Time,
) (stored int, refused []ingest.Reject) {
	w.t.Helper()
	identity := map[string]any{"appUserId": appUserID, "customUserId": customUserID, "sessionId": "session of " + appUserID}
	event := func(name string) map[string]any {
		return map[string]any{
			"eventId": uuid.NewString(), "name": name, "timestamp": at, "identity": identity,
			"context": map[string]any{"attributes": map[string]any{}, "customProperties": map[string]any{"mail": customUserID}},
		}
	}
	origin := ingest.Request{EnvironmentID: w.app.Live.ID, ReceivedAt: at.Add(time.Second)}
	page := event("page_view")
	page["screenName"] = "/garden"
	started := event("flow_started")
	started["flowId"], started["versionId"] = w.version.FlowID, w.version.ID
	for _, path := range []struct {
		write func(context.Context, []byte, ingest.Request) (ingest.Answer, error)
		event map[string]any
	}{{writer.Product, page}, {writer.Flow, started}, {writer.Track, event("checkout")}} {
		body, err := json.Marshal(map[string]any{"events": []any{path.event}})
		require.NoError(w.t, err)
		origin.ChannelID = w.channel.ID
		answer, err := path.write(w.t.Context(), body, origin)
		require.NoError(w.t, err)
		stored += answer.Stored
		refused = append(refused, answer.Rejected...)
	}
	return stored, refused
}

// live lets a person leave traces wherever there can be some.
func (w *world) live(custom string, devices ...string) {
	w.t.Helper()
	ctx, environment := w.t.Context(), w.app.Live.ID
	records, ledger := people.New(w.db.Pool, people.Options{}), revenue.New(w.db.Pool, revenue.Options{})
	for _, device := range devices {
		for _, age := range []time.Duration{0, 3 * 24 * time.Hour, 100 * 24 * time.Hour} {
			stored, refused := w.send(w.writer, device, custom, time.Now().Add(-age).UTC().Truncate(time.Millisecond))
			require.Equal(w.t, 3, stored, refused)
		}
		_, err := records.Identify(ctx, people.Change{
			EnvironmentID: environment, AppUserID: device, CustomUserID: custom, Email: custom + ".mail", MarketingConsent: "granted",
			Attributes: map[string]json.RawMessage{"nick": json.RawMessage(`"` + custom + `"`)},
		})
		require.NoError(w.t, err)
		require.NoError(w.t, ledger.LinkIdentity(ctx, revenue.BillingIdentity{
			EnvironmentID: environment, Provider: "revenuecat", ExternalID: "rc of " + device, AppUserID: device,
		}))
		_, err = ledger.CreateAttempt(ctx, revenue.NewAttempt{
			EnvironmentID: environment, ChannelID: w.channel.ID, AppUserID: device, FlowID: w.version.FlowID,
			VersionID: w.version.ID, SurfaceID: "surf_a", PaymentLinkURL: "https://buy.stripe.com/of-" + device,
		})
		require.NoError(w.t, err)
		require.NoError(w.t, transaction.Run(ctx, w.db.Ent(), func(tx *ent.Tx) error {
			_, err := revenue.RecordPurchase(ctx, tx, revenue.Purchase{
				EnvironmentID: environment, Provider: "stripe", ProviderEventID: "charge " + fmt.Sprint(privacy.Person(device)),
				Kind: revenue.Originating, AppUserID: device, OccurredAt: time.Now(), AmountMicros: 5_000_000,
			})
			return err
		}))
		_, err = ledger.Receive(ctx, revenue.Delivery{
			ConnectionID: uuid.New(), Provider: fold.RevenueCat, Live: environment, Test: environment,
			Body: fmt.Appendf(nil, `{"event": {"id": "of %[1]v", "type": "INITIAL_PURCHASE", "event_timestamp_ms": %[2]d,
				"app_user_id": %[3]q, "aliases": [%[4]q], "transaction_id": "t %[1]v", "store": "APP_STORE", "price": 3}}`,
				privacy.Person(device), time.Now().UnixMilli(), "rc of "+device, custom),
		})
		require.NoError(w.t, err)
		require.NoError(w.t, pgx.BeginFunc(ctx, w.db.Pool, func(tx pgx.Tx) error {
			return ledger.Map(ctx, tx, environment, fold.RevenueCat, fmt.Sprintf("t %v", privacy.Person(device)), device)
		}))
		w.exec(`insert into experiment_served_packed (environment_id, experiment_id, people, day, arm)
			values ($1, $2, uuid_send(gen_random_uuid()) || uuid_send($3), now(), 0)`,
			environment, uuid.New(), privacy.Person(device))
		w.exec(`insert into live_user_packed (environment_id, month, people)
			values ($1, '2026-03-01', uuid_send(gen_random_uuid()) || uuid_send($2))`,
			environment, privacy.Person(device))
		require.Zero(w.t, w.keeper.Choose(ctx, w.split, device, ""))
	}
	w.keeper.Choose(ctx, w.split, devices[0], custom)
	w.keeper.Choose(ctx, w.split, "a device that nothing else knows, of "+custom, custom)
	endpoint, automation := uuid.New(), uuid.New()
	w.exec(`insert into webhook_endpoint (environment_id, id, name, url) values ($1, $2, 'E', 'https://e.example')`,
		environment, endpoint)
	w.exec(`insert into automation_segment (environment_id, segment_id, evaluated_at, members, digest)
		values ($1, $2, now(), 0, '')`, environment, automation)
	for _, device := range devices {
		w.exec(`insert into automation_segment_member (environment_id, segment_id, app_user_id) values ($1, $2, $3)`,
			environment, automation, device)
		w.exec(`insert into automation_entry (environment_id, automation_id, app_user_id, entry_key, entered_at, again_at)
			values ($1, $2, $3, '', now(), 'infinity')`, environment, automation, device)
		w.exec(`
			with enrolled as (
				insert into automation_enrolment (environment_id, automation_id, version, app_user_id, event_key, event_name,
					event, triggered_at, node)
				values ($1, $2, 1, $3, gen_random_uuid(), 'x', jsonb_build_object('mail', $4::text), now(), 'a') returning id
			), mailed as (
				insert into automation_mail (environment_id, id, automation_id, enrolment_id, node, app_user_id)
				select $1, gen_random_uuid(), $2, id, 'a', $3 from enrolled
			), stepped as (
				insert into automation_step (environment_id, enrolment_id, automation_id, node, result, at)
				select $1, id, $2, 'a', 'sent', now() from enrolled
			), sent as (
				insert into webhook_delivery (environment_id, id, endpoint_id, automation_id, enrolment_id, node, app_user_id, body)
				select $1, gen_random_uuid(), $5, $2, id, 'a', $3, $4 from enrolled returning id
			)
			insert into webhook_attempt (environment_id, delivery_id, number, at, status, answer, took_ms)
			select $1, id, 1, now(), 200, $4, 1 from sent`,
			environment, automation, device, custom, endpoint)
	}
	for _, device := range devices {
		w.exec(`insert into mail_suppression (environment_id, address_key, app_user_id) values ($1, uuid_send(gen_random_uuid()), $2)`,
			environment, device)
	}
	segment := uuid.New()
	w.exec(`insert into segments (id, name, window_days, updated_at, app_id) values ($1, 'A', 90, now(), $2)`, segment, w.app.ID)
	for kind, values := range map[string][]string{"app_user": devices, "custom_user": {custom}} {
		w.exec(`insert into segment_members (segment_id, kind, value) select $1, $2, unnest($3::text[])`, segment, kind, values)
	}
}

// exec prepares rows, however long that takes: hundreds of chunks are slow to make on a busy machine.
func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	ctx := context.Background()
	require.NoError(w.t, pgx.BeginFunc(ctx, w.db.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `set local statement_timeout = 0`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, sql, args...)
		return err
	}))
}

// mentions counts the rows of every table that have a text in any column, also as bytes.
func (w *world) mentions(text string) map[string]int {
	w.t.Helper()
	rows, err := w.db.Pool.Query(context.Background(), `
		select format('%I', relname) from pg_class
		where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`)
	require.NoError(w.t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w.t, err)
	require.Greater(w.t, len(tables), 30)
	found := map[string]int{}
	for _, table := range tables {
		var n int
		require.NoError(w.t, w.db.Pool.QueryRow(context.Background(), `select count(*) from `+table+` as x
			where x::text like '%' || $1 || '%' or x::text like '%' || encode(convert_to($1, 'UTF8'), 'hex') || '%'`, text).Scan(&n))
		if n > 0 {
			found[table] = n
		}
	}
	return found
}

// comeLate lets everything but events arrive that an erased person's device may have sent before.
func (w *world) comeLate(device string) {
	w.t.Helper()
	ctx, environment := w.t.Context(), w.app.Live.ID
	records, ledger := people.New(w.db.Pool, people.Options{}), revenue.New(w.db.Pool, revenue.Options{})
	_, err := records.Identify(ctx, people.Change{EnvironmentID: environment, AppUserID: device, CustomUserID: zoe})
	require.True(w.t, fault.Is(err, fault.PersonErased), err)
	err = ledger.LinkIdentity(ctx, revenue.BillingIdentity{
		EnvironmentID: environment, Provider: "revenuecat", ExternalID: "rc of " + device, AppUserID: device,
	})
	require.True(w.t, fault.Is(err, fault.PersonErased), err)
	paying, err := ledger.CreateAttempt(ctx, revenue.NewAttempt{
		EnvironmentID: environment, ChannelID: w.channel.ID, AppUserID: device, FlowID: w.version.FlowID,
		VersionID: w.version.ID, SurfaceID: "surf_a", PaymentLinkURL: "https://buy.stripe.com/of",
		Attribution: json.RawMessage(`{"acquisition.source":"` + device + `"}`),
	})
	require.NoError(w.t, err)
	confirmed, err := ledger.ConfirmAttempt(ctx, environment, paying.ID)
	require.NoError(w.t, err)
	require.Equal(w.t, revenue.ConfirmedNow, confirmed, "who was erased may pay")
	require.NoError(w.t, transaction.Run(ctx, w.db.Ent(), func(tx *ent.Tx) error {
		recorded, err := revenue.RecordPurchase(ctx, tx, revenue.Purchase{
			EnvironmentID: environment, Provider: "stripe", ProviderEventID: uuid.NewString(),
			Kind: revenue.Renewal, AppUserID: device, OccurredAt: time.Now(), AmountMicros: 5_000_000,
		})
		require.True(w.t, recorded, "and the books stay right")
		return err
	}))
	counter := served.New(w.db.Pool, served.Options{})
	counter.Note(&delivery.Arm{EnvironmentID: environment, ExperimentID: uuid.New()}, device)
	require.NoError(w.t, counter.Write(ctx))
	require.Zero(w.t, sticky.New(w.db.Pool, sticky.Options{}).Choose(ctx, w.split, device, zoe))
}

func (w *world) count(sql string, args ...any) (n int) {
	w.t.Helper()
	require.NoError(w.t, w.db.Pool.QueryRow(context.Background(), sql, args...).Scan(&n))
	return n
}
