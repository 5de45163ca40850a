package parquetfiles

import (
	"context"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Bounds of what is held in memory of a file that is being written. Pages of a row group wait packed until it is whole.
const (
	groupBytes      = 32 << 20  // of the rows of a row group, as the database sends them
	batchRows       = 256       // that go to their columns together
	batchBytes      = 1 << 20   // the same in bytes
	pageBytes       = 64 << 10  // of a page of a column, before it is packed
	dictionaryBytes = 256 << 10 // of a column's texts in a row group; a column with more repeats them
)

// groups writes rows in row groups that are bounded in bytes. Columns are packed where their rows are read, while the
// database makes the next ones: handed to another goroutine, an eighth of the time went into moving them between cores.
type groups struct {
	schema   *parquet.Schema
	required []int    // columns that are never null
	besides  []string // columns that are not in the file, but complete others
	batch    batch
	inGroup  int // bytes in the row group, without the batch
	rows     int64
	file     *parquet.GenericWriter[any]
}

func newGroups(w io.Writer, schema *parquet.Schema, besides ...string) *groups {
	// Readers have bounds of pages in the index of the file, so they are not told again in each page; and in pages of this
	// size the fastest level packs as well as the default one.
	options := append(
		textsWithoutBounds(schema), schema, parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.PageBufferSize(pageBytes), parquet.DictionaryMaxBytes(dictionaryBytes), parquet.DataPageStatistics(false),
	)
	g := &groups{
		schema: schema, besides: besides, batch: newBatch(schema, besides),
		file: parquet.NewGenericWriter[any](w, options...),
	}
	for i, path := range schema.Columns() {
		if leaf, _ := schema.Lookup(path...); leaf.MaxDefinitionLevel == 0 {
			g.required = append(g.required, i)
		}
	}
	return g
}

// textsWithoutBounds leaves the least and the largest text of each page out: rows are in no order of texts, but for the
// kind, so that no reader could pass a page over by them.
func textsWithoutBounds(schema *parquet.Schema) (options []parquet.WriterOption) {
	for _, column := range schema.Columns() {
		leaf, _ := schema.Lookup(column...)
		if leaf.Node.Type().Kind() == parquet.ByteArray && column[0] != "kind" {
			options = append(options, parquet.SkipPageBounds(column...))
		}
	}
	return options
}

// take adds the rows of a select.
func (g *groups) take(ctx context.Context, tx pgx.Tx, from selection, scope pgx.NamedArgs) error {
	return selectRows(ctx, tx, from, scope, g.schema, g.besides, &g.batch, func() error {
		if from.complete != nil {
			from.complete(&g.batch)
		}
		for _, column := range g.required {
			if g.batch.get(column) == nil {
				return fmt.Errorf("%s is null", g.schema.Columns()[column][0])
			}
		}
		return g.added()
	})
}

// add adds a row that is not from a select.
func (g *groups) add(row parquet.Row, bytes int) error {
	for _, value := range row {
		g.batch.columns[value.Column()] = append(g.batch.columns[value.Column()], value)
	}
	g.batch.bytes += bytes
	return g.added()
}

// added ends a row of the batch, and writes that when it is large enough.
func (g *groups) added() error {
	g.rows++
	g.batch.rows++
	if g.inGroup+g.batch.bytes >= groupBytes {
		g.inGroup = 0
		if err := g.write(); err != nil {
			return err
		}
		return g.file.Flush()
	}
	if g.batch.rows >= batchRows || g.batch.bytes >= batchBytes {
		g.inGroup += g.batch.bytes
		return g.write()
	}
	return nil
}

// write hands the batch to the columns of the file, which have its texts in their buffers afterwards.
func (g *groups) write() error {
	for i, column := range g.file.ColumnWriters() {
		g.batch.columns[i] = g.batch.filled(i)
		if _, err := column.WriteRowValues(g.batch.columns[i]); err != nil {
			return err
		}
	}
	g.batch.clear()
	return nil
}

// close ends the file and returns the number of its rows.
func (g *groups) close() (int64, error) {
	if err := g.write(); err != nil {
		return g.rows, err
	}
	return g.rows, g.file.Close()
}
