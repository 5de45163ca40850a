package automation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/analytics/store"
	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/audience"
	"github.com/svc-dev/svc/ent/segmentmember"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/studio"
)

// members are who is said to be in a segment.
type members struct {
	mu    sync.Mutex
	ids   []string
	err   error
	asked int
	age   time.Duration // of the oldest answer that would do, at the latest question
}

func (m *members) Members(_ context.Context, _ int64, _ uuid.UUID, since time.Time, _ int) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	m.age = time.Since(since)
	return slices.Clone(m.ids), m.err
}

func (m *members) set(err error, ids ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ids, m.err = ids, err
}

func (m *members) asks() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

func (w *world) watch(segments automation.Segments) {
	w.t.Helper()
	watch := automation.WatchSegments(w.Automations, segments)
	require.NoError(w.t, watch.Start(context.Background()))
	w.t.Cleanup(func() { require.NoError(w.t, watch.Stop(context.Background())) })
}

func (w *world) segment(ids ...string) uuid.UUID {
	w.t.Helper()
	name, days := "Buyers", 30
	made, err := w.studio.CreateSegment(w.owner, w.app, studio.SegmentChange{Name: &name, WindowDays: &days})
	require.NoError(w.t, err)
	if len(ids) > 0 {
		_, err = w.studio.ImportMembers(w.owner, made.ID, segmentmember.KindAppUser, ids)
		require.NoError(w.t, err)
	}
	return made.ID
}

func entering(segment uuid.UUID) string {
	return fmt.Sprintf(`{"trigger": {"type": "segment", "segmentId": %q, "reentry": "always"},
		"nodes": [{"id": "end", "type": "exit"}]}`, segment)
}

// evaluated waits until the segment was evaluated anew.
func (w *world) evaluated(m *members) {
	w.t.Helper()
	asked := m.asks()
	w.exec(`update automation_segment set evaluated_at = now() - interval '1 hour'`)
	w.eventually(func() bool {
		return m.asks() > asked && w.count(`select count(*) from automation_segment where evaluated_at > now() - interval '30 minutes'`) == 1
	}, "the segment is evaluated")
}

func (w *world) people() map[string]int {
	return w.grouped(`select app_user_id, count(*) from automation_enrolment group by 1`)
}

func TestWhoeverIsNewInASegmentEntersAndNobodyElse(t *testing.T) {
	w := newWorld(t)
	m := &members{ids: []string{"ana", "ben"}}
	w.watch(m)
	w.watch(m) // another server
	a := w.define(entering(w.segment()))
	w.eventually(func() bool {
		return w.count(`select count(*) from automation_segment where members = 2 and digest <> ''`) == 1
	}, "the first evaluation")
	require.Empty(t, w.people(), "who is there already has not entered")
	require.Equal(t, 1, m.asks(), "one server asks, once a minute")
	require.Less(t, m.age, 10*time.Second, "who came before it was activated must be among the first")
	m.set(nil, "ana", "cyd", "Dan", "ünal")
	w.evaluated(m)
	require.Equal(t, map[string]int{"cyd": 1, "Dan": 1, "ünal": 1}, w.people())
	require.Greater(t, m.age, 20*time.Second, "what reports remember will do")
	require.Less(t, m.age, 58*time.Second, "but not the evaluation before")
	m.set(nil, "ben", "cyd")
	w.evaluated(m)
	require.Equal(t, map[string]int{"ben": 1, "cyd": 1, "Dan": 1, "ünal": 1}, w.people(), "who left and came again")
	w.evaluated(m)
	require.Equal(t, map[string]int{"ben": 1, "cyd": 1, "Dan": 1, "ünal": 1}, w.people())

	// Trouble changes nothing, and is told.
	m.set(automation.ErrTooManyMembers)
	w.evaluated(m)
	evaluation := func() *automation.SegmentEvaluation {
		found, err := w.Get(w.owner, a.ID)
		require.NoError(t, err)
		return found.SegmentEvaluation
	}
	require.Equal(t, "too_many_members", evaluation().Problem)
	require.Equal(t, 2, evaluation().Members)
	require.WithinDuration(t, time.Now(), evaluation().At, time.Minute)
	m.set(errors.New("no reports"))
	w.evaluated(m)
	require.Equal(t, "failed", evaluation().Problem)
	m.set(nil, "ben", "cyd")
	w.evaluated(m)
	require.Empty(t, evaluation().Problem)
	require.Len(t, w.people(), 4)

	// Nobody enters while it is paused, nor for it afterwards.
	_, err := w.Pause(w.owner, a.ID)
	require.NoError(t, err)
	require.Zero(t, w.count(`select count(*) from automation_segment_member`))
	require.Nil(t, evaluation(), "nobody follows it")
	m.set(nil, "ben", "cyd", "eve")
	_, err = w.Activate(w.owner, a.ID)
	require.NoError(t, err)
	w.eventually(func() bool { return w.count(`select count(*) from automation_segment where members = 3`) == 1 }, "again")
	require.Len(t, w.people(), 4)
	m.set(nil, "eve", "fay")
	w.evaluated(m)
	require.Equal(t, 1, w.people()["fay"])
	require.Zero(t, w.people()["eve"])
}

