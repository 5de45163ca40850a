package alert_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/alert"
)

func pointer[T any](v T) *T { return &v }

func rule(c alert.Condition) *alert.Rule {
	return &alert.Rule{Metric: alert.Visitors, TimeZone: "UTC", Grain: "HOUR", Condition: c, Breaches: 1, Of: 1}
}

// firesNaively says by the definition whether an alert fires after the last of the values: some value made enough of
// the latest of them breaches, and since then there were not enough in a row within bounds.
func firesNaively(breaches []bool, m, n int) bool {
	for i := range breaches {
		count := 0
		for j := max(0, i-n+1); j <= i; j++ {
			if breaches[j] {
				count++
			}
		}
		if count < m {
			continue
		}
		resolved, run := false, 0
		for j, breach := range breaches {
			if run++; breach {
				run = 0
			}
			resolved = resolved || j > i && run >= 3*n
		}
		if !resolved {
			return true
		}
	}
	return false
}

func TestStepKeepsToItsDefinition(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	for range 2000 {
		r := rule(alert.Condition{Above: pointer(0.5)})
		r.Of = 1 + random.IntN(6)
		r.Breaches = 1 + random.IntN(r.Of)
		likely := random.Float64()
		var s alert.State
		var breaches []bool
		for i := range 60 {
			at := start.Add(time.Duration(i) * time.Hour)
			if random.IntN(8) == 0 { // without a value nothing changes
				was := s.Firing
				s = s.Step(r, alert.Judgement{Start: at}, at.Add(time.Hour))
				require.Equal(t, was, s.Firing)
				continue
			}
			breaches = append(breaches, random.Float64() < likely)
			value := pointer(0.0)
			if breaches[len(breaches)-1] {
				value = pointer(1.0)
			}
			was := s.Firing
			s = s.Step(r, r.Judge(at, func(time.Time) *float64 { return value }), at.Add(time.Hour))
			require.Equal(t, firesNaively(breaches, r.Breaches, r.Of), s.Firing, "%d of %d: %v", r.Breaches, r.Of, breaches)
			if was != s.Firing {
				require.Equal(t, at.Add(time.Hour), *s.Since)
			}
		}
	}
}

// weekly is a value so many weeks ago.
type weekly struct {
	week  int
	value float64
}

// boundsNaively returns the usual range of a value by its definition.
// Values are by week, oldest first; where they grow, so does what is expected. Their days have no other values.
func boundsNaively(values []weekly, k float64) (low, high float64) {
	ranked := func(values []float64, rank int) float64 {
		return values[slices.IndexFunc(values, func(v float64) bool {
			less, most := 0, 0
			for _, other := range values {
				if other < v {
					less++
				}
				if other <= v {
					most++
				}
			}
			return less <= rank && rank < most
		})]
	}
	middle := func(values []float64) float64 {
		return ranked(values, (len(values)-1)/2)/2 + ranked(values, len(values)/2)/2
	}
	var slopes []float64
	for _, a := range values {
		for _, b := range values {
			if a.week > b.week {
				slopes = append(slopes, (math.Log(b.value)-math.Log(a.value))/float64(a.week-b.week))
			}
		}
	}
	growth := min(0.1, max(-0.1, middle(slopes)))
	var before []float64
	for _, v := range values {
		before = append(before, v.value*math.Exp(growth*float64(v.week)))
	}
	m := middle(before)
	var away []float64
	for _, v := range before {
		away = append(away, math.Abs(v-m))
	}
	spread := max(1.4826*middle(away), math.Sqrt(0.16*0.16*m*m+max(m, 1)))
	return m - k*spread, m + k*spread
}

