package history

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/ingest/archive"
	"github.com/svc-dev/svc/ingest/rebuild"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

const (
	environment = 5 // in which files are imported and removed
	oracle      = 6 // in which only what should be left was ever stored
	hitLimit    = 12
)

func startImporter(t *testing.T, db *postgres.DB) *ingest.Importer {
	t.Helper()
	importer, err := ingest.NewImporter(
		db, ingest.Settings{SessionHitLimit: hitLimit}, ingest.Deps{Logger: slog.New(slog.DiscardHandler)},
	)
	require.NoError(t, err)
	require.NoError(t, importer.Start(context.Background()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := importer.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return importer
}

// store imports lines of the source, or of Svc's own.
func store(
	t *testing.T, importer *ingest.Importer, environmentID int64, source Source, started time.Time, lines []string,
) archive.ImportCounts {
	t.Helper()
	im := archive.Import{
		To: importer, History: ingest.History{EnvironmentID: environmentID, ReceivedAt: started},
		Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(strings.Join(lines, "\n"))), nil
		},
		Rejected: func(r archive.Reject) { t.Errorf("rejected: %+v", r) },
		Step:     func(archive.Step) {},
	}
	if source != "" {
		im.Convert = func(line []byte) (*ingest.HistoryEvent, *ingest.Reject) {
			return source.Convert(line, Reading{Started: started})
		}
	}
	done, err := im.Run(context.Background())
	require.NoError(t, err)
	return done
}

// lineOf returns an event as the line that it is the same as.
func lineOf(t *testing.T, event *ingest.HistoryEvent) string {
	t.Helper()
	line, err := json.Marshal(event)
	require.NoError(t, err)
	return string(line)
}

func importFile(
	t *testing.T, db *postgres.DB, importer *ingest.Importer, environmentID int64, name string, lines []string,
) Import {
	t.Helper()
	running, err := Begin(
		context.Background(), db.Pool, File{EnvironmentID: environmentID, Source: PostHog, Name: name, Fingerprint: name},
	)
	require.NoError(t, err)
	defer running.Close()
	require.False(t, running.Resumed)
	done := store(t, importer, environmentID, PostHog, running.StartedAt, lines)
	require.NoError(t, running.Note(context.Background(), archive.ImportCounts{}, done, true))
	return running.Import
}

// made makes lines as PostHog exports them, of few people and sessions, so that files share them.
func made(random *rand.Rand, n int) (lines []string) {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	for range n {
		at := time.Now().Add(-time.Duration(1+random.IntN(5*24*3600)) * time.Second).UTC()
		person := fmt.Sprintf("v%d", random.IntN(20))
		line, _ := json.Marshal(map[string]any{
			"uuid": uuid.NewString(), "event": pick("$pageview", "buy", "$identify"), "timestamp": at.Format(time.RFC3339Nano),
			"distinct_id": pick(person, "c1", "c2"),
			"properties": map[string]any{
				"$device_id": person, "$session_id": pick("s1", "s2", "s3"), "$lib": "web", "$pathname": pick("/", "/a"),
				"utm_source": pick("", "google"), "$geoip_country_code": pick("", "DE"), "$device_type": pick("", "Mobile"),
			},
		})
		lines = append(lines, string(line))
	}
	return lines
}

// ownEvents are lines of Svc's own, as if the same people had come live.
func ownEvents(random *rand.Rand, n int) (lines []string) {
	for i := range n {
		at := time.Now().Add(-time.Duration(1+random.IntN(6*24*3600)) * time.Second).UTC()
		lines = append(lines, fmt.Sprintf(
			`{"eventId":"live%d","name":"page_view","screenName":"/live","timestamp":%q,"appUserId":"v%d","sessionId":"s%d",`+
				`"customUserId":"c%d"}`, i, at.Format(time.RFC3339Nano), random.IntN(25), random.IntN(4), random.IntN(3)))
	}
	return lines
}

