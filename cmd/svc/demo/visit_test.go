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
		for _, o := range v.Openings {
			all = append(all, w.Run(v, o, serve(t, o, "control")))
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

// People of one seed come, do and buy the same whatever arm an experiment gives them.
func TestWhatIsServedDoesNotChangeWhoComesNorWhoBuys(t *testing.T) {
	visits := func(arm string) (string, []Purchase) {
		w := NewWorld(3)
		var all []Visit
		var purchases []Purchase
		for _, at := range w.Arrivals(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), 1000) {
			v := w.Visit(at)
			all = append(all, v)
			for _, o := range v.Openings {
				if w.Opens(v, o) {
					purchases = append(purchases, w.Run(v, o, serve(t, o, arm)).Purchases...)
				}
			}
		}
		encoded, err := json.Marshal(all)
		require.NoError(t, err)
		return string(encoded), purchases
	}
	control, bought := visits("control")
	treated, boughtTreated := visits("treatment")
	require.Equal(t, control, treated)
	require.Equal(t, bought, boughtTreated)
	require.Greater(t, len(bought), 10)
}
