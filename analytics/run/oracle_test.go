package run

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/svc-dev/svc/analytics/session"
)

// The texts of steps in tests. Their ids are not in the order of the texts.
var stepTexts = map[int32]string{1: "welcome", 2: "goal", 3: "paywall"}

func stepText(id int32) string { return stepTexts[id] }

// naiveRun is what the rules say of one run.
type naiveRun struct {
	Owner                              string
	StartedAt, LastAt                  int64
	HasStart, Completed, Abandoned     bool
	Release, Client, Place, Device, On string
	Hits                               string
}

// naiveRuns reads the rules of flow analytics, Runs, one after the other, with plain loops over all events.
func naiveRuns(events []Event) []naiveRun {
	keyed := map[string][]Event{}
	for _, e := range events {
		owner := fmt.Sprintf("%s %x", e.Person, e.Flow)
		if e.RunID != (session.Key{}) {
			key := owner + fmt.Sprintf(" run %x", e.RunID)
			keyed[key] = append(keyed[key], e)
			continue
		}
		where := "session " + e.SessionID
		if e.SessionID == "" {
			where = "day " + time.UnixMilli(e.Hit.At).UTC().Format(time.DateOnly)
		}
		r := e.Context.Release
		key := owner + fmt.Sprintf(" derived %s, %d %x %x %q", where, r.Channel, r.Version, r.Experiment, r.Variant)
		keyed[key] = append(keyed[key], e)
	}
	var runs []naiveRun
	for key, list := range keyed {
		if !strings.Contains(key, " derived ") {
			runs = append(runs, naiveOne(key, list))
			continue
		}
		naiveSort(list, false)
		list = slices.CompactFunc(list, func(a, b Event) bool { return a.Hit.Key == b.Hit.Key })
		var pass []Event
		starts := 0
		for _, e := range list {
			if e.Hit.Name.String() == "flow_started" {
				if starts++; starts > 1 {
					runs = append(runs, naiveOne(key, pass))
					pass = nil
				}
			}
			pass = append(pass, e)
		}
		runs = append(runs, naiveOne(key, pass))
	}
	return runs
}

func naiveSort(list []Event, bySeq bool) {
	rank := func(e Event) int {
		return map[string]int{"flow_started": -1, "flow_completed": 1, "flow_abandoned": 1}[e.Hit.Name.String()]
	}
	less := func(a, b Event) bool {
		switch {
		case bySeq && a.Hit.Seq != b.Hit.Seq:
			return a.Hit.Seq < b.Hit.Seq
		case a.Hit.At != b.Hit.At:
			return a.Hit.At < b.Hit.At
		case rank(a) != rank(b):
			return rank(a) < rank(b)
		case a.Hit.Name != b.Hit.Name:
			return a.Hit.Name.String() < b.Hit.Name.String()
		case stepTexts[a.Hit.Step] != stepTexts[b.Hit.Step]:
			return stepTexts[a.Hit.Step] < stepTexts[b.Hit.Step]
		}
		return bytes.Compare(a.Hit.Key[:], b.Hit.Key[:]) < 0
	}
	for i := range list {
		for j := i; j > 0 && less(list[j], list[j-1]); j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
}

func naiveOne(owner string, events []Event) naiveRun {
	list := slices.Clone(events)
	bySeq := true
	for _, e := range list {
		if e.Hit.Seq < 0 {
			bySeq = false
		}
	}
	naiveSort(list, bySeq)
	r := naiveRun{Owner: owner, StartedAt: -1}
	var seen []session.Key
	earliest := list[0].Hit.At
	for _, e := range list {
		if slices.Contains(seen, e.Hit.Key) {
			continue
		}
		seen = append(seen, e.Hit.Key)
		name := e.Hit.Name.String()
		earliest, r.LastAt = min(earliest, e.Hit.At), max(r.LastAt, e.Hit.At)
		if name == "flow_started" && !r.HasStart {
			r.HasStart, r.StartedAt = true, e.Hit.At
		}
		r.Completed = r.Completed || name == "flow_completed"
		r.Abandoned = r.Abandoned || name == "flow_abandoned"
		c := e.Context
		for _, group := range []struct {
			into *string
			any  bool
			text string
		}{
			{&r.Release, true, fmt.Sprint(c.Release)},
			{&r.Client, c.Client.Platform+c.Client.Locale+c.Client.AppVersion != "", fmt.Sprint(c.Client)},
			{&r.Place, c.Place.Country+c.Place.Region+c.Place.City != "", fmt.Sprint(c.Place)},
			{&r.Device, c.Device.Device+c.Device.Browser+c.Device.OS != "", fmt.Sprint(c.Device)},
			{&r.On, c.CustomProperties != "", c.CustomProperties},
		} {
			if *group.into == "" && group.any {
				*group.into = group.text
			}
		}
		r.Hits += describe(e.Hit)
	}
	if !r.HasStart {
		r.StartedAt = earliest
	}
	return r
}

func describe(h Hit) string {
	return fmt.Sprintf("%x %d %d %s %d %d %d %d; ", h.Key, h.At, h.Seq, h.Name, h.Step, h.From, h.Subject, h.Value)
}

// plain puts a run that was read into the form of the oracle.
func plain(owner string, r Run) naiveRun {
	n := naiveRun{
		Owner: owner, StartedAt: r.StartedAt, LastAt: r.LastAt, HasStart: r.HasStart, Completed: r.Completed,
		Abandoned: r.Abandoned, Release: fmt.Sprint(r.Release), On: r.CustomProperties,
	}
	if r.Client != (Client{}) {
		n.Client = fmt.Sprint(r.Client)
	}
	if r.Place != (Place{}) {
		n.Place = fmt.Sprint(r.Place)
	}
	if r.Device != (Device{}) {
		n.Device = fmt.Sprint(r.Device)
	}
	for _, h := range r.Hits {
		n.Hits += describe(h)
	}
	return n
}