func TestUnusualIsWhatItsDefinitionSays(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	at := time.Date(2026, 6, 3, 14, 0, 0, 0, time.UTC)
	for range 3000 {
		weeks := random.IntN(8)
		values := map[time.Time]float64{}
		var before []weekly
		for week := weeks; week >= 1; week-- {
			if v := math.Floor(random.Float64() * 50); v > 0 && week <= alert.Weeks {
				values[at.AddDate(0, 0, -7*week)] = v
				before = append(before, weekly{week, v})
			}
		}
		values[at] = math.Floor(random.Float64() * 80)
		r := rule(alert.Condition{Unusual: &alert.Unusual{Direction: alert.Either, Sensitivity: alert.High}})
		j := r.Judge(at, func(start time.Time) *float64 {
			if v, ok := values[start]; ok {
				return &v
			}
			return nil
		})
		require.Equal(t, len(before) >= 3, j.Judged)
		if !j.Judged {
			require.False(t, j.Breach)
			continue
		}
		low, high := boundsNaively(before, 1.75)
		require.InDelta(t, low, *j.Low, 1e-9, before)
		require.InDelta(t, high, *j.High, 1e-9, before)
		require.Equal(t, values[at] < low || values[at] > high, j.Breach)
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 6, 3, 14, 0, 0, 0, time.UTC)
	change := func(d alert.Direction, percent float64) alert.Condition {
		return alert.Condition{Change: &alert.Change{Direction: d, Percent: percent}}
	}
	for _, c := range []struct {
		name           string
		condition      alert.Condition
		now, before    float64
		judged, breach bool
	}{
		{"above", alert.Condition{Above: pointer(10.0)}, 10.5, 0, true, true},
		{"as many is not above", alert.Condition{Above: pointer(10.0)}, 10, 0, true, false},
		{"below", alert.Condition{Below: pointer(1.0)}, 0, 0, true, true},
		{"as many is not below", alert.Condition{Below: pointer(1.0)}, 1, 0, true, false},
		{"by exactly so many percent", change(alert.Down, 50), 5, 10, true, true},
		{"by less", change(alert.Down, 50), 5.1, 10, true, false},
		{"up is not down", change(alert.Down, 50), 20, 10, true, false},
		{"up", change(alert.Either, 50), 15, 10, true, true},
		{"nothing to compare with", change(alert.Either, 50), 15, 0, false, false},
	} {
		j := rule(c.condition).Judge(at, func(start time.Time) *float64 {
			if start.Equal(at) {
				return &c.now
			}
			require.Equal(t, at.AddDate(0, 0, -7), start)
			return &c.before
		})
		require.Equal(t, c.judged, j.Judged, c.name)
		require.Equal(t, c.breach, j.Breach, c.name)
	}
	none := rule(alert.Condition{Below: pointer(1.0)}).Judge(at, func(time.Time) *float64 { return nil })
	require.False(t, none.Judged || none.Breach, "a ratio of nothing")
}

// The week before is the same hour on the clock, where that changed too.
func TestWeeksFollowTheClock(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	r := rule(alert.Condition{Change: &alert.Change{Direction: alert.Either, Percent: 10}})
	r.TimeZone = "Europe/Berlin"
	var asked []time.Time
	at := time.Date(2026, 10, 26, 9, 0, 0, 0, berlin) // the clock went back on the 25th
	r.Judge(at, func(start time.Time) *float64 {
		asked = append(asked, start)
		return pointer(1.0)
	})
	require.Len(t, asked, 2)
	require.True(t, asked[1].Equal(time.Date(2026, 10, 19, 9, 0, 0, 0, berlin)))
	require.Equal(t, 7*24*time.Hour+time.Hour, asked[0].Sub(asked[1]))
	r.Grain = "DAY"
	asked = nil
	r.Judge(time.Date(2026, 10, 26, 0, 0, 0, 0, berlin), func(start time.Time) *float64 {
		asked = append(asked, start)
		return pointer(1.0)
	})
	require.True(t, asked[1].Equal(time.Date(2026, 10, 19, 0, 0, 0, 0, berlin)))
}

func TestSilence(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	start := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for range 300 {
		r := rule(alert.Condition{Silent: &alert.Silent{Minutes: 5 + random.IntN(20)}})
		active := make([]bool, 400)
		rate := random.Float64() / 4
		for i := range active {
			active[i] = random.Float64() < rate
		}
		var naive []alert.Firing
		first := slices.Index(active, true)
		for from := first; from >= 0 && from < len(active); {
			next := slices.Index(active[from+1:], true)
			gap := next
			if next < 0 {
				gap = len(active) - from - 1
			}
			if gap >= r.Condition.Silent.Minutes {
				f := alert.Firing{Start: start.Add(time.Duration(from+1+r.Condition.Silent.Minutes) * time.Minute)}
				if next >= 0 {
					f.End = pointer(start.Add(time.Duration(from+next+2) * time.Minute))
				}
				naive = append(naive, f)
			}
			if next < 0 {
				break
			}
			from += next + 1
		}
		require.Equal(t, naive, r.ReplaySilence(start, active))
	}
}

