package report

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Counts are shared while they take little memory together, and those that find no room are right all the same.
func TestCountsAreRememberedWithinABudget(t *testing.T) {
	s := &Selection{picked: &picked{counts: newCountCache()}}
	counted := 0
	ask := func(key string, cells int) int {
		return remembered(s, countKey{what: key}, cells, 8, func() int {
			counted++
			return cells
		})
	}
	for range 2 {
		require.Equal(t, 100, ask("small", 100))
	}
	require.Equal(t, 1, counted)
	for range 2 {
		require.Equal(t, 1<<20, ask("large", 1<<20))
	}
	require.Equal(t, 3, counted, "larger than all may take together")
	for i := range 3 * rememberedBytes / leastRemembered {
		require.Equal(t, 1, ask(strconv.Itoa(i), 1))
	}
	require.LessOrEqual(t, s.picked.counts.bytes, rememberedBytes)
	counted = 0
	require.Equal(t, 100, ask("small", 100))
	require.Zero(t, counted, "what was remembered stays")
	require.Equal(t, 1, ask(strconv.Itoa(3*rememberedBytes/leastRemembered-1), 1))
	require.Equal(t, 1, counted, "there was no room")
}
