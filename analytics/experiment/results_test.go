package experiment

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics/run"
)

var begun = time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)

// drawInput makes an experiment with people of every kind, at times that fall on edges.
func drawInput(t *rapid.T) Input {
	in := Input{Planner: DefaultPlanner(), Start: begun, Location: time.UTC}
	in.Planner.Baseline = rapid.SampledFrom([]float64{0.1, 0.5}).Draw(t, "baseline")
	in.Planner.Effect = 0.3 // few people are enough
	in.Planner.CompletionDays = rapid.SampledFrom(run.WindowDays).Draw(t, "completion days")
	for i := range rapid.IntRange(2, 4).Draw(t, "arms") {
		in.Variants = append(in.Variants, Variant{
			ID: fmt.Sprint("id", i), Key: fmt.Sprint("arm", i), Weight: rapid.IntRange(0, 3).Draw(t, "weight"),
		})
		in.Served = append(in.Served, rapid.IntRange(0, 30).Draw(t, "served"))
	}
	hours := func(from, to int, name string) time.Duration {
		return time.Duration(rapid.IntRange(from, to).Draw(t, name)) * time.Hour
	}
	in.Now = begun.Add(hours(1, 400, "now"))
	if rapid.Bool().Draw(t, "has end") {
		in.PlannedEnd = begun.Add(hours(1, 300, "end"))
	}
	if rapid.Bool().Draw(t, "stopped") {
		in.Stop = begun.Add(hours(1, 300, "stop"))
	}
	in.Extended = rapid.IntRange(0, 3).Draw(t, "extended") == 0
	in.Planner.GoalDays = rapid.SampledFrom([]int{0, 1, 7}).Draw(t, "goal days")
	for i := range rapid.IntRange(0, 2).Draw(t, "goals") {
		in.Goals = append(in.Goals, Goal{ID: uuid.UUID{15: byte(i + 1)}, Name: fmt.Sprint("Goal ", i)})
	}
	if len(in.Goals) > 0 && rapid.Bool().Draw(t, "a goal decides") {
		in.Goals[len(in.Goals)-1].Primary = true
	}
	for range rapid.IntRange(0, 60).Draw(t, "people") {
		e := Exposure{
			Arm:     rapid.IntRange(-1, len(in.Variants)-1).Draw(t, "arm"),
			Crossed: rapid.IntRange(0, 9).Draw(t, "crossed") == 0, At: begun.Add(hours(0, 300, "at")),
			Platform: rapid.SampledFrom([]string{"", "web", "ios"}).Draw(t, "platform"), Browser: "Safari",
		}
		if rapid.Bool().Draw(t, "completes") {
			e.Completed = e.At.Add(hours(0, 200, "took"))
		}
		for range in.Goals {
			met := time.Time{}
			if rapid.Bool().Draw(t, "meets") {
				met = e.At.Add(hours(0, 200, "met after"))
			}
			e.Met = append(e.Met, met)
		}
		for range rapid.IntRange(0, 3).Draw(t, "charges") {
			c := Charge{
				At: e.At.Add(hours(0, 100, "charge")), First: rapid.Bool().Draw(t, "first"),
				Amount: rapid.SampledFrom([]int64{0, 4_990_000, 49_990_000}).Draw(t, "amount"),
			}
			if c.Amount > 0 && rapid.Bool().Draw(t, "refund") {
				c.Refunded = -c.Amount
			}
			c.Paid = c.trial() && rapid.Bool().Draw(t, "paid")
			e.Charges = append(e.Charges, c)
		}
		in.Exposures = append(in.Exposures, e)
	}
	return in
}

// daysOf is the window of a metric.
func daysOf(in Input, metric string) int {
	switch {
	case metric == Completion || metric == TimeToComplete:
		return in.Planner.CompletionDays
	case strings.HasPrefix(metric, "goal ") && in.Planner.GoalDays > 0:
		return in.Planner.GoalDays
	}
	return in.Planner.PurchaseDays
}

