package uploads

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/ingest/history"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// world is an app whose owner makes the requests, and another workspace.
type world struct {
	*Uploads
	t               *testing.T
	app             uuid.UUID
	owner, stranger context.Context
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	db := pgtest.New(t)
	logger := slog.New(slog.DiscardHandler)
	accounts := account.New(db.Ent(), db.Pool, account.Options{Logger: logger})
	as := func(email, workspace string) (context.Context, uuid.UUID) {
		_, err := accounts.Bootstrap(t.Context(), email, "correct horse", workspace)
		require.NoError(t, err)
		p, err := accounts.PrincipalOf(t.Context(), email)
		require.NoError(t, err)
		return account.With(t.Context(), p), p.UserID
	}
	w := &world{
		Uploads: &Uploads{DB: db, Ingest: ingest.Settings{SessionHitLimit: 100}, HitLimit: 100, Logger: logger}, t: t,
	}
	owner, user := as("owner@example.com", "Acme")
	w.owner = owner
	w.app = deliverytest.NewApp(t, db.Pool).ID
	_, err := db.Pool.Exec(t.Context(), `update apps set workspace_id = (
		select workspace_id from memberships where user_id = $1) where id = $2`, user, w.app)
	require.NoError(t, err)
	stranger := db.Ent().User.Create().SetEmail("other@example.com").SetName("O").SetPasswordHash("x").SaveX(t.Context())
	other := db.Ent().Workspace.Create().SetName("Other").SaveX(t.Context())
	db.Ent().Membership.Create().SetUserID(stranger.ID).SetWorkspaceID(other.ID).SetRole(account.Owner).SaveX(t.Context())
	p, err := accounts.PrincipalOf(t.Context(), "other@example.com")
	require.NoError(t, err)
	w.stranger = account.With(t.Context(), p)
	return w
}

func (w *world) create(source history.Source, file []byte) *Import {
	w.t.Helper()
	made, err := w.Create(w.owner, w.app, File{
		Environment: environment.KindLive, Source: source, Name: "history.csv", Bytes: int64(len(file)),
	})
	require.NoError(w.t, err)
	return made
}

// upload sends a file in parts of some bytes, each twice, as when an answer was lost.
func (w *world) upload(source history.Source, file []byte, part int) *Import {
	w.t.Helper()
	i := w.create(source, file)
	for at := 0; at < len(file); at += part {
		for range 2 {
			var err error
			i, err = w.AddPart(w.owner, i.ID, int64(at), file[at:min(len(file), at+part)])
			require.NoError(w.t, err)
		}
	}
	require.Equal(w.t, Ready, i.State)
	return i
}

// runToEnd imports a file to its end.
func (w *world) runToEnd(i *Import, zone string) *Import {
	w.t.Helper()
	_, err := w.Begin(w.owner, i.ID, zone)
	require.NoError(w.t, err)
	require.NoError(w.t, w.look(w.t.Context()))
	return w.read(i.ID)
}

func (w *world) read(id uuid.UUID) *Import {
	w.t.Helper()
	found, err := w.find(w.owner, id)
	require.NoError(w.t, err)
	return found
}

func (w *world) count(sql string, args ...any) (n int64) {
	w.t.Helper()
	require.NoError(w.t, w.DB.Pool.QueryRow(context.Background(), sql, args...).Scan(&n))
	return n
}

const header = "event_id,name,occurred_at,app_user_id,page,source,country,properties\n"

// neutral is a file of some records, of which every seventh can't be read as a time.
func neutral(records int) []byte {
	var file strings.Builder
	file.WriteString(header)
	for n := range records {
		at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Second).Format(time.DateTime)
		if n%7 == 3 {
			at = "yesterday"
		}
		fmt.Fprintf(&file, "e%d,page_view,%s,u%d,/p%d,news,DE,\"{\"\"plan\"\":\"\"pro\"\"}\"\n", n, at, n%50, n%9)
	}
	return []byte(file.String())
}

