package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	bytesRun        = 160
	bytesRunHit     = 8
	firstFlowLimit  = 150.0 // milliseconds
	firstsPerReport = 5
)

// flowFilters are three filters that two runs in five meet.
const flowFilters = `filters: {language: {op: IS, values: ["en", "de"]}, appVersion: {op: IS_NOT, values: ["1.3"]},
	os: {op: IS_NOT, values: ["OS 4"]}}`

// flowQuestion is one kind of report as GraphQL, below flowAnalytics unless it is one of the app, and its like in SQL
// over h, the events that pass the filters. #first and #second stand for the versions.
type flowQuestion struct {
	name, field string
	app         bool
	sql         string
}

const flowFigures = ` starts runs completions completionRate completed abandoned lapsed open
	timeToComplete { n p25 median p75 } paywallViewers purchases trials conversionRate claimed gross revenue
	revenuePerStart `

const flowFunnel = `funnel { runs people steps { id reach people fromStart completed skipped drop open medianSeconds }
	arrivals { from { id } to { id } runs revenue } exits { from { id } to { id } runs revenue } decisions { runs } }`

// flowQuestions are all kinds that come from memory, with every figure that takes time.
var flowQuestions = []flowQuestion{
	{name: "overview", field: `overview { ` + flowFigures + ` previous { ` + flowFigures + ` } }`, sql: `
		select count(distinct app_user_id), count(distinct run_id),
			count(distinct app_user_id) filter (where name = 'flow_completed'),
			count(distinct app_user_id) filter (where name = 'surface_presented') from h`},
	{name: "timeseries", field: `timeseries(grain: DAY) { bucket starts runs completions completionRate
		medianSecondsToComplete purchases revenue }`, sql: `
		select date_trunc('day', occurred_at), count(distinct app_user_id), count(distinct run_id) from h
		where name = 'flow_started' group by 1`},
	{name: "funnel", field: flowFunnel, sql: `
		select step_id, count(distinct run_id), count(distinct app_user_id) from h
		where name in ('step_viewed', 'surface_presented') group by 1`},
	{name: "dropoff", field: `dropoff { steps { id reach drops dropRate z outOfProportion } }`, sql: `
		select last, count(*) from (select run_id,
			(array_agg(step_id order by seq desc) filter (where name in ('step_viewed', 'surface_presented')))[1] last,
			bool_or(name = 'flow_completed') done from h group by 1) r where not done group by 1`},
	{name: "step-duration", field: `stepDuration { steps { id visits idle p25 median p75 p90 p95 mean } }`, sql: `
		select step_id, count(*), percentile_disc(array[0.25, 0.5, 0.75, 0.9, 0.95]) within group (order by took) from (
			select step_id, extract(epoch from lead(occurred_at) over (partition by run_id order by seq) - occurred_at) took
			from h where name in ('step_viewed', 'surface_presented', 'flow_completed')) v group by 1`},
	{name: "cohorts", field: `cohorts(dimension: COUNTRY, first: 50) { nodes { value starts completions completionRate
		completionInterval { low high } purchases revenue revenuePerStart } }`, sql: `
		select country, count(distinct app_user_id), count(distinct app_user_id) filter (where name = 'flow_completed')
		from h group by 1`},
	{name: "cohort-keys", field: `cohortKeys { key people values }`, sql: `
		select key, count(distinct app_user_id), count(distinct value) from h, jsonb_each_text(custom_properties)
		where name = 'flow_started' group by 1`},
	{name: "timeseries-cohorts", field: `timeseriesCohorts(dimension: COUNTRY, grain: DAY) { value points { bucket starts
		completions purchases revenue } }`, sql: `, top as (
			select country from h where name = 'flow_started' group by 1 order by count(distinct app_user_id) desc limit 10)
		select country, date_trunc('day', occurred_at), count(distinct app_user_id) from h join top using (country)
		where name = 'flow_started' group by 1, 2`},
	{name: "cvr-heatmap", field: `heatmap { rows columns cells { row column starts completions purchases revenue } }`,
		sql: `select split_part(locale, '-', 1), platform, count(distinct app_user_id),
			count(distinct app_user_id) filter (where name = 'flow_completed') from h group by 1, 2`},
	{name: "purchases", field: `purchases { surfaces { id provider presented viewers outcomes { outcome runs } purchasers }
		products { product purchases trials gross revenue } }`, sql: `
		select step_id, properties ->> 'outcome', count(distinct run_id), count(distinct app_user_id) from h
		where name in ('surface_presented', 'surface_outcome') group by 1, 2`},
	{name: "app-overview", app: true, field: `totals { ` + flowFigures + ` } nodes { flowId ` + flowFigures + ` }`, sql: `
		select flow_id, count(distinct app_user_id), count(distinct run_id),
			count(distinct app_user_id) filter (where name = 'flow_completed') from h group by rollup (1)`},
	{name: "retention", field: `retention(by: VERSION) { people days { offset returned eligible } rows { value people } }`,
		sql: `, f as (select app_user_id, min(occurred_at)::date first from h where name = 'flow_started' group by 1)
		select occurred_at::date - first, count(distinct app_user_id) from f join flow_events e using (app_user_id)
		where e.environment_id = $1 and occurred_at >= $3 and occurred_at < $4 and occurred_at::date - first in (1, 3, 7,
			14, 30) group by 1`},
	{name: "compare", field: `compare(by: VERSION, first: "#first", second: "#second") { sides { overview { ` +
		flowFigures + ` } ` + flowFunnel + ` } completion { difference interval { low high } } steps { id } }`, sql: `
		select version_id, step_id, count(distinct run_id), count(distinct app_user_id) from h
		where name in ('step_viewed', 'surface_presented') group by 1, 2`},
	{name: "people behind a drop", field: `peopleBehind(cell: {step: {id: "screen-03", last: true}, figure: DROPPED},
		first: 50) { totalCount nodes { appUserId runs latestRunAt latestState } }`, sql: `
		select app_user_id, count(*), max(began) from (select run_id, app_user_id, min(occurred_at) began,
			(array_agg(step_id order by seq desc) filter (where name in ('step_viewed', 'surface_presented')))[1] last,
			bool_or(name = 'flow_completed') done from h group by 1, 2) r
		where not done and last = 'screen-03' group by 1 order by 3 desc limit 50`},
	{name: "people behind a bar", field: `peopleBehind(cell: {figure: COMPLETED}, first: 50) { totalCount nodes {
		appUserId runs latestRunAt latestState } }`, sql: `
		select app_user_id, count(*), max(occurred_at) from h where name = 'flow_completed' group by 1 order by 3 desc
		limit 50`},
	{name: "responses", field: `responses(first: 50) { totalCount runs complete nodes { fieldKey answered skipped
		choices { value people } texts { value people } } }`, sql: `
		select key, value, count(*) from (select distinct on (app_user_id, properties ->> 'field_key')
			properties ->> 'field_key' as key, properties ->> 'value' as value from h
			where name in ('choice_selected', 'text_submitted')
			order by app_user_id, properties ->> 'field_key', occurred_at desc) last group by 1, 2`},
}

