// Package parquetfiles writes what is stored of an environment as Parquet files, one a table and UTC day, for readers
// such as DuckDB, ClickHouse and Spark. A folder mirrors the database: an export into one that is there writes
// the days that have changed since. Texts that are empty are null.
package parquetfiles

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/jackc/pgx/v5"
	"github.com/parquet-go/parquet-go"
)

// version is the count of a day's rows and a sum over what tells them apart: a day that has changed has another.
type version struct {
	Day  time.Time
	Rows int64
	Sum  string
}

func (v version) String() string { return fmt.Sprintf("%d:%s", v.Rows, v.Sum) }

// table is what files of one name are made of.
type table interface {
	Name() string
	schema() *parquet.Schema
	// versions returns the days that have rows, in order. The statement takes scope.
	versions(ctx context.Context, tx pgx.Tx, scope pgx.NamedArgs) ([]version, error)
	// prepared returns the table for an export, which may have read what all its files need.
	prepared(ctx context.Context, tx pgx.Tx, scope pgx.NamedArgs) (table, error)
	// write writes the rows of scope to w as one Parquet file and returns how many they are.
	write(ctx context.Context, tx pgx.Tx, scope pgx.NamedArgs, w io.Writer) (int64, error)
}

// tableOf is a table whose rows are T: its fields are the columns by their db tags, and what they are in a file by
// their parquet tags. All statements take the arguments of scope; selects follow each other in a file.
type tableOf[T any] struct {
	name    string
	summary string // selects day, rows and sum
	selects []string
	// prepare returns other selects for an export, and what completes each of their rows; nil changes nothing.
	prepare  func(context.Context, pgx.Tx, pgx.NamedArgs, []string) ([]string, func(*T), error)
	complete func(*T) // nil for rows that are whole
}

func (t tableOf[T]) prepared(ctx context.Context, tx pgx.Tx, scope pgx.NamedArgs) (_ table, err error) {
	if t.prepare != nil {
		t.selects, t.complete, err = t.prepare(ctx, tx, scope, t.selects)
	}
	return t, err
}

func (t tableOf[T]) Name() string { return t.name }

func (t tableOf[T]) schema() *parquet.Schema { return parquet.SchemaOf(new(T)) }

// shapeOf names the columns of a table: files of another shape are written anew.
func shapeOf(t table) string { return strconv.FormatUint(xxhash.Sum64String(t.schema().String()), 36) }

func (t tableOf[T]) versions(ctx context.Context, tx pgx.Tx, scope pgx.NamedArgs) ([]version, error) {
	rows, err := tx.Query(ctx, t.summary, scope)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[version])
}

func (t tableOf[T]) write(ctx context.Context, tx pgx.Tx, scope pgx.NamedArgs, w io.Writer) (int64, error) {
	out := newGroups[T](w)
	defer func() { _ = out.stop() }() // what failed is told by then
	out.complete = t.complete
	for _, statement := range t.selects {
		if err := out.take(ctx, tx, statement, scope); err != nil {
			return out.rows, err
		}
	}
	return out.close()
}

// texts returns columns of a select whose empty texts are null. The fields are pointers: of a text with the tag
// optional parquet-go 0.32.0 writes the last row of a page as empty.
func texts(columns string) string {
	var selected []string
	for column := range strings.SplitSeq(columns, ", ") {
		selected = append(selected, "nullif("+column+", '') as "+column)
	}
	return strings.Join(selected, ", ")
}
