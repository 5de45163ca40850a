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
