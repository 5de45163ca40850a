package automation

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// However greedy workspaces are, one that comes gets a place at once.
func TestAPlaceIsLeftForWhoComes(t *testing.T) {
	for _, places := range []int{1, 2, 4, endpointsAtOnce} {
		turns := newTurns(places)
		var leaves []func()
		for tenant := range places {
			workspace, got := uuid.New(), 0
			for leave := turns.take(workspace); leave != nil; leave = turns.take(workspace) {
				leaves = append(leaves, leave)
				got++
			}
			require.LessOrEqual(t, got, turns.most())
			if tenant == 0 {
				require.Equal(t, turns.most(), got, "one alone has half")
			}
		}
		require.LessOrEqual(t, turns.all, places)
		for _, leave := range leaves {
			leave()
		}
		require.Empty(t, turns.taken)
		require.NotNil(t, turns.take(uuid.New()))
	}
}

// The only segment of an environment is evaluated after at most one of each other environment.
func TestSegmentsAreEvaluatedTurnByTurn(t *testing.T) {
	var keys []segmentKey
	for range 100 {
		keys = append(keys, segmentKey{1, uuid.New()})
	}
	keys = append(keys, segmentKey{2, uuid.New()}, segmentKey{3, uuid.New()})
	var order []int64
	for _, key := range interleave(append([]segmentKey(nil), keys...)) {
		order = append(order, key.environment)
	}
	require.Equal(t, []int64{1, 2, 3, 1}, order[:4])
	require.ElementsMatch(t, keys, interleave(append([]segmentKey(nil), keys...)))
}
