package archive

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

const (
	original = 11
	copied   = 12
)

var quiet = slog.New(slog.DiscardHandler)

// stopped stops what the test started.
func stopped(t *testing.T, stop func(context.Context) error) {
	t.Helper()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
}

func startImporter(t *testing.T, db *postgres.DB) *ingest.Importer {
	t.Helper()
	importer, err := ingest.NewImporter(db, ingest.Settings{}, ingest.Deps{Logger: quiet})
	require.NoError(t, err)
	require.NoError(t, importer.Start(context.Background()))
	stopped(t, importer.Stop)
	return importer
}

// importLog is what an import reported.
type importLog struct {
	rejects []Reject
	steps   []Step
}

func importText(
	t *testing.T, importer *ingest.Importer, text string, change func(*Import),
) (ImportCounts, importLog, error) {
	t.Helper()
	var said importLog
	im := Import{
		To: importer, History: ingest.History{EnvironmentID: copied, ReceivedAt: time.Now()},
		Open:     func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
		Rejected: func(r Reject) { said.rejects = append(said.rejects, r) },
		Step:     func(s Step) { said.steps = append(said.steps, s) },
	}
	if change != nil {
		change(&im)
	}
	summary, err := im.Run(context.Background())
	return summary, said, err
}

func exported(t *testing.T, db *postgres.DB, environment int64, within Range) string {
	t.Helper()
	var out bytes.Buffer
	n, err := Export(
		context.Background(), db.Pool, ExportOptions{EnvironmentID: environment, Kinds: []Kind{Product}, Within: within},
		&out, nil,
	)
	require.NoError(t, err)
	require.EqualValues(t, n, strings.Count(out.String(), "\n"))
	return out.String()
}

// state returns what reports read of an environment, without the numbers that it
// happens to have given to names.
func state(t *testing.T, db *postgres.DB, environment int64) (sessions, touches string) {
	t.Helper()
	ctx := context.Background()
	require.NoError(t, db.Pool.QueryRow(ctx, `
		select coalesce(jsonb_agg(to_jsonb(s) - '{environment_id,changed_xid,home_day,hits}'::text[]
			|| jsonb_build_object('hits', (
			select jsonb_agg(jsonb_build_array(h >> 22, n.kind, n.text) order by h >> 22, n.kind, n.text)
			from unnest(s.hits) h join event_name n on n.environment_id = $1 and n.id = h & 4194303))
			order by app_user_id, session_id), '[]')::text
		from product_session s where environment_id = $1`, environment).Scan(&sessions))
	require.NoError(t, db.Pool.QueryRow(ctx, `
		select coalesce(jsonb_agg(to_jsonb(f) - '{environment_id,changed_xid}'::text[] order by app_user_id), '[]')::text
		from product_analytics_first_touch f where environment_id = $1`, environment).Scan(&touches))
	return sessions, touches
}

