package run

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics/session"
)

const midnight = int64(1_795_219_200_000) // 2026-11-21T00:00:00Z

func drawEvents(t *rapid.T, n int) []Event {
	text := rapid.SampledFrom([]string{"", "", "a", "b"})
	few := func(what string, m int) byte { return byte(rapid.IntRange(0, m).Draw(t, what)) }
	withSeq := rapid.Bool().Draw(t, "all hits have seq")
	events := make([]Event, n)
	for i := range events {
		e := &events[i]
		e.Person = rapid.SampledFrom([]string{"p", "p", "q"}).Draw(t, "person")
		e.SessionID = text.Draw(t, "session")
		e.Flow = session.Key{few("flow", 1)}
		if rapid.Bool().Draw(t, "has a run id") {
			e.RunID = session.Key{1, few("run", 1)}
		}
		e.Hit = Hit{
			Key: session.Key{byte(rapid.IntRange(0, 255).Draw(t, "key")), byte(i)},
			At:  midnight + rapid.Int64Range(-2, 2).Draw(t, "at"), Seq: int64(few("seq", 4)) - 1,
			Name: rapid.SampledFrom([]Name{
				FlowStarted, FlowStarted, StepViewed, StepViewed, StepCompleted, SurfacePresented, FlowCompleted, FlowAbandoned,
			}).Draw(t, "name"),
			Step: int32(few("step", 3)), From: int32(few("from", 3)) - 1, Subject: 1<<22 - 1, Value: int32(few("value", 2)),
		}
		if withSeq {
			e.Hit.Seq = int64(few("seq", 4))
		}
		e.Context = Context{
			Release: Release{
				Channel: int64(few("channel", 1)), Version: session.Key{few("version", 1)},
				AssignmentVersion: int64(few("assignment", 2)) - 1, Variant: text.Draw(t, "variant"),
			},
			Client: Client{Platform: text.Draw(t, "platform"), Locale: text.Draw(t, "locale")},
			Place:  Place{Country: text.Draw(t, "country"), City: text.Draw(t, "city")},
			Device: Device{Browser: text.Draw(t, "browser"), OS: text.Draw(t, "os")},

			CustomProperties: rapid.SampledFrom([]string{"", `{"tier":"gold"}`}).Draw(t, "custom"),
		}
	}
	return events
}

// read returns the runs of rows in the form of the oracle, without their owners' names, which differ.
func read(t require.TestingT, rows []Row) (runs []naiveRun) {
	for i := range rows {
		found, err := rows[i].Runs(stepText)
		require.NoError(t, err)
		for pass, r := range found {
			require.Equal(t, pass, r.Pass)
			require.Equal(t, rows[i].Person+hex.EncodeToString(rows[i].Flow[:]), r.Person+hex.EncodeToString(r.Flow[:]))
			runs = append(runs, plain("", r))
		}
	}
	return inOrder(runs)
}

func inOrder(runs []naiveRun) []naiveRun {
	for i := range runs {
		runs[i].Owner = ""
	}
	slices.SortFunc(runs, func(a, b naiveRun) int { return strings.Compare(a.Hits, b.Hits) })
	return runs
}

// Whatever the order of events, their batches and how often a batch is merged, the runs are those of the rules.
func TestRunsAreThoseOfTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 14).Draw(t, "events")
		events := drawEvents(t, n)
		want := inOrder(naiveRuns(events))
		shuffled := rapid.Permutation(events).Draw(t, "order")
		var rows []Row
		for from := 0; from < n; {
			to := from + rapid.IntRange(1, n-from).Draw(t, "batch")
			for range rapid.IntRange(1, 2).Draw(t, "times") {
				rows = mergeAll(rows, Fold(shuffled[from:to]))
			}
			from = to
		}
		require.Equal(t, want, read(t, rows))
		once := Fold(events)
		require.Len(t, rows, len(once))
		for i := range rows {
			got, want := rows[i], once[i]
			require.Equal(t, []any{want.Person, want.Flow, want.Key, want.Derived, want.FirstAt, want.LastAt, want.Started},
				[]any{got.Person, got.Flow, got.Key, got.Derived, got.FirstAt, got.LastAt, got.Started})
		}
	})
}

