package simulate_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/simulate"
)

var background = context.Background()

// The engine agrees with the naive replay on flows, versions and runs drawn at random.
func TestAsTheNaiveReplay(t *testing.T) {
	ends := map[string]int64{}
	for seed := range uint64(1500) {
		w := world{rand.New(rand.NewPCG(seed, 1))}
		first := w.draw(nil)
		second := w.draw(first)
		versions := []*manifest.Manifest{w.open(first), w.open(second)}
		draft := w.open(w.draw(second))
		ways := []map[string][]string{targets(versions[0]), targets(versions[1])}
		plain := make([]plainRun, 1+w.IntN(30))
		for i := range plain {
			plain[i] = w.run(ways)
		}

		runs := simulate.NewRuns()
		if w.chance(50) {
			pack(runs, plain)
		} else {
			w.packInPortions(runs, plain)
		}
		flow := simulate.Compile(draft, runs)
		compiled := []*simulate.Flow{simulate.Compile(versions[0], runs), simulate.Compile(versions[1], runs)}
		shares, err := flow.Simulate(background, compiled)
		require.NoError(t, err)

		want, got := count(draft, versions, plain), counted(shares)
		for what := range want {
			// Answers to what the draft does not ask, and options that it does not have.
			if _, listed := got[what]; !listed && strings.HasPrefix(what, "answered ") {
				delete(want, what)
			}
		}
		require.Equal(t, want, got, "seed %d", seed)
		for _, end := range []string{"completed runs", "left", "unknown"} {
			ends[end] += got[end]
		}
		require.EqualValues(t, len(plain), shares.Runs)
		require.LessOrEqual(t, shares.Completed+shares.Left+shares.Unknown, shares.Runs)
	}
	for end, n := range ends {
		require.Greater(t, n, int64(700), "the worlds are too much alike: %s", end)
	}
}