// live lets people send events as clients do, with places and user agents.
func live(t *testing.T, db *postgres.DB, events int) {
	t.Helper()
	writer, err := ingest.New(db, ingest.Settings{}, ingest.Deps{Logger: quiet, Locator: ingest.GeoHeaders{
		Country: "X-Country", Region: "X-Region", City: "X-City", Latitude: "X-Lat", Longitude: "X-Lon"}})
	require.NoError(t, err)
	require.NoError(t, writer.Start(context.Background()))
	stopped(t, writer.Stop)
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	now := time.Now().Truncate(time.Second)
	for sent := 0; sent < events; {
		var list []map[string]any
		for range 1 + random.IntN(40) {
			e := map[string]any{
				"eventId":    pick(uuid.NewString(), fmt.Sprintf("own-id-%d", random.IntN(1<<30))),
				"name":       pick("session_start", "page_view", "screen_view", "purchase made", "first_visit"),
				"timestamp":  now.Add(-time.Duration(random.IntN(5*24*3600)) * time.Second).Format(time.RFC3339),
				"screenName": pick("/", "/pricing?a=1&b=<2>", "Zürich 🚀"),
				"identity": map[string]any{
					"appUserId": fmt.Sprintf("visitor-%d", random.IntN(60)),
					"sessionId": pick(
						"", "s1", "s2", "s3", "0197aa00-0000-7000-8000-000000000001", "0197AA00-0000-7000-8000-000000000002",
					),
					"customUserId": pick("", "", "c1", "c2"),
				},
				"context": map[string]any{"platform": pick("", "web", "ios"), "appVersion": pick("", "1.4.0"), "locale": pick("", "en-GB"),
					"browser": pick("", "Safari"), "os": pick("", "macOS"), "device": pick("", "desktop")},
			}
			if random.IntN(2) == 0 {
				e["context"].(map[string]any)["attribution"] = map[string]any{"acquisition.source": pick("", "google", "x"), "acquisition.channel": pick("", "cpc"), "acquisition.campaign": pick("", "spring"),
					"link.ext.utm_content": pick("", "hero"), "link.ext.utm_term": pick("", "plants"),
					"acquisition.adset": pick("", "set"), "acquisition.creative": pick("", "video"),
					"link.ext.referrer": pick("", "https://www.google.com/"), "link.ext.landing_url": pick("", "https://a.example/"),
					"attribution.isOrganic": random.IntN(2) == 0,
					"link.entry":            pick("", "promo <&>"), "link.ext.deep": pick("", "x/\"ü\""), "acquisition.campaignId": random.IntN(9), "attribution.confidence": random.Float64()}
			}
			if random.IntN(3) == 0 {
				e["context"].(map[string]any)["customProperties"] = map[string]any{
					"tier": pick("gold", "<free>"), "age": random.IntN(90), "beta": true, "tags": []string{"a", "b"}, "none": nil,
				}
			}
			if random.IntN(3) == 0 {
				e["properties"] = map[string]any{
					"plan": pick("pro", "ünïcode\n\u0001"), "price": random.Float64() * 1e9,
					"deep": map[string]any{"list": []any{1, "2", nil, true}},
				}
			}
			list = append(list, e)
		}
		body, err := json.Marshal(map[string]any{"events": list})
		require.NoError(t, err)
		header := http.Header{}
		if random.IntN(2) == 0 {
			header.Set("X-Country", pick("GB", "DE"))
			header.Set("X-City", pick("", "Leeds"))
			header.Set("X-Lat", "53.8008")
			header.Set("X-Lon", "-1.5491")
		}
		answer, err := writer.Product(context.Background(), body, ingest.Request{EnvironmentID: original, Header: header,
			ReceivedAt: time.Now(),
			UserAgent: pick(
				"",
				"Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 "+
					"Mobile/15E148 Safari/604.1",
			)})
		require.NoError(t, err)
		require.Empty(t, answer.Rejected)
		sent += answer.Stored
	}
}

func TestWhatIsExportedCanBeImported(t *testing.T) {
	db := pgtest.New(t)
	live(t, db, 3000)
	file := exported(t, db, original, Range{})
	importer := startImporter(t, db)
	summary, said, err := importText(t, importer, file, nil)
	require.NoError(t, err)
	require.Empty(t, said.rejects)
	lines := int64(strings.Count(file, "\n"))
	require.Equal(t, ImportCounts{Lines: lines, Stored: lines}, summary)
	require.Equal(t, file, exported(t, db, copied, Range{}), "the copy exports the same bytes")
	for _, kept := range []string{
		`"link.entry":"promo <&>"`, `"attribution.confidence":0.`, `"customProperties":{"age":`, `"tags":["a","b"]`,
	} {
		require.Contains(t, file, kept)
	}
	sessions, touches := state(t, db, original)
	copiedSessions, copiedTouches := state(t, db, copied)
	require.JSONEq(t, sessions, copiedSessions)
	require.JSONEq(t, touches, copiedTouches)

	// The ledger forgets, the stored events don't; the order of the file is free.
	_, err = db.Pool.Exec(context.Background(), `truncate event_seen, event_seen_packed`)
	require.NoError(t, err)
	shuffled := strings.SplitAfter(strings.TrimSuffix(file, "\n"), "\n")
	shuffled[len(shuffled)-1] += "\n"
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(shuffled), func(i, j int) {
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	})
	summary, _, err = importText(t, importer, strings.Join(shuffled, ""), nil)
	require.NoError(t, err)
	require.Equal(t, ImportCounts{Lines: lines, Duplicates: lines}, summary)
	again, _ := state(t, db, copied)
	require.Equal(t, copiedSessions, again)
}

