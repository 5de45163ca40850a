package exports

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ingest/archive/bucket"
	"github.com/svc-dev/svc/ingest/archive/bucket/buckettest"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// world is an app whose owner makes the requests, and storage that takes its files.
type world struct {
	*Exports
	t       *testing.T
	db      *postgres.DB
	app     *deliverytest.App
	storage *buckettest.Server
	owner   context.Context
	at      time.Time
	log     *bytes.Buffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	db := pgtest.New(t)
	w := &world{t: t, db: db, storage: buckettest.New(t), log: &bytes.Buffer{}}
	w.at = time.Now().UTC().Truncate(24 * time.Hour).Add(12 * time.Hour)
	accounts := account.New(db.Ent(), db.Pool, account.Options{Logger: slog.New(slog.DiscardHandler)})
	_, err := accounts.Bootstrap(t.Context(), "owner@example.com", "correct horse", "Acme")
	require.NoError(t, err)
	p, err := accounts.PrincipalOf(t.Context(), "owner@example.com")
	require.NoError(t, err)
	w.owner = account.With(t.Context(), p)
	w.app = deliverytest.NewApp(t, db.Pool)
	w.exec(`update apps set workspace_id = (select workspace_id from memberships where user_id = $1) where id = $2`,
		p.UserID, w.app.ID)
	ring, err := seal.NewRing(seal.Key{ID: "k", Secret: bytes.Repeat([]byte{1}, seal.KeySize)})
	require.NoError(t, err)
	local := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	transport := webhook.NewTransport(local)
	t.Cleanup(transport.CloseIdleConnections)
	w.Exports = &Exports{
		Pool: db.Pool, Ring: ring, Transport: transport, Logger: slog.New(slog.NewTextHandler(w.log, nil)),
		Now: func() time.Time { return w.at },
	}
	return w
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	_, err := w.db.Pool.Exec(w.t.Context(), sql, args...)
	require.NoError(w.t, err)
}

// store stores an event a day.
func (w *world) store(days int) {
	w.t.Helper()
	w.exec(`insert into track_event (environment_id, occurred_at, received_at, event_key, name, app_user_id)
		select $1, '2026-03-01T10:00Z'::timestamptz + n * interval '1 day', now(), gen_random_uuid(), 'order', 'p' || n
		from generate_series(0, $2::int - 1) n`, w.app.Live.ID, days)
}

func (w *world) address() bucket.Address {
	return bucket.Address{
		Endpoint: w.storage.URL, Region: buckettest.Region, Bucket: buckettest.Bucket, Prefix: "exports/svc",
		AccessKey: buckettest.AccessKey, SecretKey: buckettest.SecretKey,
	}
}

func (w *world) save(to bucket.Address, every Frequency) *Export {
	w.t.Helper()
	saved, err := w.Save(w.owner, w.app.ID, environment.KindLive, to, every)
	require.NoError(w.t, err)
	return saved
}

// turn does what is due and returns the export.
func (w *world) turn() *Export {
	w.t.Helper()
	require.NoError(w.t, w.look(w.t.Context()))
	return w.read()
}

func (w *world) read() *Export {
	w.t.Helper()
	found, err := w.one(w.t.Context(), `where e.id = $1`, w.app.Live.ID)
	require.NoError(w.t, err)
	return found
}

