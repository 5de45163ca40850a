package report

import (
	"slices"
	"strconv"

	"github.com/svc-dev/svc/analytics/frame"
)

// hitCounts counts the in-range hits of the qualifying sessions by the group that slot gives their name, and by bucket:
// those of group g in bucket b are at g·buckets + b. Ids past slot take its last entry. Plain counts need no order of
// visitors, so sessions are read as they lie in memory, day by day, and a day's counters stay in the processor's cache.
// cal may be nil for one bucket. What names the groups.
func (s *Selection) hitCounts(what string, slot []uint32, groups int, cal *calendar) []int64 {
	buckets, key := 1, countKey{what: "hits of", by: what}
	if cal != nil {
		buckets, key.buckets = cal.len(), cal.key()
	}
	return remembered(s, key, buckets*groups, 8, func() []int64 {
		// The last group takes what no other counts, which saves a branch on every hit.
		slot = slices.Clone(slot)
		for id, group := range slot {
			slot[id] = min(group, uint32(groups))
		}
		return byGroup(s.countAllHits(slot, groups+1, cal, buckets), groups, buckets)
	})
}

// byGroup orders counts by group that are by bucket, and leaves those of the last group out.
func byGroup(counts []int64, groups, buckets int) []int64 {
	out := make([]int64, groups*buckets)
	for i, n := range counts {
		if bucket, group := i/(groups+1), i%(groups+1); group < groups {
			out[group*buckets+bucket] = n
		}
	}
	return out
}

