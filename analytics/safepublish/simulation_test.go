package safepublish

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// simulatedPairs is how many pairs of versions a simulation compares; SVC_EXPERIMENTS changes it. Of 10,000 pairs of
// any kind at most 20 are called worse.
const simulatedPairs = 2000

// pairs returns how many pairs to simulate.
func pairs(t *testing.T) int {
	text := os.Getenv("SVC_EXPERIMENTS")
	if text == "" {
		return simulatedPairs
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// version is what runs of it do: how often they are completed, and have an error. A user has several runs, all
// completed or none, when alike is more than 1.
type version struct {
	completed, failed float64
	alike             int64
}

func (v version) run(rng *rand.Rand, c *Counts, runs int64) {
	for n := int64(0); n < runs; n += v.alike {
		var completed, failed int64
		if rng.Float64() < v.completed {
			completed = v.alike
		}
		if rng.Float64() < v.failed {
			failed = v.alike
		}
		c.Add(v.alike, completed, failed)
	}
}

// lookEvery is after how many runs of the new version somebody looks again.
const lookEvery = 50

// watch compares a new version with one that had so many runs, and looks until harm is found or enough runs came. It
// returns the runs that had come, and whether harm was found.
func watch(rng *rand.Rand, previous, current version, history int64, enough func(Judgement) bool) (int, bool) {
	var before, now Counts
	previous.run(rng, &before, history)
	for {
		current.run(rng, &now, lookEvery)
		j := Judge(before, now)
		switch {
		case j.State == Harmful:
			return j.Runs, true
		case enough(j):
			return j.Runs, false
		}
	}
}

// Of versions that are as good as the one before, at most 1 % are called worse, however often somebody looks, and long
// after the planned runs have come.
func TestVersionsThatAreAsGoodAreFine(t *testing.T) {
	for _, c := range []struct {
		name      string
		same      version
		histories int64
	}{
		{"half complete", version{0.5, 0.02, 1}, 2000},
		{"few complete, errors are rare", version{0.03, 0.001, 1}, 2000},
		{"most complete, many errors", version{0.95, 0.2, 1}, 2000},
		{"little history", version{0.3, 0.01, 1}, 300},
		{"runs of a user are alike", version{0.4, 0.02, 4}, 2000},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, 2)) // the same runs every time: a test that passes once passes always
			wrong, n := 0, pairs(t)
			for range n {
				if _, harm := watch(rng, c.same, c.same, c.histories, func(j Judgement) bool { return j.Runs >= 3000 }); harm {
					wrong++
				}
			}
			t.Logf("%d pairs, %d called worse (%.2f %%)", n, wrong, 100*float64(wrong)/float64(n))
			require.LessOrEqual(t, float64(wrong), Alpha*float64(n))
		})
	}
}

// A version that is worse by a fifth is found in nine of ten cases before the planned runs are over.
func TestHarmIsFoundWithinThePlannedRuns(t *testing.T) {
	for _, c := range []struct {
		name              string
		previous, current version
		history           int64
		by                Metric
	}{
		{"completion of 20 %", version{0.2, 0.01, 1}, version{0.16, 0.01, 1}, 10_000, Completion},
		{"completion of 50 %", version{0.5, 0.01, 1}, version{0.4, 0.01, 1}, 4000, Completion},
		{"completion of 80 %", version{0.8, 0.01, 1}, version{0.64, 0.01, 1}, 1000, Completion},
		{"no more history than runs", version{0.5, 0.01, 1}, version{0.4, 0.01, 1}, 1200, Completion},
		{"errors of 20 %", version{0.5, 0.2, 1}, version{0.5, 0.24, 1}, 10_000, Errors},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(3, 4))
			found, n := 0, pairs(t)/4
			var runs, planned int
			for range n {
				came, harm := watch(rng, c.previous, c.current, c.history, func(j Judgement) bool {
					for _, f := range j.Figures {
						if f.Metric == c.by {
							require.NotNil(t, f.PlannedRuns)
							planned = *f.PlannedRuns
						}
					}
					return j.Runs >= planned
				})
				runs += came
				if harm {
					found++
				}
			}
			t.Logf("%d of %d found, after %d runs on average; about %d are planned", found, n, runs/n, planned)
			require.GreaterOrEqual(t, float64(found), Power*float64(n))
		})
	}
}
