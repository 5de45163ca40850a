package report

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// RetentionDays are the day offsets of the retention summary.
var RetentionDays = []int{1, 3, 7, 14, 30}

// Limits of the retention reports.
const (
	DefaultCurveDays = 30
	MaxCurveDays     = 366
	MaxCohorts       = 400 // the cohort table grows with the square
)

// Drill limits a retention report to the people whose first touch has a value.
type Drill struct {
	Dimension analytics.Dimension // one of analytics.RetentionDimensions
	Value     string
}

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

// RetentionPoint is one bucket of the new and returning chart.
type RetentionPoint struct {
	Bucket    time.Time `json:"bucket"`
	New       int64     `json:"new"`
	Returning int64     `json:"returning"`
}

// Cohort is the visitors first seen in a bucket. Offsets count buckets from there.
type Cohort struct {
	Bucket  time.Time  `json:"bucket"`
	Size    int64      `json:"size"`
	Offsets []Returned `json:"offsets"`
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

// cutoff is the instant up to which retention looks: the range's end or now, whichever is earlier.
func (s *Selection) cutoff() int64 { return min(s.window.end, frame.Millis(s.now)) }

// member is a visitor of the cohort.
type member struct {
	touch  *frame.Touch
	first  uint32 // bucket of first seen
	active []bool // buckets with a hit before the cutoff
}

// touchCode is the code of a first-touch dimension.
func touchCode(t *frame.Touch, d analytics.Dimension) uint32 {
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

// drill compiles a drill to a test of first touches.
func (s *Selection) drill(d *Drill) (func(*frame.Touch) bool, error) {
	if d == nil {
		return func(*frame.Touch) bool { return true }, nil
	}
	if !slices.Contains(analytics.RetentionDimensions, d.Dimension) {
		return nil, analytics.Invalid("drill.dimension", "unknown dimension %q: use source, campaign, country, platform or device", d.Dimension)
	}
	code := slices.Index(s.touchValues(d.Dimension), d.Value)
	return func(t *frame.Touch) bool { return code >= 0 && touchCode(t, d.Dimension) == uint32(code) }, nil
}

// qualifying is the visitors with a qualifying session, nil when no filter is set.
func (s *Selection) qualifying() []bool {
	if !s.filter.active {
		return nil
	}
	out := make([]bool, len(s.view.Visitors))
	for _, shard := range s.shards {
		for _, r := range shard {
			out[s.visitor(r)] = true
		}
	}
	return out
}

// cohort calls visit for every member of the cohort, the visitors of a shard in one goroutine:
// those first seen in the range and, under filters, with a qualifying session in it. The member is
// only valid during the call.
func (s *Selection) cohort(cal *calendar, drill func(*frame.Touch) bool, visit func(shard int, m *member)) {
	qualifying := s.qualifying()
	cutoff := s.cutoff()
	parallel(len(s.window.shards), func(i int) {
		shard := &s.window.shards[i]
		m := &member{active: make([]bool, cal.len())}
		for visitor := shard.from; visitor < shard.to; visitor++ {
			seen := s.view.FirstSeen(visitor)
			if !s.inRange(seen) || qualifying != nil && !qualifying[visitor] {
				continue
			}
			if m.touch = s.view.Touch(visitor); !drill(m.touch) {
				continue
			}
			m.first = cal.of(seen)
			clear(m.active)
			from := visitor - shard.from
			for _, r := range shard.order[shard.offset[from]:shard.offset[from+1]] {
				s.markActive(r, cal, cutoff, m.active)
			}
			visit(i, m)
		}
	})
}

// markActive sets the buckets in which a session has a hit in the range and before the cutoff.
func (s *Selection) markActive(r ref, cal *calendar, cutoff int64, active []bool) {
	p := &s.window.parts[r.part]
	start := frame.HitTime(p.Hits[p.lo[r.row]])
	if start >= cutoff {
		return
	}
	bucket := cal.of(start)
	active[bucket] = true
	if start+p.Duration(r.row) < cal.bounds[bucket+1] {
		return
	}
	edge := int64(math.MinInt64) // hits before it are in a bucket that is set
	for _, hit := range p.Hits[p.lo[r.row]:p.hi[r.row]] {
		at := frame.HitTime(hit)
		if at >= cutoff {
			return
		}
		if at >= edge {
			bucket := cal.of(at)
			active[bucket], edge = true, cal.bounds[bucket+1]
		}
	}
}

// at is what a member adds to an offset.
func (m *member) at(cal *calendar, cutoff int64, offset int) returns {
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

// cohortTally is a cohort's size and its returns by RetentionDays.
type cohortTally struct {
	visitors int64
	days     [5]returns
}

func (t *cohortTally) retention() Retention {
	r := Retention{Visitors: t.visitors, Days: make([]Returned, len(RetentionDays))}
	for i, day := range RetentionDays {
		r.Days[i] = t.days[i].at(day)
	}
	return r
}

// retentionBy tallies the cohort by the group of its members' first touch.
func (s *Selection) retentionBy(size int, group func(*frame.Touch) uint32) ([]cohortTally, error) {
	cal, err := s.calendar(analytics.Day)
	if err != nil {
		return nil, err
	}
	cutoff := s.cutoff()
	results := make([][]cohortTally, len(s.window.shards))
	for i := range results {
		results[i] = make([]cohortTally, size)
	}
	s.cohort(cal, func(*frame.Touch) bool { return true }, func(shard int, m *member) {
		t := &results[shard][group(m.touch)]
		t.visitors++
		for i, day := range RetentionDays {
			t.days[i].add(m.at(cal, cutoff, day))
		}
	})
	total := results[0]
	for _, more := range results[1:] {
		for i := range more {
			total[i].visitors += more[i].visitors
			for day := range more[i].days {
				total[i].days[day].add(more[i].days[day])
			}
		}
	}
	return total, nil
}

// Retention is the retention summary.
func (s *Selection) Retention() (*Retention, error) {
	tallies, err := s.retentionBy(1, func(*frame.Touch) uint32 { return 0 })
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

// RetentionMetrics are the columns that order a retention breakdown: visitors and, for each of
// RetentionDays, dayNReturned, dayNEligible and dayNRate.
func RetentionMetrics() []Metric {
	metrics := []Metric{Visitors}
	for _, day := range RetentionDays {
		metrics = append(metrics, retentionMetric(day, "Returned"), retentionMetric(day, "Eligible"), retentionMetric(day, "Rate"))
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

// RetentionBreakdown is the retention summary by a dimension of the first touch.
func (s *Selection) RetentionBreakdown(d analytics.Dimension, page Page) (*Table[RetentionRow], error) {
	if !slices.Contains(analytics.RetentionDimensions, d) {
		return nil, analytics.Invalid("dimension", "unknown dimension %q: use source, campaign, country, platform or device", d)
	}
	values := s.touchValues(d)
	tallies, err := s.retentionBy(len(values), func(t *frame.Touch) uint32 { return touchCode(t, d) })
	if err != nil {
		return nil, err
	}
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

// RetentionSeries is the new and returning visitors of each bucket. A bucket that the range clips
// starts and ends with the range here, so that every visitor of it is one or the other.
func (s *Selection) RetentionSeries(grain analytics.Grain, d *Drill) ([]RetentionPoint, error) {
	drill, err := s.drill(d)
	if err != nil {
		return nil, err
	}
	cal, err := s.calendar(grain)
	if err != nil {
		return nil, err
	}
	type counts struct{ fresh, returning []int64 }
	results := make([]counts, len(s.shards))
	for i := range results {
		results[i] = counts{make([]int64, cal.len()), make([]int64, cal.len())}
	}
	if cal.len() > 0 {
		qualifying := s.qualifying()
		parallel(len(s.shards), func(i int) {
			for visitor := s.window.shards[i].from; visitor < s.window.shards[i].to; visitor++ {
				seen := s.view.FirstSeen(visitor)
				if s.inRange(seen) && (qualifying == nil || qualifying[visitor]) && drill(s.view.Touch(visitor)) {
					results[i].fresh[cal.of(seen)]++
				}
			}
			s.countReturning(s.shards[i], cal, drill, results[i].returning)
		})
	}
	out := make([]RetentionPoint, cal.len())
	for b, label := range cal.labels {
		out[b].Bucket = label
		for _, r := range results {
			out[b].New += r.fresh[b]
			out[b].Returning += r.returning[b]
		}
	}
	return out, nil
}

// countReturning counts, for each bucket, the visitors with a hit in it who were first seen before.
func (s *Selection) countReturning(order []ref, cal *calendar, drill func(*frame.Touch) bool, returning []int64) {
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
			visitors[j], starts[j] = p.Visitor[r.row], frame.HitTime(p.Hits[p.lo[r.row]])
			ends[j] = starts[j] + int64(p.Millis[r.row]) // no earlier than the last hit in range
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

// returnsFrom is the first bucket in which a visitor's hits make them returning: the one after that
// of their first touch. It is the number of buckets when there is none.
func (s *Selection) returnsFrom(visitor uint32, cal *calendar, drill func(*frame.Touch) bool) int {
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

// RetentionCohorts is the cohort table: a row for each bucket of the range.
func (s *Selection) RetentionCohorts(grain analytics.Grain, d *Drill) ([]Cohort, error) {
	drill, err := s.drill(d)
	if err != nil {
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
	cutoff := s.cutoff()
	type cohort struct {
		size    int64
		returns []returns
	}
	results := make([][]cohort, len(s.window.shards))
	for i := range results {
		results[i] = make([]cohort, n)
		for b := range results[i] {
			results[i][b].returns = make([]returns, n-b)
		}
	}
	if n > 0 {
		s.cohort(cal, drill, func(shard int, m *member) {
			c := &results[shard][m.first]
			c.size++
			for offset := range c.returns {
				c.returns[offset].add(m.at(cal, cutoff, offset))
			}
		})
	}
	out := make([]Cohort, n)
	for b := range out {
		out[b] = Cohort{Bucket: cal.labels[b], Offsets: []Returned{}}
		for offset := 0; b+offset < n && cal.bounds[b+offset] < cutoff; offset++ {
			var total returns
			for _, shard := range results {
				total.add(shard[b].returns[offset])
			}
			out[b].Offsets = append(out[b].Offsets, total.at(offset))
		}
		for _, shard := range results {
			out[b].Size += shard[b].size
		}
	}
	return out, nil
}

// RetentionCurve is the share of the cohort that returned on each day offset 0 … days; 0 days
// means DefaultCurveDays.
func (s *Selection) RetentionCurve(days int, d *Drill) ([]Returned, error) {
	drill, err := s.drill(d)
	if err != nil {
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
	cutoff := s.cutoff()
	results := make([][]returns, len(s.window.shards))
	for i := range results {
		results[i] = make([]returns, days+1)
	}
	s.cohort(cal, drill, func(shard int, m *member) {
		for offset := 0; offset <= days && int(m.first)+offset < cal.len(); offset++ {
			results[shard][offset].add(m.at(cal, cutoff, offset))
		}
	})
	out := make([]Returned, days+1)
	for offset := range out {
		var total returns
		for _, shard := range results {
			total.add(shard[offset])
		}
		out[offset] = total.at(offset)
	}
	return out, nil
}
