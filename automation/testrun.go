package automation

import (
	"container/heap"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres"
)

// TestRun says what a draft would have done, had it been active.
type TestRun struct {
	From, To time.Time
	// Events are how many stored events were looked at; Complete is false when there were more.
	Events   int
	Complete bool
	Entered  int
	Exited   int
	Waiting  int // at the end of the range
	Skipped  []*StepCount
	Messages int
	// Examples are the first 200 messages, or fewer where these are of more than 8 MiB.
	Examples []*TestRunMessage
}

// TestRunMessage is a message that would have been sent.
type TestRunMessage struct {
	AppUserID string
	Node      string
	At        time.Time
	Body      json.RawMessage
}

const (
	maxTestRun      = 100_000 // events
	maxTestRunBytes = 32 << 20
	maxExamples     = 200
	maxExampleBytes = 8 << 20
)

// TestRun lets the draft of an automation go through the events of the last
// days, without enrolling anybody or sending anything. People are taken as they
// are known now, and limits are not applied to messages of other automations.
func (a *Automations) TestRun(ctx context.Context, id uuid.UUID, days int) (*TestRun, error) {
	s, err := a.ofAutomation(ctx, id, account.CustomersRead)
	if err != nil {
		return nil, err
	}
	if days < 1 || days > 30 {
		return nil, fault.Invalid("days", "must be from 1 to 30")
	}
	found, err := read(ctx, a.db.Pool, id)
	if err != nil {
		return nil, err
	}
	problems, err := a.Check(ctx, found)
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		blocked := fault.New(fault.PublishBlocked, "the definition has %d problems", len(problems))
		blocked.Details = map[string]any{"problems": problems}
		return nil, blocked
	}
	definition, _ := Parse(found.Draft)
	app, err := a.appName(ctx, s.environment)
	if err != nil {
		return nil, err
	}
	to := a.now()
	r := &testRun{
		TestRun: &TestRun{
			From: to.AddDate(0, 0, -days), To: to, Complete: true, Skipped: []*StepCount{}, Examples: []*TestRunMessage{},
		},
		definition: definition, automation: id, app: app, again: map[string]time.Time{}, recent: map[string][]time.Time{},
		going: map[string][]*simulated{}, skips: map[string]*StepCount{},
	}
	if r.limits, err = readLimits(ctx, a.db.Pool, s.environment); err != nil {
		return nil, err
	}
	facts, complete, err := a.readFacts(ctx, s.environment, definition, r.From)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	if definition.Answers {
		for batch := range slices.Chunk(facts, 1000) {
			if err := addAnswers(ctx, a.db.Pool, batch, definition.Trigger.isEnd); err != nil {
				return nil, err
			}
		}
	}
	if !complete {
		r.Complete, r.To = false, facts[len(facts)-1].OccurredAt
	}
	people := map[string]bool{}
	for i := range facts {
		people[facts[i].AppUserID] = true
	}
	ids := make([]string, 0, len(people))
	for person := range people {
		ids = append(ids, person)
	}
	if r.people, err = readPeople(ctx, a.db.Pool, s.environment, ids); err != nil {
		return nil, fmt.Errorf("read people: %w", err)
	}
	suppressed, err := a.readSuppressed(ctx, a.db.Pool, s.environment, r.people)
	if err != nil {
		return nil, fmt.Errorf("read addresses that get no email: %w", err)
	}
	r.suppressed = func(to string) bool { return a.isSuppressed(suppressed, s.environment, to) }
	r.play(facts)
	return r.TestRun, nil
}

