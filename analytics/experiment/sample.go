package experiment

import (
	"errors"
	"math"
	"slices"
)

// Sample is what the people of one arm amount to for one metric.
type Sample struct {
	N        int     // people
	Mean     float64 // of the metric; of a proportion the share, 0 to 1
	Variance float64 // of a person's value: p(1−p) of a proportion, else with n−1
	// Successes is how many of the people of a proportion did it; −1 for a mean.
	Successes int
}

// Proportion returns the sample of n people of whom so many did something.
func Proportion(successes, n int) (Sample, error) {
	if n < 0 || successes < 0 || successes > n {
		return Sample{}, errors.New("a proportion has 0 to n successes")
	}
	s := Sample{N: n, Successes: successes}
	if n > 0 {
		s.Mean = float64(successes) / float64(n)
		s.Variance = s.Mean * (1 - s.Mean)
	}
	return s, nil
}

// Mean returns the sample of one value a person.
func Mean(values []float64) Sample {
	s := Sample{N: len(values), Successes: -1}
	if s.N == 0 {
		return s
	}
	for _, v := range values {
		s.Mean += v / float64(s.N)
	}
	if s.N > 1 {
		for _, v := range values {
			s.Variance += (v - s.Mean) * (v - s.Mean) / float64(s.N-1)
		}
	}
	return s
}

// WinsorShare is the share of values that winsorising leaves as they are (flow-analytics.md §6).
const WinsorShare = 0.995

// Winsorize returns copies of the arms' values in which those above the pooled 99.5th percentile (nearest rank) of all
// arms together are that percentile: a single large purchase then decides nothing. One limit for all arms keeps them
// comparable.
func Winsorize(arms ...[]float64) [][]float64 {
	pooled := slices.Concat(arms...)
	limited := make([][]float64, len(arms))
	if len(pooled) == 0 {
		return limited
	}
	slices.Sort(pooled)
	limit := pooled[int(math.Ceil(WinsorShare*float64(len(pooled))))-1]
	for i, values := range arms {
		limited[i] = make([]float64, len(values))
		for j, v := range values {
			limited[i][j] = min(v, limit)
		}
	}
	return limited
}

// Effect is an estimate with its standard error.
type Effect struct{ Estimate, SE float64 }

// Difference returns treatment − control. It has no standard error when one of them has nobody.
func Difference(control, treatment Sample) Effect {
	if control.N == 0 || treatment.N == 0 {
		return Effect{Estimate: treatment.Mean - control.Mean}
	}
	return Effect{
		Estimate: treatment.Mean - control.Mean,
		SE:       math.Sqrt(perPerson(control) + perPerson(treatment)),
	}
}

// Lift returns (treatment − control) ÷ |control| with its standard error by the delta method,
// var = v_t/(n_t·m_c²) + v_c·m_t²/(n_c·m_c⁴) (GrowthBook, gbstats). ok is false when the control's mean is zero.
func Lift(control, treatment Sample) (lift Effect, ok bool) {
	if control.Mean == 0 || control.N == 0 || treatment.N == 0 {
		return Effect{}, false
	}
	m := control.Mean
	variance := perPerson(treatment)/(m*m) + perPerson(control)*treatment.Mean*treatment.Mean/(m*m*m*m)
	return Effect{Estimate: (treatment.Mean - m) / math.Abs(m), SE: math.Sqrt(variance)}, true
}

// perPerson returns the variance of the sample's mean.
func perPerson(s Sample) float64 {
	if s.N == 0 {
		return 0
	}
	return s.Variance / float64(s.N)
}
