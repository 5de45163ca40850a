package report

import (
	"maps"
	"slices"
	"unsafe"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// funnelEnd is an attempt that is open as of the count of a report and ends soon after. Nothing else of a report
// changes while its data does not, so that a report that knows those ends is kept: as of a later moment it is what was
// counted, and what ended meanwhile. Of many people somebody's window ends every few seconds.
type funnelEnd struct {
	at    int64  // the last moment as of which the attempt is open
	what  uint32 // what the report counts: a group, a visitor, or the name that came next
	level uint8  // steps reached
}

// nothing is the name that came next where nothing did.
const nothing = 1<<32 - 1

// funnelEndBytes is about what one takes, with the name that is counted for it.
const funnelEndBytes = int(unsafe.Sizeof(funnelEnd{}) + 2*unsafe.Sizeof(frame.Name{}) + 16)

func (a *funnelAttempt) endOf(what uint32) funnelEnd { return funnelEnd{a.end, what, uint8(a.level)} }

type funnelEnds []funnelEnd

// keptFunnelOf returns a funnel that was counted, as of each moment.
func keptFunnelOf(counted *Funnel, t *funnelTally, view *frame.View, holds validity) keptFunnel[*Funnel] {
	ends, nexts := t.ends, make([]map[frame.Name]int64, len(counted.Steps))
	for i := range nexts {
		nexts[i] = ends.candidates(i+1, counted.Steps[i].Next, countNexts(view, t.next[i]), view)
	}
	return keptFunnel[*Funnel]{holds, func(moment int64) *Funnel { return ends.endFunnel(moment, counted, nexts, view) }}
}

// candidates returns how often each of the names came next that may be among the most frequent once attempts ended that
// reached a level: those that are, and those that then come once more.
func (e funnelEnds) candidates(
	level int, most []FunnelNext, counts map[frame.Name]int64, view *frame.View,
) map[frame.Name]int64 {
	least := int64(0)
	if len(most) == FunnelNexts {
		least = most[FunnelNexts-1].Count
	}
	later := map[frame.Name]bool{}
	for i := range e {
		if int(e[i].level) == level && e[i].what != nothing {
			later[nameOf(view, e[i].what)] = true
		}
	}
	maps.DeleteFunc(counts, func(name frame.Name, count int64) bool { return count < least && !later[name] })
	return counts
}

// endFunnel returns a funnel as of a moment. It leaves what was counted as it is.
func (e funnelEnds) endFunnel(
	moment int64, counted *Funnel, nexts []map[frame.Name]int64, view *frame.View,
) *Funnel {
	out, changed := *counted, make([]map[frame.Name]int64, len(nexts))
	out.Steps = slices.Clone(counted.Steps)
	for i := range e {
		if moment <= e[i].at {
			continue
		}
		at := e[i].level - 1
		step := &out.Steps[at]
		out.Open--
		step.Open--
		step.Dropped++
		if e[i].what == nothing {
			step.NothingNext++
			continue
		}
		if changed[at] == nil {
			changed[at] = maps.Clone(nexts[at])
		}
		changed[at][nameOf(view, e[i].what)]++
	}
	for i, counts := range changed {
		if counts != nil {
			out.Steps[i].Next = mostOften(view, counts)
		}
	}
	return &out
}

// endGroups returns cells by group as of a moment. It leaves what was counted as it is.
func (e funnelEnds) endGroups(moment int64, counted map[uint32]*funnelCell) map[uint32]*funnelCell {
	out := maps.Clone(counted)
	for i := range e {
		if moment > e[i].at {
			cell := *out[e[i].what]
			cell.open[e[i].level]--
			out[e[i].what] = &cell
		}
	}
	return out
}

// addOutcomes calls add with the visitors of those that have an outcome at a step as of a moment.
func (e funnelEnds) addOutcomes(
	moment int64, outcome analytics.FunnelOutcome, step, steps int, add func(visitor uint32),
) {
	for i := range e {
		a := funnelAttempt{open: moment <= e[i].at}
		if a.level = int(e[i].level); a.has(outcome, step, steps) {
			add(e[i].what)
		}
	}
}
