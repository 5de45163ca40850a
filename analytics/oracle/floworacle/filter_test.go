package floworacle_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/oracle/floworacle"
	"github.com/svc-dev/svc/analytics/runlog"
)

// Lists of runs and answers, which are read from rows, take the runs that reports count.
func TestFiltersOfRowsAgreeWithOracle(t *testing.T) {
	worlds(t)
	rapid.Check(t, func(t *rapid.T) {
		s := floworacle.Draw(t)
		store, o := floworacle.NewStore(), floworacle.New(s.World, s.Now)
		store.Ingest(s.World.Events)
		runs, err := store.All()
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			scope := s.DrawScope(t)
			resolved, err := scope.Resolve(s.Now)
			if err != nil {
				t.Fatal(err)
			}
			members := s.Members(scope.Segment)
			filter := runlog.NewFilter(resolved, func(person string) bool { return o.PassesPerson(person, resolved, members) })
			var got []string
			for i := range runs {
				if r := &runs[i]; filter.Takes(r) && (resolved.Flow == [16]byte{} || r.Flow == resolved.Flow) {
					got = append(got, fmt.Sprintf("%q %x", r.Person, frame.RunKey(r)))
				}
			}
			slices.Sort(got)
			if want := o.Select(resolved, members).Keys(); !slices.Equal(got, want) {
				t.Fatalf("scope %+v: got\n%s\nwant\n%s", resolved, got, want)
			}
		}
	})
}
