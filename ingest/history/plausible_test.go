package history

import (
	"archive/zip"
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

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/ingest/archive"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// The tables have the columns of Plausible's documentation.
const (
	plausibleVisitors = "\"date\",\"visitors\",\"pageviews\",\"bounces\",\"visits\",\"visit_duration\"\n" +
		"\"2026-03-01\",10,40,5,20,600\n\"2026-03-02\",6,12,3,8,80\n"
	plausibleSources = "\"date\",\"source\",\"referrer\",\"utm_source\",\"utm_medium\",\"utm_campaign\",\"utm_content\"," +
		"\"utm_term\",\"visitors\",\"visits\",\"visit_duration\",\"bounces\",\"pageviews\"\n" +
		"\"2026-03-01\",\"Google\",\"google.com\",\"\",\"\",\"\",\"\",\"\",5,9,100,2,20\n" +
		"\"2026-03-01\",\"Google\",\"google.com\",\"google\",\"cpc\",\"spring\",\"\",\"\",2,3,10,1,4\n" +
		"\"2026-03-01\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",3,8,490,2,16\n"
	plausiblePages = "date,hostname,page,visits,visitors,pageviews\n" +
		"2026-03-01,a.example,/,12,8,20\n2026-03-01,b.example,/,3,2,4\n" +
		"2026-03-01,a.example,/,12,8,20\n" + // twice
		"yesterday,a.example,/x,1,1,1\n2026-03-01,a.example,/y,1,-1,1\n2026-03-01,a.example\n" +
		"2999-03-01,a.example,/z,1,1,1\n2026-03-02,a.example,<script>,1,1,1\n"
	plausibleEvents = "date,name,link_url,path,visitors,events\n2026-03-01,Signup,,,3,4\n"
)

func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for name, content := range files {
		entry, err := w.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(entry, content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return packed.Bytes()
}

type totalsWorld struct {
	*testing.T
	Storage
	environment int64
	rejects     []archive.Reject
}

func newTotalsWorld(t *testing.T) *totalsWorld {
	t.Parallel()
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	return &totalsWorld{T: t, environment: app.Live.ID, Storage: Storage{
		DB: db, Ingest: ingest.Settings{SessionHitLimit: 100}, Logger: slog.New(slog.DiscardHandler),
	}}
}

func (w *totalsWorld) run(content []byte, change func(*Lines)) (*Running, archive.ImportCounts, error) {
	w.Helper()
	record, err := Begin(w.Context(), w.DB.Pool, File{EnvironmentID: w.environment, Source: Plausible, Name: "plausible.zip"})
	require.NoError(w, err)
	defer record.Close()
	w.rejects = nil
	lines := Lines{
		Source: Plausible, MaxUnpacked: 1 << 20,
		Into:     ingest.History{EnvironmentID: w.environment, ReceivedAt: record.StartedAt},
		Open:     func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
		Rejected: func(r archive.Reject) { w.rejects = append(w.rejects, r) },
		Keep:     func(int64, archive.ImportCounts) error { return nil },
	}
	if change != nil {
		change(&lines)
	}
	done, err := w.Store(w.Context(), record, lines)
	return record, done, err
}

func (w *totalsWorld) read(change func(*analytics.Scope)) *Imported {
	w.Helper()
	scope := analytics.Scope{
		Start: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC),
	}
	if change != nil {
		change(&scope)
	}
	scope, err := scope.Resolve(time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC))
	require.NoError(w, err)
	found, err := ReadImported(w.Context(), w.DB.Pool, w.environment, scope)
	require.NoError(w, err)
	return found
}

func (w *totalsWorld) rows(dimension string) map[string]Counted {
	w.Helper()
	rows, err := w.read(nil).Rows(w.Context(), dimension, 20)
	require.NoError(w, err)
	found := map[string]Counted{}
	for _, r := range rows {
		found[r.Value] = r.Counted
	}
	return found
}