func TestExportKeepsToItsRange(t *testing.T) {
	db := pgtest.New(t)
	importer := startImporter(t, db)
	var text strings.Builder
	day := time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
	for hour := range 72 {
		fmt.Fprintf(
			&text, `{"eventId":"e%d","name":"x","timestamp":%q,"appUserId":"u"}`+"\n", hour,
			day.Add(time.Duration(71-hour)*time.Hour).Format(time.RFC3339),
		)
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := zip.Write([]byte(text.String()))
	require.NoError(t, err)
	require.NoError(t, zip.Close())
	summary, _, err := importText(t, importer, packed.String(), nil)
	require.NoError(t, err)
	require.EqualValues(t, 72, summary.Stored, "gzip is known by its magic number")
	second := exported(t, db, copied, Range{Start: day.AddDate(0, 0, 1), End: day.AddDate(0, 0, 2)})
	require.Equal(t, 24, strings.Count(second, "\n"))
	require.True(
		t, strings.HasPrefix(second, `{"eventId":"e47","name":"x","timestamp":"2024-03-02T00:00:00.000Z",`), second[:80],
	)
	require.NotContains(t, second, "2024-03-03")
	require.Equal(t, 48, strings.Count(exported(t, db, copied, Range{Start: day.AddDate(0, 0, 1)}), "\n"))
	require.Equal(t, 24, strings.Count(exported(t, db, copied, Range{End: day.AddDate(0, 0, 1)}), "\n"))
	require.Empty(t, exported(t, db, original, Range{}))
}

func TestRejectedLinesAreNamed(t *testing.T) {
	db := pgtest.New(t)
	lines := []string{
		`{"eventId":"good","name":"x","timestamp":"2003-02-01T00:00:00Z","appUserId":"u"}`,
		``,
		`{"eventId":"cut`,
		`{"eventId":"noname","timestamp":"2003-02-01T00:00:00Z","appUserId":"u"}`,
		`{"eventId":"notime","name":"x","appUserId":"u"}`,
		`{"eventId":"received","name":"x","appUserId":"u","receivedAt":"2003-02-01T00:00:00.123456Z"}`,
		`{"eventId":"badreceived","name":"x","appUserId":"u","receivedAt":"yesterday"}`,
		`{"eventId":"long","name":"` + strings.Repeat("x", maxLine) + `"}`,
		`{"eventId":"early","name":"x","timestamp":"1970-01-01T00:00:00Z","appUserId":"u"}`,
		`{"eventId":"country","name":"x","timestamp":"2003-02-01T00:00:00Z","appUserId":"u","place":{"country":"Germany"}}`,
		`{"eventId":"half","name":"x","timestamp":"2003-02-01T00:00:00Z","appUserId":"u","place":{"country":"DE","latitude":1}}`,
		`{"eventId":"typed","name":7}`,
		`[]`,
		`{"eventId":"good","name":"x","timestamp":"2003-02-01T00:00:00Z","appUserId":"u"}`,
		`{"eventId":"placed","name":"x","timestamp":"2003-02-01T00:00:00Z","appUserId":"u","place":{"country":"DE","city":"Ulm","latitude":48.4,"longitude":10}}`,
	}
	summary, said, err := importText(t, startImporter(t, db), strings.Join(lines, "\n"), nil)
	require.NoError(t, err)
	require.Equal(t, ImportCounts{Lines: int64(len(lines)), Stored: 3, Duplicates: 1, Rejected: 10}, summary)
	codes := map[int64]string{}
	for i, r := range said.rejects {
		codes[r.Line] = r.Code
		require.NotEmpty(t, r.Message)
		if i > 0 {
			require.Greater(t, r.Line, said.rejects[i-1].Line, "in the order of the file")
		}
	}
	require.Equal(t, map[int64]string{3: "invalid_json", 4: "name_required", 5: "timestamp_required", 7: "received_at_invalid", 8: "event_invalid",
		9: "timestamp_invalid", 10: "place_invalid", 11: "place_invalid", 12: "name_invalid", 13: "event_invalid"}, codes)
	require.Contains(
		t, exported(t, db, copied, Range{}),
		`"timestamp":"2003-02-01T00:00:00.123Z","receivedAt":"2003-02-01T00:00:00.123456Z"`,
	)
}

func TestHistoryCanBeMarkedOrganicUnknown(t *testing.T) {
	db := pgtest.New(t)
	text := `{"eventId":"a","name":"x","timestamp":"2024-02-01T00:00:00Z","appUserId":"u","sessionId":"marked","context":{"platform":"ios"},"organicUnknown":true}
		{"eventId":"b","name":"x","timestamp":"2024-02-01T00:00:00Z","appUserId":"u","sessionId":"plain","context":{"platform":"ios"}}`
	importer := startImporter(t, db)
	marked := func() (list []string) {
		rows, err := db.Pool.Query(
			context.Background(), `select session_id from product_session where organic_unknown order by 1`,
		)
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var id string
			require.NoError(t, rows.Scan(&id))
			list = append(list, id)
		}
		return list
	}
	_, _, err := importText(t, importer, text, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"marked"}, marked())
	_, _, err = importText(t, importer, strings.ReplaceAll(
		strings.ReplaceAll(text, `"plain"`, `"by the flag"`), `"b"`, `"c"`,
	), func(im *Import) {
		im.History.OrganicUnknown = true
	})
	require.NoError(t, err)
	require.Equal(t, []string{"by the flag", "marked"}, marked())
}

