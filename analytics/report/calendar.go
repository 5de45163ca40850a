package report

import (
	"fmt"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

const hourMillis = 3_600_000

// calendar finds the bucket of an instant of the range.
type calendar struct {
	labels []time.Time
	bounds []int64  // starts, and the end of the last bucket
	hours  []uint32 // the bucket in which each hour since bounds[0] starts
}

func newCalendar(grain analytics.Grain, start, end time.Time, loc *time.Location) (*calendar, error) {
	times, err := analytics.Buckets(grain, start, end, loc)
	if err != nil {
		return nil, err
	}
	c := &calendar{labels: times[:len(times)-1], bounds: make([]int64, len(times))}
	for i, t := range times {
		c.bounds[i] = frame.Millis(t)
	}
	if len(c.labels) == 0 {
		return c, nil
	}
	bucket := uint32(0)
	for t := c.bounds[0]; t < c.bounds[len(c.bounds)-1]; t += hourMillis {
		for c.bounds[bucket+1] <= t {
			bucket++
		}
		c.hours = append(c.hours, bucket)
	}
	return c, nil
}

// of returns the bucket of t, which must be in the range.
func (c *calendar) of(t int64) uint32 {
	bucket := c.hours[(t-c.bounds[0])/hourMillis]
	for c.bounds[bucket+1] <= t {
		bucket++
	}
	return bucket
}

// bucketOf returns the bucket of t, 0 without a calendar.
func (c *calendar) bucketOf(t int64) uint32 {
	if c == nil {
		return 0
	}
	return c.of(t)
}

// key tells calendars apart.
func (c *calendar) key() string { return fmt.Sprint(c.bounds) }

func (c *calendar) len() int { return len(c.labels) }

// MaxChartBuckets is how many buckets a chart by value may have: 100 days of hours. Every
// bucket costs a point for each of SeriesValues.
const MaxChartBuckets = 2_400

// chartCalendar returns the buckets of a chart by value.
func (s *Selection) chartCalendar(grain analytics.Grain) (*calendar, error) {
	c, err := s.calendar(grain)
	if err == nil && c.len() > MaxChartBuckets {
		err = analytics.Invalid(
			"grain", "more than %d buckets in a chart by value: use a coarser grain or a shorter range", MaxChartBuckets,
		)
	}
	return c, err
}

// calendar returns the buckets of the selection's range, computed once a grain.
func (s *Selection) calendar(grain analytics.Grain) (*calendar, error) {
	if grain == "" {
		grain = analytics.Day
	}
	s.calendarMu.Lock()
	defer s.calendarMu.Unlock()
	if c := s.calendars[grain]; c != nil {
		return c, nil
	}
	c, err := newCalendar(grain, s.scope.Start, s.scope.End, s.scope.Location)
	if err == nil {
		s.calendars[grain] = c
	}
	return c, err
}
