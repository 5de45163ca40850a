package world

import (
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/oracle"
)

// DrawFunnel makes a funnel that worlds may go through: some of its steps are the same, some are met by the same hits.
func DrawFunnel(t *rapid.T) analytics.Funnel {
	f := analytics.Funnel{
		By: rapid.SampledFrom([]analytics.FunnelUnit{
			analytics.FunnelByVisitor, analytics.FunnelByVisitor, analytics.FunnelBySession,
		}).Draw(t, "unit"),
		Order: rapid.SampledFrom([]analytics.FunnelOrder{
			analytics.FunnelLoose, analytics.FunnelLoose, analytics.FunnelStrict,
		}).Draw(t, "order of the funnel"),
		WindowMinutes: rapid.SampledFrom([]int{1, 15, 60, 24 * 60, 7 * 24 * 60, 90 * 24 * 60}).Draw(t, "window"),
	}
	for range rapid.IntRange(analytics.MinFunnelSteps, 4).Draw(t, "steps") {
		step := analytics.FunnelStep{Name: rapid.SampledFrom([]string{"", "Step"}).Draw(t, "name of the step")}
		c := drawStep(t)
		step.Condition = &c
		if len(f.Steps) > 0 && rapid.IntRange(0, 4).Draw(t, "the same again") == 0 {
			step.Condition = f.Steps[0].Condition
		}
		f.Steps = append(f.Steps, step)
	}
	if rapid.IntRange(0, 2).Draw(t, "excluding") == 0 {
		f.Exclusions = []analytics.GoalCondition{drawStep(t)}
	}
	return f
}

// drawStep draws a condition that is met more often than those of goals.
func drawStep(t *rapid.T) analytics.GoalCondition {
	if rapid.IntRange(0, 2).Draw(t, "any page") == 0 {
		name := rapid.SampledFrom([]string{"/", "/*", "**", "/a*"}).Draw(t, "pages")
		return analytics.GoalCondition{Page: &analytics.GoalView{Op: analytics.GoalIs, Name: name}}
	}
	return drawGoal(t)
}

// DrawWalks makes a world of few people, names and moments, in which funnels meet ties and attempts that overtake each
// other.
func DrawWalks(t *rapid.T) Scenario {
	anchor := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	s := Scenario{Anchor: anchor, Now: anchor.Add(time.Duration(rapid.IntRange(-10, 200).Draw(t, "now")) * time.Minute)}
	at := func(t *rapid.T) int64 {
		moment := anchor.Add(time.Duration(rapid.IntRange(-8, 30).Draw(t, "minute")) * time.Minute)
		return moment.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "ms")) * time.Millisecond).UnixMilli()
	}
	for i := range rapid.IntRange(5, 60).Draw(t, "hits") {
		h := oracle.Hit{
			EventID: eventID(i), Visitor: rapid.SampledFrom([]string{"v1", "v2"}).Draw(t, "visitor"),
			SessionID: rapid.SampledFrom(sessions[:2]).Draw(t, "session"), At: at(t), Name: "page_view",
			Page: rapid.SampledFrom(pages[:4]).Draw(t, "page"),
		}
		if rapid.IntRange(0, 5).Draw(t, "event") == 0 {
			h.Name, h.Page = rapid.SampledFrom(customs[:2]).Draw(t, "custom"), ""
		}
		s.World.Hits = append(s.World.Hits, h)
	}
	// Charges and runs of one moment, and those of the moments at which sessions begin.
	latest := s.World.Hits[0].At
	beside := func(t *rapid.T) int64 {
		switch rapid.IntRange(0, 3).Draw(t, "beside") {
		case 0:
			latest = at(t)
		case 1:
			latest = rapid.SampledFrom(s.World.Hits).Draw(t, "hit beside").At
		}
		return latest
	}
	visitor := rapid.SampledFrom([]string{"v1", "v1", "v2"})
	for range rapid.IntRange(0, 5).Draw(t, "purchases") {
		s.World.Purchases = append(s.World.Purchases, frame.Purchase{
			Visitor: visitor.Draw(t, "buyer"), At: beside(t), AmountMicros: 990_000,
			Product: rapid.SampledFrom(products[1:]).Draw(t, "product"),
			Kind:    frame.PurchaseKind(rapid.IntRange(0, 2).Draw(t, "kind")),
		})
	}
	for range rapid.IntRange(0, 3).Draw(t, "runs") {
		started := beside(t)
		s.World.Runs = append(s.World.Runs, oracle.Run{
			Visitor: visitor.Draw(t, "runner"), Flow: rapid.SampledFrom(flows).Draw(t, "flow"), Version: versions[0],
			StartedAt: started, LastAt: started,
		})
	}
	return s
}

// DrawWalk makes a funnel through such a world.
func DrawWalk(t *rapid.T) analytics.Funnel {
	f := DrawFunnel(t)
	f.WindowMinutes = rapid.SampledFrom([]int{1, 3, 10, 60}).Draw(t, "minutes")
	condition := func() analytics.GoalCondition {
		switch rapid.IntRange(0, 10).Draw(t, "condition") {
		case 0:
			return analytics.GoalCondition{Event: &analytics.GoalEvent{Name: customs[0]}}
		case 1:
			return analytics.GoalCondition{Purchase: &analytics.GoalPurchase{}}
		case 2, 3:
			product := rapid.SampledFrom(products[1:]).Draw(t, "product of a step")
			return analytics.GoalCondition{Purchase: &analytics.GoalPurchase{Products: []string{product}}}
		case 4:
			flow := uuid.MustParse(rapid.SampledFrom(flows).Draw(t, "flow of a step"))
			return analytics.GoalCondition{Flow: &analytics.GoalFlow{FlowID: flow, Outcome: analytics.GoalStarted}}
		case 5:
			return analytics.GoalCondition{Page: &analytics.GoalView{Op: analytics.GoalIs, Name: "/a*"}}
		}
		page := rapid.SampledFrom(pages[:4]).Draw(t, "page of a step")
		return analytics.GoalCondition{Page: &analytics.GoalView{Op: analytics.GoalIs, Name: page}}
	}
	f.Steps = nil
	for range rapid.IntRange(2, 5).Draw(t, "steps") {
		c := condition()
		f.Steps = append(f.Steps, analytics.FunnelStep{Condition: &c})
	}
	for i := range f.Exclusions {
		f.Exclusions[i] = condition()
	}
	return f
}
