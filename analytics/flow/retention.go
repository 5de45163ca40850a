package flow

import (
	"cmp"
	"context"
	"slices"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
)

// returnTally is the people of a value and those of them who returned, by place in report.RetentionDays.
type returnTally struct {
	people                   int64
	returned, eligible, both [5]int64
}

func (t *returnTally) plus(more *returnTally) {
	t.people += more.people
	for i := range t.returned {
		t.returned[i] += more.returned[i]
		t.eligible[i] += more.eligible[i]
		t.both[i] += more.both[i]
	}
}

func addReturns(total, more []returnTally) []returnTally {
	total = extend(total, more)
	for i := range more {
		total[i].plus(&more[i])
	}
	return total
}

func (t *returnTally) retention() report.Retention {
	r := report.Retention{Visitors: t.people, Days: make([]report.Returned, len(report.RetentionDays))}
	for i, day := range report.RetentionDays {
		r.Days[i] = report.Returned{
			Offset: day, Returned: t.returned[i], Eligible: t.eligible[i], Rate: ratio(t.both[i], t.eligible[i]),
		}
	}
	return r
}

// Retention returns how many of the people came back, by the version or variant of their first run of the scope. Day
// 0 is the day on which that run started; somebody came back on a day with a hit, of product events or of any flow.
// As in the product report, days end with the range or now.
func (s *Selection) Retention(ctx context.Context, by analytics.Dimension) (*RetentionReport, error) {
	if by != Version && by != Variant {
		return nil, analytics.Invalid("by", "retention is by version or variant")
	}
	cal, err := s.calendar(analytics.Day)
	if err != nil {
		return nil, err
	}
	total, view, err := sum(ctx, s, func(p *Selection) []returnTally { return p.countReturns(cal, by) }, addReturns)
	if err != nil {
		return nil, err
	}
	return retentionOf(valuesOf(view, by, "").texts, total), nil
}

// retentionOf reports tallies by code of a value. Everybody is in one of them, so that those that are not listed add
// up.
func retentionOf(texts []string, total []returnTally) *RetentionReport {
	var listed []int
	all, other := &returnTally{}, &returnTally{}
	for code := range total {
		if total[code].people > 0 {
			all.plus(&total[code])
			listed = append(listed, code)
		}
	}
	slices.SortFunc(listed, func(a, b int) int {
		return cmp.Or(cmp.Compare(total[b].people, total[a].people), cmp.Compare(texts[a], texts[b]))
	})
	out := &RetentionReport{Retention: all.retention(), Rows: []RetentionRow{}}
	for i, code := range listed {
		if i < MaxRetentionRows && texts[code] != frame.Other {
			out.Rows = append(out.Rows, RetentionRow{texts[code], total[code].retention()})
		} else {
			other.plus(&total[code])
		}
	}
	if other.people > 0 {
		out.Rows = append(out.Rows, RetentionRow{frame.Other, other.retention()})
	}
	return out
}

// cohortMember is when somebody began, and on which of report.RetentionDays they were there.
type cohortMember struct {
	first    int32 // bucket, and one; 0 for who is not in the cohort
	returned uint8
	value    uint32
}

func (s *Selection) countReturns(cal *calendar, by analytics.Dimension) []returnTally {
	values := valuesOf(s.view, by, "")
	people, shards := make([]cohortMember, s.view.Visitors.Len()), s.runs()
	frame.Parallel(len(shards), func(i int) {
		rs, of := shards[i], s.by(values)
		var value [1]uint32
		for k, visitor := range rs.visitor { // by person and start
			if m := &people[visitor]; m.first == 0 {
				of(rs, k, value[:])
				m.first, m.value = int32(cal.of(rs.start[k]))+1, value[0]
			}
		}
	})
	cutoff := min(frame.Millis(s.scope.End), frame.Millis(s.now))
	frame.Parallel(len(shards), func(i int) {
		w := &s.window.shards[i]
		for _, frames := range [][]*frame.Frame{s.view.Frames, s.view.Runs} {
			for _, f := range frames {
				if f.MaxHit < frame.Millis(s.scope.Start) { // a run may have hits before its start: clocks go back
					continue
				}
				returnsIn(f.Sealed, s.factsOf(f.Sealed), f.Masked, w, people, cal, cutoff)
				if f.Open != nil {
					returnsIn(f.Open, s.factsOf(f.Open), nil, w, people, cal, cutoff)
				}
			}
		}
	})
	return each(s, func(i int, _ *runs) []returnTally {
		tallies := make([]returnTally, len(values.texts))
		for visitor := s.window.shards[i].from; visitor < s.window.shards[i].to; visitor++ {
			if m := &people[visitor]; m.first > 0 {
				tallies[m.value].add(m, cal, cutoff)
			}
		}
		return tallies
	}, addReturns)
}

// factsOf returns the facts of a part of runs, nil of one of sessions.
func (s *Selection) factsOf(p *frame.Part) *facts {
	if p.Type != frame.Runs {
		return nil
	}
	return s.engine.factsOf(p, s.window.letters)
}

// returnsIn marks the days on which people of the shard have a hit in the part; of runs there are facts. Most rows
// begin and end on one day, which says it all: only the hits of others are read.
func returnsIn(
	p *frame.Part, of *facts, masked frame.Bits, w *shard, people []cohortMember, cal *calendar, cutoff int64,
) {
	lo, hi := p.Bounds(w.from, w.to)
	bucket := 0
	find := func(at int64) int { // hits of a part are of few days
		if at < cal.bounds[bucket] || at >= cal.bounds[bucket+1] {
			bucket = cal.of(at)
		}
		return bucket
	}
	for row := uint32(lo); int(row) < hi; row++ {
		m := &people[p.Visitors()[row]]
		if m.first == 0 || masked.Has(row) {
			continue
		}
		if start, last, known := spanOf(p, of, row); known && start >= cal.bounds[m.first-1] && last < cutoff {
			if day := find(start); last < cal.bounds[day+1] {
				m.mark(day)
				continue
			}
		}
		for _, hit := range p.HitsOf(row) {
			if at := frame.HitTime(hit); at >= cal.bounds[m.first-1] && at < cutoff {
				m.mark(find(at))
			}
		}
	}
}

// spanOf returns when a row's earliest and latest hit are, unless nothing but the hits tells.
func spanOf(p *frame.Part, of *facts, row uint32) (first, last int64, known bool) {
	if of == nil {
		return p.Start(row), p.End(row), true
	}
	first, m := of.start[row], of.marks[row]
	if ms := of.took[row]; ms != tookLong && m&completed == 0 { // far from the hits, which need not be fetched
		return first, first + int64(ms), m&steady != 0
	}
	return first, p.RunLast(row), m&steady != 0
}

// mark notes that the person was there in a bucket.
func (m *cohortMember) mark(bucket int) {
	if day := slices.Index(report.RetentionDays, bucket-int(m.first)+1); day >= 0 {
		m.returned |= 1 << day
	}
}

// add counts a member of the cohort.
func (t *returnTally) add(m *cohortMember, cal *calendar, cutoff int64) {
	t.people++
	for i, day := range report.RetentionDays {
		bucket := int(m.first) - 1 + day
		if bucket >= len(cal.labels) {
			continue
		}
		returned := int64(m.returned >> i & 1)
		t.returned[i] += returned
		if cal.bounds[bucket+1] <= cutoff {
			t.eligible[i]++
			t.both[i] += returned
		}
	}
}
