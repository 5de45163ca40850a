package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// longMonths is how many times as long as the data set its long version is: 44 million events over 120 days at scale 1.
const longMonths = 4

// longData returns dir's data set several times in a row, in a directory of its own, made when it is not there:
// the same sessions, one month and more earlier, of other visitors. It holds what frames are
// loaded from, no raw events.
func longData(ctx context.Context, dir string, set *dataSet) (string, *dataSet, error) {
	to := fmt.Sprintf("%s-%ddays", dir, longMonths*reportDays)
	long := &dataSet{}
	content, err := os.ReadFile(filepath.Join(to, dataSetFile))
	if err == nil {
		return to, long, json.Unmarshal(content, long)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	if err := errors.Join(os.RemoveAll(to), os.MkdirAll(to, 0o755)); err != nil {
		return "", nil, err
	}
	*long = *set
	long.Sessions, long.Visitors, long.Events = set.Sessions*longMonths, set.Visitors*longMonths, set.Events*longMonths
	long.Start = set.End.AddDate(0, 0, -longMonths*reportDays)
	began := time.Now()
	fmt.Fprintf(os.Stderr, "building %d days from %d\n", longMonths*reportDays, reportDays)
	if err := copyMonths(ctx, dir, to); err != nil {
		return "", nil, err
	}
	long.Took = time.Since(began)
	if content, err = json.Marshal(long); err != nil {
		return "", nil, err
	}
	return to, long, os.WriteFile(filepath.Join(to, dataSetFile), content, 0o644)
}

// database is a connection to the database of a running server, and its live environment.
type database struct {
	server      *server
	conn        *pgx.Conn
	environment int64
}

func openDatabase(ctx context.Context, dir string) (*database, error) {
	s, _, err := startServer(ctx, dir)
	if err != nil {
		return nil, err
	}
	d := &database{server: s}
	if d.conn, err = pgx.Connect(ctx, s.file.DatabaseURL); err == nil {
		err = d.conn.QueryRow(
			ctx, `select id from environments where app_id = $1 and kind = 'live'`, s.file.Apps[0].ID,
		).Scan(&d.environment)
	}
	if err != nil {
		return nil, errors.Join(err, d.close(ctx))
	}
	return d, nil
}

func (d *database) close(ctx context.Context) error {
	if d.conn == nil {
		return d.server.stop()
	}
	return errors.Join(d.conn.Close(ctx), d.server.stop())
}

// copyMonths fills the new server of a directory from that of another.
func copyMonths(ctx context.Context, from, to string) (err error) {
	source, err := openDatabase(ctx, from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.close(ctx)) }()
	target, err := openDatabase(ctx, to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.close(ctx)) }()
	for month := range longMonths {
		tables := []string{"product_session", "product_analytics_first_touch"}
		if month == 0 {
			tables = append(tables, "event_name")
		}
		for _, table := range tables {
			if err := copyTable(ctx, source, target, table, month); err != nil {
				return fmt.Errorf("copy %s: %w", table, err)
			}
		}
	}
	_, err = target.conn.Exec(ctx, `vacuum (analyze)`, pgx.QueryExecModeSimpleProtocol)
	return err
}

// copyTable copies an environment's rows, so many months earlier.
func copyTable(ctx context.Context, source, target *database, table string, month int) error {
	rows, err := source.conn.Query(ctx, `select column_name, data_type from information_schema.columns
		where table_schema = 'public' and table_name = $1
		and data_type <> 'xid8' order by ordinal_position`, table)
	if err != nil {
		return err
	}
	var columns, values []string
	var name, kind string
	if _, err := pgx.ForEachRow(rows, []any{&name, &kind}, func() error {
		columns, values = append(columns, name), append(values, earlier(name, kind, target.environment, month))
		return nil
	}); err != nil {
		return err
	}
	reader, writer := io.Pipe()
	go func() {
		_, err := source.conn.PgConn().CopyTo(ctx, writer, fmt.Sprintf(`copy (select %s from %s t
			where environment_id = %d) to stdout (format binary)`,
			strings.Join(values, ", "), table, source.environment))
		_ = writer.CloseWithError(err) // always nil
	}()
	_, err = target.conn.PgConn().CopyFrom(
		ctx, reader, fmt.Sprintf(`copy %s (%s) from stdin (format binary)`, table, strings.Join(columns, ", ")),
	)
	return err
}

// earlier returns the SQL of a column's value in a copy of its row, of another environment and so many months
// earlier.
func earlier(column, kind string, environment int64, month int) string {
	days := month * reportDays
	switch {
	case column == "environment_id":
		return fmt.Sprintf("%d::bigint", environment)
	case month == 0:
		return column
	case column == "app_user_id", column == "session_id":
		return fmt.Sprintf("'%d-' || %s", month, column)
	case column == "hits": // milliseconds << 22 | name
		return fmt.Sprintf("(select array_agg(hit - (%d::bigint << 22)) from unnest(hits) hit)", days*24*60*60*1000)
	case kind == "date":
		return fmt.Sprintf("%s - %d", column, days)
	case strings.HasPrefix(kind, "timestamp"):
		return fmt.Sprintf("%s - interval '%d days'", column, days)
	}
	return column
}
