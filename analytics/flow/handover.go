package flow

import (
	"context"
	"time"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/safepublish"
	"github.com/svc-dev/svc/analytics/session"
)

// Handover is a version of a flow that a channel serves after another one.
type Handover struct {
	Flow              session.Key
	Channel           int64
	Previous, Current session.Key
	Since             time.Time     // when the channel began to serve the current one
	Back              time.Duration // how long before that runs of the previous one count
	// Within is how long after its start what a run does counts; the run itself counts from then on. It is the same for
	// both versions, so that a new one is not judged by runs that have only begun.
	Within time.Duration
}

// Scope returns the scope whose selection has what Handover needs. Whole days let requests share it.
func (h *Handover) Scope(now time.Time) Scope {
	return Scope{
		Flow: h.Flow, Versions: []session.Key{h.Previous, h.Current}, Channels: []int64{h.Channel},
		Start: h.Since.Add(-h.Back).Truncate(24 * time.Hour), End: now.Truncate(24 * time.Hour).Add(24 * time.Hour),
	}
}

// failedOutcome is the outcome of a surface that could not be shown, or failed.
const failedOutcome = "failed"

// Handover counts the runs of both versions of a handover from the selection of its scope.
func (s *Selection) Handover(ctx context.Context, h *Handover) (previous, current safepublish.Counts, err error) {
	both, _, err := sum(ctx, s, func(p *Selection) [2]safepublish.Counts {
		failed := failedHits(p.view)
		return each(p, func(_ int, rs *runs) [2]safepublish.Counts {
			return p.window.handover(rs, h, failed, p.now)
		}, addHandovers)
	}, addHandovers)
	return both[0], both[1], err
}

func addHandovers(total, more [2]safepublish.Counts) [2]safepublish.Counts {
	return [2]safepublish.Counts{total[0].Merge(more[0]), total[1].Merge(more[1])}
}

// failedHits returns the number of the outcome that is an error.
func failedHits(view *frame.View) uint32 {
	return lettersOf(view).find(ofOutcomes, name{failedOutcome, ""})
}

// handover counts the runs of a shard, which come by visitor.
func (w *window) handover(rs *runs, h *Handover, failed uint32, now time.Time) (both [2]safepublish.Counts) {
	within, since := h.Within.Milliseconds(), frame.Millis(h.Since)
	from, until := frame.Millis(h.Since.Add(-h.Back)), frame.Millis(now)-within
	var user [2]struct{ runs, completed, failed int64 }
	for i := range rs.len() {
		r, start := rs.refs[i], rs.start[i]
		side := -1
		switch version := w.view.Releases[w.parts[r.part].Column(frame.RunRelease)[r.row]].Version; {
		case start > until:
		case version == h.Previous && start >= from && start < since:
			side = 0
		case version == h.Current && start >= since:
			side = 1
		}
		if side >= 0 {
			of := &user[side]
			of.runs++
			if rs.marks[i]&completed != 0 && rs.completedAfter(i, w) <= within {
				of.completed++
			}
			if w.failed(r, start+within, failed) {
				of.failed++
			}
		}
		if i+1 == rs.len() || rs.visitor[i+1] != rs.visitor[i] {
			for side := range user {
				if of := &user[side]; of.runs > 0 {
					both[side].Add(of.runs, of.completed, of.failed)
					*of = struct{ runs, completed, failed int64 }{}
				}
			}
		}
	}
	return both
}

// failed tells whether a surface of a run failed until a time.
func (w *window) failed(r ref, until int64, outcome uint32) bool {
	if outcome == noNumber {
		return false
	}
	for _, hit := range w.hits(r) {
		if l := w.letters.of(hit); l.kind == surfaceOutcome && l.had == outcome && frame.HitTime(hit) <= until {
			return true
		}
	}
	return false
}
