package experiment

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// RatioAlarm is the p-value below which a split is not the planned one. It is small because the test is looked at
	// daily.
	RatioAlarm = 0.001
	// ratioPeople is how many people every arm should have for the χ² distribution to hold. What an arm should have
	// counts, not what it has: an arm that never renders has nobody.
	ratioPeople = 8
	// crossedPeople and crossedShare are from when on people in several arms are a warning.
	crossedPeople = 10
	crossedShare  = 0.01
)

// Arm is how many people one arm has.
type Arm struct {
	Key    string
	Weight int // share of the traffic, in units of the experiment
	People int
}

// Ratio is the outcome of a test whether people were split by the weights.
type Ratio struct {
	ChiSquared float64
	DF         int     // arms with a weight, less one
	P          float64 // 1 when there is nothing to test
	// Enough tells whether every arm should have 8 people; before, nothing is warned of.
	Enough  bool
	Warning bool
	// Unexpected are the keys of arms of weight 0 that have people: an error of its own.
	Unexpected []string
}

// SampleRatio tests a split by Pearson's χ² = Σ(o−e)²/e over the arms of weight > 0, df = those − 1.
func SampleRatio(arms []Arm) Ratio {
	r := Ratio{P: 1, DF: -1}
	people, weight := 0, 0
	for _, arm := range arms {
		if arm.Weight <= 0 {
			if arm.People > 0 {
				r.Unexpected = append(r.Unexpected, arm.Key)
			}
			continue
		}
		r.DF++
		people += arm.People
		weight += arm.Weight
	}
	r.DF = max(r.DF, 0)
	if people == 0 || r.DF == 0 {
		return r
	}
	r.Enough = true
	for _, arm := range arms {
		if arm.Weight <= 0 {
			continue
		}
		expected := float64(people) * float64(arm.Weight) / float64(weight)
		off := float64(arm.People) - expected
		r.ChiSquared += off * off / expected
		r.Enough = r.Enough && expected >= ratioPeople
	}
	r.P = distuv.ChiSquared{K: float64(r.DF)}.Survival(r.ChiSquared)
	r.Warning = r.Enough && r.P < RatioAlarm
	return r
}

// Slice is the people of one value of a dimension, by arm.
type Slice struct {
	Dimension, Value string // "browser", "Safari"
	Arms             []Arm
}

// Culprit is a slice whose people were not split by the weights.
type Culprit struct {
	Slice
	P float64 // times the number of values of its dimension, at most 1
}

// Culprits tests each slice and returns those that are out of ratio, the worst first. A p-value counts as many times as
// its dimension has values, for somebody who looks into each of them.
func Culprits(slicesOf []Slice) []Culprit {
	values := map[string]int{}
	for _, s := range slicesOf {
		values[s.Dimension]++
	}
	var found []Culprit
	for _, s := range slicesOf {
		r := SampleRatio(s.Arms)
		if p := min(1, r.P*float64(values[s.Dimension])); r.Enough && p < RatioAlarm {
			found = append(found, Culprit{s, p})
		}
	}
	slices.SortStableFunc(found, func(a, b Culprit) int { return cmp.Compare(a.P, b.P) })
	return found
}

// TooManyCrossed tells whether people who were in more than one arm, and are left out, are so many that it is a
// warning: from 10 on more than 1 % of all.
func TooManyCrossed(crossed, exposed int) bool {
	return crossed >= crossedPeople && float64(crossed) > crossedShare*float64(exposed)
}
