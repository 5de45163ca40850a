package analytics

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// Bounds on a funnel.
const (
	MinFunnelSteps      = 2
	MaxFunnelSteps      = 10
	MaxFunnelExclusions = 5
	MaxFunnels          = 100 // of one app

	maxFunnelBytes = 64 << 10 // of JSON
)

// Funnel is an ordered list of conditions that visitors, or sessions, meet one after the other. It is stored as it is
// asked: the texts of its enums are those of GraphQL.
type Funnel struct {
	Steps []FunnelStep `json:"steps"`
	// Exclusions end an attempt that meets one of them between two steps.
	Exclusions []GoalCondition `json:"exclusions,omitempty"`
	By         FunnelUnit      `json:"by"`
	Order      FunnelOrder     `json:"order"`
	// WindowMinutes is how long after step 1 the last step may be. Sessions have FunnelSessionWindow.
	WindowMinutes int `json:"windowMinutes"`
}

// FunnelStep is met by a stored goal, or by a condition: exactly one of them is set.
type FunnelStep struct {
	Name      string         `json:"name,omitempty"`
	GoalID    *uuid.UUID     `json:"goalId,omitempty"`
	Condition *GoalCondition `json:"condition,omitempty"`
}

// FunnelUnit is what goes through a funnel.
type FunnelUnit string

// The units of funnels.
const (
	FunnelByVisitor FunnelUnit = "VISITOR"
	FunnelBySession FunnelUnit = "SESSION"
)

// FunnelOrder says what may happen between two steps.
type FunnelOrder string

// The orders of funnels.
const (
	FunnelLoose  FunnelOrder = "LOOSE"  // anything but exclusions
	FunnelStrict FunnelOrder = "STRICT" // nothing of a kind that a step names
)

// MaxFunnelWindow is the longest window.
const MaxFunnelWindow = 90 * 24 * time.Hour

// FunnelSessionWindow is how long after step 1 a funnel by session looks at its session.
const FunnelSessionWindow = 24 * time.Hour

// Window returns how long after step 1 an attempt lasts.
func (f *Funnel) Window() time.Duration {
	if f.By == FunnelBySession {
		return FunnelSessionWindow
	}
	return time.Duration(f.WindowMinutes) * time.Minute
}

// Validate checks a funnel; field is the path that errors name.
func (f *Funnel) Validate(field string) error {
	switch {
	case len(f.Steps) < MinFunnelSteps || len(f.Steps) > MaxFunnelSteps:
		return Invalid(field+".steps", "must have %d to %d steps", MinFunnelSteps, MaxFunnelSteps)
	case len(f.Exclusions) > MaxFunnelExclusions:
		return Invalid(field+".exclusions", "must have at most %d entries", MaxFunnelExclusions)
	case f.By != FunnelByVisitor && f.By != FunnelBySession:
		return Invalid(field+".by", "unknown unit %q: use VISITOR or SESSION", f.By)
	case f.Order != FunnelLoose && f.Order != FunnelStrict:
		return Invalid(field+".order", "unknown order %q: use LOOSE or STRICT", f.Order)
	case f.WindowMinutes < 1 || f.WindowMinutes > int(MaxFunnelWindow/time.Minute):
		return Invalid(field+".windowMinutes", "must be between 1 and %d", int(MaxFunnelWindow/time.Minute))
	}
	for i := range f.Steps {
		if err := f.Steps[i].validate(fmt.Sprintf("%s.steps[%d]", field, i)); err != nil {
			return err
		}
	}
	for i := range f.Exclusions {
		if err := f.Exclusions[i].Validate(fmt.Sprintf("%s.exclusions[%d]", field, i)); err != nil {
			return err
		}
	}
	text, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("write the funnel: %w", err)
	}
	if len(text) > maxFunnelBytes {
		return Invalid(field, "has %d bytes of JSON, more than %d", len(text), maxFunnelBytes)
	}
	return nil
}

func (s *FunnelStep) validate(field string) error {
	if utf8.RuneCountInString(s.Name) > MaxGoalName {
		return Invalid(field+".name", "must have at most %d characters", MaxGoalName)
	}
	if s.Name != "" {
		if err := goalText(field+".name", s.Name); err != nil {
			return err
		}
	}
	if (s.GoalID != nil) == (s.Condition != nil) {
		return Invalid(field, "needs exactly one of goalId and condition")
	}
	if s.Condition != nil {
		return s.Condition.Validate(field + ".condition")
	}
	return nil
}

// WithGoals returns the funnel with the conditions of its goals in place of their ids, and their names where steps have
// none.
func (f Funnel) WithGoals(field string, goals []Goal) (Funnel, error) {
	f.Steps = slices.Clone(f.Steps)
	for i := range f.Steps {
		step := &f.Steps[i]
		if step.GoalID == nil {
			continue
		}
		at := slices.IndexFunc(goals, func(g Goal) bool { return g.ID == *step.GoalID })
		if at < 0 {
			return f, Invalid(fmt.Sprintf("%s.steps[%d].goalId", field, i), "is not a goal of this app")
		}
		if step.Name == "" {
			step.Name = goals[at].Name
		}
		step.GoalID, step.Condition = nil, &goals[at].Condition
	}
	return f, nil
}

// Conditions returns those of the steps, which must have one each, and then those of the exclusions.
func (f *Funnel) Conditions() []*GoalCondition {
	var all []*GoalCondition
	for i := range f.Steps {
		all = append(all, f.Steps[i].Condition)
	}
	for i := range f.Exclusions {
		all = append(all, &f.Exclusions[i])
	}
	return all
}

// HasFlow tells whether one of the conditions, which its steps must have, is about runs of flows.
func (f *Funnel) HasFlow() bool {
	return slices.ContainsFunc(f.Conditions(), func(c *GoalCondition) bool { return c.Flow != nil })
}
