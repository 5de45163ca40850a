package experiment

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// vectors are what scipy and statsmodels say: testdata/vectors.py writes them.
type vectors struct {
	Ratios []struct {
		People, Weights []int
		Chi, P          float64
	}
	Proportions []struct {
		Control, Treatment [2]int
		Newcombe, Wilson   [2]float64
		Chance, Loss       float64
	}
	Means []struct {
		Control, Treatment []float64
		P                  float64
		Welch              [2]float64
	}
	Plans []struct {
		Plan   [5]float64
		People int
	}
	Holm []struct {
		P        []float64
		Rejected []bool
	}
}

func readVectors(t *testing.T) (v vectors) {
	t.Helper()
	raw, err := os.ReadFile("testdata/vectors.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &v))
	return v
}

func proportion(t require.TestingT, successes, n int) Sample {
	s, err := Proportion(successes, n)
	require.NoError(t, err)
	return s
}

func TestFiguresAgreeWithScipyAndStatsmodels(t *testing.T) {
	v := readVectors(t)
	require.Len(t, v.Ratios, 5)
	for _, c := range v.Ratios {
		var arms []Arm
		for i, people := range c.People {
			arms = append(arms, Arm{Weight: c.Weights[i], People: people})
		}
		r := SampleRatio(arms)
		require.InEpsilon(t, c.Chi, r.ChiSquared, 1e-9)
		require.InEpsilon(t, c.P, r.P, 1e-9)
		require.Equal(t, c.P < 0.001, r.Warning)
	}
	require.Len(t, v.Proportions, 6)
	for _, c := range v.Proportions {
		control, treatment := proportion(t, c.Control[0], c.Control[1]), proportion(t, c.Treatment[0], c.Treatment[1])
		i := Fixed(control, treatment, 0.025)
		require.InDeltaSlice(t, c.Newcombe[:], []float64{i.Low, i.High}, 1e-9, "%v", c)
		w := Wilson(control, 0.05)
		require.InDeltaSlice(t, c.Wilson[:], []float64{w.Low, w.High}, 1e-9, "%v", c)
		b := Beliefs(control, treatment)
		require.InDelta(t, c.Chance, b.Chance, 1e-6, "%v", c)
		require.InDelta(t, c.Loss, b.Loss, 1e-6, "%v", c)
	}
	require.Len(t, v.Means, 2)
	for _, c := range v.Means {
		control, treatment := Mean(c.Control), Mean(c.Treatment)
		i := Fixed(control, treatment, 0.025)
		require.InDeltaSlice(t, c.Welch[:], []float64{i.Low, i.High}, 1e-6)
		require.InEpsilon(t, c.P, FixedP(control, treatment), 1e-6)
	}
	require.Len(t, v.Plans, 5)
	for _, c := range v.Plans {
		n, err := Plan{c.Plan[0], c.Plan[1], int(c.Plan[2]), c.Plan[3], c.Plan[4]}.PeoplePerArm()
		require.NoError(t, err)
		require.Equal(t, c.People, n, "%v", c.Plan)
	}
	require.Len(t, v.Holm, 3)
	for _, c := range v.Holm {
		for i, rate := range Holm(c.P, 0.05) {
			require.Equal(t, c.Rejected[i], c.P[i] <= rate, "%v", c.P)
		}
	}
}

// GrowthBook's figures for 520 of 10,000 against 610 of 10,000 at α 0.05 and N* 5,000 (gbstats).
func TestTheSequenceAgreesWithGrowthBook(t *testing.T) {
	control, treatment := proportion(t, 520, 10_000), proportion(t, 610, 10_000)
	s := NewSequence(0.05, 5000)
	require.InDelta(t, 0.0398400668, s.rho, 1e-10)
	d := Difference(control, treatment)
	require.InDelta(t, 0.009, d.Estimate, 1e-12)
	require.InDelta(t, 0.003265, d.SE, 5e-7)
	i := s.Interval(d, 20_000, 0.05)
	require.InDeltaSlice(t, []float64{-0.001209, 0.019209}, []float64{i.Low, i.High}, 1e-6)
	require.InDelta(t, 0.143745, s.P(d, 20_000), 1e-6)
	lift, ok := Lift(control, treatment)
	require.True(t, ok)
	require.InDelta(t, 0.173077, lift.Estimate, 1e-6)
	require.InDelta(t, 0.068022, lift.SE, 1e-6)
	i = s.Interval(lift, 20_000, 0.05)
	require.InDeltaSlice(t, []float64{-0.039637, 0.385791}, []float64{i.Low, i.High}, 1e-6)
	require.InDelta(t, 0.248136, s.P(lift, 20_000), 1e-6)
}

func TestIntervalsShrinkAndMirror(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(2, 5000).Draw(t, "n"), rapid.IntRange(2, 5000).Draw(t, "m")
		x, y := rapid.IntRange(1, n-1).Draw(t, "x"), rapid.IntRange(1, m-1).Draw(t, "y")
		alpha := rapid.Float64Range(0.001, 0.2).Draw(t, "alpha")
		a, b := proportion(t, x, n), proportion(t, y, m)
		more, even := proportion(t, 4*x, 4*n), proportion(t, 4*y, 4*m)
		s := NewSequence(alpha, rapid.IntRange(1, 20_000).Draw(t, "planned"))
		sequential := func(c, d Sample, alpha float64) Interval { return s.Interval(Difference(c, d), c.N+d.N, alpha) }
		for name, interval := range map[string]func(c, d Sample, alpha float64) Interval{
			"fixed": Fixed, "welch": welch, "sequence": sequential,
		} {
			here, mirrored := interval(a, b, alpha), interval(b, a, alpha)
			require.InDelta(t, here.Low, -mirrored.High, 1e-9, name)
			require.InDelta(t, here.High, -mirrored.Low, 1e-9, name)
			require.True(t, here.Contains(b.Mean-a.Mean), name)
			larger := interval(more, even, alpha)
			require.Less(t, larger.High-larger.Low, here.High-here.Low, "%s: more people", name)
			surer := interval(a, b, alpha/2)
			require.Greater(t, surer.High-surer.Low, here.High-here.Low, "%s: a smaller error rate", name)
		}
		fixed := Fixed(a, b, 0.05)
		require.Less(t, fixed.High-fixed.Low, 2.0+1e-9)
		belief, reverse := Beliefs(a, b), Beliefs(b, a)
		require.InDelta(t, 1, belief.Chance+reverse.Chance, 1e-6)
		expected := (float64(x)+1)/(float64(n)+2) - (float64(y)+1)/(float64(m)+2)
		require.InDelta(t, expected, belief.Loss-reverse.Loss, 1e-6, "E[C−T] = E[(C−T)⁺] − E[(T−C)⁺]")
	})
}