// naive is a metric of an arm at a time by plain loops: the values of those who count, and how many do not yet, or came
// later than the fixed look.
func naive(in Input, metric string, arm int, now time.Time, ended bool) (values []float64, maturing, later int) {
	window := time.Duration(daysOf(in, metric)) * 24 * time.Hour
	for _, e := range in.Exposures {
		if e.Crossed || e.Arm != arm {
			continue
		}
		if ended && !e.At.Before(in.PlannedEnd) {
			later++
			continue
		}
		if e.At.Add(window).After(now) {
			maturing++
			continue
		}
		completed := !e.Completed.IsZero() && e.Completed.Before(e.At.Add(window))
		var bought, trial, paid, charged, refunded bool
		net := 0.0
		for _, c := range e.Charges {
			if !c.At.Before(e.At.Add(window)) {
				continue
			}
			bought = bought || c.First
			if c.First && c.Amount == 0 {
				trial = true
				paid = paid || c.Paid
			}
			if c.Amount > 0 {
				charged = true
				refunded = refunded || c.Refunded < 0
			}
			net += float64(c.Amount)/1e6 + float64(c.Refunded)/1e6
		}
		share := func(of, did bool) {
			if of && did {
				values = append(values, 1)
			} else if of {
				values = append(values, 0)
			}
		}
		for i, g := range in.Goals {
			if metric == "goal "+g.ID.String() {
				share(true, !e.Met[i].IsZero() && e.Met[i].Before(e.At.Add(window)))
			}
		}
		switch metric {
		case Completion:
			share(true, completed)
		case Conversion:
			share(true, bought)
		case TrialConversion:
			share(trial, paid)
		case RefundRate:
			share(charged, refunded)
		case Revenue, RevenueWinsorized:
			values = append(values, net)
		case TimeToComplete:
			if completed {
				values = append(values, e.Completed.Sub(e.At).Seconds())
			}
		}
	}
	return values, maturing, later
}

func average(values []float64) (mean, variance float64) {
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	for _, v := range values {
		variance += (v - mean) * (v - mean)
	}
	return mean, variance
}

func TestResultsAreThoseOfPlainLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		r, err := Assemble(in)
		require.NoError(t, err)
		exposed, crossed, unknown := make([]int, len(in.Variants)), 0, 0
		for _, e := range in.Exposures {
			switch {
			case e.Crossed:
				crossed++
			case e.Arm < 0:
				unknown++
			default:
				exposed[e.Arm]++
			}
		}
		require.Equal(t, exposed, r.Exposed.People)
		require.Equal(t, in.Served, r.Served.People)
		require.Equal(t, [2]int{crossed, unknown}, [2]int{r.Crossed, r.Unknown})
		require.Len(t, r.Metrics, 7+len(in.Goals))
		decides := r.Metrics[0].Goal
		require.Equal(t, decides != nil, len(in.Goals) > 0 && in.Goals[len(in.Goals)-1].Primary)
		require.True(t, decides == nil || decides.Primary)
		for _, m := range r.Metrics {
			checkMetric(t, in, r, &m)
		}
	})
}

func checkMetric(t *rapid.T, in Input, r *Results, m *MetricResults) {
	days := daysOf(in, m.Name)
	want := Running
	if in.Extended {
		want = Extended
	} else if !in.PlannedEnd.IsZero() && (in.Stop.IsZero() || !in.Stop.Before(in.PlannedEnd)) &&
		!in.Now.Before(in.PlannedEnd.AddDate(0, 0, days)) {
		want = Ended
	}
	require.Equal(t, want, m.Phase, m.Name)
	var all [][]float64
	for arm := range in.Variants {
		values, maturing, later := naive(in, m.Name, arm, in.Now, m.Phase == Ended)
		require.Equal(t, maturing, m.Arms[arm].Maturing, m.Name)
		require.Equal(t, later, m.Arms[arm].Later, m.Name)
		require.Equal(t, len(values), m.Arms[arm].People, m.Name)
		all = append(all, values)
	}
	if m.Name == RevenueWinsorized {
		limitValues(all)
	}
	for arm, values := range all {
		if len(values) == 0 {
			require.Nil(t, m.Arms[arm].Value)
			continue
		}
		mean, _ := average(values)
		if m.Name == TimeToComplete {
			sort.Float64s(values)
			mean = values[int(math.Ceil(0.5*float64(len(values))))-1]
		}
		require.InDelta(t, mean, *m.Arms[arm].Value, 1e-9, m.Name)
	}
	if m.Name == TimeToComplete {
		require.Empty(t, m.Comparisons)
		return
	}
	require.Len(t, m.Comparisons, len(in.Variants)-1)
	for i, c := range m.Comparisons {
		if m.Phase != Ended {
			checkSequence(t, in, r, m.Name, all[0], all[i+1], c.Interval, c.Alpha)
		}
		if n := min(len(all[0]), len(all[i+1])); n < 100 && !r.Exposed.Ratio.Warning && !r.Served.Ratio.Warning {
			require.Equal(t, TooEarly, c.Verdict)
		}
	}
	for _, point := range m.Series {
		end := point.Day.AddDate(0, 0, 1)
		if end.After(in.Now) {
			end = in.Now
		}
		byArm := make([][]float64, len(in.Variants))
		for arm := range in.Variants {
			values, _, _ := naive(in, m.Name, arm, end, false)
			byArm[arm] = values
			require.Equal(t, len(values), point.Arms[arm].People, "%s at %s", m.Name, end)
			if len(values) > 0 {
				mean, _ := average(values)
				require.InDelta(t, mean, *point.Arms[arm].Value, 1e-9)
			}
		}
		checkDay(t, in, r, m.Name, byArm, point)
	}
}

