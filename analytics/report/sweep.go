package report

import (
	"slices"
	"sort"
)

// soughtVisitors is of how many visitors sessions are ordered when somebody looks for those of one.
const soughtVisitors = 1 << 8

// each calls visit with the visitors of a shard and the order of their sessions, in their order: with all at once where
// it is kept, else with some at a time, valid only during the call.
func (r *reading) each(shard int, visit func(*windowShard)) {
	if r.kept {
		visit(&r.shards[shard])
		return
	}
	sweep, some := r.sweep(), windowShard{}
	r.spans(shard, func(from, to uint32) {
		some.from, some.to = from, to
		sweep.fill(&some)
		visit(&some)
	})
}

// span is of how many visitors sessions are ordered at a time.
func (w *windowRows) span() int {
	return max(1, min(w.tuning.SweptVisitors, w.view.Visitors.Len()*w.tuning.SweptSessions/max(1, w.rows)))
}

// spans cuts the visitors of a shard into such, and brings what is read of each into memory.
func (r *reading) spans(shard int, visit func(from, to uint32)) {
	s, step := &r.shards[shard], r.span()
	bands, ahead := r.bands(s.from), step*r.tuning.SpansAhead
	for from := int(s.from); from < int(s.to); from += step {
		to := min(from+step, int(s.to))
		bands.bring(uint32(to), uint32(min(to+ahead, int(s.to))))
		visit(uint32(from), uint32(to))
	}
	bands.end()
}

// sweep orders sessions by visitor. Who asks for visitors in their order makes it quick: it goes on where it was.
type sweep struct {
	*windowRows
	at []int // by part: the first row of what was ordered last, then the one behind
	to []int
}

func (w *windowRows) sweep() *sweep {
	return &sweep{w, make([]int, len(w.parts)), make([]int, len(w.parts))}
}

// fill orders the sessions of the visitors of a shard, whose memory it uses: a counting sort by visitor.
func (w *sweep) fill(s *windowShard) {
	visitors := int(s.to - s.from)
	s.offset = slices.Grow(s.offset[:0], visitors+2)[:visitors+2]
	clear(s.offset)
	offset := s.offset
	for i := range w.parts {
		p := &w.parts[i]
		of := p.Visitors()
		w.at[i] = seek(of, w.to[i], s.from)
		row := w.at[i]
		if p.whole() {
			for ; row < len(of) && of[row] < s.to; row++ {
				offset[of[row]-s.from+2]++
			}
		} else {
			for ; row < len(of) && of[row] < s.to; row++ {
				if p.has(uint32(row)) {
					offset[of[row]-s.from+2]++
				}
			}
		}
		w.to[i] = row
	}
	for i := 2; i < len(offset); i++ {
		offset[i] += offset[i-1]
	}
	sessions := int(offset[len(offset)-1])
	s.order = slices.Grow(s.order[:0], sessions)[:sessions]
	for i := range w.parts {
		p := &w.parts[i]
		of, whole := p.Visitors()[:w.to[i]], p.whole()
		for row := w.at[i]; row < len(of); row++ {
			if whole || p.has(uint32(row)) {
				slot := &offset[of[row]-s.from+1]
				s.order[*slot] = ref{uint32(i), uint32(row)}
				*slot++
			}
		}
	}
	s.offset = offset[:len(offset)-1]
}

// mark sets the bits of those visitors of [from, to) who have a session that passes, counted from the first.
func (w *sweep) mark(seen []uint64, from, to uint32, passing func(part int) func(row uint32) bool) {
	for i := range w.parts {
		of, passes := w.parts[i].Visitors(), passing(i)
		row := seek(of, w.to[i], from)
		for ; row < len(of) && of[row] < to; row++ {
			if passes == nil || passes(uint32(row)) {
				slot := of[row] - from
				seen[slot>>6] |= 1 << (slot & 63)
			}
		}
		w.to[i] = row
	}
}

// runs calls visit with the rows of each part that are of the visitors [from, to), whether the window has them or not.
func (w *sweep) runs(from, to uint32, visit func(part int, rows, end uint32)) {
	for i := range w.parts {
		of := w.parts[i].Visitors()
		row := seek(of, w.to[i], from)
		end := row
		for end < len(of) && of[end] < to {
			end++
		}
		if w.to[i] = end; row < end {
			visit(i, uint32(row), uint32(end))
		}
	}
}

// seek returns the first row of a visitor or of a later one, which is mostly near a row.
func seek(visitors []uint32, near int, visitor uint32) int {
	lo, hi, step := 0, near, 1
	if near == 0 || visitors[near-1] < visitor {
		for lo, hi = near, near; hi < len(visitors) && visitors[hi] < visitor; step *= 2 {
			lo, hi = hi+1, hi+step
		}
		hi = min(hi, len(visitors))
	}
	return lo + sort.Search(hi-lo, func(i int) bool { return visitors[lo+i] >= visitor })
}

// seeker finds the sessions of visitors. It belongs to one goroutine, and is quickest when asked for them in order.
type seeker struct {
	*sweep
	some windowShard
}

func (w *windowRows) seeker() *seeker { return &seeker{sweep: w.sweep()} }

// of returns the sessions of a visitor in the window, valid until the next call.
func (w *seeker) of(visitor uint32) []ref {
	s := &w.some
	if w.kept {
		i := sort.Search(len(w.shards), func(i int) bool { return w.shards[i].to > visitor })
		if i == len(w.shards) {
			return nil
		}
		s = &w.shards[i]
	} else if visitor < s.from || visitor >= s.to {
		if int(visitor) >= w.view.Visitors.Len() {
			return nil
		}
		s.from, s.to = visitor, uint32(min(int(visitor)+soughtVisitors, w.view.Visitors.Len()))
		w.fill(s)
	}
	return s.of(visitor)
}
