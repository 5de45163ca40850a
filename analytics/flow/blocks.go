package flow

import (
	"github.com/svc-dev/svc/analytics/run"
)

// blockSize is how many runs are read ahead of being counted, so that the misses of their hits overlap.
const blockSize = 64

// reading is a run with its hits.
type reading struct {
	*part
	ref
	at      int // among the runs
	visitor uint32
	begun   int64
	hits    []int64
}

// blocks calls visit for every run.
func (w *window) blocks(rs *runs, visit func(x *reading)) {
	var block [blockSize]reading
	touched := int64(0)
	for from := 0; from < rs.len(); from += blockSize {
		n := min(rs.len()-from, blockSize)
		for j := range block[:n] {
			i, x := from+j, &block[j]
			r := rs.refs[i]
			p := &w.parts[r.part]
			x.part, x.ref, x.at, x.visitor, x.begun = p, r, i, rs.visitor[i], rs.start[i]
			x.hits = p.Hits[p.Off[r.row]:p.Off[r.row+1]]
		}
		for j := range block[:n] {
			hits := block[j].hits
			for i := 0; i < len(hits) && i < 32; i += 8 {
				touched += hits[i]
			}
		}
		for j := range block[:n] {
			visit(&block[j])
		}
	}
	w.touched.Store(touched) // so that the reads ahead are not left out as useless
}

// dropped tells whether a run ended without being completed.
func dropped(state run.State) bool { return state == run.Abandoned || state == run.Lapsed }
