package analytics

import (
	"errors"
	"testing"
	"time"
	_ "time/tzdata" // the zones below, whatever the machine has

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	require.NoError(t, err)
	return loc
}

func TestStartOfDay(t *testing.T) {
	for _, c := range []struct{ zone, day, want string }{
		{"UTC", "2026-11-20", "2026-11-20T00:00:00Z"},
		{"Asia/Kathmandu", "2026-11-20", "2026-11-20T00:00:00+05:45"},
		{"Africa/Cairo", "2026-04-24", "2026-04-24T01:00:00+03:00"},        // midnight is skipped
		{"America/Havana", "2026-11-01", "2026-11-01T00:00:00-04:00"},      // midnight comes twice: the first
		{"Africa/Cairo", "2026-10-30", "2026-10-30T00:00:00+02:00"},        // 23:00 of the day before comes twice
		{"Pacific/Apia", "2011-12-30", "2011-12-31T00:00:00+14:00"},        // a date that was skipped
		{"Pacific/Chatham", "2026-09-27", "2026-09-27T00:00:00+12:45"},     // the clock changes later that day
		{"Australia/Lord_Howe", "2026-04-05", "2026-04-05T00:00:00+11:00"}, // half an hour
	} {
		day, err := time.Parse(time.DateOnly, c.day)
		require.NoError(t, err)
		got := StartOfDay(day.Year(), day.Month(), day.Day(), zone(t, c.zone))
		require.Equal(t, c.want, got.Format(time.RFC3339), c.zone)
	}
}

// Buckets tile the range: they rise, the first holds its start, the last its end, and the local
// clock reads what the grain says at each.
func TestBucketsTile(t *testing.T) {
	zones := []string{
		"UTC", "America/New_York", "America/Havana", "Australia/Lord_Howe", "Pacific/Chatham", "Africa/Cairo", "Asia/Kolkata",
		"America/Nuuk", "Europe/Lisbon",
	}
	rapid.Check(t, func(r *rapid.T) {
		loc := zone(t, rapid.SampledFrom(zones).Draw(r, "zone"))
		grain := rapid.SampledFrom([]Grain{"", Hour, Day, Week, Month}).Draw(r, "grain")
		start := time.UnixMilli(rapid.Int64Range(1767225600000, 1798761600000).Draw(r, "start"))
		end := start.Add(time.Duration(rapid.Int64Range(1, 40*24*3600).Draw(r, "seconds")) * time.Second)
		bounds, err := Buckets(grain, start, end, loc)
		if err != nil {
			r.Fatal(err)
		}
		if bounds[0].After(start) || !bounds[1].After(start) || bounds[len(bounds)-1].Before(end) ||
			!bounds[len(bounds)-2].Before(end) {
			r.Fatalf("%v does not tile [%v, %v)", bounds, start, end)
		}
		for i, b := range bounds {
			if i > 0 && !b.After(bounds[i-1]) {
				r.Fatalf("%v is not after %v", b, bounds[i-1])
			}
			before := b.Add(-time.Millisecond)
			switch grain {
			case Hour:
				_, x := b.Zone()
				if _, y := before.Zone(); b.Hour() == before.Hour() && x == y {
					r.Fatalf("%v starts no hour", b)
				}
			case Week:
				if b.Weekday() != time.Monday {
					r.Fatalf("%v is no Monday", b)
				}
				fallthrough
			default:
				if b.Day() == before.Day() {
					r.Fatalf("%v starts no day", b)
				}
			case Month:
				if b.Day() != 1 || before.Month() == b.Month() {
					r.Fatalf("%v starts no month", b)
				}
			}
		}
	})
}

func TestResolveDefaults(t *testing.T) {
	now := time.Date(2026, 11, 21, 3, 4, 5, 600, time.UTC)
	s, err := Scope{}.Resolve(now)
	require.NoError(t, err)
	require.Equal(t, "2026-11-15T00:00:00Z", s.Start.Format(time.RFC3339))
	require.Equal(t, now.Truncate(time.Millisecond).Add(time.Millisecond), s.End, "a part of a millisecond is rounded up")
	s, err = Scope{Location: zone(t, "America/New_York"), Platform: "all"}.Resolve(now)
	require.NoError(t, err)
	require.Equal(t, "2026-11-14T00:00:00-05:00", s.Start.Format(time.RFC3339), "six days before the local date")
	require.Empty(t, s.Platform)
}

func TestResolveNamesEveryField(t *testing.T) {
	_, err := Scope{
		Start: time.Now(), Platform: "tv", RevenueProvider: "cash",
		Cross: []Filter{
			{Dimension: "colour", Values: []string{"x"}}, {Dimension: Page},
			{Dimension: Event, Values: make([]string, MaxFilterValues+1)},
		},
		Segment: &Segment{
			Rules: &SegmentRules{
				Days: 2000, Platform: "tv", Cross: []Filter{{Dimension: OS, Operator: Contains, Values: []string{"x"}}},
			},
		},
	}.Resolve(time.Now())
	var fields []string
	var walk func(err error)
	walk = func(err error) {
		var field *FieldError
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range joined.Unwrap() {
				walk(e)
			}
		} else if errors.As(err, &field) {
			require.Equal(t, "invalid_input", field.Code())
			require.NotEmpty(t, field.Message)
			fields = append(fields, field.Field)
		}
	}
	walk(err)
	require.Equal(
		t,
		[]string{
			"range.end", "platform", "revenueProvider", "cross", "cross.page", "cross.event", "segment.days", "segment.platform",
			"segment.cross.os",
		},
		fields,
	)
}

func TestColumnFilters(t *testing.T) {
	value := "x"
	all := Columns{
		Source: &value, Medium: &value, Campaign: &value, Content: &value, Term: &value, Adset: &value, Creative: &value,
		Browser: &value, OS: &value, Device: &value, Country: &value, Region: &value, City: &value, Page: &value,
		Entry: &value, Exit: &value,
	}
	seen := map[Dimension]bool{}
	for _, f := range all.Filters() {
		require.Equal(t, []string{"x"}, f.Values)
		require.True(t, f.Operator.Positive())
		seen[f.Dimension] = true
	}
	require.Len(t, seen, 16)
	require.Empty(t, Columns{}.Filters())
}

func TestSegmentWindow(t *testing.T) {
	now := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	start, end := (&SegmentRules{}).Window(now)
	require.Equal(t, now, end)
	require.Equal(t, time.Date(2026, 8, 24, 0, 0, 0, 0, time.UTC), start, "90 days, today included")
	start, _ = (&SegmentRules{Days: 1}).Window(now)
	require.Equal(t, time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), start)
}

func TestFiltersOnRuns(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		dimension Dimension
		operator  Operator
		value     string
		message   string
	}{
		{Flow, Is, "11111111-1111-4111-8111-111111111111", ""},
		{Flow, Is, "onboarding", "cross.flow: \"onboarding\" is no id: use a UUID"},
		{Flow, Is, "{11111111-1111-4111-8111-111111111111}", "is no id"},
		{FlowVersion, IsNot, "", "cross.flowVersion: \"\" is no id: use a UUID"},
		{Variant, Is, "", ""},
		{Variant, Contains, "a", "operator contains is only allowed on"},
		{FlowOutcome, IsNot, "completed", ""},
		{FlowOutcome, Is, "done", "cross.flowOutcome: unknown outcome \"done\": use completed, abandoned, lapsed, open"},
	} {
		filter := Filter{Dimension: c.dimension, Operator: c.operator, Values: []string{c.value}}
		_, err := Scope{Cross: []Filter{filter}}.Resolve(now)
		if c.message == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.message)
		}
	}
}
