package parquetfiles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/parquet-go/parquet-go"

	"github.com/svc-dev/svc/analytics/run"
)

// flowRun is a run of a flow, as reports have it. Its day is that of its first event that arrived.
type flowRun struct {
	AppUserID     string     `parquet:"app_user_id"`
	FlowID        string     `parquet:"flow_id,dict"`
	RunID         *string    `parquet:"run_id,optional"` // null of events without one
	VersionID     string     `parquet:"version_id,dict"`
	ChannelID     *string    `parquet:"channel_id,optional,dict"` // null when the channel is gone
	ExperimentID  *string    `parquet:"experiment_id,optional,dict"`
	VariantID     *string    `parquet:"variant_id,optional,dict"`
	StartedAt     time.Time  `parquet:"started_at,timestamp(microsecond)"`
	CompletedAt   *time.Time `parquet:"completed_at,optional,timestamp(microsecond)"`
	LastAt        time.Time  `parquet:"last_at,timestamp(microsecond)"`
	Started       bool       `parquet:"started"` // false: its start was lost
	Completed     bool       `parquet:"completed"`
	Abandoned     bool       `parquet:"abandoned"`
	PaywallViewed bool       `parquet:"paywall_viewed"`
	Steps         []string   `parquet:"steps,list"` // that were visited, each once, by id
	Country       *string    `parquet:"country,optional,dict"`
	Region        *string    `parquet:"region,optional,dict"`
	City          *string    `parquet:"city,optional,dict"`
	Platform      *string    `parquet:"platform,optional,dict"`
	Device        *string    `parquet:"device,optional,dict"`
	Browser       *string    `parquet:"browser,optional,dict"`
	OS            *string    `parquet:"os,optional,dict"`
	Locale        *string    `parquet:"locale,optional,dict"`
	AppVersion    *string    `parquet:"app_version,optional,dict"`
	Events        int64      `parquet:"events"`
}

// runRow is a row of flow_run, which package run reads.
type runRow struct {
	AppUserID string
	Flow, Key [16]byte
	Derived   bool
	Contexts  []byte
	Hits      []byte
}

// runsTable writes what rows of flow_run hold.
type runsTable struct{ tableOf[flowRun] }

// Bounds of what is held in memory: rows of flow_run that are read together, and names of steps.
const (
	runsAtOnce = 64
	maxSteps   = 50_000
)

var flowRuns = runsTable{tableOf[flowRun]{
	name: "flow_runs",
	summary: `select home_day, count(*),
			sum(hashtextextended(app_user_id || ' ' || run_key, changed_xid::text::bigint))::text
		from flow_run` + sessionsWithin + ` group by 1 order by 1`,
	selects: []string{`select app_user_id, flow_id, run_key, derived, contexts, hits
		from flow_run` + sessionsWithin + ` order by first_at, app_user_id, flow_id, run_key`},
}}

func (t runsTable) prepared(context.Context, pgx.Tx, pgx.NamedArgs) (table, error) { return t, nil }

// write reads rows through a cursor: what their steps are called is asked for in between.
func (t runsTable) write(ctx context.Context, tx pgx.Tx, scope pgx.NamedArgs, w io.Writer) (_ int64, err error) {
	out := newGroups(w, t.schema())
	reader := runReader{tx: tx, scope: scope, steps: map[int32]string{}}
	var row parquet.Row
	if _, err := tx.Exec(ctx, `declare runs no scroll cursor for `+t.selects[0], scope); err != nil {
		return 0, err
	}
	defer func() {
		_, closed := tx.Exec(ctx, `close runs`)
		err = errors.Join(err, closed)
	}()
	for {
		rows, err := tx.Query(ctx, fmt.Sprintf(`fetch %d from runs`, runsAtOnce))
		if err != nil {
			return out.rows, err
		}
		batch, err := pgx.CollectRows(rows, pgx.RowToStructByPos[runRow])
		if err != nil {
			return out.rows, err
		}
		if len(batch) == 0 {
			return out.close()
		}
		if err := reader.each(ctx, batch, func(one flowRun, bytes int) error {
			row = out.schema.Deconstruct(row[:0], &one)
			return out.add(row, bytes)
		}); err != nil {
			return out.rows, err
		}
	}
}