// A p-value is at most alpha exactly when the interval at alpha leaves out 0.
func TestPValuesAndIntervalsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 3000).Draw(t, "n")
		a := proportion(t, rapid.IntRange(0, n).Draw(t, "x"), n)
		b := proportion(t, rapid.IntRange(0, n).Draw(t, "y"), n)
		alpha := rapid.Float64Range(0.001, 0.5).Draw(t, "alpha")
		if p := FixedP(a, b); math.Abs(p-alpha) > 1e-5 {
			require.Equal(t, p > alpha, Fixed(a, b, alpha).Contains(0))
		}
		s, d := NewSequence(0.05, 1000), Difference(a, b)
		if p := s.P(d, 2*n); math.Abs(p-alpha) > 1e-9 {
			require.Equal(t, p > alpha, s.Interval(d, 2*n, alpha).Contains(0))
		}
	})
}

// With millions of people the posteriors are needles, which the quadrature must not step over.
func TestBeliefsOfMillions(t *testing.T) {
	control, treatment := proportion(t, 500_000, 10_000_000), proportion(t, 500_300, 10_000_000)
	d := Difference(control, treatment)
	z := d.Estimate / d.SE
	b := Beliefs(control, treatment)
	require.InDelta(t, distuv.UnitNormal.CDF(z), b.Chance, 1e-5)
	require.InDelta(t, d.SE*(distuv.UnitNormal.Prob(z)-z*distuv.UnitNormal.Survival(z)), b.Loss, 1e-9)
	sure := Beliefs(proportion(t, 0, 10_000_000), proportion(t, 10_000_000, 10_000_000))
	require.InDelta(t, 1, sure.Chance, 1e-9)
	require.InDelta(t, 0, sure.Loss, 1e-9)
	nothing := Beliefs(Sample{}, Sample{})
	require.InDelta(t, 0.5, nothing.Chance, 1e-9)
	require.InDelta(t, 1.0/6, nothing.Loss, 1e-9, "E[(U−V)⁺] of two uniform ones")
}

// The smallest p-values keep their digits.
func TestOverwhelmingEvidenceHasAPValue(t *testing.T) {
	p := FixedP(proportion(t, 1000, 10_000), proportion(t, 1400, 10_000))
	require.Less(t, p, 1e-11)
	require.GreaterOrEqual(t, p, 0.0)
	require.False(t, Fixed(proportion(t, 1000, 10_000), proportion(t, 1400, 10_000), 1e-11).Contains(0))
}

func TestHolmIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 8).Draw(t, "p")
		alpha := rapid.Float64Range(0.001, 0.2).Draw(t, "alpha")
		rates := Holm(ps, alpha)
		rejected := 0
		for i := range ps {
			require.GreaterOrEqual(t, rates[i], alpha/float64(len(ps))-1e-15, "no worse than Bonferroni")
			require.LessOrEqual(t, rates[i], alpha)
			if ps[i] <= rates[i] {
				rejected++
			}
			for j := range ps {
				if ps[i] < ps[j] {
					require.LessOrEqual(t, rates[i], rates[j])
					require.True(t, ps[j] > rates[j] || ps[i] <= rates[i], "a smaller p is never left behind")
				}
			}
		}
		lower := append([]float64{}, ps...)
		lower[0] /= 2
		fewer := 0
		for i, rate := range Holm(lower, alpha) {
			if lower[i] <= rate {
				fewer++
			}
		}
		require.GreaterOrEqual(t, fewer, rejected, "evidence never takes away a decision")
	})
}

func TestSampleRatioKnowsItsLimits(t *testing.T) {
	off := SampleRatio([]Arm{{"a", 1, 40}, {"b", 1, 0}, {"c", 0, 0}})
	require.True(t, off.Warning, "an arm that never renders has nobody, and is the first thing to find")
	require.Equal(t, 1, off.DF, "an arm of weight 0 is no degree of freedom")
	few := SampleRatio([]Arm{{"a", 1, 15}, {"b", 1, 0}})
	require.Less(t, few.P, 0.001)
	require.False(t, few.Enough)
	require.False(t, few.Warning)
	require.Equal(t, []string{"c"}, SampleRatio([]Arm{{"a", 1, 40}, {"b", 1, 40}, {"c", 0, 1}}).Unexpected)
	for _, nothing := range [][]Arm{nil, {{"a", 1, 5}}, {{"a", 1, 0}, {"b", 1, 0}}, {{"a", 0, 3}}} {
		r := SampleRatio(nothing)
		require.Equal(t, 1.0, r.P)
		require.False(t, r.Warning)
	}
	// Only Safari is off among the browsers, and its platform with it.
	even := func(value string) Slice {
		return Slice{"browser", value, []Arm{{"a", 1, 500}, {"b", 1, 500}}}
	}
	slicesOf := []Slice{even("Chrome"), even("Firefox"), {"browser", "Safari", []Arm{{"a", 1, 600}, {"b", 1, 400}}},
		{"platform", "web", []Arm{{"a", 1, 1600}, {"b", 1, 1400}}}}
	found := Culprits(slicesOf)
	require.Len(t, found, 2)
	require.Equal(t, "Safari", found[0].Value)
	require.InEpsilon(t, 3*SampleRatio(slicesOf[2].Arms).P, found[0].P, 1e-12)
	edge := Slice{"browser", "Opera", []Arm{{"a", 1, 153}, {"b", 1, 100}}} // p 0.00086
	require.Len(t, Culprits([]Slice{edge}), 1)
	require.Empty(t, Culprits([]Slice{edge, even("Chrome")}), "of two values it counts twice")
	require.True(t, TooManyCrossed(11, 1000))
	require.False(t, TooManyCrossed(10, 1000), "1 % is not more than 1 %")
	require.False(t, TooManyCrossed(9, 100))
}