// benchFlows measures the reports of a flow over a month of runs that is built once.
func benchFlows(ctx context.Context) error {
	b, err := newFlowBench(ctx)
	if err != nil {
		return err
	}
	// A server that collects often has nothing but what it keeps.
	if err := b.withServer(ctx, b.measureMemory, "GOGC=10"); err != nil {
		return err
	}
	return b.withServer(ctx, b.measure)
}

func newFlowBench(ctx context.Context) (*flowBench, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "svc", fmt.Sprintf("bench-flows-%g", options.scale))
	set, err := builtFlows(ctx, dir)
	if err != nil {
		return nil, err
	}
	fmt.Printf("data: %d runs, %d flow events, %d purchases, %d days (scale %g), built through ingest in %s\n",
		set.Runs, set.Events, set.Purchases, reportDays, options.scale, set.Took.Round(time.Second))
	return &flowBench{set: set, reportBench: &reportBench{
		dir: dir, set: &dataSet{Start: set.Start, End: set.End}, client: &http.Client{Timeout: 2 * time.Minute},
	}}, nil
}

// flowBench is a data set of runs and the server that is measured on it now.
type flowBench struct {
	*reportBench
	set   *flowSet
	asked int // ranges
}

// ask asks a question about the runs of the data set that start from an instant on.
func (b *flowBench) ask(ctx context.Context, q flowQuestion, start time.Time, filters string) (time.Duration, error) {
	scope := fmt.Sprintf(`range: {start: "%s", end: "%s"} %s`,
		start.Format(time.RFC3339Nano), b.set.End.Format(time.RFC3339), filters)
	field := strings.NewReplacer("#first", b.set.Versions[0], "#second", b.set.Versions[1]).Replace(q.field)
	if q.app {
		field = `appFlowOverview(scope: {` + scope + `}) { ` + field + ` }`
	} else { // beside the reports of the app, which is open
		field = `name } flowAnalytics(scope: {flowId: "` + b.set.Flow + `", ` + scope + `}) { ` + field
	}
	took, _, err := b.reportBench.ask(ctx, question{name: q.name, field: field, whole: true}, nil)
	return took, err
}

// coldFlow is the first report of a server whose memory is empty.
var coldFlow = flowQuestion{name: "cold", field: `timeseries(grain: DAY) { starts }`}