// readFacts reads what could matter to a definition since a time, in order, as far as a test run takes it.
func (a *Automations) readFacts(
	ctx context.Context, environment int64, d *Definition, from time.Time,
) (facts []Fact, complete bool, err error) {
	names := []string{}
	if d.Trigger.Type == OnEvent {
		names = append(names, d.Trigger.Event)
	}
	for _, n := range d.Nodes {
		if n.Type == NodeWait {
			names = append(names, n.Event)
		}
	}
	if d.Exit != nil {
		names = append(names, d.Exit.Events...)
	}
	ends := []string{}
	if d.Trigger.Type == OnFlow {
		ends = append(ends, "flow_completed", "flow_abandoned")
	}
	money := []int64{} // the environment when money matters: Citus takes no condition that is of no column
	if d.Trigger.Type == OnLedger || d.Exit != nil && d.Exit.Purchase {
		money = append(money, environment)
	}
	rows, err := a.db.Pool.Query(ctx, `
		select 1, app_user_id, event_key, occurred_at, name, coalesce(properties, '{}')::jsonb, null::uuid, null::uuid,
			null::uuid, '', false
		from track_events where environment_id = $1 and occurred_at >= $2 and name = any ($3)
			and `+postgres.WithinTime(`$2`, `'infinity'`)+`
		union all
		select 2, app_user_id, event_key, occurred_at, case name when 'flow_completed' then 'completed' else 'abandoned' end,
			coalesce(properties, '{}')::jsonb, flow_id, version_id, run_id, step_id, false
		from flow_events where environment_id = $1 and occurred_at >= $2 and name = any ($4)
		union all
		select 3, app_user_id, gen_random_uuid(), occurred_at, kind, jsonb_build_object('provider', provider, 'productId',
			product_id, 'currency', currency, 'amountUsd', amount_micros / 1e6), null, null, null, '',
			kind = 'originating' and subscription_key <> '' and exists (
				select from subscription_period t where t.environment_id = $1 and t.provider = l.provider
					and t.subscription_key = l.subscription_key and t.period_type = 'trial')
		from revenue_ledger l where environment_id = any ($5) and occurred_at >= $2 and app_user_id <> ''
		union all
		select 3, app_user_id, gen_random_uuid(), ended_at, 'expired',
			jsonb_build_object('provider', provider, 'productId', product_id, 'currency', ''), null, null, null, '', false
		from subscription_period p where environment_id = any ($5) and ends_at >= $2::timestamptz - interval '1 year'
			and ended_at >= $2 and ended_at <= now() and app_user_id <> '' and not exists (
				select from subscription_period n where n.environment_id = $1 and n.provider = p.provider
					and n.subscription_key = p.subscription_key and n.starts_at > p.starts_at)
		order by 4, 3 limit $6`, environment, from, names, ends, money, maxTestRun+1)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	bytes := 0
	for rows.Next() {
		f := Fact{EnvironmentID: environment}
		var flowID, versionID, runID *uuid.UUID
		if err := rows.Scan(&f.Kind, &f.AppUserID, &f.Key, &f.OccurredAt, &f.Name, &f.Properties, &flowID, &versionID,
			&runID, &f.StepID, &f.Converted); err != nil {
			return nil, false, err
		}
		if flowID != nil {
			f.FlowID, f.VersionID = *flowID, *versionID
		}
		if runID != nil {
			f.RunID = *runID
		}
		bytes += len(f.Properties)
		if len(facts) == maxTestRun || bytes > maxTestRunBytes && len(facts) > 0 {
			return facts, false, nil
		}
		facts = append(facts, f)
	}
	return facts, true, rows.Err()
}

// testRun plays facts in the order in which they happened.
type testRun struct {
	*TestRun
	definition *Definition
	automation uuid.UUID
	app        string
	// exampleBytes are those of the examples so far.
	exampleBytes int
	suppressed   func(address string) bool
	limits       Limits
	people       map[string]Person
	again        map[string]time.Time // when a person (with a key) may enter again; the zero time is never
	recent       map[string][]time.Time
	going        map[string][]*simulated // by person
	queue        queue
	skips        map[string]*StepCount
}

type simulated struct {
	enrolment
	due   time.Time
	ended bool
}

// queue holds enrolments by when they are due. One that became due earlier is in it twice: what no longer says when
// its enrolment is due is passed over.
type queue []queued

type queued struct {
	due time.Time
	*simulated
}