// checkDay holds the intervals of a day to the formula, at the error rate that Holm gives each treatment.
func checkDay(t *rapid.T, in Input, r *Results, metric string, values [][]float64, point SeriesPoint) {
	require.Nil(t, point.Arms[0].Interval, "the control is compared with nothing")
	compared := point.Arms[1:]
	rates := slices.Repeat([]float64{in.Planner.Alpha / 2}, len(compared))
	if len(compared) > 1 {
		samples := make([]Sample, len(values))
		for arm := range values {
			samples[arm] = sampleOf(metric, values[arm])
		}
		design := Design{Alpha: in.Planner.Alpha, PlannedPeople: r.PeoplePerArm, Phase: Running}
		list, err := Compare(design, Metric{Name: metric}, samples[0], samples[1:]...)
		require.NoError(t, err)
		for i := range list {
			rates[i] = list[i].Alpha
		}
	}
	for i, arm := range compared {
		got := everything
		if arm.Interval != nil {
			got = *arm.Interval
		}
		checkSequence(t, in, r, metric, values[0], values[i+1], got, rates[i])
	}
}

// sampleOf sums values up in two passes.
func sampleOf(metric string, values []float64) Sample {
	mean, square := average(values)
	if metric != Revenue && metric != RevenueWinsorized {
		s, _ := Proportion(int(math.Round(mean*float64(len(values)))), len(values))
		return s
	}
	return Sample{N: len(values), Mean: mean, Variance: square / float64(max(len(values)-1, 1)), Successes: -1}
}

// checkSequence holds an interval to the formula of flow-analytics.md §6, written out.
func checkSequence(
	t *rapid.T, in Input, r *Results, metric string, control, treatment []float64, got Interval, alpha float64,
) {
	if len(control) == 0 || len(treatment) == 0 {
		require.True(t, math.IsInf(got.High, 1))
		return
	}
	one := func(values []float64) (mean, se2 float64) {
		mean, square := average(values)
		n := float64(len(values))
		if metric == Revenue || metric == RevenueWinsorized {
			return mean, square / max(n-1, 1) / n
		}
		return mean, mean * (1 - mean) / n
	}
	mc, vc := one(control)
	mt, vt := one(treatment)
	se := math.Sqrt(vc + vt)
	if se < 1e-9 {
		return
	}
	half := in.Planner.Alpha / 2
	n := float64(len(control) + len(treatment))
	rho := math.Sqrt((-2*math.Log(half) + math.Log(-2*math.Log(half)+1)) / float64(2*r.PeoplePerArm))
	width := math.Sqrt(se*se*n) *
		math.Sqrt(2*(n*rho*rho+1)*math.Log(math.Sqrt(n*rho*rho+1)/alpha)/(n*rho*n*rho))
	require.InDelta(t, mt-mc-width, got.Low, 1e-6*max(1, width))
	require.InDelta(t, mt-mc+width, got.High, 1e-6*max(1, width))
}

func limitValues(arms [][]float64) {
	pooled := slices.Concat(arms...)
	if len(pooled) == 0 {
		return
	}
	sort.Float64s(pooled)
	limit := pooled[int(math.Ceil(0.995*float64(len(pooled))))-1]
	for _, values := range arms {
		for i := range values {
			values[i] = math.Min(values[i], limit)
		}
	}
}