func TestQuietHours(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		r := rule(alert.Condition{Above: pointer(1.0)})
		r.TimeZone = "Asia/Kolkata"
		from, until := random.IntN(1440), random.IntN(1440)
		r.QuietFrom = fmt.Sprintf("%02d:%02d", from/60, from%60)
		r.QuietUntil = fmt.Sprintf("%02d:%02d", until/60, until%60)
		if from == until {
			continue
		}
		at := time.Date(2026, 6, 1, random.IntN(24), random.IntN(60), 0, 0, time.UTC)
		now := (at.Hour()*60 + at.Minute() + 330) % 1440
		quiet := false
		for minute := from; minute != until; minute = (minute + 1) % 1440 {
			quiet = quiet || minute == now
		}
		require.Equal(t, quiet, r.IsQuiet(at))
		s := alert.State{Firing: true}
		told, tell := s.Tell(r, at)
		require.Equal(t, !quiet, tell)
		require.Equal(t, !quiet, told.Told)
		_, again := told.Tell(r, at)
		require.False(t, again, "nobody is told twice")
	}
	over := alert.State{Firing: false, Told: false}
	_, tell := over.Tell(rule(alert.Condition{Above: pointer(1.0)}), time.Now())
	require.False(t, tell, "what is over until quiet hours end is told nobody")
}

func TestValidate(t *testing.T) {
	t.Parallel()
	good := func() *alert.Rule { return rule(alert.Condition{Above: pointer(1.0)}) }
	require.NoError(t, good().Validate("rule"))
	goal := uuid.New()
	for field, spoil := range map[string]func(r *alert.Rule){
		"rule.metric":     func(r *alert.Rule) { r.Metric = "HITS" },
		"rule.goalId":     func(r *alert.Rule) { r.GoalID = &goal },
		"rule.timeZone":   func(r *alert.Rule) { r.TimeZone = "../../etc/passwd" },
		"rule.grain":      func(r *alert.Rule) { r.Grain = "WEEK" },
		"rule.of":         func(r *alert.Rule) { r.Of = 25 },
		"rule.breaches":   func(r *alert.Rule) { r.Breaches = 2 },
		"rule.quietFrom":  func(r *alert.Rule) { r.QuietFrom, r.QuietUntil = "9:00", "10:00" },
		"rule.quietUntil": func(r *alert.Rule) { r.QuietFrom, r.QuietUntil = "22:00", "22:00" },
		"rule.condition": func(r *alert.Rule) {
			r.Condition.Below = pointer(1.0)
		},
		"rule.condition.above": func(r *alert.Rule) { r.Condition.Above = pointer(math.NaN()) },
		"rule.condition.below": func(r *alert.Rule) { r.Condition = alert.Condition{Below: pointer(math.Inf(1))} },
		"rule.condition.change.percent": func(r *alert.Rule) {
			r.Condition = alert.Condition{Change: &alert.Change{Direction: alert.Up}}
		},
		"rule.condition.change.direction": func(r *alert.Rule) {
			r.Condition = alert.Condition{Change: &alert.Change{Percent: 1}}
		},
		"rule.condition.unusual.sensitivity": func(r *alert.Rule) {
			r.Condition = alert.Condition{Unusual: &alert.Unusual{Direction: alert.Up}}
		},
		"rule.condition.silent.minutes": func(r *alert.Rule) {
			r.Condition = alert.Condition{Silent: &alert.Silent{Minutes: 1441}}
		},
	} {
		r := good()
		spoil(r)
		err := r.Validate("rule")
		require.ErrorContains(t, err, field+": ", field)
	}
	r := good()
	r.Metric = alert.Converters
	require.ErrorContains(t, r.Validate("rule"), "rule.goalId")
}
