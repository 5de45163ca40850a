package archive

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// theChannel takes flow events whatever channel they name.
func theChannel(string) (int64, bool) { return 77, true }

func exportedKinds(t *testing.T, db *postgres.DB, environment int64, kinds ...Kind) string {
	t.Helper()
	var out bytes.Buffer
	n, err := Export(context.Background(), db.Pool, ExportOptions{EnvironmentID: environment, Kinds: kinds}, &out, nil)
	require.NoError(t, err)
	require.EqualValues(t, n, strings.Count(out.String(), "\n"))
	return out.String()
}

// liveFlowAndTrack lets people run flows and send track events as clients do.
func liveFlowAndTrack(t *testing.T, db *postgres.DB) {
	t.Helper()
	writer, err := ingest.New(db, ingest.Settings{}, ingest.Deps{Logger: quiet})
	require.NoError(t, err)
	require.NoError(t, writer.Start(context.Background()))
	stopped(t, writer.Stop)
	flow, version, experiment, run := uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString()
	at := time.Now().Add(-time.Hour).UTC().Truncate(time.Second)
	origin := ingest.Request{EnvironmentID: original, ChannelID: 7, ReceivedAt: time.Now()}
	send := func(take func(context.Context, []byte, ingest.Request) (ingest.Answer, error), list []string) {
		t.Helper()
		answer, err := take(context.Background(), []byte(`{"events":[`+strings.Join(list, ",")+`]}`), origin)
		require.NoError(t, err)
		require.Empty(t, answer.Rejected)
		require.Equal(t, len(list), answer.Stored)
	}
	var flows, tracks []string
	for i := range 60 {
		head := fmt.Sprintf(
			`{"eventId":%q,"timestamp":%q,"identity":{"appUserId":"u%d"`, uuid.NewString(),
			at.Add(time.Duration(i)*time.Second).Format(time.RFC3339), i%7,
		)
		ids := fmt.Sprintf(`"flowId":%q,"versionId":%q`, flow, version)
		switch i % 4 {
		case 0:
			flows = append(flows, head+`},`+ids+`,"name":"flow_started","assignmentVersion":3,"experimentId":"`+experiment+`","variantId":"a","runId":"`+run+`","seq":0,"fromStepId":null,
				"context":{"platform":"ios","locale":"de","appVersion":"2","customProperties":{"plan":"pro"},"attribution":{"source":"google","link.entry":"a"}}}`)
		case 1:
			flows = append(
				flows,
				head+`,"sessionId":"s","customUserId":"c"},`+ids+`,"name":"text_submitted","stepId":"name","seq":1,"fromStepId":"start <&>","fieldClassification":"sensitive","properties":{"field_key":"name","value":"secret <&>"}}`,
			)
		case 2:
			flows = append(
				flows,
				head+`},`+ids+`,"name":"iap_purchase","stepId":"pay","properties":{"provider":"stripe","surface_node_id":"n","product_id":"p","price":9.99,"currency":"eur"}}`,
			)
		default:
			tracks = append(
				tracks,
				head+`,"sessionId":"s"},"name":"order placed","screenName":"/cart","context":{"platform":"web","browser":"Safari","customProperties":{"tier":1},"attribution":{"medium":"cpc","match":"exact"}},"properties":{"n":[1,{"deep":"ü"}]}}`,
			)
		}
	}
	send(writer.Flow, flows)
	send(writer.Track, tracks)
}

