package alert

import (
	"math"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics"
)

const (
	// Weeks are those before that tell what is usual.
	Weeks = 6
	// leastWeeks have to have data before anything is unusual.
	leastWeeks = 3

	// consistent makes the median absolute deviation of normally distributed values their standard deviation.
	consistent = 1.4826
	// leastSpread is the least deviation of a value, as a share of it: six values may agree by chance. Of what is counted
	// there is the deviation of chance, its square root, beside it.
	leastSpread = 0.16
	// mostGrowth bounds by what factor a week's values are taken to differ from those of the week before.
	mostGrowth = 0.1
)

// deviations is by how many of them a value differs that is unusual. TestYear measures what they lead to.
var deviations = map[Sensitivity]float64{Low: 3, Medium: 2.25, High: 1.75}

// Values tells the metric in the hour or the day that starts at a time; nil where it has no value.
type Values func(start time.Time) *float64

// Judgement says how a value compares with what a rule expects.
type Judgement struct {
	Start time.Time
	Value *float64
	// Low and High are the least and the greatest value within bounds; nil for none.
	Low, High *float64
	// Judged is false where nothing can be said: without a value, or with too little to compare it with.
	Judged bool
	Breach bool
}

// Judge compares the value of the hour or the day that starts at start. The rule is none of silence.
func (r *Rule) Judge(start time.Time, values Values) Judgement {
	j := Judgement{Start: start}
	if j.Value = values(start); j.Value == nil {
		return j
	}
	switch c := r.Condition; {
	case c.Above != nil:
		j.High = c.Above
	case c.Below != nil:
		j.Low = c.Below
	case c.Change != nil:
		j.Low, j.High = c.Change.bounds(values(r.weeksBefore(start, 1)))
	case c.Unusual != nil:
		j.Low, j.High = c.Unusual.bounds(r.usual(start, values), r.Metric.Counted())
	}
	j.Judged = j.Low != nil || j.High != nil
	j.Breach = j.Low != nil && *j.Value < *j.Low || j.High != nil && *j.Value > *j.High
	return j
}

func (c *Change) bounds(before *float64) (low, high *float64) {
	if before == nil || *before <= 0 {
		return nil, nil
	}
	// By exactly so many percent is a change, too.
	least := math.Nextafter(*before*(1-c.Percent/100), math.Inf(1))
	most := math.Nextafter(*before*(1+c.Percent/100), math.Inf(-1))
	return c.Direction.only(least, most)
}

func (u *Unusual) bounds(before []float64, counted bool) (low, high *float64) {
	if len(before) < leastWeeks {
		return nil, nil
	}
	middle := median(before)
	distances := make([]float64, len(before))
	for i, value := range before {
		distances[i] = math.Abs(value - middle)
	}
	least := leastSpread * middle
	if counted {
		least = math.Hypot(least, math.Sqrt(max(middle, 1)))
	}
	spread := max(consistent*median(distances), math.Abs(least))
	away := deviations[u.Sensitivity] * spread
	return u.Direction.only(middle-away, middle+away)
}

// usual returns the values of the same hour, or day, of the weeks before, oldest first, each as it would be by now had
// it grown as its weekday did over these weeks. What was before the first data says nothing.
func (r *Rule) usual(start time.Time, values Values) (before []float64) {
	var ages, levels []float64 // of the weekdays, in weeks, and the logarithms of their sums
	var weeks []float64
	for week := Weeks; week >= 1; week-- {
		at := r.weeksBefore(start, week)
		value := values(at)
		if value == nil || *value == 0 && len(before) == 0 {
			continue
		}
		before, weeks = append(before, *value), append(weeks, float64(week))
		if level := r.ofDay(at, values); level > 0 {
			ages, levels = append(ages, float64(week)), append(levels, math.Log(level))
		}
	}
	growth := slope(ages, levels)
	for i := range before {
		before[i] *= math.Exp(-growth * weeks[i])
	}
	return before
}

// ofDay returns the sum of the values of a day.
func (r *Rule) ofDay(at time.Time, values Values) (sum float64) {
	start, end := r.Day(at)
	step := time.Hour
	if r.Unit() == analytics.Day {
		step = end.Sub(start)
	}
	for ; start.Before(end); start = start.Add(step) {
		if value := values(start); value != nil {
			sum += *value
		}
	}
	return sum
}

// Day returns the start and the end of the day that a time is of.
func (r *Rule) Day(at time.Time) (start, end time.Time) {
	zone := r.Location()
	y, m, d := at.In(zone).Date()
	return analytics.StartOfDay(y, m, d, zone), analytics.StartOfDay(y, m, d+1, zone)
}

// slope returns the median of the slopes between any two points, which a holiday among them does not turn. It is 0 of
// fewer points than tell what is usual, and within mostGrowth.
func slope(x, y []float64) float64 {
	if len(x) < leastWeeks {
		return 0
	}
	var slopes []float64
	for i := range x {
		for j := range i {
			slopes = append(slopes, (y[j]-y[i])/(x[j]-x[i]))
		}
	}
	return min(mostGrowth, max(-mostGrowth, median(slopes)))
}

// only returns the bounds that matter in a direction.
func (d Direction) only(low, high float64) (*float64, *float64) {
	switch d {
	case Up:
		return nil, &high
	case Down:
		return &low, nil
	}
	return &low, &high
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// weeksBefore returns when the hour or the day of the same name began so many weeks ago.
func (r *Rule) weeksBefore(start time.Time, weeks int) time.Time {
	zone := r.Location()
	y, m, d := start.In(zone).Date()
	if r.Unit() == analytics.Day {
		return analytics.StartOfDay(y, m, d-7*weeks, zone)
	}
	hour, minute, _ := start.In(zone).Clock()
	return time.Date(y, m, d-7*weeks, hour, minute, 0, 0, zone)
}