// mergeAll merges rows of a batch into stored ones, which stand first or second by turns.
func mergeAll(stored, batch []Row) []Row {
	for _, row := range batch {
		i, found := slices.BinarySearchFunc(stored, row, func(a, b Row) int { return a.Compare(&b) })
		switch {
		case !found:
			stored = slices.Insert(stored, i, row)
		case len(row.Hits)%(2*HitSize) == 0:
			stored[i] = Merge(row, stored[i])
		default:
			stored[i] = Merge(stored[i], row)
		}
	}
	return stored
}

func hit(key byte, name Name, at, seq int64) Event {
	return Event{Person: "p", SessionID: "s", Hit: Hit{Key: session.Key{key}, Name: name, At: midnight + at, Seq: seq},
		Context: Context{Release: Release{Channel: 1, AssignmentVersion: -1}}}
}

func TestALateStartCutsWithTheAttributesOfEachPass(t *testing.T) {
	on := func(e Event, platform string) Event { e.Context.Client.Platform = platform; return e }
	first, lost := on(hit(1, FlowStarted, 0, -1), ""), on(hit(2, StepViewed, 10, -1), "web")
	late, last := on(hit(3, FlowStarted, 20, -1), ""), on(hit(4, StepViewed, 30, -1), "ios")
	rows := Fold([]Event{last, lost, first})
	require.Len(t, rows, 1)
	runs, err := rows[0].Runs(stepText)
	require.NoError(t, err)
	require.Len(t, runs, 1)
	require.Equal(t, "web", runs[0].Client.Platform)

	runs, err = mergeAll(rows, Fold([]Event{late}))[0].Runs(stepText)
	require.NoError(t, err)
	require.Len(t, runs, 2)
	require.Equal(t, []string{"web", "ios"}, []string{runs[0].Client.Platform, runs[1].Client.Platform})
	require.Equal(t, []int64{midnight, midnight + 20}, []int64{runs[0].StartedAt, runs[1].StartedAt})
}

// Seq counts only when every hit of the run has one, so that an attribute may change its hit with the last to come.
func TestSeqOrdersWhenAllHaveIt(t *testing.T) {
	events := []Event{hit(1, StepViewed, 20, 0), hit(2, StepCompleted, 10, 1)}
	for i := range events {
		events[i].RunID = session.Key{9}
	}
	events[0].Context.Place.City, events[1].Context.Place.City = "Leeds", "York"
	rows := Fold(events)
	runs, err := rows[0].Runs(stepText)
	require.NoError(t, err)
	require.Equal(t, "Leeds", runs[0].Place.City)
	require.Equal(t, midnight+10, runs[0].StartedAt, "the earliest hit, whatever its place")
	require.False(t, runs[0].HasStart)
	without := hit(3, FlowCompleted, 30, -1)
	without.RunID = session.Key{9}
	runs, err = mergeAll(rows, Fold([]Event{without}))[0].Runs(stepText)
	require.NoError(t, err)
	require.Equal(t, "York", runs[0].Place.City)
}

func TestStates(t *testing.T) {
	const lapse = 30 * time.Minute
	for _, c := range []struct {
		names []Name
		after time.Duration
		want  State
	}{
		{[]Name{FlowStarted}, lapse - time.Millisecond, Open},
		{[]Name{FlowStarted}, lapse, Lapsed},
		{[]Name{FlowStarted, FlowAbandoned}, lapse, Abandoned},
		{[]Name{FlowAbandoned, FlowCompleted}, 0, Completed},
		{[]Name{FlowCompleted, FlowAbandoned}, lapse, Completed},
	} {
		var events []Event
		for i, name := range c.names {
			events = append(events, hit(byte(i), name, int64(i), -1))
		}
		runs, err := Fold(events)[0].Runs(stepText)
		require.NoError(t, err)
		last := time.UnixMilli(midnight + int64(len(c.names)) - 1)
		require.Equal(t, c.want, runs[0].State(last.Add(c.after), lapse), c.names)
	}
}

