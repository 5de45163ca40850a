package frame

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A value that is not kept is right for who asked, and makes no other give way.
func TestMemoKeepsWhatItShould(t *testing.T) {
	memo := Memo[string, int]{Size: 2, Keeps: func(v int) bool { return v < 100 }}
	computed := 0
	ask := func(key string, value int) {
		require.Equal(t, value, memo.Get(key, func() int {
			computed++
			return value
		}))
	}
	ask("a", 1)
	for range 3 {
		ask("large", 1000)
	}
	require.Equal(t, 4, computed)
	ask("a", 1)
	ask("b", 2)
	ask("a", 1)
	require.Equal(t, 5, computed)
}