func TestWhoeverMeetsAGoalEntersAsWhoEntersASegmentDoes(t *testing.T) {
	w := newWorld(t)
	name := "Saw a page"
	met, err := w.studio.CreateGoal(w.owner, w.app, studio.GoalChange{
		Name: &name, Condition: &analytics.GoalCondition{Event: &analytics.GoalEvent{Name: "page_view"}},
	})
	require.NoError(t, err)
	m := &members{ids: []string{"ana", "ben"}}
	w.watch(m)
	w.define(reaching(met.ID))
	w.eventually(func() bool { return w.count(`select count(*) from automation_segment where members = 2`) == 1 }, "the first")
	m.set(nil, "ana", "cyd")
	w.evaluated(m)
	require.Equal(t, map[string]int{"cyd": 1}, w.people(), "who met it before does not enter")
	m.set(nil, "ana", "ben", "cyd")
	w.evaluated(m)
	require.Equal(t, map[string]int{"ben": 1, "cyd": 1}, w.people(), "who meets it again after two days without it")
	require.Equal(t, 2, w.count(`select count(*) from automation_enrolment where event_name = 'goal_met'`), "webhooks say so")
}

func reaching(goal uuid.UUID) string {
	return fmt.Sprintf(`{"trigger": {"type": "goal", "goalId": %q, "reentry": "always"},
		"nodes": [{"id": "end", "type": "exit"}]}`, goal)
}

// An evaluation that is cut off is gone on with: nobody is left out, and nobody enters twice.
func TestASegmentThatIsCutOffIsGoneOnWith(t *testing.T) {
	w := newWorld(t)
	var all []string
	for i := range 2500 {
		all = append(all, fmt.Sprintf("person-%04d", i))
	}
	m := &members{ids: all[:100]}
	w.define(entering(w.segment()))
	w.watch(m)
	w.eventually(func() bool { return w.count(`select count(*) from automation_segment where members = 100`) == 1 }, "the first")
	// The second batch of the next evaluation fails.
	w.exec(`create function refuse() returns trigger language plpgsql as $$ begin
		if new.app_user_id = 'person-2000' then raise 'cut off'; end if; return new; end $$;
		create trigger refuse before insert on automation_segment_member for each row execute function refuse()`)
	m.set(nil, all...)
	w.exec(`update automation_segment set evaluated_at = now() - interval '1 hour'`)
	w.eventually(func() bool { return w.count(`select count(*) from automation_segment_member`) == 1100 }, "the first batch")
	w.exec(`drop trigger refuse on automation_segment_member`)
	w.exec(`insert into erased_person (environment_id, person, erased_at) values ($1, $2, now())`, w.environment, privacy.Person("person-2222"))
	w.eventually(func() bool { return w.count(`select count(*) from automation_segment where members = 2500`) == 1 }, "the rest")
	require.Equal(t, 2399, w.count(`select count(*) from automation_enrolment`), "the erased one does not enter")
	require.Equal(t, 2399, w.count(`select count(distinct app_user_id) from automation_enrolment`))
}