func TestAFileIsUploadedInPartsSeenAndImportedOnce(t *testing.T) {
	w := newWorld(t)
	file := neutral(70)
	i := w.upload(history.Neutral, file, 500)

	shown, err := w.Preview(w.owner, i, "Europe/Berlin")
	require.NoError(t, err)
	require.Len(t, shown.Events, 17)
	require.Equal(t, time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), shown.Events[0].At)
	require.Equal(t, "/p0", *shown.Events[0].Page)
	require.Equal(t, "news", *shown.Events[0].Source)
	require.JSONEq(t, `{"plan":"pro"}`, *shown.Events[0].Properties)
	require.Equal(t, int64(5), shown.Rejects[0].Line) // the header is line 1

	done := w.runToEnd(i, "Europe/Berlin")
	require.Equal(t, Finished, done.State)
	require.Equal(t, history.Counts{Lines: 71, Stored: 60, Rejected: 10}, done.Counts)
	require.Equal(t, int64(len(file)), done.ReadBytes)
	require.Zero(t, w.count(`select count(*) from history_upload_part`))
	rejects, err := w.Rejects(w.owner, done)
	require.NoError(t, err)
	require.Len(t, rejects, 10)
	require.Equal(t, &Reject{5, "e3", ingest.CodeTimestampInvalid,
		"occurred_at is not a date-time such as 2026-11-21T10:00:00.000Z"}, rejects[0])
	const stored = `select count(*) from product_event where occurred_at < '2026-03-02'`
	require.Equal(t, int64(60), w.count(stored))
	require.Equal(t, int64(1), w.count(stored+` and occurred_at = '2026-03-01 09:00:00+00'`))

	again := w.runToEnd(w.upload(history.Neutral, file, 1<<20), "Europe/Berlin")
	require.Equal(t, history.Counts{Lines: 71, Duplicates: 60, Rejected: 10}, again.Counts)
	require.Equal(t, int64(60), w.count(stored))

	require.NoError(t, w.Remove(w.owner, i.ID))
	require.NoError(t, w.look(t.Context()))
	require.Zero(t, w.count(stored))
	var workspace uuid.UUID
	require.NoError(t, w.DB.Pool.QueryRow(t.Context(), `select workspace_id from apps where id = $1`, w.app).
		Scan(&workspace))
	list, err := w.List(w.owner, workspace, w.app, environment.KindLive)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, again.ID, list[0].ID)
}

// An import that was killed goes on where it was, on whichever server, and counts as one that was not.
func TestAKilledImportGoesOn(t *testing.T) {
	w := newWorld(t)
	const more = 40_000 // than are stored between two looks at how far it is
	file := neutral(6900)
	for n := range more {
		file = fmt.Appendf(file, "more%d,page_view,2026-03-01 10:00:00,u%d,/,,,\n", n, n)
	}
	i := w.upload(history.Neutral, file, MaxPart)
	_, err := w.Begin(w.owner, i.ID, "UTC")
	require.NoError(t, err)
	ctx, kill := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.look(ctx) }()
	require.Eventually(t, func() bool { return w.count(`select resume_at from history_upload`) > 1 }, 30*time.Second,
		time.Millisecond)
	kill()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.Equal(t, int64(1), w.count(`select count(*) from history_import where finished_at is null`))
	// One that is killed notes nothing of its end: what the last step wrote is what another server finds.
	_, err = w.DB.Pool.Exec(t.Context(), `update history_upload set state = 'running'`)
	require.NoError(t, err)
	require.NoError(t, w.look(t.Context()))
	done := w.read(i.ID)
	require.Equal(t, Finished, done.State)
	require.Equal(t, history.Counts{Lines: 6901 + more, Stored: 5914 + more, Rejected: 986}, done.Counts)
	require.Equal(t, int64(986), w.count(`select count(*) from history_upload_reject`))

	// Killed once more, before it had forgotten its file.
	_, err = w.DB.Pool.Exec(t.Context(), `update history_upload set state = 'running'`)
	require.NoError(t, err)
	require.NoError(t, w.look(t.Context()))
	require.Equal(t, done, w.read(i.ID))
}

func TestTotalsAreUploadedSeenAndStored(t *testing.T) {
	w := newWorld(t)
	const header = "date,hostname,page,visits,visitors,pageviews\n"
	file := []byte(header + "2026-03-01,a,/,3,2,5\nyesterday,a,/,1,1,1\n")
	i := w.upload(history.Plausible, file, 20)
	shown, err := w.Preview(w.owner, i, "UTC")
	require.NoError(t, err)
	require.Empty(t, shown.Events)
	require.Len(t, shown.Totals, 1)
	require.Equal(t, "page", shown.Totals[0].Dimension)
	require.Len(t, shown.Rejects, 1)
	done := w.runToEnd(i, "UTC")
	require.Equal(t, Finished, done.State)
	require.Equal(t, history.Counts{Lines: 3, Stored: 1, Rejected: 1}, done.Counts)
	require.Equal(t, int64(5), w.count(`select views from history_total`))
	require.Equal(t, int64(1), w.count(`select count(*) from history_upload_reject`))

	broken := w.runToEnd(w.upload(history.Plausible, []byte(header+strings.Repeat("no,a,/,1,1,1\n", 1100)), MaxPart), "UTC")
	require.Equal(t, Failed, broken.State)
	require.Equal(t, int64(1001), broken.Rejected)
	require.NoError(t, w.Remove(w.owner, i.ID))
	require.NoError(t, w.look(t.Context()))
	require.Zero(t, w.count(`select count(*) from history_total`))
}

