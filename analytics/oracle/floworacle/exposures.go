package floworacle

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/experiment"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/people/privacy"
)

// Exposures returns the people who had a run of an experiment, by name (flow-analytics.md §6). Those of an experiment
// that is split by custom user id go by whose their devices are, and devices that are nobody's are left out.
func (o *Oracle) Exposures(trial *flow.Trial, units map[string]string) map[string]experiment.Exposure {
	charges := o.charges(trial.Purchase)
	found := map[string]experiment.Exposure{}
	inOrder := slices.Clone(o.runs)
	slices.SortStableFunc(inOrder, func(a, b *flowRun) int {
		x, y := privacy.Person(a.person), privacy.Person(b.person)
		return cmp.Or(cmp.Compare(a.start, b.start), bytes.Compare(x[:], y[:]))
	})
	for _, r := range inOrder {
		name := r.person
		if trial.NamesDevices {
			if name = units[r.person]; name == "" {
				continue
			}
		}
		start := time.UnixMilli(r.start).UTC()
		if r.release.Experiment != trial.Experiment || start.Before(trial.Start) || !start.Before(trial.End) {
			continue
		}
		arm, known := trial.Variants[r.release.Variant]
		if !known {
			arm = -1
		}
		x, before := found[name]
		if !before {
			x = experiment.Exposure{
				Arm: arm, At: start, Platform: r.client.Platform, AppVersion: r.client.AppVersion, Country: r.place.Country,
				Browser: r.device.Browser,
			}
			if trial.NamesDevices || len(trial.Goals) > 0 {
				x.Device = privacy.Person(r.person)
			}
		}
		if x.Arm != arm {
			x.Crossed = true
		}
		if i := slices.IndexFunc(r.events, isCompletion); i >= 0 {
			at := time.UnixMilli(max(r.start, r.events[i].At)).UTC()
			if x.Completed.IsZero() || at.Before(x.Completed) {
				x.Completed = at
			}
		}
		for _, c := range charges[r] {
			x.Charges = append(x.Charges, experiment.Charge{
				At: time.UnixMilli(c.At).UTC(), First: c.Kind == frame.Originating, Amount: c.AmountMicros, Refunded: c.refunded,
				Paid: c.Kind == frame.Originating && c.AmountMicros == 0 &&
					slices.ContainsFunc(o.world.Purchases, func(later frame.Purchase) bool {
						return later.Visitor == c.Visitor && later.Provider == c.Provider && later.Kind != frame.Refund &&
							later.AmountMicros > 0 && later.At > c.At
					}),
			})
		}
		found[name] = x
	}
	for name, x := range found {
		for _, goal := range trial.Goals {
			x.Met = append(x.Met, o.FirstMet(trial, units, name, goal, x.At, trial.End.Add(trial.Goal)))
		}
		found[name] = x
	}
	return found
}

// FirstMet returns when somebody first met a goal on any of their devices, from a moment on and before another; zero
// for never. Devices are those with a run of the experiment.
func (o *Oracle) FirstMet(
	trial *flow.Trial, units map[string]string, name string, goal analytics.GoalCondition, from, to time.Time,
) (first time.Time) {
	devices := map[string]bool{}
	for _, r := range o.runs {
		start := time.UnixMilli(r.start)
		mine := r.person == name
		if trial.NamesDevices {
			mine = units[r.person] == name
		}
		if mine && r.release.Experiment == trial.Experiment && !start.Before(trial.Start) && start.Before(trial.End) {
			devices[r.person] = true
		}
	}
	meets := func(person string, milliseconds int64) {
		at := time.UnixMilli(milliseconds).UTC()
		if devices[person] && !at.Before(from) && at.Before(to) && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	for _, h := range o.world.Hits {
		switch {
		case goal.Event != nil && h.Page == "" && goal.Event.Name == "hit",
			goal.Page != nil && h.Page != "" && strings.Contains(h.Page, goal.Page.Name):
			meets(h.Person, h.At)
		}
	}
	for _, r := range o.runs {
		if goal.Flow == nil || r.flow != session.Key(goal.Flow.FlowID) {
			continue
		}
		if goal.Flow.Outcome == analytics.GoalStarted {
			meets(r.person, r.start)
			continue
		}
		earliest := int64(math.MaxInt64) // a run meets a goal once
		for _, e := range r.events {
			if goal.Flow.Outcome == analytics.GoalCompleted && isCompletion(e) ||
				e.Step == goal.Flow.Step && (e.Name == "step_viewed" || e.Name == "surface_presented") &&
					goal.Flow.Outcome == analytics.GoalStepReached {
				earliest = min(earliest, e.At)
			}
		}
		if earliest < math.MaxInt64 {
			meets(r.person, earliest)
		}
	}
	for _, p := range o.world.Purchases {
		if goal.Purchase != nil && p.Kind != frame.Refund &&
			(len(goal.Purchase.Products) == 0 || slices.Contains(goal.Purchase.Products, p.Product)) {
			meets(p.Visitor, p.At)
		}
	}
	return first
}
