package experiment

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Variant is an arm as it was planned; the first is the control.
type Variant struct {
	ID, Key string
	Weight  int
}

// Input is what the results of an experiment follow from.
type Input struct {
	Variants []Variant
	Planner  Planner
	Start    time.Time
	// PlannedEnd is when the experiment was to end; zero without an end.
	PlannedEnd time.Time
	Stop       time.Time // zero while it serves
	Extended   bool
	Now        time.Time
	Location   *time.Location // of the days of series
	Served     []int          // people whom resolve gave each arm
	Exposures  []Exposure
	Goals      []Goal // in the order of Exposure.Met
}

// Split is how people are distributed over the arms.
type Split struct {
	People []int // by arm
	Ratio  Ratio
}

// Results are what an experiment says.
type Results struct {
	Served, Exposed Split
	// Culprits are values of dimensions in which the exposed people are out of ratio, the worst first, at most
	// MaxCulprits; none unless the exposed people are.
	Culprits []Culprit
	// NotRendered says that people were served as planned and not exposed so: some arm does not render somewhere.
	NotRendered bool
	// Crossed are people who were in several arms, and Unknown those in an arm that the experiment does not have. Both
	// are left out of everything.
	Crossed, Unknown int
	TooManyCrossed   bool

	PeoplePerArm int // that the planner asks for
	// DaysLeft is how long it takes until every arm has them, at the traffic of the last 14 days; nil without traffic.
	DaysLeft *int

	Metrics []MetricResults
	// Verdict is that of the first metric: of the treatment it decides on, whose place is Arm; Arm is −1 without one.
	Verdict  Verdict
	Arm      int
	Sentence string
}

// MetricResults are the figures of a metric.
type MetricResults struct {
	Name  string
	Goal  *Goal // that it counts; nil of others
	Unit  Unit
	Phase Phase
	// Until is when the last person of a running experiment's planned time is counted whole: its fixed interval comes
	// then. Zero without a planned end.
	Until time.Time
	Arms  []ArmFigure
	// Comparisons are those of the treatments, in order; none of a median.
	Comparisons []MetricComparison
	Series      []SeriesPoint // by day, cumulative; none of some metrics
}

// ArmFigure is a metric in an arm.
type ArmFigure struct {
	People    int      // who count
	Maturing  int      // exposed people whose window has not passed
	Later     int      // people exposed after the planned end, who are not part of its fixed interval
	Successes *int     // of a proportion
	Value     *float64 // share, mean or median; nil without people
	// Interval is Wilson's of a proportion at the planner's alpha; nil of others.
	Interval *Interval
}

// MetricComparison is a treatment beside the control.
type MetricComparison struct {
	Arm int
	Comparison
	Belief *Belief // of a proportion
}

// SeriesPoint is a metric over all people who count at the end of a day.
type SeriesPoint struct {
	Day  time.Time // its start
	Arms []SeriesArm
}

// SeriesArm is an arm at the end of a day. Interval is the sequence of the difference to the control.
type SeriesArm struct {
	People   int
	Value    *float64
	Interval *Interval
}

// MaxCulprits is how many culprits are named.
const MaxCulprits = 20

// maxDays is how many days a series has; an experiment of more shows the last.
const maxDays = 366

// Assemble computes the results of an experiment (flow-analytics.md §6). It fails when the planner can't be planned
// with, or there are not two arms.
func Assemble(in Input) (*Results, error) {
	if len(in.Variants) < 2 {
		return nil, fmt.Errorf("an experiment has at least two variants")
	}
	needed, err := in.Planner.PeoplePerArm(len(in.Variants) - 1)
	if err != nil {
		return nil, err
	}
	r := &Results{PeoplePerArm: needed, Arm: -1}
	counted := r.count(&in)
	r.DaysLeft = in.daysLeft(needed, r.Exposed.People, counted)
	outcomes := make([]outcome, len(counted))
	for i, e := range counted {
		outcomes[i] = e.outcome(in.Planner)
	}
	slices.SortStableFunc(outcomes, func(a, b outcome) int { return a.at.Compare(b.at) })
	design := Design{
		Alpha: in.Planner.Alpha, PlannedPeople: needed, RatioWarning: r.Served.Ratio.Warning || r.Exposed.Ratio.Warning,
	}
	measures := in.measures()
	for i := range measures {
		m, err := in.measure(&measures[i], outcomes, design)
		if err != nil {
			return nil, err
		}
		r.Metrics = append(r.Metrics, m)
	}
	r.decide(in.Variants)
	return r, nil
}