func TestWhatIsNoExportFailsAndSaysWhy(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		source  history.Source
		file    []byte
		problem string
	}{
		"another header": {history.Neutral, []byte("a,b\n1,2\n"), "the header has no column event_id"},
		"too many": {
			history.Neutral, []byte(header + strings.Repeat("e,page_view,no,u\n", 2100)), "More than 1000 lines",
		},
		"no JSON": {history.Matomo, []byte("<html>"), "is not JSON"},
	} {
		done := w.runToEnd(w.upload(c.source, c.file, MaxPart), "UTC")
		require.Equal(t, Failed, done.State, name)
		require.Contains(t, done.Problem, c.problem, name)
	}
	require.Zero(t, w.count(`select count(*) from product_event`))
}

// What little unpacks to much is read to a bound, whatever the lines are made of.
func TestPreviewsReadLittleOfWhatUnpacksToMuch(t *testing.T) {
	w := newWorld(t)
	pack := func(first, again string) []byte {
		var file bytes.Buffer
		out := gzip.NewWriter(&file)
		_, err := io.WriteString(out, first)
		for range 64 {
			_, more := io.WriteString(out, strings.Repeat(again, 1<<20/len(again)))
			err = errors.Join(err, more)
		}
		require.NoError(t, errors.Join(err, out.Close()))
		return file.Bytes()
	}
	for name, c := range map[string]struct {
		source  history.Source
		file    []byte
		problem string
	}{
		"blank lines": {history.PostHog, pack("", "\n"), "the file unpacks to too much"},
		"one line":    {history.GA4, pack("{", "a"), "a line is longer than 1048576 bytes"},
		"one record":  {history.Neutral, pack(header, "a"), "a record is longer than 1048576 bytes"},
		"one visit":   {history.Matomo, pack(`[{"idVisit":"`, "a"), "the file unpacks to too much"},
	} {
		shown, err := w.Preview(w.owner, w.upload(c.source, c.file, MaxPart), "UTC")
		require.NoError(t, err, name)
		require.Contains(t, shown.Problem, c.problem, name)
	}
}

// A Parquet file of 62 kB that unpacked to 2 GB took a server all of its memory.
func TestParquetIsNotUploaded(t *testing.T) {
	w := newWorld(t)
	file := File{Environment: environment.KindLive, Source: history.Parquet, Name: "f", Bytes: 1}
	_, err := w.Create(w.owner, w.app, file)
	require.True(t, fault.Is(err, fault.InvalidInput), err)
	require.ErrorContains(t, err, "svc import parquet")
}

func TestUploadsAreBoundedAndOfTheirWorkspace(t *testing.T) {
	w := newWorld(t)
	i := w.create(history.Neutral, []byte("0123456789"))
	for name, c := range map[string]struct {
		position int64
		content  []byte
		code     fault.Code
	}{
		"nothing":          {0, nil, fault.InvalidInput},
		"too large":        {0, make([]byte, MaxPart+1), fault.InvalidInput},
		"beyond the file":  {0, make([]byte, 11), fault.InvalidInput},
		"not the next one": {5, []byte("56789"), fault.Conflict},
		"before the file":  {-1, []byte("0"), fault.Conflict},
	} {
		_, err := w.AddPart(w.owner, i.ID, c.position, c.content)
		require.True(t, fault.Is(err, c.code), "%s: %v", name, err)
	}
	_, err := w.Begin(w.owner, i.ID, "UTC")
	require.True(t, fault.Is(err, fault.Conflict), err) // not all of it is there
	for _, zone := range []string{"", "Local", "Mars/Olympus", "../etc"} {
		_, err := w.Begin(w.owner, i.ID, zone)
		require.True(t, fault.Is(err, fault.InvalidInput), "%s: %v", zone, err)
	}
	for _, size := range []int64{0, -1, MaxFile + 1} {
		_, err := w.Create(w.owner, w.app, File{Environment: "live", Source: history.Umami, Name: "f", Bytes: size})
		require.True(t, fault.Is(err, fault.InvalidInput), err)
	}
	file := File{Environment: "live", Source: history.Umami, Name: "f", Bytes: MaxFile}
	_, err = w.Create(w.owner, w.app, file)
	require.NoError(t, err)
	_, err = w.Create(w.owner, w.app, file) // both and ten bytes are too much
	require.True(t, fault.Is(err, fault.Conflict), err)

	for name, act := range map[string]func() error{
		"create":  func() error { _, err := w.Create(w.stranger, w.app, file); return err },
		"part":    func() error { _, err := w.AddPart(w.stranger, i.ID, 0, []byte("0")); return err },
		"begin":   func() error { _, err := w.Begin(w.stranger, i.ID, "UTC"); return err },
		"remove":  func() error { return w.Remove(w.stranger, i.ID) },
		"rejects": func() error { _, err := w.Rejects(w.stranger, i); return err },
		"preview": func() error { _, err := w.Preview(w.stranger, i, "UTC"); return err },
		"list": func() error {
			_, err := w.List(w.stranger, i.owner.Workspace, w.app, "live")
			return err
		},
	} {
		err := act()
		require.True(t, fault.Is(err, fault.NotFound) || fault.Is(err, fault.Forbidden), "%s: %v", name, err)
	}
	require.Zero(t, w.read(i.ID).Received)
}
