package bucket

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ingest/archive/bucket/buckettest"
	"github.com/svc-dev/svc/ingest/archive/parquetfiles"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func addressOf(s *buckettest.Server) Address {
	return Address{
		Endpoint: s.URL, Bucket: buckettest.Bucket, Prefix: "exports/svc",
		AccessKey: buckettest.AccessKey, SecretKey: buckettest.SecretKey,
	}
}

func open(t *testing.T, a Address) *Bucket {
	t.Helper()
	b, err := Open(a, nil)
	require.NoError(t, err)
	return b
}

func write(b *Bucket, name string, content []byte) error {
	_, err := b.Write(context.Background(), name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	return err
}

func TestFilesAreKept(t *testing.T) {
	s := buckettest.New(t)
	b := open(t, addressOf(s))
	ctx := t.Context()
	_, err := b.Read(ctx, "environment=live/manifest.json")
	require.ErrorIs(t, err, fs.ErrNotExist)
	large := make([]byte, 2*partBytes+100)
	_, _ = rand.Read(large)
	require.NoError(t, write(b, "environment=live/table=hits/day=2026-03-01/hits.parquet", large))
	require.Equal(t, 3, s.Puts(), "in parts")
	require.NoError(t, write(b, "environment=live/manifest.json", []byte("{}")))
	require.Equal(t, []string{
		"exports/svc/environment=live/manifest.json", "exports/svc/environment=live/table=hits/day=2026-03-01/hits.parquet",
	}, s.Objects())
	require.Equal(t, large, s.Object(s.Objects()[1]))
	text, err := b.Read(ctx, "environment=live/manifest.json")
	require.NoError(t, err)
	require.Equal(t, "{}", string(text))
	size, err := b.Size(ctx, "environment=live/table=hits/day=2026-03-01/hits.parquet")
	require.NoError(t, err)
	require.EqualValues(t, len(large), size)
	_, err = b.Size(ctx, "environment=live/table=hits/day=2026-03-02/hits.parquet")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, b.Remove(ctx, "environment=live/table=hits/day=2026-03-01/hits.parquet"))
	require.Len(t, s.Objects(), 1)
	require.Equal(t, "s3://history/exports/svc/environment=live/", b.URL("environment=live/"))
}

func TestAFileThatFailsInTheMiddleIsNotThere(t *testing.T) {
	s := buckettest.New(t)
	b := open(t, addressOf(s))
	_, err := b.Write(t.Context(), "environment=live/half", func(w io.Writer) error {
		_, _ = w.Write([]byte("half"))
		return errors.New("the database is gone")
	})
	require.ErrorContains(t, err, "the database is gone")
	require.Empty(t, s.Objects())
	require.Zero(t, s.Puts())
}

func TestWhatStorageRefusesIsSaid(t *testing.T) {
	s := buckettest.New(t)
	for said, change := range map[string]func(*Address){
		"the secret key does not belong to the access key": func(a *Address) { a.SecretKey = "another" },
		"the storage does not know the access key":         func(a *Address) { a.AccessKey = "another" },
		"there is no such bucket":                          func(a *Address) { a.Bucket = "another" },
	} {
		a := addressOf(s)
		a.Region = buckettest.Region
		change(&a)
		err := write(open(t, a), "environment=live/x", []byte("x"))
		text, ok := Explain(err)
		require.True(t, ok, err)
		require.Equal(t, said, text)
		require.NotContains(t, err.Error(), buckettest.SecretKey)
	}
	s.Refuse = func(w http.ResponseWriter, _ *http.Request) bool {
		http.Redirect(w, &http.Request{Method: http.MethodGet}, "http://169.254.169.254/", http.StatusFound)
		return true
	}
	a := addressOf(s)
	a.Region = buckettest.Region
	// Without a body: minio-go 7.4.1 closes that of a request twice at once when it is answered with a redirect.
	_, err := open(t, a).Size(t.Context(), "environment=live/x")
	require.Error(t, err, "redirects are not followed")
	_, err = open(t, a).Read(t.Context(), "environment=live/x")
	require.Error(t, err, "redirects are not followed")
	_, ok := Explain(errors.New("of our own"))
	require.False(t, ok)
}

