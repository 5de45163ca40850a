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
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Bounds of what is held in memory of a file that is being written. Pages of a row group wait packed until it is whole.
const (
	groupBytes      = 32 << 20  // of the rows of a row group, as the database sends them
	batchRows       = 256       // that are split into columns together
	batchBytes      = 1 << 20   // the same in bytes
	pageBytes       = 64 << 10  // of a page of a column, before it is packed
	dictionaryBytes = 256 << 10 // of a column's texts in a row group; a column with more repeats them
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
	out.complete = t.complete
	for _, statement := range t.selects {
		if err := out.take(ctx, tx, statement, scope); err != nil {
			return out.rows, err
		}
	}
	return out.close()
}

// groups writes rows in row groups that are bounded in bytes.
type groups[T any] struct {
	file     *parquet.GenericWriter[T]
	complete func(*T) // each row; nil when they are whole
	batch    []T
	batched  int // bytes in batch
	inGroup  int // bytes in the row group, batch included
	rows     int64
}

func newGroups[T any](w io.Writer) *groups[T] {
	return &groups[T]{file: parquet.NewGenericWriter[T](
		w, parquet.Compression(&zstd.Codec{}), parquet.PageBufferSize(pageBytes),
		parquet.DictionaryMaxBytes(dictionaryBytes),
	)}
}

func (g *groups[T]) take(ctx context.Context, tx pgx.Tx, statement string, scope pgx.NamedArgs) error {
	rows, err := tx.Query(ctx, statement, scope)
	if err != nil {
		return err
	}
	defer rows.Close()
	var row T
	scanner, err := newScanner(&row, rows)
	if err != nil {
		return err
	}
	for rows.Next() {
		if err := scanner.scan(rows); err != nil {
			return err
		}
		if g.complete != nil {
			g.complete(&row)
		}
		if err := g.add(row, sizeOf(rows.RawValues())); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (g *groups[T]) add(row T, bytes int) error {
	g.batch, g.batched, g.inGroup, g.rows = append(g.batch, row), g.batched+bytes, g.inGroup+bytes, g.rows+1
	if g.inGroup >= groupBytes {
		if err := g.flush(); err != nil {
			return err
		}
		g.inGroup = 0
		return g.file.Flush()
	}
	if len(g.batch) >= batchRows || g.batched >= batchBytes {
		return g.flush()
	}
	return nil
}

func (g *groups[T]) flush() error {
	_, err := g.file.Write(g.batch)
	clear(g.batch) // their texts are in the file's buffers now
	g.batch, g.batched = g.batch[:0], 0
	return err
}

// close ends the file and returns the number of its rows.
func (g *groups[T]) close() (int64, error) {
	if err := g.flush(); err != nil {
		return g.rows, err
	}
	return g.rows, g.file.Close()
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

func sizeOf(values [][]byte) (bytes int) {
	for _, value := range values {
		bytes += len(value)
	}
	return bytes
}
