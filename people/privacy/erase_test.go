package privacy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

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

func (w *world) erase(r privacy.Request) privacy.Erasure {
	w.t.Helper()
	begun, err := w.privacy.Begin(w.t.Context(), r)
	require.NoError(w.t, err)
	require.Nil(w.t, begun.FinishedAt)
	done, err := w.privacy.Carry(w.t.Context(), r.EnvironmentID, begun.ID)
	require.NoError(w.t, err)
	require.NotNil(w.t, done.FinishedAt)
	return done
}

func TestNothingIsLeftOfWhoIsErased(t *testing.T) {
	for name, request := range map[string]privacy.Request{
		"by a device": {AppUserID: phone}, "by the custom user id": {CustomUserID: zoe},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.live(zoe, phone, laptop)
			w.live("ben-mail@example", "ben-phone", "ben-laptop")
			capabilities, err := w.db.Capabilities(t.Context())
			require.NoError(t, err)
			if capabilities.TimescaleDB != "" {
				for _, table := range []string{"product_event", "flow_event", "track_event"} {
					w.exec(`select compress_chunk(c) from show_chunks($1::text::regclass, older_than => interval '30 days') c`, table)
				}
			}
			ben := w.mentions("ben-")
			for _, table := range []string{
				"product_event", "flow_event", "track_event", "product_session", "product_analytics_first_touch", "flow_run",
				"person", "person_device", "person_consent", "billing_identity", "checkout_attempt", "revenue_ledger",
				"segment_members", "provider_event", "revenue_mapping",
				"automation_entry", "automation_segment_member", "automation_enrolment", "webhook_delivery", "webhook_attempt",
				"automation_mail",
			} {
				require.NotZero(t, w.mentions("zoe-")[table], "%s has traces to remove", table)
			}
			served := w.count(`select count(*) from experiment_served`)
			require.Equal(t, 2*4, w.count(`select count(*) from experiment_unit`), "three devices and an id of each person")

			request.EnvironmentID = w.app.Live.ID
			done := w.erase(request)

			require.Equal(t, 2, done.Devices)
			require.Empty(t, w.mentions("zoe-"))
			require.Equal(t, ben, w.mentions("ben-"))
			require.Equal(t, served-2, w.count(`select count(*) from experiment_served`))
			require.Equal(t, 4, w.count(`select count(*) from experiment_unit`))
			require.Equal(t, 8, w.count(`select count(*) from revenue_ledger`), "purchases stay in the books")
			require.Equal(t, 1, w.count(`select count(*) from frame_invalidated where home_day is null`))
			for _, table := range []string{"product_event", "flow_event", "track_event"} {
				require.EqualValues(t, 2*3, done.Removed[table], table)
			}
			again, err := w.privacy.Get(t.Context(), w.app.Live.ID, done.ID)
			require.NoError(t, err)
			require.Equal(t, done.Removed, again.Removed)

			stored, refused := w.send(w.writer, laptop, zoe, time.Now())
			require.Zero(t, stored)
			require.Len(t, refused, 3)
			for _, r := range refused {
				require.Equal(t, ingest.CodePersonErased, r.Code)
			}
			w.comeLate(laptop)
			stored, _ = w.send(w.writer, "ben-phone", "ben-mail@example", time.Now())
			require.Equal(t, 3, stored)
			require.Empty(t, w.mentions("zoe-"))
			require.Equal(t, served-2, w.count(`select count(*) from experiment_served`))
			require.Equal(t, 4, w.count(`select count(*) from experiment_unit`))
		})
	}
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

// Events that two servers store at that very moment are gone too, or refused.
func TestWhatArrivesWhileSomebodyIsErasedIsNotLeft(t *testing.T) {
	w := newWorld(t)
	other := startWriter(t, w.db)
	var sending sync.WaitGroup
	stop := make(chan struct{})
	for i := range 8 {
		writer := []*ingest.Writer{w.writer, other}[i%2]
		sending.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
					w.send(writer, phone, zoe, time.Now().Add(-time.Duration(n)*time.Hour))
				}
			}
		})
	}
	defer sending.Wait()
	defer close(stop)
	require.Eventually(t, func() bool { return w.count(`select count(*) from flow_run`) > 0 }, 10*time.Second, time.Millisecond)
	w.erase(privacy.Request{EnvironmentID: w.app.Live.ID, AppUserID: phone})
	for _, table := range []string{"product_event", "flow_event", "track_event", "product_session", "flow_run"} {
		require.Zero(t, w.count(`select count(*) from `+table), table)
	}
}

// A request that was cut off is carried out by whoever comes next.
func TestAnErasureGoesOnAfterItWasCutOff(t *testing.T) {
	w := newWorld(t)
	w.live(zoe, phone)
	begun, err := w.privacy.Begin(t.Context(), privacy.Request{EnvironmentID: w.app.Live.ID, AppUserID: phone})
	require.NoError(t, err)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = w.privacy.Carry(gone, w.app.Live.ID, begun.ID)
	require.Error(t, err)
	carried, err := w.privacy.CarryOldest(t.Context())
	require.NoError(t, err)
	require.False(t, carried, "whoever began it is at it")
	w.exec(`update person_erasure set requested_at = requested_at - interval '2 minutes'`)
	carried, err = w.privacy.CarryOldest(t.Context())
	require.NoError(t, err)
	require.True(t, carried)
	require.Empty(t, w.mentions("zoe-"))
	carried, err = w.privacy.CarryOldest(t.Context())
	require.NoError(t, err)
	require.False(t, carried)
	done, err := w.privacy.Get(t.Context(), w.app.Live.ID, begun.ID)
	require.NoError(t, err)
	require.NotNil(t, done.FinishedAt)
	require.NotZero(t, done.Removed["flow_run"])
}

