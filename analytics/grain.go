package analytics

import "time"

// Grain is the length of a series' buckets.
type Grain string

// The grains; a week starts on Monday.
const (
	Hour  Grain = "hour"
	Day   Grain = "day"
	Week  Grain = "week"
	Month Grain = "month"
)

// MaxBuckets is how many buckets a series may have: more than a year of hours.
const MaxBuckets = 10_000

// Buckets returns the starts of the buckets that a range [start, end) touches, in the zone of loc, and
// after them the end of the last. The first may start before the range and the last end after it.
func Buckets(grain Grain, start, end time.Time, loc *time.Location) ([]time.Time, error) {
	switch grain {
	case "":
		grain = Day
	case Hour, Day, Week, Month:
	default:
		return nil, Invalid("grain", "unknown grain %q: use hour, day, week or month", grain)
	}
	bounds := []time.Time{bucketStart(grain, start.In(loc), loc)}
	if !start.Before(end) {
		return bounds, nil
	}
	for last := bounds[0]; last.Before(end); {
		if len(bounds) > MaxBuckets {
			return nil, Invalid("grain", "more than %d buckets: use a coarser grain or a shorter range", MaxBuckets)
		}
		last = nextBucket(grain, last, loc)
		bounds = append(bounds, last)
	}
	return bounds, nil
}

// bucketStart returns the start of the bucket that holds t.
func bucketStart(grain Grain, t time.Time, loc *time.Location) time.Time {
	y, m, d := t.Date()
	switch grain {
	case Hour:
		_, minute, second := t.Clock()
		start := t.Add(-time.Duration(minute)*time.Minute - time.Duration(second)*time.Second - time.Duration(t.Nanosecond()))
		// A clock change inside the hour starts a new bucket.
		if change, _ := t.ZoneBounds(); !change.IsZero() && start.Before(change) {
			return change
		}
		return start
	case Week:
		return StartOfDay(y, m, d-(int(t.Weekday())+6)%7, loc)
	case Month:
		return StartOfDay(y, m, 1, loc)
	}
	return StartOfDay(y, m, d, loc)
}

// nextBucket returns the start of the bucket after the one that starts at t.
func nextBucket(grain Grain, t time.Time, loc *time.Location) time.Time {
	y, m, d := t.Date()
	switch grain {
	case Hour:
		_, minute, second := t.Clock()
		next := t.Add(time.Hour - time.Duration(minute)*time.Minute - time.Duration(second)*time.Second)
		if _, change := t.ZoneBounds(); !change.IsZero() && change.Before(next) {
			return change
		}
		return next
	case Week:
		return StartOfDay(y, m, d-(int(t.Weekday())+6)%7+7, loc)
	case Month:
		return StartOfDay(y, m+1, 1, loc)
	}
	return StartOfDay(y, m, d+1, loc)
}