// runReader makes runs of rows.
type runReader struct {
	tx       pgx.Tx
	scope    pgx.NamedArgs
	steps    map[int32]string // by id
	unpacker run.Unpacker
}

// each calls use with the runs of rows and the bytes that they came from.
func (r *runReader) each(ctx context.Context, batch []runRow, use func(row flowRun, bytes int) error) error {
	rows := make([]run.Row, len(batch))
	for i, row := range batch {
		rows[i] = run.Row{
			Person: row.AppUserID, Flow: row.Flow, Key: row.Key, Derived: row.Derived, Contexts: row.Contexts, Hits: row.Hits,
		}
	}
	if err := r.name(ctx, rows); err != nil {
		return err
	}
	for i := range rows {
		runs, err := r.unpacker.Runs(&rows[i], func(id int32) string { return r.steps[id] })
		if err != nil {
			return err
		}
		for j := range runs {
			if err := use(r.row(&runs[j], rows[i].Derived), len(rows[i].Hits)/len(runs)); err != nil {
				return err
			}
		}
	}
	return nil
}

// name reads what steps of rows are called, as far as it is not known.
func (r *runReader) name(ctx context.Context, rows []run.Row) error {
	if len(r.steps) > maxSteps {
		clear(r.steps)
	}
	missing := map[int32]bool{}
	for i := range rows {
		if err := rows[i].EachName(func(id int32) {
			if _, known := r.steps[id]; !known {
				missing[id] = true
			}
		}); err != nil {
			return err
		}
	}
	if len(missing) == 0 {
		return nil
	}
	ids := make([]int32, 0, len(missing))
	for id := range missing {
		ids = append(ids, id)
	}
	named, err := r.tx.Query(ctx, `select id, text from flow_name where environment_id = $1 and id = any ($2)`,
		r.scope["environment"], ids)
	if err != nil {
		return err
	}
	var id int32
	var text string
	_, err = pgx.ForEachRow(named, []any{&id, &text}, func() error {
		r.steps[id] = text
		return nil
	})
	return err
}

// row writes a run as a row of the file.
func (r *runReader) row(of *run.Run, derived bool) flowRun {
	row := flowRun{
		AppUserID: of.Person, FlowID: uuid.UUID(of.Flow).String(), VersionID: uuid.UUID(of.Release.Version).String(),
		ChannelID: r.channel(of.Release.Channel), ExperimentID: idOf(of.Release.Experiment),
		VariantID: orNull(of.Release.Variant),
		StartedAt: time.UnixMilli(of.StartedAt), LastAt: time.UnixMilli(of.LastAt),
		Started: of.HasStart, Completed: of.Completed, Abandoned: of.Abandoned,
		Country: orNull(of.Place.Country), Region: orNull(of.Place.Region), City: orNull(of.Place.City),
		Platform: orNull(of.Client.Platform), Device: orNull(of.Device.Device), Browser: orNull(of.Device.Browser),
		OS: orNull(of.Device.OS), Locale: orNull(of.Client.Locale), AppVersion: orNull(of.Client.AppVersion),
		Events: int64(len(of.Hits)),
	}
	if !derived {
		row.RunID = idOf(of.Key)
	}
	for i := range of.Hits {
		switch h := &of.Hits[i]; h.Name {
		case run.StepViewed, run.SurfacePresented:
			row.PaywallViewed = row.PaywallViewed || h.Name == run.SurfacePresented
			if h.Step != 0 {
				row.Steps = append(row.Steps, r.steps[h.Step])
			}
		case run.FlowCompleted:
			if at := time.UnixMilli(h.At); row.CompletedAt == nil || at.Before(*row.CompletedAt) {
				row.CompletedAt = &at
			}
		}
	}
	slices.Sort(row.Steps)
	row.Steps = slices.Compact(row.Steps)
	return row
}

// channel returns the public id of a channel that is there.
func (r *runReader) channel(number int64) *string {
	numbers, _ := r.scope["channel_numbers"].([]int64)
	ids, _ := r.scope["channel_ids"].([]string)
	if i := slices.Index(numbers, number); i >= 0 {
		return &ids[i]
	}
	return nil
}

func idOf(key [16]byte) *string {
	if key == ([16]byte{}) {
		return nil
	}
	text := uuid.UUID(key).String()
	return &text
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
