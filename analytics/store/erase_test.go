package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// erase erases a person, and returns once it is done.
func erase(t *testing.T, p *privacy.Privacy, appUserID string) {
	t.Helper()
	begun, err := p.Begin(t.Context(), privacy.Request{EnvironmentID: environmentID, AppUserID: appUserID})
	require.NoError(t, err)
	done, err := p.Carry(t.Context(), environmentID, begun.ID)
	require.NoError(t, err)
	require.NotNil(t, done.FinishedAt)
}

// wholeView returns a view of all sessions and runs of a crowd.
func wholeView(t *testing.T, s *Store) *frame.View {
	t.Helper()
	from, to := lastDays()
	view, err := s.view(t.Context(), environmentID, sessionsIn(from.UnixMilli(), to.UnixMilli()), runsIn(from, to))
	require.NoError(t, err)
	return view
}

// rowsOf counts the rows of a visitor in each frame that has some.
func rowsOf(view *frame.View, visitor string) map[*frame.Frame]int {
	counts := map[*frame.Frame]int{}
	ordinal, known := view.Ordinal(visitor)
	if !known {
		return counts
	}
	for _, f := range slices.Concat(view.Frames, view.Runs) {
		for row, of := range f.Sealed.Visitors() {
			if of == ordinal && !f.Masked.Has(uint32(row)) {
				counts[f]++
			}
		}
		if f.Open != nil {
			for _, of := range f.Open.Visitors() {
				if of == ordinal {
					counts[f]++
				}
			}
		}
	}
	return counts
}

// reportsOf returns every report of sessions of the last days.
func reportsOf(t *testing.T, s *Store) map[string]string {
	t.Helper()
	from, to := lastDays()
	selection, err := s.Select(t.Context(), environmentID, analytics.Scope{
		Start: from.UTC().Truncate(24 * time.Hour), End: to.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1),
	}, true, true, time.Now())
	require.NoError(t, err)
	return everyReport(t, selection)
}

func requireSameReports(t *testing.T, want, got map[string]string) {
	t.Helper()
	require.Len(t, got, len(want))
	for name, rows := range want {
		require.Equal(t, rows, got[name], name)
	}
}

// Who is erased leaves the memory of every server, and nothing is read again for it: days that had nothing of them stay
// as they are, and the others are as if they were read now.
func TestWhoIsErasedIsTakenOut(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	c := newCrowd(t, db, 5, 40)
	stores := []*Store{newStore(t, db.Pool, Settings{}), newStore(t, db.Pool, Settings{})}
	p := privacy.New(db)
	everybody := &analytics.Segment{Rules: &analytics.SegmentRules{Days: 6, Where: &analytics.Condition{
		Not: &analytics.Condition{Person: &analytics.PersonCondition{
			Field: analytics.PersonCountry, Op: analytics.ValueIs, Texts: []string{"XX"},
		}},
	}}}
	untouched, changed := 0, 0
	for _, person := range []string{"v3", "v11", "nobody"} {
		var before []*frame.View
		var opened []*replica
		for _, s := range stores {
			before, opened = append(before, wholeView(t, s)), append(opened, s.replicas[environmentID])
			_, err := s.Members(t.Context(), environmentID, everybody, c.now)
			require.NoError(t, err)
		}
		erase(t, p, person)
		fresh := newStore(t, db.Pool, Settings{})
		want, runs := reportsOf(t, fresh), storedRuns(t, db.Pool)
		for i, s := range stores {
			view, had := wholeView(t, s), rowsOf(before[i], person)
			require.Same(t, opened[i], s.replicas[environmentID], "the environment is not read anew")
			require.Same(t, before[i].Dataset(), view.Dataset())
			require.Empty(t, rowsOf(view, person))
			require.Equal(t, had, rowsOf(before[i], person), "a view never changes")
			old := map[string]*frame.Frame{}
			for _, f := range slices.Concat(before[i].Frames, before[i].Runs) {
				old[fmt.Sprint(f.Sealed.Type, f.Day)] = f
			}
			for _, f := range slices.Concat(view.Frames, view.Runs) {
				was := old[fmt.Sprint(f.Sealed.Type, f.Day)]
				if had[was] == 0 {
					require.Same(t, was, f, "a day that had nothing of the person is left as it is")
					untouched++
					continue
				}
				require.Same(t, was.Sealed, f.Sealed, "its rows are not read again")
				changed++
			}
			requireSameReports(t, want, reportsOf(t, s))
			require.Equal(t, runs, seenRuns(t, s))
			people, err := s.People(t.Context(), environmentID, everybody, c.now)
			require.NoError(t, err)
			require.NotContains(t, slices.Collect(people), person, "nor is the person in a segment that was evaluated before")
		}
	}
	require.Positive(t, untouched)
	require.Positive(t, changed)
}

