package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/svc-dev/svc/internal/venv"
)

const (
	engineRuns    = 6 // of a question: the first one, and those of the median
	engineThreads = 2
)

// engineScript asks the other engines; engineModules are the releases that it runs.
var (
	//go:embed engines.py
	engineScript string
	//go:embed engines.txt
	engineModules string
)

// engineQuestion is one report as GraphQL and in the SQL of other engines, over the tables that are exported as
// Parquet.
type engineQuestion struct {
	name    string
	field   string // under productAnalytics
	cross   map[string]any
	columns []string // of the answer, in the order of those of sql
	sql     string   // $start, $end and $filtered stand for the time and the sessions of crossFilters
}

const (
	engineEvents = ` from events where kind = 'product' and occurred_at >= $start and occurred_at < $end`
	engineViews  = engineEvents + ` and name in ('page_view', 'screen_view')`
)

var engineQuestions = []engineQuestion{
	{
		name: "visitors, sessions and views by day", field: `series(grain: DAY) { bucket visitors sessions views }`,
		columns: []string{"bucket", "visitors", "sessions", "views"},
		sql: `select date_trunc('day', occurred_at) as day, count(distinct app_user_id),
			count(distinct (app_user_id, session_id)), count(case when name in ('page_view', 'screen_view') then 1 end)` +
			engineEvents + ` group by 1`,
	},
	{
		name: "the same, filtered", field: `series(grain: DAY) { bucket visitors sessions views }`, cross: crossFilters,
		columns: []string{"bucket", "visitors", "sessions", "views"},
		sql: `select date_trunc('day', occurred_at) as day, count(distinct app_user_id),
			count(distinct (app_user_id, session_id)), count(case when name in ('page_view', 'screen_view') then 1 end)` +
			engineEvents + ` and (app_user_id, session_id) in ($filtered) group by 1`,
	},
	{
		name:    "countries",
		field:   `demographic(dimension: COUNTRY, first: 200) { nodes { value visitors sessions } }`,
		columns: []string{"value", "visitors", "sessions"},
		sql: `select country, count(distinct app_user_id), count(*) from sessions where last_at >= $start
			and started_at < $end group by 1`,
	},
	{
		name: "sources, filtered", field: `attribution(dimension: SOURCE, first: 200) { nodes { value visitors sessions } }`,
		cross: crossFilters, columns: []string{"value", "visitors", "sessions"},
		sql: `select source, count(distinct app_user_id), count(*) from sessions where last_at >= $start
			and started_at < $end and (app_user_id, session_id) in ($filtered) group by 1`,
	},
	{
		name:    "pages",
		field:   `engagement(dimension: PAGE, first: 200) { nodes { visitors sessions views } }`,
		columns: []string{"visitors", "sessions", "views"}, // the names of pages at the end may tie
		sql: `select count(distinct app_user_id) as visitors, count(distinct (app_user_id, session_id)),
			count(*)` + engineViews + ` group by page order by visitors desc, page limit 200`,
	},
	{
		name: "events", field: `events(first: 200) { nodes { name count visitors } }`,
		columns: []string{"name", "count", "visitors"},
		sql:     `select name, count(*), count(distinct app_user_id)` + engineEvents + ` group by 1`,
	},
	{
		name: "retention by day", field: `retentionCurve(days: 29) { offset returned }`,
		columns: []string{"offset", "returned"},
		sql: `with seen as (select distinct app_user_id, date_trunc('day', occurred_at) as day` + engineEvents + `),
			firsts as (select app_user_id, min(day) as first from seen group by 1)
			select date_diff('day', first, day) as after, count(*) from seen
			join firsts on firsts.app_user_id = seen.app_user_id group by 1 having after between 0 and 29`,
	},
}

// engineAnswer is what engines.py tells of an engine.
type engineAnswer struct {
	Version string
	Load    float64 // seconds
	Bytes   float64 // on disk
	Answers []struct {
		Rows         [][]any
		Milliseconds []float64
	}
}

// benchEngines asks DuckDB and ClickHouse the same questions about the same events, which they are given as Parquet
// files. An answer that differs from ours is an error.
func benchEngines(ctx context.Context) error {
	b, err := newReportBench(ctx)
	if err != nil {
		return err
	}
	return b.withServer(ctx, b.compareEngines)
}

func (b *reportBench) compareEngines(ctx context.Context) error {
	home, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	folder := filepath.Join(home, "parquet")
	for _, table := range []string{"events", "sessions"} {
		if _, err := b.server.transfer(
			ctx, "export", "--format", "parquet", "--table", table, "--out", folder,
		); err != nil {
			return err
		}
	}
	others, err := b.askEngines(ctx, home, folder)
	if err != nil {
		return err
	}
	for i, q := range engineQuestions {
		rows, times, err := b.askOurs(ctx, q)
		if err != nil {
			return err
		}
		for name, other := range others {
			if theirs := sortedRows(other.Answers[i].Rows); !slices.Equal(rows, theirs) {
				return fmt.Errorf("%s: %s answers\n%s\nand we\n%s", q.name, name,
					strings.Join(theirs, "\n"), strings.Join(rows, "\n"))
			}
		}
		for _, name := range engineNames {
			theirs := others[name].Answers[i].Milliseconds
			row(q.name+", first", times[0], "ms", theirs[0], name)
			row(q.name+", again", middle(times[1:]), "ms", middle(theirs[1:]), name)
		}
	}
	return b.compareDisk(ctx, others)
}

