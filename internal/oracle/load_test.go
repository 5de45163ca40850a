package oracle_test

import (
	"math"

	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/internal/oracle"
	"github.com/svc-dev/svc/internal/oracle/world"
)

// load folds the world in random batches into an environment: some at first, the rest as changes.
func load(t *rapid.T, s world.Scenario) *frame.View {
	var store oracle.Store
	env := frame.NewEnvironment()
	env.OpenFloor = rapid.IntRange(0, 3).Draw(t, "open floor")
	for rest := s.World.Hits; len(rest) > 0; {
		n := rapid.IntRange(1, len(rest)).Draw(t, "batch")
		store.Fill(env, store.Ingest(rest[:n]))
		rest = rest[n:]
		if rapid.Bool().Draw(t, "look") {
			env.View(math.MinInt32, math.MaxInt32)
		}
	}
	if half := len(s.World.Purchases) / 2; rapid.Bool().Draw(t, "purchases at once") {
		env.SetPurchases(s.World.Purchases)
	} else {
		env.SetPurchases(s.World.Purchases[:half])
		env.AddPurchases(s.World.Purchases[half:])
	}
	return env.View(math.MinInt32, math.MaxInt32)
}
