package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/parquet-go/parquet-go"

	"github.com/svc-dev/svc/ingest/archive/bucket/buckettest"
)

// The server is killed twice in the middle of an export that somebody set up in the dashboard, while a file is on its
// way: the export goes on by itself, and the bucket ends with every row once.
func TestAnExportSurvivesKills(t *testing.T) {
	t.Parallel()
	const days, perDay = 120, 50
	d := StartDev(t, []string{"SVC_RATE_LIMIT_KEY=0"}, "--demo=none")
	conn, err := pgx.Connect(t.Context(), d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `
		insert into track_event (environment_id, occurred_at, received_at, event_key, event_id, name, app_user_id)
		select e.id, now() - n % $2::int * interval '1 day', now(), gen_random_uuid(), 'e' || n, 'order', 'p' || n % 70
		from environments e, generate_series(0, $3::int - 1) n where e.app_id = $1 and e.kind = 'live'`,
		d.Apps[0].ID, days, days*perDay); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close(t.Context())

	storage := buckettest.New(t)
	var puts, killAt atomic.Int64
	killAt.Store(40)
	reached := make(chan struct{}, 1)
	storage.Refuse = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut || puts.Add(1) != killAt.Load() {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body) // who has more to read does not learn that the client is gone
		reached <- struct{}{}
		<-r.Context().Done() // its file stays on the way until the server is gone
		return true
	}
	studio := d.SignIn(t, d.BaseURL)
	studio.Query(`mutation($a: ID!, $d: ParquetDestinationInput!) { saveParquetExport(input: {appId: $a, destination: $d}) { id } }`,
		map[string]any{"a": d.Apps[0].ID, "d": map[string]any{
			"endpoint": storage.URL, "bucket": buckettest.Bucket, "prefix": "svc", "accessKeyId": buckettest.AccessKey,
			"secretAccessKey": buckettest.SecretKey,
		}}, nil)
	for kill := range 2 {
		select {
		case <-reached:
		case <-time.After(time.Minute):
			t.Fatalf("the export does not come to kill %d: %d files were sent", kill+1, puts.Load())
		}
		killAt.Store([]int64{puts.Load() + 40, 0}[kill])
		d.Kill()
		d.Start(t) // and the database, which ends with it
	}

	studio = d.SignIn(t, d.BaseURL)
	var read struct {
		App struct {
			ParquetExport struct {
				NextRunAt *string
				LastRun   struct{ State, Problem string }
			}
		}
	}
	Until(t, 2*time.Minute, "the export ends", func() error {
		studio.Query(`query($a: ID!) { app(id: $a) { parquetExport { nextRunAt lastRun { state problem } } } }`, map[string]any{"a": d.Apps[0].ID}, &read)
		if state := read.App.ParquetExport.LastRun.State; state != "SUCCEEDED" {
			return fmt.Errorf("it is %s: %s", state, read.App.ParquetExport.LastRun.Problem)
		}
		return nil
	})
	if read.App.ParquetExport.NextRunAt == nil {
		t.Error("no run follows")
	}
	const folder = "svc/environment=live/"
	var manifest struct{ Files []struct{ Path string } }
	if err := json.Unmarshal(storage.Object(folder+"manifest.json"), &manifest); err != nil {
		t.Fatal(err)
	}
	ids := map[string]int{}
	for _, file := range manifest.Files {
		if !strings.HasPrefix(file.Path, "table=events/") {
			continue
		}
		content := storage.Object(folder + file.Path)
		rows, err := parquet.Read[struct {
			EventID string `parquet:"event_id,optional"`
		}](bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(file.Path, err)
		}
		for _, row := range rows {
			ids[row.EventID]++
		}
	}
	if len(ids) != days*perDay {
		t.Errorf("the bucket holds %d of %d events", len(ids), days*perDay)
	}
	for id, n := range ids {
		if n != 1 {
			t.Errorf("%s is there %d times", id, n)
		}
	}
	if objects := len(storage.Objects()); objects != len(manifest.Files)+2 {
		t.Errorf("the bucket holds %d objects, the manifest names %d", objects, len(manifest.Files))
	}
	t.Logf("%d events in %d files, the server killed twice, each there once", len(ids), len(manifest.Files))
}