// measureMemory measures what the runs of a month take of memory, and what reports of them keep.
func (b *flowBench) measureMemory(ctx context.Context) error {
	before, err := b.liveBytes(ctx)
	if err != nil {
		return err
	}
	compare := func(measure string) error {
		after, err := b.liveBytes(ctx)
		if err != nil {
			return err
		}
		row(measure, float64(after-before)/(1<<20), "MiB",
			(bytesRun*float64(b.set.Runs)+bytesRunHit*float64(b.set.Events))/(1<<20), "160 B a run + 8 B a hit")
		return nil
	}
	if _, err := b.ask(ctx, coldFlow, b.set.Start, ""); err != nil {
		return err
	}
	if err := compare("memory of 30 days of runs"); err != nil {
		return err
	}
	for _, q := range flowQuestions {
		for _, filters := range []string{"", flowFilters} {
			if _, err := b.ask(ctx, q, b.set.Start, filters); err != nil {
				return err
			}
		}
	}
	return compare("  after every report of them")
}

// measure measures the first report of a server whose memory is empty, and every kind.
func (b *flowBench) measure(ctx context.Context) error {
	raw, err := b.readRuns(ctx)
	if err != nil {
		return err
	}
	took, err := b.ask(ctx, coldFlow, b.set.Start, "")
	if err != nil {
		return err
	}
	row("cold chart of a flow, 30 days", took.Seconds(), "s", raw.Seconds(),
		"the same runs read and dropped by two connections")
	if err := b.letSQLRun(ctx); err != nil {
		return err
	}
	fmt.Printf("\n%-22s %10s %10s %10s %10s %10s %10s %12s %8s\n", "three filters, warm", "first ms", "limit", "p50 ms",
		"p95 ms", "limit", "CPU ms", "SQL ms", "SQL/p50")
	for _, q := range flowQuestions {
		if err := b.compare(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// compare prints what a kind takes: the first request of a range that nobody has asked for, with its runs in memory
// (the median of some); the same request again and again, with the processor time of the server, which depends less on
// who else uses the machine; and SQL.
func (b *flowBench) compare(ctx context.Context, q flowQuestion) error {
	firsts := make([]time.Duration, firstsPerReport)
	for i := range firsts {
		b.asked++
		var err error
		if firsts[i], err = b.ask(ctx, q, b.set.Start.Add(time.Duration(b.asked)*time.Millisecond), flowFilters); err != nil {
			return err
		}
	}
	before, _, err := b.server.processorTime()
	if err != nil {
		return err
	}
	times := make([]time.Duration, warmRequests)
	for i := range times {
		if times[i], err = b.ask(ctx, q, b.set.Start, flowFilters); err != nil {
			return err
		}
	}
	after, _, err := b.server.processorTime()
	if err != nil {
		return err
	}
	slices.Sort(firsts)
	slices.Sort(times)
	p50 := milliseconds(quantile(times, .5))
	fmt.Printf("%-22s %10.2f %10.0f %10.2f %10.2f %10.0f %10.2f", q.name, milliseconds(quantile(firsts, .5)),
		firstFlowLimit, p50, milliseconds(quantile(times, .95)), usualLimit, milliseconds(after-before)/warmRequests)
	if !options.noSQL {
		took, err := timeSQL(func() (float64, error) { return b.inDatabase(ctx, q.sql) })
		if err != nil {
			return fmt.Errorf("%s in SQL: %w", q.name, err)
		}
		fmt.Printf(" %12s %8s", took, took.over(p50))
	}
	fmt.Println()
	return nil
}

// inDatabase runs a question over the raw events with the three filters, and returns milliseconds.
func (b *flowBench) inDatabase(ctx context.Context, sql string) (float64, error) {
	began := time.Now()
	rows, err := b.conn.Query(ctx, `with h as (
		select * from flow_events where environment_id = $1 and flow_id = $2 and occurred_at >= $3 and occurred_at < $4
			and split_part(locale, '-', 1) in ('en', 'de') and app_version <> '1.3' and os <> 'OS 4')`+sql,
		pgx.QueryExecModeDescribeExec, b.environment, b.set.Flow, b.set.Start, b.set.End)
	if err != nil {
		return 0, err
	}
	for rows.Next() { // the client reads no value: only the database is measured
	}
	return milliseconds(time.Since(began)), rows.Err()
}

// readRuns returns how long two connections take to read what a cold chart needs and to drop it.
func (b *flowBench) readRuns(ctx context.Context) (time.Duration, error) {
	return b.readDays(ctx, reportDays, []string{
		`select count(*), min(text) from flow_name where environment_id = $1`,
		`select count(*), min(first_at), max(last_at) from flow_run where environment_id = $1`,
		`select count(*), min(provider) from revenue_ledger where environment_id = $1`,
	}, `select app_user_id, flow_id, run_key, derived, contexts, home_day, hits from flow_run
		where environment_id = $1 and home_day = $2`)
}
