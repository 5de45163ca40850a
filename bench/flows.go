package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
)

// The data of flows at scale 1: a month of a flow of twelve screens, ten events a run.
const (
	flowRuns    = 1_000_000
	flowPeople  = 700_000
	flowScreens = 12
	bytesRun    = 160
	bytesRunHit = 8
)

// flowSet says what a built directory holds; it is written last.
type flowSet struct {
	Runs, Events int
	Flow         string
	Start, End   time.Time
	Took         time.Duration
}

const flowSetFile = "bench-flows.json"

// flowFilters are three filters that most runs meet.
const flowFilters = `filters: {language: {op: IS, values: ["en", "de"]}, appVersion: {op: IS_NOT, values: ["1.3"]},
	os: {op: IS_NOT, values: ["OS 4"]}}`

// flowQuestions are the kinds that come from memory, with their like in SQL over the raw events where there is one.
var flowQuestions = []question{
	{name: "overview", field: `overview { starts runs completions abandoned lapsed timeToComplete { median } paywallViewers
		revenue previous { starts } }`, sql: `
		select count(distinct app_user_id), count(distinct run_id),
			count(distinct app_user_id) filter (where name = 'flow_completed') from h`},
	{name: "timeseries", field: `timeseries(grain: DAY) { bucket starts runs completions completionRate }`, sql: `
		select date_trunc('day', occurred_at), count(distinct app_user_id), count(distinct run_id) from h
		where name = 'flow_started' group by 1`},
	{name: "funnel", field: `funnel { runs steps { id reach people fromStart drop open }
		arrivals { runs } exits { runs } }`, sql: `
		select step_id, count(distinct run_id), count(distinct app_user_id) from h
		where name = 'step_viewed' group by 1`},
	{name: "dropoff", field: `dropoff { steps { id reach drops dropRate z outOfProportion } }`, sql: `
		select last, count(*) from (select run_id, max(step_id) filter (where name = 'step_viewed') last,
			bool_or(name = 'flow_completed') done from h group by 1) r where not done group by 1`},
	{name: "step-duration", field: `stepDuration { steps { id visits idle median mean } }`, sql: `
		select step_id, count(*), percentile_cont(array[0.25, 0.5, 0.75]) within group (order by took) from (
			select step_id, extract(epoch from lead(occurred_at) over (partition by run_id order by seq) - occurred_at) took
			from h where name in ('step_viewed', 'flow_completed')) v group by 1`},
	{name: "cohorts", field: `cohorts(dimension: LOCALE, first: 50) { nodes { value starts completions revenue } }`, sql: `
		select locale, count(distinct app_user_id), count(distinct app_user_id) filter (where name = 'flow_completed')
		from h group by 1`},
	{name: "cohort-keys", field: `cohortKeys { key people }`},
	{name: "purchases", field: `purchases { __typename }`},
}

// benchFlows measures the reports of a flow over a month of runs that is built once.
func benchFlows(ctx context.Context) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	dir := filepath.Join(cache, "svc", fmt.Sprintf("bench-flows-%g", options.scale))
	set, err := builtFlows(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Printf("data: %d runs, %d flow events, %d days (scale %g), built through ingest in %s\n",
		set.Runs, set.Events, reportDays, options.scale, set.Took.Round(time.Second))
	b := &reportBench{
		dir: dir, set: &dataSet{Start: set.Start, End: set.End},
		client: &http.Client{Timeout: 2 * time.Minute},
	}
	return b.withServer(ctx, func(ctx context.Context) error { return b.flows(ctx, set) })
}

