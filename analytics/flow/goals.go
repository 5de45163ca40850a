package flow

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics/experiment"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/people/privacy"
)

// meeting is when the person of an exposure met a goal of a trial on one of their devices.
type meeting struct {
	exposure, goal int
	at             time.Time
}

// MeetGoals fills in when the people of exposures first met each goal of the trial at or after their exposure, on any
// of the devices that had a run of the trial. Units are those that the exposures were joined by; nil of devices.
func (s *Selection) MeetGoals(
	ctx context.Context, trial *Trial, exposures []experiment.Exposure, units map[uuid.UUID]uuid.UUID,
) error {
	if len(trial.Goals) == 0 {
		return nil
	}
	places := placesOf(exposures, units)
	found, _, err := sum(ctx, s, func(portion *Selection) []meeting {
		return portion.engine.meetings(portion.view, trial, exposures, places, portion.now)
	}, func(total, more []meeting) []meeting { return append(total, more...) })
	if err != nil {
		return err
	}
	for i := range exposures {
		exposures[i].Met = make([]time.Time, len(trial.Goals))
	}
	for _, m := range found {
		if met := &exposures[m.exposure].Met[m.goal]; met.IsZero() || m.at.Before(*met) {
			*met = m.at
		}
	}
	return nil
}

// placesOf returns the exposure that a device is of, by its place.
func placesOf(exposures []experiment.Exposure, units map[uuid.UUID]uuid.UUID) map[uuid.UUID]int {
	places := make(map[uuid.UUID]int, max(len(exposures), len(units)))
	for i := range exposures {
		places[exposures[i].Device] = i
	}
	if units == nil {
		return places
	}
	byUnit := make(map[uuid.UUID]int, len(exposures))
	for i := range exposures {
		byUnit[units[exposures[i].Device]] = i
	}
	for device, unit := range units {
		if place, joined := byUnit[unit]; joined {
			places[device] = place
		}
	}
	return places
}

// meetings returns when visitors of the view met goals first, no earlier than the exposure that they are of.
func (e *Engine) meetings(
	view *frame.View, trial *Trial, exposures []experiment.Exposure, places map[uuid.UUID]int, now time.Time,
) (all []meeting) {
	since, of := make([]int64, view.Visitors.Len()), make([]int, view.Visitors.Len())
	for i := range since {
		since[i] = report.Never
	}
	start, end := frame.Millis(trial.Start), frame.Millis(trial.End)
	e.eachPerson(view, trial, func(_ int, rs *runs, from, to int) {
		if !slices.ContainsFunc(rs.start[from:to], func(at int64) bool { return at >= start && at < end }) {
			return // their runs are of the time around the trial
		}
		visitor := rs.visitor[from]
		if place, ok := places[privacy.Person(view.Visitors.ID(visitor))]; ok {
			since[visitor], of[visitor] = frame.Millis(exposures[place].At), place
		}
	})
	first := e.people.FirstMet(view, trial.Goals, since, trial.Start, trial.End.Add(trial.Goal), now)
	for goal := range first {
		for visitor, at := range first[goal] {
			if at != report.Never {
				all = append(all, meeting{of[visitor], goal, frame.Time(at)})
			}
		}
	}
	return all
}
