package flow

import (
	"github.com/svc-dev/svc/analytics/run"
)

// blockSize is how many runs are read ahead of being counted. Runs by visitor are scattered over the days' columns,
// more streams than a processor prefetches; reading a block of them first lets the misses overlap.
const blockSize = 64

// reading is what counting reads of a run.
type reading struct {
	*part
	ref
	visitor uint32
	begun   int64
	said    marks
	paid    bool
	hits    []int64
}

// blocks calls visit for every run, read in blocks; hits are read on demand.
func (w *window) blocks(runs []ref, withHits bool, visit func(x *reading)) {
	var block [blockSize]reading
	touched := int64(0)
	for len(runs) > 0 {
		n := min(len(runs), blockSize)
		for j, r := range runs[:n] {
			p, x := &w.parts[r.part], &block[j]
			x.part, x.ref, x.visitor, x.begun, x.said = p, r, p.Visitor[r.row], p.start[r.row], p.marks[r.row]
			x.paid = p.isPaid(r.row)
			x.hits = nil
			if withHits {
				x.hits = p.Hits[p.Off[r.row]:p.Off[r.row+1]]
			}
		}
		if withHits {
			for j := range block[:n] {
				hits := block[j].hits
				for i := 0; i < len(hits) && i < 32; i += 8 {
					touched += hits[i]
				}
			}
		}
		for j := range block[:n] {
			visit(&block[j])
		}
		runs = runs[n:]
	}
	w.touched.Store(touched) // so that the reads ahead are not left out as useless
}

// state returns the state of a run (flow-analytics.md §1).
func (s *Selection) state(x *reading) run.State {
	switch {
	case x.said&completed != 0:
		return run.Completed
	case x.said&abandoned != 0:
		return run.Abandoned
	case x.last(x.row) <= s.lapsed:
		return run.Lapsed
	}
	return run.Open
}

// dropped tells whether a run ended without being completed.
func dropped(state run.State) bool { return state == run.Abandoned || state == run.Lapsed }
