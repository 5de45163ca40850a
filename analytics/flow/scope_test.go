package flow

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/session"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestScopeResolvesToItsDefaults(t *testing.T) {
	s, err := Scope{}.Resolve(noon)
	require.NoError(t, err)
	require.Equal(t, time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC), s.Start)
	require.Equal(t, noon, s.End)
	require.Equal(t, Windows{DefaultCompletion, DefaultPurchase, DefaultLapse}, s.Windows)
	from, to := s.Reads(true)
	require.Equal(t, s.Start.Add(-s.End.Sub(s.Start)-3*24*time.Hour), from)
	require.Equal(t, s.End.Add(3*24*time.Hour), to)
}

func TestScopeNamesTheFieldThatIsNotAllowed(t *testing.T) {
	long := make([]string, MaxValues+1)
	for field, scope := range map[string]Scope{
		"filters":               {Filters: []analytics.Filter{{Dimension: analytics.Page, Values: []string{"/"}}}},
		"filters.locale":        {Filters: []analytics.Filter{{Dimension: Locale}}},
		"filters.country":       {Filters: []analytics.Filter{{Dimension: analytics.Country, Operator: analytics.Contains, Values: []string{"G"}}}},
		"filters.os":            {Filters: []analytics.Filter{{Dimension: analytics.OS, Values: long}}},
		"variants":              {Variants: []string{"a"}},
		"versions":              {Versions: make([]session.Key, MaxValues+1)},
		"customProperty.key":    {Property: &Property{Values: []string{"a"}}},
		"customProperty.values": {Property: &Property{Key: "plan"}},
		"windows.purchase":      {Windows: Windows{Purchase: 2 * 24 * time.Hour}},
		"windows.completion":    {Windows: Windows{Completion: time.Hour}},
		"windows.lapse":         {Windows: Windows{Lapse: time.Second}},
		"platform":              {Platform: "toaster"},
		"range.end":             {Start: noon},
	} {
		_, err := scope.Resolve(noon)
		var fault *analytics.FieldError
		require.ErrorAs(t, err, &fault, field)
		require.Equal(t, field, fault.Field)
	}
}

func TestStepsOfSeveralVersionsStandAtTheirMeanPosition(t *testing.T) {
	graph := func(version byte, ids ...string) Graph {
		g := Graph{Version: session.Key{version}}
		for _, id := range ids {
			g.Steps = append(g.Steps, GraphStep{ID: id, Name: id + string('0'+version)})
		}
		return g
	}
	ids := func(steps []GraphStep) (ids []string) {
		for _, step := range steps {
			ids = append(ids, step.Name)
		}
		return ids
	}
	first, second := graph(1, "a", "b", "c"), graph(2, "c", "a", "d")
	require.Equal(t, []string{"a1", "b1", "c1"}, ids(blend([]Graph{first}, nil)))
	// With nine runs to one a stands at 0.1, b at 1, c at 1.8; d at 2, where alone it is.
	require.Equal(t, []string{"a1", "b1", "c1", "d2"},
		ids(blend([]Graph{first, second}, map[session.Key]int64{{1}: 9, {2}: 1})))
	// The other way round c is at 0.2, a at 0.9, and names are those of the second.
	require.Equal(t, []string{"c2", "a2", "b1", "d2"},
		ids(blend([]Graph{first, second}, map[session.Key]int64{{1}: 1, {2}: 9})))
	// Ties go by id; steps that only versions without runs have stand at their plain mean.
	require.Equal(t, []string{"a1", "b1", "c1", "d2"},
		ids(blend([]Graph{first, second}, map[session.Key]int64{{1}: 1})))
}
