package report

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Wherever a search begins, it finds the first row of a visitor.
func TestSeek(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		visitors := rapid.SliceOf(rapid.Uint32Range(0, 40)).Draw(t, "visitors")
		slices.Sort(visitors)
		near := rapid.IntRange(0, len(visitors)).Draw(t, "near")
		visitor := rapid.Uint32Range(0, 41).Draw(t, "visitor")
		want, _ := slices.BinarySearch(visitors, visitor)
		require.Equal(t, want, seek(visitors, near, visitor))
	})
}
