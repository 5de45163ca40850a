package e2e

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/ingest/archive/bucket/buckettest"
)

// maxExportMemory bounds what an export takes of the server's memory, however many events a day has.
const maxExportMemory = 256 << 20

// An export that somebody set up in the dashboard leaves the server small: a day has more rows than several row groups
// hold, all of their own texts.
func TestAnExportKeepsTheServerSmall(t *testing.T) {
	t.Parallel()
	const days = 2
	perDay := 200_000
	if text := os.Getenv("SVC_TEST_EXPORT_EVENTS"); text != "" { // per day, in place of so many
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		perDay = n
	}
	d := StartDev(t, nil, "--demo=none")
	conn, err := pgx.Connect(t.Context(), d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `
		insert into product_event (environment_id, occurred_at, received_at, event_key, event_id, name, app_user_id,
			session_id, page, source, country, platform, browser, properties)
		select e.id, date_trunc('day', now()) - n % $2::int * interval '1 day' - n * interval '100 milliseconds', now(),
			md5(n::text)::uuid, 'event-' || n, 'page_view', 'p' || n / 5, 's' || n / 5, '/page-' || n, 'news.example', 'DE',
			'web', 'Chrome', jsonb_build_object('plan', md5(n::text), 'n', n)
		from environments e, generate_series(1, $3::int) n where e.app_id = $1 and e.kind = 'live'`,
		d.Apps[0].ID, days, days*perDay); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close(t.Context())
	storage := buckettest.New(t)
	studio := d.SignIn(t, d.BaseURL)
	d.ForgetPeakMemory()
	before := d.PeakMemory()
	studio.Query(`mutation($a: ID!, $d: ParquetDestinationInput!) { saveParquetExport(input: {appId: $a, destination: $d}) { id } }`,
		map[string]any{"a": d.Apps[0].ID, "d": map[string]any{
			"endpoint": storage.URL, "bucket": buckettest.Bucket, "prefix": "svc", "accessKeyId": buckettest.AccessKey,
			"secretAccessKey": buckettest.SecretKey,
		}}, nil)
	var read struct {
		App struct {
			ParquetExport struct {
				LastRun *struct {
					State, Problem string
					Rows           int64
				}
			}
		}
	}
	Until(t, 5*time.Minute, "the export ends", func() error {
		studio.Query(`query($a: ID!) { app(id: $a) { parquetExport { lastRun { state problem rows } } } }`,
			map[string]any{"a": d.Apps[0].ID}, &read)
		if run := read.App.ParquetExport.LastRun; run == nil || run.State != "SUCCEEDED" {
			return fmt.Errorf("it is %+v", run)
		}
		return nil
	})
	if rows := read.App.ParquetExport.LastRun.Rows; rows != int64(days*perDay) {
		t.Errorf("%d of %d events were exported", rows, days*perDay)
	}
	took := d.PeakMemory() - before
	t.Logf("%d events took %d MiB above the %d MiB of the idle server", days*perDay, took>>20, before>>20)
	if took > maxExportMemory {
		t.Errorf("the export took %d MiB of the server's memory", took>>20)
	}
}
