package experiment

import (
	"errors"
	"math"
)

// Plan is what the planner of an experiment is asked.
type Plan struct {
	Baseline   float64 // proportion of the control, between 0 and 1
	Effect     float64 // difference to find, in the same unit, not 0
	Treatments int     // arms beside the control, at least 1
	Alpha      float64 // error rate of all treatments together, such as 0.05
	Power      float64 // chance to find the effect, such as 0.8
}

// PeoplePerArm returns how many people each arm needs:
// ⌈(z_{1−α/(2m)} + z_power)² · (p₁(1−p₁) + p₂(1−p₂)) / δ²⌉.
func (p Plan) PeoplePerArm() (int, error) {
	p2 := p.Baseline + p.Effect
	switch {
	case !(p.Baseline > 0 && p.Baseline < 1):
		return 0, errors.New("the baseline must be between 0 and 1")
	case p.Effect == 0 || !(p2 > 0 && p2 < 1):
		return 0, errors.New("the effect must lead to another proportion between 0 and 1")
	case p.Treatments < 1:
		return 0, errors.New("there must be a treatment")
	case !(p.Alpha > 0 && p.Alpha < 1) || !(p.Power > 0 && p.Power < 1):
		return 0, errors.New("alpha and power must be between 0 and 1")
	}
	z := normalUpper(p.Alpha/(2*float64(p.Treatments))) + normalUpper(1-p.Power)
	variance := p.Baseline*(1-p.Baseline) + p2*(1-p2)
	n := math.Ceil(z * z * variance / (p.Effect * p.Effect))
	if n > math.MaxInt32 {
		return 0, errors.New("the effect is too small to be found")
	}
	return int(n), nil
}

// trafficDays is how many days of traffic the planner looks back.
const trafficDays = 14

// DaysLeft returns in how many days the people are complete that the plan needs, when so many came in the last 14 days;
// ok is false when nobody came.
func DaysLeft(needed, have, lastFortnight int) (days int, ok bool) {
	switch {
	case have >= needed:
		return 0, true
	case lastFortnight <= 0:
		return 0, false
	}
	return int(math.Ceil(float64(needed-have) * trafficDays / float64(lastFortnight))), true
}
