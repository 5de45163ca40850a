package parquetfiles

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/parquet-go/parquet-go"
)

// batch is rows by column: those of the file, then some that only complete them. Lists take several values of a row.
// Nulls are there only where a value comes after them: half of what an event could have is null.
type batch struct {
	columns [][]parquet.Value
	rows    int // that are whole
	bytes   int // as the database sends them
}

func newBatch(schema *parquet.Schema, besides []string) batch {
	return batch{columns: make([][]parquet.Value, len(schema.Columns())+len(besides))}
}

// put gives the row that is read a value, in the place of one that it has.
func (b *batch) put(column int, value *parquet.Value) {
	b.columns[column] = append(b.filled(column)[:b.rows], *value)
}

// get returns a value of the row that is read, nil for null.
func (b *batch) get(column int) *parquet.Value {
	if values := b.columns[column]; len(values) > b.rows {
		return &values[b.rows]
	}
	return nil
}

// remove makes a value of the row that is read null.
func (b *batch) remove(column int) {
	if values := b.columns[column]; len(values) > b.rows {
		b.columns[column] = values[:b.rows]
	}
}

// filled returns the values of a column in all rows that are whole.
func (b *batch) filled(column int) []parquet.Value {
	values := b.columns[column]
	for len(values) < b.rows {
		values = append(values, parquet.Value{})
	}
	return values
}

// clear takes the rows out.
func (b *batch) clear() {
	for i := range b.columns {
		b.columns[i] = b.columns[i][:0]
	}
	b.rows, b.bytes = 0, 0
}

