// Package floworacle is a second, naive implementation of the reports of flows over raw flow events: plain loops and
// maps, no cleverness, written from the rules alone. Tests compare package flow with it on generated data; it is no
// part of the product. Both share the result types, the identity of runs and nothing else.
package floworacle

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

// Event is one flow event as a client sent it.
type Event struct {
	ID, Name         string
	At               int64 // Unix milliseconds
	Person, Session  string
	Flow, RunID      session.Key
	Seq              int64   // -1 when absent
	From             *string // empty at the start of a run, nil when absent
	Step             string
	Subject, Value   string // field, decision or provider; option, case, outcome or product
	Release          run.Release
	Client           run.Client
	Place            run.Place
	Device           run.Device
	CustomProperties string            // JSON
	CustomValues     map[string]string // what it says
}

// Hit is a product event: a session of its own, of which only the time and what segments ask for matter here.
type Hit struct {
	Person            string
	At                int64 // Unix milliseconds
	Platform, Country string
	// Page is the page that it views; empty of an event "hit".
	Page string
}

// World is everything one environment was sent, in order of arrival.
type World struct {
	Events    []Event
	Hits      []Hit
	Touches   map[string]frame.FirstTouch // by person
	Purchases []frame.Purchase
}

// flowRun is one run: its events in order.
type flowRun struct {
	person      string
	flow        session.Key
	key         frame.Key
	events      []Event
	start, last int64
	completed   bool
	abandoned   bool
	release     run.Release
	client      run.Client
	place       run.Place
	device      run.Device
	custom      map[string]string
}

func (e *Event) key() session.Key { return session.KeyOf(e.ID) }

// same tells whether two events are one that was sent twice.
func (e *Event) same(o *Event) bool { return e.ID == o.ID }

// sortEvents puts events in the order of flow-analytics.md §1.
func sortEvents(list []Event, bySeq bool) {
	rank := func(e Event) int {
		switch e.Name {
		case "flow_started":
			return -1
		case "flow_completed", "flow_abandoned":
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b Event) int {
		key, other := a.key(), b.key()
		switch {
		case bySeq && a.Seq != b.Seq:
			return int(a.Seq - b.Seq)
		case a.At != b.At:
			return int(a.At - b.At)
		case rank(a) != rank(b):
			return rank(a) - rank(b)
		case a.Name != b.Name:
			return strings.Compare(a.Name, b.Name)
		case a.Step != b.Step:
			return strings.Compare(a.Step, b.Step)
		}
		return bytes.Compare(key[:], other[:])
	})
}

// runsOf finds the runs of a world.
func runsOf(w World) []*flowRun {
	keyed := map[string][]Event{}
	var order []string
	for _, e := range w.Events {
		key := fmt.Sprintf("%q %x run %x", e.Person, e.Flow, e.RunID)
		if e.RunID == (session.Key{}) {
			where := "session " + e.Session
			if e.Session == "" {
				where = "day:" + time.UnixMilli(e.At).UTC().Format(time.DateOnly)
			}
			r := e.Release
			key = fmt.Sprintf(
				"%q %x derived %q %d %x %x %q", e.Person, e.Flow, where, r.Channel, r.Version, r.Experiment, r.Variant,
			)
		}
		if slices.ContainsFunc(keyed[key], func(o Event) bool { return e.same(&o) }) {
			continue
		}
		if keyed[key] == nil {
			order = append(order, key)
		}
		keyed[key] = append(keyed[key], e)
	}
	var runs []*flowRun
	for _, key := range order {
		list := keyed[key]
		rowKey := list[0].RunID
		passes := [][]Event{list}
		if rowKey == (session.Key{}) {
			sortEvents(list, false)
			rowKey, _ = run.KeyOf(&run.Event{
				Person: list[0].Person, SessionID: list[0].Session, Hit: run.Hit{At: list[0].At},
				Context: run.Context{Release: list[0].Release},
			})
			passes = nil
			var pass []Event
			starts := 0
			for _, e := range list {
				if e.Name == "flow_started" {
					if starts++; starts > 1 {
						passes = append(passes, pass)
						pass = nil
					}
				}
				pass = append(pass, e)
			}
			passes = append(passes, pass)
		}
		for i, pass := range passes {
			runs = append(runs, newRun(rowKey, i, pass))
		}
	}
	slices.SortFunc(runs, func(a, b *flowRun) int {
		if c := strings.Compare(a.person, b.person); c != 0 {
			return c
		}
		if a.start != b.start {
			return int(a.start - b.start)
		}
		return bytes.Compare(a.key[:], b.key[:])
	})
	return runs
}

func newRun(rowKey session.Key, pass int, events []Event) *flowRun {
	bySeq := true
	for _, e := range events {
		bySeq = bySeq && e.Seq >= 0
	}
	sortEvents(events, bySeq)
	r := &flowRun{
		person: events[0].Person, flow: events[0].Flow, events: events, start: -1, last: events[0].At,
		release: events[0].Release,
		key:     frame.RunKey(&run.Run{Flow: events[0].Flow, Key: rowKey, Pass: pass}),
	}
	earliest := events[0].At
	for _, e := range events {
		earliest, r.last = min(earliest, e.At), max(r.last, e.At)
		if e.Name == "flow_started" && r.start < 0 {
			r.start = e.At
		}
		r.completed = r.completed || e.Name == "flow_completed"
		r.abandoned = r.abandoned || e.Name == "flow_abandoned"
		if r.client == (run.Client{}) {
			r.client = e.Client
		}
		if r.place == (run.Place{}) {
			r.place = e.Place
		}
		if r.device == (run.Device{}) {
			r.device = e.Device
		}
		if r.custom == nil {
			r.custom = e.CustomValues
		}
	}
	if r.start < 0 {
		r.start = earliest
	}
	return r
}

// state returns the state of a run.
func (r *flowRun) state(now time.Time, lapse time.Duration) string {
	switch {
	case r.completed:
		return "completed"
	case r.abandoned:
		return "abandoned"
	case now.UnixMilli()-r.last >= lapse.Milliseconds():
		return "lapsed"
	}
	return "open"
}

// visits returns the events that begin visits of steps.
func (r *flowRun) visits() (list []Event) {
	for _, e := range r.events {
		if (e.Name == "step_viewed" || e.Name == "surface_presented") && e.Step != "" {
			list = append(list, e)
		}
	}
	return list
}

func (r *flowRun) has(name string) bool {
	return slices.ContainsFunc(r.events, func(e Event) bool { return e.Name == name })
}

// claims tells whether the device reported a purchase.
func (r *flowRun) claims() bool {
	return slices.ContainsFunc(r.events, func(e Event) bool {
		return e.Name == "iap_purchase" || e.Name == "surface_outcome" && e.Value == "purchase_completed"
	})
}
