package report

import (
	"iter"

	"github.com/svc-dev/svc/analytics/frame"
)

// trails are those of the parts of a window that files have and of which every hit counts: people and sessions of a
// name are counted along them, and the rest along them too or by the totals of names. Nil are none.
type trails struct {
	parts []toldPart
	cal   *calendar // nil over the range
	times toldTimes
}

// toldTimes is where times come from that trails do not tell: how long views last, when hits are.
type toldTimes uint8

const (
	noTimes    toldTimes = iota // nobody asks
	totalTimes                  // the totals of names, which are of all sessions and all buckets
	hitTimes                    // the hits of the qualifying sessions, read part by part
)

// toldPart is what is read of a part instead of its hits. The zero value is a part whose hits are read.
type toldPart struct {
	frame.Trails
	starts   frame.Starts // as lengths only with a calendar
	lengths  []uint32
	meanings []uint16 // of codes to a funnel
}

// trailsOver returns what counts hits, by bucket when cal is not nil. Who is timeless needs neither when hits are nor
// how long views last.
func (s *Selection) trailsOver(cal *calendar, timeless bool) *trails {
	t := &trails{make([]toldPart, len(s.window.parts)), cal, noTimes}
	switch {
	case timeless:
	case cal != nil || s.filter.active:
		t.times = hitTimes
	default:
		t.times = totalTimes
	}
	s.eachPart(func(i int, p *windowPart) {
		if !p.whole() || !p.HasTrails() {
			return
		}
		p.Ahead()
		t.parts[i].Trails = p.Trails()
		if cal != nil {
			p.Ahead(frame.Length)
			t.parts[i].starts, t.parts[i].lengths = p.Starts(), p.Column(frame.Length)
		}
	})
	return t
}

// wereRead tells the system so, where a range may take more memory than there is.
func (t *trails) wereRead(s *Selection) {
	if t == nil || s.window.kept {
		return
	}
	s.eachPart(func(i int, p *windowPart) {
		if t.parts[i].Known() {
			p.TrailsBehind()
			if t.cal != nil {
				p.Behind(frame.Begin)
			}
		}
	})
}

// alike returns how many of the first sessions are all told of, or none of them.
func (t *trails) alike(order []ref) (n int, told bool) {
	if t == nil {
		return len(order), false
	}
	told = t.parts[order[0].part].Known()
	for n = 1; n < len(order) && t.parts[order[n].part].Known() == told; n++ {
	}
	return n, told
}

// eachPart calls f with the parts that trails tell of and that are a shard's to count.
func (t *trails) eachPart(shard, shards int, f func(part int)) {
	for i := shard; i < len(t.parts); i += shards {
		if t.parts[i].Known() {
			f(i)
		}
	}
}

// addTotals calls add with the totals of names of those parts that are a shard's to count.
func (s *Selection) addTotals(shard int, t *trails, add func(frame.NameTotal)) {
	if t.times != totalTimes {
		return
	}
	t.eachPart(shard, s.workers(), func(part int) {
		for total := range s.window.parts[part].NameTotals() {
			add(total)
		}
	})
}

// addHits calls add with the hits of the qualifying sessions of those parts, a block at a time, each part in its order.
// It does not say whose they are: they are read a last time, and visitors may have left memory.
func (s *Selection) addHits(shard int, t *trails, add func(spans []sessionHits)) {
	if t.times != hitTimes {
		return
	}
	spans := make([]sessionHits, 0, blockSize)
	t.eachPart(shard, s.workers(), func(part int) {
		p := &s.window.parts[part]
		p.HitsAhead()
		if next := part + s.workers(); next < len(t.parts) && t.parts[next].Known() {
			s.window.parts[next].HitsAhead()
		}
		hits, off := p.Hits(), p.Offsets()
		for row := range uint32(p.Len()) {
			if !s.qualifies(ref{uint32(part), row}) {
				continue
			}
			all := hits[off[row]:off[row+1]]
			if spans = append(spans, sessionHits{hits: all, inRange: len(all)}); len(spans) == blockSize {
				add(spans)
				spans = spans[:0]
			}
		}
		if len(spans) > 0 {
			add(spans)
			spans = spans[:0]
		}
		p.HitsBehind()
	})
}

// trailReader reads the trails of sessions by visitor.
type trailReader struct {
	trails  *trails
	cursors []frame.TrailCursor // by part
	names   []uint32
	ends    []uint16
}

func (t *trails) reader() *trailReader {
	if t == nil {
		return nil
	}
	return &trailReader{trails: t, cursors: make([]frame.TrailCursor, len(t.parts))}
}

