package parquetfiles

import (
	"fmt"
	"hash/maphash"
	"reflect"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// scanner reads rows of a select into the fields of one row, by their db tags. Fields without a column stay as they
// are.
type scanner struct {
	targets []any // nil for texts
	texts   []textColumn
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
				s.texts, target = append(s.texts, text), nil
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
	for i := range s.texts {
		if err := s.texts[i].read(raw[s.texts[i].index]); err != nil {
			return err
		}
	}
	return nil
}

// textColumn reads a column of texts, most of which were there a few rows before: those are not made again.
type textColumn struct {
	index    int
	required *string
	optional **string
	latest   [256]*string // by hash
}

var textSeed = maphash.MakeSeed()

func (c *textColumn) read(raw []byte) error {
	if raw == nil {
		if c.required != nil {
			return fmt.Errorf("column %d is null", c.index)
		}
		*c.optional = nil
		return nil
	}
	slot := &c.latest[uint8(maphash.Bytes(textSeed, raw))]
	if *slot == nil || **slot != string(raw) {
		text := string(raw)
		*slot = &text
	}
	if c.required != nil {
		*c.required = **slot
	} else {
		*c.optional = *slot
	}
	return nil
}