func TestAnInterruptedImportGoesOn(t *testing.T) {
	db := pgtest.New(t)
	importer := startImporter(t, db)
	var text strings.Builder
	const lines = 4*batchLines + 10
	for i := range lines {
		fmt.Fprintf(
			&text, `{"eventId":"e%d","name":"x","timestamp":"2024-02-01T00:00:%02dZ","appUserId":"u%d"}`+"\n", i, i%60, i%500,
		)
	}
	broken := text.String()[:strings.Index(text.String(), fmt.Sprintf(`{"eventId":"e%d"`, 2*batchLines))]
	_, said, err := importText(t, importer, broken, nil)
	require.NoError(t, err)
	last := said.steps[len(said.steps)-1]
	require.Equal(t, Step{
		Lines: 2 * batchLines, Resume: batchLines + 1, Before: ImportCounts{Lines: batchLines, Stored: batchLines},
	}, last)

	summary, _, err := importText(t, importer, text.String(), func(im *Import) { im.From = last.Resume })
	require.NoError(t, err)
	require.Equal(
		t,
		ImportCounts{Lines: lines - batchLines, Stored: lines - 2*batchLines, Duplicates: batchLines, ResumedAt: last.Resume},
		summary,
	)

	// Another database knows nothing of what was stored: all of the file goes in.
	summary, _, err = importText(t, importer, text.String(), func(im *Import) {
		im.From, im.History.EnvironmentID = last.Resume, original
	})
	require.NoError(t, err)
	require.EqualValues(t, lines, summary.Lines)
	require.Zero(t, summary.ResumedAt)
	require.Equal(t, lines, strings.Count(exported(t, db, original, Range{}), "\n"))
}

func TestAnImportEndsWhenTheDatabaseIsGone(t *testing.T) {
	db := pgtest.New(t)
	importer := startImporter(t, db)
	_, err := db.Pool.Exec(context.Background(), `alter table product_event rename to elsewhere`)
	require.NoError(t, err)
	_, _, err = importText(
		t, importer, `{"eventId":"a","name":"x","timestamp":"2024-02-01T00:00:00Z","appUserId":"u"}`, nil,
	)
	require.ErrorIs(t, err, ingest.ErrUnavailable)
}

// Lines of another form are converted, left out or rejected, and too many rejects end the import.
func TestLinesAreConverted(t *testing.T) {
	db := pgtest.New(t)
	importer := startImporter(t, db)
	convert := func(line []byte) (*ingest.HistoryEvent, *ingest.Reject) {
		switch line[0] {
		case '-':
			return nil, nil
		case '!':
			return nil, &ingest.Reject{EventID: "id", Code: "broken", Message: "field is broken"}
		}
		event := &ingest.HistoryEvent{
			EventID: string(line), Name: "x", Timestamp: time.Date(2024, 2, 1, 0, 0, 0, 0, time.UTC), AppUserID: "u",
		}
		if line[0] == '?' {
			event.AppUserID = ""
		}
		return event, nil
	}
	text := "a\n-\n!\n\n?\nb\na\n!"
	summary, said, err := importText(t, importer, text, func(im *Import) { im.Convert = convert })
	require.NoError(t, err)
	require.Equal(t, ImportCounts{Lines: 8, Stored: 2, Duplicates: 1, Rejected: 3, LeftOut: 1}, summary)
	require.Equal(t, []Reject{
		{Line: 3, EventID: "id", Code: "broken", Message: "field is broken"},
		{Line: 5, EventID: "?", Code: "app_user_id_required", Message: "identity.appUserId is required"},
		{Line: 8, EventID: "id", Code: "broken", Message: "field is broken"},
	}, said.rejects)
	_, _, err = importText(t, importer, text, func(im *Import) { im.Convert, im.MaxRejected = convert, 3 })
	require.NoError(t, err)
	_, said, err = importText(t, importer, text, func(im *Import) { im.Convert, im.MaxRejected = convert, 2 })
	require.ErrorIs(t, err, ErrTooManyRejected)
	require.Len(t, said.rejects, 3, "all of the batch are told")
}
