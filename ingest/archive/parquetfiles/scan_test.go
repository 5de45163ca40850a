package parquetfiles

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestTextsAreReadAsTheyAre(t *testing.T) {
	var required string
	var optional *string
	columns := []textColumn{{required: &required}, {optional: &optional}}
	var kept []*string
	for i := range 3000 { // more than are remembered
		text := fmt.Sprint("text ", i%700)
		raw := []byte(text)
		for c := range columns {
			require.NoError(t, columns[c].read(raw))
		}
		clear(raw) // as the connection does with its buffer
		require.Equal(t, text, required)
		kept = append(kept, optional)
	}
	for i, text := range kept {
		require.Equal(t, fmt.Sprint("text ", i%700), *text)
	}
	require.NoError(t, columns[1].read(nil))
	require.Nil(t, optional)
	require.NoError(t, columns[1].read([]byte{}))
	require.Equal(t, "", *optional)
	require.ErrorContains(t, columns[0].read(nil), "is null")
}

func TestColumnsWithoutAFieldAreAnError(t *testing.T) {
	db := pgtest.New(t)
	rows, err := db.Pool.Query(t.Context(), `select 'a' as app_user_id, 1 as unknown`)
	require.NoError(t, err)
	defer rows.Close()
	_, err = newScanner(&hit{}, rows)
	require.ErrorContains(t, err, "no field takes the column unknown")
}
