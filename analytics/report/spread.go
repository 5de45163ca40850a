package report

import (
	"math"
	"sort"

	"github.com/svc-dev/svc/analytics/frame"
)

// bucketHits is a bucket that a session has hits in, and how many of them are views and custom events.
type bucketHits struct{ bucket, views, events uint32 }

// usualBuckets is how many buckets a session has hits in at most, but for few sessions.
const usualBuckets = 32

// spread appends the buckets in which a session has hits in range and before a time, in order. Where a file says what a
// session has before each bound, its hits are not read.
func (p *windowPart) spread(
	to []bucketHits, view *frame.View, row uint32, cal *calendar, until int64,
) []bucketHits {
	if spread, known := p.spreadByCrossings(to, row, cal, until, true); known {
		return spread
	}
	edge := int64(0) // of the latest bucket
	for _, hit := range p.hitsIn(row) {
		at := frame.HitTime(hit)
		if at >= until {
			break
		}
		if len(to) == 0 || at >= edge {
			bucket := cal.of(at)
			to, edge = append(to, bucketHits{bucket: bucket}), cal.bounds[bucket+1]
		}
		last := &to[len(to)-1]
		switch name := view.Name(frame.HitName(hit)); {
		case name.Kind.IsView():
			last.views++
		case name.Kind == frame.Custom:
			last.events++
		}
	}
	return to
}

// markSpread sets the buckets in which a session has hits in range and before a time.
func (p *windowPart) markSpread(row uint32, cal *calendar, until int64, active []bool) {
	var room [usualBuckets]bucketHits
	if spread, known := p.spreadByCrossings(room[:0], row, cal, until, false); known {
		for _, hits := range spread {
			active[hits.bucket] = true
		}
		return
	}
	edge := int64(math.MinInt64) // of the latest bucket
	for _, hit := range p.hitsIn(row) {
		at := frame.HitTime(hit)
		if at >= until {
			return
		}
		if at >= edge {
			bucket := cal.of(at)
			active[bucket], edge = true, cal.bounds[bucket+1]
		}
	}
}

// spreadByCrossings does so without reading hits, where that is possible. What happened in the bucket of the last hit
// takes one more column, which is not read when nobody counts it.
func (p *windowPart) spreadByCrossings(
	to []bucketHits, row uint32, cal *calendar, until int64, counts bool,
) (spread []bucketHits, known bool) {
	from, spread := p.from(row), to
	if p.clipped {
		until = min(until, p.end)
	}
	before, known := p.before(row, from)
	for bucket, end := cal.of(from), p.End(row); known; bucket++ {
		bound := min(cal.bounds[bucket+1], until)
		after, isKnown, ends := frame.Crossing{}, true, bound > end
		switch {
		case ends && !counts:
			after = before
		case ends: // how many hits the session has needs not be known, which would be one more column as well
			totals := p.Column(frame.Totals)[row]
			after.Views, after.Events = uint16(frame.ViewsOf(totals)), uint16(frame.EventsOf(totals))
		default:
			after, isKnown = p.before(row, bound)
		}
		if !isKnown {
			break
		}
		if ends || after.Hits > before.Hits {
			spread = append(spread, bucketHits{
				bucket, uint32(after.Views - before.Views), uint32(after.Events - before.Events),
			})
		}
		if before = after; bound == until || ends {
			return spread, true
		}
	}
	return to, false
}

// ends appends how many hits a session of a whole part has before each bound of a bucket that it crosses.
func (p *windowPart) ends(to []uint16, row uint32, cal *calendar) []uint16 {
	end := p.End(row)
	for bucket := cal.of(p.Start(row)); cal.bounds[bucket+1] <= end; bucket++ {
		bound := cal.bounds[bucket+1]
		before, known := p.before(row, bound)
		if !known {
			hits := p.HitsOf(row)
			before.Hits = uint16(sort.Search(len(hits), func(i int) bool { return frame.HitTime(hits[i]) >= bound }))
		}
		to = append(to, before.Hits)
	}
	return to
}

// before returns how many hits a session has before a time, where that is known without reading them.
func (p *windowPart) before(row uint32, at int64) (before frame.Crossing, known bool) {
	switch {
	case at <= p.Start(row):
		return frame.Crossing{}, true
	case at > p.End(row):
		off, totals := p.Offsets(), p.Column(frame.Totals)[row]
		return frame.Crossing{
			Hits: uint16(off[row+1] - off[row]), Views: uint16(frame.ViewsOf(totals)), Events: uint16(frame.EventsOf(totals)),
		}, true
	}
	return p.CrossingAt(row, at)
}
