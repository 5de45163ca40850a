package parquetfiles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestTextsAreReadAsTheyAre(t *testing.T) {
	var required string
	var optional *string
	columns := []textColumn{{required: &required}, {optional: &optional}}
	var blocks textBlocks
	var kept []*string
	text := func(i int) string { return strings.Repeat(fmt.Sprint("text ", i), 1+i%40) }
	for i := range 3000 { // more than a block holds
		raw := []byte(text(i))
		for c := range columns {
			require.NoError(t, columns[c].read(raw, &blocks))
		}
		clear(raw) // as the connection does with its buffer
		require.Equal(t, text(i), required)
		kept = append(kept, optional)
	}
	for i := range kept {
		require.Equal(t, text(i), *kept[i])
	}
	require.NoError(t, columns[1].read(nil, &blocks))
	require.Nil(t, optional)
	require.NoError(t, columns[1].read([]byte{}, &blocks))
	require.Equal(t, "", *optional)
	long := strings.Repeat("x", 2*textBytes)
	require.NoError(t, columns[1].read([]byte(long), &blocks))
	require.Equal(t, long, *optional)
	require.ErrorContains(t, columns[0].read(nil, &blocks), "is null")
}

func TestColumnsWithoutAFieldAreAnError(t *testing.T) {
	db := pgtest.New(t)
	rows, err := db.Pool.Query(t.Context(), `select 'a' as app_user_id, 1 as unknown`)
	require.NoError(t, err)
	defer rows.Close()
	_, err = newScanner(&hit{}, rows)
	require.ErrorContains(t, err, "no field takes the column unknown")
}
