package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"
)

const (
	warmRequests = 20
	sqlPatience  = time.Minute
	coldLimit7   = 1.0 // seconds
	coldLimit30  = 4.0
	coldLimit90  = 12.0
	coldDays     = 90 // of the last
	bytesSession = 120
	bytesHit     = 12
)

// benchReports measures every report over a month of data that is built once,
// against the same question in plain SQL.
func benchReports(ctx context.Context) error {
	b, err := newReportBench(ctx)
	if err != nil {
		return err
	}
	if err := b.coldLoads(ctx); err != nil {
		return err
	}
	for _, measure := range []func(context.Context) error{b.warm, b.measureFreshness} {
		if err := b.withServer(ctx, measure); err != nil {
			return err
		}
	}
	return nil
}

// benchWarm measures reports once the data is in memory.
func benchWarm(ctx context.Context) error {
	b, err := newReportBench(ctx)
	if err != nil {
		return err
	}
	return b.withServer(ctx, b.warm)
}

// benchCold measures the first report after a start, over 7, 30 and 90 days.
func benchCold(ctx context.Context) error {
	b, err := newReportBench(ctx)
	if err != nil {
		return err
	}
	return b.coldLoads(ctx)
}

func newReportBench(ctx context.Context) (*reportBench, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "svc", fmt.Sprintf("bench-reports-%g", options.scale))
	set, err := builtData(ctx, dir, options.scale)
	if err != nil {
		return nil, err
	}
	fmt.Printf("data: %d sessions, %d events, %d visitors, %d days (scale %g), built through ingest in %s\n",
		set.Sessions, set.Events, set.Visitors, reportDays, set.Scale, set.Took.Round(time.Second))
	return &reportBench{
		set: set, dir: dir,
		client: &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: dashboards}},
	}, nil
}

// reportBench is a data set and the server that is measured on it now.
type reportBench struct {
	set         *dataSet
	dir         string
	client      *http.Client
	server      *server
	conn        *pgx.Conn
	environment int64
	counted     int // segments
	goal        string
	turns       atomic.Int64 // questions that were asked
}

// withServer starts the real server anew, whose memory is empty.
func (b *reportBench) withServer(
	ctx context.Context, measure func(context.Context) error, env ...string,
) (err error) {
	// The load below comes from one address with one key.
	env = append(env, "SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0", "SVC_WARM_DAYS=0")
	if b.server, _, err = startServer(ctx, b.dir, env...); err != nil {
		return err
	}
	defer func() {
		if stopErr := b.server.stop(); err == nil {
			err = stopErr
		}
	}()
	if b.conn, err = pgx.Connect(ctx, b.server.file.DatabaseURL); err != nil {
		return err
	}
	defer b.conn.Close(ctx)
	if err := b.conn.QueryRow(
		ctx, `select id from environments where app_id = $1 and kind = 'live'`, b.server.file.Apps[0].ID,
	).Scan(&b.environment); err != nil {
		return err
	}
	if err := b.removeLater(ctx); err != nil {
		return err
	}
	return measure(ctx)
}

// removeLater takes away what an earlier measurement wrote after the data set.
func (b *reportBench) removeLater(ctx context.Context) error {
	for _, sql := range []string{
		`delete from product_event where environment_id = $1 and occurred_at >= $2`,
		`delete from product_session where environment_id = $1 and started_at >= $2`,
		`delete from product_analytics_first_touch where environment_id = $1 and first_seen_at >= $2`,
	} {
		if _, err := b.conn.Exec(ctx, sql, b.environment, b.set.End); err != nil {
			return fmt.Errorf("remove the rows of an earlier run: %w", err)
		}
	}
	return nil
}

// scope returns the last days of the data set.
func (b *reportBench) scope(days int, cross map[string]any) map[string]any {
	scope := map[string]any{"range": map[string]any{"start": b.set.End.AddDate(0, 0, -days), "end": b.set.End}}
	if cross != nil {
		scope["cross"] = cross
	}
	return scope
}