// people makes exposures of an arm, a minute apart from the start, of whom so many complete at once.
func people(arm, n, completed int, platform string) []Exposure {
	list := make([]Exposure, n)
	for i := range list {
		list[i] = Exposure{Arm: arm, At: begun.Add(time.Duration(i) * time.Minute), Platform: platform}
		if i < completed {
			list[i].Completed = list[i].At.Add(time.Minute)
		}
	}
	return list
}

func world(control, treatment []Exposure) Input {
	in := Input{
		Variants: []Variant{{Key: "control", Weight: 1}, {Key: "other", Weight: 1}}, Planner: DefaultPlanner(), Start: begun,
		PlannedEnd: begun.AddDate(0, 0, 14), Now: begun.AddDate(0, 0, 13), Location: time.UTC,
		Exposures: slices.Concat(control, treatment), Served: []int{len(control), len(treatment)},
	}
	in.Planner.Effect = 0.1
	return in
}

func TestResultsHaveAVerdict(t *testing.T) {
	needed, err := world(nil, nil).Planner.PeoplePerArm(1)
	require.NoError(t, err)
	for _, c := range []struct {
		name     string
		input    Input
		verdict  Verdict
		sentence string
	}{
		{"nobody", world(nil, nil), TooEarly, "Too early: the smaller variant has 0 of the %d users that it needs."},
		{"few", world(people(0, 300, 100, ""), people(1, 300, 200, "")), TooEarly,
			"Too early: the smaller variant has 300 of the %d users that it needs."},
		{"won", world(people(0, 1000, 400, ""), people(1, 1000, 600, "")), Winning, ""},
		{"lost", world(people(0, 1000, 600, ""), people(1, 1000, 400, "")), Losing, ""},
		{"even", world(people(0, 1000, 500, ""), people(1, 1000, 510, "")), Undecided, ""},
		{"split badly", world(people(0, 1000, 400, ""), people(1, 700, 600, "")), NoVerdict,
			"No verdict: users were not split as planned, so that no value can be trusted."},
	} {
		r, err := Assemble(c.input)
		require.NoError(t, err, c.name)
		require.Equal(t, c.verdict, r.Verdict, c.name)
		if c.sentence != "" {
			want := c.sentence
			if c.verdict == TooEarly {
				want = fmt.Sprintf(want, needed)
			}
			require.Equal(t, want, r.Sentence, c.name)
		}
		require.NotEmpty(t, r.Sentence, c.name)
	}
}

// Of three arms the verdict is that of the best treatment, by its name.
func TestTheVerdictNamesTheArmItIsOf(t *testing.T) {
	in := world(people(0, 1500, 600, ""), people(1, 1500, 400, ""))
	in.Variants = append(in.Variants, Variant{Key: "third", Weight: 1})
	in.Served = append(in.Served, 1500)
	in.Exposures = append(in.Exposures, people(2, 1500, 1000, "")...)
	r, err := Assemble(in)
	require.NoError(t, err)
	require.Equal(t, Winning, r.Verdict)
	require.Equal(t, 2, r.Arm)
	require.Contains(t, r.Sentence, "third: Winning: completion is ")
	require.Equal(t, Losing, r.Metrics[0].Comparisons[0].Verdict)
}

