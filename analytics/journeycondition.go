package analytics

import (
	"encoding/json"
	"fmt"
)

// maxJourneys bounds the goals, funnels and paths of one segment: each reads every hit of its time.
const maxJourneys = 10

// FunnelOutcome is the outcome of those who entered a step of a funnel; its texts are those of GraphQL.
type FunnelOutcome string

// The outcomes: those who entered are all the others together.
const (
	FunnelEntered   FunnelOutcome = "ENTERED"
	FunnelContinued FunnelOutcome = "CONTINUED" // reached the next step
	FunnelDropped   FunnelOutcome = "DROPPED"
	FunnelOpen      FunnelOutcome = "OPEN"
)

// FunnelOutcomes are all outcomes, the usual one first.
var FunnelOutcomes = []FunnelOutcome{FunnelDropped, FunnelOpen, FunnelContinued, FunnelEntered}

// FunnelCondition holds for a visitor who began a funnel in the period, or one of whose sessions did, and has an
// outcome at a step. Its steps have conditions and no goals, so that it means the same whatever becomes of these.
// Without a period it looks at the segment's days.
type FunnelCondition struct {
	Funnel  Funnel        `json:"funnel"`
	Step    int           `json:"step"` // from 1
	Outcome FunnelOutcome `json:"outcome"`
	Period
}

// PathCondition holds for a visitor with a session in the period whose path has all of the nodes. Without a period it
// looks at the segment's days.
type PathCondition struct {
	Path  PathQuery   `json:"path"`
	Nodes []PathPoint `json:"nodes"`
	Period
}

// PathPoint is a node at a step of paths: its name, or the pattern that makes one node of many names.
type PathPoint struct {
	Step int      `json:"step"` // from 1, the anchor's
	Kind PathKind `json:"kind"`
	Name string   `json:"name"`
}

// ConversionCondition holds for a visitor who met a goal in the period, in a session of it or attributed to one: those
// whom reports count as its converters. Without a period it looks at the segment's days.
type ConversionCondition struct {
	Condition GoalCondition `json:"condition"`
	Period
}

func (v *conditionCheck) goal(field string, c *ConversionCondition) {
	v.journey(field+".condition", c.Condition)
	if err := c.Condition.Validate(field + ".condition"); err != nil {
		v.errs = append(v.errs, err)
	}
	v.period(field, c.Period)
}

// HasFlow tells whether a condition without parts is about runs of flows.
func (c *Condition) HasFlow() bool {
	return c.Flow != nil || c.Funnel != nil && c.Funnel.Funnel.HasFlow() || c.Goal != nil && c.Goal.Condition.Flow != nil
}

func (v *conditionCheck) funnel(field string, c *FunnelCondition) {
	v.journey(field+".funnel", c.Funnel)
	if err := c.Funnel.Validate(field + ".funnel"); err != nil {
		v.errs = append(v.errs, err)
		return
	}
	for i, step := range c.Funnel.Steps {
		if step.GoalID != nil {
			v.invalid(fmt.Sprintf("%s.funnel.steps[%d].goalId", field, i), "is not taken here: use the goal's condition")
		}
	}
	if c.Step < 1 || c.Step > len(c.Funnel.Steps) {
		v.invalid(field+".step", "must be between 1 and %d", len(c.Funnel.Steps))
	}
	switch c.Outcome {
	case FunnelEntered, FunnelContinued, FunnelDropped, FunnelOpen:
	default:
		v.invalid(field+".outcome", "must be ENTERED, CONTINUED, DROPPED or OPEN")
	}
	v.period(field, c.Period)
}

func (v *conditionCheck) path(field string, c *PathCondition) {
	v.journey(field+".path", c.Path)
	query, err := c.Path.Resolve(field + ".path")
	if err != nil {
		v.errs = append(v.errs, err)
		return
	}
	if len(c.Nodes) < 1 || len(c.Nodes) > query.Steps {
		v.invalid(field+".nodes", "must have 1 to %d entries", query.Steps)
		return
	}
	for i, node := range c.Nodes {
		at := fmt.Sprintf("%s.nodes[%d]", field, i)
		if node.Step < 1 || node.Step > query.Steps {
			v.invalid(at+".step", "must be between 1 and %d", query.Steps)
		}
		if err := validatePathKind(at+".kind", node.Kind); err != nil {
			v.errs = append(v.errs, err)
		}
		v.text(at+".name", node.Name, false)
	}
	v.period(field, c.Period)
}

// journey counts a goal, a funnel or a path, and its texts.
func (v *conditionCheck) journey(field string, definition any) {
	if v.journeys++; v.journeys == maxJourneys+1 {
		v.invalid(field, "is one of more than %d goals, funnels and paths", maxJourneys)
	}
	text, err := json.Marshal(definition)
	if err != nil { // of texts and finite numbers there is none
		v.invalid(field, "cannot be written: %s", err)
	}
	v.bytes += len(text)
}
