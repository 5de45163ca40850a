package demo

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func history(t *testing.T, seed uint64) string {
	t.Helper()
	w := NewWorld(seed)
	day := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	var all []any
	for _, at := range w.Arrivals(day, 80) {
		v := w.Visit(at)
		all = append(all, v)
		if v.RunsFlow {
			all = append(all, w.Run(v, Served{FlowID: "f", VersionID: "v", Entry: "scr_a", Next: map[string][]string{"scr_a": {"scr_b", ""}}}))
		}
	}
	encoded, err := json.Marshal(all)
	require.NoError(t, err)
	return string(encoded)
}

func TestEqualSeedsMakeEqualHistories(t *testing.T) {
	require.Equal(t, history(t, 7), history(t, 7))
	require.NotEqual(t, history(t, 7), history(t, 8))
}

func TestAVisitIsOneSessionInOrder(t *testing.T) {
	w := NewWorld(1)
	at := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	seen := map[string]bool{}
	for range 300 {
		v := w.Visit(at)
		require.Equal(t, "session_start", v.Events[0].Name)
		for i, e := range v.Events {
			require.False(t, seen[e.EventID], "event ids are unique")
			seen[e.EventID] = true
			require.Equal(t, v.Events[0].Identity.SessionID, e.Identity.SessionID)
			if i > 0 {
				require.False(t, e.Timestamp.Before(v.Events[i-1].Timestamp))
			}
		}
	}
}

// People of one seed do the same whatever flow they are served.
func TestWhatIsServedDoesNotChangeWhoComes(t *testing.T) {
	visits := func(next map[string][]string) string {
		w := NewWorld(3)
		var all []Visit
		for _, at := range w.Arrivals(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), 80) {
			v := w.Visit(at)
			all = append(all, v)
			if v.RunsFlow {
				require.NotEmpty(t, w.Run(v, Served{FlowID: "f", VersionID: "v", Entry: "scr_a", Next: next}))
			}
		}
		encoded, err := json.Marshal(all)
		require.NoError(t, err)
		return string(encoded)
	}
	longer := map[string][]string{"scr_a": {"dec_b", "scr_c"}, "dec_b": {"scr_c", "scr_d"}, "scr_c": {"scr_d"}}
	require.Equal(t, visits(nil), visits(longer))
}

func TestRunsTakeEveryWayThatAFlowHas(t *testing.T) {
	served, err := ParseServed([]byte(`{"flowId": "f", "versionId": "v", "assignmentVersion": 2, "manifest": {
		"entryScreenId": "scr_a",
		"screens": [
			{"id": "scr_a", "next": {"default": "dec_b"}, "regions": {"body": {"children": [
				{"branching": {"conditions": [{"choiceId": "x", "goTo": "scr_c"}]}}]}}},
			{"id": "scr_c", "next": {"default": null}, "regions": {"body": {}}},
			{"id": "scr_d", "next": {"default": "surf_e"}, "regions": {"body": {}}}],
		"decisionNodes": [{"id": "dec_b", "cases": [{"next": "scr_d"}], "elseNext": "scr_a"}],
		"externalSurfaceNodes": [{"id": "surf_e", "outcomes": {"purchase_completed": "scr_c"}, "fallback": "scr_d"}]}}`))
	require.NoError(t, err)
	require.Equal(t, map[string][]string{
		"scr_a": {"dec_b", "scr_c"}, "scr_c": {""}, "scr_d": {"surf_e"}, "dec_b": {"scr_d", "scr_a"}, "surf_e": {"scr_c", "scr_d"},
	}, served.Next)
	w := NewWorld(5)
	at := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	followed := map[string]bool{}
	for range 400 {
		v := w.Visit(at)
		v.FlowAt = at
		run := w.Run(v, served)
		require.Equal(t, "flow_started", run[0].Name)
		require.Contains(t, []string{"flow_completed", "flow_abandoned"}, run[len(run)-1].Name)
		previous := ""
		for _, e := range run {
			if e.Name == "step_viewed" {
				followed[previous+">"+*e.StepID] = true
				previous = *e.StepID
			}
		}
	}
	for _, way := range []string{">scr_a", "scr_a>scr_c", "scr_a>scr_d", "scr_a>scr_a", "scr_d>scr_c", "scr_d>scr_d"} {
		require.True(t, followed[way], way)
	}
}
