package automation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"
)

// turns share the places of a queue among workspaces: one takes a further place only while more are free than it has.
// So one alone has half of them at most, and however many have work, a place is left for the next one that comes.
type turns struct {
	places int

	mu    sync.Mutex
	taken map[uuid.UUID]int // by workspace
	all   int
}

func newTurns(places int) *turns { return &turns{places: places, taken: map[uuid.UUID]int{}} }

// most returns how many places a workspace has at most.
func (t *turns) most() int { return (t.places + 1) / 2 }

// take takes a place for a workspace and returns what gives it back; nil when it is not the workspace's turn.
func (t *turns) take(workspace uuid.UUID) (leave func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[workspace] >= t.places-t.all {
		return nil
	}
	t.taken[workspace]++
	t.all++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.all--
		if t.taken[workspace]--; t.taken[workspace] == 0 {
			delete(t.taken, workspace)
		}
	}
}

// inTurn works for the workspace of an environment or endpoint, named by a condition on e, the table of environments,
// when it is its turn. Otherwise the job ends at once, and is made again from the rows that it was for.
func (a *Automations) inTurn(ctx context.Context, t *turns, condition string, id any, work func() error) error {
	var workspace uuid.UUID
	if err := a.db.Pool.QueryRow(ctx, `
		select coalesce((select p.workspace_id from environments e join apps p on p.id = e.app_id where `+condition+`),
			'00000000-0000-0000-0000-000000000000')`, id).Scan(&workspace); err != nil {
		return fmt.Errorf("read whose turn it is: %w", err)
	}
	leave := t.take(workspace)
	if leave == nil {
		return nil
	}
	defer leave()
	return work()
}

// interleave puts segments in the order in which they are evaluated, one after another: one of each environment, then
// the second of each, so that many of one environment do not stand before the only one of another.
func interleave(keys []segmentKey) []segmentKey {
	type place struct {
		segmentKey
		turn int
	}
	seen := map[int64]int{}
	places := make([]place, len(keys))
	for i, key := range keys {
		places[i] = place{key, seen[key.environment]}
		seen[key.environment]++
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.turn, b.turn) })
	for i := range places {
		keys[i] = places[i].segmentKey
	}
	return keys
}