func TestTotalsOfPlausibleAreStoredOnceAndRemovedAsAWhole(t *testing.T) {
	w := newTotalsWorld(t)
	export := zipped(t, map[string]string{
		"imported_visitors_20260301_20260302.csv": plausibleVisitors, "imported_sources_20260301_20260302.csv": plausibleSources,
		"imported_pages_20260301_20260302.csv": plausiblePages, "imported_custom_events_20260301_20260302.csv": plausibleEvents,
		"__MACOSX/._imported_pages.csv": "x", "README.txt": "x",
	})
	record, done, err := w.run(export, nil)
	require.NoError(t, err)
	require.Equal(t, archive.ImportCounts{Lines: 18, Stored: 9, Duplicates: 1, Rejected: 4}, done)
	require.Equal(t, Counts{Lines: 18, Stored: 9, Duplicates: 1, Rejected: 4}, record.Counts)
	require.Contains(t, w.rejects[0].Message, "imported_pages_20260301_20260302.csv:5: date is not a day")
	require.Contains(t, w.rejects[1].Message, "visitors is not a whole number up to 1000000000000: -1")

	found := w.read(nil)
	require.Equal(t, []Source{Plausible}, found.Sources)
	require.Equal(t, Counted{16, 28, 52, 8, 680}, found.Total)
	require.Equal(t, map[string]Counted{"Google": {7, 12, 24, 3, 110}, "": {3, 8, 16, 2, 490}}, w.rows("source"))
	require.Equal(t, map[string]Counted{"cpc": {2, 3, 4, 1, 10}}, w.rows("medium"))
	require.Equal(t, map[string]Counted{"/": {10, 15, 24, 0, 0}, "<script>": {1, 1, 1, 0, 0}}, w.rows("page"))
	require.Equal(t, map[string]Counted{"Signup": {3, 0, 4, 0, 0}}, w.rows("event"))

	again, done, err := w.run(export, nil)
	require.NoError(t, err)
	require.Equal(t, archive.ImportCounts{Lines: 18, Duplicates: 10, Rejected: 4}, done)
	require.Equal(t, found.Total, w.read(nil).Total)
	_, err = Remove(t.Context(), w.DB.Pool, w.environment, again.ID, 100)
	require.NoError(t, err)
	require.Equal(t, found.Total, w.read(nil).Total, "the days are of the first import")
	_, err = Remove(t.Context(), w.DB.Pool, w.environment, record.ID, 100)
	require.NoError(t, err)
	require.Zero(t, w.read(nil).Total)
	require.Empty(t, w.rows("page"))
	_, done, err = w.run(export, nil)
	require.NoError(t, err)
	require.Equal(t, int64(9), done.Stored)
}

func TestTotalsAreOfDays(t *testing.T) {
	w := newTotalsWorld(t)
	var packed bytes.Buffer
	out := gzip.NewWriter(&packed)
	_, err := io.WriteString(out, plausibleVisitors)
	require.NoError(t, errors.Join(err, out.Close()))
	_, _, err = w.run(packed.Bytes(), nil)
	require.NoError(t, err)

	for zone, want := range map[string][]string{
		"UTC":                 {"2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"},
		"America/Los_Angeles": {"2026-03-01T08:00:00Z", "2026-03-02T08:00:00Z"},
		"Pacific/Auckland":    {"2026-03-01T11:00:00Z"}, // there March 1 began before the range
	} {
		location, err := time.LoadLocation(zone)
		require.NoError(t, err)
		found := w.read(func(s *analytics.Scope) { s.Location = location })
		series, err := found.Series(t.Context(), analytics.Day)
		require.NoError(t, err)
		var starts []string
		for _, bucket := range series {
			starts = append(starts, bucket.Start.UTC().Format(time.RFC3339))
		}
		require.Equal(t, want, starts, zone)
	}
	month, err := w.read(nil).Series(t.Context(), analytics.Month)
	require.NoError(t, err)
	require.Equal(t, []*Bucket{{time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Counted{16, 28, 52, 8, 680}}}, month)
	hours, err := w.read(nil).Series(t.Context(), analytics.Hour)
	require.NoError(t, err)
	require.Empty(t, hours)

	for name, change := range map[string]func(*analytics.Scope){
		"platform": func(s *analytics.Scope) { s.Platform = analytics.Web },
		"filter": func(s *analytics.Scope) {
			s.Cross = []analytics.Filter{{Dimension: analytics.Source, Operator: analytics.Is, Values: []string{"Google"}}}
		},
		"row": func(s *analytics.Scope) { page := "/"; s.Columns.Page = &page },
	} {
		found := w.read(change)
		require.True(t, found.LeftOut, name)
		require.Zero(t, found.Total, name)
		rows, err := found.Rows(t.Context(), "page", 20)
		require.NoError(t, err)
		require.Empty(t, rows, name)
	}
	_, err = w.read(nil).Rows(t.Context(), "page", MaxRows+1)
	require.Error(t, err)
}

