package privacy_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

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
				"automation_mail", "mail_suppression",
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

// A request that was cut off is carried out by whoever comes next, also when it was made by a clock that was ahead.
func TestAnErasureGoesOnAfterItWasCutOff(t *testing.T) {
	for _, since := range []string{"2 minutes", "-5 hours"} {
		t.Run(since, func(t *testing.T) { goesOnAfterItWasCutOff(t, since) })
	}
}

func goesOnAfterItWasCutOff(t *testing.T, since string) {
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
	w.exec(`update person_erasure set requested_at = requested_at - $1::interval`, since)
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