// flows measures the first report of a server whose memory is empty, what that takes of memory, and every kind.
func (b *reportBench) flows(ctx context.Context, set *flowSet) error {
	// The reports of a flow stand beside those of the app, which ask opens.
	ask := func(q question, filters string) (time.Duration, error) {
		q.whole, q.field = true, `name } flowAnalytics(scope: {flowId: "`+set.Flow+`", range: {start: "`+
			set.Start.Format(time.RFC3339)+`", end: "`+set.End.Format(time.RFC3339)+`"} `+filters+`}) { `+q.field
		took, _, err := b.ask(ctx, q, nil)
		return took, err
	}
	before, err := b.liveBytes(ctx)
	if err != nil {
		return err
	}
	took, err := ask(question{name: "cold", field: `timeseries(grain: DAY) { starts }`}, "")
	if err != nil {
		return err
	}
	row("cold chart of a flow, 30 days", took.Seconds(), "s", 0, "")
	after, err := b.liveBytes(ctx)
	if err != nil {
		return err
	}
	row("memory of 30 days of runs", float64(after-before)/(1<<20), "MiB",
		(bytesRun*float64(set.Runs)+bytesRunHit*float64(set.Events))/(1<<20), "160 B a run + 8 B a hit")
	fmt.Printf("\n%-22s %10s %10s %10s %8s %12s %8s\n", "three filters, warm", "first ms", "p50 ms", "p95 ms", "limit",
		"SQL ms", "SQL/p50")
	for _, q := range flowQuestions {
		var first time.Duration
		times := make([]time.Duration, warmRequests)
		for i := range times {
			if times[i], err = ask(q, flowFilters); err != nil {
				return err
			}
			if i == 0 {
				first = times[0]
			}
		}
		slices.Sort(times)
		p50 := milliseconds(quantile(times, .5))
		fmt.Printf("%-22s %10.2f %10.2f %10.2f %8.0f", q.name, milliseconds(first), p50, milliseconds(quantile(times, .95)),
			usualLimit)
		if q.sql != "" {
			inSQL, err := b.flowInDatabase(ctx, q.sql, set)
			if err != nil {
				return fmt.Errorf("%s in SQL: %w", q.name, err)
			}
			fmt.Printf(" %12.0f %8.0f", inSQL, inSQL/p50)
		}
		fmt.Println()
	}
	return nil
}

// flowInDatabase runs a question over the raw events with the three filters, and returns milliseconds.
func (b *reportBench) flowInDatabase(ctx context.Context, sql string, set *flowSet) (float64, error) {
	began := time.Now()
	rows, err := b.conn.Query(ctx, `with h as (
		select * from flow_events where environment_id = $1 and flow_id = $2 and occurred_at >= $3 and occurred_at < $4
			and split_part(locale, '-', 1) in ('en', 'de') and app_version <> '1.3' and os <> 'OS 4')`+sql,
		pgx.QueryExecModeDescribeExec, b.environment, set.Flow, set.Start, set.End)
	if err != nil {
		return 0, err
	}
	for rows.Next() { // the client reads no value: only the database is measured
	}
	return milliseconds(time.Since(began)), rows.Err()
}

// builtFlows returns the data of dir, made when it is not there or half made.
func builtFlows(ctx context.Context, dir string) (*flowSet, error) {
	content, err := os.ReadFile(filepath.Join(dir, flowSetFile))
	if err == nil {
		set := &flowSet{}
		return set, json.Unmarshal(content, set)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return nil, err
	}
	s, _, err := startServer(ctx, dir, wholeLedger)
	if err != nil {
		return nil, err
	}
	set, err := buildFlows(ctx, s)
	if err = errors.Join(err, s.stop()); err != nil {
		return nil, err
	}
	if content, err = json.Marshal(set); err != nil {
		return nil, err
	}
	return set, os.WriteFile(filepath.Join(dir, flowSetFile), content, 0o644)
}