// read fills spans with the names of up to blockSize sessions.
func (t *trailReader) read(s *Selection, order []ref, spans *[blockSize]sessionHits) {
	t.names, t.ends = t.names[:0], t.ends[:0]
	cal := t.trails.cal
	for j, r := range order {
		from, part := len(t.names), &t.trails.parts[r.part]
		t.names = part.Append(t.names, &t.cursors[r.part], r.row)
		spans[j] = sessionHits{names: t.names[from:], visitor: s.visitor(r) + 1, session: r}
		if cal == nil {
			continue
		}
		start := part.starts.At(r.row)
		spans[j].bucket = cal.of(start)
		if start+int64(part.lengths[r.row]) >= cal.bounds[spans[j].bucket+1] {
			from := len(t.ends)
			t.ends = s.window.parts[r.part].ends(t.ends, r.row, cal)
			spans[j].ends = t.ends[from:]
		}
	}
}

// hasName tells whether a session has a hit in range whose name is something. The last entry is of ids that the view
// does not know.
func hasName[T comparable](sp *sessionHits, names []T) bool {
	var nothing T
	last := uint32(len(names) - 1)
	for _, name := range sp.names {
		if names[min(name, last)] != nothing {
			return true
		}
	}
	for _, hit := range sp.hits[:sp.inRange] {
		if names[min(frame.HitName(hit), last)] != nothing {
			return true
		}
	}
	return false
}

// trail returns the names of a session's hits that a trail tells, and the bucket of each.
func (sp *sessionHits) trail() iter.Seq2[uint32, uint32] {
	return func(yield func(name, bucket uint32) bool) {
		bucket, ends := sp.bucket, sp.ends
		for i, name := range sp.names {
			for len(ends) > 0 && i >= int(ends[0]) {
				bucket, ends = bucket+1, ends[1:]
			}
			if !yield(name, bucket) {
				return
			}
		}
	}
}

// byBucket returns the names of a session's hits in range, and the bucket of each.
func (sp *sessionHits) byBucket(cal *calendar) iter.Seq2[uint32, uint32] {
	return func(yield func(name, bucket uint32) bool) {
		for name, bucket := range sp.trail() {
			if !yield(name, bucket) {
				return
			}
		}
		for _, hit := range sp.hits[:sp.inRange] {
			if !yield(frame.HitName(hit), cal.bucketOf(frame.HitTime(hit))) {
				return
			}
		}
	}
}

// countPages counts the sessions of pages.
func (t *trails) countPages(spans []sessionHits, session uint32, slot []uint32, cells []viewCell) {
	last, buckets := uint32(len(slot)-1), uint32(stride(t.cal))
	other, views := uint32(len(cells))/buckets-1, t.hit()<<32
	for j := range spans {
		session++
		seen := spans[j].mark(session)
		for name, bucket := range spans[j].trail() {
			if group := slot[min(name, last)]; group < other {
				cells[group*buckets+buckets-1].count(seen, views)
				if t.cal != nil {
					cells[group*buckets+bucket].count(seen, views)
				}
			}
		}
	}
}

// countNames counts the sessions of names.
func (t *trails) countNames(spans []sessionHits, session uint32, slot []uint32, cells []hitCell) {
	last, buckets := uint32(len(slot)-1), uint32(stride(t.cal))
	other, hits := uint32(len(cells))/buckets-1, int64(t.hit())
	for j := range spans {
		session++
		seen := spans[j].mark(session)
		for name, bucket := range spans[j].trail() {
			if group := slot[min(name, last)]; group < other {
				cells[group*buckets+buckets-1].countHits(seen, hits)
				if t.cal != nil {
					cells[group*buckets+bucket].countHits(seen, hits)
				}
			}
		}
	}
}

// hit is what a hit on a trail counts: nothing where totals count it.
func (t *trails) hit() uint64 {
	if t.times == totalTimes {
		return 0
	}
	return 1
}

// addViews adds the views of a name to its page's.
func addViews(n frame.NameTotal, slot []uint32, cells []viewCell) {
	if group := slot[min(int(n.Name), len(slot)-1)]; group != notView {
		cells[group].views += uint64(n.Hits) << 32
	}
	addViewTimes(n, slot, cells)
}

// addViewTimes adds how long the views of a name last.
func addViewTimes(n frame.NameTotal, slot []uint32, cells []viewCell) {
	if group := slot[min(int(n.Name), len(slot)-1)]; group != notView {
		c := &cells[group]
		c.views += uint64(n.Timed)
		c.millis += n.Millis
	}
}

// addNameHits adds the hits of a name.
func addNameHits(n frame.NameTotal, slot []uint32, cells []hitCell) {
	cells[slot[min(int(n.Name), len(slot)-1)]].hits += n.Hits
	addLatestOf(n, slot, cells)
}

// addLatestOf adds when the latest hit of a name was.
func addLatestOf(n frame.NameTotal, slot []uint32, cells []hitCell) {
	c := &cells[slot[min(int(n.Name), len(slot)-1)]]
	c.latest = max(c.latest, n.Latest-earliestHit)
}