func TestAddressesThatAreNone(t *testing.T) {
	good := Address{Endpoint: "https://s3.example.com", Bucket: "history", AccessKey: "a", SecretKey: "s"}
	require.NoError(t, good.Check())
	for field, list := range map[string][]func(*Address){
		"endpoint": {
			func(a *Address) { a.Endpoint = "s3.example.com" }, func(a *Address) { a.Endpoint = "ftp://s3.example.com" },
			func(a *Address) { a.Endpoint = "https://u:p@s3.example.com" },
			func(a *Address) { a.Endpoint = "https://s3.example.com/path" },
			func(a *Address) { a.Endpoint = "https://s3.example.com/?x=1" },
			func(a *Address) { a.Endpoint = "https://" + strings.Repeat("a", 3000) },
		},
		"bucket": {
			func(a *Address) { a.Bucket = "" }, func(a *Address) { a.Bucket = "../other" }, func(a *Address) { a.Bucket = "a..b" },
			func(a *Address) { a.Bucket = "10.0.0.1" }, func(a *Address) { a.Bucket = "Upper" },
		},
		"prefix": {
			func(a *Address) { a.Prefix = "../other" }, func(a *Address) { a.Prefix = "a//b" },
			func(a *Address) { a.Prefix = "it's" }, func(a *Address) { a.Prefix = "a\nb" },
			func(a *Address) { a.Prefix = strings.Repeat("a", 600) },
		},
		"region":    {func(a *Address) { a.Region = "eu central" }},
		"accessKey": {func(a *Address) { a.AccessKey = "" }, func(a *Address) { a.AccessKey = "a\r\nb" }},
		"secretKey": {func(a *Address) { a.SecretKey = "" }},
	} {
		for i, change := range list {
			bad := good
			change(&bad)
			_, err := Open(bad, nil)
			var problem *Problem
			require.ErrorAs(t, err, &problem, "%s %d", field, i)
			require.Equal(t, field, problem.Field, "%s %d", field, i)
		}
	}
}

func TestAnExportIntoABucketGoesOn(t *testing.T) {
	db := pgtest.New(t)
	store(t, db, 40)
	s := buckettest.New(t)
	export := func(ctx context.Context, progress func(parquetfiles.Summary)) (parquetfiles.Summary, error) {
		return parquetfiles.Export(ctx, db.Pool, parquetfiles.Options{
			App: "app", Environment: "live", EnvironmentID: 11, To: open(t, addressOf(s)), Progress: progress,
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	files := 0
	_, err := export(ctx, func(parquetfiles.Summary) {
		if files++; files == 5 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, s.Objects(), 5+2, "whole files, the manifest and the views")

	done, err := export(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, []int{35, 5}, []int{done.Files, done.Kept})
	views := string(s.Object("exports/svc/environment=live/duckdb.sql"))
	require.Contains(t, views, "read_parquet('s3://history/exports/svc/environment=live/table=events/*/*.parquet'")

	// An object that somebody cut is sent again, one of a day that is gone leaves.
	s.Put("exports/svc/environment=live/table=events/day=2026-03-02/events.parquet", []byte("PAR1"))
	_, err = db.Pool.Exec(t.Context(), `delete from track_event where occurred_at < '2026-03-02Z'`)
	require.NoError(t, err)
	done, err = export(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, []int{1, 38, 1}, []int{done.Files, done.Kept, done.Removed})
}

// store puts an event a day into the database.
func store(t *testing.T, db *postgres.DB, days int) {
	t.Helper()
	_, err := db.Pool.Exec(t.Context(), `
		insert into track_event (environment_id, occurred_at, received_at, event_key, name, app_user_id)
		select 11, '2026-03-01T10:00Z'::timestamptz + n * interval '1 day', now(), gen_random_uuid(), 'order', 'p'
		from generate_series(0, $1::int - 1) n`, days)
	require.NoError(t, err)
}

// Storage that answers with another address is not followed there, and its answer tells no key.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		storage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+r.URL.Path, status)
		}))
		b, err := Open(Address{
			Endpoint: storage.URL, Region: "us-east-1", Bucket: "exports", AccessKey: "the-access-key", SecretKey: "the-secret-key",
		}, nil)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, writing := b.Write(ctx, "day.parquet", func(w io.Writer) error {
			_, err := w.Write([]byte("rows"))
			return err
		})
		_, reading := b.Read(ctx, "manifest.json")
		_, listing := b.Size(ctx, "table/day.parquet")
		for _, err := range []error{writing, reading, listing, b.Remove(ctx, "day.parquet")} {
			require.Error(t, err, status)
			said, _ := Explain(err)
			require.NotContains(t, err.Error()+said, "-key", status)
		}
		cancel()
		storage.Close()
	}
	require.Zero(t, reached.Load())
}
