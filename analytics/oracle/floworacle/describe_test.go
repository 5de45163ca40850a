package floworacle_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics/oracle/floworacle"
)

// Batches fold into rows that say of every run and event what the rules do, whatever order they come in.
func TestRowsAgreeWithOracle(t *testing.T) {
	worlds(t)
	rapid.Check(t, func(t *rapid.T) {
		s := floworacle.Draw(t)
		store := floworacle.NewStore()
		for rest := s.World.Events; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "batch")
			store.Ingest(rest[:n])
			rest = rest[n:]
		}
		got, err := store.Describe()
		if err != nil {
			t.Fatal(err)
		}
		if want := floworacle.Describe(s.World); !slices.Equal(got, want) {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	})
}
