package floworacle

import (
	"slices"

	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/safepublish"
)

// Handover counts the runs of both versions of a handover, as docs/experiments.md says under Safe publish.
func (o *Oracle) Handover(h *flow.Handover) (previous, current safepublish.Counts) {
	type counted struct{ runs, completed, failed int64 }
	before, now := map[string]counted{}, map[string]counted{}
	for _, r := range o.runs {
		if r.flow != h.Flow || r.release.Channel != h.Channel {
			continue
		}
		until := r.start + h.Within.Milliseconds() // what the run does later does not count
		if until > o.now.UnixMilli() {
			continue
		}
		side, since := now, h.Since.UnixMilli()
		switch {
		case r.release.Version == h.Current && r.start >= since:
		case r.release.Version == h.Previous && r.start < since && r.start >= h.Since.Add(-h.Back).UnixMilli():
			side = before
		default:
			continue
		}
		of := side[r.person]
		of.runs++
		if i := slices.IndexFunc(r.events, isCompletion); i >= 0 && r.events[i].At <= until {
			of.completed++ // the time to complete is to the first completion in order, where a clock went back too
		}
		if slices.ContainsFunc(r.events, func(e Event) bool { return isFailure(e) && e.At <= until }) {
			of.failed++
		}
		side[r.person] = of
	}
	for _, of := range before {
		previous.Add(of.runs, of.completed, of.failed)
	}
	for _, of := range now {
		current.Add(of.runs, of.completed, of.failed)
	}
	return previous, current
}

func isCompletion(e Event) bool { return e.Name == "flow_completed" }

func isFailure(e Event) bool { return e.Name == "surface_outcome" && e.Value == "failed" }
