package experiment

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// simulatedExperiments is how many experiments a simulation runs; SVC_EXPERIMENTS changes it.
const simulatedExperiments = 1000

// Somebody looks every day and at the planned end. Of experiments without a difference at most 5 % ever show one, and
// of those with one at least 95 % show intervals that have it at every look.
func TestLookingDailyIsSafe(t *testing.T) {
	runs := simulatedExperiments
	if text := os.Getenv("SVC_EXPERIMENTS"); text != "" {
		var err error
		runs, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	for _, c := range []struct {
		name               string
		control, treatment float64
		treatments         int
	}{
		{"no difference", 0.3, 0.3, 1}, {"rare", 0.03, 0.03, 1}, {"two treatments", 0.3, 0.3, 2},
		{"a difference", 0.3, 0.36, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2)) // the same people every time: a test that passes once passes always
			wrong, early := 0, 0
			for range runs {
				atLook, atEnd := simulate(t, rng, c.control, c.treatment, c.treatments)
				if atLook || atEnd {
					wrong++
				}
				if atLook {
					early++
				}
			}
			t.Logf("%d experiments, %d wrong at some look or the end (%.2f %%), %d at a look",
				runs, wrong, 100*float64(wrong)/float64(runs), early)
			require.LessOrEqual(t, float64(wrong), 0.05*float64(runs))
		})
	}
}

const (
	simulatedDays      = 20
	simulatedPeopleDay = 50 // per arm
)

// simulate runs one experiment and tells whether an interval left the true difference out at a daily look, and at the
// end.
func simulate(t *testing.T, rng *rand.Rand, control, treatment float64, treatments int) (atLook, atEnd bool) {
	successes, people := make([]int, treatments+1), 0
	for day := range simulatedDays {
		people += simulatedPeopleDay
		for arm := range successes {
			p := treatment
			if arm == 0 {
				p = control
			}
			for range simulatedPeopleDay {
				if rng.Float64() < p {
					successes[arm]++
				}
			}
		}
		samples := make([]Sample, len(successes))
		for arm, n := range successes {
			samples[arm] = proportion(t, n, people)
		}
		misses := func(phase Phase) bool {
			d := Design{Alpha: 0.05, PlannedPeople: simulatedDays * simulatedPeopleDay, Phase: phase}
			compared, err := Compare(d, Metric{Name: "completion", Unit: Points}, samples[0], samples[1:]...)
			require.NoError(t, err)
			for _, c := range compared {
				if !c.Interval.Contains(treatment - control) {
					return true
				}
			}
			return false
		}
		atLook = atLook || misses(Running)
		if day == simulatedDays-1 {
			atEnd = misses(Ended)
		}
	}
	return atLook, atEnd
}
