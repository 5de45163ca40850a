package parquetfiles

import (
	"context"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Bounds of what is held in memory of a file that is being written. Pages of a row group wait packed until it is whole.
const (
	groupBytes      = 32 << 20  // of the rows of a row group, as the database sends them
	batchRows       = 256       // that are split into columns together, while the next are read
	batchBytes      = 1 << 20   // the same in bytes
	batches         = 8         // of rows that are read and not written yet
	pageBytes       = 64 << 10  // of a page of a column, before it is packed
	dictionaryBytes = 256 << 10 // of a column's texts in a row group; a column with more repeats them
)

// groups writes rows in row groups that are bounded in bytes. Rows are packed by a goroutine of its own while the next
// are read, which takes about as long.
type groups[T any] struct {
	complete func(*T) // each row; nil when they are whole
	batch    batch[T]
	batched  int // bytes in batch
	inGroup  int // bytes in the row group, batch included
	rows     int64

	file   *parquet.GenericWriter[T]
	full   chan batch[T] // to be written; closed at the end
	empty  chan []T      // whose rows are written
	result chan error    // of writing, once it has ended
	ended  bool          // full is closed
}

// batch is rows that are written together.
type batch[T any] struct {
	rows      []T
	endsGroup bool
}

// newGroups begins a file. The caller ends it with stop, after close or without.
func newGroups[T any](w io.Writer) *groups[T] {
	// Readers have bounds of pages in the index of the file, so they are not told again in each page; and in pages of this
	// size the fastest level packs as well as the default one.
	options := append(
		textsWithoutBounds(parquet.SchemaOf(new(T))), parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.PageBufferSize(pageBytes), parquet.DictionaryMaxBytes(dictionaryBytes), parquet.DataPageStatistics(false),
	)
	g := &groups[T]{
		file: parquet.NewGenericWriter[T](w, options...),
		full: make(chan batch[T], batches), empty: make(chan []T, batches), result: make(chan error, 1),
	}
	for range batches - 1 {
		g.empty <- nil // one is the batch
	}
	go func() { g.result <- g.write() }()
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

// write writes batches until there are no more or one fails.
func (g *groups[T]) write() error {
	for b := range g.full {
		if _, err := g.file.Write(b.rows); err != nil {
			return err
		}
		clear(b.rows) // their texts are in the file's buffers now
		if b.endsGroup {
			if err := g.file.Flush(); err != nil {
				return err
			}
		}
		g.empty <- b.rows[:0]
	}
	return nil
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
	g.batch.rows, g.batched, g.inGroup = append(g.batch.rows, row), g.batched+bytes, g.inGroup+bytes
	g.rows++
	if g.inGroup >= groupBytes {
		g.batch.endsGroup, g.inGroup = true, 0
		return g.flush()
	}
	if len(g.batch.rows) >= batchRows || g.batched >= batchBytes {
		return g.flush()
	}
	return nil
}

// flush has the batch written and begins another one.
func (g *groups[T]) flush() error {
	select {
	case g.full <- g.batch:
	case err := <-g.result:
		g.result <- err // for stop
		return err
	}
	select {
	case rows := <-g.empty:
		g.batch, g.batched = batch[T]{rows: rows}, 0
		return nil
	case err := <-g.result:
		g.result <- err
		return err
	}
}

// stop ends the writing of rows.
func (g *groups[T]) stop() error {
	if !g.ended {
		g.ended = true
		close(g.full)
	}
	err := <-g.result
	g.result <- err // as often as it is asked for
	return err
}

// close ends the file and returns the number of its rows.
func (g *groups[T]) close() (int64, error) {
	if err := g.flush(); err != nil {
		return g.rows, err
	}
	if err := g.stop(); err != nil {
		return g.rows, err
	}
	return g.rows, g.file.Close()
}

func sizeOf(values [][]byte) (bytes int) {
	for _, value := range values {
		bytes += len(value)
	}
	return bytes
}