// The fixed interval is of those who were exposed before the planned end, once all of them are counted whole, and stays
// what it was. An extension spends it.
func TestTheFixedLookComesOnce(t *testing.T) {
	in := world(people(0, 1000, 500, ""), people(1, 1000, 560, ""))
	in.Now = in.PlannedEnd
	r, err := Assemble(in)
	require.NoError(t, err)
	require.Equal(t, Running, r.Metrics[0].Phase)
	require.Equal(t, in.PlannedEnd.AddDate(0, 0, 1), r.Metrics[0].Until)

	in.Now = in.PlannedEnd.AddDate(0, 0, 1)
	fixed, err := Assemble(in)
	require.NoError(t, err)
	require.Equal(t, Ended, fixed.Metrics[0].Phase)
	require.Less(t, fixed.Metrics[0].Comparisons[0].Interval.High-fixed.Metrics[0].Comparisons[0].Interval.Low,
		r.Metrics[0].Comparisons[0].Interval.High-r.Metrics[0].Comparisons[0].Interval.Low)

	for i := range 400 {
		e := Exposure{Arm: i % 2, At: in.PlannedEnd, Completed: in.PlannedEnd.Add(time.Second)}
		in.Exposures = append(in.Exposures, e)
	}
	in.Now = in.PlannedEnd.AddDate(0, 0, 20)
	later, err := Assemble(in)
	require.NoError(t, err)
	require.Equal(t, fixed.Metrics[0].Comparisons, later.Metrics[0].Comparisons)
	require.Equal(t, 200, later.Metrics[0].Arms[1].Later)

	in.Extended = true
	extended, err := Assemble(in)
	require.NoError(t, err)
	require.Equal(t, Extended, extended.Metrics[0].Phase)
	require.Equal(t, 1200, extended.Metrics[0].Arms[1].People)
}

// An arm that does not render somewhere is told apart from a split that was wrong from the beginning.
func TestTheCulpritIsNamed(t *testing.T) {
	in := world(slices.Concat(people(0, 1000, 0, "web"), people(0, 500, 0, "ios")),
		slices.Concat(people(1, 1000, 0, "web"), people(1, 100, 0, "ios")))
	in.Served = []int{1500, 1480}
	r, err := Assemble(in)
	require.NoError(t, err)
	require.True(t, r.Exposed.Ratio.Warning)
	require.False(t, r.Served.Ratio.Warning)
	require.True(t, r.NotRendered)
	require.Len(t, r.Culprits, 1)
	require.Equal(t, [2]string{"platform", "ios"}, [2]string{r.Culprits[0].Dimension, r.Culprits[0].Value})

	in.Served = []int{1500, 1000}
	r, err = Assemble(in)
	require.NoError(t, err)
	require.False(t, r.NotRendered)
	require.Equal(t, NoVerdict, r.Verdict)

	in.Variants[1].Weight = 0
	r, err = Assemble(in)
	require.NoError(t, err)
	require.Equal(t, []string{"other"}, r.Exposed.Ratio.Unexpected)
}

func TestDaysLeftFollowTheTraffic(t *testing.T) {
	in := world(people(0, 100, 0, ""), people(1, 50, 0, "")) // 100 and 50 in the first day
	needed, err := in.Planner.PeoplePerArm(1)
	require.NoError(t, err)
	in.Now = begun.AddDate(0, 0, 1)
	r, err := Assemble(in)
	require.NoError(t, err)
	require.Equal(t, int(math.Ceil(float64(needed-50)/50)), *r.DaysLeft, "of the arm that is behind")
	in.Now = begun.AddDate(0, 0, 15)
	r, err = Assemble(in)
	require.NoError(t, err)
	require.Nil(t, r.DaysLeft, "nobody came in a fortnight")
	in.Now, in.Stop = begun.AddDate(0, 0, 2), begun.AddDate(0, 0, 1)
	r, err = Assemble(in)
	require.NoError(t, err)
	require.Nil(t, r.DaysLeft, "it is over")
}

func TestPlannersAreRead(t *testing.T) {
	p, err := ParsePlanner(nil, DefaultPlanner())
	require.NoError(t, err)
	require.Equal(t, DefaultPlanner(), p)
	p, err = ParsePlanner(json.RawMessage(`{"baseline": 0.05, "effect": 0.01, "purchaseDays": 7, "note": "ours"}`),
		Planner{CompletionDays: 14, PurchaseDays: 14, Alpha: 0.05, Power: 0.8})
	require.NoError(t, err)
	require.Equal(t, 7*24*time.Hour, p.PurchaseWindow())
	n, err := p.PeoplePerArm(1)
	require.NoError(t, err)
	require.Equal(t, 8155, n)
	for _, text := range []string{
		`[]`, `7`, `{"baseline": "half"}`, `{"baseline": 1}`, `{"effect": 0}`, `{"effect": 0.9}`, `{"alpha": 2}`,
		`{"power": 0}`, `{"completionDays": 2}`, `{"purchaseDays": 0}`,
	} {
		_, err := ParsePlanner(json.RawMessage(text), DefaultPlanner())
		require.Error(t, err, text)
	}
}