func TestAnExportRunsWhenItIsDue(t *testing.T) {
	w := newWorld(t)
	w.store(5)
	saved := w.save(w.address(), Daily)
	require.Empty(t, saved.SecretKey)
	require.Nil(t, saved.LastRun)
	require.Equal(t, w.at, saved.NextRunAt().UTC())

	ran := w.turn()
	require.Equal(t, Succeeded, ran.LastRun.State)
	require.Equal(t, []int64{5, 5}, []int64{int64(ran.LastRun.Files), ran.LastRun.Rows})
	require.Positive(t, ran.LastRun.Bytes)
	require.Len(t, w.storage.Objects(), 5+2)
	next := ran.NextRunAt().UTC()
	require.True(t, next.After(w.at) && next.Sub(w.at) <= 24*time.Hour && next.Hour() == 0, next)
	require.Equal(t, w.at, ran.SucceededAt.UTC())
	puts := w.storage.Puts()
	w.turn()
	require.Equal(t, puts, w.storage.Puts(), "it is not due")

	w.at = next
	ran = w.turn()
	require.Equal(t, []int{0, 5}, []int{ran.LastRun.Files, ran.LastRun.Kept})

	// A person is erased: the file of the day that only they had leaves with the run that somebody asks for.
	w.exec(`delete from track_event where app_user_id = 'p2'`)
	_, err := w.RunNow(w.owner, saved.ID)
	require.NoError(t, err)
	ran = w.turn()
	require.Equal(t, []int{0, 4, 1}, []int{ran.LastRun.Files, ran.LastRun.Kept, ran.LastRun.Removed})
	require.NotContains(t, strings.Join(w.storage.Objects(), " "), "2026-03-03")

	// An archived app rests.
	w.exec(`update apps set archived_at = now() where id = $1`, w.app.ID)
	w.at = w.at.Add(48 * time.Hour)
	require.Equal(t, ran.LastRun, w.turn().LastRun)
	require.Empty(t, w.log.String())
}

func TestNeverRunsWhenAsked(t *testing.T) {
	w := newWorld(t)
	w.store(2)
	saved := w.save(w.address(), Never)
	require.Nil(t, saved.NextRunAt())
	require.Nil(t, w.turn().LastRun)
	asked, err := w.RunNow(w.owner, saved.ID)
	require.NoError(t, err)
	require.NotNil(t, asked.NextRunAt())
	ran := w.turn()
	require.Equal(t, Succeeded, ran.LastRun.State)
	require.Nil(t, ran.NextRunAt())
}

// A server that is killed leaves the row as it was in the middle of a run: the next one goes on and counts on.
func TestARunThatWasKilledGoesOn(t *testing.T) {
	w := newWorld(t)
	w.store(40)
	w.save(w.address(), Daily)
	killed, kill := context.WithCancel(t.Context())
	puts := 0
	w.storage.Refuse = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			if puts++; puts == 10 {
				kill()
			}
		}
		return false
	}
	require.NoError(t, w.look(killed))
	w.storage.Refuse = nil
	half := w.read()
	require.Equal(t, Running, half.LastRun.State)
	require.Nil(t, half.NextRunAt())
	written := strings.Count(string(w.storage.Object("exports/svc/environment=live/manifest.json")), `"path"`)
	require.True(t, written > 0 && written < 40, written)
	w.exec(`update parquet_export set files = $1, rows = $1`, written) // as a tick would have noted it

	w.at = w.at.Add(time.Minute)
	ran := w.turn()
	require.Equal(t, Succeeded, ran.LastRun.State)
	require.Equal(t, half.LastRun.StartedAt, ran.LastRun.StartedAt)
	require.Equal(t, []int{40, 0}, []int{ran.LastRun.Files, ran.LastRun.Kept})
	require.EqualValues(t, 40, ran.LastRun.Rows)
	require.Len(t, w.storage.Objects(), 40+2)
}

func TestOneRunAtATime(t *testing.T) {
	w := newWorld(t)
	w.store(1)
	w.save(w.address(), Daily)
	held, release := make(chan struct{}), make(chan struct{})
	first := true
	w.storage.Refuse = func(http.ResponseWriter, *http.Request) bool {
		if first {
			first = false
			close(held)
			<-release
		}
		return false
	}
	done := make(chan error)
	go func() { done <- w.look(context.Background()) }()
	<-held
	require.NoError(t, w.look(t.Context())) // another server's
	require.Equal(t, Running, w.read().LastRun.State)
	close(release)
	require.NoError(t, <-done)
	require.Equal(t, Succeeded, w.read().LastRun.State)
}