// ask sends one request and returns its time and answer.
func (b *reportBench) ask(ctx context.Context, q question, scope map[string]any) (time.Duration, []byte, error) {
	if strings.Contains(q.field, theGoal) || strings.HasPrefix(q.field, "goals") {
		if err := b.findGoal(ctx); err != nil {
			return 0, nil, err
		}
	}
	turn := 7*24*60 + int(b.turns.Add(1))
	q.field = strings.NewReplacer(theGoal, b.goal, theTurn, strconv.Itoa(turn)).Replace(q.field)
	text := `query($app: ID!, $scope: ScopeInput!) { app(id: $app) { productAnalytics(scope: $scope) { ` +
		q.field + ` } } }`
	variables := map[string]any{"app": b.server.file.Apps[0].ID, "scope": scope}
	if q.whole {
		text = `query($app: ID!) { app(id: $app) { ` + q.field + ` } }`
		delete(variables, "scope")
		if strings.Contains(q.field, "$start") {
			text = `query($app: ID!, $start: Time!, $end: Time!) { app(id: $app) { ` + q.field + ` } }`
			variables["start"], variables["end"] = b.set.Start, b.set.End
		}
	}
	return b.post(ctx, q.name, text, variables)
}

// findGoal looks for the goal of the app, which the first measurement of the data makes.
func (b *reportBench) findGoal(ctx context.Context) error {
	if b.goal != "" {
		return nil
	}
	app := map[string]any{"app": b.server.file.Apps[0].ID}
	_, content, err := b.post(ctx, "goals", `query($app: ID!) { app(id: $app) { goals { nodes { id } } } }`, app)
	if err != nil {
		return err
	}
	var answer struct {
		Data struct {
			App struct {
				Goals struct{ Nodes []struct{ ID string } }
			}
			CreateGoal struct{ ID string }
		}
	}
	if err := json.Unmarshal(content, &answer); err != nil {
		return fmt.Errorf("read the goals: %w", err)
	}
	if nodes := answer.Data.App.Goals.Nodes; len(nodes) > 0 {
		b.goal = nodes[0].ID
		return nil
	}
	_, content, err = b.post(ctx, "goal", `mutation($app: ID!) {
		createGoal(input: {appId: $app, name: "Acted", condition: {event: {name: "action_1"}}}) { id } }`, app)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, &answer); err != nil {
		return fmt.Errorf("read the goal: %w", err)
	}
	b.goal = answer.Data.CreateGoal.ID
	return nil
}

// post sends an operation, which the name is for in errors.
func (b *reportBench) post(
	ctx context.Context, name, text string, variables map[string]any,
) (time.Duration, []byte, error) {
	took, content, err := b.server.ask(ctx, b.client, b.server.file.APIKey, text, variables)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return took, content, err
}

// coldLoads measures the first requests of empty servers. A chart reads its own range; the summary of a
// range reads as many days before it as well.
func (b *reportBench) coldLoads(ctx context.Context) error {
	for _, days := range []int{7, 14} {
		if err := b.withServer(ctx, func(ctx context.Context) error {
			return b.cold(ctx, days, map[int]float64{7: coldLimit7}[days])
		}); err != nil {
			return err
		}
	}
	if err := b.withServer(ctx, b.coldMonth); err != nil {
		return err
	}
	dir, set, err := longData(ctx, b.dir, b.set)
	if err != nil {
		return err
	}
	long := &reportBench{set: set, dir: dir, client: b.client}
	return long.withServer(ctx, func(ctx context.Context) error {
		return long.cold(ctx, coldDays, coldLimit90)
	})
}

// cold measures the first chart of a server whose memory is empty, on a database that has been running.
func (b *reportBench) cold(ctx context.Context, days int, limit float64) error {
	raw, err := b.readSessions(ctx, days)
	if err != nil {
		return err
	}
	took, _, err := b.ask(ctx, coldQuestion, b.scope(days, nil))
	if err != nil {
		return err
	}
	what := "the same sessions read and dropped by two connections"
	if limit > 0 {
		what += fmt.Sprintf("; limit %g s at scale 1", limit)
	}
	row(fmt.Sprintf("cold chart, %d days", days), took.Seconds(), "s", raw.Seconds(), what)
	return nil
}