// state is what reports read of an environment, without the numbers that it happens to have given to names.
func state(t *testing.T, db *postgres.DB, environmentID int64) (sessions, touches string) {
	t.Helper()
	require.NoError(t, db.Pool.QueryRow(context.Background(), `
		select coalesce(jsonb_agg(to_jsonb(s) - '{environment_id,changed_xid,home_day,hits}'::text[]
			|| jsonb_build_object('hits', (
			select jsonb_agg(jsonb_build_array(h >> 22, n.kind, n.text) order by h >> 22, n.kind, n.text)
			from unnest(s.hits) h join event_name n on n.environment_id = $1 and n.id = h & 4194303))
			order by app_user_id, session_id), '[]')::text
		from product_session s where environment_id = $1`, environmentID).Scan(&sessions))
	require.NoError(t, db.Pool.QueryRow(context.Background(), `
		select coalesce(jsonb_agg(to_jsonb(f) - '{environment_id,changed_xid}'::text[] order by app_user_id), '[]')::text
		from product_analytics_first_touch f where environment_id = $1`, environmentID).Scan(&touches))
	return sessions, touches
}

func requireSame(t *testing.T, db *postgres.DB) {
	t.Helper()
	sessions, touches := state(t, db, environment)
	wantSessions, wantTouches := state(t, db, oracle)
	require.JSONEq(t, wantSessions, sessions)
	require.JSONEq(t, wantTouches, touches)
	require.Equal(t, count(t, db, `select count(*) from product_event where environment_id = $1`, oracle),
		count(t, db, `select count(*) from product_event where environment_id = $1`, environment))
}

func count(t *testing.T, db *postgres.DB, sql string, args ...any) (n int64) {
	t.Helper()
	require.NoError(t, db.Pool.QueryRow(context.Background(), sql, args...).Scan(&n))
	return n
}

// An import that is removed leaves what there would be without it: what people did live, and what other imports
// brought.
func TestARemovedImportLeavesNothing(t *testing.T) {
	db, random := pgtest.New(t), rand.New(rand.NewPCG(3, 4))
	importer, ctx := startImporter(t, db), context.Background()
	first, second, live := made(random, 2600), made(random, 300), ownEvents(random, 60)
	both := append(append([]string{}, first[:100]...), second...)
	for _, id := range []int64{environment, oracle} {
		store(t, importer, id, "", time.Now(), live)
	}
	one := importFile(t, db, importer, environment, "one", first)
	require.Equal(t, Counts{Lines: 2600, Stored: 2600}, one.Counts)
	two := importFile(t, db, importer, environment, "two", both)
	require.Equal(t, Counts{Lines: 400, Stored: 300, Duplicates: 100}, two.Counts)
	again := importFile(t, db, importer, environment, "one", first)
	require.Equal(t, Counts{Lines: 2600, Duplicates: 2600}, again.Counts)

	listed, err := List(ctx, db.Pool, environment, 10)
	require.NoError(t, err)
	require.Len(t, listed, 3)
	require.Equal(t, []uuid.UUID{again.ID, two.ID, one.ID}, []uuid.UUID{listed[0].ID, listed[1].ID, listed[2].ID})
	require.Equal(t, "one", listed[0].FileName)

	anew := func() int64 {
		return count(t, db, `select count(*) from frame_invalidated
			where environment_id = $1 and home_day is null and people is null`, environment)
	}
	require.Zero(t, anew())
	removed, err := Remove(ctx, db.Pool, environment, one.ID, hitLimit)
	require.NoError(t, err)
	require.NotNil(t, removed.RemovedAt)
	require.EqualValues(t, 1, anew(), "readers of reports are told")
	importFile(t, db, importer, oracle, "two", second)
	requireSame(t, db)
	found, err := rebuild.Run(ctx, db.Pool, rebuild.Options{
		EnvironmentID: environment, HitLimit: hitLimit, RunHitLimit: hitLimit, Retention: 365 * 24 * time.Hour, DryRun: true,
		Now: time.Now(),
	})
	require.NoError(t, err)
	require.Zero(t, found.Wrong())

	same, err := Remove(ctx, db.Pool, environment, one.ID, hitLimit)
	require.NoError(t, err)
	require.Equal(t, removed.RemovedAt, same.RemovedAt, "once removed, nothing happens")

	// It may come again, and all may go.
	require.EqualValues(t, 2600, importFile(t, db, importer, environment, "one", first).Stored)
	listed, err = List(ctx, db.Pool, environment, 10)
	require.NoError(t, err)
	for _, i := range listed {
		_, err := Remove(ctx, db.Pool, environment, i.ID, hitLimit)
		require.NoError(t, err)
	}
	theirs, err := List(ctx, db.Pool, oracle, 10)
	require.NoError(t, err)
	require.Len(t, theirs, 1, "of another environment")
	_, err = Remove(ctx, db.Pool, environment, theirs[0].ID, hitLimit)
	require.True(t, fault.Is(err, fault.NotFound), err)
	_, err = Remove(ctx, db.Pool, oracle, theirs[0].ID, hitLimit)
	require.NoError(t, err)
	requireSame(t, db)
	require.EqualValues(t, 60, count(t, db, `select count(*) from product_event where environment_id = $1`, environment))
}

