package report

import (
	"context"
	"strconv"
	"time"
	"unsafe"

	"github.com/svc-dev/svc/analytics"
)

// Limits of the retention reports.
const (
	DefaultCurveDays = 30
	MaxCurveDays     = 366
	MaxCohorts       = 400 // the cohort table grows with the square
)

// Cohort is the visitors first seen in a bucket. Offsets count buckets from there.
type Cohort struct {
	Bucket  time.Time  `json:"bucket"`
	Size    int64      `json:"size"`
	Offsets []Returned `json:"offsets"`
}

// RetentionCohorts returns the cohort table: a row for each bucket of the range.
func (s *Selection) RetentionCohorts(ctx context.Context, grain analytics.Grain, d *Drill) ([]Cohort, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	if grain == analytics.Hour {
		return nil, analytics.Invalid("grain", "cohorts are by day, week or month")
	}
	cal, err := s.calendar(grain)
	if err != nil {
		return nil, err
	}
	n := cal.len()
	if n > MaxCohorts {
		return nil, analytics.Invalid("grain", "more than %d cohorts: use a coarser grain or a shorter range", MaxCohorts)
	}
	if n == 0 {
		return []Cohort{}, nil
	}
	cohorts, _, err := sumPortions(ctx, s, func(p *Selection) []bucketCohort {
		n := cal.len()
		return remembered(p, p.keyOf("cohorts", cal, d), n*(n+1)/2, returnsBytes, func() []bucketCohort {
			return p.cohorts(cal, p.drill(d))
		})
	}, addBucketCohorts)
	if err != nil {
		return nil, err
	}
	cutoff := s.cutoff()
	out := make([]Cohort, n)
	for b := range out {
		out[b] = Cohort{Bucket: cal.labels[b], Size: cohorts[b].size, Offsets: []Returned{}}
		for offset := 0; b+offset < n && cal.bounds[b+offset] < cutoff; offset++ {
			out[b].Offsets = append(out[b].Offsets, cohorts[b].returns[offset].at(offset))
		}
	}
	return out, nil
}

// returnsBytes is the memory of the returns at an offset.
const returnsBytes = int(unsafe.Sizeof(returns{}))

// keyOf names a count of the cohort of a drill, nil for everybody.
func (s *Selection) keyOf(what string, cal *calendar, d *Drill) countKey {
	key := countKey{what: what, buckets: cal.key(), cutoff: s.cutoff()}
	if d != nil {
		key.drill = *d
	}
	return key
}

// bucketCohort is the cohort of one bucket and its returns by offset.
type bucketCohort struct {
	size    int64
	returns []returns
}

// cohorts tallies the cohort of every bucket.
func (s *Selection) cohorts(cal *calendar, drill func(visitor uint32) bool) []bucketCohort {
	cutoff := s.cutoff()
	results := make([][]bucketCohort, len(s.window.shards))
	for i := range results {
		results[i] = make([]bucketCohort, cal.len())
		for b := range results[i] {
			results[i][b].returns = make([]returns, cal.len()-b)
		}
	}
	s.cohort(cal, drill, func(shard int, m *cohortMember) {
		c := &results[shard][m.first]
		c.size++
		for offset := range c.returns {
			c.returns[offset].add(m.at(cal, cutoff, offset))
		}
	})
	total := results[0]
	for _, more := range results[1:] {
		total = addBucketCohorts(total, more)
	}
	return total
}

func addBucketCohorts(total, more []bucketCohort) []bucketCohort {
	out := make([]bucketCohort, len(total))
	for b := range out {
		out[b] = bucketCohort{total[b].size + more[b].size, addReturns(total[b].returns, more[b].returns)}
	}
	return out
}

// addReturns returns the sum of the returns of disjoint visitors, by offset.
func addReturns(total, more []returns) []returns {
	total = extend(total, more)
	for offset := range more {
		total[offset].add(more[offset])
	}
	return total
}

// RetentionCurve returns the share of the cohort that returned on each day offset 0 … days; 0 days
// means DefaultCurveDays.
func (s *Selection) RetentionCurve(ctx context.Context, days int, d *Drill) ([]Returned, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	if days == 0 {
		days = DefaultCurveDays
	}
	if days < 0 || days > MaxCurveDays {
		return nil, analytics.Invalid("days", "must be between 1 and %d", MaxCurveDays)
	}
	cal, err := s.calendar(analytics.Day)
	if err != nil {
		return nil, err
	}
	total, _, err := sumPortions(ctx, s, func(p *Selection) []returns {
		key := p.keyOf("curve", cal, d)
		key.by = strconv.Itoa(days)
		return remembered(p, key, days, returnsBytes, func() []returns { return p.curve(cal, days, p.drill(d)) })
	}, addReturns)
	if err != nil {
		return nil, err
	}
	out := make([]Returned, days+1)
	for offset := range out {
		out[offset] = total[offset].at(offset)
	}
	return out, nil
}

// curve tallies the cohort's returns on each of the days.
func (s *Selection) curve(cal *calendar, days int, drill func(visitor uint32) bool) []returns {
	cutoff := s.cutoff()
	results := make([][]returns, len(s.window.shards))
	for i := range results {
		results[i] = make([]returns, days+1)
	}
	s.cohort(cal, drill, func(shard int, m *cohortMember) {
		for offset := 0; offset <= days && int(m.first)+offset < cal.len(); offset++ {
			results[shard][offset].add(m.at(cal, cutoff, offset))
		}
	})
	total := results[0]
	for _, more := range results[1:] {
		total = addReturns(total, more)
	}
	return total
}
