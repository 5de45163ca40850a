package run

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics/session"
)

// Run is one mounted pass of a person through one version of a flow.
type Run struct {
	Person    string
	Flow      session.Key
	Key       session.Key // of its row
	Pass      int         // its place among the runs of the row, from 0
	StartedAt int64       // Unix milliseconds of its flow_started, else of its earliest hit
	LastAt    int64       // Unix milliseconds of its latest hit
	HasStart  bool        // false when its flow_started was lost
	Completed bool
	Abandoned bool
	Context         // each group whole from the first hit that has any of it
	Hits      []Hit // in order
}

// State says how far a run has come.
type State uint8

// A run that was completed stays so whatever else it did.
const (
	Open State = iota
	Completed
	Abandoned
	Lapsed // no hit for a while
)

// DefaultLapse is how long a run goes without a hit before it has lapsed, where an app does not set it.
const DefaultLapse = 30 * time.Minute

// MinLapse and MaxLapse bound what an app may set.
const (
	MinLapse = 5 * time.Minute
	MaxLapse = 24 * time.Hour
)

// WindowDays are the windows, in days, that an app may set for what its runs lead to (flow-analytics.md §1).
var WindowDays = []int{1, 3, 7, 14}

// State returns the state of the run at a time, of which the last two are dropped runs: one without a hit for
// lapse has lapsed.
func (r *Run) State(now time.Time, lapse time.Duration) State {
	switch {
	case r.Completed:
		return Completed
	case r.Abandoned:
		return Abandoned
	case now.UnixMilli()-r.LastAt >= lapse.Milliseconds():
		return Lapsed
	}
	return Open
}

// Runs reads the runs of a row, in the order of time: one, unless the row's key is derived. Then the hits, in the
// order of time, are cut before every flow_started but the first. Text returns the text of a step; hits of one
// moment and name are ordered by it. The error is ErrCorrupt.
func (r *Row) Runs(text func(id int32) string) ([]Run, error) { return new(Unpacker).Runs(r, text) }

// Unpacker reads the runs of many rows with the memory of the row before. It belongs to one goroutine.
type Unpacker struct {
	hits     []Hit
	contexts contexts
	runs     []Run
}

// Runs does for a row what [Row.Runs] does. The runs and their hits are valid until the next call, what they point to
// remains.
func (u *Unpacker) Runs(r *Row, text func(id int32) string) (_ []Run, err error) {
	if err := u.contexts.unpack(r.Contexts); err != nil {
		return nil, err
	}
	u.hits, err = unpackHits(u.hits[:0], r.Hits, &u.contexts)
	hits := u.hits
	if err != nil || len(hits) == 0 {
		return nil, err
	}
	u.runs = u.runs[:0]
	if !r.Derived {
		u.runs = append(u.runs, r.run(0, hits, text))
		return u.runs, nil
	}
	order{text: text}.sort(hits)
	started, from := false, 0
	for i := range hits {
		if hits[i].Name != FlowStarted || i > 0 && hits[i].same(&hits[i-1]) {
			continue
		}
		if started {
			u.runs = append(u.runs, r.run(len(u.runs), hits[from:i:i], text))
			from = i
		}
		started = true
	}
	u.runs = append(u.runs, r.run(len(u.runs), hits[from:], text))
	return u.runs, nil
}

// same tells whether two hits are one event that was merged twice.
func (h *Hit) same(o *Hit) bool { return h.Key == o.Key && h.At == o.At && h.Name == o.Name }

// placed tells whether all hits have a place in their run.
func placed(hits []Hit) bool {
	for i := range hits {
		if hits[i].Seq < 0 {
			return false
		}
	}
	return true
}

// once returns the hits without those that a merge which happened twice put beside themselves.
func once(hits []Hit) []Hit {
	for i := 1; i < len(hits); i++ {
		if hits[i].same(&hits[i-1]) {
			return slices.CompactFunc(hits, func(a, b Hit) bool { return a.same(&b) })
		}
	}
	return hits
}

// run makes a run of its hits, which it puts in order.
func (r *Row) run(pass int, hits []Hit, text func(id int32) string) Run {
	order{bySeq: placed(hits), text: text}.sort(hits)
	hits = once(hits)
	run := Run{
		Person: r.Person, Flow: r.Flow, Key: r.Key, Pass: pass, StartedAt: hits[0].At, LastAt: hits[0].At, Hits: hits,
	}
	run.Release = hits[0].Context.Release // every hit has a channel and a version
	var before *Context
	for i := range hits {
		h := &hits[i]
		switch h.Name {
		case FlowCompleted:
			run.Completed = true
		case FlowAbandoned:
			run.Abandoned = true
		}
		if h.Name == FlowStarted && !run.HasStart {
			run.HasStart, run.StartedAt = true, h.At
		} else if !run.HasStart {
			run.StartedAt = min(run.StartedAt, h.At)
		}
		run.LastAt = max(run.LastAt, h.At)
		if h.Context != before { // that of most hits is the one before's
			before = h.Context
			run.fill(before)
		}
	}
	return run
}

// fill takes the groups of a context of which the run has nothing.
func (r *Run) fill(c *Context) {
	if r.Client == (Client{}) {
		r.Client = c.Client
	}
	if r.Place == (Place{}) {
		r.Place = c.Place
	}
	if r.Device == (Device{}) {
		r.Device = c.Device
	}
	if r.CustomProperties == "" {
		r.CustomProperties = c.CustomProperties
	}
}

// All returns the hits of a row in the order of their keys, each with its context, and without those that were
// merged twice. The error is ErrCorrupt.
func (r *Row) All() ([]Hit, error) {
	var contexts contexts
	if err := contexts.unpack(r.Contexts); err != nil {
		return nil, err
	}
	hits, err := unpackHits(nil, r.Hits, &contexts)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(bytes.Compare(a.Key[:], b.Key[:]), cmp.Compare(a.At, b.At), cmp.Compare(a.Name, b.Name))
	})
	return slices.CompactFunc(hits, func(a, b Hit) bool { return a.same(&b) }), nil
}
