package report

import (
	"iter"
	"slices"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// Drill limits a retention report to the people whose first touch has a value.
type Drill struct {
	Dimension analytics.Dimension // one of analytics.RetentionDimensions
	Value     string
}

// touchCode returns the code of a first-touch dimension.
func touchCode(t *frame.CodedTouch, d analytics.Dimension) uint32 {
	switch d {
	case analytics.Source:
		return t.Source
	case analytics.Campaign:
		return t.Campaign
	case analytics.Country:
		return t.Country
	case analytics.Platform:
		return t.Platform
	}
	return t.Device
}

func (s *Selection) touchValues(d analytics.Dimension) []string {
	switch d {
	case analytics.Source:
		return s.view.Sources
	case analytics.Campaign:
		return s.view.Campaigns
	case analytics.Country:
		return s.view.Countries
	case analytics.Platform:
		return s.view.Platforms
	}
	return s.view.Devices
}

// validate checks the dimension.
func (d *Drill) validate() error {
	if d != nil && !slices.Contains(analytics.RetentionDimensions, d.Dimension) {
		return analytics.Invalid(
			"drill.dimension", "unknown dimension %q: use source, campaign, country, platform or device", d.Dimension,
		)
	}
	return nil
}

// drill compiles a drill to a test of who came first. Without one no first touches are read but for their times.
func (s *Selection) drill(d *Drill) func(visitor uint32) bool {
	if d == nil {
		return everybody
	}
	code := slices.Index(s.touchValues(d.Dimension), d.Value)
	return func(visitor uint32) bool {
		return code >= 0 && touchCode(s.view.Touch(visitor), d.Dimension) == uint32(code)
	}
}

// everybody is the test that everybody passes.
func everybody(uint32) bool { return true }

// cutoff returns the instant up to which retention looks: the range's end or now, whichever is earlier.
func (s *Selection) cutoff() int64 { return min(frame.Millis(s.scope.End), frame.Millis(s.now)) }

// cohortMember is a visitor of the cohort.
type cohortMember struct {
	visitor uint32
	first   uint32 // bucket of first seen
	active  []bool // buckets with a hit before the cutoff
}

// newcomers returns the visitors of a shard, or of a part of one, who were first seen in the range, in order, and when
// they were; under filters those who have a qualifying session.
func (s *Selection) newcomers(shard *windowShard, times *seenTimes) iter.Seq2[uint32, int64] {
	if !s.filter.active {
		return s.everyNewcomer(shard, times)
	}
	return func(yield func(uint32, int64) bool) {
		latest := uint32(skip)
		for _, r := range shard.order {
			if !s.qualifies(r) {
				continue
			}
			visitor := s.visitor(r)
			if visitor == latest {
				continue
			}
			latest = visitor
			if at := times.of(visitor); s.inRange(at) && !yield(visitor, at) {
				return
			}
		}
	}
}

// everyNewcomer looks at everybody, because somebody may have been seen first in the range without a session in it.
func (s *Selection) everyNewcomer(shard *windowShard, times *seenTimes) iter.Seq2[uint32, int64] {
	return func(yield func(uint32, int64) bool) {
		start, end := s.window.start, s.window.end
		for from := shard.from; from < shard.to; {
			some := times.from(from)
			some = some[:min(len(some), int(shard.to-from))]
			for i, at := range some {
				if at >= start && at < end && !yield(from+uint32(i), at) {
					return
				}
			}
			from += uint32(len(some))
		}
	}
}

// cohort calls visit for every member of the cohort, the visitors of a shard in one goroutine:
// those first seen in the range and, under filters, with a qualifying session in it. The member is
// only valid during the call.
func (s *Selection) cohort(cal *calendar, drill func(visitor uint32) bool, visit func(shard int, m *cohortMember)) {
	cutoff := s.cutoff()
	r, columns := s.readTimes(cal)
	frame.Parallel(s.workers(), func(i int) {
		m, times := &cohortMember{active: make([]bool, cal.len())}, s.seenTimes()
		r.each(i, func(shard *windowShard) {
			for visitor, seen := range s.newcomers(shard, &times) {
				if !drill(visitor) {
					continue
				}
				m.visitor, m.first = visitor, cal.of(seen)
				clear(m.active)
				for _, r := range shard.of(visitor) {
					columns[r.part].markActive(r.row, cal, cutoff, m.active)
				}
				visit(i, m)
			}
		})
	})
}

// markActive sets the buckets in which a session has a hit in the range and before the cutoff.
func (l *partColumns) markActive(row uint32, cal *calendar, cutoff int64, active []bool) {
	from := l.from(row)
	if from >= cutoff {
		return
	}
	// The session's end is no earlier than its last hit in the range.
	if bucket := l.bucketOf(cal, from); from+int64(l.millis[row]) < min(cal.bounds[bucket+1], cutoff) {
		active[bucket] = true
		return
	}
	l.part.markSpread(row, cal, cutoff, active)
}

// at returns what a member adds to an offset.
func (m *cohortMember) at(cal *calendar, cutoff int64, offset int) returns {
	var r returns
	bucket := int(m.first) + offset
	if bucket >= cal.len() {
		return r
	}
	if m.active[bucket] {
		r.returned = 1
	}
	if cal.bounds[bucket+1] <= cutoff {
		r.eligible, r.both = 1, r.returned
	}
	return r
}
