package store

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
)

// funnelCondition makes a condition about a funnel of two steps, an event and then another or a run.
func (c *crowd) funnelCondition() *analytics.FunnelCondition {
	step := func(event string) analytics.FunnelStep {
		return analytics.FunnelStep{Condition: &analytics.GoalCondition{Event: &analytics.GoalEvent{Name: event}}}
	}
	last := step("buy")
	if c.random.IntN(3) == 0 {
		id := uuid.MustParse("11111111-1111-4111-8111-111111111111")
		last.Condition = &analytics.GoalCondition{Flow: &analytics.GoalFlow{FlowID: id, Outcome: analytics.GoalStarted}}
	}
	return &analytics.FunnelCondition{
		Funnel: analytics.Funnel{
			Steps: []analytics.FunnelStep{step(c.pick("page_view", "like")), last}, By: analytics.FunnelByVisitor,
			Order: analytics.FunnelLoose, WindowMinutes: 60 * (1 + c.random.IntN(48)),
		},
		Step: 1 + c.random.IntN(2), Outcome: chance(c, analytics.FunnelOutcomes...), Period: c.period(),
	}
}

// went tells whether somebody has the outcome of a condition that funnelCondition made.
func (c *crowd) went(p *somebody, x *analytics.FunnelCondition, days int) bool {
	window := x.Funnel.Window()
	var begun []time.Time
	var last []time.Time
	for _, e := range p.events {
		switch {
		case e.track:
		case e.name == x.Funnel.Steps[0].Condition.Event.Name && c.within(x.Period, days, e.at):
			begun = append(begun, e.at)
		case x.Funnel.Steps[1].Condition.Event != nil && e.name == "buy":
			last = append(last, e.at)
		}
	}
	if flow := x.Funnel.Steps[1].Condition.Flow; flow != nil {
		for _, r := range p.runs {
			if r.flow == flow.FlowID.String() {
				last = append(last, r.at)
			}
		}
	}
	if len(begun) == 0 {
		return false
	}
	converted := slices.ContainsFunc(begun, func(at time.Time) bool {
		return slices.ContainsFunc(last, func(b time.Time) bool { return b.After(at) && !b.After(at.Add(window)) })
	})
	open := !converted && !c.now.After(slices.MinFunc(begun, time.Time.Compare).Add(window))
	switch {
	case x.Outcome == analytics.FunnelEntered:
		return x.Step == 1 || converted
	case x.Step == 2:
		return false
	case x.Outcome == analytics.FunnelContinued:
		return converted
	case x.Outcome == analytics.FunnelOpen:
		return open
	}
	return !converted && !open
}

// pathCondition makes a condition about sessions in which somebody liked after they bought, or bought after they liked.
func (c *crowd) pathCondition() *analytics.PathCondition {
	names := []string{"buy", "like"}
	c.random.Shuffle(2, func(i, k int) { names[i], names[k] = names[k], names[i] })
	return &analytics.PathCondition{
		Path: analytics.PathQuery{
			Anchor: analytics.PathAnchor{Kind: analytics.PathEvent, Name: names[0]},
			Kinds:  []analytics.PathKind{analytics.PathEvent},
		},
		Nodes:  []analytics.PathPoint{{Step: 2, Kind: analytics.PathEvent, Name: names[1]}},
		Period: c.period(),
	}
}

// took tells whether somebody took a path that pathCondition made.
func (c *crowd) took(p *somebody, x *analytics.PathCondition, days int) bool {
	first := map[int]time.Time{} // by session
	for _, e := range p.events {
		at, there := first[e.at.Day()]
		if !e.track && e.name == x.Path.Anchor.Name && c.within(x.Period, days, e.at) && (!there || e.at.Before(at)) {
			first[e.at.Day()] = e.at
		}
	}
	return slices.ContainsFunc(p.events, func(e happened) bool {
		at, there := first[e.at.Day()]
		return there && !e.track && e.name == x.Nodes[0].Name && e.at.After(at) && c.within(x.Period, days, e.at)
	})
}
