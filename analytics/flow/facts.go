package flow

import (
	"math"
	"runtime"
	"weak"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
)

// marks say what reports ask of every run.
type marks uint8

const (
	completed marks = 1 << iota
	abandoned
	presented // has a surface_presented
	claims    // the device reported a purchase
	bought    // a first charge or trial start of the ledger belongs to it
	paid      // money of the ledger belongs to it; of runs that were selected
	steady    // no hit is before its start
)

// tookLong stands for a time to complete that does not fit, which is read from the hits.
const tookLong = math.MaxUint32

// facts are what reports ask of every run of a part.
type facts struct {
	start []int64 // milliseconds since 2020-01-01T00:00Z
	marks []marks
	took  []uint32 // milliseconds from the start to the first flow_completed, of others to the latest hit
}

// factsOf returns the facts of a part. They live as long as the part, which most views share with those before them: a
// poll changes a few small parts.
func (e *Engine) factsOf(p *frame.Part, letters *alphabet) *facts {
	key := weak.Make(p)
	if known, ok := e.facts.Load(key); ok {
		return known.(*facts)
	}
	found := newFacts(p, letters)
	if _, known := e.facts.LoadOrStore(key, found); !known {
		runtime.AddCleanup(p, func(key weak.Pointer[frame.Part]) { e.facts.Delete(key) }, key)
	}
	return found
}

func newFacts(p *frame.Part, letters *alphabet) *facts {
	rows := p.Len()
	f := &facts{make([]int64, rows), make([]marks, rows), make([]uint32, rows)}
	for row := range uint32(rows) {
		f.start[row] = p.RunStart(row)
		var m marks
		flags := p.Column(frame.RunFlags)[row]
		if flags&frame.Abandoned != 0 {
			m |= abandoned
		}
		done := int64(-1)
		m |= steady
		for _, hit := range p.HitsOf(row) {
			if frame.HitTime(hit) < f.start[row] {
				m &^= steady
			}
			switch letters.of(hit).kind {
			case surfaceVisit:
				m |= presented
			case purchaseClaim:
				m |= claims
			case completion:
				if done < 0 {
					done = max(0, frame.HitTime(hit)-f.start[row])
				}
			}
		}
		took := p.RunLast(row) - f.start[row]
		if flags&frame.Completed != 0 {
			m |= completed
			took = done
		}
		f.took[row] = uint32(min(took, tookLong))
		f.marks[row] = m
	}
	return f
}

// completedAfter returns the time to complete of a completed run, in milliseconds: to its first flow_completed; clocks
// may go back, it is at least none.
func (rs *runs) completedAfter(i int, w *window) int64 {
	if ms := rs.took[i]; ms != tookLong {
		return int64(ms)
	}
	r := rs.refs[i]
	p := &w.parts[r.part]
	for _, hit := range p.HitsOf(r.row) {
		if w.letters.of(hit).kind == completion {
			return max(0, frame.HitTime(hit)-rs.start[i])
		}
	}
	return 0
}

// last returns the time of the latest hit of a run that is not completed.
func (rs *runs) last(i int, w *window) int64 {
	if ms := rs.took[i]; ms != tookLong {
		return rs.start[i] + int64(ms)
	}
	r := rs.refs[i]
	return w.parts[r.part].RunLast(r.row)
}

// state returns the state of a run (flow-analytics.md §1).
func (s *Selection) state(rs *runs, i int) run.State {
	switch m := rs.marks[i]; {
	case m&completed != 0:
		return run.Completed
	case m&abandoned != 0:
		return run.Abandoned
	case rs.last(i, s.window) <= s.lapsed:
		return run.Lapsed
	}
	return run.Open
}

// dropped tells whether a run ended without being completed.
func dropped(state run.State) bool { return state == run.Abandoned || state == run.Lapsed }