// The methods of heap.Interface.
func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].due.Before(q[j].due) }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(queued)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func (r *testRun) play(facts []Fact) {
	rules := newRules()
	rules.add(&published{versionKey{r.automation, 0}, r.definition}, true)
	for i := range facts {
		f := &facts[i]
		r.advanceUntil(f.OccurredAt)
		r.Events++
		entries, signals := rules.match(f)
		for _, s := range signals {
			r.tell(&s, f.OccurredAt)
		}
		for _, e := range entries {
			r.enter(&e, f)
		}
	}
	r.advanceUntil(r.To)
	for _, enrolments := range r.going {
		r.Waiting += len(enrolments)
	}
	for _, reason := range slices.Sorted(maps.Keys(r.skips)) {
		r.Skipped = append(r.Skipped, r.skips[reason])
	}
}

func (r *testRun) enter(e *entry, f *Fact) {
	key := e.AppUserID + "\x00" + e.EntryKey
	if again, entered := r.again[key]; entered && !e.Always && (again.IsZero() || f.OccurredAt.Before(again)) {
		return
	}
	r.again[key] = time.Time{}
	if e.Days != nil {
		r.again[key] = f.OccurredAt.AddDate(0, 0, *e.Days)
	}
	one := &simulated{enrolment: enrolment{
		AutomationID: r.automation, AppUserID: e.AppUserID, EventName: e.EventName, Node: e.Node,
	}}
	_ = json.Unmarshal(e.Event, &one.Event) // was stored as JSON
	r.Entered++
	r.going[e.AppUserID] = append(r.going[e.AppUserID], one)
	r.schedule(one, f.OccurredAt)
}

func (r *testRun) schedule(e *simulated, due time.Time) {
	e.due = due
	heap.Push(&r.queue, queued{due, e})
}

func (r *testRun) tell(s *signal, at time.Time) {
	for _, e := range r.going[s.AppUserID] {
		if s.ExitReason != "" {
			e.ExitReason = s.ExitReason
			r.schedule(e, at)
		}
		if s.Node != "" && e.Waiting && e.Node == s.Node {
			e.EventCame = true
			r.schedule(e, at)
		}
	}
}

// advanceUntil advances what is due until a time, in the order in which it is due.
func (r *testRun) advanceUntil(until time.Time) {
	for len(r.queue) > 0 && !r.queue[0].due.After(until) {
		next := heap.Pop(&r.queue).(queued)
		if !next.ended && next.due.Equal(next.simulated.due) {
			r.advance(next.simulated)
		}
	}
}

func (r *testRun) advance(e *simulated) {
	s := surroundings{
		now: e.due, limits: r.limits, disabled: func(uuid.UUID) bool { return false }, suppressed: r.suppressed,
		facts: Facts{Event: e.Event, Person: r.people[e.AppUserID]},
	}
	s.facts.Person.AppUserID = e.AppUserID
	if r.limits.Cap > 0 {
		from, recent := e.due.AddDate(0, 0, -r.limits.CapDays), r.recent[e.AppUserID]
		for len(recent) > 0 && !recent[0].After(from) { // they are in order: what is too old stays so
			recent = recent[1:]
		}
		r.recent[e.AppUserID], s.recent = recent, len(recent)
	}
	m := r.definition.advance(&e.enrolment, &s)
	for _, step := range m.Steps {
		if step.Result != skipped {
			continue
		}
		if r.skips[step.Reason] == nil {
			r.skips[step.Reason] = &StepCount{Result: skipped, Reason: step.Reason}
		}
		r.skips[step.Reason].Count++
	}
	for _, message := range m.Messages {
		r.Messages++
		if r.limits.Cap > 0 {
			r.recent[e.AppUserID] = append(r.recent[e.AppUserID], e.due)
		}
		if len(r.Examples) < maxExamples && r.exampleBytes < maxExampleBytes {
			if message.Email != nil {
				message.Body = message.Email.example(&s.facts, r.app)
			}
			r.exampleBytes += len(message.Body)
			r.Examples = append(r.Examples, &TestRunMessage{e.AppUserID, message.Node, e.due, message.Body})
		}
	}
	e.Node, e.Waiting, e.EventCame = m.Node, m.Waiting, false
	if m.State == running {
		r.schedule(e, m.Due)
		return
	}
	if m.State == exited {
		r.Exited++
	}
	e.ended = true
	r.going[e.AppUserID] = slices.DeleteFunc(r.going[e.AppUserID], func(other *simulated) bool { return other == e })
}
