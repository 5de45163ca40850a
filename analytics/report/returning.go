package report

import (
	"context"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// RetentionPoint is one bucket of the new and returning chart.
type RetentionPoint struct {
	Bucket    time.Time `json:"bucket"`
	New       int64     `json:"new"`
	Returning int64     `json:"returning"`
}

// RetentionSeries returns the new and returning visitors of each bucket. A bucket that the range clips
// starts and ends with the range here, so that every visitor of it is one or the other.
func (s *Selection) RetentionSeries(ctx context.Context, grain analytics.Grain, d *Drill) ([]RetentionPoint, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	cal, err := s.calendar(grain)
	if err != nil {
		return nil, err
	}
	if cal.len() == 0 {
		return []RetentionPoint{}, nil
	}
	total, _, err := sumPortions(ctx, s, func(p *Selection) arrivals {
		return remembered(p, p.keyOf("arrivals", cal, d), 2*cal.len(), 8, func() arrivals {
			return p.arrivals(cal, p.drill(d))
		})
	}, arrivals.plus)
	if err != nil {
		return nil, err
	}
	out := make([]RetentionPoint, cal.len())
	for b, label := range cal.labels {
		out[b] = RetentionPoint{Bucket: label, New: total.newVisitors[b], Returning: total.returning[b]}
	}
	return out, nil
}

// arrivals is the new and the returning visitors by bucket.
type arrivals struct{ newVisitors, returning []int64 }

func (a arrivals) plus(more arrivals) arrivals {
	return arrivals{addCounts(a.newVisitors, more.newVisitors), addCounts(a.returning, more.returning)}
}

func (s *Selection) arrivals(cal *calendar, drill func(*frame.CodedTouch) bool) arrivals {
	results := make([]arrivals, s.workers())
	frame.Parallel(s.workers(), func(i int) {
		results[i] = arrivals{make([]int64, cal.len()), make([]int64, cal.len())}
		arrive := func(shard *windowShard) {
			for visitor := range s.candidates(shard) {
				if seen := s.view.FirstSeen(visitor); s.inRange(seen) && drill(s.view.Touch(visitor)) {
					results[i].newVisitors[cal.of(seen)]++
				}
			}
		}
		if s.filter.active {
			s.window.each(i, arrive)
		} else {
			arrive(&s.window.shards[i]) // everybody, whatever their sessions
		}
		s.each(i, func(order []ref) { s.countReturning(order, cal, drill, results[i].returning) })
	})
	total := results[0]
	for _, more := range results[1:] {
		total = total.plus(more)
	}
	return total
}

// countReturning counts, for each bucket, the visitors with a hit in it who were first seen before.
func (s *Selection) countReturning(order []ref, cal *calendar, drill func(*frame.CodedTouch) bool, returning []int64) {
	latest := make([]uint32, cal.len()) // by bucket, ordinal + 1 of the latest visitor counted
	active := make([]bool, cal.len())
	current, from := uint32(skip), 0
	var visitors [blockSize]uint32
	var starts, ends [blockSize]int64
	for len(order) > 0 {
		refs := order[:min(blockSize, len(order))]
		order = order[len(refs):]
		for j, r := range refs {
			p := &s.window.parts[r.part]
			visitors[j], starts[j] = p.Visitors()[r.row], p.from(r.row)
			ends[j] = starts[j] + int64(p.Column(frame.Length)[r.row]) // no earlier than the last hit in range
		}
		for j, r := range refs {
			visitor := visitors[j]
			if visitor != current {
				current, from = visitor, s.returnsFrom(visitor, cal, drill)
			}
			if from == cal.len() {
				continue
			}
			bucket := int(cal.of(starts[j]))
			if ends[j] < cal.bounds[bucket+1] {
				if bucket >= from && latest[bucket] != visitor+1 {
					latest[bucket] = visitor + 1
					returning[bucket]++
				}
				continue
			}
			s.markActive(r, cal, s.window.end, active)
			for bucket, is := range active {
				if is && bucket >= from && latest[bucket] != visitor+1 {
					latest[bucket] = visitor + 1
					returning[bucket]++
				}
			}
			clear(active)
		}
	}
}

// returnsFrom returns the first bucket in which a visitor's hits make them returning: the one after that
// of their first touch. It is the number of buckets when there is none.
func (s *Selection) returnsFrom(visitor uint32, cal *calendar, drill func(*frame.CodedTouch) bool) int {
	seen, from := s.view.FirstSeen(visitor), 0
	if seen >= s.window.start {
		if !s.inRange(seen) {
			return cal.len()
		}
		from = int(cal.of(seen)) + 1
	}
	if from < cal.len() && !drill(s.view.Touch(visitor)) {
		return cal.len()
	}
	return from
}
