package simulate_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/manifest/simulate"
)

// The newest day may have one run only, which somebody made long: memory for 100,000 like it would be gigabytes.
func TestOneLongRunSetsNoGigabytesAside(t *testing.T) {
	all, portion := simulate.NewRuns(), simulate.NewRuns()
	step := all.Name("step")
	visits := make([]simulate.Visit, 1_000)
	for i := range visits {
		visits[i] = simulate.Visit{Step: step, Answers: make([]simulate.Answer, 10)}
	}
	portion.Add(&simulate.Run{Visits: visits})
	all.Expect(100_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all.Append(portion)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(300<<20))
	require.Equal(t, 1, all.Len())
}
