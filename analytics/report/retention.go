package report

import (
	"context"
	"fmt"
	"slices"
	"unsafe"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// RetentionDays are the day offsets of the retention summary.
var RetentionDays = []int{1, 3, 7, 14, 30}

// Returned is how many of a cohort came back at an offset. Rate is the share of the eligible that
// did, nil when nobody is eligible yet; Returned counts those too whose day is not over.
type Returned struct {
	Offset   int      `json:"offset"`
	Returned int64    `json:"returned"`
	Eligible int64    `json:"eligible"`
	Rate     *float64 `json:"rate"`
}

// Retention is the cohort of a range and how many returned after 1, 3, 7, 14 and 30 days.
type Retention struct {
	Visitors int64      `json:"visitors"`
	Days     []Returned `json:"days"`
}

// RetentionRow is Retention for the people whose first touch has a value.
type RetentionRow struct {
	Value string `json:"value"`
	Retention
}

// tally of one offset.
type returns struct{ returned, eligible, both int64 }

func (r *returns) add(more returns) {
	r.returned += more.returned
	r.eligible += more.eligible
	r.both += more.both
}

func (r returns) at(offset int) Returned {
	return Returned{Offset: offset, Returned: r.returned, Eligible: r.eligible, Rate: ratio(r.both, r.eligible)}
}

// cohortTally is a cohort's size and its returns by RetentionDays.
type cohortTally struct {
	visitors int64
	days     [5]returns
}

// cohortBytes is the memory of a cohort's tally.
const cohortBytes = int(unsafe.Sizeof(cohortTally{}))

func (t *cohortTally) retention() Retention {
	r := Retention{Visitors: t.visitors, Days: make([]Returned, len(RetentionDays))}
	for i, day := range RetentionDays {
		r.Days[i] = t.days[i].at(day)
	}
	return r
}

// dayReturns tells on which of RetentionDays a member of the cohort returned, and for which they are
// eligible: bit i is for the i-th. Nobody else is a member.
type dayReturns struct{ returned, eligible uint8 }

// isMember is set in what a member is eligible for.
const isMember = 1 << 7

// findReturns returns those of all visitors, by shard, found once a selection: the summary and the breakdowns
// of a dashboard page all count them.
func (s *Selection) findReturns(cal *calendar) [][]dayReturns {
	s.dayReturnsOnce.Do(func() {
		cutoff := s.cutoff()
		s.dayReturns = make([][]dayReturns, len(s.window.shards))
		for i := range s.dayReturns {
			shard := &s.window.shards[i]
			s.dayReturns[i] = make([]dayReturns, shard.to-shard.from)
		}
		s.cohort(cal, everybody, func(shard int, m *cohortMember) {
			c := dayReturns{eligible: isMember}
			for i, day := range RetentionDays {
				r := m.at(cal, cutoff, day)
				c.returned |= uint8(r.returned << i)
				c.eligible |= uint8(r.eligible << i)
			}
			s.dayReturns[shard][m.visitor-s.window.shards[shard].from] = c
		})
	})
	return s.dayReturns
}

// retentionBy tallies the cohort by the group of its members' first touch; all are one group without a dimension.
func (s *Selection) retentionBy(cal *calendar, by analytics.Dimension, size int) []cohortTally {
	key := countKey{what: "retention", by: string(by), buckets: cal.key(), cutoff: s.cutoff()}
	return remembered(s, key, size, cohortBytes, func() []cohortTally { return s.tallyReturns(cal, by, size) })
}

func (s *Selection) tallyReturns(cal *calendar, by analytics.Dimension, size int) []cohortTally {
	found := s.findReturns(cal)
	results := make([][]cohortTally, len(found))
	frame.Parallel(len(found), func(shard int) {
		touches, group := s.firstTouches(), uint32(0)
		results[shard] = make([]cohortTally, size)
		for i, c := range found[shard] {
			if c.eligible == 0 {
				continue
			}
			if by != "" {
				group = touchCode(touches.of(s.window.shards[shard].from+uint32(i)), by)
			}
			results[shard][group].add(c)
		}
	})
	total := results[0]
	for _, more := range results[1:] {
		total = addCohorts(total, more)
	}
	return total
}

// add counts a member.
func (t *cohortTally) add(c dayReturns) {
	t.visitors++
	for i := range t.days {
		returned, eligible := int64(c.returned>>i&1), int64(c.eligible>>i&1)
		t.days[i].add(returns{returned, eligible, returned & eligible})
	}
}

// addCohorts returns the sum of tallies of disjoint visitors.
func addCohorts(total, more []cohortTally) []cohortTally {
	total = extend(total, more)
	for i := range more {
		total[i].visitors += more[i].visitors
		for day := range more[i].days {
			total[i].days[day].add(more[i].days[day])
		}
	}
	return total
}

// Retention returns the retention summary.
func (s *Selection) Retention(ctx context.Context) (*Retention, error) {
	cal, err := s.calendar(analytics.Day)
	if err != nil {
		return nil, err
	}
	tallies, _, err := sumPortions(ctx, s, func(p *Selection) []cohortTally {
		return p.retentionBy(cal, "", 1)
	}, addCohorts)
	if err != nil {
		return nil, err
	}
	r := tallies[0].retention()
	return &r, nil
}

// Columns of the retention breakdown, besides Visitors.
func retentionMetric(day int, column string) Metric {
	return Metric(fmt.Sprintf("day%d%s", day, column))
}

// RetentionMetrics returns the columns that order a retention breakdown: visitors and, for each of
// RetentionDays, dayNReturned, dayNEligible and dayNRate.
func RetentionMetrics() []Metric {
	metrics := []Metric{Visitors}
	for _, day := range RetentionDays {
		metrics = append(
			metrics, retentionMetric(day, "Returned"), retentionMetric(day, "Eligible"), retentionMetric(day, "Rate"),
		)
	}
	return metrics
}

func (r *Retention) number(metric Metric) number {
	for _, day := range r.Days {
		switch metric {
		case retentionMetric(day.Offset, "Returned"):
			return integer(day.Returned)
		case retentionMetric(day.Offset, "Eligible"):
			return integer(day.Eligible)
		case retentionMetric(day.Offset, "Rate"):
			return fraction(day.Rate)
		}
	}
	return integer(r.Visitors)
}

// RetentionBreakdown returns the retention summary by a dimension of the first touch.
func (s *Selection) RetentionBreakdown(
	ctx context.Context, d analytics.Dimension, page Page,
) (*Table[RetentionRow], error) {
	if !slices.Contains(analytics.RetentionDimensions, d) {
		return nil, analytics.Invalid(
			"dimension", "unknown dimension %q: use source, campaign, country, platform or device", d,
		)
	}
	cal, err := s.calendar(analytics.Day)
	if err != nil {
		return nil, err
	}
	tallies, known, err := sumPortions(ctx, s, func(p *Selection) []cohortTally {
		return p.retentionBy(cal, d, len(p.touchValues(d)))
	}, addCohorts)
	if err != nil {
		return nil, err
	}
	values := known.touchValues(d)
	var ids []uint32
	for id := range tallies {
		if tallies[id].visitors > 0 {
			ids = append(ids, uint32(id))
		}
	}
	return tableOf[RetentionRow]{
		ids: ids, order: Visitors, metrics: RetentionMetrics(),
		number: func(id uint32, metric Metric) number {
			r := tallies[id].retention()
			return r.number(metric)
		},
		key:    func(id uint32) string { return values[id] },
		search: func(id uint32) []string { return []string{values[id]} },
		row:    func(id uint32) RetentionRow { return RetentionRow{values[id], tallies[id].retention()} },
	}.page(page)
}