func TestVerdicts(t *testing.T) {
	design := Design{Alpha: 0.05, PlannedPeople: 1000, Phase: Ended}
	completion := Metric{Name: "completion", Unit: Points}
	of := func(d Design, m Metric, x, n, y, k int) Comparison {
		compared, err := Compare(d, m, proportion(t, x, n), proportion(t, y, k))
		require.NoError(t, err)
		return compared[0]
	}
	won := of(design, completion, 300, 1000, 400, 1000)
	require.Equal(t, Winning, won.Verdict)
	require.Equal(t, 0.025, won.Alpha, "the other half went to the looks")
	require.Equal(t, "Winning: completion is 5.2 to 14.7 points higher than with the control.", won.Sentence)
	require.InDelta(t, 1.0/3, won.Lift.Estimate, 1e-12)
	require.Positive(t, won.LiftInterval.Low)
	lost := of(design, completion, 400, 1000, 300, 1000)
	require.Equal(t, Losing, lost.Verdict)
	require.Contains(t, lost.Sentence, "5.2 to 14.7 points lower")
	refunds := of(design, Metric{"the refund rate", Points, true}, 400, 1000, 300, 1000)
	require.Equal(t, Winning, refunds.Verdict)
	same := of(design, completion, 300, 1000, 301, 1000)
	require.Equal(t, Undecided, same.Verdict)
	require.Regexp(
		t, `^Undecided: completion may be up to 4\.\d points lower or up to 4\.\d points higher than`, same.Sentence,
	)
	require.Equal(t, TooEarly, of(design, completion, 300, 1000, 400, 999).Verdict)
	require.Contains(t, of(design, completion, 3, 10, 4, 9).Sentence, "9 of the 1000 users")
	small := Design{Alpha: 0.05, PlannedPeople: 10, Phase: Running}
	require.Equal(t, TooEarly, of(small, completion, 10, 99, 90, 99).Verdict, "100 an arm at least")
	broken := design
	broken.RatioWarning = true
	require.Equal(t, NoVerdict, of(broken, completion, 300, 1000, 400, 1000).Verdict)

	// Looking is paid for: what the end decides, a look does not, nor does an extension.
	narrow := []int{300, 1000, 352, 1000}
	require.Equal(t, Winning, of(design, completion, narrow[0], narrow[1], narrow[2], narrow[3]).Verdict)
	for _, phase := range []Phase{Running, Extended} {
		looked := design
		looked.Phase = phase
		require.Equal(t, Undecided, of(looked, completion, narrow[0], narrow[1], narrow[2], narrow[3]).Verdict)
	}
	// Nobody did it: nothing is known, whatever the number of people.
	none := of(Design{Alpha: 0.05, PlannedPeople: 100, Phase: Running}, completion, 0, 500, 0, 500)
	require.Equal(t, Undecided, none.Verdict)
	require.Nil(t, none.Lift)
	require.Contains(t, none.Sentence, "does not vary")
	revenue, err := Compare(
		Design{Alpha: 0.05, PlannedPeople: 100, Phase: Ended}, Metric{Name: "net revenue", Unit: Dollars},
		Sample{N: 1000, Mean: 1, Variance: 4, Successes: -1}, Sample{N: 1000, Mean: 2, Variance: 4, Successes: -1},
	)
	require.NoError(t, err)
	require.Equal(t, "Winning: net revenue is $0.80 to $1.20 higher than with the control.", revenue[0].Sentence)
	for _, wrong := range []Design{{}, {Alpha: 1, PlannedPeople: 1}, {Alpha: 0.05}} {
		_, err := Compare(wrong, completion, Sample{}, Sample{})
		require.Error(t, err)
	}
}

func TestMoneyIsWinsorised(t *testing.T) {
	values := make([]float64, 1000)
	for i := range values {
		values[i] = float64(i + 1)
	}
	limited := Winsorize(values[:400], values[400:])
	require.Equal(t, values[:400], limited[0])
	require.Equal(t, []float64{994, 995, 995, 995, 995, 995, 995}, limited[1][593:])
	require.Equal(t, 1000.0, values[999], "the raw figures stay")
	require.Equal(t, [][]float64{nil, nil}, Winsorize(nil, nil))
	refunded := Winsorize([]float64{-5, 0, 1})
	require.Equal(t, []float64{-5, 0, 1}, refunded[0])

	s := Mean([]float64{1, 2, 3, 4})
	require.Equal(t, 2.5, s.Mean)
	require.InDelta(t, 5.0/3, s.Variance, 1e-12)
	require.Zero(t, Mean([]float64{7}).Variance)
	for _, wrong := range [][2]int{{-1, 5}, {6, 5}, {0, -1}} {
		_, err := Proportion(wrong[0], wrong[1])
		require.Error(t, err)
	}
}

func TestThePlannerRefusesWhatCannotBeFound(t *testing.T) {
	for _, wrong := range []Plan{
		{0, 0.1, 1, 0.05, 0.8}, {1, -0.1, 1, 0.05, 0.8}, {0.5, 0, 1, 0.05, 0.8}, {0.5, 0.5, 1, 0.05, 0.8},
		{0.5, 0.1, 0, 0.05, 0.8}, {0.5, 0.1, 1, 0, 0.8}, {0.5, 0.1, 1, 0.05, 1}, {math.NaN(), 0.1, 1, 0.05, 0.8},
		{0.5, 1e-9, 1, 0.05, 0.8},
	} {
		_, err := wrong.PeoplePerArm()
		require.Error(t, err, "%+v", wrong)
	}
	for _, c := range []struct {
		needed, have, fortnight, days int
		ok                            bool
	}{{1000, 300, 1400, 7, true}, {1000, 301, 1400, 7, true}, {1000, 1000, 0, 0, true}, {1000, 0, 0, 0, false}} {
		days, ok := DaysLeft(c.needed, c.have, c.fortnight)
		require.Equal(t, c.ok, ok)
		require.Equal(t, c.days, days)
	}
}
