package compose_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation/scheduledreport/compose"
	"github.com/svc-dev/svc/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	location, err := time.LoadLocation(name)
	require.NoError(t, err)
	return location
}

// Whatever the moment and the zone: the period has ended, is the latest that has, is a calendar week or month of the
// zone, and joins the one before it. The next report comes at eight of a day on which a period begins.
func TestPeriodsAreThoseOfTheCalendar(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		location := zone(t, []string{"UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia", "America/Sao_Paulo",
			"Asia/Kathmandu", "Australia/Lord_Howe"}[random.IntN(7)])
		now := time.Unix(random.Int64N(60*365*86400), 0)
		for _, f := range []compose.Frequency{compose.Weekly, compose.Monthly} {
			p := compose.LastPeriod(f, location, now)
			at := fmt.Sprint(f, location, now)
			require.False(t, p.End.After(now), at)
			require.True(t, p.PreviousStart.Before(p.Start) && p.Start.Before(p.End), at)
			next := compose.LastPeriod(f, location, p.End)
			require.True(t, next.End.Equal(p.End), at)
			earlier := compose.LastPeriod(f, location, p.End.Add(-time.Second))
			require.True(t, earlier.End.Equal(p.Start) && earlier.Start.Equal(p.PreviousStart), at)
			year, month, day := p.Start.Date()
			if f == compose.Weekly {
				require.Equal(t, time.Monday, p.Start.Weekday(), at)
				require.Equal(t, time.Date(year, month, day+7, 0, 0, 0, 0, location), p.End, at)
			} else {
				require.Equal(t, 1, day, at)
				require.Equal(t, time.Date(year, month+1, 1, 0, 0, 0, 0, location), p.End, at)
			}
			send := compose.NextSend(f, location, now)
			require.True(t, send.After(now) && send.Sub(now) < 32*24*time.Hour, at)
			require.Equal(t, 8, send.Hour(), at)
			due := compose.LastPeriod(f, location, send)
			require.Equal(t, due.End.Format(time.DateOnly), send.Format(time.DateOnly), at)
			require.False(t, compose.NextSend(f, location, send.Add(-time.Second)).After(send), at)
		}
	}
}

// engine answers queries of a world of two periods: visitors of sources, by period.
type engine struct {
	t          *testing.T
	sources    [2]map[string]int // the period, the one before
	limit      int               // rows of a table
	asked      int
	refuse     error
	withoutApp bool
}

// has tells whether the table of a period has a value, without a search.
func (e *engine) has(period int, value string) bool {
	more := 0
	for name, n := range e.sources[period] {
		if n > e.sources[period][value] || n == e.sources[period][value] && name < value {
			more++
		}
	}
	return e.sources[period][value] > 0 && more < e.limit
}

var week = compose.Period{
	PreviousStart: time.Date(2026, 11, 9, 0, 0, 0, 0, time.UTC), Start: time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC),
	End: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC),
}

func (e *engine) ask(_ context.Context, document string, variables map[string]any, data any) error {
	e.asked++
	if e.refuse != nil {
		return e.refuse
	}
	if strings.Contains(document, "experimentResults") {
		return json.Unmarshal(fmt.Appendf(nil, `{"experimentResults": {"status": "STOPPED", "verdict": "WINNING",
			"sentence": "b wins", "stoppedAt": %q}}`, map[any]string{"old": "2026-11-15T00:00:00Z", "new": "2026-11-17T00:00:00Z",
			"newer": "2026-11-20T00:00:00Z"}[variables["id"]]), data)
	}
	if e.withoutApp {
		return json.Unmarshal([]byte(`{"app": null, "money": null}`), data)
	}
	period := 0
	if variables["scope"].(map[string]any)["range"].(map[string]any)["start"] == "2026-11-09T00:00:00Z" {
		period = 1
	}
	search, _ := variables["search"].(string)
	type row struct {
		Value    string `json:"value"`
		Visitors int    `json:"visitors"`
	}
	rows, total := []row{}, 0
	for visitors := 300; visitors > 0; visitors-- { // those of most visitors first
		for _, value := range slices.Sorted(maps.Keys(e.sources[period])) {
			if n := e.sources[period][value]; n == visitors && strings.Contains(value, search) {
				total++
				if len(rows) < e.limit {
					rows = append(rows, row{value, n})
				}
			}
		}
	}
	table := map[string]any{"totalCount": total, "nodes": rows}
	answer := map[string]any{"app": map[string]any{
		"name": "Shop", "reports": map[string]any{
			"summary": map[string]any{"visitors": 1000 - 100*period, "bounceRate": nil, "sessions": 5},
			"series":  []any{map[string]any{"bucket": "2026-11-16T00:00:00Z", "visitors": 7 + period}},
			"goals": map[string]any{"nodes": []any{map[string]any{
				"goalId": "g", "name": "Sign up", "conversions": 4, "converters": 3, "rate": 0.25 + float64(period)}}},
			"source": table,
		},
		"flows": map[string]any{"nodes": []any{
			map[string]any{"flowId": "f", "name": "Welcome", "starts": 10, "completions": 5, "completionRate": 0.5},
			map[string]any{"flowId": "x", "name": "Nobody's", "starts": 0, "completions": 0, "completionRate": nil},
		}},
		"experiments": map[string]any{"nodes": []any{
			map[string]any{"id": "draft", "name": "D", "status": "DRAFT"}, map[string]any{"id": "newer", "name": "Newer"},
			map[string]any{"id": "new", "name": "New"}, map[string]any{"id": "old", "name": "Old"},
		}},
		"ingestHealth": map[string]any{"accepted": 90, "rejected": []any{
			map[string]any{"code": "too_old", "count": 7}, map[string]any{"code": "invalid", "count": 3},
		}, "delay": map[string]any{"p90": 1.5}},
	}, "money": map[string]any{
		"totals":        map[string]any{"net": 12.5, "transactions": 2},
		"subscriptions": map[string]any{"state": map[string]any{"active": 1, "mrr": 5}},
		"series":        []any{map[string]any{"bucket": "2026-11-16T00:00:00Z", "totals": map[string]any{"net": 12.5}}},
	}}
	encoded, err := json.Marshal(answer)
	require.NoError(e.t, err)
	return json.Unmarshal(encoded, data)
}