func TestARequestNamesSomebody(t *testing.T) {
	w := newWorld(t)
	for request, field := range map[privacy.Request]string{
		{}: "appUserId", {AppUserID: "a", CustomUserID: "b"}: "appUserId",
		{AppUserID: string(make([]byte, 2000))}: "appUserId", {CustomUserID: string(make([]byte, 2000))}: "customUserId",
	} {
		_, err := w.privacy.Begin(t.Context(), request)
		var invalid *fault.Error
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, field, invalid.Field)
	}
	_, err := w.privacy.Begin(t.Context(), privacy.Request{CustomUserID: "nobody"})
	require.True(t, fault.Is(err, fault.NotFound))
	_, err = w.privacy.Get(t.Context(), 1, uuid.New())
	require.True(t, fault.Is(err, fault.NotFound))
}

// Of the columnstore only what may hold the person's events is taken apart, however many minutes they came in.
func TestAnErasureLeavesTheColumnstoreTogether(t *testing.T) {
	w := newWorld(t)
	capabilities, err := w.db.Capabilities(t.Context())
	require.NoError(t, err)
	if capabilities.TimescaleDB == "" {
		t.Skip("no TimescaleDB, no columnstore")
	}
	// Others every two minutes of a month, and the person in a hundred minutes of its first day.
	w.exec(`
		insert into product_event (environment_id, occurred_at, received_at, event_key, name, app_user_id)
		select $1, at, at, gen_random_uuid(), 'page_view', case when n <= 100 then $2 else 'somebody ' || n end
		from generate_series(1, 20000) n, lateral (select timestamptz '2026-01-01' + n * interval '2 minutes' as at) as t`,
		w.app.Live.ID, phone)
	w.exec(`select compress_chunk(c) from show_chunks('product_event') c`)
	w.exec(`analyze`)
	done := w.erase(privacy.Request{EnvironmentID: w.app.Live.ID, AppUserID: phone})
	require.EqualValues(t, 100, done.Removed["product_event"])
	rows, err := w.db.Pool.Query(t.Context(), `
		select format('%I.%I', c.schema_name, c.table_name) from _timescaledb_catalog.chunk c
		join _timescaledb_catalog.chunk u on u.compressed_chunk_id = c.id
		join _timescaledb_catalog.hypertable h on h.id = u.hypertable_id where h.table_name = 'product_event'`)
	require.NoError(t, err)
	chunks, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	together := 0
	for _, chunk := range chunks {
		together += w.count(`select coalesce(sum(_ts_meta_count), 0) from ` + chunk)
	}
	require.GreaterOrEqual(t, together, 18_000)
}

// Two who carry the same request out do not get into each other's way, and very many requests at once all end.
func TestErasuresAtOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	p := privacy.New(db)
	var begun []privacy.Erasure
	for i := range 40 {
		e, err := p.Begin(t.Context(), privacy.Request{EnvironmentID: 7, AppUserID: fmt.Sprint("v", i)})
		require.NoError(t, err)
		begun = append(begun, e, e)
	}
	group, ctx := errgroup.WithContext(t.Context())
	for _, e := range begun {
		group.Go(func() error {
			_, err := p.Carry(ctx, 7, e.ID)
			return err
		})
	}
	require.NoError(t, group.Wait())
	for _, e := range begun {
		done, err := p.Get(t.Context(), 7, e.ID)
		require.NoError(t, err)
		require.NotNil(t, done.FinishedAt)
	}
}

// Whoever has a table of events for longer than statements wait for locks delays an erasure, and does not end it.
func TestAnErasureWaitsForLocksOfOthers(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.live(zoe, phone, laptop)
	impatient, err := postgres.Open(
		ctx, w.db.Pool.Config().ConnString(), postgres.Options{LockTimeout: 50 * time.Millisecond},
	)
	require.NoError(t, err)
	t.Cleanup(impatient.Close)
	p := privacy.New(impatient)
	request := privacy.Request{EnvironmentID: w.app.Live.ID, AppUserID: phone}
	begun, err := p.Begin(ctx, request)
	require.NoError(t, err)
	other, err := w.db.Pool.Begin(ctx)
	require.NoError(t, err)
	_, err = other.Exec(ctx, `lock table product_event in exclusive mode`)
	require.NoError(t, err)
	var carrying errgroup.Group
	var done privacy.Erasure
	carrying.Go(func() (err error) {
		done, err = p.Carry(ctx, w.app.Live.ID, begun.ID)
		return err
	})
	waiting := map[string]bool{} // transactions that wait for the lock
	require.Eventually(t, func() bool {
		rows, err := w.db.Pool.Query(ctx, `
			select virtualtransaction from pg_locks where not granted and mode = 'RowExclusiveLock'
				and database = (select oid from pg_database where datname = current_database())`)
		require.NoError(t, err)
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		for _, transaction := range found {
			waiting[transaction] = true
		}
		return len(waiting) >= 3
	}, 20*time.Second, 10*time.Millisecond)
	require.NoError(t, other.Rollback(ctx))
	require.NoError(t, carrying.Wait())
	require.NotNil(t, done.FinishedAt)
	rows, _ := w.archive(request)
	require.Empty(t, rows)
}