// count fills in who was served and exposed, and returns whom the metrics count.
func (r *Results) count(in *Input) (counted []*Exposure) {
	r.Served.People = make([]int, len(in.Variants))
	copy(r.Served.People, in.Served)
	r.Exposed.People = make([]int, len(in.Variants))
	slicesOf := map[[2]string][]int{}
	for i := range in.Exposures {
		e := &in.Exposures[i]
		switch {
		case e.Crossed:
			r.Crossed++
			continue
		case e.Arm < 0 || e.Arm >= len(in.Variants):
			r.Unknown++
			continue
		}
		counted = append(counted, e)
		r.Exposed.People[e.Arm]++
		for _, value := range [...][2]string{
			{"platform", e.Platform}, {"appVersion", e.AppVersion}, {"country", e.Country}, {"browser", e.Browser},
		} {
			people := slicesOf[value]
			if people == nil {
				people = make([]int, len(in.Variants))
				slicesOf[value] = people
			}
			people[e.Arm]++
		}
	}
	r.TooManyCrossed = TooManyCrossed(r.Crossed, len(in.Exposures))
	r.Served.Ratio = SampleRatio(in.arms(r.Served.People))
	r.Exposed.Ratio = SampleRatio(in.arms(r.Exposed.People))
	r.NotRendered = r.Exposed.Ratio.Warning && !r.Served.Ratio.Warning && r.Served.Ratio.Enough
	if r.Exposed.Ratio.Warning {
		r.Culprits = in.culprits(slicesOf)
	}
	return counted
}

func (in *Input) arms(people []int) []Arm {
	arms := make([]Arm, len(in.Variants))
	for i, v := range in.Variants {
		arms[i] = Arm{Key: v.Key, Weight: v.Weight, People: people[i]}
	}
	return arms
}

func (in *Input) culprits(people map[[2]string][]int) []Culprit {
	var list []Slice
	for value, of := range people {
		if value[1] != "" {
			list = append(list, Slice{Dimension: value[0], Value: value[1], Arms: in.arms(of)})
		}
	}
	slices.SortFunc(list, func(a, b Slice) int {
		return slices.Compare([]string{a.Dimension, a.Value}, []string{b.Dimension, b.Value})
	})
	found := Culprits(list)
	return found[:min(len(found), MaxCulprits)]
}

// daysLeft returns when the arm that is furthest behind has the people it needs; nil when that can't be told.
func (in *Input) daysLeft(needed int, have []int, counted []*Exposure) *int {
	end := in.Now
	if !in.Stop.IsZero() {
		return nil
	}
	days := end.Sub(in.Start).Hours() / 24
	if days <= 0 {
		return nil
	}
	recent := make([]int, len(in.Variants))
	for _, e := range counted {
		if e.At.After(end.AddDate(0, 0, -trafficDays)) {
			recent[e.Arm]++
		}
	}
	most := 0
	for i, v := range in.Variants {
		if v.Weight <= 0 {
			continue
		}
		// An experiment that is younger than that had its traffic in fewer days.
		fortnight := int(math.Round(float64(recent[i]) * trafficDays / min(max(days, 1), trafficDays)))
		left, ok := DaysLeft(needed, have[i], fortnight)
		if !ok {
			return nil
		}
		most = max(most, left)
	}
	return &most
}

// phase returns where a metric stands: the fixed interval is computed once everybody who was exposed before the planned
// end has had the whole window, of these people alone, so that it does not change by being looked at.
func (in *Input) phase(window time.Duration) (phase Phase, until time.Time) {
	switch {
	case in.Extended:
		return Extended, time.Time{}
	case in.PlannedEnd.IsZero(), !in.Stop.IsZero() && in.Stop.Before(in.PlannedEnd):
		return Running, time.Time{}
	}
	until = in.PlannedEnd.Add(window)
	if in.Now.Before(until) {
		return Running, until
	}
	return Ended, until
}

// measure computes a metric over outcomes in the order of first exposure.
func (in *Input) measure(m *measure, outcomes []outcome, design Design) (MetricResults, error) {
	window := m.window(in.Planner)
	result := MetricResults{Name: m.name, Goal: m.goal, Unit: m.Unit, Arms: make([]ArmFigure, len(in.Variants))}
	result.Phase, result.Until = in.phase(window)
	design.Phase = result.Phase
	of := make([][]*outcome, len(in.Variants))
	for i := range outcomes {
		o := &outcomes[i]
		arm := &result.Arms[o.arm]
		switch {
		case result.Phase == Ended && !o.at.Before(in.PlannedEnd):
			arm.Later++
		case in.Now.Before(o.at.Add(window)):
			arm.Maturing++
		case m.counts == nil || m.counts(o):
			of[o.arm] = append(of[o.arm], o)
		}
	}
	samples := m.samples(of)
	for i := range samples {
		result.Arms[i].fill(m, &samples[i], of[i], in.Planner.Alpha)
	}
	if m.median {
		return result, nil
	}
	compared, err := Compare(design, m.Metric, samples[0], samples[1:]...)
	if err != nil {
		return result, err
	}
	for i, c := range compared {
		comparison := MetricComparison{Arm: i + 1, Comparison: c}
		if m.success != nil && samples[0].N > 0 && samples[i+1].N > 0 {
			belief := Beliefs(samples[0], samples[i+1])
			comparison.Belief = &belief
		}
		result.Comparisons = append(result.Comparisons, comparison)
	}
	if !m.noSeries {
		result.Series, err = in.series(m, outcomes, design)
	}
	return result, err
}