// buildFlows writes the events of the runs of a month through ingest, in order of time.
func buildFlows(ctx context.Context, s *server) (*flowSet, error) {
	began := time.Now()
	if err := addChannels(ctx, s.file.DatabaseURL, 1); err != nil {
		return nil, err
	}
	db, err := postgres.Open(ctx, s.file.DatabaseURL, postgres.Options{})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	environment, err := s.liveEnvironment(ctx, db)
	if err != nil {
		return nil, err
	}
	end := time.Now().UTC().Truncate(24 * time.Hour)
	set := &flowSet{Runs: int(flowRuns * options.scale), Start: end.AddDate(0, 0, -reportDays), End: end}
	var channel int64
	var version string
	if err := db.Pool.QueryRow(ctx, `
		select c.id, v.id::text, v.flow_id::text from channels c join flow_versions v on v.id = c.flow_version_id
		where c.public_id = 'ch_live_bench1'`).Scan(&channel, &version, &set.Flow); err != nil {
		return nil, err
	}
	writer, err := ingest.New(db, ingest.Settings{
		Window: (reportDays + 2) * 24 * time.Hour, QueueEvents: math.MaxInt32,
	}, ingest.Deps{Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	if err != nil {
		return nil, err
	}
	if err := writer.Start(ctx); err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(1, 2))
	group, sending := errgroup.WithContext(ctx)
	group.SetLimit(reportSenders)
	fmt.Fprintf(os.Stderr, "building %d runs through ingest\n", set.Runs)
	for i := range set.Runs {
		if sending.Err() != nil {
			break
		}
		at := set.Start.Add(time.Duration((float64(i) + random.Float64()) / float64(set.Runs) * float64(end.Sub(set.Start))))
		events := flowRun(random, at, set.Flow, version)
		set.Events += len(events)
		group.Go(func() error {
			body, err := json.Marshal(map[string]any{"events": events})
			if err != nil {
				return err
			}
			answer, err := writer.Flow(sending, body, ingest.Request{
				EnvironmentID: environment, ChannelID: channel, ReceivedAt: at.Add(time.Hour),
			})
			if err == nil && len(answer.Rejected) > 0 {
				err = fmt.Errorf("a made-up event was rejected: %+v", answer.Rejected[0])
			}
			return err
		})
	}
	err = group.Wait()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if err = errors.Join(err, writer.Stop(stopping)); err != nil {
		return nil, err
	}
	if _, err := db.Pool.Exec(ctx, `vacuum (analyze)`, pgx.QueryExecModeSimpleProtocol); err != nil {
		return nil, err
	}
	set.Took = time.Since(began)
	return set, nil
}

// flowRun makes the events of one run: people go from screen to screen, one in eight leaves at each.
func flowRun(random *rand.Rand, at time.Time, flow, version string) (events []map[string]any) {
	person := int(flowPeople * options.scale * random.Float64())
	var id uuid.UUID
	for i := range id {
		id[i] = byte(random.Uint32())
	}
	run := id.String()
	add := func(name, step string, properties map[string]any) {
		e := map[string]any{
			"eventId": uuid.NewSHA1(id, []byte{byte(len(events))}).String(), "name": name,
			"timestamp": at.Format(time.RFC3339Nano), "flowId": flow, "versionId": version, "runId": run, "seq": len(events),
			"identity": map[string]any{"appUserId": fmt.Sprint("visitor-", person), "sessionId": run},
			"context": map[string]any{
				"platform": []string{"ios", "android", "web"}[person%3], "appVersion": fmt.Sprint("1.", person%7),
				"locale": []string{"en-GB", "en-US", "de-DE", "fr-FR", "es-ES"}[person%5], "os": fmt.Sprint("OS ", person%6),
				"customProperties": map[string]any{"plan": []string{"free", "pro"}[person%2], "age": 18 + person%50},
			},
			"properties": properties,
		}
		if step != "" {
			e["stepId"] = step
		}
		events = append(events, e)
		at = at.Add(time.Duration(random.ExpFloat64() * float64(10*time.Second)))
	}
	add("flow_started", "", nil)
	for screen := range flowScreens {
		step := fmt.Sprintf("screen-%02d", screen)
		add("step_viewed", step, nil)
		if random.IntN(8) == 0 {
			return events
		}
		if screen%2 == 0 {
			add("choice_selected", step, map[string]any{
				"field_key": "field-" + step, "value": fmt.Sprint("option-", random.IntN(4)),
			})
		}
	}
	add("flow_completed", "", nil)
	return events
}