// What is saved, removed or archived while a run is under way ends it. The export of an app that is back runs again.
func TestARunEndsWhenItsExportChanges(t *testing.T) {
	for name, change := range map[string]func(w *world, id uuid.UUID){
		"saved":   func(w *world, _ uuid.UUID) { w.save(w.address(), Never) },
		"removed": func(w *world, id uuid.UUID) { require.NoError(w.t, w.Remove(w.owner, id)) },
		"archived": func(w *world, _ uuid.UUID) {
			w.exec(`update apps set archived_at = now() where id = $1`, w.app.ID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.store(3)
			saved := w.save(w.address(), Daily)
			changed := false
			w.storage.Refuse = func(_ http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodPut && !changed {
					changed = true
					change(w, saved.ID)
				}
				if changed {
					select {
					case <-r.Context().Done():
					case <-time.After(2 * noteEvery):
					}
				}
				return false
			}
			require.NoError(t, w.look(t.Context()))
			require.Less(t, len(w.storage.Objects()), 3+2)
			switch left := w.read(); name {
			case "saved":
				require.Equal(t, Failed, left.LastRun.State)
				require.Equal(t, "The export was changed while it was running.", left.LastRun.Problem)
			case "removed":
				require.Nil(t, left)
			case "archived":
				require.Equal(t, Failed, left.LastRun.State)
				require.Equal(t, "The app was archived while the export was running.", left.LastRun.Problem)
				w.storage.Refuse, w.at = nil, *left.NextRunAt()
				require.Equal(t, left.LastRun, w.turn().LastRun, "it rests")
				w.exec(`update apps set archived_at = null where id = $1`, w.app.ID)
				require.Equal(t, Succeeded, w.turn().LastRun.State)
				require.Len(t, w.storage.Objects(), 3+2)
			}
		})
	}
}

func TestProblemsAreSentences(t *testing.T) {
	w := newWorld(t)
	w.store(1)
	check := func(change func(*bucket.Address)) string {
		to := w.address()
		change(&to)
		checked, err := w.Check(w.owner, w.app.ID, environment.KindLive, to)
		require.NoError(t, err)
		require.Equal(t, checked.Problem == "", checked.Works)
		return checked.Problem
	}
	require.Empty(t, check(func(*bucket.Address) {}))
	require.Empty(t, w.storage.Objects(), "a check leaves nothing")
	for want, change := range map[string]func(*bucket.Address){
		"The secret key does not belong to the access key.": func(a *bucket.Address) { a.SecretKey = "another" },
		"The storage does not know the access key.":         func(a *bucket.Address) { a.AccessKey = "another" },
		"There is no such bucket.":                          func(a *bucket.Address) { a.Bucket = "another" },
		"The storage can't be reached: connection refused.": func(a *bucket.Address) { a.Endpoint = "http://127.0.0.1:1" },
		"The storage can't be reached: the address is not a public one.": func(a *bucket.Address) {
			a.Endpoint = "https://169.254.169.254"
		},
	} {
		require.Equal(t, want, check(change))
	}
	w.storage.Put("exports/svc/environment=live/manifest.json", []byte(`{"schemaVersion":1,"app":"x","environment":"live"}`))
	require.Equal(t, "The prefix holds the export of another app: choose another one.", check(func(*bucket.Address) {}))
	w.storage.Put("exports/svc/environment=live/manifest.json", []byte(`PAR1`))
	require.Equal(t, "The file manifest.json in the bucket is of no export that this version of Svc can go on with.",
		check(func(*bucket.Address) {}))
	w.save(w.address(), Daily)
	ran := w.turn()
	require.Equal(t, Failed, ran.LastRun.State)
	require.Contains(t, ran.LastRun.Problem, "of no export")
	require.Nil(t, ran.SucceededAt)
	require.LessOrEqual(t, ran.NextRunAt().Sub(w.at), retryAfter, "it is tried again soon")
	require.Equal(t, "PAR1", string(w.storage.Object("exports/svc/environment=live/manifest.json")), "it is left alone")
	require.NotContains(t, w.log.String(), buckettest.SecretKey)
}

