package oracle

import (
	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/report"
)

func (v *visitor) touch(d analytics.Dimension) string {
	switch d {
	case analytics.Source:
		return v.source
	case analytics.Campaign:
		return v.campaign
	case analytics.Country:
		return v.country
	case analytics.Platform:
		return v.platform
	}
	return v.device
}

// cohort returns the visitors first seen in the range, with a qualifying session under filters.
func (s *Selection) cohort(pass func(*visitor) bool) []*visitor {
	var out []*visitor
	for _, v := range s.o.visitors {
		if v.firstSeen < s.start || v.firstSeen >= s.end || !pass(v) {
			continue
		}
		qualifies := !s.filtered
		for _, x := range s.sessions {
			qualifies = qualifies || x.visitor == v.id
		}
		if qualifies {
			out = append(out, v)
		}
	}
	return out
}

func (s *Selection) cutoff() int64 { return min(s.end, s.o.now.UnixMilli()) }

// hit tells whether a visitor has any hit in [from, to).
func (o *Oracle) hit(v *visitor, from, to int64) bool {
	for _, x := range o.sessions {
		for _, h := range x.hits {
			if x.visitor == v.id && h.At >= from && h.At < to {
				return true
			}
		}
	}
	return false
}

// returned counts a cohort at an offset of buckets from each member's first.
func (s *Selection) returned(cohort []*visitor, buckets []bucket, offset int) report.Returned {
	r := report.Returned{Offset: offset}
	both := int64(0)
	for _, v := range cohort {
		for i, b := range buckets {
			if !b.in(v.firstSeen) || i+offset >= len(buckets) {
				continue
			}
			to := buckets[i+offset]
			back := s.o.hit(v, max(to.from, s.start), min(to.over, s.cutoff()))
			if back {
				r.Returned++
			}
			if to.over <= s.cutoff() {
				r.Eligible++
				if back {
					both++
				}
			}
		}
	}
	r.Rate = divide(both, r.Eligible)
	return r
}

func (s *Selection) retention(cohort []*visitor) report.Retention {
	r := report.Retention{Visitors: int64(len(cohort))}
	buckets := s.buckets(analytics.Day)
	for _, day := range []int{1, 3, 7, 14, 30} {
		r.Days = append(r.Days, s.returned(cohort, buckets, day))
	}
	return r
}

func everybody(*visitor) bool { return true }

// Retention returns the retention summary.
func (s *Selection) Retention() *report.Retention {
	r := s.retention(s.cohort(everybody))
	return &r
}

// RetentionBreakdown returns the retention summary by a first-touch dimension, in no order.
func (s *Selection) RetentionBreakdown(d analytics.Dimension) []report.RetentionRow {
	values := map[string]bool{}
	for _, v := range s.cohort(everybody) {
		values[v.touch(d)] = true
	}
	var out []report.RetentionRow
	for value := range values {
		cohort := s.cohort(func(v *visitor) bool { return v.touch(d) == value })
		out = append(out, report.RetentionRow{Value: value, Retention: s.retention(cohort)})
	}
	return out
}

func drilled(d *report.Drill) func(*visitor) bool {
	if d == nil {
		return everybody
	}
	return func(v *visitor) bool { return v.touch(d.Dimension) == d.Value }
}

// RetentionSeries returns the new and returning chart.
func (s *Selection) RetentionSeries(grain analytics.Grain, d *report.Drill) []report.RetentionPoint {
	out := []report.RetentionPoint{}
	pass := drilled(d)
	for _, b := range s.buckets(grain) {
		p := report.RetentionPoint{Bucket: b.label}
		for _, v := range s.cohort(pass) {
			if b.in(v.firstSeen) {
				p.New++
			}
		}
		for _, v := range s.o.visitors {
			back := false
			for _, x := range s.sessionsIn(b.in, s.sessions) {
				back = back || x.visitor == v.id
			}
			if back && pass(v) && v.firstSeen < max(b.from, s.start) {
				p.Returning++
			}
		}
		out = append(out, p)
	}
	return out
}

// RetentionCohorts returns the cohort table.
func (s *Selection) RetentionCohorts(grain analytics.Grain, d *report.Drill) []report.Cohort {
	out := []report.Cohort{}
	buckets := s.buckets(grain)
	all := s.cohort(drilled(d))
	for i, b := range buckets {
		var cohort []*visitor
		for _, v := range all {
			if b.in(v.firstSeen) {
				cohort = append(cohort, v)
			}
		}
		c := report.Cohort{Bucket: b.label, Size: int64(len(cohort)), Offsets: []report.Returned{}}
		for offset := 0; i+offset < len(buckets) && buckets[i+offset].from < s.cutoff(); offset++ {
			c.Offsets = append(c.Offsets, s.returned(cohort, buckets, offset))
		}
		out = append(out, c)
	}
	return out
}

// RetentionCurve returns the return curve up to a day offset.
func (s *Selection) RetentionCurve(days int, d *report.Drill) []report.Returned {
	out := []report.Returned{}
	cohort, buckets := s.cohort(drilled(d)), s.buckets(analytics.Day)
	for offset := range days + 1 {
		out = append(out, s.returned(cohort, buckets, offset))
	}
	return out
}