// countAllHits counts by bucket, so many groups in each.
func (s *Selection) countAllHits(slot []uint32, width int, cal *calendar, buckets int) []int64 {
	results := make([][]int64, s.workers())
	frame.Parallel(s.workers(), func(i int) {
		c := hitCounter{slot: slot, width: width, cal: cal, n: make([]int64, buckets*width)}
		results[i] = c.n
		for k := i; k < len(s.window.parts); k += s.workers() {
			if p := &s.window.parts[k]; s.picked != nil {
				c.countPicked(p, s.picked.rows[k])
			} else {
				c.countPart(p)
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

// hitCounter counts hits by bucket and group.
type hitCounter struct {
	slot  []uint32
	width int
	cal   *calendar
	n     []int64
}

// groupOf returns the group of a name.
func (c *hitCounter) groupOf(name uint32) uint32 { return c.slot[min(name, uint32(len(c.slot)-1))] }

// count counts hits that are in the order of their time.
func (c *hitCounter) count(hits []int64) {
	for len(hits) > 0 {
		counts, k, end := c.n[:c.width], len(hits), int64(0)
		if c.cal != nil {
			bucket := c.cal.of(frame.HitTime(hits[0]))
			counts, end, k = c.bucket(bucket), c.cal.bounds[bucket+1], 0
			for k < len(hits) && frame.HitTime(hits[k]) < end {
				k++
			}
		}
		for _, hit := range hits[:k] {
			counts[c.groupOf(frame.HitName(hit))]++
		}
		hits = hits[k:]
	}
}

// bucket returns the counts of a bucket.
func (c *hitCounter) bucket(b uint32) []int64 { return c.n[int(b)*c.width:][:c.width] }

// countPart counts the hits of all sessions of a part.
func (c *hitCounter) countPart(p *windowPart) {
	switch {
	case p.whole() && p.HasTrails():
		c.countTold(p)
	case c.cal == nil && p.whole():
		c.count(p.Hits())
	default:
		for row := range uint32(p.Len()) {
			if p.has(row) {
				c.count(p.hitsIn(row))
			}
		}
	}
}

// countPicked counts the hits of some sessions of a part.
func (c *hitCounter) countPicked(p *windowPart, rows frame.Bits) {
	if !p.whole() || !p.HasTrails() {
		for row := range uint32(p.Len()) {
			if rows.Has(row) {
				c.count(p.hitsIn(row))
			}
		}
		return
	}
	t := p.Trails()
	var names []uint32
	var ends []uint16
	var cursor frame.TrailCursor
	for row := range uint32(p.Len()) {
		if rows.Has(row) {
			names = t.Append(names[:0], &cursor, row)
			ends = c.addTrail(p, row, names, ends)
		}
	}
}

// addTrail counts the hits of a session along its trail. Ends is room for where they cross buckets, which it returns.
func (c *hitCounter) addTrail(p *windowPart, row uint32, names []uint32, ends []uint16) []uint16 {
	if c.cal == nil {
		c.add(0, names)
		return ends
	}
	bucket, begin := c.cal.of(p.Start(row)), uint16(0)
	ends = p.ends(ends[:0], row, c.cal)
	for i, end := range ends {
		c.add(bucket+uint32(i), names[begin:end])
		begin = end
	}
	c.add(bucket+uint32(len(ends)), names[begin:])
	return ends
}

// countTold counts them without reading them. It begins with all in the bucket that the session in the middle begins
// in, as if there were no others, and then moves those of sessions that are elsewhere, along their trails.
func (c *hitCounter) countTold(p *windowPart) {
	usual, counts := uint32(0), c.n[:c.width]
	if c.cal != nil {
		usual = c.cal.of(p.Start(uint32(p.Len() / 2)))
		counts = c.bucket(usual)
	}
	for total := range p.NameTotals() {
		counts[c.groupOf(total.Name)] += total.Hits
	}
	if c.cal == nil || p.MinHit >= c.cal.bounds[usual] && p.MaxHit < c.cal.bounds[usual+1] {
		return
	}
	p.Ahead(frame.Length)
	t, starts, lengths := p.Trails(), p.Starts(), p.Column(frame.Length)
	var names []uint32
	var ends []uint16
	var cursor frame.TrailCursor
	for row := range uint32(p.Len()) {
		from := starts.At(row)
		if from >= c.cal.bounds[usual] && from+int64(lengths[row]) < c.cal.bounds[usual+1] {
			continue
		}
		names = t.Append(names[:0], &cursor, row)
		for _, name := range names {
			counts[c.groupOf(name)]--
		}
		ends = c.addTrail(p, row, names, ends)
	}
}

// add counts the hits of a trail in a bucket.
func (c *hitCounter) add(bucket uint32, names []uint32) {
	counts := c.bucket(bucket)
	for _, name := range names {
		counts[c.groupOf(name)]++
	}
}

// fitsCounters tells whether the cells of hitCounts are few enough.
func (s *Selection) fitsCounters(groups int, cal *calendar) bool {
	return (groups+1)*cal.len() <= s.engine.tuning.CountCells
}

// totals adds the buckets of each group up.
func totals(counts []int64, buckets int) []int64 {
	out := make([]int64, len(counts)/buckets)
	for i, n := range counts {
		out[i/buckets] += n
	}
	return out
}

// viewCounts returns the in-range views of every page, by bucket when cal is not nil.
func (s *Selection) viewCounts(cal *calendar) []int64 {
	pages := len(s.view.Pages)
	return s.hitCounts("pages", s.viewSlots(pages, func(page uint32) uint32 { return page }), pages, cal)
}

// sessionCounts returns how many qualifying sessions have each code of a column.
func (s *Selection) sessionCounts(column frame.Column, size int) []uint32 {
	key := countKey{what: "sessions", by: strconv.Itoa(int(column))}
	return remembered(s, key, size, 4, func() []uint32 { return s.countSessions(column, size) })
}

func (s *Selection) countSessions(column frame.Column, size int) []uint32 {
	results := make([][]uint32, s.workers())
	frame.Parallel(s.workers(), func(i int) {
		n := make([]uint32, size)
		results[i] = n
		for k := i; k < len(s.window.parts); k += s.workers() {
			p := &s.window.parts[k]
			p.ColumnAhead(column)
			whole := p.whole()
			for row, code := range p.Column(column) {
				if (whole || p.has(uint32(row))) && s.qualifies(ref{uint32(k), uint32(row)}) {
					n[code]++
				}
			}
			if !s.window.kept {
				p.Behind(column)
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
