package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics/run"
)

// Planner is what somebody planned an experiment with: JSON with these keys, all optional.
type Planner struct {
	Baseline       float64 `json:"baseline"`       // completion of the control, between 0 and 1
	Effect         float64 `json:"effect"`         // difference of completion to find, not 0: 0.03 is three points
	Alpha          float64 `json:"alpha"`          // error rate of all treatments together
	Power          float64 `json:"power"`          // chance to find the effect
	CompletionDays int     `json:"completionDays"` // window in which a person completes: 1, 3, 7 or 14 days
	PurchaseDays   int     `json:"purchaseDays"`   // window in which a purchase counts: 1, 3, 7 or 14 days
	GoalDays       int     `json:"goalDays"`       // window in which a goal counts, as above; 0: that of purchases
}

// The planner of an experiment that says nothing. Half is the baseline at which an effect takes the most people.
const (
	defaultBaseline       = 0.5
	defaultEffect         = 0.05
	defaultAlpha          = 0.05
	defaultPower          = 0.8
	defaultCompletionDays = 1
	defaultPurchaseDays   = 3
)

// DefaultPlanner returns the planner of an experiment that says nothing.
func DefaultPlanner() Planner {
	return Planner{
		Baseline: defaultBaseline, Effect: defaultEffect, Alpha: defaultAlpha, Power: defaultPower,
		CompletionDays: defaultCompletionDays, PurchaseDays: defaultPurchaseDays,
	}
}

// ParsePlanner reads a planner and fills in what it leaves out from standard; other keys are left alone. The error says
// what can't be planned with, in words for whoever wrote it.
func ParsePlanner(text json.RawMessage, standard Planner) (Planner, error) {
	p := standard
	if len(text) == 0 || string(text) == "null" {
		return p, nil
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return p, errors.New("must be an object whose baseline, effect, alpha, power, completionDays, purchaseDays " +
			"and goalDays are numbers")
	}
	if _, err := p.PeoplePerArm(1); err != nil {
		return p, err
	}
	for key, days := range map[string]int{
		"completionDays": p.CompletionDays, "purchaseDays": p.PurchaseDays, "goalDays": p.GoalDays,
	} {
		if !slices.Contains(run.WindowDays, days) && !(key == "goalDays" && days == 0) {
			return p, fmt.Errorf("%s must be 1, 3, 7 or 14", key)
		}
	}
	return p, nil
}

// PeoplePerArm returns how many people each arm needs beside the control and so many treatments.
func (p Planner) PeoplePerArm(treatments int) (int, error) {
	return Plan{
		Baseline: p.Baseline, Effect: p.Effect, Treatments: treatments, Alpha: p.Alpha, Power: p.Power,
	}.PeoplePerArm()
}

// CompletionWindow returns how long after first exposure a completion counts.
func (p Planner) CompletionWindow() time.Duration {
	return time.Duration(p.CompletionDays) * 24 * time.Hour
}

// PurchaseWindow returns how long after first exposure a purchase counts.
func (p Planner) PurchaseWindow() time.Duration {
	return time.Duration(p.PurchaseDays) * 24 * time.Hour
}

// GoalWindow returns how long after first exposure meeting a goal counts.
func (p Planner) GoalWindow() time.Duration {
	if p.GoalDays == 0 {
		return p.PurchaseWindow()
	}
	return time.Duration(p.GoalDays) * 24 * time.Hour
}