func subject() compose.Subject {
	return compose.Subject{AppID: uuid.New(), Environment: "live", Frequency: compose.Weekly, Zone: time.UTC}
}

func TestAReportHasEverythingOfItsPeriod(t *testing.T) {
	e := &engine{t: t, limit: 100}
	r, err := compose.Make(t.Context(), e.ask, subject(), week)
	require.NoError(t, err)
	require.Equal(t, "Shop", r.AppName)
	require.InDelta(t, 1000, *r.Headline[0].Current, 0)
	require.InDelta(t, 900, *r.Headline[0].Previous, 0)
	require.Nil(t, r.Headline[4].Current)
	require.Equal(t, []compose.Point{{Day: week.Start, Current: 7, Previous: 8}}, r.Days)
	require.InDelta(t, 0.25, *r.Goals[0].Rate, 0)
	require.InDelta(t, 1.25, *r.Goals[0].PreviousRate, 0)
	require.Len(t, r.Flows, 1, "without those that nobody started")
	require.Equal(t, []string{"Newer", "New"}, []string{r.Experiments[0].Name, r.Experiments[1].Name})
	require.Len(t, r.Experiments, 2, "without drafts, and without those that had ended before")
	require.Len(t, r.Revenue.Metrics, 4)
	require.EqualValues(t, 10, r.Health.Rejected)
	require.InDelta(t, 1.5, *r.Health.DelayP90, 0)
}

func TestNoReportIsMadeOfWhatTheMemberMayNotSee(t *testing.T) {
	_, err := compose.Make(t.Context(), (&engine{t: t, withoutApp: true}).ask, subject(), week)
	require.ErrorIs(t, err, compose.ErrNoReport)
	broken := errors.New("the database is away")
	_, err = compose.Make(t.Context(), (&engine{t: t, refuse: broken}).ask, subject(), week)
	require.ErrorIs(t, err, broken)
	require.NotErrorIs(t, err, compose.ErrNoReport)
}

// What is told is what a reader of both whole tables would tell of the values that one of the answers has, however few
// rows an answer has.
func TestChangesAreTheLargestThatAreWorthSaying(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 300 {
		e := &engine{t: t, limit: 2 + random.IntN(6)}
		for period := range e.sources {
			e.sources[period] = map[string]int{}
			for i := range random.IntN(12) {
				e.sources[period][fmt.Sprintf("source%d", i)] = 1 + random.IntN(1+random.IntN(200))
			}
		}
		var want []compose.Change
		for i := range 12 {
			name := fmt.Sprintf("source%d", i)
			now, before := e.sources[0][name], e.sources[1][name]
			difference := math.Abs(float64(now - before))
			// 2 % of 1,000 visitors, and more than chance.
			isLarge := difference >= 20 && difference >= 3*math.Sqrt(float64(now+before))
			if isLarge && (e.has(0, name) || e.has(1, name)) {
				want = append(want, compose.Change{Dimension: "Source", Value: name, Current: int64(now), Previous: int64(before)})
			}
		}
		r, err := compose.Make(t.Context(), e.ask, subject(), week)
		require.NoError(t, err)
		size := func(c compose.Change) float64 { return math.Abs(float64(c.Current - c.Previous)) }
		require.Len(t, r.Changes, min(len(want), 2), round)
		for _, told := range r.Changes {
			require.Contains(t, want, told, round)
			larger := 0
			for _, c := range want {
				if size(c) > size(told) {
					larger++
				}
			}
			require.Less(t, larger, 2, round)
		}
	}
}
