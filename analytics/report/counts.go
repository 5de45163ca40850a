package report

import (
	"strconv"

	"github.com/svc-dev/svc/analytics/frame"
)

// hitCounts counts the in-range hits of the qualifying sessions by bucket and name id: the hits of
// name id in bucket b are at b·(names+1) + id, those of ids that the view does not know at the last
// place of the bucket. Plain counts need no order of visitors, so sessions are read as they lie in
// memory, day by day, and a day's counters stay in the processor's cache. cal may be nil for one
// bucket.
func (s *Selection) hitCounts(cal *calendar) []int64 {
	buckets, width, key := 1, len(s.view.Names)+1, countKey{what: "hits"}
	if cal != nil {
		buckets, key.buckets = cal.len(), cal.key()
	}
	return remembered(s, key, buckets*width, 8, func() []int64 { return s.countAllHits(cal, buckets, width) })
}

func (s *Selection) countAllHits(cal *calendar, buckets, width int) []int64 {
	results := make([][]int64, len(s.shards))
	frame.Parallel(len(s.shards), func(i int) {
		n := make([]int64, buckets*width)
		results[i] = n
		if s.filter.active {
			for _, r := range s.shards[i] {
				p := &s.window.parts[r.part]
				countHits(p.hitsIn(r.row), cal, n, width)
			}
			return
		}
		for k := i; k < len(s.window.parts); k += len(s.shards) {
			p := &s.window.parts[k]
			if cal == nil && p.whole() {
				countHits(p.Hits(), nil, n, width)
				continue
			}
			for row := range uint32(p.Len()) {
				if p.has(row) {
					countHits(p.hitsIn(row), cal, n, width)
				}
			}
		}
	})
	total := results[0]
	for _, more := range results[1:] {
		for i, n := range more {
			total[i] += n
		}
	}
	return total
}

// countHits counts hits that are in the order of their time.
func countHits(hits []int64, cal *calendar, n []int64, width int) {
	last := uint32(width - 1)
	if cal == nil {
		for _, hit := range hits {
			n[min(frame.HitName(hit), last)]++
		}
		return
	}
	for len(hits) > 0 {
		bucket := cal.of(frame.HitTime(hits[0]))
		counts, end, k := n[int(bucket)*width:][:width], cal.bounds[bucket+1], 0
		for ; k < len(hits) && frame.HitTime(hits[k]) < end; k++ {
			counts[min(frame.HitName(hits[k]), last)]++
		}
		hits = hits[k:]
	}
}

// fitsCounters tells whether the cells of hitCounts are few enough.
func (s *Selection) fitsCounters(cal *calendar) bool {
	return (len(s.view.Names)+1)*cal.len() <= s.engine.tuning.CountCells
}

// grouped adds counts by name id up by group. Bucket b of group g is at g·buckets + b, and slots
// that are no group are left out.
func grouped(counts []int64, slot []uint32, groups int) []int64 {
	buckets := len(counts) / len(slot)
	out := make([]int64, groups*buckets)
	for b := range buckets {
		for id, n := range counts[b*len(slot):][:len(slot)] {
			if n != 0 && slot[id] < uint32(groups) {
				out[int(slot[id])*buckets+b] += n
			}
		}
	}
	return out
}

// totals adds the buckets of each group up.
func totals(counts []int64, buckets int) []int64 {
	out := make([]int64, len(counts)/buckets)
	for i, n := range counts {
		out[i/buckets] += n
	}
	return out
}

// viewCounts returns the in-range views of every page.
func (s *Selection) viewCounts() []int64 {
	pages := len(s.view.Pages)
	return grouped(s.hitCounts(nil), s.viewSlots(pages, func(page uint32) uint32 { return page }), pages)
}

// sessionCounts returns how many qualifying sessions have each code of a column.
func (s *Selection) sessionCounts(column frame.Column, size int) []uint32 {
	key := countKey{what: "sessions", by: strconv.Itoa(int(column))}
	return remembered(s, key, size, 4, func() []uint32 { return s.countSessions(column, size) })
}

func (s *Selection) countSessions(column frame.Column, size int) []uint32 {
	results := make([][]uint32, len(s.shards))
	frame.Parallel(len(s.shards), func(i int) {
		n := make([]uint32, size)
		results[i] = n
		if s.filter.active {
			for _, r := range s.shards[i] {
				n[s.window.parts[r.part].Column(column)[r.row]]++
			}
			return
		}
		for k := i; k < len(s.window.parts); k += len(s.shards) {
			p := &s.window.parts[k]
			whole := p.whole()
			for row, code := range p.Column(column) {
				if whole || p.has(uint32(row)) {
					n[code]++
				}
			}
		}
	})
	total := results[0]
	for _, more := range results[1:] {
		for i, n := range more {
			total[i] += n
		}
	}
	return total
}