// An import that ends in the middle has stored nothing, and leaves nothing to remove.
func TestTotalsAreStoredWhollyOrNot(t *testing.T) {
	w := newTotalsWorld(t)
	many := plausiblePages
	for n := range totalsHeld + 10 {
		many += time.Date(2026, 1, 1+n%50, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) + ",h,/" + time.Duration(n).String() + ",1,1,1\n"
	}
	kill := errors.New("killed")
	for name, change := range map[string]func(*Lines){
		"killed": func(l *Lines) {
			l.Keep, l.MaxUnpacked = func(int64, archive.ImportCounts) error { return kill }, 8<<20
		},
		"rejected": func(l *Lines) { l.MaxRejected = 1 },
		"unpacks":  func(l *Lines) { l.MaxUnpacked = 100 },
	} {
		_, _, err := w.run([]byte(many), change)
		require.Error(t, err, name)
	}
	for name, content := range map[string][]byte{
		"other header": []byte("a,b\n1,2\n"), "empty": {}, "no table": zipped(t, map[string]string{"x.txt": "x"}),
		"broken archive": []byte("PK\x03\x04 and no more"),
	} {
		_, _, err := w.run(content, nil)
		require.Error(t, err, name)
	}
	_, _, err := w.run([]byte(many), func(l *Lines) { l.DryRun, l.MaxUnpacked = true, 8<<20 })
	require.NoError(t, err)
	found := w.read(func(s *analytics.Scope) { s.Start = s.Start.AddDate(0, -3, 0) })
	require.Empty(t, found.Sources)
	var left int
	require.NoError(t, w.DB.Pool.QueryRow(context.Background(), `select (select count(*) from history_total)
		+ (select count(*) from history_total_day)`).Scan(&left))
	require.Zero(t, left)
	_, done, err := w.run([]byte(many), func(l *Lines) { l.MaxUnpacked = 8 << 20 })
	require.NoError(t, err)
	require.Equal(t, int64(totalsHeld+10+3), done.Stored)
}

func TestPreviewOfTotals(t *testing.T) {
	export := zipped(t, map[string]string{"imported_pages.csv": plausiblePages, "imported_visitors.csv": plausibleVisitors})
	totals, rejects, err := PreviewTotals(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(export)), nil
	}, 1<<20, 20)
	require.NoError(t, err)
	require.Empty(t, rejects)
	require.Len(t, totals, 5)
}

// What no site has is refused or kept within numbers that can be read, so that one import spoils no report.
func TestTotalsAreBounded(t *testing.T) {
	w := newTotalsWorld(t)
	var pages strings.Builder
	pages.WriteString("date,hostname,page,visits,visitors,pageviews\n")
	for i := range 20_000 { // of one page, on many hosts
		fmt.Fprintf(&pages, "2026-03-01,%d.example,/,1000000000000,1000000000000,1000000000000\n", i)
	}
	pages.WriteString("2026-03-01,a.example,/,9007199254740991,1,1\n2026-03-01,b.example,/,1,18446744073709551616,1\n")
	_, counts, err := w.run([]byte(pages.String()), func(l *Lines) { l.MaxUnpacked = 4 << 20 })
	require.NoError(t, err)
	require.Equal(t, int64(20_000), counts.Stored)
	require.Equal(t, int64(2), counts.Rejected)
	require.Contains(t, w.rejects[0].Message, "visits is not a whole number up to 1000000000000: 9007199254740991")
	require.Equal(t, int64(1<<53-1), w.rows("page")["/"].Visitors)

	days := "date,visitors\n"
	for day := range 28 {
		days += fmt.Sprintf("2026-02-%02d,1000000000000\n", day+1)
	}
	_, _, err = w.run([]byte(days), nil)
	require.NoError(t, err)
	_, err = w.DB.Pool.Exec(t.Context(), `update history_total set visitors = 9223372036854775807 where dimension = ''`)
	require.NoError(t, err)
	february := w.read(func(s *analytics.Scope) { s.Start = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC) })
	require.Equal(t, int64(1<<53-1), february.Total.Visitors)

	names := map[string]string{"imported_visitors.csv": plausibleVisitors}
	for i := range 20_000 {
		names[fmt.Sprintf("%032d", i)] = ""
	}
	_, _, err = w.run(zipped(t, names), nil)
	require.ErrorContains(t, err, "table of contents is larger than 1048576 bytes")
	_, _, err = PreviewTotals(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(zipped(t, names))), nil
	}, 1<<20, 20)
	require.ErrorContains(t, err, "table of contents")
}