func TestSegmentsAreEvaluatedByTheReports(t *testing.T) {
	w := newWorld(t)
	reports := store.New(w.db.Pool, store.Settings{Logger: quiet})
	require.NoError(t, reports.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, reports.Stop(context.Background())) })
	segments := &audience.Segments{Client: w.db.Ent(), Stored: w.studio, Reports: reports}
	id := w.segment("ana", "ben", "never seen")
	visit := func(person string) {
		body := fmt.Appendf(nil, `{"events": [{"eventId": %q, "name": "page_view", "screenName": "a", "identity": {"appUserId": %q, "sessionId": "s"},
			"timestamp": %q}]}`,
			uuid.NewString(), person, time.Now().UTC().Format(time.RFC3339Nano))
		request := ingest.Request{EnvironmentID: w.environment, ReceivedAt: time.Now()}
		answer, err := w.writer.Product(t.Context(), body, request)
		require.NoError(t, err)
		require.Equal(t, 1, answer.Stored, answer.Rejected)
	}
	visit("ana")
	visit("cyd")
	before := time.Now()
	var got []string
	var err error
	w.eventually(func() bool {
		got, err = segments.Members(t.Context(), w.environment, id, time.Now(), 10)
		require.NoError(t, err)
		return len(got) == 1
	}, "Ana is in it")
	require.Equal(t, []string{"ana"}, got)
	visit("ben")
	w.eventually(func() bool {
		got, err = segments.Members(t.Context(), w.environment, id, time.Now(), 10)
		require.NoError(t, err)
		return len(got) == 2
	}, "an answer is never older than it may be")
	visit("never seen")
	w.eventually(func() bool {
		n, err := reports.Live(t.Context(), w.environment, "", nil, report.Page{First: 10}, time.Now())
		require.NoError(t, err)
		return n.Count == 4
	}, "reports know her")
	got, err = segments.Members(t.Context(), w.environment, id, before, 10)
	require.NoError(t, err)
	require.Len(t, got, 2, "what is remembered is not found again")
	_, err = segments.Members(t.Context(), w.environment, id, before, 1)
	require.ErrorIs(t, err, automation.ErrTooManyMembers)
	got, err = segments.Members(t.Context(), w.environment, uuid.New(), before, 1)
	require.NoError(t, err)
	require.Empty(t, got)
	got, err = segments.Members(t.Context(), w.environment+1000, id, before, 1)
	require.NoError(t, err)
	require.Empty(t, got, "a segment is not one of another app")

	// Who met a goal today or yesterday is followed alike.
	name := "Saw a page"
	met, err := w.studio.CreateGoal(w.owner, w.app, studio.GoalChange{
		Name: &name, Condition: &analytics.GoalCondition{Event: &analytics.GoalEvent{Name: "page_view"}},
	})
	require.NoError(t, err)
	got, err = segments.Members(t.Context(), w.environment, met.ID, time.Now(), 10)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"ana", "ben", "cyd", "never seen"}, got)
	got, err = segments.Members(t.Context(), w.environment+1000, met.ID, time.Now(), 10)
	require.NoError(t, err)
	require.Empty(t, got, "a goal is not one of another app")
	w.define(reaching(met.ID))
	w.watch(segments)
	w.eventually(func() bool { return w.count(`select count(*) from automation_segment where members = 4`) == 1 }, "the first")
	require.Zero(t, w.count(`select count(*) from automation_enrolment`), "who met it before has not entered")
	// Nobody follows the segment of another app.
	other, err := w.studio.CreateApp(w.owner, w.db.Ent().Workspace.Query().OnlyIDX(t.Context()), "Other")
	require.NoError(t, err)
	made, err := w.Create(w.owner, other.ID, "live", "Automation", []byte(entering(id)))
	require.NoError(t, err)
	problems, err := w.Check(w.owner, made)
	require.NoError(t, err)
	require.Len(t, problems, 1)
	require.Equal(t, "/trigger/segmentId", problems[0].Pointer)
	made, err = w.Create(w.owner, other.ID, "live", "Of a goal", []byte(reaching(met.ID)))
	require.NoError(t, err)
	problems, err = w.Check(w.owner, made)
	require.NoError(t, err)
	require.Len(t, problems, 1)
	require.Equal(t, "/trigger/goalId", problems[0].Pointer)
}
