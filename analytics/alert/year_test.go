package alert_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/alert"
)

// year is a metric by hour over a year and the weeks before it that tell what is usual.
type year struct {
	start  time.Time
	values []float64
}

const (
	yearHours   = 365 * 24
	beforeHours = 8 * 7 * 24
)

// newYear makes up a metric as products have it: a rhythm of days and weeks, growth, chance, moods that last for
// hours, and holidays on which a third to a half of the visitors stay away, or on which more come.
func newYear(random *rand.Rand, aDay, weeklyGrowth float64) *year {
	y := &year{start: time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC).Add(-beforeHours * time.Hour)}
	holidays := map[int]float64{}
	for range 10 {
		holidays[random.IntN(365+beforeHours/24)] = 0.5 + random.Float64()/6
	}
	holidays[random.IntN(365)] = 1.6
	mood := 0.0
	for i := range yearHours + beforeHours {
		at := y.start.Add(time.Duration(i) * time.Hour)
		rhythm := 1 + 0.75*math.Sin(2*math.Pi*float64(at.Hour()-9)/24)
		if at.Weekday() == time.Saturday || at.Weekday() == time.Sunday {
			rhythm *= 0.7
		}
		mood = 0.8*mood + 0.04*random.NormFloat64()
		mean := aDay / 24 * rhythm * math.Exp(mood) * math.Pow(1+weeklyGrowth, float64(i)/168)
		if factor, ok := holidays[i/24]; ok {
			mean *= factor
		}
		y.values = append(y.values, poisson(random, mean))
	}
	return y
}

func poisson(random *rand.Rand, mean float64) float64 {
	if mean > 50 {
		return max(0, math.Round(mean+math.Sqrt(mean)*random.NormFloat64()))
	}
	n, product, least := -1, 1.0, math.Exp(-mean)
	for ; product > least; n++ {
		product *= random.Float64()
	}
	return float64(n)
}

func (y *year) at(start time.Time) *float64 {
	i := int(start.Sub(y.start) / time.Hour)
	if i < 0 || i >= len(y.values) {
		return nil
	}
	return &y.values[i]
}

func hourAfter(start time.Time) time.Time { return start.Add(time.Hour) }

// firings replays the hours of the year.
func (y *year) firings(r *alert.Rule) []alert.Firing {
	var judged []alert.Judgement
	for i := beforeHours; i < len(y.values); i++ {
		judged = append(judged, r.Judge(y.start.Add(time.Duration(i)*time.Hour), y.at))
	}
	return r.Replay(judged, hourAfter)
}

// findsHalving tells whether the alert fires within two hours when from hour i on only half of what would come comes.
func (y *year) findsHalving(random *rand.Rand, r *alert.Rule, i int) (found, asked bool) {
	halved := func(start time.Time) *float64 {
		v := y.at(start)
		if k := int(start.Sub(y.start) / time.Hour); k < i || v == nil {
			return v
		}
		half := 0.0
		for range int(*v) {
			half += float64(random.IntN(2))
		}
		return &half
	}
	var judged []alert.Judgement
	for k := i - 2*r.Of - 24; k < i+2; k++ {
		judged = append(judged, r.Judge(y.start.Add(time.Duration(k)*time.Hour), halved))
	}
	before := r.Replay(judged[:len(judged)-2], hourAfter)
	if len(before) > 0 && before[len(before)-1].End == nil { // it fires already
		return false, false
	}
	return len(r.Replay(judged, hourAfter)) > len(before), true
}

// What is unusual fires at most once a month where nothing is broken, holidays included, of which there are eleven a
// year. It finds within two hours that half of what comes is missing, in 95 of 100 cases. TestYear prints both.
func TestYear(t *testing.T) {
	t.Parallel()
	for _, metric := range []struct {
		name         string
		aDay, growth float64
	}{
		{"5,000 per day", 5_000, 0}, {"5,000 per day, 2 % growth per week", 5_000, 0.02},
		{"15,000 per day", 15_000, 0}, {"50,000 per day", 50_000, 0}, {"50,000 per day, 3 % growth per week", 50_000, 0.03},
		{"120,000 per day, 2 % decline per week", 120_000, -0.02},
	} {
		for _, sensitivity := range []alert.Sensitivity{alert.Low, alert.Medium, alert.High} {
			r := rule(alert.Condition{Unusual: &alert.Unusual{Direction: alert.Either, Sensitivity: sensitivity}})
			r.Breaches, r.Of = 2, 2
			random, chance := rand.New(rand.NewPCG(11, 12)), rand.New(rand.NewPCG(13, 14))
			const years = 6
			firings, found, asked := 0, 0, 0
			for range years {
				y := newYear(random, metric.aDay, metric.growth)
				firings += len(y.firings(r))
				for range 150 {
					hit, counts := y.findsHalving(chance, r, beforeHours+chance.IntN(yearHours-2))
					if counts {
						asked++
						if hit {
							found++
						}
					}
				}
			}
			aMonth, share := float64(firings)/(12*years), float64(found)/float64(asked)
			t.Logf("%s, %s: %.2f per month, %.1f %% of halvings within 2 hours", metric.name, sensitivity, aMonth, 100*share)
			if sensitivity == alert.Medium {
				require.LessOrEqual(t, aMonth, 1.0, metric.name)
			}
			if sensitivity == alert.Medium && metric.aDay >= 50_000 { // fewer have hours of the night that chance halves
				require.GreaterOrEqual(t, share, 0.95, metric.name)
			}
		}
	}
}