func TestEveryKindTravels(t *testing.T) {
	db := pgtest.New(t)
	live(t, db, 200)
	liveFlowAndTrack(t, db)
	all := exportedKinds(t, db, original, ingest.Paths...)
	require.Equal(
		t, all,
		exportedKinds(t, db, original, Product)+exportedKinds(t, db, original, Flow)+exportedKinds(t, db, original, Track),
	)
	require.Equal(t, 45, strings.Count(all, `"kind":"flow"`))
	require.Equal(t, 15, strings.Count(all, `"kind":"track"`))
	require.Contains(t, all, `"value":"__redacted__"`)
	require.NotContains(t, all, "secret")
	for kept, times := range map[string]int{
		`"seq":0,"fromStepId":null`: 15, `"seq":1,"fromStepId":"start <&>"`: 15, `"runId":"`: 15,
		`"attribution":{"link.entry":"a","acquisition.source":"google"},"customProperties":{"plan":"pro"}`: 15,
		`"attribution":{"match":"exact","acquisition.channel":"cpc"},"customProperties":{"tier":1}`:        15,
	} {
		require.Equal(t, times, strings.Count(all, kept), kept)
	}

	importer := startImporter(t, db)
	lines := strings.SplitAfter(strings.TrimSuffix(all, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	for _, shuffled := range []bool{false, true} {
		if shuffled { // and the ledger forgets what the tables know
			_, err := db.Pool.Exec(context.Background(), `truncate event_seen, event_seen_packed`)
			require.NoError(t, err)
			rand.New(rand.NewPCG(5, 6)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		}
		summary, said, err := importText(t, importer, strings.Join(lines, ""), func(im *Import) {
			im.History.Channel = theChannel
		})
		require.NoError(t, err)
		require.Empty(t, said.rejects)
		want := ImportCounts{Lines: int64(len(lines)), Stored: int64(len(lines))}
		if shuffled {
			want.Stored, want.Duplicates = 0, want.Lines
		}
		require.Equal(t, want, summary)
		require.Equal(t, all, exportedKinds(t, db, copied, ingest.Paths...), "the copy exports the same bytes")
	}
	require.NotEmpty(t, runsOf(t, db, original))
	require.Equal(t, runsOf(t, db, original), runsOf(t, db, copied), "imported once, whatever their order")
	var channels []int64
	require.NoError(
		t,
		db.Pool.QueryRow(
			context.Background(), `select array_agg(distinct channel_id) from flow_event where environment_id = $1`, copied,
		).Scan(&channels),
	)
	require.Equal(t, []int64{77}, channels)
}

// runsOf returns the runs of an environment. Keys of those without a run id depend on the channel.
func runsOf(t *testing.T, db *postgres.DB, environmentID int64) (runs []string) {
	t.Helper()
	require.NoError(t, db.Pool.QueryRow(context.Background(), `
		select array_agg(run order by run) from (
			select format('%s %s %s %s %s..%s %s', app_user_id, flow_id, derived, started, first_at, last_at,
				octet_length(hits)) as run
			from flow_run where environment_id = $1) r`, environmentID).Scan(&runs))
	return runs
}

func TestLinesNameTheirKind(t *testing.T) {
	db := pgtest.New(t)
	importer := startImporter(t, db)
	const (
		track = `{"eventId":"t","name":"x","timestamp":"2024-02-01T00:00:00Z","appUserId":"u"}`
		flow  = `"name":"flow_started","timestamp":"2024-02-01T00:00:00Z","flowId":"0197aa00-0000-7000-8000-000000000001","versionId":"0197aa00-0000-7000-8000-000000000002","identity":{"appUserId":"u"}}`
	)
	rows := func(table string) (n int) {
		require.NoError(
			t,
			db.Pool.QueryRow(context.Background(), `select count(*) from `+table+` where environment_id = $1`, copied).Scan(&n),
		)
		return n
	}
	_, _, err := importText(t, importer, track, func(im *Import) { im.History.Path = Track })
	require.NoError(t, err)
	require.Equal(
		t, []int{0, 0, 1}, []int{rows("product_event"), rows("flow_event"), rows("track_event")},
		"the kind of lines that don't name theirs",
	)

	known := func(id string) (int64, bool) { return 5, id == "ch_live_a" }
	_, said, err := importText(t, importer, strings.Join([]string{
		`{"kind":"banner","eventId":"k1","name":"x","timestamp":"2024-02-01T00:00:00Z","appUserId":"u"}`,
		`{"kind":7,"eventId":"k2"}`,
		`{"kind":"flow","eventId":"0197aa00-0000-7000-8000-0000000000a1",` + flow,
		`{"kind":"flow","channelId":"ch_live_b","eventId":"0197aa00-0000-7000-8000-0000000000a2",` + flow,
		`{"kind":"flow","channelId":"ch_live_a","eventId":"0197aa00-0000-7000-8000-0000000000a3",` + flow,
		`{"kind":"flow","channelId":"ch_live_a","eventId":"not a uuid",` + flow,
		`{"kind":"flow","channelId":"ch_live_a","eventId":"0197aa00-0000-7000-8000-0000000000a4",` + strings.Replace(
			flow, "flow_started", "flow_paused", 1,
		),
		`{"kind":"flow","channelId":"ch_live_a","eventId":"0197aa00-0000-7000-8000-0000000000a5",` + strings.Replace(
			flow, `"timestamp":"2024-02-01T00:00:00Z",`, "", 1,
		),
		`{"kind":"product","eventId":"p","name":"x","timestamp":"2024-02-01T00:00:00Z","appUserId":"u","properties":{"kind":"flow"}}`,
		`{"eventId":"q","name":"x","timestamp":"2024-02-01T00:00:00Z","appUserId":"u","properties":{"kind":"flow"}}`,
	}, "\n"), func(im *Import) { im.History.Channel = known })
	require.NoError(t, err)
	codes := map[int64]string{}
	for _, r := range said.rejects {
		codes[r.Line] = r.EventID + " " + r.Code
	}
	require.Equal(t, map[int64]string{
		1: "k1 kind_invalid", 2: "k2 kind_invalid", 3: "0197aa00-0000-7000-8000-0000000000a1 channel_required",
		4: "0197aa00-0000-7000-8000-0000000000a2 channel_not_found",
		6: "not a uuid event_id_invalid", 7: "0197aa00-0000-7000-8000-0000000000a4 name_invalid",
		8: "0197aa00-0000-7000-8000-0000000000a5 timestamp_required",
	}, codes)
	require.Equal(t, []int{2, 1, 1}, []int{rows("product_event"), rows("flow_event"), rows("track_event")})
}

func TestADryRunStoresNothing(t *testing.T) {
	db := pgtest.New(t)
	summary, said, err := importText(t, startImporter(t, db), `{"eventId":"a","name":"x","timestamp":"2024-02-01T00:00:00Z","appUserId":"u"}
		{"eventId":"b","timestamp":"2024-02-01T00:00:00Z","appUserId":"u"}`, func(im *Import) { im.DryRun = true })
	require.NoError(t, err)
	require.Equal(t, ImportCounts{Lines: 2, Rejected: 1}, summary)
	require.Equal(t, "name_required", said.rejects[0].Code)
	require.Empty(t, exported(t, db, copied, Range{}))
}