// A run that was killed goes on under the same record, and the record's counts are those of the whole file.
func TestAKilledImportGoesOn(t *testing.T) {
	db, random := pgtest.New(t), rand.New(rand.NewPCG(5, 6))
	importer, ctx := startImporter(t, db), context.Background()
	lines := made(random, 500)
	file := File{EnvironmentID: environment, Source: PostHog, Name: strings.Repeat("x", 300), Fingerprint: "f"}
	killed, err := Begin(ctx, db.Pool, file)
	require.NoError(t, err)
	store(t, importer, environment, PostHog, killed.StartedAt, lines[:300])
	_, err = Begin(ctx, db.Pool, file)
	require.True(t, fault.Is(err, fault.Conflict), "two at once: %v", err)
	_, err = Remove(ctx, db.Pool, environment, killed.ID, hitLimit)
	require.True(t, fault.Is(err, fault.Conflict), err)
	killed.Close()

	next, err := Begin(ctx, db.Pool, file)
	require.NoError(t, err)
	require.True(t, next.Resumed)
	require.Equal(t, killed.ID, next.ID)
	require.Equal(t, killed.StartedAt, next.StartedAt)
	done := store(t, importer, environment, PostHog, next.StartedAt, lines[200:])
	require.EqualValues(t, 100, done.Duplicates)
	done.ResumedAt = 201
	require.NoError(t, next.Note(ctx, archive.ImportCounts{Lines: 200, Stored: 190, Rejected: 7, LeftOut: 3}, done, true))
	require.Equal(t, Counts{Lines: 500, Stored: 500, Rejected: 7, LeftOut: 3}, next.Counts)
	next.Close()
	listed, err := List(ctx, db.Pool, environment, 10)
	require.NoError(t, err)
	require.Len(t, listed, 1)
	require.Equal(t, next.Counts, listed[0].Counts)
	require.Len(t, listed[0].FileName, 255)
	fresh, err := Begin(ctx, db.Pool, file)
	require.NoError(t, err)
	defer fresh.Close()
	require.False(t, fresh.Resumed, "a finished import begins anew")
	require.NoError(t, fresh.Note(ctx, archive.ImportCounts{}, archive.ImportCounts{}, false))
	listed, err = List(ctx, db.Pool, environment, 10)
	require.NoError(t, err)
	require.Len(t, listed, 1, "what read nothing leaves no record")
}

// Names of files may be bytes that are no text, which the database does not take.
func TestAFileMayHaveAnyName(t *testing.T) {
	db := pgtest.New(t)
	for name, kept := range map[string]string{
		"caf\xe9.csv": "caf\uFFFD.csv",
		"é" + strings.Repeat("x", maxNameBytes-1): "\uFFFD" + strings.Repeat("x", maxNameBytes-1),
	} {
		running, err := Begin(t.Context(), db.Pool, File{EnvironmentID: environment, Source: Umami, Name: name})
		require.NoError(t, err)
		running.Close()
		require.Equal(t, kept, running.FileName)
	}
}
