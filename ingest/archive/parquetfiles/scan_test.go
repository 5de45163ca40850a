package parquetfiles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestTextsAreReadAsTheyAre(t *testing.T) {
	var blocks textBlocks
	var kept []parquet.Value
	text := func(i int) string { return strings.Repeat(fmt.Sprint("text ", i), 1+i%40) }
	for i := range 3000 { // more than a block holds
		raw := []byte(text(i))
		kept = append(kept, readText(raw, &blocks))
		clear(raw) // as the connection does with its buffer
	}
	for i := range kept {
		require.Equal(t, text(i), kept[i].String())
	}
	long := strings.Repeat("x", 2*textBytes)
	require.Equal(t, long, readText([]byte(long), &blocks).String())
	empty := readText([]byte{}, &blocks)
	require.False(t, empty.IsNull())
	require.Empty(t, empty.ByteArray())
}

type everyKind struct {
	Text     string   `parquet:"text"`
	ID       *string  `parquet:"id,optional"`
	Small    int16    `parquet:"small"`
	Number   *int32   `parquet:"number,optional"`
	Wide     int64    `parquet:"wide"`
	Large    int64    `parquet:"large"`
	Fraction *float32 `parquet:"fraction,optional"`
	Yes      *bool    `parquet:"yes,optional"`
	At       int64    `parquet:"at,timestamp(microsecond)"`
	Never    int64    `parquet:"never,timestamp(microsecond)"`
	Absent   *string  `parquet:"absent,optional"`
	Missing  *string  `parquet:"missing,optional"` // from the select
}

func TestValuesAreThoseOfTheDatabase(t *testing.T) {
	db := pgtest.New(t)
	schema := parquet.SchemaOf(new(everyKind))
	var rows []everyKind
	var besides []string
	row := newBatch(schema, []string{"besides"})
	require.NoError(t, pgx.BeginFunc(t.Context(), db.Pool, func(tx pgx.Tx) error {
		return selectRows(t.Context(), tx, selection{statement: `
			select '-7'::int2 as small, 'a' as text, n as besides, '00010203-0405-0607-0809-0a0b0c0d0eff'::uuid as id,
				case when n = 2 then -5 end as number, (-3)::int as wide, -5000000000 as large, 1.5::float4 as fraction,
				true as yes, '1969-12-31 23:59:59.999999Z'::timestamptz as at, 'infinity'::timestamptz as never, null as absent
			from generate_series(1, 2) n`}, nil, schema, []string{"besides"}, &row, func() error {
			besides = append(besides, row.get(len(schema.Columns())).String())
			require.Positive(t, row.bytes)
			values := parquet.Row{}
			for i := range schema.Columns() {
				value := parquet.NullValue()
				if read := row.get(i); read != nil {
					value = *read
				}
				values = append(values, value.Level(0, value.DefinitionLevel(), i))
			}
			var read everyKind
			require.NoError(t, schema.Reconstruct(&read, values))
			rows = append(rows, read)
			row.clear()
			return nil
		})
	}))
	want := everyKind{
		Text: "a", ID: new("00010203-0405-0607-0809-0a0b0c0d0eff"), Small: -7, Wide: -3, Large: -5_000_000_000,
		Fraction: new(float32(1.5)), Yes: new(true), At: -1, Never: 1<<63 - 1,
	}
	second := want
	second.Number = new(int32(-5))
	require.Equal(t, []everyKind{want, second}, rows)
	require.Equal(t, []string{"1", "2"}, besides)
}

func TestColumnsThatTheFileCanNotHaveAreAnError(t *testing.T) {
	db := pgtest.New(t)
	for statement, problem := range map[string]string{
		`select 'a' as app_user_id, 1 as unknown`: "no column of the file takes unknown",
		`select 1 as app_user_id`:                 "app_user_id is of type 23",
		`select 'a'::text as "at"`:                "at is of type 25",
		`select null::text as app_user_id`:        "app_user_id is null",
	} {
		require.ErrorContains(t, pgx.BeginFunc(t.Context(), db.Pool, func(tx pgx.Tx) error {
			out := newGroups(fullDisk{}, hits.schema())
			return out.take(t.Context(), tx, selection{statement: statement}, nil)
		}), problem)
	}
}