// Storage that answers without an end costs neither memory nor time.
func TestAnswersAreBounded(t *testing.T) {
	w := newWorld(t)
	w.storage.Refuse = func(rw http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "manifest.json") {
			return false
		}
		rw.Header().Set("Last-Modified", "Sun, 01 Mar 2026 10:00:00 GMT")
		for {
			if _, err := io.WriteString(rw, strings.Repeat("x", 1<<20)); err != nil {
				return true
			}
		}
	}
	checked, err := w.Check(w.owner, w.app.ID, environment.KindLive, w.address())
	require.NoError(t, err)
	require.Equal(t, "The storage answered with more than an export asks for.", checked.Problem)

	w.storage.Refuse = func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true }
	to, err := bucket.Open(w.address(), bounded{w.Transport, 50 * time.Millisecond})
	require.NoError(t, err)
	_, err = to.Read(t.Context(), "environment=live/manifest.json")
	require.Equal(t, "The storage can't be reached: no answer within 50ms.", w.explain(t.Context(), err, 50*time.Millisecond))
}

func TestTheSecretOpensWhatItWasGivenFor(t *testing.T) {
	w := newWorld(t)
	save := func(change func(*bucket.Address)) error {
		to := w.address()
		to.SecretKey = ""
		change(&to)
		_, err := w.Save(w.owner, w.app.ID, environment.KindLive, to, Never)
		return err
	}
	requireSecret := func(err error) {
		t.Helper()
		require.True(t, fault.Is(err, fault.InvalidInput), err)
		require.ErrorContains(t, err, "secretAccessKey")
	}
	requireSecret(save(func(*bucket.Address) {}))
	w.save(w.address(), Never)
	require.NoError(t, save(func(a *bucket.Address) { a.Prefix = " other/ " }))
	require.Equal(t, "other", w.read().Prefix)
	requireSecret(save(func(a *bucket.Address) { a.Endpoint = "https://s3.example.com" }))
	requireSecret(save(func(a *bucket.Address) { a.AccessKey = "AKIDOTHER" }))
	err := save(func(a *bucket.Address) { a.Bucket = "Not One" })
	require.ErrorContains(t, err, "bucket")
	var stored string
	require.NoError(t, w.db.Pool.QueryRow(t.Context(), `select x::text from parquet_export x`).Scan(&stored))
	require.NotContains(t, stored, buckettest.SecretKey)

	// The key of the server changes: secrets are encrypted anew, and one whose key is gone is asked for.
	next := seal.Key{ID: "n", Secret: bytes.Repeat([]byte{2}, seal.KeySize)}
	ring, err := seal.NewRing(next, seal.Key{ID: "k", Secret: bytes.Repeat([]byte{1}, seal.KeySize)})
	require.NoError(t, err)
	w.Ring = ring
	require.NoError(t, w.Start(t.Context()))
	require.NoError(t, w.Stop(t.Context()))
	w.Ring, err = seal.NewRing(next)
	require.NoError(t, err)
	require.NoError(t, save(func(*bucket.Address) {}))
	w.Ring, err = seal.NewRing(seal.Key{ID: "z", Secret: bytes.Repeat([]byte{3}, seal.KeySize)})
	require.NoError(t, err)
	requireSecret(save(func(*bucket.Address) {}))
}

func TestTheNextRun(t *testing.T) {
	now := time.Date(2026, 11, 29, 10, 20, 0, 0, time.UTC)
	id := uuid.UUID{15: 70} // minute 10
	for _, c := range []struct {
		every  Frequency
		failed bool
		want   string
	}{
		{Never, false, ""}, {Never, true, ""},
		{Hourly, false, "2026-11-29T11:10:00Z"}, {Hourly, true, "2026-11-29T11:10:00Z"},
		{Daily, false, "2026-11-30T00:10:00Z"}, {Daily, true, "2026-11-29T11:20:00Z"},
	} {
		got := ""
		if at := c.every.next(id, now, c.failed); at != nil {
			got = at.Format(time.RFC3339)
		}
		require.Equal(t, c.want, got, "%s %v", c.every, c.failed)
	}
}