// What a hit may hold comes back, up to the bounds of what ingest lets in.
func TestHitsComeBackWhole(t *testing.T) {
	e := hit(1, BannerDismissed, time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).UnixMilli()-midnight, 1<<31-1)
	e.Hit.Step, e.Hit.From, e.Hit.Subject, e.Hit.Value = 1<<22-1, FromStart, 1<<22-1, 1<<22-1
	e.Context = Context{
		Release: Release{-5, session.Key{1}, 1<<31 - 1, session.Key{2}, "v"},
		Client:  Client{"a", "b", strings.Repeat("c", 300)},
		Place:   Place{"d", "e", "é"}, Device: Device{"f", "g", "h"}, CustomProperties: `{"k":1}`,
	}
	runs, err := Fold([]Event{e})[0].Runs(stepText)
	require.NoError(t, err)
	e.Hit.Context = &e.Context
	require.Equal(t, []Hit{e.Hit}, runs[0].Hits)
	require.Equal(t, e.Context, runs[0].Context)
}

func TestLimits(t *testing.T) {
	var events []Event
	for i := range 10 {
		e := hit(byte(i), StepViewed, int64(i), -1)
		e.Context.CustomProperties = strings.Repeat("x", 100*(i/2)+1) // five of them, each of two hits
		events = append(events, e)
	}
	size := func(contexts int) (bytes int) {
		for i := range contexts {
			bytes += len(events[2*i].Context.pack())
		}
		return bytes
	}
	for _, c := range []struct{ hits, bytes, kept, contexts int }{
		{20, 1 << 20, 10, 5}, {10, size(5), 10, 5}, {3, 1 << 20, 3, 5}, {10, size(5) - 1, 8, 4}, {10, size(2), 4, 2},
		{3, size(2), 3, 2}, {10, size(1) - 1, 0, 0},
	} {
		row := Fold(events)[0]
		require.Equal(t, 10-c.kept, row.Limit(c.hits, c.bytes), c)
		require.Equal(t, c.kept, row.Len())
		require.Len(t, row.Contexts, size(c.contexts))
		runs, err := row.Runs(stepText)
		require.NoError(t, err)
		if c.kept > 0 {
			require.Len(t, runs[0].Hits, c.kept)
		}
		require.Equal(t, midnight+9, row.LastAt, "times are those of all hits")
	}
}

func TestNames(t *testing.T) {
	require.Len(t, Names(), 18)
	for i, text := range Names() {
		name, ok := ParseName(text)
		require.True(t, ok)
		require.EqualValues(t, i+1, name)
		require.Equal(t, text, name.String())
	}
	_, ok := ParseName("")
	require.False(t, ok)
	require.Empty(t, Name(200).String())
	require.Equal(
		t, []Name{1, 2, 9, 15, 16}, []Name{FlowStarted, StepViewed, SurfaceOutcome, FlowCompleted, FlowAbandoned},
		"stored values never change",
	)
}

// Bytes that something else wrote are an error, never a panic.
func FuzzRuns(f *testing.F) {
	row := Fold([]Event{hit(1, FlowStarted, 0, 0), hit(2, StepViewed, 1, 1)})[0]
	f.Add(row.Hits, row.Contexts)
	f.Add(row.Hits[:HitSize-1], row.Contexts)
	f.Add(row.Hits, row.Contexts[:len(row.Contexts)-1])
	f.Add(row.Hits, []byte{})
	f.Fuzz(func(t *testing.T, hits, contexts []byte) {
		row := Row{Derived: true, Hits: hits, Contexts: contexts}
		runs, err := row.Runs(stepText)
		if err != nil {
			require.ErrorIs(t, err, ErrCorrupt)
			require.Empty(t, runs)
		}
		row = Merge(Row{Contexts: slices.Clone(contexts)}, Row{Contexts: contexts})
		_ = row.Limit(1, 100)
	})
}
