package parquetfiles

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// scanner reads rows of a select into the fields of one row, by their db tags. Fields without a column stay as they
// are.
type scanner struct {
	targets []any // nil for texts
	columns []textColumn
	texts   textBlocks
}

// newScanner looks the fields up once a select: for each row it would take most of the time.
func newScanner[T any](row *T, rows pgx.Rows) (*scanner, error) {
	fields := map[string]any{}
	value := reflect.ValueOf(row).Elem()
	for i := range value.NumField() {
		fields[value.Type().Field(i).Tag.Get("db")] = value.Field(i).Addr().Interface()
	}
	s := &scanner{}
	for i, column := range rows.FieldDescriptions() {
		target := fields[column.Name]
		if target == nil {
			return nil, fmt.Errorf("no field takes the column %s", column.Name)
		}
		if column.DataTypeOID == pgtype.TextOID {
			text := textColumn{index: i}
			text.required, _ = target.(*string)
			if text.optional, _ = target.(**string); text.optional != nil || text.required != nil {
				s.columns, target = append(s.columns, text), nil
			}
		}
		s.targets = append(s.targets, target)
	}
	return s, nil
}

func (s *scanner) scan(rows pgx.Rows) error {
	if err := rows.Scan(s.targets...); err != nil {
		return err
	}
	raw := rows.RawValues()
	for i := range s.columns {
		if err := s.columns[i].read(raw[s.columns[i].index], &s.texts); err != nil {
			return err
		}
	}
	return nil
}

// textColumn reads a column of texts.
type textColumn struct {
	index    int
	required *string
	optional **string
}

func (c *textColumn) read(raw []byte, into *textBlocks) error {
	if raw == nil {
		if c.required != nil {
			return fmt.Errorf("column %d is null", c.index)
		}
		*c.optional = nil
		return nil
	}
	text := into.add(raw)
	if c.required != nil {
		*c.required = *text
	} else {
		*c.optional = text
	}
	return nil
}

// Bounds of what textBlocks takes from memory at once.
const (
	textBytes  = 64 << 10
	textValues = 1 << 10
)

// textBlocks keeps copies of the connection's texts in blocks: memory for each by itself took a tenth of an export's
// time.
type textBlocks struct {
	bytes  *strings.Builder // nil before the first one
	values []string
}

func (t *textBlocks) add(raw []byte) *string {
	if t.bytes == nil || t.bytes.Cap()-t.bytes.Len() < len(raw) {
		t.bytes = &strings.Builder{} // the strings of the last one stay as they are
		t.bytes.Grow(max(textBytes, len(raw)))
	}
	if len(t.values) == cap(t.values) {
		t.values = make([]string, 0, textValues)
	}
	from := t.bytes.Len()
	t.bytes.Write(raw)
	t.values = append(t.values, t.bytes.String()[from:])
	return &t.values[len(t.values)-1]
}
