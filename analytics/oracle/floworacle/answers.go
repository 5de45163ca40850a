package floworacle

import (
	"bytes"
	"cmp"
	"slices"
	"time"
)

// RecentRun is a run of a selection, with its events in order.
type RecentRun struct {
	Person, State string
	Start, Last   time.Time
	HasStart      bool
	Path          []string // visited steps
	Events        []Event
}

// Recent returns the runs of the selection, the latest start first; those of one moment are in any order.
func (s *Selection) Recent() []RecentRun {
	var list []RecentRun
	for _, r := range s.runs {
		run := RecentRun{
			Person: r.person, State: s.stateOf(r), Start: time.UnixMilli(r.start).UTC(), Last: time.UnixMilli(r.last).UTC(),
			HasStart: r.has("flow_started"), Events: r.events,
		}
		for _, v := range r.visits() {
			run.Path = append(run.Path, v.Step)
		}
		list = append(list, run)
	}
	slices.SortFunc(list, func(a, b RecentRun) int { return b.Start.Compare(a.Start) })
	return list
}

// Answers are what people answered to a field.
type Answers struct {
	Answered, Skipped int64            // people
	Values            map[string]int64 // people, by value
}

// lastAnswer is somebody's answer to a field, by its last event.
type lastAnswer struct {
	last   Event
	values []string
}

// Responses returns the answers to every field that somebody met, and to those that were asked, which are given with
// their screens.
func (s *Selection) Responses(asked map[string]string) map[string]*Answers {
	type personField struct{ person, field string }
	given, passed := map[personField]lastAnswer{}, map[personField]bool{}
	later := func(a, b Event) bool {
		x, y := a.key(), b.key()
		return cmp.Or(cmp.Compare(a.At, b.At), bytes.Compare(x[:], y[:])) > 0
	}
	for _, r := range s.runs {
		open := map[string]*lastAnswer{} // choices that the next event may add to
		settle := func(field string, a lastAnswer) {
			of := personField{r.person, field}
			if known, before := given[of]; !before || later(a.last, known.last) {
				given[of] = a
			}
		}
		settleAll := func() {
			for field, a := range open {
				settle(field, *a)
			}
			clear(open)
		}
		for _, e := range r.events {
			switch e.Name {
			case "text_submitted":
				settle(e.Subject, lastAnswer{e, []string{e.Value}})
				continue
			case "choice_selected":
				a := open[e.Subject]
				if a == nil {
					a = &lastAnswer{last: e}
					open[e.Subject] = a
				}
				if later(e, a.last) {
					a.last = e
				}
				if !slices.Contains(a.values, e.Value) {
					a.values = append(a.values, e.Value)
				}
				continue
			case "step_completed", "step_skipped":
				for field, step := range asked {
					if e.Subject == field || e.Subject == "" && e.Name == "step_skipped" && step == e.Step {
						passed[personField{r.person, field}] = true
					}
				}
			}
			settleAll()
		}
		settleAll()
	}
	found := map[string]*Answers{}
	of := func(field string) *Answers {
		if found[field] == nil {
			found[field] = &Answers{Values: map[string]int64{}}
		}
		return found[field]
	}
	for field := range asked {
		of(field)
	}
	for who, a := range given {
		of(who.field).Answered++
		for _, value := range a.values {
			of(who.field).Values[value]++
		}
	}
	for who := range passed {
		if _, answered := given[who]; !answered {
			of(who.field).Skipped++
		}
	}
	return found
}
