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

// tableOf is a table whose files have the fields of T as columns. All statements take the arguments of scope; selects
// follow each other in a file, and name the columns as T does.
type tableOf[T any] struct {
	name    string
	summary string // selects day, rows and sum
	selects []string
	besides []string // columns of the first select of an export that are not in the file, but complete others
	// prepare returns what takes the place of the first select in an export, or nil; it may be nil itself.
	prepare func(context.Context, pgx.Tx, pgx.NamedArgs) (*selection, error)
	first   *selection
}

// selection is a select of the rows of a file.
type selection struct {
	statement   string
	emptyIsNull bool              // of texts that may be null
	complete    func(last *batch) // the last row of a batch; nil for rows that are whole
}

func (t tableOf[T]) prepared(ctx context.Context, tx pgx.Tx, scope pgx.NamedArgs) (_ table, err error) {
	if t.prepare != nil {
		t.first, err = t.prepare(ctx, tx, scope)
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
	out := newGroups(w, t.schema(), t.besides...)
	for i, statement := range t.selects {
		from := selection{statement: statement}
		if i == 0 && t.first != nil {
			from = *t.first
		}
		if err := out.take(ctx, tx, from, scope); err != nil {
			return out.rows, err
		}
	}
	return out.close()
}

// texts returns columns of a select whose empty texts are null.
func texts(columns string) string {
	var selected []string
	for column := range strings.SplitSeq(columns, ", ") {
		selected = append(selected, "nullif("+column+", '') as "+column)
	}
	return strings.Join(selected, ", ")
}