// samples returns what the people of each arm amount to.
func (m *measure) samples(of [][]*outcome) []Sample {
	samples := make([]Sample, len(of))
	if m.success != nil {
		for i, people := range of {
			t := tally{}
			for _, o := range people {
				t.add(m, o)
			}
			samples[i] = t.sample(m)
		}
		return samples
	}
	values := make([][]float64, len(of))
	for i, people := range of {
		for _, o := range people {
			values[i] = append(values[i], m.value(o))
		}
	}
	if m.winsor {
		values = Winsorize(values...)
	}
	for i := range values {
		samples[i] = Mean(values[i])
	}
	return samples
}

func (a *ArmFigure) fill(m *measure, s *Sample, people []*outcome, alpha float64) {
	a.People = s.N
	if s.N == 0 {
		return
	}
	value := s.Mean
	switch {
	case m.success != nil:
		successes, interval := s.Successes, Wilson(*s, alpha)
		a.Successes, a.Interval = &successes, &interval
	case m.median:
		values := make([]float64, len(people))
		for i, o := range people {
			values[i] = m.value(o)
		}
		slices.Sort(values)
		value = values[(len(values)+1)/2-1] // nearest rank
	}
	a.Value = &value
}

// tally adds up people one by one (Welford's algorithm).
type tally struct {
	n, successes int
	mean, square float64
}

func (t *tally) add(m *measure, o *outcome) {
	t.n++
	if m.success != nil {
		if m.success(o) {
			t.successes++
		}
		return
	}
	v := m.value(o)
	off := v - t.mean
	t.mean += off / float64(t.n)
	t.square += off * (v - t.mean)
}

func (t *tally) sample(m *measure) Sample {
	if m.success != nil {
		s, _ := Proportion(t.successes, t.n) // there are no more successes than people
		return s
	}
	s := Sample{N: t.n, Mean: t.mean, Successes: -1}
	if t.n > 1 {
		s.Variance = t.square / float64(t.n-1)
	}
	return s
}

// series returns the metric at the end of each day, over the people who count by then, with the sequence of each
// treatment. outcomes are in the order of first exposure, which is that in which people begin to count.
func (in *Input) series(m *measure, outcomes []outcome, design Design) ([]SeriesPoint, error) {
	design.Phase = Running
	window := m.window(in.Planner)
	tallies := make([]tally, len(in.Variants))
	var points []SeriesPoint
	next := 0
	start := in.Start.In(in.Location)
	day := time.Date(start.Year(), start.Month(), start.Day(), 0, 0, 0, 0, in.Location)
	last := in.Now
	if !in.Stop.IsZero() && in.Stop.Add(window).Before(last) {
		last = in.Stop.Add(window) // nothing changes any more
	}
	first := last.AddDate(0, 0, -maxDays)
	for day.Before(last) {
		end := day.AddDate(0, 0, 1)
		if end.After(in.Now) {
			end = in.Now
		}
		for ; next < len(outcomes) && !end.Before(outcomes[next].at.Add(window)); next++ {
			if o := &outcomes[next]; m.counts == nil || m.counts(o) {
				tallies[o.arm].add(m, o)
			}
		}
		if day.After(first) {
			point, err := seriesPoint(day, m, tallies, design)
			if err != nil {
				return nil, err
			}
			points = append(points, point)
		}
		day = day.AddDate(0, 0, 1)
	}
	return points, nil
}

func seriesPoint(day time.Time, m *measure, tallies []tally, design Design) (SeriesPoint, error) {
	point := SeriesPoint{Day: day, Arms: make([]SeriesArm, len(tallies))}
	samples := make([]Sample, len(tallies))
	for i := range tallies {
		samples[i] = tallies[i].sample(m)
		point.Arms[i].People = samples[i].N
		if samples[i].N > 0 {
			value := samples[i].Mean
			point.Arms[i].Value = &value
		}
	}
	compared, err := Compare(design, m.Metric, samples[0], samples[1:]...)
	for i, c := range compared {
		if !math.IsInf(c.Interval.High, 0) {
			interval := c.Interval
			point.Arms[i+1].Interval = &interval
		}
	}
	return point, err
}

// decide takes the verdict over from the first metric: of the treatment that wins by most, else of the one that loses
// least surely.
func (r *Results) decide(variants []Variant) {
	rank := map[Verdict]int{Winning: 4, Undecided: 3, TooEarly: 2, Losing: 1, NoVerdict: 0}
	var best *MetricComparison
	for i := range r.Metrics[0].Comparisons {
		c := &r.Metrics[0].Comparisons[i]
		if best == nil || rank[c.Verdict] > rank[best.Verdict] ||
			c.Verdict == best.Verdict && c.Difference.Estimate > best.Difference.Estimate {
			best = c
		}
	}
	r.Verdict, r.Sentence = best.Verdict, best.Sentence
	if best.Verdict != NoVerdict {
		r.Arm = best.Arm
		if len(variants) > 2 {
			r.Sentence = fmt.Sprintf("%s: %s", variants[best.Arm].Key, best.Sentence)
		}
	}
}