// An evaluation of a segment that began before somebody was erased is not kept.
func TestMembersOfBeforeAnErasureAreNotKept(t *testing.T) {
	db := pgtest.New(t)
	write(t, db.Pool, "v1", "a", today)
	s := newStore(t, db.Pool, Settings{})
	segment := &analytics.Segment{ID: "s", Version: "1", AppUserIDs: []string{"v1"}}
	segment.ReadImported = func(context.Context) ([]string, []string, error) {
		erase(t, privacy.New(db), "v1")
		totals(t, s, today, today.Add(time.Hour)) // a poll of somebody else
		return nil, nil, nil
	}
	_, err := s.Members(t.Context(), environmentID, segment, today)
	require.NoError(t, err)
	require.Empty(t, s.members)
}

// A day that is being read while somebody is erased is read again, whatever the person had in it.
func TestALoadFromBeforeAnErasureDoesNotCount(t *testing.T) {
	db := pgtest.New(t)
	write(t, db.Pool, "v1", "a", today)
	write(t, db.Pool, "v2", "b", today)
	s := newStore(t, db.Pool, Settings{})
	totals(t, s, today, today.Add(time.Hour))
	r, day := s.replicas[environmentID], dayKey{frame.Sessions, frame.Day(today)}
	r.drop(day)
	r.mu.Lock()
	r.days[day].loading = &task{done: make(chan struct{})}
	r.mu.Unlock()
	var part *frame.Part
	require.NoError(t, s.wait(t.Context(), s.start(hangLimit, func(ctx context.Context, t *task) (err error) {
		part, err = s.readDay(ctx, t, r, day)
		return err
	})))
	require.Equal(t, 2, part.Len())
	erase(t, privacy.New(db), "v1")
	require.NoError(t, s.follow(t.Context(), r, time.Now()))
	require.NoError(t, r.put(day, part))
	require.False(t, r.isLoaded(day))
	require.Equal(t, int64(1), totals(t, s, today, today.Add(time.Hour)).Sessions)
	require.Same(t, r, s.replicas[environmentID])
}

// While events arrive, of those who are erased too, and days are dropped and read, no report has somebody whose erasure
// is finished, none is refused, and in the end all are as if they were read now.
func TestErasuresUnderLoad(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	c := newCrowd(t, db, 6, 20)
	s := newStore(t, db.Pool, Settings{})
	wholeView(t, s)
	r := s.replicas[environmentID]
	var work sync.WaitGroup
	stop := make(chan struct{})
	repeat := func(do func() error) {
		work.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := do(); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	var gone sync.Map // whose erasure was finished before
	from, to := lastDays()
	repeat(func() error {
		finished := maps.Collect(func(yield func(string, bool) bool) {
			gone.Range(func(id, _ any) bool { return yield(id.(string), true) })
		})
		view, err := s.view(
			context.Background(), environmentID, sessionsIn(from.UnixMilli(), to.UnixMilli()), runsIn(from, to),
		)
		if err != nil {
			return err
		}
		for id := range finished {
			if rows := rowsOf(view, id); len(rows) > 0 {
				return fmt.Errorf("%s was erased and has rows of %d days", id, len(rows))
			}
		}
		for _, f := range r.frames() {
			r.drop(f.key)
		}
		return nil
	})
	sent := &crowd{sender: newSender(t, db), t: t, now: c.now}
	repeat(func() error {
		var product, flows []map[string]any
		for range 10 {
			p := &somebody{id: fmt.Sprint("v", sent.random.IntN(20)), platform: "web"}
			product = append(product, sent.sent(p, happened{false, "page_view", sent.when(), nil}))
			flows = append(flows, sent.run(p)...)
		}
		for path, events := range map[string][]map[string]any{"product": product, "flow": flows} {
			body, err := json.Marshal(map[string]any{"events": events})
			if err != nil {
				return err
			}
			receive := map[string]func(context.Context, []byte, ingest.Request) (ingest.Answer, error){
				"product": sent.writer.Product, "flow": sent.writer.Flow,
			}[path]
			answer, err := receive(context.Background(), body, ingest.Request{
				EnvironmentID: environmentID, ChannelID: 4, ReceivedAt: time.Now(),
			})
			if err != nil {
				return err
			}
			for _, refused := range answer.Rejected {
				if refused.Code != ingest.CodePersonErased {
					return fmt.Errorf("refused: %+v", refused)
				}
			}
		}
		return nil
	})
	p := privacy.New(db)
	for i := range 6 {
		person := fmt.Sprint("v", i)
		erase(t, p, person)
		gone.Store(person, nil)
	}
	close(stop)
	work.Wait()
	require.Same(t, r, s.replicas[environmentID], "the environment is not read anew")
	requireSameReports(t, reportsOf(t, newStore(t, db.Pool, Settings{})), reportsOf(t, s))
	require.Equal(t, storedRuns(t, db.Pool), seenRuns(t, s))
}
