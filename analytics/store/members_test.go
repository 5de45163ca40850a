package store

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
)

// Segments that differ have different keys, also where their lists joined would be the same.
func TestKeysOfSegmentsDiffer(t *testing.T) {
	t.Parallel()
	seen := map[memberKey]int{}
	for i, segment := range []*analytics.Segment{
		{}, {ID: "a"}, {AppUserIDs: []string{"a"}}, {CustomUserIDs: []string{"a"}}, {AppUserIDs: []string{"ab"}},
		{AppUserIDs: []string{"a", "b"}}, {AppUserIDs: []string{"a"}, CustomUserIDs: []string{"b"}},
		{Rules: &analytics.SegmentRules{Days: 1}}, {Rules: &analytics.SegmentRules{Days: 2}},
	} {
		for environment := range int64(2) {
			key, err := keyOf(environment, segment)
			require.NoError(t, err)
			again, err := keyOf(environment, segment)
			require.NoError(t, err)
			require.Equal(t, key, again)
			require.NotContains(t, seen, key)
			seen[key] = i
		}
	}
}
