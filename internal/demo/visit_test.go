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
			all = append(all, w.Run(v, Served{FlowID: "f", VersionID: "v", Screens: []string{"scr_a", "scr_b"}}))
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
	visits := func(screens ...string) string {
		w := NewWorld(3)
		var all []Visit
		for _, at := range w.Arrivals(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), 80) {
			v := w.Visit(at)
			all = append(all, v)
			if v.RunsFlow {
				require.NotEmpty(t, w.Run(v, Served{FlowID: "f", VersionID: "v", Screens: screens}))
			}
		}
		encoded, err := json.Marshal(all)
		require.NoError(t, err)
		return string(encoded)
	}
	require.Equal(t, visits("scr_a"), visits("scr_a", "scr_b", "scr_c", "scr_d"))
}
