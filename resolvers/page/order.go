package page

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/fault"
)

// Order is a total order of the rows of a list. Its cursors hold the place of a row, so that rows which are added or
// removed meanwhile neither repeat nor hide others.
type Order[T any] struct {
	columns    []string // the last one is unique among rows that agree in the others
	descending bool
	cursor     func(*T) string
	parse      func(cursor string) ([]any, error)
}

// ByName orders by the column name, then by id.
func ByName[T any, ID int64 | uuid.UUID](key func(*T) (name string, id ID)) Order[T] {
	return tied("name", false, key)
}

// NewestFirst orders by the column created_at, latest first, then by id.
func NewestFirst[T any, ID int64 | uuid.UUID](key func(*T) (createdAt time.Time, id ID)) Order[T] {
	return tied("created_at", true, key)
}

// OldestFirst orders by the column created_at, then by id.
func OldestFirst[T any, ID int64 | uuid.UUID](key func(*T) (createdAt time.Time, id ID)) Order[T] {
	return tied("created_at", false, key)
}

// HighestFirst orders by a column of numbers that are unique in the list.
func HighestFirst[T any](column string, key func(*T) int) Order[T] {
	return Order[T]{
		columns: []string{column}, descending: true,
		cursor: func(row *T) string { return encode(key(row)) },
		parse: func(cursor string) ([]any, error) {
			var number int
			if err := decode(cursor, &number); err != nil {
				return nil, err
			}
			return []any{number}, nil
		},
	}
}

// LatestFirst orders by a time, latest first, then by a text that is unique among rows of one time, in the order that
// its bytes have backwards.
func LatestFirst[T any](key func(*T) (at time.Time, text string)) Order[T] {
	return Order[T]{
		cursor: func(row *T) string {
			at, text := key(row)
			return encode(place[time.Time, string]{at, text})
		},
		parse: func(cursor string) ([]any, error) {
			var at place[time.Time, string]
			if err := decode(cursor, &at); err != nil || strings.ContainsRune(at.ID, 0) {
				return nil, errForeign
			}
			return []any{at.Key, at.ID}, nil
		},
	}
}

// ByText orders by texts that are unique in the list, by their bytes.
func ByText[T any](key func(*T) string) Order[T] {
	return Order[T]{
		cursor: func(row *T) string { return encode(key(row)) },
		parse: func(cursor string) ([]any, error) {
			var text string
			if err := decode(cursor, &text); err != nil {
				return nil, err
			}
			return []any{text}, nil
		},
	}
}

var errForeign = fault.Invalid("after", "is not a cursor of this list")

// place is a row's place in an order with ties.
type place[K, ID any] struct {
	Key K  `json:"k"`
	ID  ID `json:"i"`
}

func tied[T any, K string | time.Time, ID int64 | uuid.UUID](
	column string, descending bool, key func(*T) (K, ID),
) Order[T] {
	return Order[T]{
		columns: []string{column, "id"}, descending: descending,
		cursor: func(row *T) string {
			k, id := key(row)
			return encode(place[K, ID]{k, id})
		},
		parse: func(cursor string) ([]any, error) {
			var at place[K, ID]
			if err := decode(cursor, &at); err != nil {
				return nil, err
			}
			if name, ok := any(at.Key).(string); ok && strings.ContainsRune(name, 0) {
				return nil, errForeign // PostgreSQL knows no text with NUL
			}
			return []any{at.Key, at.ID}, nil
		},
	}
}

// sort orders a statement.
func (o Order[T]) sort(s *sql.Selector) {
	for _, column := range o.columns {
		if o.descending {
			s.OrderBy(sql.Desc(s.C(column)))
		} else {
			s.OrderBy(sql.Asc(s.C(column)))
		}
	}
}

// after keeps the rows behind a place. It compares whole rows of columns, which an index on them can answer.
func (o Order[T]) after(position []any) func(*sql.Selector) {
	return func(s *sql.Selector) {
		columns := make([]string, len(o.columns))
		for i, column := range o.columns {
			columns[i] = s.C(column)
		}
		if o.descending {
			s.Where(sql.CompositeLT(columns, position...))
		} else {
			s.Where(sql.CompositeGT(columns, position...))
		}
	}
}

// encode writes a cursor. Clients must not read it, so its form may change.
func encode(position any) string {
	text, err := json.Marshal(position)
	if err != nil {
		panic(err) // numbers, texts, times and ids can always be written
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

func decode(cursor string, position any) error {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(text, position) != nil {
		return errForeign
	}
	return nil
}
