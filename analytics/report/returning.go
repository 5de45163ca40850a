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

func (s *Selection) arrivals(cal *calendar, drill func(visitor uint32) bool) arrivals {
	results := make([]arrivals, s.workers())
	r, columns := s.readTimes(cal)
	frame.Parallel(s.workers(), func(i int) {
		results[i].newVisitors = make([]int64, cal.len())
		times := s.seenTimes()
		arrive := func(shard *windowShard) {
			for visitor, seen := range s.newcomers(shard, &times) {
				if drill(visitor) {
					results[i].newVisitors[cal.of(seen)]++
				}
			}
		}
		if s.filter.active {
			s.window.readVisitors().each(i, arrive)
		} else {
			arrive(&s.window.shards[i]) // everybody, whatever their sessions
		}
		returning := s.newReturning(cal, drill, columns)
		s.each(i, r, returning.count)
		results[i].returning = returning.counts
	})
	total := results[0]
	for _, more := range results[1:] {
		total = total.plus(more)
	}
	return total
}

// returning counts, for each bucket, the visitors with a hit in it who were first seen before.
type returning struct {
	*Selection
	cal     *calendar
	drill   func(visitor uint32) bool
	columns []partColumns
	times   seenTimes

	counts []int64
	latest []uint32 // by bucket, ordinal + 1 of the latest visitor counted
	active []bool   // by bucket, of a session
}

func (s *Selection) newReturning(cal *calendar, drill func(visitor uint32) bool, columns []partColumns) *returning {
	n := cal.len()
	return &returning{s, cal, drill, columns, s.seenTimes(), make([]int64, n), make([]uint32, n), make([]bool, n)}
}

// count counts those of some sessions.
func (t *returning) count(order []ref) {
	current, from := uint32(skip), 0
	var visitors [blockSize]uint32
	var starts, ends [blockSize]int64
	for len(order) > 0 {
		refs := order[:min(blockSize, len(order))]
		order = order[len(refs):]
		for j, r := range refs {
			l := &t.columns[r.part]
			visitors[j], starts[j] = l.visitor[r.row], l.from(r.row)
			ends[j] = starts[j] + int64(l.millis[r.row]) // no earlier than the last hit in range
		}
		for j, r := range refs {
			visitor := visitors[j]
			if visitor != current {
				current, from = visitor, t.returnsFrom(visitor)
			}
			if from == t.cal.len() {
				continue
			}
			bucket := int(t.columns[r.part].bucketOf(t.cal, starts[j]))
			if ends[j] < t.cal.bounds[bucket+1] {
				t.came(visitor, bucket, from)
				continue
			}
			t.columns[r.part].markActive(r.row, t.cal, t.window.end, t.active)
			for bucket, is := range t.active {
				if is {
					t.came(visitor, bucket, from)
				}
			}
			clear(t.active)
		}
	}
}

// came counts a visitor in a bucket, once, unless it is before they return.
func (t *returning) came(visitor uint32, bucket, from int) {
	if bucket >= from && t.latest[bucket] != visitor+1 {
		t.latest[bucket] = visitor + 1
		t.counts[bucket]++
	}
}

// returnsFrom returns the first bucket in which a visitor's hits make them returning: the one after that
// of their first touch. It is the number of buckets when there is none.
func (t *returning) returnsFrom(visitor uint32) int {
	seen, from := t.times.of(visitor), 0
	if seen >= t.window.start {
		if !t.inRange(seen) {
			return t.cal.len()
		}
		from = int(t.cal.of(seen)) + 1
	}
	if from < t.cal.len() && !t.drill(visitor) {
		return t.cal.len()
	}
	return from
}