// readSessions returns how long two connections take to read what a cold chart of so many days needs and to drop
// it.
func (b *reportBench) readSessions(ctx context.Context, days int) (time.Duration, error) {
	return b.readDays(ctx, days+1, []string{ // sessions of the day before reach into the range
		`select count(*), min(source) from product_analytics_first_touch where environment_id = $1`,
		`select count(*), min(started_at), max(last_at) from product_session where environment_id = $1`,
	}, `select app_user_id, session_id, source, medium, campaign, content, term, adset, creative, referrer,
			landing_url, organic, organic_unknown, country, region, city, latitude, longitude, platform, device, browser,
			os, home_day, hits
		from product_session where environment_id = $1 and home_day = $2`)
}

// readDays returns how long two connections take to read the rows of the last home days of the data set and to drop
// them. It reads twice: the first time for the database, which holds in its memory what it has used. What is read
// besides comes once.
func (b *reportBench) readDays(ctx context.Context, days int, besides []string, sql string) (time.Duration, error) {
	pool, err := pgxpool.New(ctx, b.server.file.DatabaseURL)
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	for _, sql := range besides {
		if _, err := pool.Exec(ctx, sql, b.environment); err != nil {
			return 0, err
		}
	}
	var began time.Time
	for range 2 {
		began = time.Now()
		dates := make(chan time.Time, days)
		for day := range days {
			dates <- b.set.End.AddDate(0, 0, -1-day)
		}
		close(dates)
		var readers errgroup.Group
		for range 2 {
			readers.Go(func() error {
				for date := range dates {
					rows, err := pool.Query(ctx, sql, pgx.QueryResultFormats{pgx.BinaryFormatCode}, b.environment, date)
					if err != nil {
						return err
					}
					for rows.Next() {
					}
					if err := rows.Err(); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := readers.Wait(); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// coldQuestion reads every session of its range, and none before.
var coldQuestion = questions[1]

// coldMonth measures the first chart of 30 days, and the memory of what it loaded.
func (b *reportBench) coldMonth(ctx context.Context) error {
	before, err := b.liveBytes(ctx)
	if err != nil {
		return err
	}
	if err := b.server.stop(); err != nil {
		return err
	}
	if b.server, _, err = startServer(ctx, b.dir, "SVC_WARM_DAYS=0"); err != nil {
		return err
	}
	if err := b.cold(ctx, reportDays, coldLimit30); err != nil {
		return err
	}
	after, err := b.liveBytes(ctx)
	if err != nil {
		return err
	}
	row(
		"memory of 30 days", float64(after-before)/(1<<20), "MiB",
		(bytesSession*float64(b.set.Sessions)+bytesHit*float64(b.set.Events))/(1<<20), "120 B a session + 12 B a hit",
	)
	return nil
}

// liveBytes returns the heap that the server can't give up: the least that is seen
// while collections run.
func (b *reportBench) liveBytes(ctx context.Context) (int64, error) {
	least := int64(0)
	for range 40 {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.server.file.MetricsURL, nil)
		if err != nil {
			return 0, err
		}
		response, err := b.client.Do(request)
		if err != nil {
			return 0, err
		}
		content, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			return 0, err
		}
		now := int64(0)
		for line := range strings.Lines(string(content)) {
			if rest, ok := strings.CutPrefix(line, "go_memstats_heap_alloc_bytes "); ok {
				value, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
				if err != nil {
					return 0, err
				}
				now = int64(value)
			}
		}
		if now == 0 {
			return 0, errors.New("the metrics don't tell the heap")
		}
		if least == 0 || now < least {
			least = now
		}
		// A few small requests, which load nothing, let the collector come round.
		for range 20 {
			if _, _, err := b.ask(ctx, question{name: "name", field: "name", whole: true}, nil); err != nil {
				return 0, err
			}
		}
	}
	return least, nil
}

// warm measures every report over 30 days, with and without three cross filters,
// and its like in SQL.
func (b *reportBench) warm(ctx context.Context) error {
	if err := b.letSQLRun(ctx); err != nil {
		return err
	}
	if _, _, err := b.ask(ctx, questions[0], b.scope(reportDays, nil)); err != nil {
		return err
	}
	fmt.Printf(
		"\n%-22s %10s %10s %10s %8s %12s %8s   %s\n", "30 days, warm", "first ms", "p50 ms", "p95 ms", "limit", "SQL ms",
		"SQL/p50", "with source, country and page filters: p50, p95, SQL, ratio",
	)
	only, err := regexp.Compile(options.only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	for _, q := range questions {
		if !only.MatchString(q.name) {
			continue
		}
		if q.limit == 0 {
			q.limit = usualLimit
		}
		fmt.Printf("%-22s", q.name)
		for _, cross := range []map[string]any{nil, crossFilters} {
			if q.whole && cross != nil {
				continue // takes no filters
			}
			// Until new data arrives a server counts some things once.
			var first time.Duration
			times := make([]time.Duration, 0, warmRequests)
			for i := range warmRequests + 2 {
				took, _, err := b.ask(ctx, q, b.scope(reportDays, cross))
				if err != nil {
					return err
				}
				if i == 0 {
					first = took
				}
				if i >= 2 {
					times = append(times, took)
				}
			}
			slices.Sort(times)
			p50, p95 := milliseconds(quantile(times, .5)), milliseconds(quantile(times, .95))
			if cross == nil {
				fmt.Printf(" %10.2f", milliseconds(first))
			}
			fmt.Printf(" %10.2f %10.2f", p50, p95)
			if cross == nil {
				fmt.Printf(" %8.0f", q.limit)
			}
			if q.sql == "" || options.noSQL {
				fmt.Printf(" %12s %8s", "", "")
				continue
			}
			took, err := timeSQL(func() (float64, error) { return b.inDatabase(ctx, q, cross != nil) })
			if err != nil {
				return fmt.Errorf("%s in SQL: %w", q.name, err)
			}
			fmt.Printf(" %12s %8s", took, took.over(p50))
		}
		fmt.Println()
	}
	return nil
}

// letSQLRun gives SQL memory, both cores, and no nested loops, into which wrong estimates lead it: with filters some
// questions took eight times as long as without.
func (b *reportBench) letSQLRun(ctx context.Context) error {
	_, err := b.conn.Exec(ctx, fmt.Sprintf(`set statement_timeout = '%ds'; set max_parallel_workers_per_gather = 2;
		set work_mem = '256MB'; set enable_nestloop = off`, int(sqlPatience.Seconds())))
	return err
}

// sqlTime is how long a question in SQL took, or more than it was given.
type sqlTime struct {
	milliseconds float64
	cut          bool
}

// timeSQL runs a question, which the timeout may cut off.
func timeSQL(run func() (float64, error)) (sqlTime, error) {
	took, err := run()
	var failure *pgconn.PgError
	if errors.As(err, &failure) && failure.Code == "57014" { // cancelled by the timeout
		return sqlTime{milliseconds(sqlPatience), true}, nil
	}
	return sqlTime{took, false}, err
}

func (t sqlTime) String() string { return t.over(1) }

// over returns the ratio to some milliseconds.
func (t sqlTime) over(ms float64) string {
	sign := ""
	if t.cut {
		sign = "> "
	}
	return fmt.Sprintf("%s%.0f", sign, t.milliseconds/ms)
}

// inDatabase runs the question in SQL, to the last row, and returns milliseconds.
func (b *reportBench) inDatabase(ctx context.Context, q question, filtered bool) (float64, error) {
	sql := q.sql
	if !q.whole {
		sql = inSQL(sql, filtered)
	}
	began := time.Now()
	rows, err := b.conn.Query(ctx, sql, pgx.QueryExecModeDescribeExec, b.environment, b.set.Start, b.set.End)
	if err != nil {
		return 0, err
	}
	for rows.Next() { // the client reads no value: only the database is measured
	}
	return milliseconds(time.Since(began)), rows.Err()
}
