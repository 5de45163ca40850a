package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// ofAnswers are the answers of the run of a flow whose end enrolled the person, by field key. They are stored with the
// enrolment, as a property of what enrolled the person that no event can have: properties of events are no objects.
const ofAnswers = "answers"

const (
	// answersWithin is how long before its end a run is looked for that has no id.
	answersWithin = 24 * time.Hour
	// maxAnswerEvents bounds the events that are read of a run, the latest ones.
	maxAnswerEvents = 1000
	// maxAnswerBytes bounds the answers that are stored with an enrolment: their values, in the order of the run.
	maxAnswerBytes = 16 << 10
)

// wantsAnswers tells whether the end of a flow matters to an automation that asks for answers.
func (r *rules) wantsAnswers(f *Fact) bool {
	for _, p := range r.onFlow {
		if p.definition.Answers && p.definition.Trigger.isEnd(f) {
			return true
		}
	}
	return false
}

// addAnswers adds the answers of their runs to the ends of flows that are wanted.
func addAnswers(ctx context.Context, q queryer, facts []Fact, wanted func(*Fact) bool) error {
	type run struct {
		Number    int        `json:"number"`
		AppUserID string     `json:"app_user_id"`
		FlowID    uuid.UUID  `json:"flow_id"`
		RunID     *uuid.UUID `json:"run_id"`
		EndedAt   time.Time  `json:"ended_at"`
	}
	runs := map[int64][]run{} // by environment, each of which may be on another node
	for i := range facts {
		f := &facts[i]
		if f.Kind != FlowEnd || !wanted(f) {
			continue
		}
		one := run{Number: i, AppUserID: f.AppUserID, FlowID: f.FlowID, EndedAt: f.OccurredAt}
		if f.RunID != uuid.Nil {
			one.RunID = &f.RunID
		}
		runs[f.EnvironmentID] = append(runs[f.EnvironmentID], one)
	}
	for environment, ended := range runs {
		argument, err := json.Marshal(ended)
		if err != nil {
			return err
		}
		if err := readAnswers(ctx, q, environment, argument, facts); err != nil {
			return err
		}
	}
	return nil
}

// readAnswers adds the answers of runs of an environment to their facts.
func readAnswers(ctx context.Context, q queryer, environment int64, runs []byte, facts []Fact) error {
	rows, err := q.Query(ctx, `
		select r.number, e.name, coalesce(e.properties->>'field_key', ''), coalesce(e.properties->>'value', '')
		from jsonb_to_recordset($1::jsonb) as r (number int, app_user_id text, flow_id uuid,
			run_id uuid, ended_at timestamptz), lateral (
			select name, properties, occurred_at, seq, event_key from flow_events e
			where e.environment_id = $4 and e.app_user_id = r.app_user_id and e.flow_id = r.flow_id
				and e.occurred_at between r.ended_at - make_interval(secs => $2) and r.ended_at
				and (r.run_id is null or e.run_id = r.run_id)
				and e.name in ('flow_started', 'step_viewed', 'choice_selected', 'text_submitted')
			order by occurred_at desc, seq desc, event_key limit $3) e
		order by r.number, e.seq, e.occurred_at, e.event_key`, runs, answersWithin.Seconds(), maxAnswerEvents, environment)
	if err != nil {
		return fmt.Errorf("read answers: %w", err)
	}
	found := map[int]*answers{}
	var number int
	var name, field, value string
	if _, err := pgx.ForEachRow(rows, []any{&number, &name, &field, &value}, func() error {
		if found[number] == nil {
			found[number] = &answers{}
		}
		found[number].add(name, field, value)
		return nil
	}); err != nil {
		return fmt.Errorf("read answers: %w", err)
	}
	for number, a := range found {
		f := &facts[number]
		properties := map[string]any{}
		if f.Properties != nil {
			_ = json.Unmarshal(f.Properties, &properties) // were checked when they came
		}
		properties[ofAnswers] = a.values()
		if f.Properties, err = json.Marshal(properties); err != nil {
			return fmt.Errorf("write answers: %w", err)
		}
	}
	return nil
}

// answers gathers what a person answered in a run, event by event.
type answers struct {
	fields []string // in the order in which they were first answered
	byKey  map[string]*answerValues
	visit  int // of a screen: choices of one visit are one answer
}

type answerValues struct {
	values []string
	visit  int
	typed  bool
}

func (a *answers) add(name, field, value string) {
	switch name {
	case "flow_started":
		*a = answers{} // of a run without an id: what came before is of another one
		return
	case "step_viewed":
		a.visit++
		return
	}
	if field == "" {
		return
	}
	if a.byKey == nil {
		a.byKey = map[string]*answerValues{}
	}
	known := a.byKey[field]
	if known == nil {
		known = &answerValues{}
		a.byKey[field], a.fields = known, append(a.fields, field)
	}
	if typed := name == "text_submitted"; typed || known.typed || known.visit != a.visit {
		*known = answerValues{visit: a.visit, typed: typed}
	}
	known.values = append(known.values, value)
}

// values returns the answers: a text, or a list of texts of a choice of several.
func (a *answers) values() map[string]any {
	all, size := map[string]any{}, 0
	for _, field := range a.fields {
		given := a.byKey[field].values
		size += len(field)
		for _, value := range given {
			size += len(value)
		}
		if size > maxAnswerBytes {
			break
		}
		if all[field] = given; len(given) == 1 {
			all[field] = given[0]
		}
	}
	return all
}