// selectRows reads each row of a select into a batch and calls use. Columns are those of the schema and besides.
func selectRows(
	ctx context.Context, tx pgx.Tx, from selection, args pgx.NamedArgs, schema *parquet.Schema, besides []string,
	to *batch, use func() error,
) error {
	// Values are read in binary, whatever the connection does by default.
	rows, err := tx.Query(ctx, from.statement, pgx.QueryExecModeDescribeExec, args)
	if err != nil {
		return err
	}
	defer rows.Close()
	scanner, err := newScanner(schema, besides, rows.FieldDescriptions())
	if err != nil {
		return err
	}
	scanner.emptyIsNull = from.emptyIsNull
	for rows.Next() {
		scanner.scan(rows.RawValues(), to)
		if err := use(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// scanner reads rows of a select as values of the columns of their names, without fields of Go in between, which took a
// sixth of the time.
type scanner struct {
	columns     []scanned
	emptyIsNull bool // of texts that may be null
	texts       textBlocks
}

// scanned is a column of a select.
type scanned struct {
	to    int
	level int // of definition, where there is a value; 0 is never null
	read  func(raw []byte, texts *textBlocks) parquet.Value
	// Of the last row that has one: most columns say what they said before, and to make a value and copy it at once takes
	// longer than to compare.
	known bool
	raw   []byte
	value parquet.Value
}

// newScanner finds the columns of a select by name. Of several of one name the last one counts that is not null.
func newScanner(schema *parquet.Schema, besides []string, fields []pgconn.FieldDescription) (*scanner, error) {
	s := &scanner{}
	for _, field := range fields {
		column, kind := scanned{level: 1}, kinds[field.DataTypeOID]
		if leaf, found := schema.Lookup(field.Name); found {
			column.to, column.level, kind = leaf.ColumnIndex, leaf.MaxDefinitionLevel, leaf.Node.Type().Kind()
		} else if i := slices.Index(besides, field.Name); i >= 0 {
			column.to = len(schema.Columns()) + i
		} else {
			return nil, fmt.Errorf("no column of the file takes %s", field.Name)
		}
		if column.read = readerOf(kind, field); column.read == nil {
			return nil, fmt.Errorf("%s is of type %d, which a column of the file can't have", field.Name, field.DataTypeOID)
		}
		s.columns = append(s.columns, column)
	}
	return s, nil
}

// scan reads a row.
func (s *scanner) scan(raw [][]byte, to *batch) {
	for i := range s.columns {
		column := &s.columns[i]
		if raw[i] == nil || len(raw[i]) == 0 && s.emptyIsNull && column.level > 0 {
			continue
		}
		to.bytes += len(raw[i])
		if !column.known || !bytes.Equal(raw[i], column.raw) {
			column.known, column.raw = true, append(column.raw[:0], raw[i]...)
			column.value = column.read(raw[i], &s.texts)
			column.value.SetDefinitionLevel(column.level)
		}
		to.put(column.to, &column.value)
	}
}

// kinds of columns that are not in the file.
var kinds = map[uint32]parquet.Kind{
	pgtype.TextOID: parquet.ByteArray, pgtype.UUIDOID: parquet.ByteArray, pgtype.Int4OID: parquet.Int32,
}

// readerOf returns what reads values of a select as those of a kind, and nil where they are none.
func readerOf(kind parquet.Kind, of pgconn.FieldDescription) func([]byte, *textBlocks) parquet.Value {
	if of.Format == pgtype.TextFormatCode {
		if kind == parquet.ByteArray {
			return readText
		}
		return nil
	}
	return readers[readerKey{kind, of.DataTypeOID}]
}

type readerKey struct {
	kind parquet.Kind
	oid  uint32
}

// readers of what the database sends in binary.
var readers = map[readerKey]func(raw []byte, texts *textBlocks) parquet.Value{
	{parquet.ByteArray, pgtype.UUIDOID}:    readUUID,
	{parquet.Boolean, pgtype.BoolOID}:      readBool,
	{parquet.Int32, pgtype.Int2OID}:        readInt16,
	{parquet.Int32, pgtype.Int4OID}:        readInt32,
	{parquet.Int64, pgtype.Int4OID}:        readInt32AsInt64,
	{parquet.Int64, pgtype.Int8OID}:        readInt64,
	{parquet.Float, pgtype.Float4OID}:      readFloat,
	{parquet.Int64, pgtype.TimestamptzOID}: readTime,
}

func readText(raw []byte, texts *textBlocks) parquet.Value {
	return parquet.ByteArrayValue(texts.add(raw))
}

func readUUID(raw []byte, texts *textBlocks) parquet.Value {
	var text [36]byte
	hex.Encode(text[:], raw[:4])
	for i, part := range [][]byte{raw[4:6], raw[6:8], raw[8:10], raw[10:16]} {
		at := 8 + 5*i
		text[at] = '-'
		hex.Encode(text[at+1:], part)
	}
	return parquet.ByteArrayValue(texts.add(text[:]))
}

func readBool(raw []byte, _ *textBlocks) parquet.Value { return parquet.BooleanValue(raw[0] != 0) }

func readInt16(raw []byte, _ *textBlocks) parquet.Value {
	return parquet.Int32Value(int32(int16(binary.BigEndian.Uint16(raw))))
}

func readInt32(raw []byte, _ *textBlocks) parquet.Value {
	return parquet.Int32Value(int32(binary.BigEndian.Uint32(raw)))
}

func readInt32AsInt64(raw []byte, _ *textBlocks) parquet.Value {
	return parquet.Int64Value(int64(int32(binary.BigEndian.Uint32(raw))))
}

func readInt64(raw []byte, _ *textBlocks) parquet.Value {
	return parquet.Int64Value(int64(binary.BigEndian.Uint64(raw)))
}

func readFloat(raw []byte, _ *textBlocks) parquet.Value {
	return parquet.FloatValue(math.Float32frombits(binary.BigEndian.Uint32(raw)))
}

// year2000 is where the database counts microseconds from, in those of Unix.
const year2000 = 946_684_800_000_000

// readTime reads a timestamp; infinity stays the largest or the least one.
func readTime(raw []byte, _ *textBlocks) parquet.Value {
	at := int64(binary.BigEndian.Uint64(raw))
	if at != math.MaxInt64 && at != math.MinInt64 {
		at += year2000
	}
	return parquet.Int64Value(at)
}

// textBytes is what textBlocks takes from memory at once.
const textBytes = 64 << 10

// textBlocks keeps copies of the connection's texts in blocks: memory for each by itself took a tenth of an export's
// time.
type textBlocks struct{ block []byte }

func (t *textBlocks) add(raw []byte) []byte {
	if cap(t.block)-len(t.block) < len(raw) {
		t.block = make([]byte, 0, max(textBytes, len(raw))) // the texts of the last one stay where they are
	}
	from := len(t.block)
	t.block = append(t.block, raw...)
	return t.block[from:len(t.block):len(t.block)]
}