var engineNames = []string{"DuckDB", "ClickHouse"}

// askOurs returns the rows of a report and what each run took.
func (b *reportBench) askOurs(ctx context.Context, q engineQuestion) (rows []string, times []float64, err error) {
	for range engineRuns {
		took, content, err := b.ask(ctx, question{name: q.name, field: q.field}, b.scope(reportDays, q.cross))
		if err != nil {
			return nil, nil, err
		}
		times = append(times, milliseconds(took))
		if rows, err = rowsOf(content, q.columns); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", q.name, err)
		}
	}
	return rows, times, nil
}

// rowsOf returns the only list of an answer of GraphQL as rows of columns.
func rowsOf(content []byte, columns []string) ([]string, error) {
	var answer any
	if err := json.Unmarshal(content, &answer); err != nil {
		return nil, err
	}
	for {
		object, ok := answer.(map[string]any)
		if !ok {
			break
		}
		for _, answer = range object { // one field each
		}
	}
	list, ok := answer.([]any)
	if !ok {
		return nil, fmt.Errorf("no list in %.200s", content)
	}
	rows := make([][]any, len(list))
	for i, entry := range list {
		object, ok := entry.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("no row: %v", entry)
		}
		for _, column := range columns {
			rows[i] = append(rows[i], object[column])
		}
	}
	return sortedRows(rows), nil
}

// sortedRows writes rows as text, in order. Moments are those of days, and numbers may be texts.
func sortedRows(rows [][]any) []string {
	texts := make([]string, len(rows))
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, cell := range row {
			cells[j] = fmt.Sprint(cell)
			if number, ok := cell.(float64); ok {
				cells[j] = fmt.Sprintf("%.0f", number)
			}
			if cell == nil {
				cells[j] = ""
			}
			if day, _, ok := strings.Cut(cells[j], "00:00:00"); ok {
				cells[j] = strings.TrimRight(day, " T")
			}
		}
		texts[i] = strings.Join(cells, "\t")
	}
	slices.Sort(texts)
	return texts
}

func middle(times []float64) float64 {
	times = slices.Sorted(slices.Values(times))
	return times[len(times)/2]
}

// askEngines runs engines.py in a virtual environment of its own, which is made once.
func (b *reportBench) askEngines(ctx context.Context, home, folder string) (map[string]engineAnswer, error) {
	python, err := venv.Python(ctx, strings.Fields(engineModules)...)
	if err != nil {
		return nil, err
	}
	filtered := `select app_user_id, session_id from sessions where (source is null or source <> 'google')
		and country in ('AA', 'AB', 'AC', 'AD', 'AE', 'AF', 'AG', 'AH') and (app_user_id, session_id) in (
			select app_user_id, session_id` + engineViews + ` and position('/products/1' in page) > 0)`
	values := strings.NewReplacer(
		"$filtered", filtered, "$start", b.set.Start.Format(engineTime), "$end", b.set.End.Format(engineTime),
	)
	asked := struct {
		Folder    string   `json:"folder"`
		Home      string   `json:"home"`
		Threads   int      `json:"threads"`
		Runs      int      `json:"runs"`
		Questions []string `json:"questions"`
	}{folder, home, engineThreads, engineRuns, nil}
	for _, q := range engineQuestions {
		asked.Questions = append(asked.Questions, values.Replace(values.Replace(q.sql)))
	}
	input, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	out, err := runCommand(ctx, input, python, "-c", engineScript)
	if err != nil {
		return nil, err
	}
	answers := map[string]engineAnswer{}
	return answers, json.Unmarshal(out, &answers)
}

// engineTime writes a moment as SQL.
const engineTime = `'2006-01-02 15:04:05'`

// runCommand returns what a program writes to its output.
func runCommand(ctx context.Context, input []byte, name string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, name, args...)
	var out, told bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(input), &out, &told
	if err := command.Run(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), errors.New(told.String()))
	}
	return out.Bytes(), nil
}

// compareDisk says what an event takes that was loaded, and how fast it was: the other engines load whole files, ours
// takes requests of clients, and keeps for each event that it is stored once.
func (b *reportBench) compareDisk(ctx context.Context, others map[string]engineAnswer) error {
	var size float64
	if err := b.conn.QueryRow(ctx, `select pg_database_size(current_database())`).Scan(&size); err != nil {
		return err
	}
	events := float64(b.set.Events)
	for _, name := range engineNames {
		other := others[name]
		row("disk of an event", size/events, "B", other.Bytes/events, other.Version)
		row("events stored in a second", events/b.set.Took.Seconds(), "ev/s", events/other.Load,
			other.Version+", from Parquet files")
	}
	return nil
}
