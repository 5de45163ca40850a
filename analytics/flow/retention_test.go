package flow

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/frame"
)

// However many variants clients make up, the rows are few and everybody is in one of them.
func TestRetentionListsFewValuesAndTheOthersTogether(t *testing.T) {
	const made = 50_000
	texts, total := []string{frame.Other}, []returnTally{{people: 500, returned: [5]int64{1: 3}}}
	for i := range made {
		texts = append(texts, fmt.Sprintf("made up %05d", i))
		people := int64(1)
		if i == made-1 {
			people = 1_000
		}
		total = append(total, returnTally{people: people, returned: [5]int64{1}, eligible: [5]int64{1}, both: [5]int64{1}})
	}
	got := retentionOf(texts, total)
	require.Len(t, got.Rows, MaxRetentionRows)
	require.Equal(t, "made up 49999", got.Rows[0].Value)
	require.Equal(t, "made up 00000", got.Rows[1].Value)
	last := got.Rows[len(got.Rows)-1]
	require.Equal(t, frame.Other, last.Value)
	people, returned := int64(0), int64(0)
	for _, row := range got.Rows {
		people, returned = people+row.Visitors, returned+row.Days[0].Returned
		require.InDelta(t, 1, *row.Days[0].Rate, 0)
	}
	require.Equal(t, []int64{made - 1 + 1_000 + 500, made}, []int64{people, returned})
	require.Equal(t, people, got.Visitors)
	require.EqualValues(t, 3, last.Days[1].Returned)
}
